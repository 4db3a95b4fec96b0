//! The oplog: the changes of each committed transaction, written to their own table in that
//! transaction. It exists only in a store opened with it.
//!
//! An entry is one kind of change to one collection. It holds record numbers, exact bytes and
//! last-modified times, so another store that applies all entries in order holds the same documents.
//! Numbers of collections and indexes are a store's own: entries name collections, and indexes by
//! name. The oplog is never truncated.

pub(super) mod apply;
pub(super) mod change;
pub(super) mod entry;
pub(super) mod pending;
pub(super) mod role;
