//! How late removals were, pass by pass.

use std::collections::VecDeque;

use super::{ExpiryView, Lane};
use crate::job::PassReport;
use crate::limits::{LAG_PASSES_MAX, SERVER_UNSEEN_MS};

/// How late the removals of one pass were, in milliseconds after the thresholds, or after the index
/// that came later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassLag {
    /// When the pass began, in milliseconds since 1970.
    pub at_ms: i64,
    /// Documents it removed here that are listed.
    pub removed: u64,
    pub median_ms: i64,
    /// The 99th percentile.
    pub most_ms: i64,
    pub max_ms: i64,
}

/// Whether removals came within the period of the passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    pub removed: u64,
    pub late: u64,
    /// The latest, in milliseconds.
    pub max_ms: i64,
}

impl ExpiryView {
    /// The lag of the last passes that removed something that is listed, the oldest first.
    pub fn lag_of_passes(&self, passes: &VecDeque<PassReport>) -> Vec<PassLag> {
        let mut found = Vec::new();
        for pass in passes.iter().rev() {
            let is_of_pass = |lane: &&Lane| {
                lane.removed_ms.is_some_and(|at| (pass.started_ms..=pass.finished_ms).contains(&at))
            };
            let mut late: Vec<i64> =
                self.ledger.iter().filter(is_of_pass).filter_map(lateness).collect();
            if late.is_empty() {
                continue;
            }
            late.sort_unstable();
            // Nearest rank: the smallest value that this percentage does not exceed.
            let at = |percent: usize| late[(late.len() * percent).div_ceil(100).max(1) - 1];
            let removed = late.len() as u64;
            let (median_ms, most_ms, max_ms) = (at(50), at(99), at(100));
            found.push(PassLag { at_ms: pass.started_ms, removed, median_ms, most_ms, max_ms });
            if found.len() == LAG_PASSES_MAX {
                break;
            }
        }
        found.reverse();
        found
    }

    /// Median, 99th percentile and maximum of the lag over the ledger, in milliseconds. `None` while nothing was removed.
    pub fn lag_ms(&self) -> Option<(i64, i64, i64)> {
        let mut late: Vec<i64> = self.ledger.iter().filter_map(lateness).collect();
        late.sort_unstable();
        // Nearest rank: the smallest value that this percentage does not exceed.
        let rank = |percent: usize| (late.len() * percent).div_ceil(100).saturating_sub(1);
        let at = |percent: usize| late.get(rank(percent)).copied();
        Some((at(50)?, at(99)?, at(100)?))
    }

    /// Whether the listed removals came within `allowed_ms`. `None` while nothing was removed.
    pub fn promise(&self, allowed_ms: i64) -> Option<Promise> {
        let late = || self.ledger.iter().filter_map(lateness);
        let max_ms = late().max()?;
        let (removed, late) =
            (late().count() as u64, late().filter(|late| *late > allowed_ms).count());
        Some(Promise { removed, late: late as u64, max_ms })
    }
}

/// How late a removal was, in milliseconds; none for a document that another program deleted before its threshold, or
/// that went while the view was closed.
pub(super) fn lateness(lane: &Lane) -> Option<i64> {
    let unseen_ms = lane.removed_ms?.saturating_sub(lane.seen_ms.unwrap_or(i64::MAX));
    lane.late_ms().filter(|late_ms| *late_ms >= 0 && unseen_ms < SERVER_UNSEEN_MS)
}

#[cfg(test)]
mod tests {
    use bson::Bson;

    use super::*;

    fn removed(threshold_ms: i64, removed_ms: i64) -> Lane {
        Lane {
            id: Bson::Int64(threshold_ms),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: 0,
            threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: Some(removed_ms),
            removable_ms: None,
            seen_ms: None,
        }
    }

    fn pass(started_ms: i64) -> PassReport {
        PassReport { started_ms, finished_ms: started_ms + 100, ..PassReport::default() }
    }

    #[test]
    fn a_removal_that_went_unseen_has_no_lag() {
        let mut view = ExpiryView::default();
        let seen = |seen_ms| Lane { seen_ms, ..removed(20_000, 120_000) };
        let lanes = [Some(29_999), Some(30_000), Some(30_001), None].map(seen);
        let late: Vec<_> = lanes.iter().map(lateness).collect();
        assert_eq!(late, [None, None, Some(100_000), Some(100_000)]);
        view.take_removed([seen(Some(1_000))], 0);
        assert_eq!((view.lag_ms(), view.promise(60_000)), (None, None));
    }

    #[test]
    fn the_lag_of_each_pass_is_its_own() {
        let mut view = ExpiryView::default();
        view.take_removed((1..=100).map(|late| removed(60_000 - late * 100, 60_050)), 0);
        view.take_removed([removed(119_000, 120_000)], 0);
        let passes = VecDeque::from([pass(60_000), pass(90_000), pass(120_000)]);
        let found = view.lag_of_passes(&passes);
        assert_eq!(found.len(), 2, "one pass removed nothing: {found:?}");
        let first = found[0];
        assert_eq!((first.at_ms, first.removed), (60_000, 100));
        assert_eq!((first.median_ms, first.most_ms, first.max_ms), (5_050, 9_950, 10_050));
        assert_eq!((found[1].median_ms, found[1].max_ms), (1_000, 1_000));
    }

    #[test]
    fn a_document_that_expired_before_its_index_counts_from_the_index() {
        let mut view = ExpiryView::default();
        let late = Lane { removable_ms: Some(59_000), ..removed(0, 60_000) };
        view.take_removed([late, removed(59_500, 60_000)], 0);
        assert_eq!(view.lag_ms(), Some((500, 1_000, 1_000)));
        let expected = Promise { removed: 2, late: 0, max_ms: 1_000 };
        assert_eq!(view.promise(1_000), Some(expected));
        assert_eq!(view.lag_of_passes(&VecDeque::from([pass(60_000)]))[0].max_ms, 1_000);
        assert_eq!(removed(70_000, 60_000).late_ms(), Some(-10_000), "deleted before");
    }

    #[test]
    fn a_promise_is_kept_or_says_by_how_many_it_was_not() {
        let mut view = ExpiryView::default();
        assert_eq!(view.promise(60_000), None);
        view.take_removed([removed(0, 60_000), removed(0, 61_500)], 0);
        assert_eq!(view.promise(61_500).map(|promise| promise.late), Some(0));
        let expected = Promise { removed: 2, late: 1, max_ms: 61_500 };
        assert_eq!(view.promise(61_000), Some(expected));
    }
}
