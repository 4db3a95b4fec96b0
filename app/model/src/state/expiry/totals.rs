//! The collection in figures, and what they are at this moment.

use super::figures::Totals;
use super::{ExpiryView, Lane};

impl ExpiryView {
    /// The figures at this moment, where they are asked for seldom: the listed documents say what is
    /// overdue, as long as one of them is not. What waits gets fewer by the thresholds that pass, not by
    /// removals: the count may lack a removed document already.
    pub fn totals_now(&self, now_ms: i64) -> Option<Totals> {
        let totals = self.totals.clone()?;
        let stored = self.lanes.iter().filter(|lane| lane.removed_ms.is_none());
        let overdue = stored.clone().filter(|lane| lane.threshold_ms <= now_ms).count() as u64;
        let is_known = !self.has_more || stored.clone().count() as u64 > overdue;
        if !is_known || self.brush.is_some() || !self.loaded {
            return Some(totals);
        }
        let counted_ms = self.counted_ms.unwrap_or(now_ms);
        let has_passed = |lane: &&Lane| (counted_ms + 1..=now_ms).contains(&lane.threshold_ms);
        // It was seen after the count, so the count has it.
        let is_deleted = |lane: &&Lane| {
            let seen_ms = lane.seen_ms.or(lane.removed_ms);
            lane.threshold_ms > now_ms && seen_ms.is_some_and(|at| at > counted_ms)
        };
        let passed = stored.filter(has_passed).count() as u64;
        let gone = self.ledger.iter().filter(|lane| has_passed(lane) || is_deleted(lane));
        let fewer = passed.saturating_add(gone.count() as u64);
        let waiting = totals.waiting.map(|waiting| waiting.saturating_sub(fewer));
        Some(Totals { overdue: overdue.into(), waiting, ..totals })
    }
}
