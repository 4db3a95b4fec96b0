//! One lane: the document's name in its column, its bar, and digits at the knob.

use egui::text::LayoutJob;
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, pos2, vec2};

use super::marks;
use super::motion::Pose;
use super::scale::Scale;
use super::server;
use super::words;
use crate::state::duration;
use crate::state::expiry::{Fate, IndexMark, Lane, Phase};
use crate::theme::colors::faded;
use crate::theme::{Colors, sizes, text};
use crate::widgets::{cell, figure};

/// The distance of digits from the knob.
const LABEL_GAP: f32 = sizes::LANE_KNOB + sizes::GAP_SMALL - 2.0;

/// How far the cleared background of a text goes beyond it.
const CLEAR_MARGIN: f32 = 3.0;

/// The radius of the dot at the date that counts, where a field has several.
const DATE_DOT: f32 = 4.0;

/// Draws one row.
pub(in crate::panels) struct LanePainter<'a> {
    pub painter: &'a Painter,
    pub colors: &'static Colors,
    pub scale: Scale,
    pub rect: Rect,
    /// The remark on an overdue document. May be empty.
    pub overdue: &'a str,
    /// Up to when it is known that the document is there, in milliseconds since 1970.
    pub known_ms: i64,
    /// The background of the row, if it differs.
    pub background: Option<Color32>,
    pub pose: Pose,
    /// Whether the name is drawn in its column; otherwise it is above the lane.
    pub is_named: bool,
    /// The mark of the TTL index that decides, where there are several.
    pub mark: Option<IndexMark>,
    /// The effect of the TTL that is tried.
    pub fate: Option<Fate>,
}

impl LanePainter<'_> {
    /// Draws a lane in a phase. That of a removed document is overdue until the line of the pass
    /// has reached it.
    pub(in crate::panels) fn lane(&self, lane: &Lane, phase: Phase) {
        if self.is_named {
            self.name(lane, phase);
        }
        match phase {
            Phase::Waiting => self.waiting(lane),
            Phase::Overdue if self.fate == Some(Fate::Stays) => self.stays(lane),
            Phase::Overdue => self.overdue(lane),
            Phase::Removed { late_ms } => self.removed(lane, late_ms),
        }
    }

    /// Draws a document without a threshold: its name, and the word.
    pub(in crate::panels) fn never(&self, lane: &Lane) {
        if self.is_named {
            self.name(lane, Phase::Waiting);
        }
        self.words(self.scale.left - LABEL_GAP, "never expires", text::small(), self.colors.dim);
    }

    /// A dot at each date where there are several. The earliest, which counts, is larger.
    fn dates(&self, lane: &Lane) {
        for (at, date_ms) in lane.dates_ms.iter().enumerate() {
            let x = self.scale.x(*date_ms);
            if !(self.scale.left..=self.scale.right()).contains(&x) {
                continue;
            }
            let (radius, strength) = if at == 0 { (DATE_DOT, 1.0) } else { (DATE_DOT - 1.5, 0.6) };
            let center = pos2(x, self.rect.center().y);
            self.painter.circle_filled(center, radius, faded(self.colors.text, strength));
        }
    }

    fn name(&self, lane: &Lane, phase: Phase) {
        let is_removed = matches!(phase, Phase::Removed { .. });
        let ink = if is_removed { self.colors.removed } else { self.colors.text };
        let mut left = self.rect.left() + sizes::GAP_SMALL;
        if let Some(mark) = self.mark {
            let center = pos2(left + sizes::INDEX_MARK / 2.0, self.rect.center().y);
            marks::paint(self.painter, self.colors, center, mark, !is_removed);
            left += sizes::INDEX_MARK + sizes::GAP_TINY + 2.0;
        }
        let width = (self.scale.left - sizes::GAP_SMALL - left).max(1.0);
        let line = |words: &str| LayoutJob::simple_singleline(words.to_owned(), text::small(), ink);
        let mut note = words::note(lane);
        if cell::is_right(&lane.id) {
            let measured = |words: &str| self.painter.layout_job(line(words)).size().x;
            note = figure::fitted(&note, width, measured).into_owned();
        }
        let mut job = line(&note);
        job.wrap = egui::text::TextWrapping::truncate_at_width(width);
        let galley = self.painter.layout_job(job);
        let mut middle = self.rect.center().y;
        if let Phase::Removed { late_ms } = phase
            && self.has_lag_below()
        {
            let half = self.rect.height() / 4.0;
            let lag = line(&server::lag(lane, late_ms));
            let lag = self.painter.layout_job(LayoutJob {
                wrap: egui::text::TextWrapping::truncate_at_width(width),
                ..lag
            });
            let at = pos2(left, middle + half - lag.size().y / 2.0 - 1.0);
            self.painter.galley(at, lag, ink);
            middle -= half - 1.0;
        }
        let width = galley.size().x;
        let at = pos2(left, middle - galley.size().y / 2.0);
        if is_removed {
            self.painter.hline(left..=left + width, middle, Stroke::new(sizes::LINE, ink));
        }
        self.painter.galley(at, galley, ink);
    }

    /// Whether the lag of a removed document is below its name: at its cross it would cover *now*.
    fn has_lag_below(&self) -> bool {
        self.is_named && self.rect.height() >= sizes::LANE
    }

    /// Where the threshold is drawn: on its way to its place after a refresh.
    fn threshold_x(&self, lane: &Lane) -> f32 {
        let x = self.scale.x(lane.threshold_ms);
        match self.pose.slide {
            Some((from_ms, share)) => egui::lerp(self.scale.x(from_ms)..=x, share),
            None => x,
        }
    }

    /// A bar between two positions, cut at the edges of the axis; `None` when nothing of it shows.
    fn bar(&self, from: f32, to: f32) -> Option<Rect> {
        let half = sizes::LANE_BAR / 2.0;
        let (from, to) = (from.max(self.scale.left), to.min(self.scale.right()));
        let middle = self.rect.center().y;
        (to > from).then(|| Rect::from_min_max(pos2(from, middle - half), pos2(to, middle + half)))
    }

    fn fill(&self, bar: Option<Rect>, color: Color32) {
        if let Some(bar) = bar {
            self.painter.rect_filled(bar, sizes::LANE_BAR / 2.0, color);
        }
    }

    fn waiting(&self, lane: &Lane) {
        let (base, end) = (self.scale.x(lane.base_ms), self.threshold_x(lane));
        let now = self.scale.now_x();
        let (hue, ink) = match self.fate {
            Some(Fate::Goes) => (self.colors.overdue, self.colors.overdue),
            _ => (self.colors.accent, self.colors.text),
        };
        self.fill(self.bar(base.min(end), end), faded(hue, 0.32));
        self.fill(self.bar(base, now.min(end)), faded(hue, 0.85));
        self.dates(lane);
        if lane.base_ms == lane.threshold_ms {
            // Nothing is added to the date: a thread leads from now to the threshold.
            let from = now.max(self.scale.left);
            let to = (end - sizes::LANE_KNOB).min(self.scale.right());
            let stroke = Stroke::new(sizes::LINE, faded(self.colors.accent, 0.5));
            self.painter.hline(from..=to.max(from), self.rect.center().y, stroke);
        }
        let left = duration::countdown(lane.threshold_ms.saturating_sub(self.scale.shown_ms));
        let edge = LABEL_GAP - sizes::GAP_SMALL;
        if end < self.scale.left {
            // Off the axis at the left, which was moved to later times.
            let at = self.scale.left - edge;
            self.digits(at, &format!("← {left}"), self.colors.dim, "");
        } else if end <= self.scale.right() {
            self.knob(pos2(end, self.rect.center().y), hue);
            self.digits(end, &left, ink, "");
        } else {
            // The threshold is beyond the right edge: the digits are there, with an arrow.
            let at = self.scale.right() - edge;
            self.digits(at, &format!("{left} →"), self.colors.dim, "");
        }
    }

    /// An overdue document that would wait under the TTL that is tried.
    fn stays(&self, lane: &Lane) {
        let (base, due) = (self.scale.x(lane.base_ms), self.threshold_x(lane));
        let now = self.scale.now_x();
        self.fill(self.bar(base, now), faded(self.colors.accent, 0.85));
        self.dates(lane);
        if (self.scale.left..=self.scale.right()).contains(&due) {
            self.knob(pos2(due, self.rect.center().y), self.colors.accent);
        }
        let past_ms = self.scale.shown_ms.min(self.known_ms).saturating_sub(lane.threshold_ms);
        let at = now.clamp(self.scale.left, self.scale.right());
        self.digits(at, &duration::overdue(past_ms.max(0)), self.colors.text, "would wait");
    }

    fn overdue(&self, lane: &Lane) {
        let (base, due) = (self.scale.x(lane.base_ms), self.threshold_x(lane));
        let now = self.scale.now_x();
        self.fill(self.bar(base, due), faded(self.colors.accent, 0.45));
        if let Some(bar) = self.bar(due, now) {
            hatch(self.painter, self.colors, bar);
        }
        self.dates(lane);
        if (self.scale.left..=self.scale.right()).contains(&due) {
            let center = pos2(due, self.rect.center().y);
            let radius = sizes::LANE_KNOB * self.pose.knob;
            self.painter.circle_filled(center, radius, self.colors.overdue);
        }
        let past_ms = self.scale.shown_ms.min(self.known_ms).saturating_sub(lane.threshold_ms);
        let past = past_ms.max(0);
        // The digits are seen also while now is off the axis.
        let at = now.clamp(self.scale.left, self.scale.right());
        self.digits(at, &duration::overdue(past), self.colors.overdue, self.overdue);
    }

    fn removed(&self, lane: &Lane, late_ms: i64) {
        let Some(at) = lane.removed_ms else { return };
        let (base, end) = (self.scale.x(lane.base_ms), self.scale.x(at));
        let gray = self.colors.removed;
        self.fill(self.bar(base, end), faded(gray, 0.25));
        // Left of the axis while rows keep their places.
        if end < self.scale.left {
            return;
        }
        let center = pos2(end.min(self.scale.right()), self.rect.center().y);
        cross(self.painter, center, gray);
        if !self.has_lag_below() {
            self.words(center.x, &server::lag(lane, late_ms), text::small(), gray);
        }
    }

    fn knob(&self, center: Pos2, color: Color32) {
        let stroke = Stroke::new(sizes::LINE_STRONG, color);
        let radius = sizes::LANE_KNOB * self.pose.knob;
        self.painter.circle(center, radius, self.colors.panel, stroke);
    }

    /// Digits right of `x`, and a note after them where there is room.
    fn digits(&self, x: f32, digits: &str, ink: Color32, note: &str) {
        let right = self.words(x, digits, text::mono(), ink);
        let galley = self.painter.layout_no_wrap(note.to_owned(), text::small(), self.colors.dim);
        let left = right + sizes::GAP_SMALL - LABEL_GAP;
        if !note.is_empty() && left + LABEL_GAP + galley.size().x <= self.rect.right() {
            self.words(left, note, text::small(), self.colors.dim);
        }
    }

    /// Words right of `x`. Returns where they end.
    fn words(&self, x: f32, words: &str, font: egui::FontId, ink: Color32) -> f32 {
        let galley = self.painter.layout_no_wrap(words.to_owned(), font, ink);
        let size = galley.size();
        let left = (x + LABEL_GAP).min(self.rect.right() - size.x).max(self.scale.left);
        let at = pos2(left, self.rect.center().y - size.y / 2.0);
        let place = Rect::from_min_size(at, size).expand2(vec2(CLEAR_MARGIN, 0.0));
        // Cleared, because a line through the words would say that the document was removed.
        self.painter.rect_filled(place, 3.0, self.colors.panel);
        if let Some(fill) = self.background {
            self.painter.rect_filled(place, 3.0, fill);
        }
        self.painter.galley(at, galley, ink);
        left + size.x
    }
}

/// The mark of a removal.
pub(super) fn cross(painter: &Painter, center: Pos2, ink: Color32) {
    let arm = sizes::LANE_KNOB - 1.0;
    let stroke = Stroke::new(sizes::LINE_STRONG, ink);
    painter.line_segment([center - Vec2::splat(arm), center + Vec2::splat(arm)], stroke);
    let other = vec2(arm, -arm);
    painter.line_segment([center - other, center + other], stroke);
}

/// The diagonal stripes of time past the threshold.
pub(super) fn hatch(painter: &Painter, colors: &Colors, bar: Rect) {
    painter.rect_filled(bar, 0.0, colors.overdue_fill);
    let painter = painter.with_clip_rect(bar.intersect(painter.clip_rect()));
    let stroke = Stroke::new(colors.hatch_width, colors.overdue);
    let mut x = bar.left() - bar.height();
    while x < bar.right() {
        let ends = [pos2(x, bar.bottom()), pos2(x + bar.height(), bar.top())];
        painter.add(Shape::line_segment(ends, stroke));
        x += sizes::HATCH_STEP;
    }
}
