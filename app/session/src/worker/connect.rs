//! Attaching to a server.

use std::thread;

use super::guarded::guarded;
use crate::job::{Cancel, ConnectFailure, Server, Step};
use crate::source::{OpenError, Opened, remote};

/// How far an attempt is.
#[derive(Clone)]
pub enum ConnectReport {
    /// A step begins.
    Begun(Step),
    Failed(ConnectFailure),
    /// The server is attached.
    Attached(Box<Opened>),
}

impl ConnectReport {
    /// An attempt that an error of the system ended: one sentence.
    pub fn failed(sentence: String) -> Self {
        Self::Failed(ConnectFailure::new(Step::Options, sentence))
    }
}

/// Attaches and waits for the result.
pub(super) fn open(server: &Server, cancel: &Cancel) -> Result<Opened, OpenError> {
    let attached = remote::attach(server, cancel, &|_| ());
    attached.map_err(|failure| OpenError::new(failure.sentence))
}

/// Attaches on a detached thread: a network may take its time, and the window must close all the same.
///
/// # Errors
/// The system refused a thread: one sentence.
pub fn start(
    server: Server,
    cancel: Cancel,
    report: impl Fn(ConnectReport) + Send + 'static,
) -> Result<(), String> {
    let connect = move || {
        let begin = |step| report(ConnectReport::Begun(step));
        let attached = guarded(|| remote::attach(&server, &cancel, &begin));
        report(match attached {
            Ok(Ok(opened)) => ConnectReport::Attached(Box::new(opened)),
            Ok(Err(failure)) => ConnectReport::Failed(failure),
            Err(message) => ConnectReport::failed(message),
        });
    };
    let thread = thread::Builder::new().name("mayfly-connect".to_owned()).spawn(connect);
    thread.map(drop).map_err(|error| format!("Can't start a thread: {error}"))
}
