//! Following the deletions of a collection of a server, on another thread: it waits for the server
//! most of the time. The thread is not joined; it ends with its source.

use std::sync::Arc;
use std::thread;

use super::guarded::guarded;
use crate::job::{Cancel, Namespace, WatchEnd, WatchReport};
use crate::source::Source;

/// Starts the thread.
///
/// # Errors
/// The system refused a thread. Words that follow *polled:*.
pub fn start(
    source: Arc<dyn Source>,
    namespace: Namespace,
    cancel: Cancel,
    report: impl Fn(WatchReport) + Send + 'static,
) -> Result<(), String> {
    let follow = move || {
        let end = guarded(|| source.watch(&namespace, &cancel, &report));
        report(WatchReport::Ended(end.unwrap_or_else(WatchEnd::Broken)));
    };
    let thread = thread::Builder::new().name("mayfly-watch".to_owned()).spawn(follow);
    thread.map(drop).map_err(|error| format!("a thread can't be started: {error}"))
}
