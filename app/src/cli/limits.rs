//! The bounds of the command line.

use std::time::Duration;

/// How often the terminal is drawn anew.
pub(super) const REDRAW: Duration = Duration::from_millis(250);

/// How often a wait looks whether somebody wants to stop.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// Documents that are asked for of each collection.
pub(super) const WATCH_DOCS_MAX: i32 = 100;

/// Events that the screen keeps.
pub(super) const WATCH_EVENTS_MAX: usize = 8;
