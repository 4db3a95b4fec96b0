//! The way of messages to the window.

use std::time::Duration;

use crossbeam_channel::Sender;

use super::outcome::Outcome;
use super::wake::Wake;

/// Sends messages and wakes the window. A task may take it along to a thread that nothing waits for.
pub struct OutcomeSender<A> {
    outcomes: Sender<Outcome<A>>,
    wake: Wake,
}

impl<A> Clone for OutcomeSender<A> {
    fn clone(&self) -> Self {
        Self { outcomes: self.outcomes.clone(), wake: self.wake.clone() }
    }
}

impl<A> OutcomeSender<A> {
    /// Sends over this channel.
    pub fn new(outcomes: Sender<Outcome<A>>, wake: Wake) -> Self {
        Self { outcomes, wake }
    }

    /// Hands over an answer, which the window shows within `wait`. Waits until there is room; the answer
    /// is dropped once the window is gone.
    pub fn answer(&self, answer: A, wait: Duration) {
        if self.outcomes.send(Outcome::Asked(answer)).is_ok() {
            (self.wake)(wait);
        }
    }

    /// Wakes the window.
    pub fn wake(&self) -> Wake {
        Wake::clone(&self.wake)
    }
}
