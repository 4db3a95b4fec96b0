//! The minute in which most documents expire, from thresholds in order of time.

use std::ops::Range;

use crate::reply::BusyMinute;

const MINUTE_MS: i64 = 60_000;

/// Counts thresholds that come in order of time, the earliest or the latest first, in constant memory.
#[derive(Debug, Clone)]
pub struct Steepest {
    /// Other thresholds are left out, in milliseconds since 1970.
    within_ms: Range<i64>,
    /// The minute of the last threshold, and how many it has so far.
    open: Option<(i64, u64)>,
    /// The earliest of the minutes before that have the most.
    best: Option<(i64, u64)>,
}

impl Steepest {
    /// Nothing is counted yet.
    #[must_use]
    pub fn new(within_ms: Range<i64>) -> Self {
        Self { within_ms, open: None, best: None }
    }

    /// Counts documents with this threshold.
    pub fn add(&mut self, threshold_ms: i64, documents: u64) {
        if !self.within_ms.contains(&threshold_ms) {
            return;
        }
        let minute = threshold_ms.div_euclid(MINUTE_MS);
        match &mut self.open {
            Some((open, count)) if *open == minute => *count += documents,
            _ => {
                self.close();
                self.open = Some((minute, documents));
            }
        }
    }

    fn close(&mut self) {
        let Some((minute, count)) = self.open.take() else { return };
        let is_best =
            self.best.is_none_or(|(at, most)| count > most || count == most && minute < at);
        if is_best {
            self.best = Some((minute, count));
        }
    }

    /// Adds what was counted from the other end of time. Both may have begun the same minute.
    pub fn meet(&mut self, mut other: Self) {
        match (&mut self.open, other.open) {
            (Some((minute, count)), Some((same, more))) if *minute == same => {
                *count += more;
                other.open = None;
            }
            _ => {}
        }
        self.close();
        other.close();
        self.open = other.best;
        self.close();
    }

    /// The minute with the most documents, the earliest of several.
    #[must_use]
    pub fn minute(mut self) -> Option<BusyMinute> {
        self.close();
        let from_ms = |minute: i64| minute.saturating_mul(MINUTE_MS);
        self.best.map(|(minute, documents)| BusyMinute { from_ms: from_ms(minute), documents })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minute_is_the_same_from_both_ends() {
        let thresholds =
            [-60_001, -5, 0, 0, 59_999, 60_000, 61_000, 119_999, 120_000, 300_000, 300_001];
        for within_ms in [i64::MIN..i64::MAX, 0..300_001, 60_001..120_000, 7..8, 120_000..300_001] {
            let inside = || thresholds.iter().filter(|at| within_ms.contains(at));
            let count = |minute: i64| {
                inside().filter(|at| at.div_euclid(MINUTE_MS) == minute).count() as u64
            };
            let expected =
                (-3..9).rev().map(|minute| (count(minute), minute)).max_by_key(|it| it.0);
            let expected = expected.filter(|(count, _)| *count > 0);
            for met in 0..=thresholds.len() {
                let mut early = Steepest::new(within_ms.clone());
                let mut late = early.clone();
                thresholds[..met].iter().for_each(|at| early.add(*at, 1));
                thresholds[met..].iter().rev().for_each(|at| late.add(*at, 1));
                early.meet(late);
                let found = early.minute().map(|it| (it.documents, it.from_ms / MINUTE_MS));
                assert_eq!(found, expected, "{within_ms:?}, met at {met}");
            }
        }
    }
}
