//! Bounds of threads that run scripts, with their units.

use std::time::Duration;

/// How long a script may run on after its limit or after it was canceled. Its thread is abandoned
/// then.
pub const SCRIPT_GRACE: Duration = Duration::from_secs(2);

/// How often a supervisor looks whether a script is stuck.
pub const SCRIPT_LOOK: Duration = Duration::from_millis(100);

/// Abandoned threads that may run at one time. Each keeps a core busy and its memory; no further
/// script starts beyond it.
pub const SCRIPTS_ABANDONED_MAX: usize = 8;

/// Bytes beyond the limit with which a console that is full can still say so and be emptied.
pub const CONSOLE_MEMORY_RESERVE: usize = 8 * 1024 * 1024;

/// The longest time that a sleeping console takes to notice that it is stopped.
pub const CONSOLE_SLEEP_STEP: Duration = Duration::from_millis(20);

/// How long the promises of a stopped input may take to end.
pub const CONSOLE_PROMISES_END_MAX: Duration = Duration::from_millis(200);
