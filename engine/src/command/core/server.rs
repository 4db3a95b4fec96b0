//! What the server says about itself in several replies.

/// What the server calls itself. Not the computer's own name: it would stand in copied output, and
/// the listener is on loopback only.
#[must_use]
pub fn hostname() -> &'static str {
    "localhost"
}

/// The number on the line with this label, in a file of Linux that counts in kB.
#[must_use]
pub fn proc_kilobytes(text: &str, label: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The MongoDB version whose behaviour is the model. Clients choose their commands by it.
pub const MODEL_VERSION: &str = "8.2.0";

/// Minutes after which a driver takes a session for ended.
pub const SESSION_TIMEOUT_MINUTES: i32 = 30;
