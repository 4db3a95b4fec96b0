//! One write transaction over documents, index entries and counters.

pub(super) mod batch_write;
pub(super) mod document_writer;
pub(super) mod evict;
pub(super) mod keys;
pub(super) mod measurements;
pub(super) mod numbering;
pub(super) mod removal;
pub(super) mod transaction;
pub(super) mod trash;
pub(super) mod unique;
