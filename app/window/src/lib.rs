//! The drawing: theme, widgets, panels and dialogs. Each frame reads the state and pushes actions.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]
#![expect(
    missing_docs,
    reason = "the library serves only the program and its tests, and precise names need no doc"
)]

pub mod app;
pub mod dialogs;
pub mod display;
mod keys;
pub mod panels;
pub mod renderer;
pub mod theme;
pub mod widgets;
pub mod window;

use mayfly_model::{action, apply, state};
use mayfly_session::{
    commands, guide, inspect, job, limits, pace, quoted, shell, shutdown, source, worker,
};

pub use app::MayflyApp;
pub use window::{WindowError, WindowOptions, run_window};
