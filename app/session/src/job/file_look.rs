//! A preview of a file.

use mayfly_engine::transfer::{DiskSpace, Preview, Types};

use super::IndexFile;

/// A file and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct FileLook {
    /// Its size in bytes.
    pub bytes: u64,
    pub preview: Preview,
    /// The disk space for all files; `None` when unknown.
    pub disk_space: Option<DiskSpace>,
    /// The index definitions next to each of the files.
    pub indexes: Vec<IndexFile>,
    /// The types with which it was read.
    pub types: Types,
}
