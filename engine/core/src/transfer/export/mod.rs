//! Exports of a collection to one file.

pub(super) mod atomic_file;
pub(super) mod collection;
pub(super) mod csv;
pub(super) mod file_name;
pub(super) mod query;
