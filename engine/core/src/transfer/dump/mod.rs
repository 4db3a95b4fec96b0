//! Folders and archives of mongodump, and exported databases.

pub(super) mod export;
pub(super) mod files;
pub(super) mod import;
pub(super) mod manifest;
pub(super) mod metadata;
pub(super) mod read;
pub(super) mod source;
pub(super) mod target;
