//! Copies of the data file: backup, restore and compaction.

pub(super) mod backup;
pub(super) mod compact;
pub(super) mod restore;
pub(super) mod restore_mark;
pub(super) mod stream;
