//! Another TTL, tried on the timeline: nothing changes until it is applied.

use bson::Document;

use super::{ExpiryView, Lane, Phase};
use crate::job::number_draft::NumberDraft;
use crate::state::indexes::{ChangeTtl, IndexRow, IndexesView};

/// The strip of the timeline that tries another TTL.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIfStrip {
    /// The change as the dialog would make it. Both have one computation.
    pub change: ChangeTtl,
    /// The index, with its seconds, whose effect is being counted or was counted last.
    pub asked: Option<Document>,
}

/// The effect of the TTL that is tried on what is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial<'a> {
    index: &'a str,
    /// How much later documents would expire, in milliseconds; negative if earlier.
    delta_ms: i64,
}

/// The change of a document by the TTL that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It waits, and the next pass would remove it.
    Goes,
    /// It is overdue, and would wait.
    Stays,
}

impl WhatIfStrip {
    pub fn new(index: IndexRow) -> Self {
        Self { change: ChangeTtl::new(index), asked: None }
    }

    /// Why a TTL can't be tried, in one sentence; `None` when it can.
    pub fn why_not(&self) -> Option<&'static str> {
        self.change.is_on_modification().then_some(
            "Documents expire by their last modification or their own ttl, so the timeline can't \
             preview another TTL",
        )
    }

    /// Tries another TTL.
    pub fn set_ttl(&mut self, ttl: NumberDraft) {
        self.change.ttl = ttl;
        self.change.error = None;
    }

    /// Whether the TTL is another one than the index has.
    pub fn is_changed(&self) -> bool {
        self.change.secs().is_ok_and(|secs| Some(secs) != self.change.index.secs)
    }

    /// Whether the store is to be asked about the TTL.
    pub fn lacks_counts(&self) -> bool {
        let asked = self.change.asked();
        self.why_not().is_none() && asked.is_some() && asked != self.asked
    }

    /// The TTL on the timeline, if it is valid and another one than the index has.
    pub fn trial(&self) -> Option<Trial<'_>> {
        let secs = self.change.secs().ok()?;
        let before = self.change.index.secs.filter(|before| *before >= 0 && *before != secs)?;
        let delta_ms = secs.saturating_sub(before).saturating_mul(1_000);
        self.why_not().is_none().then_some(Trial { index: &self.change.index.name, delta_ms })
    }

    /// Takes the indexes of the collection. Returns whether there is still something to try: not
    /// after the TTL was applied, or the index dropped.
    fn follow(&mut self, indexes: &IndexesView) -> bool {
        let Some(row) = indexes.row(&self.change.index.name) else { return false };
        if row.secs != self.change.index.secs {
            (self.change.what_if, self.asked) = (None, None);
        }
        let is_applied = row.secs != self.change.index.secs && row.secs == self.change.secs().ok();
        self.change.index = row.clone();
        row.secs.is_some() && !is_applied
    }
}

impl Trial<'_> {
    /// Documents with a threshold up to this instant, in milliseconds since 1970, would be due.
    pub fn due_up_to_ms(self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(self.delta_ms)
    }

    /// The change of a listed document.
    pub fn fate(self, lane: &Lane, now_ms: i64) -> Option<Fate> {
        if lane.index != self.index || lane.own_ttl {
            return None;
        }
        let is_due = lane.threshold_ms <= self.due_up_to_ms(now_ms);
        match lane.phase(now_ms) {
            Phase::Waiting if is_due => Some(Fate::Goes),
            Phase::Overdue if !is_due => Some(Fate::Stays),
            _ => None,
        }
    }
}

impl ExpiryView {
    /// The TTL that is tried, while the timeline shows only what its index removes.
    pub fn trial(&self) -> Option<Trial<'_>> {
        self.what_if.as_ref()?.trial()
    }

    /// Takes the indexes of the collection: what was tried may be applied, or gone.
    pub fn follow_indexes(&mut self, indexes: &IndexesView) {
        self.what_if = self
            .what_if
            .take()
            .filter(|_| indexes.is_loaded())
            .and_then(|mut strip| strip.follow(indexes).then_some(strip));
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, doc};

    use super::*;

    const NOW_MS: i64 = 1_704_844_800_000;

    fn row(secs: i64) -> IndexRow {
        let spec = doc! { "name": "at_1", "key": { "at": 1 }, "expireAfterSeconds": secs };
        IndexRow::read(&spec).expect("an index")
    }

    fn indexes(secs: i64) -> IndexesView {
        let spec = doc! { "name": "at_1", "key": { "at": 1 }, "expireAfterSeconds": secs };
        let mut view = IndexesView::default();
        view.take_list(&doc! { "cursor": { "firstBatch": [spec] } });
        view
    }

    fn lane(threshold_ms: i64) -> Lane {
        Lane {
            id: Bson::Int32(1),
            index: "at_1".to_owned(),
            field: "at".to_owned(),
            base_ms: threshold_ms - 600_000,
            threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: None,
            removable_ms: None,
            seen_ms: None,
        }
    }

    fn tried(secs: i64) -> WhatIfStrip {
        let mut strip = WhatIfStrip::new(row(600));
        strip.set_ttl(NumberDraft::from_secs(secs));
        strip
    }

    #[test]
    fn a_shorter_ttl_removes_what_waits_and_a_longer_one_keeps_what_is_overdue() {
        let check = |secs, wait_ms, expected| {
            let strip = tried(secs);
            let fate = strip.trial().and_then(|trial| trial.fate(&lane(NOW_MS + wait_ms), NOW_MS));
            assert_eq!(fate, expected, "{secs} s, {wait_ms} ms");
        };
        check(600, 1, None);
        check(100, 500_000, Some(Fate::Goes));
        check(100, 500_001, None);
        check(100, -1, None);
        check(700, -99_999, Some(Fate::Stays));
        check(700, -100_000, None);
        check(700, 5, None);
    }

    #[test]
    fn only_documents_of_the_index_have_a_fate() {
        let strip = tried(100);
        let trial = strip.trial().expect("another TTL");
        let own = Lane { own_ttl: true, ..lane(NOW_MS + 1) };
        let other = Lane { index: "b_1".to_owned(), ..lane(NOW_MS + 1) };
        let removed = Lane { removed_ms: Some(NOW_MS), ..lane(NOW_MS - 1) };
        for lane in [own, other, removed] {
            assert_eq!(trial.fate(&lane, NOW_MS), None, "{lane:?}");
        }
    }

    #[test]
    fn it_is_over_once_the_ttl_is_applied_or_the_index_dropped() {
        let left = |tried: WhatIfStrip, indexes: &IndexesView| {
            let mut view = ExpiryView { what_if: Some(Box::new(tried)), ..ExpiryView::default() };
            view.follow_indexes(indexes);
            view.what_if.map(|strip| strip.change.index.secs)
        };
        assert_eq!(left(tried(100), &indexes(600)), Some(Some(600)));
        assert_eq!(left(tried(100), &indexes(50)), Some(Some(50)), "another program's change");
        assert_eq!(left(tried(100), &indexes(100)), None);
        assert_eq!(left(tried(600), &indexes(600)), Some(Some(600)), "just opened");
        assert_eq!(left(tried(100), &IndexesView::default()), None);
    }

    #[test]
    fn a_rule_on_the_last_modification_is_not_tried() {
        let spec = doc! { "name": "ts", "key": { "_ts": 1 }, "expireAfterSeconds": 60 };
        let mut strip = WhatIfStrip::new(IndexRow::read(&spec).expect("an index"));
        strip.set_ttl(NumberDraft::from_secs(5));
        assert!(strip.why_not().is_some());
        assert_eq!((strip.trial(), strip.lacks_counts()), (None, false));
    }
}
