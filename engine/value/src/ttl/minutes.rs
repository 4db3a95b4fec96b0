//! Thresholds by the minute, to find many documents that expire together.

use std::collections::HashMap;

const MINUTE_MS: i64 = 60_000;

/// The most minutes that are counted at one time. A count is short by at most one document in this
/// many, and exact while there are no more minutes.
const MINUTES_MAX: usize = 4_096;

/// Counts thresholds by the minute in bounded memory, as Misra and Gries count frequent items.
#[derive(Debug, Clone, Default)]
pub struct Minutes {
    counts: HashMap<i64, u64>,
    /// The latest minute, which is not in the map yet: thresholds often come in order.
    latest: Option<(i64, u64)>,
}

impl Minutes {
    /// Counts a document with this threshold, in milliseconds since 1970.
    pub fn add(&mut self, threshold_ms: i64) {
        let minute = threshold_ms.div_euclid(MINUTE_MS);
        match &mut self.latest {
            Some((latest, count)) if *latest == minute => *count += 1,
            latest => {
                if let Some((before, count)) = latest.replace((minute, 1)) {
                    add(&mut self.counts, before, count);
                }
            }
        }
    }

    /// The minute with the most documents, the earliest of several: its beginning, in milliseconds
    /// since 1970, and at least how many.
    #[must_use]
    pub fn busiest(mut self) -> Option<(i64, u64)> {
        if let Some((minute, count)) = self.latest.take() {
            add(&mut self.counts, minute, count);
        }
        let most = |(minute, count): &(i64, u64)| (*count, std::cmp::Reverse(*minute));
        let (minute, count) = self.counts.into_iter().max_by_key(most)?;
        Some((minute.saturating_mul(MINUTE_MS), count))
    }
}

fn add(counts: &mut HashMap<i64, u64>, minute: i64, count: u64) {
    if counts.len() >= MINUTES_MAX && !counts.contains_key(&minute) {
        // Each minute gives up as many documents as the new one brings, or as the rarest has.
        let least = counts.values().copied().min().unwrap_or(0).min(count);
        counts.retain(|_, kept| {
            *kept -= least;
            *kept > 0
        });
        if count > least {
            counts.insert(minute, count - least);
        }
        return;
    }
    *counts.entry(minute).or_default() += count;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_minute_is_found_whatever_the_order() {
        let mut minutes = Minutes::default();
        for threshold_ms in [119_999, 60_000, 0, 61_000, -1, 59_999, 180_000] {
            minutes.add(threshold_ms);
        }
        assert_eq!(minutes.busiest(), Some((60_000, 3)));
        assert_eq!(Minutes::default().busiest(), None);
        let mut equal = Minutes::default();
        for threshold_ms in [120_000, 60_000, -1] {
            equal.add(threshold_ms);
        }
        assert_eq!(equal.busiest(), Some((-60_000, 1)), "the earliest");
    }

    #[test]
    fn many_minutes_take_bounded_memory_and_hide_no_cliff() {
        let mut minutes = Minutes::default();
        let spread = 5 * i64::try_from(MINUTES_MAX).expect("small");
        for minute in 0..spread {
            minutes.add(minute * MINUTE_MS);
            minutes.add(7 * MINUTE_MS);
            assert!(minutes.counts.len() <= MINUTES_MAX);
        }
        let (from_ms, count) = minutes.busiest().expect("a minute");
        assert_eq!(from_ms, 7 * MINUTE_MS);
        let all = u64::try_from(spread).expect("positive");
        assert!((all - all / 1_000..=all + 1).contains(&count), "{count} of {all}");
    }
}
