//! The state of the view.

use std::cmp::Reverse;
use std::collections::VecDeque;

use bson::{Bson, Document, doc};
use mayfly_engine::reply::{DocCount, ExpiringPage, Forecast, ForecastTotals, Verdict, WhatIf};
use serde::{Deserialize, Serialize};

use super::figures::{Brush, Cliff, InRange, LedgerKeep, ShownPass, Summary, Totals, range_of};
use super::lane::Lane;
use super::what_if::WhatIfStrip;
use crate::commands::expiry;
use crate::limits::{DENSITY_BUCKETS, LANES_MAX};
use crate::state::axis::Axis;
use crate::state::calendar::Calendar;

/// How the view shows its documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Mode {
    /// Lanes on a time axis.
    #[default]
    Timeline,
    /// The same documents as a table, soonest first.
    Table,
    /// Removed documents, newest first.
    Removed,
    /// The expiry calendar of all collections.
    Calendar,
}

impl Mode {
    /// Whether the documents that expire are listed.
    pub fn lists_waiting(self) -> bool {
        matches!(self, Self::Timeline | Self::Table)
    }
}

/// The part that is restored at the next start.
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
    /// Whether every count is right. If not, a document with several dates may count several times.
    pub is_exact: bool,
}

impl Density {
    /// How long a slice is, in milliseconds; at least one.
    pub fn slice_ms(&self) -> i64 {
        let slices = i64::try_from(self.counts.len()).unwrap_or(i64::MAX).max(1);
        (self.to_ms.saturating_sub(self.from_ms) / slices).max(1)
    }
}

/// The view's state: plain data, filled from replies and events.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says one thing; none excludes another")]
pub struct ExpiryView {
    /// Whether the view was asked for since it was opened or the data changed.
    pub asked: bool,
    /// When the soonest documents were last asked for, in window time.
    pub looked: Option<std::time::Duration>,
    /// Looks in a row that a server did not answer in time.
    pub late_looks: u32,
    /// The TTL rules of a server's collection at the last look, in its words.
    pub(super) ruled_by: Option<String>,
    /// The time of the store when the soonest documents last came, in milliseconds since 1970.
    pub(super) looked_ms: Option<i64>,
    /// Whether what the last start left was taken over.
    pub restored: bool,
    pub axis: Axis,
    /// Timeline, table or ledger.
    pub mode: Mode,
    /// The TTL index to show; `None` for all.
    pub index: Option<String>,
    /// While all are shown and some are hidden: the others. Documents are shown as if only these
    /// existed.
    pub only: Vec<String>,
    /// Rows in the order in which they are shown.
    pub lanes: Vec<Lane>,
    /// Whether more documents wait than are listed.
    pub has_more: bool,
    /// Why it could not be counted why documents never expire.
    pub reasons_refused: Option<String>,
    /// Whether a batch has arrived since the view was opened.
    pub loaded: bool,
    /// All collections by the time at which documents expire, once it was shown.
    pub calendar: Option<Box<Calendar>>,
    /// Another TTL that is tried on the timeline.
    pub what_if: Option<Box<WhatIfStrip>>,
    /// Documents removed while the view was open, newest first.
    pub ledger: VecDeque<Lane>,
    /// Removed documents that the ledger had no room for.
    pub ledger_dropped: u64,
    /// Documents of the ledger that are chosen to be restored: `_id`, and when each was removed, in
    /// milliseconds since 1970; the last is where a range begins.
    pub picked: Vec<(Bson, i64)>,
    pub(super) keep: LedgerKeep,
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
    /// The verdict of each TTL index, if there are several.
    pub verdict: Option<Verdict>,
    /// While the pointer is over the rows, and for a moment after a pass, they keep their places.
    pub held: bool,
    /// The latest pass that removed documents here.
    pub pass: Option<ShownPass>,
    pub(super) summary: Option<Summary>,
    /// The range of thresholds that is chosen; documents outside of it are not listed.
    pub brush: Option<Brush>,
    /// The range that the listed documents were asked for.
    pub(super) listed: Option<Brush>,
    /// The last range whose documents were counted.
    pub(super) counted: Option<(Brush, InRange)>,
    /// The thresholds of the soonest documents, in milliseconds since 1970; also while a range is
    /// listed.
    pub(super) soonest_ms: Vec<i64>,
    /// Many documents that will go together, and the slice of the density that they are in.
    pub(super) cliff: Option<Cliff>,
    pub(super) cliff_slice: Option<Cliff>,
    /// When the documents were counted that [`Totals`] has, in milliseconds since 1970.
    pub(super) counted_ms: Option<i64>,
    /// The latest request for a density.
    pub(super) density_asked: Option<DensityAsked>,
    pub(super) fitted: bool,
    /// The span before a fast clock widened the axis, in milliseconds.
    pub(super) narrow_ms: Option<i64>,
    pub(super) waiting_batch: Option<(Vec<Lane>, bool)>,
}

/// The parameters of a density, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DensityAsked {
    pub(super) axis_ms: (i64, i64),
    pub(super) now_ms: i64,
}

impl ExpiryView {
    /// The command that fetches the soonest documents of `collection`, or of the chosen range.
    pub fn expiring_command(&self, collection: &str) -> Document {
        let limit = i64::try_from(LANES_MAX).unwrap_or(i64::MAX);
        let command = expiry::expiring(collection, limit.into(), self.indexes());
        match self.brush {
            Some(Brush { from_ms, to_ms }) => expiry::between(command, from_ms, to_ms),
            None => command,
        }
    }

    /// The `index` of commands: one index, several, or nothing for all.
    pub fn indexes(&self) -> Option<Bson> {
        match &self.index {
            Some(name) => Some(name.as_str().into()),
            None if self.only.is_empty() => None,
            None => Some(self.only.clone().into()),
        }
    }

    /// Whether what an index removes is shown.
    pub fn shows(&self, index: &str) -> bool {
        match &self.index {
            Some(name) => name == index,
            None => self.only.is_empty() || self.only.iter().any(|name| name == index),
        }
    }

    /// The command that fetches the density over the axis at `now_ms`.
    pub fn forecast_command(&self, collection: &str, now_ms: i64) -> Document {
        let buckets = i32::try_from(DENSITY_BUCKETS).unwrap_or(i32::MAX);
        // Now stands between two slices, also while the axis is moved away from it: the slices show
        // what is overdue.
        let slice_ms = self.slice_ms();
        let before_ms = now_ms.saturating_sub(self.axis.start_ms(now_ms));
        let whole_ms = (before_ms.saturating_add(slice_ms - 1)).div_euclid(slice_ms) * slice_ms;
        let from_ms = now_ms.saturating_sub(whole_ms);
        let to_ms = from_ms.saturating_add(slice_ms.saturating_mul(i64::from(buckets)));
        expiry::forecast(collection, from_ms, to_ms, buckets, self.indexes())
    }

    /// How long a slice of the density is.
    fn slice_ms(&self) -> i64 {
        let slices = i64::try_from(DENSITY_BUCKETS).unwrap_or(i64::MAX);
        (self.axis.span_ms() / slices).max(1)
    }

    /// Whether a command was about the indexes that are shown now.
    pub fn is_about_shown(&self, command: &Document) -> bool {
        command.get("index") == self.indexes().as_ref()
    }

    /// Takes the reply to [`ExpiryView::expiring_command`], unless another range was chosen since.
    pub fn take_expiring(&mut self, command: &Document, reply: &Document, now_ms: i64) {
        let of = range_of(command);
        let Some(page) = ExpiringPage::from_document(reply).filter(|_| of == self.brush) else {
            return;
        };
        let lanes: Vec<Lane> = page.batch.into_iter().map(Lane::from).collect();
        let has_more = page.next.is_some();
        self.loaded = true;
        self.looked_ms = Some(now_ms);
        if of.is_none() {
            self.soonest_ms = lanes.iter().map(|lane| lane.threshold_ms).collect();
        }
        // Documents of another range can't take the places of the rows.
        if self.held && self.listed == of {
            // Every row keeps its place, with current contents.
            for row in self.lanes.iter_mut().filter(|row| row.removed_ms.is_none()) {
                if let Some(found) = lanes.iter().find(|found| found.id == row.id) {
                    row.clone_from(found);
                }
            }
            self.waiting_batch = Some((lanes, has_more));
            return;
        }
        self.waiting_batch = None;
        self.listed = of;
        self.place(lanes, has_more, now_ms);
        if of.is_none() && !self.fitted {
            self.fit_lanes(now_ms);
        }
    }

    /// The collection was dropped: nothing waits in it any more. Earlier removals stay on the
    /// screen.
    pub fn take_gone(&mut self, now_ms: i64) {
        self.brush = None;
        self.take_expiring(&doc! {}, &doc! {"batch": []}, now_ms);
        self.totals = None;
        self.density = Density::default();
        (self.cliff, self.cliff_slice) = (None, None);
    }

    /// Whether the density and the totals should be requested again: the axis moved by a slice, or
    /// a document became overdue. By itself at most once in `apart_ms` of the store's time.
    pub fn is_density_stale(&self, now_ms: i64, apart_ms: i64) -> bool {
        let Some(asked) = self.density_asked else { return true };
        let (from_ms, to_ms) = asked.axis_ms;
        let moved = from_ms.abs_diff(self.axis.start_ms(now_ms));
        let zoomed = to_ms.saturating_sub(from_ms) != self.axis.span_ms();
        let since = asked.now_ms.saturating_add(1)..=now_ms;
        let is_apart = |ms: i64| now_ms.saturating_sub(asked.now_ms) >= ms;
        zoomed
            || moved >= self.slice_ms().unsigned_abs() && is_apart(apart_ms)
            || is_apart(apart_ms.max(DENSITY_MS_MIN))
                && self.soonest_ms.iter().any(|threshold_ms| since.contains(threshold_ms))
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
        let (counts, is_exact) = (found.counts, found.exact);
        let totals = self.totals.get_or_insert_default();
        totals.damaged = found.damaged;
        if let Some(ForecastTotals { at_ms, overdue, waiting, never }) = found.totals {
            (totals.overdue, totals.waiting, totals.never) = (overdue, waiting, never);
            self.counted_ms = Some(at_ms);
        } else {
            let (start_ms, slices) = (from_ms, i64::try_from(counts.len()).unwrap_or(1).max(1));
            let slice_ms = (to_ms.saturating_sub(from_ms) / slices).max(1);
            let past = now_ms.saturating_sub(start_ms).div_euclid(slice_ms);
            let past = usize::try_from(past).unwrap_or(0).min(counts.len());
            let (due, ahead) = counts.split_at(past);
            totals.overdue = (due.iter().sum::<u64>() + found.overdue).into();
            totals.waiting = (ahead.iter().sum::<u64>() + found.beyond).into();
            totals.never = found.never.into();
            self.counted_ms = Some(now_ms);
        }
        self.density = Density { from_ms, to_ms, counts, is_exact };
        self.note_cliff(now_ms);
    }

    /// Whether the list is empty though documents will expire: it came before the counts.
    pub fn lacks_lanes(&self) -> bool {
        let counted = |totals: &Totals| totals.overdue.plus(totals.waiting).least();
        let counted = self.totals.as_ref().map_or(0, counted);
        self.loaded && self.lanes.is_empty() && self.brush.is_none() && counted > 0
    }

    /// Takes the reply to `mayflyWhatIf` with the index's own seconds.
    pub fn take_reasons(&mut self, reply: &Document, now_ms: i64) {
        let Some(found) = WhatIf::from_document(reply) else { return };
        let never = found.stays();
        let WhatIf { total, damaged, overdue_now: overdue, never: reasons, .. } = found;
        let mut reasons: Vec<(String, DocCount)> =
            reasons.into_iter().map(|(code, count)| (code.into_owned(), count)).collect();
        reasons.retain(|(_, count)| !count.is_zero());
        let by_count = |reason: &(String, DocCount)| Reverse(reason.1.likely());
        reasons.sort_by(|a, b| by_count(a).cmp(&by_count(b)).then_with(|| a.0.cmp(&b.0)));
        let waiting = total.minus(overdue).minus(never).minus(damaged.into());
        self.totals = Some(Totals { overdue, waiting, never, damaged, reasons });
        self.counted_ms = Some(now_ms);
    }

    /// Keeps every row in its place while `held`. On release, rows that arrived since are shown.
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
                axis: Axis::default(),
                fitted: false,
                narrow_ms: None,
                ..self.restarted()
            };
        }
    }

    /// Shows documents as if only these of the TTL indexes existed; all, if none is named.
    pub fn show_only(&mut self, only: Vec<String>) {
        if self.only != only {
            *self = Self { only, ..self.restarted() };
        }
    }

    /// The view of other indexes: it keeps what does not depend on them.
    fn restarted(&mut self) -> Self {
        Self {
            axis: self.axis,
            fitted: self.fitted,
            narrow_ms: self.narrow_ms,
            mode: self.mode,
            restored: self.restored,
            ledger: std::mem::take(&mut self.ledger),
            keep: std::mem::take(&mut self.keep),
            ledger_dropped: self.ledger_dropped,
            ..Self::default()
        }
    }

    /// Shows the next few documents; the first span where none will expire.
    pub fn fit(&mut self, now_ms: i64) {
        self.axis = Axis::default();
        self.fit_lanes(now_ms);
    }

    /// Another TTL moves the thresholds: the axis fits the documents that are known, and then those that
    /// come.
    pub fn fit_again(&mut self, now_ms: i64) {
        self.fit(now_ms);
        self.fitted = false;
    }

    /// Chooses a span in which the next few documents are on screen.
    fn fit_lanes(&mut self, now_ms: i64) {
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

    /// The store's clock runs at another rate. On a fast one the axis widens, so that documents
    /// don't cross it in a moment; on a slow one it shows the next few documents again.
    pub fn follow_rate(&mut self, rate: f64, now_ms: i64) {
        // Where nothing is listed any more, there is nothing to fit.
        if let Some(narrow_ms) = self.narrow_ms {
            self.axis.set_span_ms(narrow_ms);
            self.fit_lanes(now_ms);
        }
        let span_ms = self.axis.span_ms();
        self.narrow_ms = self.axis.widen_for(rate).then_some(span_ms);
    }

    /// The chosen document as it is shown.
    pub fn document_text(&self, document: &Document) -> String {
        mayfly_engine::value::shell::write_value(
            &Bson::Document(document.clone()),
            mayfly_engine::value::extjson::Layout::Indented,
        )
    }

    /// The row of the chosen document.
    pub fn selected_lane(&self) -> Option<&Lane> {
        let id = self.selected.as_ref()?;
        let of_id = || self.lanes.iter().chain(&self.ledger).filter(|lane| lane.id == *id);
        of_id().find(|lane| lane.removed_ms == self.selected_removed_ms).or_else(|| of_id().next())
    }

    /// Notes the rules that a page of a server's documents follows. Returns whether they are others than before: then
    /// a document that isn't listed any more need not be gone.
    pub fn note_rules(&mut self, reply: &Document) -> bool {
        let Ok(ruled_by) = reply.get_str("ruledBy") else { return false };
        let before = self.ruled_by.replace(ruled_by.to_owned());
        before.is_some_and(|before| before != ruled_by)
    }
}

/// The density is asked for no more often than this, in milliseconds, while documents become
/// overdue.
pub(super) const DENSITY_MS_MIN: i64 = 1_000;

/// Rows that the first span should show.
pub(super) const FIT_LANES: usize = 9;

/// The first span shows at least this many milliseconds ahead.
pub(super) const FIT_MS_MIN: i64 = 60_000;
