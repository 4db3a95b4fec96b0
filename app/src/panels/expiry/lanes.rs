//! The lanes: one document each, from its date to its threshold and, in the end, its removal.

use std::sync::Arc;

use bson::Bson;
use egui::text::{LayoutJob, TextWrapping};
use egui::{
    Align2, FontId, Galley, Painter, Pos2, Rect, Sense, Shape, Stroke, Ui, Vec2, pos2, vec2,
};
use egui::{Role, WidgetInfo};

use super::TabActions;
use super::scale::Scale;
use super::words;
use crate::action::ExpiryAction;
use crate::state::duration;
use crate::state::expiry::{ExpiryView, Lane, Phase, Row};
use crate::theme::colors::faded;
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::paint;

/// The distance of a label from the place it belongs to.
const LABEL_GAP: f32 = sizes::LANE_KNOB + sizes::GAP_SMALL - 2.0;

/// How far the cleared background of a text extends beyond it, in points.
const CLEAR_MARGIN: f32 = 3.0;

/// What the lanes are drawn from.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a> {
    pub view: &'a ExpiryView,
    pub scale: Scale,
    pub bracket: &'a dyn Fn(&Lane) -> String,
    /// What becomes of an overdue document.
    pub overdue: &'a str,
    /// The chosen row: its document's `_id`, and when that was removed.
    pub chosen: Option<(&'a Bson, Option<i64>)>,
}

impl Lanes<'_> {
    /// Draws the rows that are on screen. Returns whether the pointer is over them.
    pub(super) fn ui(&self, ui: &mut Ui, actions: &mut TabActions<'_>) -> bool {
        let mut hovered = false;
        let rows = self.view.rows(self.scale.now_ms);
        egui::ScrollArea::vertical().auto_shrink([false, false]).show_rows(
            ui,
            sizes::LANE,
            rows.len(),
            |ui, range| {
                ui.spacing_mut().item_spacing.y = 0.0;
                for row in rows.get(range).unwrap_or_default() {
                    match row {
                        Row::Lane(lane) => hovered |= self.row_ui(ui, lane, actions),
                        Row::Summary(summary) => line_ui(ui, &words::summary(summary)),
                        Row::More(listed) => line_ui(ui, &words::more(*listed)),
                    }
                }
            },
        );
        hovered
    }

    fn row_ui(&self, ui: &mut Ui, lane: &Lane, actions: &mut TabActions<'_>) -> bool {
        let size = vec2(self.scale.width, sizes::LANE);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        let selected = self.chosen == Some((&lane.id, lane.removed_ms));
        response.widget_info(|| {
            let name = words::spoken(lane, self.scale.now_ms);
            WidgetInfo::selected(Role::ListItem, true, selected, name)
        });
        if ui.is_rect_visible(rect) {
            let (painter, colors) = (ui.painter(), colors(ui));
            let (scale, overdue) = (self.scale, self.overdue);
            let background = if selected {
                Some(faded(colors.accent_background, 0.7))
            } else {
                response.hovered().then(|| faded(colors.raised, 0.7))
            };
            let lane_painter = LanePainter { painter, colors, scale, rect, overdue, background };
            if let Some(fill) = background {
                painter.rect_filled(rect, sizes::RADIUS_BUTTON, fill);
            }
            lane_painter.lane(lane);
            if response.has_focus() {
                paint::focus_ring(ui, rect.shrink(2.0), sizes::RADIUS_BUTTON);
            }
        }
        if response.clicked() {
            actions.select(lane);
        }
        if response.dragged() && response.drag_delta().x != 0.0 {
            let fraction = f64::from(-response.drag_delta().x / self.scale.width);
            actions.push(ExpiryAction::Pan(fraction));
        }
        let hovered = response.contains_pointer();
        response.hint_at_pointer((self.bracket)(lane));
        hovered
    }
}

/// A row of words.
fn line_ui(ui: &mut Ui, words: &str) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), sizes::LANE), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
    let (at, ink) = (rect.left_center(), colors(ui).dim);
    paint::text_at(ui, at, Align2::LEFT_CENTER, words, text::small(), ink, rect.width());
}

/// Draws one row.
struct LanePainter<'a> {
    painter: &'a Painter,
    colors: &'static Colors,
    scale: Scale,
    rect: Rect,
    overdue: &'a str,
    /// The background of the row, if it has one of its own.
    background: Option<egui::Color32>,
}

impl LanePainter<'_> {
    fn lane(&self, lane: &Lane) {
        match lane.phase(self.scale.now_ms) {
            Phase::Waiting => self.waiting(lane),
            Phase::Overdue => self.overdue(lane),
            Phase::Removed { late_ms } => self.removed(lane, late_ms),
        }
    }

    /// A bar between two positions, cut at the edges of the axis; `None` when nothing of it shows.
    fn bar(&self, from: f32, to: f32) -> Option<Rect> {
        let half = sizes::LANE_BAR / 2.0;
        let (from, to) = (from.max(self.scale.left), to.min(self.scale.right()));
        let middle = self.rect.center().y;
        (to > from).then(|| Rect::from_min_max(pos2(from, middle - half), pos2(to, middle + half)))
    }

    fn fill(&self, bar: Option<Rect>, color: egui::Color32) {
        if let Some(bar) = bar {
            self.painter.rect_filled(bar, sizes::LANE_BAR / 2.0, color);
        }
    }

    fn waiting(&self, lane: &Lane) {
        let (base, end) = (self.scale.x(lane.base_ms), self.scale.x(lane.threshold_ms));
        let now = self.scale.now_x();
        self.fill(self.bar(base.min(end), end), faded(self.colors.accent, 0.32));
        self.fill(self.bar(base, now.min(end)), faded(self.colors.accent, 0.85));
        let left = duration::countdown(lane.threshold_ms.saturating_sub(self.scale.shown_ms));
        let note = words::note(lane);
        let start = base.min(end);
        let labels_left = if end < self.scale.left {
            // Off the axis at the left, which was moved to later times.
            let text = format!("← {left}");
            self.labels(start, self.scale.left, &text, self.colors.dim, &note)
        } else if end <= self.scale.right() {
            self.knob(pos2(end, self.rect.center().y), self.colors.accent);
            self.labels(start, end, &left, self.colors.text, &note)
        } else {
            // The threshold is beyond the right edge: the text is at the edge, with an arrow.
            let text = format!("{left} →");
            let edge = self.scale.right() + LABEL_GAP - CLEAR_MARGIN;
            self.labels(start, edge, &text, self.colors.dim, &note)
        };
        if lane.base_ms == lane.threshold_ms {
            // Nothing is added to the date: a thread leads from now to the threshold. Not through
            // the labels: what is struck through was removed.
            let from = now.max(self.scale.left);
            let to = (end - sizes::LANE_KNOB).min(labels_left - sizes::GAP_SMALL);
            let stroke = Stroke::new(sizes::LINE, faded(self.colors.accent, 0.5));
            self.painter.hline(from..=to.max(from), self.rect.center().y, stroke);
        }
    }

    fn overdue(&self, lane: &Lane) {
        let (base, due) = (self.scale.x(lane.base_ms), self.scale.x(lane.threshold_ms));
        let now = self.scale.now_x();
        self.fill(self.bar(base, due), faded(self.colors.accent, 0.45));
        if let Some(bar) = self.bar(due, now) {
            self.hatch(bar);
        }
        if due >= self.scale.left {
            let center = pos2(due, self.rect.center().y);
            self.painter.circle_filled(center, sizes::LANE_KNOB, self.colors.overdue);
        }
        let past = self.scale.shown_ms.saturating_sub(lane.threshold_ms);
        let note = format!("{} · {}", words::note(lane), self.overdue);
        // A document is named also while now is off the axis.
        let at = now.clamp(self.scale.left, self.scale.right());
        let (digits, ink) = (duration::overdue(past), self.colors.overdue);
        self.labels(base, at, &digits, ink, &note);
    }

    fn removed(&self, lane: &Lane, late_ms: i64) {
        let Some(at) = lane.removed_ms else { return };
        let (base, end) = (self.scale.x(lane.base_ms), self.scale.x(at));
        let gray = self.colors.removed;
        self.fill(self.bar(base, end), faded(gray, 0.25));
        // Left of the axis while rows keep their places.
        let end = end.max(self.scale.left - sizes::GAP);
        let center = pos2(end, self.rect.center().y);
        let arm = sizes::LANE_KNOB - 1.0;
        let stroke = Stroke::new(sizes::LINE_STRONG, gray);
        self.painter.line_segment([center - Vec2::splat(arm), center + Vec2::splat(arm)], stroke);
        let other = vec2(arm, -arm);
        self.painter.line_segment([center - other, center + other], stroke);
        let layout = |text| self.painter.layout_no_wrap(text, text::small(), gray);
        let name = layout(words::label(lane));
        let late = layout(format!("removed · {}", words::lateness(late_ms)));
        let width = name.size().x + sizes::GAP + late.size().x;
        let left = (center.x + sizes::GAP).min(self.scale.right() - width).max(self.scale.left);
        if left > center.x {
            let size = vec2(width, name.size().y);
            self.clear(Rect::from_min_size(pos2(left, center.y - size.y / 2.0), size));
        }
        let line = Stroke::new(sizes::LINE, gray);
        self.painter.hline(left..=left + name.size().x, center.y, line);
        let after = left + name.size().x + sizes::GAP;
        for (left, galley) in [(left, name), (after, late)] {
            let at = pos2(left, center.y - galley.size().y / 2.0);
            self.painter.galley(at, galley, gray);
        }
    }

    fn knob(&self, center: Pos2, color: egui::Color32) {
        self.painter.circle(
            center,
            sizes::LANE_KNOB,
            self.colors.panel,
            Stroke::new(sizes::LINE_STRONG, color),
        );
    }

    /// The diagonal stripes of time past the threshold.
    fn hatch(&self, bar: Rect) {
        self.painter.rect_filled(bar, 0.0, faded(self.colors.overdue, 0.25));
        let painter = self.painter.with_clip_rect(bar.intersect(self.painter.clip_rect()));
        let stroke = Stroke::new(sizes::HATCH_LINE, self.colors.overdue);
        let mut x = bar.left() - bar.height();
        while x < bar.right() {
            let ends = [pos2(x, bar.bottom()), pos2(x + bar.height(), bar.top())];
            painter.add(Shape::line_segment(ends, stroke));
            x += sizes::HATCH_STEP;
        }
    }

    /// Clears the background of a text: a line through the text would say that it was removed.
    fn clear(&self, text: Rect) {
        let text = text.expand2(vec2(CLEAR_MARGIN, 0.0));
        self.painter.rect_filled(text, 3.0, self.colors.panel);
        if let Some(fill) = self.background {
            self.painter.rect_filled(text, 3.0, fill);
        }
    }

    /// Digits and note right of `x`; where the right has no room, the note left of it, and the
    /// digits too if need be: on the bar that begins at `start` if most of it is still seen, else
    /// before it if there is room. Where no side has room, the note is cut. Returns where the first
    /// of them begins.
    fn labels(&self, start: f32, x: f32, digits: &str, ink: egui::Color32, note: &str) -> f32 {
        let digits = self.painter.layout_no_wrap(digits.to_owned(), text::mono(), ink);
        let note = |room: f32| self.cut(note, text::small(), room);
        let put = |left: f32, galley: Arc<Galley>, ink| {
            let at = pos2(left, self.rect.center().y - galley.size().y / 2.0);
            self.clear(Rect::from_min_size(at, galley.size()));
            self.painter.galley_with_override_text_color(at, galley, ink);
        };
        let (right, left) = (x + LABEL_GAP, x - LABEL_GAP);
        let (digits_width, note_width) = (digits.size().x, note(f32::INFINITY).size().x);
        let note_right = right + digits_width + sizes::GAP_SMALL;
        let has_room = right + digits_width <= self.scale.right();
        if has_room {
            put(right, digits.clone(), ink);
            let (after, before) = (self.scale.right() - note_right, left - self.scale.left);
            if note_width <= after || note_width > before && after > before {
                put(note_right, note(after), self.colors.dim);
                return right;
            }
        }
        let both = if has_room { note_width } else { note_width + sizes::GAP + digits_width };
        let (before, bar) =
            ((start - sizes::GAP_SMALL).min(left), left - start.max(self.scale.left));
        let goes_before = bar < 2.0 * both && before - both >= self.scale.left;
        let mut note_end = if goes_before { before } else { left };
        if !has_room {
            let digits_left = note_end - digits_width;
            note_end = digits_left - sizes::GAP;
            let between = pos2(digits_left - sizes::GAP / 2.0, self.rect.center().y);
            self.clear(Rect::from_center_size(between, vec2(sizes::GAP, digits.size().y)));
            put(digits_left, digits, self.colors.text);
        }
        let note = note(note_end - self.scale.left);
        let note_left = note_end - note.size().x;
        put(note_left, note, self.colors.text);
        note_left
    }

    /// One line of text, cut with `…` where it would be wider than `room`.
    fn cut(&self, words: &str, font: FontId, room: f32) -> Arc<Galley> {
        let mut job = LayoutJob::simple_singleline(words.to_owned(), font, self.colors.text);
        job.wrap = TextWrapping::truncate_at_width(room.max(1.0));
        self.painter.layout_job(job)
    }
}
