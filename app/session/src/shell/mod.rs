//! The console: JavaScript in mongosh's dialect, over any [`Source`](crate::source::Source).
//!
//! JavaScript runs in `QuickJS` without files, network or modules. It reaches the store only through
//! the functions in `host.rs`, and each of them is a command that any driver can send. The rest of
//! mongosh is written in JavaScript, in `js/`. A [`Shell`] stays on the thread that made it, which
//! [`watch`] supervises.
//!
//! The first tab of the drawer (F9) is a mongosh (`shell/`). `worker/console/script.rs` has its thread, on
//! which the runtime stays; it begins with the first input and ends before its store is closed. What it
//! prints waits in an `Outbox` that keeps only the latest lines, so a loop of `print` neither fills the
//! memory nor waits for the window; the window takes a `ConsoleReport` with its other outcomes. The runtime
//! sees the store through a `Source` that notes each command for the Activity drawer. Changed documents and
//! collections come as events; after other commands the window asks for the clock, the monitor and the tree.
//! `state/console/` has the rules: a transcript bounded in lines and bytes with folded outputs, and the
//! history of each store, which leaves out inputs with passwords. *Stop* sets the `Cancel` of the input.

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
