//! Bounds of journals: what is kept of operations that may be cut short.

/// Bytes of the journal of one operation. Beyond, the operation stops.
pub const JOURNAL_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// Bytes of one record of a journal. A step is one reply of the store, which has at most 16 MiB.
pub const JOURNAL_RECORD_BYTES_MAX: usize = 128 * 1024 * 1024;

/// Journals in one folder: operations that run or were cut short. Beyond, no further one begins.
pub const JOURNALS_MAX: usize = 100;
