//! A file that appears whole under its name or not at all.

use std::{
    fs::{self, File, TryLockError},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::store::{is_data_file, open_chosen, open_chosen_to_write, sync_names};
use crate::transfer::{Compression, Progress, TransferError, is_url};

/// Prefix and suffix of an unfinished export's name, around random letters and digits.
const PART_BEGINS: &str = ".mayfly-export-";
const PART_ENDS: &str = ".part";

const PART_RANDOM: usize = 12;

/// Attempts to create such a file.
const PART_TRIES: usize = 3;

/// A file being written under a temporary name in the target's folder.
pub(in crate::transfer) struct AtomicFile<'p> {
    path: PathBuf,
    folder: PathBuf,
    out: Out,
    progress: &'p Progress,
}

enum Out {
    Plain(BufWriter<NamedTempFile>),
    Gzip(GzEncoder<BufWriter<NamedTempFile>>),
    Zstd(zstd::Encoder<'static, BufWriter<NamedTempFile>>),
}

/// The folder of a file that may be written or replaced.
///
/// # Errors
/// When the target is a link, a folder, a device, a data file, a read-only file or inside the data
/// folder, or when its folder doesn't exist.
pub fn check_target(path: &Path, data_folder: &Path) -> Result<PathBuf, TransferError> {
    let refuse = |what: &str| TransferError::target(path, what);
    if path.file_name().is_none() {
        return Err(refuse("the path has no file name; add one"));
    }
    // The final rename would replace a link itself, and a device would become a file.
    if let Ok(about) = fs::symlink_metadata(path) {
        if about.is_dir() {
            return Err(refuse("it is a folder; add a file name"));
        }
        if about.is_symlink() {
            return Err(refuse("it is a symbolic link; use the file it points to"));
        }
        if !about.is_file() {
            let what = "it is not a regular file; choose another name, or - for standard output";
            return Err(refuse(what));
        }
        // The rename needs only the right to write the folder.
        let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        if about.permissions().readonly() || open_chosen_to_write(path).is_err_and(|e| denied(&e)) {
            return Err(refuse("the file is read-only; choose another name"));
        }
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    let wrong = |error: io::Error| TransferError::file(parent, &error);
    let folder = parent.canonicalize().map_err(|error| match error.kind() {
        _ if is_url(path) => refuse("it is a URL and not a file; write to a file, then upload it"),
        io::ErrorKind::NotFound => refuse("its folder doesn't exist; create the folder first"),
        _ => wrong(error),
    })?;
    if !folder.is_dir() {
        return Err(refuse("a part of its path is a file; choose a folder"));
    }
    if data_folder.canonicalize().is_ok_and(|data| folder.starts_with(data)) {
        return Err(refuse("it is inside the data folder; choose another folder"));
    }
    if is_data_file(path).is_ok_and(|is_one| is_one) {
        return Err(refuse("it is a store's data file or a backup; choose another name"));
    }
    Ok(folder)
}

impl<'p> AtomicFile<'p> {
    /// Validates the target and creates the temporary file.
    ///
    /// # Errors
    /// When the target is a link, a folder, a device, a data file, a read-only file or inside the data
    /// folder, or when its folder can't be written.
    pub(in crate::transfer) fn begin(
        path: &Path,
        data_folder: &Path,
        compression: Compression,
        progress: &'p Progress,
    ) -> Result<Self, TransferError> {
        let folder = check_target(path, data_folder)?;
        let wrong = |error: io::Error| TransferError::file(&folder, &error);
        // A killed export leaves its file. Nothing else would ever remove it.
        sweep(&folder);
        let file = BufWriter::new(part_in(&folder).map_err(wrong)?);
        let out = match compression {
            Compression::None => Out::Plain(file),
            Compression::Gzip => Out::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            Compression::Zstd => Out::Zstd(zstd_encoder(file).map_err(wrong)?),
        };
        Ok(Self { path: path.to_owned(), folder, out, progress })
    }

    pub(in crate::transfer) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When they can't be written.
    pub(in crate::transfer) fn write(&mut self, bytes: &[u8]) -> Result<(), TransferError> {
        let written = match &mut self.out {
            Out::Plain(file) => file.write_all(bytes),
            Out::Gzip(file) => file.write_all(bytes),
            Out::Zstd(file) => file.write_all(bytes),
        };
        written.map_err(|error| TransferError::file(&self.path, &error))?;
        self.progress.add_bytes(bytes.len() as u64);
        Ok(())
    }

    /// Flushes it to disk under its temporary name.
    ///
    /// # Errors
    /// When a step fails; the temporary file is then deleted.
    pub(in crate::transfer) fn complete(self) -> Result<CompleteFile, TransferError> {
        let wrong = |error: io::Error| TransferError::file(&self.path, &error);
        let file = match self.out {
            Out::Plain(file) => file,
            Out::Gzip(file) => file.finish().map_err(wrong)?,
            Out::Zstd(file) => file.finish().map_err(wrong)?,
        };
        let file = file.into_inner().map_err(|error| wrong(error.into_error()))?;
        keep_mode(file.as_file(), &self.path);
        // Before the rename, or a power cut could replace an older export by an empty file.
        file.as_file().sync_all().map_err(wrong)?;
        Ok(CompleteFile { path: self.path, folder: self.folder, file })
    }
}

/// An encoder with the default level, whose frame ends with a checksum.
fn zstd_encoder<W: Write>(out: W) -> io::Result<zstd::Encoder<'static, W>> {
    let mut encoder = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    // Without it a changed byte in the file would decompress to other documents.
    encoder.include_checksum(true)?;
    Ok(encoder)
}

/// A file that is whole on disk but still has its temporary name. Dropping it deletes it.
pub(in crate::transfer) struct CompleteFile {
    path: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
}

impl CompleteFile {
    /// Renames it to its target.
    ///
    /// # Errors
    /// When a step fails. An existing file of that name is then still there, unless only the folder
    /// could not be flushed.
    pub(in crate::transfer) fn publish(self) -> Result<(), TransferError> {
        let wrong = |error: io::Error| TransferError::file(&self.path, &error);
        self.file.persist(&self.path).map_err(|error| wrong(error.error))?;
        sync_names(&self.folder).map_err(wrong)
    }
}

/// Gives the new file the permissions of the file it replaces. Otherwise only its owner can read
/// it. On failure it stays private.
#[cfg(unix)]
fn keep_mode(file: &File, path: &Path) {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let Ok(old) = fs::symlink_metadata(path) else { return };
    let Ok(new) = file.metadata() else { return };
    if !old.is_file() {
        return;
    }
    // Permissions of one group must not go to another.
    let is_same_group = old.gid() == new.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let kept = if is_same_group { 0o666 } else { 0o606 };
    let _ = file.set_permissions(fs::Permissions::from_mode(0o600 | (old.mode() & kept)));
}

#[cfg(not(unix))]
fn keep_mode(_: &File, _: &Path) {}

/// Creates an unfinished file. It stays locked while it is written; an unlocked one is a leftover.
fn part_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PART_BEGINS).suffix(PART_ENDS).rand_bytes(PART_RANDOM);
    for _ in 0..PART_TRIES {
        let part = builder.tempfile_in(folder)?;
        // [`sweep`] in another process may just have locked the new file to delete it. Without file
        // locks nothing is ever swept.
        let is_taken = matches!(part.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && part.path().exists() {
            return Ok(part);
        }
    }
    Err(io::Error::other("another program keeps removing the temporary file"))
}

/// Deletes leftovers of killed exports in a folder. A failure is harmless.
fn sweep(folder: &Path) {
    let Ok(found) = fs::read_dir(folder) else { return };
    for entry in found.flatten() {
        let is_part = entry.file_name().to_str().is_some_and(is_part_name)
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        // Holds the lock until the file is deleted, so that no export starts to use it.
        if is_part
            && let Ok(file) = open_chosen(&entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_part_name(name: &str) -> bool {
    let middle = name.strip_prefix(PART_BEGINS).and_then(|rest| rest.strip_suffix(PART_ENDS));
    middle.is_some_and(|middle| {
        middle.len() == PART_RANDOM && middle.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
