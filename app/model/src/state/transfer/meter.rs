//! How fast something is, and how long it will take.

use std::collections::VecDeque;
use std::time::Duration;

use mayfly_engine::transfer::ProgressNow;

use crate::limits::{METER_PAUSE, METER_SAMPLES_MAX, METER_SPAN};
use crate::state::{duration, number};

/// How far something was at moments of the last seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Meter {
    samples: VecDeque<(Duration, ProgressNow)>,
}

impl Meter {
    /// Notes how far it is now, in window time.
    pub fn note(&mut self, now: Duration, progress: ProgressNow) {
        if self.samples.back().is_some_and(|(at, _)| now.saturating_sub(*at) < METER_PAUSE) {
            return;
        }
        self.samples.push_back((now, progress));
        while self.samples.len() > METER_SAMPLES_MAX
            || self.samples.front().is_some_and(|(at, _)| now.saturating_sub(*at) > METER_SPAN)
        {
            self.samples.pop_front();
        }
    }

    /// Documents per second; `None` until known.
    pub fn documents_per_sec(&self) -> Option<u64> {
        self.per_sec(|progress| progress.documents + progress.skipped + progress.rejected)
    }

    /// The time until `done` is `total`; `None` until known.
    pub fn rest(&self, total: u64, done: impl Fn(&ProgressNow) -> u64) -> Option<Duration> {
        let (_, last) = self.samples.back()?;
        let left = total.checked_sub(done(last))?;
        let rate = self.per_sec(done).filter(|rate| *rate > 0)?;
        Some(Duration::from_secs(left.div_ceil(rate)))
    }

    fn per_sec(&self, done: impl Fn(&ProgressNow) -> u64) -> Option<u64> {
        let ((from, first), (to, last)) = (self.samples.front()?, self.samples.back()?);
        let millis = u64::try_from(to.saturating_sub(*from).as_millis()).ok()?;
        if millis < 500 {
            return None;
        }
        Some(done(last).saturating_sub(done(first)).saturating_mul(1_000) / millis)
    }
}

/// How far an import or export is, in words: counts, rate and remaining time.
pub fn words(now: &ProgressNow, meter: &Meter, rest: Option<Duration>) -> String {
    let mut words = number::counted(now.documents, "document", "documents");
    if now.skipped > 0 {
        words = format!("{words} · {} skipped", number::count(now.skipped));
    }
    if now.rejected > 0 {
        words = format!("{words} · {} rejected", number::count(now.rejected));
    }
    if let Some(rate) = meter.documents_per_sec() {
        words = format!("{words} · {} per second", number::count(rate));
    }
    if let Some(rest) = rest {
        let rest_ms = i64::try_from(rest.as_millis()).unwrap_or(i64::MAX);
        words = format!("{words} · {} left", duration::span(rest_ms));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(documents: u64, bytes: u64) -> ProgressNow {
        ProgressNow { documents, bytes, ..ProgressNow::default() }
    }

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut meter = Meter::default();
        let second = Duration::from_secs(1);
        meter.note(Duration::ZERO, at(0, 0));
        assert_eq!(meter.documents_per_sec(), None);
        meter.note(second, at(1_000, 10));
        assert_eq!(meter.documents_per_sec(), Some(1_000));
        assert_eq!(meter.rest(100, |now| now.bytes), Some(9 * second));
        meter.note(30 * second, at(2_000, 20));
        meter.note(31 * second, at(2_010, 30));
        assert_eq!(meter.documents_per_sec(), Some(10));
    }

    #[test]
    fn samples_are_bounded() {
        let mut meter = Meter::default();
        for step in 0..10_000 {
            meter.note(Duration::from_millis(step), at(step, step));
        }
        assert!(meter.samples.len() <= METER_SAMPLES_MAX);
        assert_eq!(meter.documents_per_sec(), Some(1_000));
    }

    #[test]
    fn words_name_what_there_is() {
        let check = |now: ProgressNow, rest: Option<u64>, expected: &str| {
            let rest = rest.map(Duration::from_secs);
            assert_eq!(words(&now, &Meter::default(), rest), expected);
        };
        check(at(1, 0), None, "1 document");
        let some = ProgressNow { documents: 1_200, skipped: 3, rejected: 2, ..at(0, 0) };
        check(some, Some(75), "1,200 documents · 3 skipped · 2 rejected · 1 min 15 s left");
    }
}
