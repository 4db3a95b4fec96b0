//! MongoDB command documents in, replies out.
//!
//! [`run`] finds the command in [`table::COMMANDS`], checks every field against the command's
//! declaration and calls it. A command is one file: a `static COMMAND` with its name and fields, and a
//! function from a [`Request`] to an [`Answer`]. MongoDB's error numbers exist only in [`error`].

pub mod context;
mod current_op;
pub mod cursors;
pub mod error;
pub mod field;
mod get_parameter;
mod mayfly_clock;
mod mayfly_dialect;
mod mayfly_expiring;
mod mayfly_forecast;
mod mayfly_held;
mod mayfly_reap;
mod mayfly_release;
mod mayfly_verdict;
mod mayfly_what_if;
mod ping;
pub mod request;
mod run;
mod server_status;
mod set_parameter;
pub mod table;

pub use context::Context;
pub use error::{Answer, Code, CommandError};
pub use request::Request;
pub use run::{raw, run};
pub use table::{COMMANDS, Command, Scope};
