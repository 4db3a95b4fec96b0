//! Commands that read and write documents.

pub mod bulk_write;
pub mod count;
pub mod delete;
pub mod distinct;
pub mod find;
pub mod find_and_modify;
pub mod find_by_id;
pub mod get_more;
pub mod insert;
pub mod kill_cursors;
pub mod update;
