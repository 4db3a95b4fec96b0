//! Work with files, on the store as a whole and on whole collections, which a window that closes
//! stops.

use super::Shared;
use crate::job::Purpose;
use crate::worker::Outcome;
use crate::worker::guarded::guarded;
use crate::worker::transfer::{TransferDone, TransferWork};

impl<A: Send + 'static> Shared<A> {
    /// Sends what is due in the traffic of the demo store.
    pub(super) fn step_traffic(&self) {
        let Some(source) = self.sources.in_front() else { return };
        for reply in self.traffic.step(source.as_ref()) {
            self.tell(Outcome::Answer { purpose: Purpose::Traffic, generation: 0, reply });
        }
    }

    /// Does work with files; a window that closes stops it.
    pub(super) fn transfer(&self, store: u32, work: &TransferWork) -> TransferDone {
        let source = self.sources.of(store);
        let run = || guarded(|| work.run(source.as_deref()));
        let done = match work.progress().cloned() {
            Some(progress) => self.at_close.stopping(move || progress.cancel(), run),
            None => run(),
        };
        done.unwrap_or_else(|message| work.failed(message))
    }
}
