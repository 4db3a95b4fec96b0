//! Commands that create, change, list and drop databases, collections and indexes.

pub(crate) mod coll_mod;
pub(crate) mod convert_to_capped;
pub(crate) mod create;
pub(crate) mod create_indexes;
pub(crate) mod drop;
pub(crate) mod drop_database;
pub(crate) mod drop_indexes;
pub(crate) mod list_collections;
pub(crate) mod list_databases;
pub(crate) mod list_indexes;
pub(crate) mod rename_collection;
pub(crate) mod view_definition;
