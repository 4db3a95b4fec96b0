//! How long things take on the screen.

use std::time::Duration;

/// A message stays this long.
pub const TOAST: Duration = Duration::from_secs(5);
/// A message about an error stays longer.
pub const TOAST_ERROR: Duration = Duration::from_secs(12);
/// Hovers and panels move within this many seconds.
pub const MOTION_SECS: f32 = 0.12;
/// A tooltip waits this many seconds.
pub const TOOLTIP_SECS: f32 = 0.45;
/// A query that runs longer says so and can be stopped.
pub const SLOW_QUERY: Duration = Duration::from_secs(1);
/// "Copied" stays this long.
pub const COPIED: Duration = Duration::from_millis(1_500);
