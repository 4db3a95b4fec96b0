//! Requests, replies, errors, cursors, queries and the context: everything that several commands
//! import.
//!
//! Nothing here imports a command.

pub(crate) mod client;
mod collation;
pub(crate) mod command;
pub(crate) mod concern;
pub(crate) mod context;
pub(crate) mod cursor;
pub(crate) mod error;
pub(crate) mod field;
pub(crate) mod field_filter;
pub(crate) mod field_value;
pub(crate) mod let_variables;
pub(crate) mod listening;
pub(crate) mod member;
pub(crate) mod monitor;
pub(crate) mod query;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod server;
pub(crate) mod server_rows;
pub(crate) mod sessions;
pub(crate) mod stable_api;
pub(crate) mod stats;
pub(crate) mod target;
pub(crate) mod view;
pub(crate) mod write;

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
