//! Attaching to a server.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::connect_job::{ConnectReport, ConnectWork};
use super::guarded::guarded;
use super::outcome::Outcome;
use super::wake::Wake;
use crate::job::{Cancel, ConnectFailure, Server, Step};
use crate::source::{OpenError, Opened, remote};

/// Attaches and waits for the result.
pub(super) fn open(server: &Server, cancel: &Cancel) -> Result<Opened, OpenError> {
    let attached = remote::attach(server, cancel, &|_| ());
    attached.map_err(|failure| OpenError::new(failure.sentence))
}

/// Attaches on a detached thread: a network may take its time, and the window must close all the same.
pub(super) fn start<A: Send + 'static>(
    work: ConnectWork,
    generation: u64,
    outcomes: Sender<Outcome<A>>,
    wake: Wake,
) {
    let failed = outcomes.clone();
    let waker = Arc::clone(&wake);
    let connect = move || {
        let tell = |report| {
            if outcomes.send(Outcome::Connect { generation, report }).is_ok() {
                wake(Duration::ZERO);
            }
        };
        let begin = |step| tell(ConnectReport::Begun(step));
        let attached = guarded(|| remote::attach(&work.server, &work.cancel, &begin));
        tell(match attached {
            Ok(Ok(opened)) => ConnectReport::Attached(Box::new(opened)),
            Ok(Err(failure)) => ConnectReport::Failed(failure),
            Err(message) => ConnectReport::Failed(ConnectFailure::new(Step::Options, message)),
        });
    };
    let thread = thread::Builder::new().name("mayfly-connect".to_owned()).spawn(connect);
    if let Err(error) = thread {
        let sentence = format!("Can't start a thread: {error}");
        let report = ConnectReport::Failed(ConnectFailure::new(Step::Options, sentence));
        if failed.send(Outcome::Connect { generation, report }).is_ok() {
            waker(Duration::ZERO);
        }
    }
}
