//! How a store is opened, and what the opening found.

use super::txn::env::EnvironmentOptions;
use super::{DamagedRows, Identity, WalkProgram};
use crate::limits::{BALLAST_BYTES, MAP_SIZE_BYTES, OPEN_WALK_BYTES};

/// How to open a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// Bytes of address space to reserve; the file itself stays small. Halved while the system refuses it.
    pub map_size_bytes: u64,
    /// Open without writing anything.
    pub read_only: bool,
    /// Walk the whole file first, even after a clean close.
    pub full_check: bool,
    /// Bytes of the largest data file that is walked before the store is open, if it looks as it was closed. A
    /// larger one is walked in the background: until then reads are guarded, and writes wait.
    pub open_walk_bytes: u64,
    /// The time now in milliseconds since 1970. It becomes the creation time of a new store, the time of a
    /// walk, and the time of a restore.
    pub now_ms: i64,
    /// Bytes of the file that reserves space for deletions on a full disk; less on a small disk.
    pub ballast_bytes_max: u64,
    /// The program that walks a data file that was not open here last; `None` to walk it in this process.
    pub walker: Option<WalkProgram>,
}

impl StoreOptions {
    /// How the environment is opened.
    pub(super) fn environment(&self, read_only: bool) -> EnvironmentOptions {
        EnvironmentOptions { map_size_bytes: self.map_size_bytes, read_only }
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            map_size_bytes: MAP_SIZE_BYTES,
            read_only: false,
            full_check: false,
            open_walk_bytes: OPEN_WALK_BYTES,
            now_ms: 0,
            ballast_bytes_max: BALLAST_BYTES,
            walker: None,
        }
    }
}

/// The outcome of opening a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReport {
    /// The store's identity.
    pub identity: Identity,
    /// The last session did not end cleanly; the file was walked and is sound.
    pub unclean: bool,
    /// The store was created by this opening.
    pub created: bool,
    /// The store is read-only, on request or because it can't be written.
    pub read_only: bool,
    /// Warnings for the user, one sentence each.
    pub warnings: Vec<String>,
    /// Damaged rows that the walk has found, if it ended before the opening did.
    pub damaged: DamagedRows,
}
