//! The document model and its text forms, the query language, TTL rules and replies. Pure: no file, no network, and time
//! is an argument. `README.md` of the engine leads through the crates.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]

pub mod broken_rules;
pub mod held_bytes;
pub mod interrupt;
pub mod limits;
pub mod query;
pub mod reply;
pub mod ttl;
pub mod value;
