//! Commands that create, change, list and drop databases, collections and indexes.

pub mod coll_mod;
pub mod convert_to_capped;
pub mod create;
pub mod create_indexes;
pub mod drop;
pub mod drop_database;
pub mod drop_indexes;
pub mod list_collections;
pub mod list_databases;
pub mod list_indexes;
pub mod rename_collection;
pub mod view_definition;
