//! The rhythm of the TTL monitor: a sleep, then a pass, and so on.
//!
//! [`thread`](super::thread) waits for the end of each sleep. A store without that thread, such as
//! that of a lesson, advances its own clock and calls [`Monitor::run_due`].

use std::{sync::Arc, time::Duration};

use super::handle::Reaper;
use crate::broken_rules::{BrokenRule, is_broken};
use crate::event::PassReport;

/// The event that ended a sleep.
#[derive(Debug, Clone, PartialEq)]
pub enum SleepEnd {
    /// A pass.
    Pass(PassReport),
    /// The guard put the pass on hold, or the store is a secondary.
    Held,
    /// The monitor is off.
    Off,
}

/// The current sleep of a reaper. There is at most one monitor for each reaper.
pub struct Monitor {
    reaper: Arc<Reaper>,
    sleep_began: Duration,
}

impl Monitor {
    /// The first sleep begins now.
    pub fn new(reaper: Arc<Reaper>) -> Self {
        let sleep_began = reaper.clock().monotonic();
        reaper.note_heartbeat();
        reaper.look_ahead();
        Self { reaper, sleep_began }
    }

    /// The monotonic instant at which the sleep ends. Announces it if it changed.
    #[expect(clippy::must_use_candidate, reason = "it is planned for the announcement too")]
    pub fn plan(&self) -> Duration {
        self.reaper.plan(self.sleep_began)
    }

    /// Ends the sleep and begins the next one at the end of the pass.
    pub(super) fn end_sleep(&mut self) -> SleepEnd {
        self.end_with(Reaper::run_scheduled_pass)
    }

    fn end_with(&mut self, pass: impl FnOnce(&Reaper) -> Option<PassReport>) -> SleepEnd {
        let reaper = &self.reaper;
        // The sleep begins now in case no pass runs. A pass moves it to its end, as MongoDB's
        // monitor sleeps between passes.
        self.sleep_began = reaper.clock().monotonic();
        if !reaper.parameters().enabled() && !is_broken(BrokenRule::MonitorSwitch) {
            // The clocks are read while the monitor is off, so that switching it on again isn't
            // taken for a long absence.
            reaper.observe_clocks();
            reaper.note_heartbeat();
            return SleepEnd::Off;
        }
        let Some(report) = pass(reaper) else {
            reaper.note_heartbeat();
            return SleepEnd::Held;
        };
        // A pass that panicked has not ended.
        self.sleep_began = reaper.pass_ended().max(self.sleep_began);
        SleepEnd::Pass(report)
    }

    /// Ends the sleep if its time is over, and announces the next pass. Returns `None` while it
    /// continues. A pass that would find nothing is only counted, so that a clock may be advanced
    /// over thousands.
    pub fn run_due(&mut self) -> Option<SleepEnd> {
        let is_due = self.plan() <= self.reaper.clock().monotonic();
        let end = is_due.then(|| self.end_with(Reaper::run_or_count_pass));
        if is_due {
            // Without threads nothing else moves what is due.
            self.reaper.drain_now();
            // Planned once more, so that the announcement names the pass after this one.
            self.plan();
        }
        end
    }
}
