//! The TTL monitor, and the clock of a server.

use bson::{Bson, Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::reply::Held;
use mayfly_engine::value::whole;

use super::Gathering;
use super::asker::Asker;
use crate::commands::reaper;
use crate::inspect::audit::facts::{ClockFacts, MonitorFacts, MonitorState};
use crate::job::reply::number;

/// How far the clock of a server is from this computer's. `None` if it doesn't tell.
pub(super) fn clock(asker: &Asker<'_>) -> Option<ClockFacts> {
    let asked_ms = SystemClock.now_ms();
    let hello = asker.try_ask("The server's clock", "admin", &doc! { "hello": 1 }).ok()??;
    let trip_ms = SystemClock.now_ms().saturating_sub(asked_ms).max(0);
    let server_ms = match hello.get("localTime")? {
        Bson::DateTime(time) => time.timestamp_millis(),
        // DocumentDB.
        Bson::Int64(ms) => *ms,
        _ => return None,
    };
    // The server read its clock in the middle of the round trip.
    let ahead_ms = server_ms.saturating_sub(asked_ms.saturating_add(trip_ms / 2));
    Some(ClockFacts { ahead_ms, uncertain_ms: trip_ms / 2 })
}

/// The passes that have ended and the documents that they have removed, of a server that counts them.
pub(super) fn counters(status: &Document) -> (Option<u64>, Option<u64>) {
    let ttl = status.get_document("metrics").and_then(|metrics| metrics.get_document("ttl")).ok();
    let counter = |name| ttl.and_then(|ttl| number(ttl, name));
    (counter("passes"), counter("deletedDocuments"))
}

impl Gathering<'_> {
    /// Reads the state of the monitor. What isn't allowed is noted.
    pub(super) fn monitor(&mut self) -> MonitorFacts {
        let subject = &self.work.subject;
        let mut facts = MonitorFacts { sleep_secs: subject.job_secs, ..MonitorFacts::default() };
        if subject.job_secs.is_some() {
            facts.state = MonitorState::Works;
            return facts;
        }
        let is_at_rest = subject.is_at_rest;
        // A server that has no such command leaves these unknown.
        let (place, command) = ("The parameters of the TTL monitor", reaper::server_parameters());
        if let Ok(Some(reply)) = self.asker.try_ask(place, "admin", &command) {
            facts.sleep_secs = reply.get("ttlMonitorSleepSecs").and_then(whole);
            facts.state = match reply.get_bool("ttlMonitorEnabled") {
                Ok(false) => MonitorState::Off,
                Ok(true) => MonitorState::Works,
                Err(_) => MonitorState::Unknown,
            };
        }
        if is_at_rest && facts.state == MonitorState::Works {
            facts.state = MonitorState::AtRest;
        }
        let (place, command) = ("The counters of the TTL monitor", reaper::server_passes());
        if let Ok(Some(status)) = self.asker.try_ask(place, "admin", &command) {
            (facts.passes, facts.removed) = counters(&status);
            let own = status.get_document("mayfly").and_then(|own| own.get_document("reaper"));
            let last = own.ok().and_then(|reaper| reaper.get_document("lastPass").ok());
            let micros = last.and_then(|pass| pass.get("durationMicros")).and_then(whole);
            facts.last_pass_ms = micros.map(|micros| micros / 1_000);
            if self.asker.is_server {
                facts.holds = hold_of_server(&status).into_iter().collect();
            }
        }
        if !self.asker.is_server {
            facts.holds = self.holds();
        }
        facts
    }

    /// Why removals of a store of this computer are on hold.
    fn holds(&self) -> Vec<String> {
        let place = "Removals on hold";
        let reply = self.asker.try_ask(place, "admin", &reaper::held());
        let Ok(Some(reply)) = reply else { return Vec::new() };
        let held = Held::from_document(&reply);
        if held.is_none() {
            self.asker.note_unreadable(place, "the reply to mayflyHeld can't be read");
        }
        let all = held.into_iter().flat_map(|held| held.holds);
        all.map(|hold| match (hold.ns, hold.index) {
            (Some(ns), Some(index)) => format!("{ns}, index {index}: {}", hold.sentence),
            _ => hold.sentence,
        })
        .collect()
    }
}

/// Mayfly's own server says whether removals are on hold.
fn hold_of_server(status: &Document) -> Option<String> {
    let ttl = status.get_document("metrics").ok()?.get_document("ttl").ok()?;
    let is_held = ttl.get_bool("held").unwrap_or(false);
    is_held.then(|| {
        "The server says so. The program that serves it says why: its window, or its log."
            .to_owned()
    })
}
