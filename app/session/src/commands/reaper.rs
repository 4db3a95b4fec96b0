//! The TTL monitor and removals on hold, on `admin`.

use bson::{Document, doc};

pub fn run_pass() -> Document {
    doc! { "mayflyReap": 1 }
}

/// Pauses the TTL monitor, or resumes it.
pub fn set_enabled(enabled: bool) -> Document {
    doc! { "setParameter": 1, "ttlMonitorEnabled": enabled }
}

/// Sets the time between two passes, in seconds.
pub fn set_period(secs: i64) -> Document {
    doc! { "setParameter": 1, "ttlMonitorSleepSecs": secs }
}

/// Whether each document is removed at its threshold instead.
pub fn set_at_threshold(on: bool) -> Document {
    doc! { "setParameter": 1, "mayflyReapAtThreshold": on }
}

/// Reads the server status.
pub fn status() -> Document {
    doc! { "serverStatus": 1 }
}

/// Counts the documents on hold.
pub fn held() -> Document {
    doc! { "mayflyHeld": 1 }
}

/// Decides about the documents on hold: `deleteNow` or `keepPaused`.
pub fn release(action: &str) -> Document {
    doc! { "mayflyRelease": 1, "action": action }
}

/// Reads how many passes a server has made. Sections that cost something are left out.
pub fn server_passes() -> Document {
    let mut command = doc! { "serverStatus": 1, "none": 1 };
    for section in ["repl", "locks", "wiredTiger", "tcmalloc", "opLatencies", "flowControl"] {
        command.insert(section, 0);
    }
    command.extend(doc! { "metrics": 1, "mayfly": 1 });
    command
}

/// Reads the parameters of a server's TTL monitor.
pub fn server_parameters() -> Document {
    doc! { "getParameter": 1, "ttlMonitorEnabled": 1, "ttlMonitorSleepSecs": 1 }
}
