//! Detects that a file has changed.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use bson::{Document, doc};
use xxhash_rust::xxh3::xxh3_64;

use super::{
    TransferError,
    checkpoint_bson::{path_from_bson, path_to_bson},
    limits::IDENTITY_BYTES,
};
use crate::store::open_chosen;

/// The properties that identify a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileIdentity {
    /// Absolute path.
    pub path: PathBuf,
    bytes: u64,
    modified_ns: u64,
    start_hash: u64,
}

impl FileIdentity {
    /// Reads a file's identity.
    ///
    /// # Errors
    /// When it can't be read.
    pub(super) fn of(path: &Path) -> Result<Self, TransferError> {
        let wrong = |error| TransferError::file(path, &error);
        let whole = path.canonicalize().map_err(wrong)?;
        let file = open_chosen(&whole).map_err(wrong)?;
        let about = file.metadata().map_err(wrong)?;
        let since = about.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let modified_ns = since.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0));
        let mut start = Vec::new();
        file.take(IDENTITY_BYTES).read_to_end(&mut start).map_err(wrong)?;
        Ok(Self { path: whole, bytes: about.len(), modified_ns, start_hash: xxh3_64(&start) })
    }

    /// Checks that the file is unchanged.
    ///
    /// # Errors
    /// When it changed, or can't be read.
    pub(super) fn check(&self) -> Result<(), TransferError> {
        if Self::of(&self.path)? == *self {
            return Ok(());
        }
        let what = format!(
            "{} changed after the import started, so it can't be resumed. Roll it back or discard it.",
            self.path.display()
        );
        Err(TransferError::Unfinished { what })
    }

    pub(super) fn to_bson(&self) -> Document {
        doc! {
            "path": path_to_bson(&self.path),
            "bytes": bits(self.bytes),
            "modifiedNs": bits(self.modified_ns),
            "hash": bits(self.start_hash),
        }
    }

    pub(super) fn from_bson(from: &Document) -> Option<Self> {
        let number = |name: &str| Some(unbits(from.get_i64(name).ok()?));
        Some(Self {
            path: path_from_bson(from.get("path")?)?,
            bytes: number("bytes")?,
            modified_ns: number("modifiedNs")?,
            start_hash: number("hash")?,
        })
    }
}

/// The same 64 bits as a BSON number.
pub(super) fn bits(number: u64) -> i64 {
    i64::from_ne_bytes(number.to_ne_bytes())
}

/// The inverse of [`bits`].
pub(super) fn unbits(number: i64) -> u64 {
    u64::from_ne_bytes(number.to_ne_bytes())
}
