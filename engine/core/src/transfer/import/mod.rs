//! Imports: a look at the files, then their documents in bounded transactions.

pub(super) mod collection;
pub(super) mod disk_space;
pub(super) mod preview;
mod replacement;
pub(super) mod store_batch;
pub(super) mod target;
