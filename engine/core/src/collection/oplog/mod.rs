//! The oplog of the teaching replica set: the changes of each committed transaction, in order of
//! the commits. Only a member of a set notes them, in memory. The program that runs the members takes
//! them from the primary and applies them to the others.
//!
//! An entry is one kind of change to one collection. It holds record numbers, exact bytes and
//! last-modified times, so another store that applies all entries in order holds the same documents.
//! Numbers of collections and indexes are a store's own: entries name
//! collections by name and UUID, and indexes by name.

pub(super) mod apply;
pub(super) mod entry;
pub(super) mod membership;
pub(super) mod pending;
