//! The chosen range of thresholds: its documents, and how many they are.

use bson::Document;
use mayfly_engine::reply::Forecast;

use super::figures::{Brush, InRange, range_of};
use super::{ExpiryView, Lane, Mode};
use crate::commands::expiry;

impl ExpiryView {
    /// The range that a brush selects.
    pub fn on_slices(&self, brush: Brush) -> Brush {
        let slice_ms = self.density.slice_ms();
        // On whole slices of the density, so that the range's documents can be counted.
        let slices = |ms: i64| ms.saturating_sub(self.density.from_ms).div_euclid(slice_ms);
        let at = |slices: i64| self.density.from_ms.saturating_add(slices.saturating_mul(slice_ms));
        let (from, to) = (slices(brush.from_ms), slices(brush.to_ms).saturating_add(1));
        Brush { from_ms: at(from), to_ms: at(to) }
    }

    /// The command that counts the documents of the chosen range.
    pub fn range_command(&self, collection: &str) -> Option<Document> {
        let Brush { from_ms, to_ms } = self.brush?;
        Some(expiry::forecast(collection, from_ms, to_ms, 1, self.indexes()))
    }

    /// Takes the reply to [`ExpiryView::range_command`].
    pub fn take_range(&mut self, command: &Document, reply: &Document) {
        let Some(found) = Forecast::from_document(reply) else { return };
        // A document with several dates that is counted several times makes the count too large.
        self.counted = range_of(command)
            .filter(|_| found.exact)
            .map(|of| (of, InRange { documents: found.counts.iter().sum(), is_exact: true }));
    }

    /// How many stored documents are in the chosen range.
    pub fn in_range(&self) -> Option<InRange> {
        let brush = self.brush?;
        let waits = |lane: &&Lane| lane.removed_ms.is_none() && brush.has(lane.threshold_ms);
        let listed = self.lanes.iter().filter(waits).count() as u64;
        if self.listed == Some(brush) && !self.has_more {
            return Some(InRange { documents: listed, is_exact: true });
        }
        let counted = self.counted.filter(|(of, _)| *of == brush).map(|(_, found)| found);
        let known = counted.or_else(|| self.in_slices(brush));
        Some(known.unwrap_or(InRange { documents: listed, is_exact: false }))
    }

    /// The density's counts for a range of whole slices.
    fn in_slices(&self, brush: Brush) -> Option<InRange> {
        let density = &self.density;
        let is_covered = density.from_ms <= brush.from_ms && brush.to_ms <= density.to_ms;
        let slice_ms = density.slice_ms();
        let is_whole = brush.from_ms.saturating_sub(density.from_ms) % slice_ms == 0;
        if !(density.is_exact && is_covered && is_whole) {
            return None;
        }
        let starts = (density.from_ms..).step_by(usize::try_from(slice_ms).unwrap_or(1));
        let inside = starts.zip(&density.counts).filter(|(from_ms, _)| brush.has(*from_ms));
        Some(InRange { documents: inside.map(|(_, count)| *count).sum(), is_exact: true })
    }

    /// Whether only the first documents of the chosen range are listed: how many.
    pub fn first_of_range(&self) -> Option<usize> {
        let is_part = self.brush.is_some() && self.listed == self.brush && self.has_more;
        is_part.then(|| self.lanes.iter().filter(|lane| lane.removed_ms.is_none()).count())
    }

    /// Whether a document is listed: all are, unless a range is chosen.
    pub fn is_brushed(&self, lane: &Lane) -> bool {
        self.brush.is_none_or(|brush| brush.has(lane.threshold_ms))
    }

    /// Whether the chosen document isn't in what is listed: removed documents are listed apart from
    /// those that wait, and a table has only those of the chosen range.
    pub fn lacks_selected(&self) -> bool {
        let Some(lane) = self.selected_lane() else { return false };
        let is_same = |other: &Lane| other.id == lane.id && other.removed_ms == lane.removed_ms;
        match self.mode {
            Mode::Removed => !self.ledger.iter().any(is_same),
            Mode::Timeline => !self.lanes.iter().any(is_same),
            Mode::Calendar => false,
            Mode::Table => !self.lanes.iter().any(|lane| is_same(lane) && self.is_brushed(lane)),
        }
    }

    /// Whether the chosen range, or that none is chosen, is not yet what is listed.
    pub fn awaits_range(&self) -> bool {
        self.loaded && self.listed != self.brush
    }
}
