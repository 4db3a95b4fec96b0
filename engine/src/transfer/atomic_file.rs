//! A file that appears whole under its name or not at all.

use std::{
    fs::{self, File, TryLockError},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use tempfile::NamedTempFile;

use super::{Progress, TransferError};
use crate::store::{is_data_file, open_chosen, sync_names};

/// How the name of an unfinished export begins and ends. Between them stand letters and digits.
const PART_BEGINS: &str = ".mayfly-export-";
const PART_ENDS: &str = ".part";

/// The letters and digits.
const PART_RANDOM: usize = 12;

/// Times that such a file is made.
const PART_TRIES: usize = 3;

/// A file that is being written under a temporary name in the target's folder.
pub(super) struct AtomicFile<'p> {
    path: PathBuf,
    folder: PathBuf,
    out: Out,
    progress: &'p Progress,
}

enum Out {
    Plain(BufWriter<NamedTempFile>),
    Gzip(GzEncoder<BufWriter<NamedTempFile>>),
}

impl<'p> AtomicFile<'p> {
    /// Refuses odd targets and makes the temporary file.
    ///
    /// # Errors
    /// When the target is a link, a folder, a device, a data file or lies in the data folder, or its
    /// folder can't be written.
    pub(super) fn create(
        path: &Path,
        data_folder: &Path,
        gzip: bool,
        progress: &'p Progress,
    ) -> Result<Self, TransferError> {
        let refuse = |what: &str| TransferError::target(path, what);
        if path.file_name().is_none() {
            return Err(refuse("the path has no file name; add one"));
        }
        if let Ok(about) = fs::symlink_metadata(path) {
            if about.is_dir() {
                return Err(refuse("it is a folder; add a file name"));
            }
            if about.is_symlink() {
                return Err(refuse("it is a symbolic link; use the file it points to"));
            }
            if !about.is_file() {
                return Err(refuse("it is not a regular file; choose another name"));
            }
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or_else(|| Path::new("."));
        let wrong = |error: io::Error| TransferError::file(parent, &error);
        let folder = parent.canonicalize().map_err(wrong)?;
        if data_folder.canonicalize().is_ok_and(|data| folder.starts_with(data)) {
            return Err(refuse("it is inside the data folder; choose another folder"));
        }
        if is_data_file(path).is_ok_and(|is_one| is_one) {
            return Err(refuse("it is a store's data file or a backup; choose another name"));
        }
        sweep(&folder);
        let file = BufWriter::new(part_in(&folder).map_err(wrong)?);
        let out = if gzip {
            Out::Gzip(GzEncoder::new(file, Compression::default()))
        } else {
            Out::Plain(file)
        };
        Ok(Self { path: path.to_owned(), folder, out, progress })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// When they can't be written.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), TransferError> {
        let written = match &mut self.out {
            Out::Plain(file) => file.write_all(bytes),
            Out::Gzip(file) => file.write_all(bytes),
        };
        written.map_err(|error| TransferError::file(&self.path, &error))?;
        self.progress.add_bytes(bytes.len() as u64);
        Ok(())
    }

    /// Makes it durable under its temporary name.
    ///
    /// # Errors
    /// When a step fails; the temporary file is then gone.
    pub(super) fn complete(self) -> Result<CompleteFile, TransferError> {
        let wrong = |error: io::Error| TransferError::file(&self.path, &error);
        let file = match self.out {
            Out::Plain(file) => file,
            Out::Gzip(file) => file.finish().map_err(wrong)?,
        };
        let file = file.into_inner().map_err(|error| wrong(error.into_error()))?;
        keep_mode(file.as_file(), &self.path);
        file.as_file().sync_all().map_err(wrong)?;
        Ok(CompleteFile { path: self.path, folder: self.folder, file })
    }
}

/// A file with all its bytes on disk that has not got its name yet. Dropped, it is removed.
pub(super) struct CompleteFile {
    path: PathBuf,
    folder: PathBuf,
    file: NamedTempFile,
}

impl CompleteFile {
    /// Gives it its name.
    ///
    /// # Errors
    /// When a step fails. A file that was there under that name is then still there, unless only the
    /// name could not be made durable.
    pub(super) fn publish(self) -> Result<(), TransferError> {
        let wrong = |error: io::Error| TransferError::file(&self.path, &error);
        self.file.persist(&self.path).map_err(|error| wrong(error.error))?;
        sync_names(&self.folder).map_err(wrong)
    }
}

/// Lets everybody read or write the new file who could read or write the one that it replaces. One
/// that replaces none is its owner's alone. Failing only keeps it from the others.
#[cfg(unix)]
fn keep_mode(file: &File, path: &Path) {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let Ok(old) = fs::symlink_metadata(path) else { return };
    let Ok(new) = file.metadata() else { return };
    if !old.is_file() {
        return;
    }
    // What one group could do is not for another one.
    let is_same_group = old.gid() == new.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let kept = if is_same_group { 0o666 } else { 0o606 };
    let _ = file.set_permissions(fs::Permissions::from_mode(0o600 | (old.mode() & kept)));
}

#[cfg(not(unix))]
fn keep_mode(_: &File, _: &Path) {}

/// A new unfinished file. It is locked while it is written: that tells it from one that was left behind.
fn part_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PART_BEGINS).suffix(PART_ENDS).rand_bytes(PART_RANDOM);
    for _ in 0..PART_TRIES {
        let part = builder.tempfile_in(folder)?;
        // Without locks in the file system nothing is ever taken for left behind. With them this one
        // may just have been.
        let is_taken = matches!(part.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && part.path().exists() {
            return Ok(part);
        }
    }
    Err(io::Error::other("another program keeps removing the temporary file"))
}

/// Removes what exports that were killed have left in a folder. Failing only leaves it there.
fn sweep(folder: &Path) {
    let Ok(found) = fs::read_dir(folder) else { return };
    for entry in found.flatten() {
        let is_part = entry.file_name().to_str().is_some_and(is_part_name)
            && entry.file_type().is_ok_and(|kind| kind.is_file());
        // The lock is held until the file is gone, so that nobody begins with it meanwhile.
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
