//! State of an import that outlives it: its checkpoint, its rejected documents, and the documents that it inserted.

pub(super) mod checkpoint;
pub(super) mod checkpoint_bson;
pub(super) mod identity;
pub(super) mod inserted;
pub(super) mod lock;
pub(super) mod rejects;
pub(super) mod roll_back;
pub(super) mod unfinished;
