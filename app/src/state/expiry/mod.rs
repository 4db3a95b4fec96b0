//! The Expiry view of one collection: which documents wait, which are overdue, which were just
//! removed.
//!
//! Every lane keeps its absolute threshold; whatever depends on *now* is computed on demand.

mod lag;
mod removals;

use std::collections::VecDeque;

use bson::{Bson, Document, doc};
use mayfly_engine::reply::{ExpiringPage, ExpiringRow, Forecast, WhatIf};

use serde::{Deserialize, Serialize};

pub use self::lag::{Cliff, PassLag, Promise};
pub use self::removals::{Row, ShownPass, Summary};
use super::axis::Axis;
use crate::commands::expiry;
use crate::job::RemovedDocument;
pub use crate::job::purpose::ExpiryPurpose as Purpose;
use crate::limits::{DENSITY_BUCKETS, LANES_MAX};

/// How the view shows its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Mode {
    /// Lanes on a time axis.
    #[default]
    Timeline,
    /// The same documents as a table, soonest first.
    Table,
    /// What was removed, newest first.
    Removed,
}

/// A document that will expire, or was removed while the view was open.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The document's `_id`.
    pub id: Bson,
    /// The TTL index that decides.
    pub index: String,
    /// The field that holds the date; `_ts` for the last modification.
    pub field: String,
    /// The date that the seconds are added to, in milliseconds.
    pub base_ms: i64,
    /// The instant from which a pass removes it, in milliseconds.
    pub threshold_ms: i64,
    /// Whether the document's own `ttl` made the threshold.
    pub own_ttl: bool,
    /// The dates in the field, earliest first, if there are several; the first is the base.
    pub dates_ms: Vec<i64>,
    /// When it was removed, in milliseconds, if it was.
    pub removed_ms: Option<i64>,
}

/// The phase of a document's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before its threshold.
    Waiting,
    /// Past its threshold, not yet removed.
    Overdue,
    /// Gone, this many milliseconds after its threshold.
    Removed {
        /// Removal minus threshold, in milliseconds.
        late_ms: i64,
    },
}

impl Lane {
    /// The phase of the document at `now_ms`.
    #[must_use]
    pub fn phase(&self, now_ms: i64) -> Phase {
        match self.removed_ms {
            Some(at) => Phase::Removed { late_ms: at.saturating_sub(self.threshold_ms) },
            None if self.threshold_ms <= now_ms => Phase::Overdue,
            None => Phase::Waiting,
        }
    }

    /// Whether the threshold is counted from the last modification. Azure Cosmos DB hides such a
    /// document from its threshold on.
    #[must_use]
    pub fn is_on_modification(&self) -> bool {
        self.own_ttl || self.field == "_ts"
    }
}

impl From<ExpiringRow> for Lane {
    fn from(row: ExpiringRow) -> Self {
        let ExpiringRow { id, index, field, base_ms, threshold_ms, source, .. } = row;
        let own_ttl = source == "item";
        let dates_ms = row.dates_ms.unwrap_or_default();
        Self { id, index, field, base_ms, threshold_ms, own_ttl, dates_ms, removed_ms: None }
    }
}

impl From<&RemovedDocument> for Lane {
    /// The tombstone of a document that a pass removed.
    fn from(removed: &RemovedDocument) -> Self {
        Self {
            id: removed.id.clone(),
            index: removed.index.clone(),
            field: String::new(),
            base_ms: removed.base_ms,
            threshold_ms: removed.threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: Some(removed.removed_ms),
        }
    }
}

/// What is restored at the next start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedExpiry {
    /// The chosen index.
    pub index: Option<String>,
    /// Timeline, table or ledger.
    pub mode: Mode,
}

/// How many documents reach their threshold in each slice of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Density {
    /// Start of the first slice, in milliseconds.
    pub from_ms: i64,
    /// End of the last slice, in milliseconds.
    pub to_ms: i64,
    /// Documents in each slice.
    pub counts: Vec<u64>,
}

impl Density {
    /// How long a slice is, in milliseconds; at least one.
    #[must_use]
    pub fn slice_ms(&self) -> i64 {
        let slices = i64::try_from(self.counts.len()).unwrap_or(i64::MAX).max(1);
        (self.to_ms.saturating_sub(self.from_ms) / slices).max(1)
    }
}

/// A range of thresholds, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brush {
    /// The first instant.
    pub from_ms: i64,
    /// The end.
    pub to_ms: i64,
}

/// The whole collection in four figures, and why the documents of the fourth never expire.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals {
    /// Past the threshold and not removed.
    pub overdue: u64,
    /// Before the threshold.
    pub waiting: u64,
    /// Documents that the TTL never removes.
    pub never: u64,
    /// Damaged documents and index entries, which belong to none of the three.
    pub damaged: u64,
    /// Reason code and number of documents, most first.
    pub reasons: Vec<(String, u64)>,
}

impl Totals {
    /// How many documents were counted.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.waiting.saturating_add(self.overdue).saturating_add(self.never)
    }

    /// Whether documents never expire and it is not known why.
    #[must_use]
    pub fn lack_reasons(&self) -> bool {
        self.never > 0 && self.reasons.is_empty()
    }
}

/// The view's state: plain data, filled from replies and events.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing; none excludes another")]
pub struct ExpiryView {
    /// Whether the view was asked for since it was opened or the data changed.
    pub asked: bool,
    /// Whether what the last start left was taken over.
    pub restored: bool,
    /// What the axis shows.
    pub axis: Axis,
    /// Timeline, table or ledger.
    pub mode: Mode,
    /// The TTL index to show; `None` for all.
    pub index: Option<String>,
    /// Rows in the order in which they are shown.
    pub lanes: Vec<Lane>,
    /// Whether more documents wait than are listed.
    pub has_more: bool,
    /// Whether a batch has arrived since the view was opened.
    pub loaded: bool,
    /// What was removed while the view was open, newest first.
    pub ledger: VecDeque<Lane>,
    /// Removed documents that the ledger had no room for.
    pub ledger_dropped: u64,
    /// The density over the axis.
    pub density: Density,
    /// The collection in figures.
    pub totals: Option<Totals>,
    /// The chosen document's `_id`.
    pub selected: Option<Bson>,
    /// When the chosen document was removed, if its tombstone was chosen: a document may have come
    /// again since.
    pub selected_removed_ms: Option<i64>,
    /// The chosen document, once it was fetched.
    pub document: Option<Document>,
    /// While the pointer is over the rows, and for a moment after a pass, they keep their places.
    pub held: bool,
    /// The latest pass that removed documents here.
    pub pass: Option<ShownPass>,
    summary: Option<Summary>,
    /// The range of thresholds that is chosen; documents outside of it are not listed.
    pub brush: Option<Brush>,
    /// What the density was last asked for.
    density_asked: Option<DensityAsked>,
    fitted: bool,
    /// Whether a fast clock widened the axis.
    widened: bool,
    waiting_batch: Option<(Vec<Lane>, bool)>,
}

/// What a density was asked for, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
struct DensityAsked {
    axis_ms: (i64, i64),
    now_ms: i64,
}

impl ExpiryView {
    /// The command that fetches the soonest documents of `collection`.
    #[must_use]
    pub fn expiring_command(&self, collection: &str) -> Document {
        let limit = i64::try_from(LANES_MAX).unwrap_or(i64::MAX);
        expiry::expiring(collection, limit.into(), self.index.as_deref())
    }

    /// The command that fetches the density over the axis at `now_ms`.
    #[must_use]
    pub fn forecast_command(&self, collection: &str, now_ms: i64) -> Document {
        let buckets = i32::try_from(DENSITY_BUCKETS).unwrap_or(i32::MAX);
        // Now stands between two slices, also while the axis is moved away from it: the slices show
        // what is overdue.
        let slice_ms = self.slice_ms();
        let before_ms = now_ms.saturating_sub(self.axis.start_ms(now_ms));
        let whole_ms = (before_ms.saturating_add(slice_ms - 1)).div_euclid(slice_ms) * slice_ms;
        let from_ms = now_ms.saturating_sub(whole_ms);
        let to_ms = from_ms.saturating_add(slice_ms.saturating_mul(i64::from(buckets)));
        expiry::forecast(collection, from_ms, to_ms, buckets, self.index.as_deref())
    }

    /// How long a slice of the density is.
    fn slice_ms(&self) -> i64 {
        let slices = i64::try_from(DENSITY_BUCKETS).unwrap_or(i64::MAX);
        (self.axis.span_ms() / slices).max(1)
    }

    /// Whether a command was about the index that is shown now, or about all while all are.
    #[must_use]
    pub fn is_about_shown(&self, command: &Document) -> bool {
        command.get_str("index").ok() == self.index.as_deref()
    }

    /// Takes the reply to [`ExpiryView::expiring_command`].
    pub fn take_expiring(&mut self, reply: &Document, now_ms: i64) {
        let Some(page) = ExpiringPage::from_document(reply) else { return };
        let lanes: Vec<Lane> = page.batch.into_iter().map(Lane::from).collect();
        let has_more = page.next.is_some();
        self.loaded = true;
        if self.held {
            // Every row keeps its place, with current contents.
            for row in self.lanes.iter_mut().filter(|row| row.removed_ms.is_none()) {
                if let Some(found) = lanes.iter().find(|found| found.id == row.id) {
                    row.clone_from(found);
                }
            }
            self.waiting_batch = Some((lanes, has_more));
            return;
        }
        self.place(lanes, has_more, now_ms);
        if !self.fitted && !self.lanes.is_empty() {
            self.fit(now_ms);
        }
    }

    /// The collection was dropped: nothing waits in it any more. Earlier removals stay on the
    /// screen.
    pub fn take_gone(&mut self, now_ms: i64) {
        self.take_expiring(&doc! {"batch": []}, now_ms);
        self.totals = None;
        self.density = Density::default();
    }

    /// Whether the density and the totals should be asked for again: the axis moved by a slice, or
    /// a document became overdue. At most once in a second of the store's time.
    #[must_use]
    pub fn is_density_stale(&self, now_ms: i64) -> bool {
        let Some(asked) = self.density_asked else { return true };
        let (from_ms, to_ms) = asked.axis_ms;
        let moved = from_ms.abs_diff(self.axis.start_ms(now_ms));
        let zoomed = to_ms.saturating_sub(from_ms) != self.axis.span_ms();
        let since = asked.now_ms.saturating_add(1)..=now_ms;
        let mut waited = self.lanes.iter().filter(|lane| lane.removed_ms.is_none());
        zoomed
            || moved >= self.slice_ms().unsigned_abs()
            || now_ms.saturating_sub(asked.now_ms) >= DENSITY_MS_MIN
                && waited.any(|lane| since.contains(&lane.threshold_ms))
    }

    /// Notes that the density over the axis is being asked for.
    pub fn ask_density(&mut self, now_ms: i64) {
        let axis_ms = (self.axis.start_ms(now_ms), self.axis.end_ms(now_ms));
        self.density_asked = Some(DensityAsked { axis_ms, now_ms });
    }

    /// Takes the reply to [`ExpiryView::forecast_command`].
    pub fn take_forecast(&mut self, command: &Document, reply: &Document, now_ms: i64) {
        let date = |name| command.get_datetime(name).map(|date| date.timestamp_millis());
        let (Ok(from_ms), Ok(to_ms)) = (date("from"), date("to")) else { return };
        let Some(found) = Forecast::from_document(reply) else { return };
        let counts = found.counts;
        let totals = self.totals.get_or_insert_default();
        totals.never = found.never;
        totals.damaged = found.damaged;
        let (start_ms, slices) = (from_ms, i64::try_from(counts.len()).unwrap_or(1).max(1));
        let slice_ms = (to_ms.saturating_sub(from_ms) / slices).max(1);
        let past = now_ms.saturating_sub(start_ms).div_euclid(slice_ms);
        let past = usize::try_from(past).unwrap_or(0).min(counts.len());
        let (due, ahead) = counts.split_at(past);
        totals.overdue = due.iter().sum::<u64>() + found.overdue;
        totals.waiting = ahead.iter().sum::<u64>() + found.beyond;
        self.density = Density { from_ms, to_ms, counts };
    }

    /// Takes the reply to `mayflyWhatIf` with the index's own seconds.
    pub fn take_reasons(&mut self, reply: &Document) {
        let Some(found) = WhatIf::from_document(reply) else { return };
        let WhatIf { total, damaged, overdue_now: overdue, never, .. } = found;
        let mut reasons: Vec<(String, u64)> =
            never.into_iter().map(|(code, count)| (code.into_owned(), count)).collect();
        reasons.retain(|(_, count)| *count > 0);
        reasons.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let never = reasons.iter().map(|(_, count)| count).sum();
        let waiting = total.saturating_sub(overdue).saturating_sub(never).saturating_sub(damaged);
        self.totals = Some(Totals { overdue, waiting, never, damaged, reasons });
    }

    /// Keeps every row in its place while `held`; on release what came meanwhile is shown.
    pub fn hold(&mut self, held: bool, now_ms: i64) {
        if held {
            self.keep_rows(now_ms);
            return;
        }
        let released = std::mem::take(&mut self.held);
        if released && let Some((lanes, has_more)) = self.waiting_batch.take() {
            self.place(lanes, has_more, now_ms);
        }
    }

    /// Shows another index; what was fetched for the last one is dropped.
    pub fn choose_index(&mut self, index: Option<String>) {
        if self.index != index {
            *self = Self {
                index,
                mode: self.mode,
                restored: self.restored,
                ledger: std::mem::take(&mut self.ledger),
                ledger_dropped: self.ledger_dropped,
                ..Self::default()
            };
        }
    }

    /// Chooses a span in which the next few documents are on screen.
    pub fn fit(&mut self, now_ms: i64) {
        let ahead = self.lanes.iter().filter(|lane| lane.threshold_ms > now_ms);
        let Some(last) = ahead.take(FIT_LANES).last() else { return };
        self.axis.fit(last.threshold_ms.saturating_sub(now_ms).max(FIT_MS_MIN));
        self.fitted = true;
    }

    /// Shows the time between two instants, and keeps it when the first documents come.
    pub fn show_range(&mut self, from_ms: i64, to_ms: i64, now_ms: i64) {
        self.axis.show_range(from_ms, to_ms, now_ms);
        self.fitted = true;
    }

    /// The store's clock runs at another rate. On a fast one the axis widens, so that documents don't
    /// cross it in a moment; on a slow one it shows the next few documents again.
    pub fn follow_rate(&mut self, rate: f64, now_ms: i64) {
        if self.widened {
            self.fit(now_ms);
        }
        self.widened = self.axis.widen_for(rate);
    }

    /// A range on whole slices of the density, so that its documents can be counted.
    #[must_use]
    pub fn on_slices(&self, brush: Brush) -> Brush {
        let slice_ms = self.density.slice_ms();
        let slices = |ms: i64| ms.saturating_sub(self.density.from_ms).div_euclid(slice_ms);
        let at = |slices: i64| self.density.from_ms.saturating_add(slices.saturating_mul(slice_ms));
        let (from, to) = (slices(brush.from_ms), slices(brush.to_ms).saturating_add(1));
        Brush { from_ms: at(from), to_ms: at(to) }
    }

    /// How many documents that are still stored expire in the chosen range, as far as the density
    /// reaches.
    #[must_use]
    pub fn brushed(&self) -> u64 {
        let Some(brush) = self.brush else { return 0 };
        let density = &self.density;
        let starts = (density.from_ms..).step_by(usize::try_from(density.slice_ms()).unwrap_or(1));
        let inside = starts.zip(&density.counts).filter(|(from_ms, _)| {
            // By the middle: the slices move with time, and the range does not.
            (brush.from_ms..brush.to_ms).contains(&from_ms.saturating_add(density.slice_ms() / 2))
        });
        inside.map(|(_, count)| *count).sum()
    }

    /// Whether a document is listed: all are, unless a range is chosen.
    #[must_use]
    pub fn is_brushed(&self, lane: &Lane) -> bool {
        self.brush.is_none_or(|brush| (brush.from_ms..brush.to_ms).contains(&lane.threshold_ms))
    }

    /// The earliest threshold that is still to come, in milliseconds.
    #[must_use]
    pub fn next_threshold_ms(&self, now_ms: i64) -> Option<i64> {
        self.lanes
            .iter()
            .filter(|lane| lane.removed_ms.is_none() && lane.threshold_ms > now_ms)
            .map(|lane| lane.threshold_ms)
            .min()
    }

    /// The chosen document as it is shown.
    #[must_use]
    pub fn document_text(&self, document: &Document) -> String {
        mayfly_engine::value::shell::write_value(
            &Bson::Document(document.clone()),
            mayfly_engine::value::extjson::Layout::Indented,
        )
    }

    /// The row of the chosen document.
    #[must_use]
    pub fn selected_lane(&self) -> Option<&Lane> {
        let id = self.selected.as_ref()?;
        let of_id = || self.lanes.iter().chain(&self.ledger).filter(|lane| lane.id == *id);
        of_id().find(|lane| lane.removed_ms == self.selected_removed_ms).or_else(|| of_id().next())
    }

    /// Median, 99th percentile and maximum of removal minus threshold over the ledger, in
    /// milliseconds. `None` while nothing was removed.
    #[must_use]
    pub fn lag_ms(&self) -> Option<(i64, i64, i64)> {
        let mut late: Vec<i64> = self
            .ledger
            .iter()
            .filter_map(|lane| Some(lane.removed_ms?.saturating_sub(lane.threshold_ms)))
            .collect();
        late.sort_unstable();
        // Nearest rank: the smallest value that so many percent do not exceed.
        let rank = |percent: usize| (late.len() * percent).div_ceil(100).saturating_sub(1);
        let at = |percent: usize| late.get(rank(percent)).copied();
        Some((at(50)?, at(99)?, at(100)?))
    }
}

/// The density is asked for no more often than this, in milliseconds, while documents become
/// overdue.
const DENSITY_MS_MIN: i64 = 1_000;

/// Rows that the first span should show.
const FIT_LANES: usize = 9;

/// The first span shows at least this many milliseconds ahead.
const FIT_MS_MIN: i64 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LEDGER_MAX;

    const NOW: i64 = 1_704_844_800_000;

    fn lane(id: i32, threshold_ms: i64) -> Lane {
        Lane {
            id: Bson::Int32(id),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: threshold_ms - 60_000,
            threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: None,
        }
    }

    fn batch(thresholds: &[(i32, i64)]) -> Document {
        let date = |ms| Bson::DateTime(bson::DateTime::from_millis(ms));
        let batch: Vec<Bson> = thresholds
            .iter()
            .map(|(id, at)| {
                Bson::Document(doc! {
                    "_id": *id, "index": "at_1", "field": "at", "base": date(at - 60_000),
                    "threshold": date(*at), "source": "index", "state": "waiting",
                })
            })
            .collect();
        doc! { "batch": batch, "next": Bson::Null, "ok": 1.0 }
    }

    fn ids(view: &ExpiryView) -> Vec<i32> {
        view.lanes.iter().filter_map(|lane| lane.id.as_i32()).collect()
    }

    fn removed(id: i32, threshold_ms: i64, at: i64) -> Lane {
        Lane { removed_ms: Some(at), ..lane(id, threshold_ms) }
    }

    #[test]
    fn a_lane_waits_is_overdue_at_its_threshold_and_is_removed_late() {
        let mut row = lane(1, NOW);
        assert_eq!(row.phase(NOW - 1), Phase::Waiting);
        assert_eq!(row.phase(NOW), Phase::Overdue);
        row.removed_ms = Some(NOW + 900);
        assert_eq!(row.phase(NOW + 5_000), Phase::Removed { late_ms: 900 });
    }

    #[test]
    fn a_removed_row_stays_as_a_tombstone_in_its_place() {
        let mut view = ExpiryView::default();
        view.take_expiring(&batch(&[(1, NOW - 5), (2, NOW + 5), (3, NOW + 9)]), NOW);
        view.take_removed([removed(1, NOW - 5, NOW)], 0);
        assert_eq!(ids(&view), [1, 2, 3]);
        assert_eq!(view.lanes[0].phase(NOW), Phase::Removed { late_ms: 5 });
        view.take_expiring(&batch(&[(2, NOW + 5), (3, NOW + 9)]), NOW);
        assert_eq!(ids(&view), [1, 2, 3], "the tombstone is above the next batch");
        let later = NOW + view.axis.span_ms() + 1;
        view.take_expiring(&batch(&[(3, NOW + 9)]), later);
        assert_eq!(ids(&view), [3], "a tombstone fades");
    }

    #[test]
    fn rows_do_not_move_under_the_pointer() {
        let mut view = ExpiryView::default();
        view.take_expiring(&batch(&[(1, NOW + 1), (2, NOW + 2)]), NOW);
        view.hold(true, NOW);
        view.take_expiring(&batch(&[(0, NOW), (1, NOW + 1), (2, NOW + 2)]), NOW);
        assert_eq!(ids(&view), [1, 2]);
        view.hold(false, NOW);
        assert_eq!(ids(&view), [0, 1, 2]);
    }

    #[test]
    fn rows_under_the_pointer_tell_what_is_true() {
        let mut view = ExpiryView::default();
        view.take_expiring(&batch(&[(1, NOW + 1), (2, NOW + 2)]), NOW);
        view.hold(true, NOW);
        view.take_expiring(&batch(&[(2, NOW + 2), (1, NOW + 60_000)]), NOW);
        assert_eq!(ids(&view), [1, 2]);
        assert_eq!(view.lanes[0].threshold_ms, NOW + 60_000, "its date was refreshed");
    }

    #[test]
    fn a_document_that_came_again_is_not_its_tombstone() {
        let mut view = ExpiryView::default();
        view.take_expiring(&batch(&[(1, NOW - 5)]), NOW);
        view.take_removed([removed(1, NOW - 5, NOW)], 0);
        view.take_expiring(&batch(&[(1, NOW + 9)]), NOW);
        assert_eq!(ids(&view), [1, 1], "the tombstone, and the document that waits");
        let chosen = |view: &ExpiryView| view.selected_lane().map(|lane| lane.removed_ms);
        view.selected = Some(Bson::Int32(1));
        assert_eq!(chosen(&view), Some(None), "the one that waits");
        view.selected_removed_ms = Some(NOW);
        assert_eq!(chosen(&view), Some(Some(NOW)));
        view.take_removed([removed(1, NOW + 9, NOW + 10)], 0);
        let at: Vec<_> = view.lanes.iter().map(|lane| lane.removed_ms).collect();
        assert_eq!(at, [Some(NOW), Some(NOW + 10)]);
    }

    #[test]
    fn what_is_overdue_is_told_wherever_the_axis_stands() {
        let mut view = ExpiryView::default();
        view.axis.set_span_ms(365 * 86_400_000);
        for moved in [0.0, 0.1, 0.004, -0.25, 3.0, -3.0] {
            view.axis.pan(moved);
            let command = view.forecast_command("c", NOW);
            let date = |name| command.get_datetime(name).expect("a date").timestamp_millis();
            let (from, to) = (date("from"), date("to"));
            let slice = (to - from) / i64::try_from(DENSITY_BUCKETS).expect("it is small");
            assert_eq!((NOW - from) % slice, 0, "{moved}");
            assert!((from - view.axis.start_ms(NOW)).abs() < slice, "{moved}");
        }
    }

    #[test]
    fn the_ledger_is_bounded_and_says_what_it_dropped() {
        let mut view = ExpiryView::default();
        let count = i32::try_from(LEDGER_MAX).expect("the bound is small") + 10;
        view.take_removed((0..count).map(|id| removed(id, NOW, NOW + i64::from(id))), 5);
        assert_eq!(view.ledger.len(), LEDGER_MAX);
        assert_eq!(view.ledger_dropped, 15);
        assert_eq!(view.ledger[0].id, Bson::Int32(count - 1), "newest first");
        let (median, _, max) = view.lag_ms().expect("something was removed");
        assert!(median < max);
    }

    #[test]
    fn totals_name_their_reasons_most_first() {
        let mut view = ExpiryView::default();
        view.take_reasons(&doc! {
            "total": 13_i64, "damaged": 3_i64, "overdueNow": 2_i64, "nextHour": 1_i64, "nextDay": 1_i64,
            "never": { "text": 1_i64, "fieldMissing": 3, "null": 0 },
        });
        let totals = view.totals.expect("totals are there");
        assert_eq!((totals.overdue, totals.waiting, totals.never), (2, 4, 4));
        assert_eq!(totals.damaged, 3);
        assert_eq!(totals.reasons, [("fieldMissing".to_owned(), 3), ("text".to_owned(), 1)]);
    }

    #[test]
    fn a_range_lists_and_counts_only_what_expires_in_it() {
        let mut view = ExpiryView::default();
        view.take_expiring(&batch(&[(1, NOW + 5), (2, NOW + 15), (3, NOW + 25)]), NOW);
        view.density = Density { from_ms: NOW, to_ms: NOW + 40, counts: vec![1, 1, 1, 7] };
        view.brush = Some(view.on_slices(Brush { from_ms: NOW + 12, to_ms: NOW + 21 }));
        assert_eq!(view.brush, Some(Brush { from_ms: NOW + 10, to_ms: NOW + 30 }));
        assert_eq!(view.brushed(), 2);
        let listed = |view: &ExpiryView| {
            let rows = view.rows(NOW).into_iter();
            let lanes = rows.filter_map(|row| match row {
                Row::Lane(lane) => lane.id.as_i32(),
                _ => None,
            });
            lanes.collect::<Vec<_>>()
        };
        assert_eq!(listed(&view), [2, 3]);
        view.brush = None;
        assert_eq!(listed(&view), [1, 2, 3]);
    }

    #[test]
    fn another_index_starts_anew_but_keeps_the_ledger() {
        let mut view = ExpiryView::default();
        view.take_expiring(&batch(&[(1, NOW + 1)]), NOW);
        view.take_removed([removed(9, NOW, NOW)], 0);
        view.choose_index(Some("other".into()));
        assert!(view.lanes.is_empty() && !view.loaded);
        assert_eq!(view.ledger.len(), 1);
        assert_eq!(view.expiring_command("c").get_str("index").ok(), Some("other"));
    }
}
