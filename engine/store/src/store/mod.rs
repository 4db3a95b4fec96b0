//! Bytes on disk. The only module that names heed.
//!
//! A data folder holds `data.mdb` and `lock.mdb` (LMDB), `app.lock` (one process at a time, which also locks
//! `data.mdb`; a process id that is left in it means an unclean end), `identity.json`, and `ballast` (disk space
//! reserved for deletions).
//! `engine/docs/design.md` has the details.
//!
//! [`Store::open`] is the only way in. Work is done in closures: [`Store::read`] lends a [`Reader`],
//! [`Store::write`] a [`Writer`]. Nothing that LMDB lends outlives the closure, because the memory map may move
//! once no transaction is active.
//!
//! - `table` lays rows out as bytes.
//! - `txn` runs transactions: writes of several threads share one, and each failure leads to a larger map,
//!   to deletions only while the disk is full, or to a store that takes no change until its file was walked.
//! - `file` owns the data folder and the files next to `data.mdb`.
//! - `copy` writes backups, restores them, and compacts the store.
//! - `walk` checks a file before LMDB follows its pages.
//!
//! LMDB trusts its file: a damaged one can crash the process. So `walk` reads the file page by page, with plain
//! reads, before LMDB follows it, and each stored row carries a checksum.

mod copy;
mod error;
mod file;
mod handle;
mod notice;
mod open;
mod opening_walk;
mod options;
mod progress;
mod table;
mod txn;
mod walk;

pub use copy::backup::{BackupReport, damaged_copy, is_data_file, kept as backups_kept};
pub use copy::compact::Compaction;
pub use copy::restore::{Restoration, RestoredFolder, replaced as replaced_stores};
pub use copy::restore_mark::RESTORED_META_NAME;
pub use error::StoreError;
pub use file::app_lock::open_chosen;
pub use file::app_lock::{create_chosen, open_chosen_to_write};
pub use file::damaged_bytes::save_damaged_bytes;
pub use file::folder::sync_names;
pub use file::folder::{OPEN_TO_OTHERS, replace_file, replace_shared_file, shared_part};
pub use file::identity::Identity;
pub use handle::Store;
pub use notice::StoreNotice;
pub use options::{OpenReport, StoreOptions};
pub use progress::{JobProgress, JobStep, Watch};
pub use table::codec::DAMAGED_HINT;
pub use table::damaged::{DamagedRow, DamagedRows};
pub use table::entry_rows::EntryRows;
pub use table::record::{
    CollectionId, Counters, Entry, IndexId, RecordNumber, Scan, StoredDocument, UnverifiedDocument,
    entry_bytes,
};
pub use table::whole_scan::WholeScan;
pub use txn::reader::{
    CatalogRecords, CatalogRow, CheckedRow, Documents, Entries, EntryPrefix, Reader, SMALL_TABLES,
};
pub use txn::snapshot::SnapshotNumber;
pub use txn::write_state::{StoreState, StoreStatus};
pub use txn::writer::Writer;
pub use walk::{StructureReport, WalkProgram, walk_standard_input};

#[cfg(any(test, feature = "testing"))]
pub use testing::{lose_page, rot, rot_after};

#[cfg(any(test, feature = "testing"))]
mod testing;

#[cfg(test)]
mod tests;
