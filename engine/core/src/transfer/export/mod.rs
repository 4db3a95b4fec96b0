//! Exports of documents to one file.

pub(super) mod atomic_file;
pub(super) mod cells;
pub(super) mod collection;
mod columns;
pub(super) mod csv;
pub(super) mod file_name;
pub(super) mod losses;
pub(super) mod pipeline;
pub(super) mod query;
