//! Facts about the server that several replies contain.

/// The host name in replies. Not the computer's own name, which would leak into copied output; the
/// listener is on loopback only.
pub fn hostname() -> &'static str {
    "localhost"
}

/// The number after this label in a Linux `/proc` file, in kB.
pub fn proc_kilobytes(text: &str, label: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix(label))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The MongoDB version whose behavior is the model. Clients choose their commands by it.
pub const MODEL_VERSION: &str = "8.2.0";

/// Minutes after which a driver considers a session expired.
pub const SESSION_TIMEOUT_MINUTES: i32 = 30;
