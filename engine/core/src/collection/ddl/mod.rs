//! Changes of definitions: create, drop, rename, `collMod`, indexes and dialects.

mod coll_mod;
pub(super) mod create_drop;
mod dialect;
mod duplicate_keys;
pub(super) mod indexes;
pub(super) mod reclaim;
pub(super) mod rename;
