//! Detects that a file has changed.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use bson::{Binary, Bson, Document, doc, spec::BinarySubtype};
use xxhash_rust::xxh3::xxh3_64;

use crate::store::open_chosen;
use crate::transfer::{
    Compression, TransferError,
    limits::{IDENTITY_BYTES, IDENTITY_END_BYTES},
    read::{container, input::Input},
};

/// Bytes of a file that broke off above which its start tells that another file is a copy of it. A
/// header of gzip alone doesn't.
const COPY_BYTES_MIN: u64 = 64;

/// The properties that identify a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) struct FileIdentity {
    pub path: PathBuf,
    bytes: u64,
    modified_ns: u64,
    start_hash: u64,
    /// Of the last bytes. 0 in an import of an earlier version, which did not note it.
    end_hash: u64,
}

impl FileIdentity {
    /// Reads a file's identity.
    ///
    /// # Errors
    /// When it can't be read.
    pub(in crate::transfer) fn of(path: &Path) -> Result<Self, TransferError> {
        let wrong = |error| TransferError::file(path, &error);
        let inside = container::split(path);
        let outer = inside.as_ref().map_or(path, |(outer, _)| outer);
        let outer = outer.canonicalize().map_err(wrong)?;
        // To open a pipe waits for its other end, and to read it takes its bytes.
        let is_special = fs::metadata(&outer).is_ok_and(|about| !about.is_file());
        if is_special {
            Input::open(path, None)?;
        }
        let file = open_chosen(&outer).map_err(wrong)?;
        let whole = inside.map_or_else(|| outer.clone(), |(_, member)| outer.join(member));
        let about = file.metadata().map_err(wrong)?;
        let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified_ns = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0));
        let bytes = about.len();
        let start = part(&file, 0, bytes.min(IDENTITY_BYTES)).map_err(wrong)?;
        let end = part(&file, end_of(bytes), bytes).map_err(wrong)?;
        let (start_hash, end_hash) = (xxh3_64(&start), xxh3_64(&end));
        Ok(Self { path: whole, bytes, modified_ns, start_hash, end_hash })
    }

    /// Checks that the file is unchanged.
    ///
    /// # Errors
    /// When it changed, or can't be read.
    pub(in crate::transfer) fn check(&self) -> Result<(), TransferError> {
        let mut now = Self::of(&self.path)?;
        if self.end_hash == 0 {
            now.end_hash = 0;
        }
        if now == *self || self.is_start_of_copy()? {
            return Ok(());
        }
        let what = format!(
            "{} changed after the import started, so it can't be resumed. Roll it back or discard it.",
            self.path.display()
        );
        Err(TransferError::Unfinished { what })
    }

    /// Whether a compressed file that broke off was replaced by a longer one with the same start: the
    /// new copy that its message asks for.
    ///
    /// The end of the old file decides: compressed bytes differ from the first change on, and a file that did not break
    /// off ends with its checksum.
    fn is_start_of_copy(&self) -> Result<bool, TransferError> {
        let wrong = |error| TransferError::file(&self.path, &error);
        let file = open_chosen(&container::on_disk(&self.path)).map_err(wrong)?;
        let length = file.metadata().map_err(wrong)?.len();
        let start = part(&file, 0, self.bytes.min(IDENTITY_BYTES)).map_err(wrong)?;
        let end = part(&file, end_of(self.bytes), self.bytes).map_err(wrong)?;
        let is_longer = length > self.bytes && self.bytes > COPY_BYTES_MIN;
        let is_packed = Compression::of(&start) != Compression::None;
        let is_same = xxh3_64(&start) == self.start_hash && xxh3_64(&end) == self.end_hash;
        Ok(is_longer && is_packed && is_same)
    }

    pub(in crate::transfer) fn to_bson(&self) -> Document {
        doc! {
            "path": path_to_bson(&self.path),
            "bytes": bits(self.bytes),
            "modifiedNs": bits(self.modified_ns),
            "hash": bits(self.start_hash),
            "endHash": bits(self.end_hash),
        }
    }

    pub(in crate::transfer) fn from_bson(from: &Document) -> Option<Self> {
        let number = |name: &str| Some(unbits(from.get_i64(name).ok()?));
        Some(Self {
            path: path_from_bson(from.get("path")?)?,
            bytes: number("bytes")?,
            modified_ns: number("modifiedNs")?,
            start_hash: number("hash")?,
            end_hash: number("endHash").unwrap_or_default(),
        })
    }
}

/// Where the last bytes begin that are compared.
fn end_of(bytes: u64) -> u64 {
    bytes.saturating_sub(IDENTITY_END_BYTES)
}

/// The bytes of a file between two places, or as far as it has them.
fn part(mut file: &File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(to - from).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A path as a string, or as bytes if it is not valid UTF-8.
pub(in crate::transfer) fn path_to_bson(path: &Path) -> Bson {
    #[cfg(unix)]
    if path.to_str().is_none() {
        let bytes = path.as_os_str().as_encoded_bytes().to_vec();
        return Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes });
    }
    Bson::String(path.to_string_lossy().into_owned())
}

pub(in crate::transfer) fn path_from_bson(from: &Bson) -> Option<PathBuf> {
    match from {
        Bson::String(text) => Some(PathBuf::from(text)),
        #[cfg(unix)]
        Bson::Binary(Binary { bytes, .. }) => {
            use std::os::unix::ffi::OsStringExt as _;
            Some(PathBuf::from(std::ffi::OsString::from_vec(bytes.clone())))
        }
        _ => None,
    }
}

/// The same 64 bits as a BSON number.
pub(in crate::transfer) fn bits(number: u64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

/// The inverse of [`bits`].
pub(in crate::transfer) fn unbits(number: i64) -> u64 {
    u64::from_ne_bytes(number.to_ne_bytes())
}
