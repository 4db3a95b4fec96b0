//! How many connections the process's file descriptors allow.

/// Descriptors for everything that is not a connection: the store, its copies, imports, the window.
const RESERVED: u64 = 128;

/// At most `wanted` connections, or as many as the process may have. Raises the soft limit of descriptors,
/// as a server may do for itself; the hard limit stays.
#[cfg(unix)]
pub fn connections_allowed(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let needed = u64::try_from(wanted).unwrap_or(u64::MAX).saturating_add(RESERVED);
    let mut limit = getrlimit(Resource::Nofile);
    // `None` means no limit.
    if limit.current.is_some_and(|current| current < needed) {
        let current = limit.maximum.map_or(needed, |maximum| maximum.min(needed));
        let raised = Rlimit { current: Some(current), maximum: limit.maximum };
        if setrlimit(Resource::Nofile, raised).is_ok() {
            limit = raised;
        }
    }
    let Some(current) = limit.current else { return wanted };
    let free = usize::try_from(current.saturating_sub(RESERVED)).unwrap_or(usize::MAX);
    wanted.min(free).max(1)
}

/// Systems without such a limit.
#[cfg(not(unix))]
pub fn connections_allowed(wanted: usize) -> usize {
    wanted
}
