//! Transactions: the LMDB environment, readers and writers, group commit, and what a failure leads to.

pub(super) mod commit_queue;
pub(super) mod env;
pub(super) mod error_class;
pub(super) mod group_commit;
pub(super) mod latch;
pub(super) mod reader;
pub(super) mod recovery;
mod search;
pub(super) mod snapshot;
pub(super) mod tables;
pub(super) mod write_state;
pub(super) mod writer;
