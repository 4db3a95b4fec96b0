//! The bounds of the command line.

use std::time::Duration;

/// Time between two redraws of the terminal.
pub(super) const REDRAW_INTERVAL: Duration = Duration::from_millis(250);

/// Time between two checks for a shutdown request.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Collections of a database that `watch` lists.
pub(super) const WATCH_COLLECTIONS_MAX: i32 = 10_000;

/// Documents that `watch` reads of each collection.
pub(super) const WATCH_DOCS_MAX: i32 = 100;

/// Events that the screen shows.
pub(super) const WATCH_EVENTS_MAX: usize = 8;

/// Events between the store and the terminal. The store counts further ones as missed.
pub(super) const WATCH_QUEUE_MAX: usize = 1_000;
