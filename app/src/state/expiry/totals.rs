//! The collection in figures, and what they are at this moment.

use mayfly_engine::reply::DocCount;

use super::{ExpiryView, Lane};

/// The whole collection in four figures, and why the documents of the fourth never expire.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// Past the threshold and not removed.
    pub overdue: DocCount,
    /// Before the threshold.
    pub waiting: DocCount,
    /// Documents that the TTL never removes.
    pub never: DocCount,
    /// Damaged documents and index entries, which belong to none of the three.
    pub damaged: u64,
    /// Reason code and number of documents, most first.
    pub reasons: Vec<(String, DocCount)>,
}

impl Totals {
    /// How many documents were counted.
    #[must_use]
    pub fn documents(&self) -> DocCount {
        self.waiting.plus(self.overdue).plus(self.never)
    }

    /// Whether documents never expire and it is not known why.
    #[must_use]
    pub fn lack_reasons(&self) -> bool {
        !self.never.is_zero() && self.reasons.is_empty()
    }
}

impl ExpiryView {
    /// The figures at this moment, where they are asked for seldom: the listed documents say what is
    /// overdue, as long as one of them is not.
    #[must_use]
    pub fn totals_now(&self, now_ms: i64) -> Option<Totals> {
        let totals = self.totals.clone()?;
        let stored = self.lanes.iter().filter(|lane| lane.removed_ms.is_none());
        let overdue = stored.clone().filter(|lane| lane.threshold_ms <= now_ms).count() as u64;
        let is_known = !self.has_more || stored.count() as u64 > overdue;
        if !is_known || self.brush.is_some() || !self.loaded {
            return Some(totals);
        }
        let since_ms = self.counted_ms.unwrap_or(i64::MIN);
        let is_gone = |lane: &&Lane| lane.removed_ms.is_some_and(|at| at > since_ms);
        let gone = self.ledger.iter().filter(is_gone).count() as u64;
        let there = totals.waiting.plus(totals.overdue).map(|there| there.saturating_sub(gone));
        let waiting = there.minus(overdue.into());
        Some(Totals { overdue: overdue.into(), waiting, ..totals })
    }
}
