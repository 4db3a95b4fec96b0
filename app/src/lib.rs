//! The desktop program and its command line.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]
#![expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "the library serves only the program and its tests, and precise names need no doc"
)]

pub mod action;
pub mod app;
pub mod apply;
pub mod cli;
pub mod commands;
pub mod demo;
pub mod dialogs;
pub mod guide;
pub mod job;
mod keys;
pub mod lessons;
pub mod limits;
pub mod pace;
pub mod panels;
pub mod program;
pub mod quoted;
pub mod renderer;
pub mod schema;
pub mod shell;
pub mod shutdown;
pub mod source;
pub mod state;
pub mod theme;
pub mod widgets;
pub mod window;
pub mod worker;

pub use app::MayflyApp;
pub use window::{WindowError, WindowOptions, run_window};
