//! The traces of a pass among the rows: removed documents in their places for a moment, then a few
//! tombstones and one line for the rest.

use std::time::Duration;

use bson::{Bson, Document};
use mayfly_engine::reply::ExpiringPage;

use super::figures::{LedgerKeep, ShownPass, Summary, range_of};
use super::{ExpiryView, Lane};
use crate::job::DeletedDocument;
use crate::limits::{LEDGER_MAX, SERVER_UNSEEN_MS, TOMBSTONE_LANES_MAX};

/// Findings of a look at the soonest documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Whether the TTL rules are others than at the look before: what is missing need not be gone.
    pub has_other_rules: bool,
    /// Documents that are gone since the look before.
    pub gone: u64,
    /// The span in which a pass removed them, in milliseconds since 1970.
    pub pass: Option<(i64, i64)>,
}

/// A row of the timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Row<'a> {
    /// One document.
    Lane(&'a Lane),
    /// Removed documents without a row of their own.
    Summary(Summary),
    /// More documents wait than these.
    More(usize),
}

impl ExpiryView {
    /// A pass removed these documents of the collection; `unlisted` more were not named.
    pub fn take_removed(&mut self, removed: impl IntoIterator<Item = Lane>, unlisted: u64) {
        self.ledger_dropped += unlisted;
        for lane in removed {
            // A tombstone of the same name is of an earlier document.
            let waits = |row: &&mut Lane| row.id == lane.id && row.removed_ms.is_none();
            if let Some(row) = self.lanes.iter_mut().find(waits) {
                row.removed_ms = lane.removed_ms;
            }
            self.ledger.push_front(lane);
        }
        while self.ledger.len() > LEDGER_MAX {
            self.ledger.pop_back();
            self.ledger_dropped += 1;
        }
    }

    /// Takes a page of the soonest documents. Unless the store reports removals, overdue documents that are missing are gone.
    pub fn take_look(
        &mut self,
        command: &Document,
        reply: &Document,
        now_ms: i64,
        is_told: bool,
    ) -> Look {
        self.late_looks = 0;
        let mut look = Look { has_other_rules: self.note_rules(reply), ..Look::default() };
        // Under other rules a missing document need not be gone: its index may have been dropped.
        if !is_told && !look.has_other_rules {
            let removals = |view: &Self| view.ledger.len() as u64 + view.ledger_dropped;
            let before = removals(self);
            look.pass = self.take_missing(command, reply, now_ms);
            look.gone = removals(self) - before;
        }
        self.take_expiring(command, reply, now_ms);
        look
    }

    /// Documents of the last look that were overdue and are not in this one are gone. When they
    /// went is known only to have been between the two looks. Returns the span in which a pass
    /// removed them.
    pub fn take_missing(
        &mut self,
        command: &Document,
        reply: &Document,
        now_ms: i64,
    ) -> Option<(i64, i64)> {
        // A page of another range, or the first page, has nothing that it could be compared with.
        if range_of(command) != self.listed || !self.loaded {
            return None;
        }
        let page = ExpiringPage::from_document(reply)?;
        // If there are more pages, rows after the last one of this page may still exist.
        let end_ms = page.next.as_ref().and_then(|_| Some(page.batch.last()?.threshold_ms));
        let is_there = |lane: &Lane| page.batch.iter().any(|row| row.id == lane.id);
        let is_gone = |lane: &&Lane| {
            lane.removed_ms.is_none()
                // Its threshold had passed, so that the monitor removed it, most likely.
                && lane.threshold_ms <= now_ms
                && end_ms.is_none_or(|end_ms| lane.threshold_ms < end_ms)
                && !is_there(lane)
                && !self.has_tombstone(lane)
        };
        let gone: Vec<Lane> = self.lanes.iter().filter(is_gone).cloned().collect();
        let seen_ms = self.looked_ms.unwrap_or(now_ms);
        let first_ms = gone.iter().map(|lane| lane.threshold_ms).min();
        let tombstone = |lane| Lane { removed_ms: Some(now_ms), seen_ms: Some(seen_ms), ..lane };
        self.take_removed(gone.into_iter().map(tombstone), 0);
        // After a long time without a look, several passes may have run, so the span says nothing
        // about one.
        let is_near = now_ms.saturating_sub(seen_ms) < SERVER_UNSEEN_MS;
        first_ms.filter(|_| is_near).map(|first_ms| (seen_ms.max(first_ms), now_ms))
    }

    /// Whether the removal of just this document is known.
    fn has_tombstone(&self, lane: &Lane) -> bool {
        // A page may be older than the deletion of the document.
        let is_it = |gone: &Lane| gone.id == lane.id && gone.threshold_ms == lane.threshold_ms;
        self.ledger.iter().any(is_it)
    }

    /// A change stream reported deletions. Those whose threshold is known get a tombstone. Returns the
    /// span of each deletion of an expired document: a pass removed it, most likely.
    pub fn take_deleted(&mut self, deleted: Vec<DeletedDocument>, missed: u64) -> Vec<(i64, i64)> {
        let mut gone = Vec::new();
        for DeletedDocument { id, from_ms, to_ms, row } in deleted {
            let seen_ms = (from_ms < to_ms).then_some(from_ms);
            let stored = |lane: &&Lane| lane.id == id && lane.removed_ms.is_none();
            let row = row.map(Lane::from);
            // Without the document or its lane the threshold is unknown, so there is nothing to
            // draw.
            let Some(lane) = row.or_else(|| self.lanes.iter().find(stored).cloned()) else {
                self.date_tombstone(&id, seen_ms, to_ms);
                continue;
            };
            if self.has_tombstone(&lane) {
                self.date_tombstone(&id, seen_ms, to_ms);
            } else {
                gone.push(Lane { removed_ms: Some(to_ms), seen_ms, ..lane });
            }
        }
        // A deletion before the threshold was not the monitor's.
        let is_expired = |lane: &&Lane| lane.removed_ms.is_some_and(|at| at >= lane.threshold_ms);
        let span = |lane: &Lane| Some((lane.seen_ms.or(lane.removed_ms)?, lane.removed_ms?));
        let spans = gone.iter().filter(is_expired).filter_map(span).collect();
        self.take_removed(gone, missed);
        spans
    }

    /// A tombstone with two looks between which its document went gets the instant.
    fn date_tombstone(&mut self, id: &Bson, seen_ms: Option<i64>, removed_ms: i64) {
        let is_it = |lane: &&mut Lane| {
            let span = lane.seen_ms.zip(lane.removed_ms);
            lane.id == *id && span.is_some_and(|(from, to)| (from..=to).contains(&removed_ms))
        };
        for lane in self.ledger.iter_mut().chain(&mut self.lanes).filter(is_it) {
            (lane.seen_ms, lane.removed_ms) = (seen_ms, Some(removed_ms));
        }
    }

    /// Notes a part of what a pass removed here. Its rows keep their places until it says so, and the
    /// user sees what was removed; a rest that has begun is not prolonged.
    pub fn note_pass(&mut self, part: ShownPass) {
        let uptime = part.seen;
        let mut pass = part;
        if let Some(earlier) = self.pass.filter(|pass| pass.number == part.number) {
            pass.removed = part.removed.saturating_add(earlier.removed);
            pass.at_ms = earlier.at_ms;
            pass.since_ms = part.since_ms.min(earlier.since_ms);
        }
        // A rest that has begun is not prolonged, or rows would never move on a fast clock.
        if let Some(last) = self.pass.filter(|last| uptime < last.next_rest()) {
            (pass.seen, pass.rests_until) = (last.seen, last.rests_until);
        }
        self.pass = Some(pass);
        if self.rests(uptime) {
            self.keep_rows(part.at_ms);
        }
    }

    /// Lets rows keep their places from now on. What has left the axis does not come back.
    pub(super) fn keep_rows(&mut self, now_ms: i64) {
        if std::mem::replace(&mut self.held, true) {
            return;
        }
        let start_ms = self.axis.start_ms(now_ms);
        let has_left = |lane: &Lane| lane.removed_ms.is_some_and(|at| at < start_ms);
        self.summary = self.summary.filter(|summary| summary.at_ms >= start_ms);
        // The rows above the summary have changed, so its place has too.
        if let Some(summary) = &mut self.summary {
            let above = self.lanes.iter().take(summary.after);
            summary.after = above.filter(|lane| !has_left(lane)).count();
        }
        self.lanes.retain(|lane| !has_left(lane));
    }

    /// Whether rows keep their places because a pass has just removed some of them.
    pub fn rests(&self, uptime: Duration) -> bool {
        self.pass.is_some_and(|pass| uptime < pass.rests_until)
    }

    /// Forgets what was removed: it was removed from what is in the store no more.
    pub fn forget_removed(&mut self) {
        self.ledger.clear();
        self.picked.clear();
        self.keep = LedgerKeep::default();
        self.ledger_dropped = 0;
        (self.pass, self.summary) = (None, None);
        self.lanes.retain(|lane| lane.removed_ms.is_none());
        if let Some((lanes, _)) = &mut self.waiting_batch {
            lanes.retain(|lane| lane.removed_ms.is_none());
        }
        if self.selected_removed_ms.take().is_some() {
            (self.selected, self.document) = (None, None);
        }
    }

    /// Selects the tombstone of the selected document if it was removed: `_id`s, and when. Returns
    /// whether it was.
    pub fn follow_removal<'d>(
        &mut self,
        removed: impl IntoIterator<Item = (&'d Bson, i64)>,
    ) -> bool {
        let Some(selected) = &self.selected else { return false };
        if self.selected_removed_ms.is_some() {
            return false;
        }
        let found = removed.into_iter().find(|(id, _)| *id == selected);
        self.selected_removed_ms = found.map(|(_, removed_ms)| removed_ms);
        found.is_some()
    }

    /// The rows of a batch, with the latest tombstones above them.
    pub(super) fn place(&mut self, batch: Vec<Lane>, has_more: bool, now_ms: i64) {
        let from_ms = now_ms.saturating_sub(self.axis.span_ms());
        let mut lanes: Vec<Lane> = self
            .ledger
            .iter()
            .filter(|lane| lane.removed_ms.is_some_and(|at| at >= from_ms))
            .filter(|lane| self.shows(&lane.index))
            .take(TOMBSTONE_LANES_MAX)
            .cloned()
            .collect();
        lanes.reverse();
        self.summary = self.pass.and_then(|pass| summary(pass, &lanes));
        lanes.extend(batch);
        self.lanes = lanes;
        self.has_more = has_more;
    }

    /// The rows from top to bottom. What was removed leaves with the axis, except while rows keep their places.
    pub fn rows(&self, now_ms: i64) -> Vec<Row<'_>> {
        let start_ms = if self.held { i64::MIN } else { self.axis.start_ms(now_ms) };
        let mut rows = Vec::with_capacity(self.lanes.len() + 2);
        let summary = self.summary.filter(|summary| summary.at_ms >= start_ms);
        let summary = summary.filter(|_| self.brush.is_none());
        for at in 0..=self.lanes.len() {
            if let Some(summary) = summary.filter(|summary| summary.after == at) {
                rows.push(Row::Summary(summary));
            }
            if let Some(lane) = self.lanes.get(at)
                && lane.removed_ms.is_none_or(|at_ms| at_ms >= start_ms)
                && self.is_brushed(lane)
            {
                rows.push(Row::Lane(lane));
            }
        }
        if self.has_more {
            rows.push(Row::More(self.lanes.len()));
        }
        rows
    }
}

fn summary(pass: ShownPass, tombstones: &[Lane]) -> Option<Summary> {
    let is_of_pass = |lane: &&Lane| lane.removed_ms.is_some_and(|at| at >= pass.at_ms);
    let listed = tombstones.iter().filter(is_of_pass).count() as u64;
    let removed = pass.removed.saturating_sub(listed);
    let (after, at_ms) = (tombstones.len(), pass.at_ms);
    (removed > 0).then_some(Summary { removed, pass: pass.number, at_ms, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_704_844_800_000;
    const REST: Duration = Duration::from_millis(2_400);

    fn lane(id: i32, removed_ms: Option<i64>) -> Lane {
        Lane {
            id: Bson::Int32(id),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: NOW - 60_000,
            threshold_ms: NOW - 10,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms,
            removable_ms: None,
            seen_ms: None,
        }
    }

    fn part(number: u64, removed: u64, at_ms: i64, seen: Duration) -> ShownPass {
        let rests_until = seen + REST;
        ShownPass { number, removed, at_ms, since_ms: NOW - 10, seen, rests_until }
    }

    /// A view of overdue documents that a pass has just removed at uptime 0.
    fn after_pass(count: i32, unlisted: u64) -> ExpiryView {
        let mut view = ExpiryView::default();
        view.place((0..count).map(|id| lane(id, None)).collect(), false, NOW);
        view.take_removed((0..count).map(|id| lane(id, Some(NOW))), unlisted);
        let removed = u64::try_from(count).expect("a count") + unlisted;
        view.note_pass(part(3, removed, NOW, Duration::ZERO));
        view
    }

    fn summaries(view: &ExpiryView, now_ms: i64) -> Vec<(usize, u64, u64)> {
        let rows = view.rows(now_ms).into_iter().enumerate();
        rows.filter_map(|(at, row)| match row {
            Row::Summary(summary) => Some((at, summary.removed, summary.pass)),
            Row::Lane(_) | Row::More(_) => None,
        })
        .collect()
    }

    #[test]
    fn removed_rows_keep_their_places_and_then_collapse_into_a_summary() {
        let mut view = after_pass(56, 1_000);
        assert!(view.held && view.rests(REST / 2));
        assert_eq!((view.rows(NOW).len(), summaries(&view, NOW).len()), (56, 0));
        assert!(!view.rests(REST));
        view.hold(false, NOW);
        view.place(vec![lane(99, None)], false, NOW);
        assert_eq!(view.rows(NOW).len(), TOMBSTONE_LANES_MAX + 2);
        assert_eq!(summaries(&view, NOW), [(TOMBSTONE_LANES_MAX, 1_051, 3)]);
    }

    #[test]
    fn overdue_documents_that_a_server_has_no_more_become_tombstones() {
        let mut view = ExpiryView { loaded: true, ..ExpiryView::default() };
        let waits = Lane { threshold_ms: NOW + 5_000, ..lane(3, None) };
        view.place(vec![lane(1, None), lane(2, None), waits], false, NOW);
        let row = |id: i32, threshold_ms: i64| {
            let at = bson::DateTime::from_millis;
            bson::doc! {
                "_id": id, "index": "at_1", "field": "at", "base": at(NOW - 60_000),
                "threshold": at(threshold_ms), "source": "index", "state": "overdue",
            }
        };
        let page = |next: Option<Document>| {
            bson::doc! {
                "batch": [row(2, NOW - 10)], "next": next, "rules": 1_i64,
            }
        };
        // Rows after the page may still exist.
        view.take_missing(&bson::doc! {}, &page(Some(bson::doc! {})), NOW);
        assert!(view.ledger.is_empty());
        let span = view.take_missing(&bson::doc! {}, &page(None), NOW);
        assert_eq!(span, Some((NOW, NOW)));
        let gone: Vec<_> =
            view.ledger.iter().map(|lane| (lane.id.clone(), lane.removed_ms)).collect();
        // The third one was not due: another program deleted it or changed its date.
        assert_eq!(gone, [(Bson::Int32(1), Some(NOW))]);
    }

    #[test]
    fn a_deletion_that_was_streamed_has_one_tombstone() {
        let mut view = ExpiryView { loaded: true, ..ExpiryView::default() };
        let waits = Lane { threshold_ms: NOW + 5_000, ..lane(2, None) };
        view.place(vec![lane(1, None), waits], false, NOW);
        let deleted = |id: i32, from_ms: i64, to_ms: i64| DeletedDocument {
            id: Bson::Int32(id),
            from_ms,
            to_ms,
            row: None,
        };
        // The third was never listed, and nothing says when it would have expired.
        let events = vec![deleted(1, NOW, NOW), deleted(2, NOW, NOW + 999), deleted(3, NOW, NOW)];
        assert_eq!(view.take_deleted(events, 0), [(NOW, NOW)], "one had expired");
        let gone: Vec<_> = view.ledger.iter().map(|lane| (lane.seen_ms, lane.removed_ms)).collect();
        assert_eq!(gone, [(Some(NOW), Some(NOW + 999)), (None, Some(NOW))]);
        // A page that is older than the deletion brings the document once more.
        view.place(vec![lane(1, None)], false, NOW);
        view.take_missing(&bson::doc! {}, &bson::doc! { "batch": [] }, NOW + 10);
        assert_eq!(view.ledger.len(), 2);
    }

    #[test]
    fn a_deletion_that_was_noticed_gets_its_instant_from_the_stream() {
        let mut view = ExpiryView { loaded: true, ..ExpiryView::default() };
        view.place(vec![lane(1, None)], false, NOW);
        view.looked_ms = Some(NOW - 9_000);
        view.take_missing(&bson::doc! {}, &bson::doc! { "batch": [] }, NOW);
        let event =
            DeletedDocument { id: Bson::Int32(1), from_ms: NOW - 4, to_ms: NOW - 4, row: None };
        view.take_deleted(vec![event], 0);
        let gone: Vec<_> = view.ledger.iter().map(|lane| (lane.seen_ms, lane.removed_ms)).collect();
        assert_eq!(gone, [(None, Some(NOW - 4))]);
    }

    #[test]
    fn what_was_removed_leaves_with_the_axis() {
        let mut view = after_pass(9, 0);
        view.hold(false, NOW);
        view.place(vec![lane(99, None)], false, NOW);
        let gone = |view: &ExpiryView, ms| view.rows(NOW + ms).len();
        let until_left = NOW - view.axis.start_ms(NOW);
        assert_eq!(gone(&view, until_left), TOMBSTONE_LANES_MAX + 2);
        assert_eq!(gone(&view, until_left + 1), 1, "only the one that waits");
    }

    #[test]
    fn what_has_left_the_axis_does_not_come_back_while_rows_keep_their_places() {
        let mut view = after_pass(9, 0);
        view.hold(false, NOW);
        view.place(vec![lane(99, None)], false, NOW);
        let later = NOW + view.axis.span_ms();
        view.hold(true, later);
        assert_eq!(view.rows(later).len(), 1, "only the one that waits");
    }

    #[test]
    fn passes_in_a_row_do_not_hold_the_rows_forever() {
        let mut view = after_pass(2, 0);
        let later = REST / 2;
        view.note_pass(part(4, 1, NOW + 1, later));
        assert!(view.rests(later) && !view.rests(REST));
        let pass = view.pass.expect("a pass");
        assert_eq!((pass.number, pass.removed), (4, 1));
    }

    #[test]
    fn passes_without_a_pause_on_a_fast_clock_let_the_rows_move() {
        let (mut view, short) = (ExpiryView::default(), Duration::from_secs(1));
        let rests = [(0, true), (1_000, false), (1_900, false), (2_000, true), (3_500, false)];
        for (seen, rests) in rests {
            let seen = Duration::from_millis(seen);
            view.note_pass(ShownPass { rests_until: seen + short, ..part(5, 1, NOW, seen) });
            assert_eq!(view.rests(seen), rests, "{seen:?}");
        }
    }
}
