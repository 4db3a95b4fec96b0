//! Requests, replies, errors, cursors, queries and the context: everything that several commands
//! import.
//!
//! Nothing here imports a command.

pub mod client;
mod collation;
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
pub mod member;
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

pub use {
    client::{Client, ROLE, USERS_DB},
    command::{Command, CommandTable, Scope},
    context::Context,
    cursor::cursors::Cursor,
    error::{Answer, Code, CommandError, no_collection, not_in_cosmos},
    field::{Field, any, given, ignored, optional, required, unsupported},
    field_value::{as_flag, as_integer, is_true, missing_field, unknown_field},
    let_variables::LetVariables,
    query::Query,
    reply::{int32_or_long, long, raw, shortest},
    request::Request,
    view::ViewQuery,
};
pub(crate) use {field::fields, field_value::type_name};
