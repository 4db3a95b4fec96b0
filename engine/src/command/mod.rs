//! MongoDB command documents in, replies out.
//!
//! [`run()`] finds the command in [`table::COMMANDS`], checks every field against the command's
//! declaration and calls it. A command is one file: a `static COMMAND` with its name and fields, and a
//! function from a [`Request`] to an [`Answer`]. MongoDB's error numbers exist only in [`error`].

mod aggregate;
mod batch;
mod batch_reply;
mod build_info;
mod bulk_write;
pub mod client;
mod coll_mod;
mod coll_stats;
mod compact;
mod concern;
mod conn_pool_stats;
mod connection_status;
pub mod context;
mod convert_to_capped;
mod count;
mod create;
mod create_indexes;
mod current_op;
pub mod cursors;
mod data_size;
mod db_stats;
mod delete;
mod distinct;
mod drop;
mod drop_database;
mod drop_indexes;
mod end_sessions;
pub mod error;
mod explain;
mod explaining;
pub mod field;
mod find;
mod find_and_modify;
mod fsync;
mod fsync_unlock;
mod get_cluster_parameter;
mod get_cmd_line_opts;
mod get_log;
mod get_more;
mod get_parameter;
mod hello;
mod host_info;
mod insert;
mod kill_all_sessions;
mod kill_all_sessions_by_pattern;
mod kill_cursors;
mod kill_op;
mod kill_sessions;
mod list_collections;
mod list_commands;
mod list_databases;
mod list_indexes;
pub mod listening;
mod lock_info;
pub mod log;
mod logout;
mod mayfly_archive;
mod mayfly_archived;
mod mayfly_archives;
mod mayfly_backup;
mod mayfly_clock;
mod mayfly_damaged;
mod mayfly_dialect;
mod mayfly_expiring;
mod mayfly_forecast;
mod mayfly_held;
mod mayfly_listen;
mod mayfly_reap;
mod mayfly_release;
mod mayfly_restore_archived;
mod mayfly_restore_trash;
mod mayfly_scrub;
mod mayfly_trash;
mod mayfly_verdict;
mod mayfly_what_if;
pub mod metrics;
mod modify;
mod names;
mod new_document;
mod notices;
pub mod operations;
mod ping;
mod plan_cache_clear;
mod point;
mod profile;
pub mod profiler;
mod query;
mod refresh_sessions;
mod refused;
mod rename_collection;
pub mod request;
mod roles_info;
mod run;
mod server_status;
mod set_parameter;
mod shape;
mod start_session;
mod statement;
mod stats;
pub mod table;
mod update;
mod users_info;
mod validate;
mod validate_db_metadata;
mod view_definition;
mod whatsmyuri;

#[cfg(test)]
mod archive_tests;
#[cfg(test)]
mod by_record_tests;
#[cfg(test)]
mod closed_tests;
#[cfg(test)]
mod crud_tests;
#[cfg(test)]
mod ddl_tests;
#[cfg(test)]
mod dialect_tests;
#[cfg(test)]
mod explain_tests;
#[cfg(test)]
mod lost_dialect_tests;
#[cfg(test)]
mod partial_results_tests;
#[cfg(test)]
mod server_tests;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod time_series_tests;
#[cfg(test)]
mod trash_tests;
#[cfg(test)]
mod validation_tests;

pub use client::Client;
pub use context::Context;
pub use error::{Answer, Code, CommandError};
pub use listening::{ConnectedClient, ListenAt, ListenerSwitch, ListeningStatus};
pub use notices::{note as note_event, note_start, note_store};
pub use request::Request;
pub use run::{raw, run, run_scanned};
pub use table::{COMMANDS, Command, Scope};
