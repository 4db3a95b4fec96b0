//! MongoDB command documents in, replies out.
//!
//! [`run()`] finds the command in [`table::COMMANDS`], checks every field against the command's
//! declaration and calls it. A command is one file: a `static COMMAND` with its name and fields, and a
//! function from a [`Request`] to an [`Answer`]. MongoDB's error numbers exist only in [`error`].

mod aggregate;
mod batch;
mod build_info;
pub mod client;
mod coll_mod;
mod coll_stats;
pub mod context;
mod count;
mod create;
mod create_indexes;
mod current_op;
pub mod cursors;
mod db_stats;
mod delete;
mod distinct;
mod drop;
mod drop_database;
mod drop_indexes;
mod end_sessions;
pub mod error;
mod explain;
pub mod field;
mod find;
mod find_and_modify;
mod get_more;
mod get_parameter;
mod hello;
mod host_info;
mod insert;
mod kill_cursors;
mod kill_op;
mod list_collections;
mod list_databases;
mod list_indexes;
pub mod log;
mod mayfly_clock;
mod mayfly_dialect;
mod mayfly_expiring;
mod mayfly_forecast;
mod mayfly_held;
mod mayfly_reap;
mod mayfly_release;
mod mayfly_verdict;
mod mayfly_what_if;
pub mod metrics;
mod modify;
pub mod operations;
mod ping;
mod pipeline;
mod query;
mod rename_collection;
pub mod request;
mod run;
mod server_status;
mod set_parameter;
mod stats;
pub mod table;
mod update;
mod validate;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use client::Client;
pub use context::Context;
pub use error::{Answer, Code, CommandError};
pub use request::Request;
pub use run::{raw, run};
pub use table::{COMMANDS, Command, Scope};
