//! The TTL monitor of a server: when its next pass is, as far as the server tells.
//!
//! A server counts its passes and says how long it sleeps between them, and not when one begins. Two
//! counts bound the instant of a pass, and so does a document that was there and is not. Each new bound
//! narrows the known span; a span that contradicts a count is dropped.

use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::value::whole;

use super::{Zone, number};
use crate::job::PassJob;
use crate::limits::{SERVER_MONITOR_AGE, SERVER_PARAMETERS_AGE};

/// How much later than its sleep a pass may begin: the pass before it takes time too.
const DRIFT_MS: i64 = 1_000;

/// Passes ahead for which the instant of the last one says something.
const AHEAD_MAX: i64 = 3;

/// Why documents stay while the monitor is off.
pub const OFF: &str = "The server's TTL monitor is off: nothing is removed until it is turned on";

/// The time of the next pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextPass {
    /// The server says when, in milliseconds since 1970.
    Known {
        /// The instant.
        at_ms: i64,
        /// Seconds between two passes.
        sleep_secs: i64,
    },
    /// It is estimated from earlier passes.
    Estimated {
        /// Seconds between two passes.
        sleep_secs: i64,
        /// Its earliest and its latest instant, in milliseconds since 1970, once a pass was noticed.
        span_ms: Option<(i64, i64)>,
    },
    /// A job makes one at each full minute of the server's clock.
    Minutely {
        /// The next one, in milliseconds since 1970.
        at_ms: i64,
        /// Documents that a pass removes at most with one index.
        most: u64,
    },
    Off,
    /// The server doesn't say.
    Unknown,
}

impl NextPass {
    /// Milliseconds between two passes, if they are known.
    #[must_use]
    pub fn sleep_ms(self) -> Option<i64> {
        match self {
            Self::Known { sleep_secs, .. } | Self::Estimated { sleep_secs, .. } => {
                Some(sleep_secs.saturating_mul(1_000))
            }
            Self::Minutely { .. } => Some(PassJob::EVERY_SECS * 1_000),
            Self::Off | Self::Unknown => None,
        }
    }

    /// When the next pass of a server is, in one sentence.
    #[must_use]
    pub fn sentence(self, now_ms: i64, zone: Zone) -> String {
        let at = |ms: i64| zone.when(ms, now_ms);
        match self {
            Self::Off => OFF.to_owned(),
            Self::Unknown => {
                "This server does not say when its TTL monitor runs. Usually within a minute"
                    .to_owned()
            }
            Self::Known { at_ms, sleep_secs } => {
                format!("About every {}; next pass at {}", number::secs(sleep_secs), at(at_ms))
            }
            Self::Minutely { at_ms, most } => {
                let most = number::count(most);
                format!(
                    "A job removes documents at each full minute, at most {most} with one index; next at {}",
                    at(at_ms)
                )
            }
            Self::Estimated { sleep_secs, span_ms: None } => {
                format!("About every {}; when is not known yet", number::secs(sleep_secs))
            }
            Self::Estimated { sleep_secs, span_ms: Some((from_ms, to_ms)) } => {
                let every = number::secs(sleep_secs);
                if from_ms <= now_ms {
                    return format!("About every {every}; next pass by {}", at(to_ms));
                }
                format!("About every {every}; next pass between {} and {}", at(from_ms), at(to_ms))
            }
        }
    }

    fn span_ms(self) -> Option<(i64, i64)> {
        match self {
            Self::Known { at_ms, .. } | Self::Minutely { at_ms, .. } => Some((at_ms, at_ms)),
            Self::Estimated { span_ms, .. } => span_ms,
            Self::Off | Self::Unknown => None,
        }
    }

    /// Between which instants a document with this threshold is removed, in milliseconds since 1970.
    #[must_use]
    pub fn removal_ms(self, threshold_ms: i64, now_ms: i64) -> Option<(i64, i64)> {
        if let Self::Minutely { at_ms, .. } = self {
            // A document at exactly its threshold stays until the next pass.
            let from_ms = PassJob::next_ms(threshold_ms.saturating_add(1)).max(at_ms);
            return Some((from_ms, from_ms.saturating_add(DRIFT_MS)));
        }
        let sleep_ms = self.sleep_ms()?;
        let usual = (threshold_ms, threshold_ms.saturating_add(sleep_ms));
        let Some((from_ms, to_ms)) = self.span_ms() else {
            return (threshold_ms > now_ms).then_some(usual);
        };
        let earliest_ms = threshold_ms.max(now_ms);
        for ahead in 0..=AHEAD_MAX {
            let from_ms = from_ms.saturating_add(ahead.saturating_mul(sleep_ms));
            let to_ms = to_ms.saturating_add(ahead.saturating_mul(sleep_ms + DRIFT_MS));
            // A pass that may be on either side of the threshold leaves the next one.
            if from_ms >= threshold_ms || threshold_ms <= now_ms {
                return Some((from_ms.max(earliest_ms), to_ms.max(earliest_ms)));
            }
            if to_ms > threshold_ms {
                let next_ms = to_ms.saturating_add(sleep_ms + DRIFT_MS);
                return Some((threshold_ms, next_ms));
            }
        }
        Some(usual)
    }
}

/// A pass, by its number, and the span in which it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SeenPass {
    number: i64,
    from_ms: i64,
    to_ms: i64,
    /// When the number was read last.
    read_ms: i64,
}

/// A server's reports on its TTL monitor.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServerMonitor {
    job: Option<PassJob>,
    status_asked: Option<Duration>,
    parameters_asked: Option<Duration>,
    is_off: bool,
    sleep_secs: Option<i64>,
    pass: Option<SeenPass>,
    next_ms: Option<i64>,
}

fn is_due(asked: Option<Duration>, age: Duration, uptime: Duration) -> bool {
    asked.is_none_or(|asked| uptime.saturating_sub(asked) >= age)
}

impl ServerMonitor {
    /// The monitor of a server, or the job in its place.
    pub fn of(job: Option<PassJob>) -> Self {
        Self { job, ..Self::default() }
    }

    /// Whether to ask for the number of passes, and notes that it is asked for.
    pub fn ask_status(&mut self, uptime: Duration) -> bool {
        let is_due = self.job.is_none() && is_due(self.status_asked, SERVER_MONITOR_AGE, uptime);
        self.status_asked = if is_due { Some(uptime) } else { self.status_asked };
        is_due
    }

    /// Whether to ask for the parameters, and notes that they are asked for.
    pub fn ask_parameters(&mut self, uptime: Duration) -> bool {
        let is_due =
            self.job.is_none() && is_due(self.parameters_asked, SERVER_PARAMETERS_AGE, uptime);
        self.parameters_asked = if is_due { Some(uptime) } else { self.parameters_asked };
        is_due
    }

    /// Takes the reply to `getParameter`. A server may answer `ok: 1` to everything, so only a field
    /// that came back counts.
    pub fn take_parameters(&mut self, reply: &Document) {
        self.is_off = matches!(reply.get("ttlMonitorEnabled"), Some(Bson::Boolean(false)));
        let secs = reply.get("ttlMonitorSleepSecs").and_then(whole);
        self.sleep_secs = secs.filter(|secs| *secs > 0);
    }

    /// Takes the reply to `serverStatus`, read at `now_ms` of the server's time.
    pub fn take_status(&mut self, reply: &Document, now_ms: i64) {
        let own = reply.get_document("mayfly").and_then(|own| own.get_document("reaper"));
        let next = own.ok().and_then(|reaper| reaper.get_datetime("nextPass").ok());
        self.next_ms = next.map(|at| at.timestamp_millis());
        let ttl = reply.get_document("metrics").and_then(|metrics| metrics.get_document("ttl"));
        let number = ttl.ok().and_then(|ttl| whole(ttl.get("passes")?));
        match number {
            Some(number) => self.note_passes(number, now_ms),
            None => self.pass = None,
        }
    }

    fn note_passes(&mut self, number: i64, now_ms: i64) {
        // Before the first pass nothing is known of its instant.
        let known = self.pass.filter(|pass| pass.number <= number && pass.read_ms <= now_ms);
        let read_ms = now_ms;
        let Some(sleep_ms) = self.sleep_secs.map(|secs| secs.saturating_mul(1_000)) else {
            let from_ms = known.map_or(i64::MIN, |pass| pass.read_ms);
            self.pass = Some(SeenPass { number, from_ms, to_ms: now_ms, read_ms });
            return;
        };
        // This pass was made by now, and the next one was not.
        let floor_ms = now_ms.saturating_sub(sleep_ms + DRIFT_MS);
        let after_ms = known.filter(|pass| pass.number < number).map(|pass| pass.read_ms);
        let bound_ms = floor_ms.max(after_ms.unwrap_or(i64::MIN));
        let bound = SeenPass { number, from_ms: bound_ms, to_ms: now_ms, read_ms };
        let narrowed = known.filter(|pass| pass.from_ms > i64::MIN).map(|pass| {
            let passes = number.saturating_sub(pass.number);
            let ahead_ms = |period_ms: i64| passes.saturating_mul(period_ms);
            SeenPass {
                from_ms: pass.from_ms.saturating_add(ahead_ms(sleep_ms)).max(bound_ms),
                to_ms: pass.to_ms.saturating_add(ahead_ms(sleep_ms + DRIFT_MS)).min(now_ms),
                ..bound
            }
        });
        self.pass = Some(narrowed.filter(|pass| pass.from_ms <= pass.to_ms).unwrap_or(bound));
    }

    /// An expired document was there at one instant and gone at another: a pass was made between them.
    pub fn note_removal(&mut self, from_ms: i64, to_ms: i64) {
        let Some(sleep_ms) = self.sleep_secs.map(|secs| secs.saturating_mul(1_000)) else { return };
        let Some(pass) = self.pass.as_mut().filter(|pass| pass.from_ms > i64::MIN) else { return };
        // Of the pass that was counted last, or of the one after it.
        for (number, ahead) in [(pass.number, 0), (pass.number.saturating_add(1), 1)] {
            let low_ms = pass.from_ms.saturating_add(ahead * sleep_ms).max(from_ms);
            let high_ms = pass.to_ms.saturating_add(ahead * (sleep_ms + DRIFT_MS)).min(to_ms);
            if low_ms <= high_ms {
                let read_ms = pass.read_ms.max(to_ms);
                *pass = SeenPass { number, from_ms: low_ms, to_ms: high_ms, read_ms };
                return;
            }
        }
    }

    /// The time of the next pass.
    pub fn next_pass(&self, now_ms: i64) -> NextPass {
        if let Some(PassJob { most }) = self.job {
            return NextPass::Minutely { at_ms: PassJob::next_ms(now_ms), most };
        }
        if self.is_off {
            return NextPass::Off;
        }
        let Some(sleep_secs) = self.sleep_secs else { return NextPass::Unknown };
        if let Some(at_ms) = self.next_ms.filter(|at_ms| *at_ms >= now_ms) {
            return NextPass::Known { at_ms, sleep_secs };
        }
        let sleep_ms = sleep_secs.saturating_mul(1_000);
        let known = self.next_ms.map(|at_ms| (at_ms, at_ms));
        let seen = self.pass.filter(|pass| pass.number > 0 && pass.from_ms > i64::MIN);
        let span_ms = known.or(seen.map(|pass| (pass.from_ms, pass.to_ms)));
        let span_ms = span_ms.map(|(from_ms, to_ms)| {
            // The first span that is not over.
            let rest_ms = now_ms.saturating_sub(to_ms).max(0);
            let ahead = rest_ms.saturating_add(sleep_ms + DRIFT_MS - 1) / (sleep_ms + DRIFT_MS);
            // A pass that was made counts as over.
            let ahead = if known.is_none() { ahead.max(1) } else { ahead };
            let from_ms = from_ms.saturating_add(ahead.saturating_mul(sleep_ms));
            let to_ms = to_ms.saturating_add(ahead.saturating_mul(sleep_ms + DRIFT_MS));
            (from_ms.max(now_ms), to_ms)
        });
        // A span as long as the sleep says nothing.
        let span_ms = span_ms.filter(|(from_ms, to_ms)| to_ms - from_ms < sleep_ms);
        NextPass::Estimated { sleep_secs, span_ms }
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;

    fn status(passes: i64) -> Document {
        doc! { "metrics": { "ttl": { "passes": passes, "deletedDocuments": 4_i64 } }, "ok": 1.0 }
    }

    fn each_minute() -> ServerMonitor {
        let mut monitor = ServerMonitor::default();
        let parameters = doc! { "ttlMonitorEnabled": true, "ttlMonitorSleepSecs": 60, "ok": 1.0 };
        monitor.take_parameters(&parameters);
        monitor
    }

    fn span(monitor: &ServerMonitor, now_ms: i64) -> Option<(i64, i64)> {
        match monitor.next_pass(now_ms) {
            NextPass::Estimated { span_ms, .. } => span_ms,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_next_pass_of_a_server_is_one_sentence() {
        let estimated = |span_ms| NextPass::Estimated { sleep_secs: 60, span_ms };
        let check =
            |next: NextPass, expected: &str| assert_eq!(next.sentence(10_000, Zone::Utc), expected);
        check(NextPass::Off, OFF);
        check(
            NextPass::Unknown,
            "This server does not say when its TTL monitor runs. Usually within a minute",
        );
        check(estimated(None), "About every 60 s; when is not known yet");
        check(
            estimated(Some((15_000, 25_000))),
            "About every 60 s; next pass between 00:00:15 and 00:00:25",
        );
        check(estimated(Some((10_000, 25_000))), "About every 60 s; next pass by 00:00:25");
        let known = NextPass::Known { at_ms: 15_000, sleep_secs: 20 };
        check(known, "About every 20 s; next pass at 00:00:15");
    }

    #[test]
    fn counts_of_passes_narrow_the_next_one() {
        let mut monitor = each_minute();
        // Passes end at 10 s of each minute.
        monitor.take_status(&status(5), 60_000);
        assert_eq!(span(&monitor, 60_000), None, "one count bounds nothing");
        monitor.take_status(&status(6), 90_000);
        // The sixth came between 60 s and 90 s.
        assert_eq!(span(&monitor, 90_000), Some((120_000, 151_000)));
        monitor.take_status(&status(7), 135_000);
        assert_eq!(span(&monitor, 135_000), Some((180_000, 196_000)));
        monitor.take_status(&status(7), 183_000);
        // The eighth was not made by then.
        assert_eq!(span(&monitor, 183_000), Some((183_000, 196_000)));
    }

    #[test]
    fn a_removal_that_was_noticed_narrows_it_too() {
        let mut monitor = each_minute();
        monitor.take_status(&status(5), 60_000);
        monitor.note_removal(65_000, 75_000);
        assert_eq!(span(&monitor, 75_000), Some((125_000, 136_000)));
        // One that fits no pass changes nothing.
        monitor.note_removal(90_000, 91_000);
        assert_eq!(span(&monitor, 91_000), Some((125_000, 136_000)));
        // Nor does time alone: the pass after it is expected a minute later.
        assert_eq!(span(&monitor, 140_000), Some((185_000, 197_000)));
    }

    #[test]
    fn a_count_that_contradicts_the_estimate_begins_another_one() {
        let mut monitor = each_minute();
        monitor.take_status(&status(5), 60_000);
        monitor.note_removal(65_000, 66_000);
        // By 190 s the seventh should have been made: passes take longer.
        monitor.take_status(&status(6), 190_000);
        assert_eq!(span(&monitor, 190_000), Some((190_000, 251_000)).filter(|_| false));
        // After a restart the count begins again.
        monitor.take_status(&status(1), 250_000);
        monitor.take_status(&status(2), 280_000);
        assert_eq!(span(&monitor, 280_000), Some((310_000, 341_000)));
    }

    #[test]
    fn only_fields_that_came_back_are_believed() {
        let mut monitor = ServerMonitor::default();
        let yes = doc! { "ok": 1.0, "result": [] };
        monitor.take_parameters(&yes);
        monitor.take_status(&yes, 5_000);
        assert_eq!(monitor.next_pass(5_000), NextPass::Unknown);
        // Passes without the sleep between them say nothing of the next one.
        monitor.take_status(&status(3), 6_000);
        monitor.take_status(&status(4), 66_000);
        assert_eq!(monitor.next_pass(66_000), NextPass::Unknown);
        monitor.take_parameters(&doc! { "ttlMonitorEnabled": false, "ttlMonitorSleepSecs": 60 });
        assert_eq!(monitor.next_pass(66_000), NextPass::Off);
        let mut monitor = each_minute();
        let next = DateTime::from_millis(70_000);
        monitor.take_status(&doc! { "mayfly": { "reaper": { "nextPass": next } } }, 66_000);
        assert_eq!(monitor.next_pass(66_000), NextPass::Known { at_ms: 70_000, sleep_secs: 60 });
        assert_eq!(span(&monitor, 75_000), Some((130_000, 131_000)));
    }

    #[test]
    fn a_server_is_asked_seldom() {
        let mut monitor = ServerMonitor::default();
        let asked = |at: u64, monitor: &mut ServerMonitor| {
            let uptime = Duration::from_secs(at);
            (monitor.ask_status(uptime), monitor.ask_parameters(uptime))
        };
        let found: Vec<_> = [0, 59, 60, 300].map(|at| asked(at, &mut monitor)).into();
        assert_eq!(found, [(true, true), (false, false), (true, false), (true, true)]);
    }

    #[test]
    fn a_job_makes_a_pass_at_each_full_minute() {
        let mut monitor = ServerMonitor::of(Some(PassJob::DOCUMENTDB));
        assert!(!monitor.ask_status(Duration::ZERO) && !monitor.ask_parameters(Duration::ZERO));
        let next = monitor.next_pass(90_000);
        assert_eq!(next, NextPass::Minutely { at_ms: 120_000, most: 10_000 });
        let check = |threshold_ms, expected_ms| {
            let expected = Some((expected_ms, expected_ms + DRIFT_MS));
            assert_eq!(next.removal_ms(threshold_ms, 90_000), expected, "{threshold_ms}");
        };
        check(-5, 120_000);
        check(119_999, 120_000);
        check(120_000, 180_000);
        check(9_000_001, 9_060_000);
        assert_eq!(PassJob::next_ms(-60_001), -60_000);
    }

    #[test]
    fn a_document_goes_with_the_first_pass_after_its_threshold() {
        let at = |span_ms| NextPass::Estimated { sleep_secs: 60, span_ms };
        let next = at(Some((100_000, 110_000)));
        let check = |next: NextPass, threshold_ms, expected| {
            assert_eq!(next.removal_ms(threshold_ms, 90_000), expected, "{threshold_ms}");
        };
        check(next, 80_000, Some((100_000, 110_000)));
        check(next, 95_000, Some((100_000, 110_000)));
        // This pass may come before the threshold.
        check(next, 105_000, Some((105_000, 171_000)));
        check(next, 150_000, Some((160_000, 171_000)));
        // So far ahead the passes drift.
        check(next, 900_000, Some((900_000, 960_000)));
        check(at(None), 150_000, Some((150_000, 210_000)));
        check(at(None), 80_000, None);
        check(NextPass::Known { at_ms: 100_000, sleep_secs: 60 }, 80_000, Some((100_000, 100_000)));
        check(NextPass::Unknown, 150_000, None);
    }
}
