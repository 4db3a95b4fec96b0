//! What the start of a file tells.

use mayfly_engine::transfer::{DiskSpace, Preview};

/// A file and what it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct FileLook {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its beginning.
    pub preview: Preview,
    /// Whether all files have room; `None` when nobody can tell.
    pub disk_space: Option<DiskSpace>,
}
