//! One write transaction over documents, index entries and counters.

pub(super) mod batch_write;
pub(super) mod document_writer;
pub(super) mod dropped_ranges;
pub(super) mod evict;
pub(super) mod keys;
pub(super) mod measurements;
pub(super) mod numbering;
mod oplog_notes;
pub(super) mod removal;
pub(super) mod transaction;
pub(super) mod trash;
pub(super) mod trash_policy;
pub(super) mod trash_row;
pub(super) mod ts_watch;
pub(super) mod unbuilt;
pub(super) mod unique;
pub(super) mod waiting;
