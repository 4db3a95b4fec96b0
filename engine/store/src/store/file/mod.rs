//! The data folder and its files, apart from `data.mdb` itself.

pub(super) mod app_lock;
pub(super) mod ballast;
pub(super) mod damaged_bytes;
pub(super) mod folder;
pub(super) mod identity;
pub(super) mod mapped_file;
pub(super) mod stale_files;
