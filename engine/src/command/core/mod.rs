//! Requests, replies, errors, cursors, queries and the context: everything that several commands
//! import.
//!
//! Nothing here imports a command.

pub mod client;
pub mod command;
pub mod concern;
pub mod context;
pub mod cursor;
pub mod error;
pub mod field;
pub mod field_filter;
pub mod field_value;
pub mod let_variables;
pub mod listening;
pub mod monitor;
pub mod query;
pub mod reply;
pub mod request;
pub mod server;
pub mod server_rows;
pub mod stable_api;
pub mod stats;
pub mod target;
pub mod view;
pub mod write;
