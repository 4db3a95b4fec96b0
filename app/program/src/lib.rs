//! The desktop program and its command line.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]
#![expect(
    missing_docs,
    reason = "the library serves only the program and its tests, and precise names need no doc"
)]

pub mod cli;
pub mod program;

pub use mayfly_model::{action, apply, state};
pub use mayfly_session::{
    commands, demo, guide, inspect, job, lessons, limits, pace, quoted, shell, shutdown, source,
    worker,
};
pub use mayfly_window::{MayflyApp, WindowError, WindowOptions, run_window};
pub use mayfly_window::{app, dialogs, panels, renderer, theme, widgets, window};
