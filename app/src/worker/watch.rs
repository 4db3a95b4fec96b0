//! Following the deletions of a collection of a server, on another thread: it waits for the server
//! most of the time. The thread is not joined; it ends with its source.

use std::sync::Arc;
use std::thread;

use super::guarded::guarded;
use super::outcome::Outcome;
use super::wake::Wake;
use crate::job::{WatchEnd, WatchReport, WatchWork};
use crate::limits::EVENT_WAKE;
use crate::source::Source;

/// Starts the thread. Its reports carry the job's generation.
pub(super) fn start<A: Send + 'static>(
    work: WatchWork,
    generation: u64,
    source: Arc<dyn Source>,
    outcomes: crossbeam_channel::Sender<Outcome<A>>,
    wake: Wake,
) {
    let failed = outcomes.clone();
    let follow = move || {
        let report = |report| {
            if outcomes.send(Outcome::Watch { generation, report }).is_ok() {
                wake(EVENT_WAKE);
            }
        };
        let end = guarded(|| source.watch(&work.namespace, &work.cancel, &report));
        report(WatchReport::Ended(end.unwrap_or_else(WatchEnd::Broken)));
    };
    let thread = thread::Builder::new().name("mayfly-watch".to_owned()).spawn(follow);
    if let Err(error) = thread {
        let end = WatchEnd::Broken(format!("a thread can't be started: {error}"));
        let report = WatchReport::Ended(end);
        drop(failed.send(Outcome::Watch { generation, report }));
    }
}
