//! Mayfly's document engine: a store on LMDB with MongoDB's TTL indexes and Cosmos DB's `_ts` and
//! `ttl` rules, and the reaper that enforces them.
//!
//! Layers, bottom to top; a folder names only folders below it. `README.md` in this crate's folder
//! is the map.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]

pub mod archive;
pub mod broken_rules;
pub mod catalog;
pub mod clock;
pub mod collection;
pub mod command;
pub mod engine;
pub mod event;
mod held_bytes;
pub mod interrupt;
pub mod limits;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub mod query;
pub mod reaper;
pub mod replication;
pub mod reply;
pub mod store;
pub(crate) mod supervised;
pub mod transfer;
pub mod ttl;
pub mod value;
pub mod wire;
