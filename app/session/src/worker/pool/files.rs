//! Work with files, on the store as a whole and on whole collections, which a window that closes
//! stops.

use super::Shared;
use crate::worker::Outcome;

impl<A: Send + 'static> Shared<A> {
    /// Sends what is due in the traffic of the demo store.
    pub(super) fn step_traffic(&self) {
        let Some(source) = self.sources.in_front() else { return };
        for reply in self.traffic.step(source.as_ref()) {
            self.tell(Outcome::Traffic(reply));
        }
    }
}
