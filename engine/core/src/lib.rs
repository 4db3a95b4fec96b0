//! Mayfly's document engine: a store on LMDB with MongoDB's TTL indexes and Cosmos DB's `_ts` and
//! `ttl` rules, and the reaper that enforces them.
//!
//! A folder names only folders below it; `README.md` in the folder of the engine is the map. What is below the catalog
//! comes from two crates: `mayfly-value` and `mayfly-store`.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]

pub mod archive;
pub mod catalog;
pub mod collection;
pub mod command;
pub mod engine;
pub mod event;
pub(crate) mod pipeline;
pub(crate) mod plan;
pub mod reaper;
pub mod replication;
pub mod transfer;
pub mod wire;

use mayfly_store::supervised;
pub use mayfly_store::{clock, store};
use mayfly_value::held_bytes;
pub use mayfly_value::{broken_rules, interrupt, limits, query, reply, ttl, value};
