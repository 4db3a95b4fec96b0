//! Commands that read and write documents.

pub(crate) mod bulk_write;
pub(crate) mod count;
pub(crate) mod delete;
pub(crate) mod distinct;
pub(crate) mod find;
pub(crate) mod find_and_modify;
pub(crate) mod find_by_id;
pub(crate) mod get_more;
pub(crate) mod insert;
pub(crate) mod kill_cursors;
pub(crate) mod update;
