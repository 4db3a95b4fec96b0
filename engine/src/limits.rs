//! Every bound of the engine, with its unit and what happens at the bound.

/// Documents that one write transaction touches at most. LMDB has one writer and a person may be
/// waiting, so longer work is cut into several transactions.
pub const BATCH_DOCS_MAX: usize = 1_000;

/// Milliseconds after which a write transaction stops taking more documents.
pub const BATCH_MS_MAX: u64 = 50;

/// Bytes of a value key in an index entry: LMDB's 511 less the index id (4) and the record number
/// (8). A longer key is refused; `value::key` cuts before that.
pub const VALUE_KEY_BYTES_MAX: usize = 499;

/// Read transactions alive at the same time. One more is answered with "busy".
pub const READERS_MAX: u32 = 512;

/// Bytes of address space asked for at opening; halved while the system refuses.
pub const MAP_SIZE_BYTES: u64 = 1 << 40;

/// Bytes of address space below which halving stops and opening fails.
pub const MAP_SIZE_BYTES_MIN: u64 = 1 << 30;

/// How often one write may double the map before it is given up.
pub const MAP_GROWTHS_MAX: usize = 32;

/// How long a growing map waits for readers to leave before the write is answered with "busy".
pub const MAP_GROWTH_WAIT: std::time::Duration = std::time::Duration::from_secs(10);

/// Bytes free on the disk below which opening warns and an input/output error counts as a full disk.
pub const DISK_FREE_BYTES_LOW: u64 = 64 << 20;

/// Levels of an LMDB tree. LMDB's own cursors hold no more; a deeper tree is damage.
pub const TREE_DEPTH_MAX: u16 = 32;
