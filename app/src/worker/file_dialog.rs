//! The system's file dialog.

use std::thread;
use std::time::Duration;

use crossbeam_channel::Sender;
use mayfly_engine::clock::{Clock, SystemClock};

use super::guarded::guarded;
use super::job::Outcome;
use super::pool::Wake;
use super::transfer::{self, Choose, TransferDone};
use crate::job::Purpose;

/// Opens the dialog on a detached thread: its service may never answer, and the window must close
/// all the same.
pub(super) fn open(
    purpose: Purpose,
    generation: u64,
    choose: Choose,
    outcomes: Sender<Outcome>,
    wake: Wake,
) {
    let work = move || {
        let started = SystemClock.monotonic();
        let files = guarded(|| transfer::choose(&choose)).unwrap_or_default();
        let took = SystemClock.monotonic().saturating_sub(started);
        let done = TransferDone::Chosen { files, took };
        if outcomes.send(Outcome::Transfer { purpose, generation, done }).is_ok() {
            wake(Duration::ZERO);
        }
    };
    // Without a thread there is no dialog; the path can still be typed.
    drop(thread::Builder::new().name("mayfly-file-dialog".to_owned()).spawn(work));
}
