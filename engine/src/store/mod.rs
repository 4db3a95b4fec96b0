//! Bytes on disk. The only module that names heed.
//!
//! A data folder holds `data.mdb` and `lock.mdb` (LMDB), `app.lock` (one process at a time; a number in
//! it that outlives its process tells that the last session did not end cleanly), `identity.json`, and
//! `ballast` (room that deletions find on a full disk).
//!
//! [`Store::open`] is the only way in. Work is done in closures: [`Store::read`] lends a [`Reader`],
//! [`Store::write`] a [`Writer`]; nothing that LMDB lent outlives the closure, because the memory map
//! may move once no transaction is alive. Writes of several threads share transactions: `line` orders
//! them, `group` runs them.
//!
//! What each failure calls for is decided in `fault` and done in `trouble`: a larger map, deletions only
//! while the disk is full, or no change at all until the file has been closed, walked and opened again.
//!
//! LMDB trusts its file: a damaged one kills the process. So `walk` reads the file page by page, with
//! plain reads, before LMDB ever maps it, and each stored value carries a checksum.

mod app_lock;
mod backup;
mod ballast;
mod codec;
mod compact;
mod damaged;
mod damaged_bytes;
mod ending;
mod env;
mod error;
mod fault;
mod folder;
mod gate;
mod group;
mod handle;
mod health;
mod identity;
mod job;
mod leftover;
mod line;
mod notice;
mod open;
mod packed;
mod range;
mod reader;
mod record;
mod restore;
mod restored;
mod rows;
mod snapshot;
mod stream;
mod trouble;
mod walk;
mod writer;

pub(crate) use app_lock::{create_chosen, open_chosen, open_chosen_to_write};
pub(crate) use backup::is_data_file;
pub use backup::{BackupReport, damaged_copy, kept as backups_kept};
pub(crate) use codec::WAY_OUT;
pub use compact::Compaction;
pub use damaged::{DamagedRow, DamagedRows};
pub use damaged_bytes::keep_damaged;
pub use error::StoreError;
pub use folder::OPEN_TO_OTHERS;
pub(crate) use folder::sync_names;
pub use handle::{Identity, OpenReport, Store, StoreOptions, StructureReport};
pub use health::{StoreState, StoreStatus};
pub use job::{JobProgress, JobStep, Watch};
pub use notice::StoreNotice;
pub use reader::{
    CatalogRecords, CatalogRow, Documents, Entries, EntryPrefix, Looked, Reader, SMALL_TABLES,
};
pub use record::{
    CollectionId, Counters, Entry, IndexId, RecordNumber, Scan, Stored, Unread, entry_bytes,
};
pub use restore::{Restoration, Restored, replaced as replaced_stores};
pub use restored::RESTORED_META_NAME;
pub use rows::EntryRows;
pub use snapshot::SnapshotNumber;
pub use walk::{WalkProgram, walk_standard_input};
pub use writer::Writer;

#[cfg(test)]
pub(crate) use tests::{lose_page, rot};

#[cfg(test)]
mod tests;
