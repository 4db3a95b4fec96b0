//! How long things take on the screen.

use std::time::Duration;

/// A message stays this long.
pub const TOAST: Duration = Duration::from_secs(5);
/// A message about an error stays longer.
pub const TOAST_ERROR: Duration = Duration::from_secs(12);
/// Hovers and panels move within this many seconds.
pub const MOTION_SECS: f32 = 0.12;
/// The line of a pass runs over what it removed.
pub const SWEEP: Duration = Duration::from_millis(400);
/// A row slides to its new place.
pub const REORDER: Duration = Duration::from_millis(150);
/// A tombstone that leaves the list fades.
pub const LEAVE: Duration = Duration::from_millis(220);
/// A knob slides to its new threshold.
pub const SLIDE: Duration = Duration::from_millis(180);
/// A knob pops when its document becomes overdue.
pub const POP: Duration = Duration::from_millis(120);
/// A cell is lit after its value was saved.
pub const SAVED: Duration = Duration::from_millis(1_200);
/// Two frames of a movement are this far apart.
pub const FRAME: Duration = Duration::from_millis(33);
/// A tooltip waits this many seconds.
pub const TOOLTIP_SECS: f32 = 0.45;
/// A query that runs longer says so and can be stopped.
pub const SLOW_QUERY: Duration = Duration::from_secs(1);
