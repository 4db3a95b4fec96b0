//! MongoDB command documents in, replies out.
//!
//! [`run()`] finds the command in [`table::TABLE`], checks every field against the command's
//! declaration and calls it. A command is one file: a `static COMMAND` with its name and fields,
//! and a function from a [`Request`] to an [`Answer`]; trivial ones share a file. Commands import
//! from `core` and from files of their own folder that hold no command, never from each other.
//! MongoDB's error numbers exist only in `core::error`.

mod admin;
mod aggregate;
pub(crate) mod core;
mod crud;
mod ddl;
mod mayfly;
mod refused;
mod run;
mod session;
pub mod table;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use self::core::{
    client::Client,
    command::{Command, CommandTable, Scope},
    context::Context,
    error::{Answer, Code, CommandError},
    field::{Field, Support},
    listening::{ConnectedClient, ListenAt, ListenerSwitch, ListeningStatus},
    monitor::event_log::{note as note_event, note_start, note_store},
    reply::raw,
    request::Request,
};
pub use run::{run, run_scanned};
pub use table::TABLE;
