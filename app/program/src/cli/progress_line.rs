//! One line of progress on a terminal during an import or export.

use std::{
    io::{IsTerminal as _, Write as _},
    thread,
    time::Duration,
};

use mayfly_engine::{clock::Clock, transfer::Progress};

use super::{Failure, limits::POLL_INTERVAL};
use crate::shutdown::ShutdownSignal;

/// Runs `work` and shows its progress on standard error if that is a terminal. A signal cancels it.
pub(super) fn with_progress<T: Send>(
    clock: &dyn Clock,
    progress: &Progress,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    let start = clock.monotonic();
    let is_terminal = std::io::stderr().is_terminal();
    thread::scope(|scope| {
        let worker = thread::Builder::new()
            .name("transfer".to_owned())
            .spawn_scoped(scope, work)
            .map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
        while !worker.is_finished() {
            if shutdown.is_requested() {
                progress.cancel();
            }
            if is_terminal {
                show(progress, clock.monotonic().saturating_sub(start));
            }
            thread::park_timeout(POLL_INTERVAL);
        }
        if is_terminal {
            eprint!("\r\x1b[K");
        }
        worker.join().map_err(|_| Failure("The transfer ended unexpectedly.".to_owned()))
    })
}

/// Writes lines to standard error while work is running.
pub(super) fn say(lines: &str) {
    let clear = if std::io::stderr().is_terminal() { "\r\x1b[K" } else { "" };
    eprintln!("{clear}{lines}");
}

fn show(progress: &Progress, since_start: Duration) {
    let now = progress.now();
    let share = match now.bytes_total {
        0 => String::new(),
        total => format!("{} %  ", now.bytes.saturating_mul(100) / total),
    };
    eprint!(
        "\r\x1b[K{share}{} documents, {} rejected, {:.0} documents/s",
        now.documents,
        now.rejected,
        now.rate(since_start)
    );
    // A broken terminal must not stop the work.
    let _ = std::io::stderr().flush();
}
