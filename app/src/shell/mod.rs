//! The console: JavaScript in mongosh's dialect, over any [`Source`](crate::source::Source).
//!
//! JavaScript runs in `QuickJS` without files, network or modules. It reaches the store only through
//! the functions in `host.rs`, and each of them is a command that any driver can send. The rest of
//! mongosh is written in JavaScript, in `js/`. A [`Shell`] stays on the thread that made it, which
//! [`watch`] supervises.

mod complete;
mod convert;
mod extension;
mod failure;
mod host;
mod input;
mod promises;
mod runtime;
mod scan;
pub mod watch;

pub use complete::Completion;
pub use extension::Extension;
pub use input::is_complete;
pub use runtime::{Output, Shell, ShellError, ShellLimits};

#[cfg(test)]
mod tests;
