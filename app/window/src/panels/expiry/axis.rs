//! The backdrop of the lanes (grid, passes, the zone of overdue documents, *now*) and the axis line
//! below them.

use std::collections::VecDeque;

use egui::{Painter, Pos2, Rangef, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::density;
use super::scale::Scale;
use crate::job::PassReport;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::{axis::Tick, duration, number};
use crate::theme::colors::faded;
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::anchor::{self, Anchor};
use crate::widgets::hint::Hint as _;

/// The passes on the axis.
#[derive(Clone, Copy)]
pub(in crate::panels) struct Marks<'a> {
    pub passes: &'a VecDeque<PassReport>,
    pub next_pass_ms: Option<i64>,
    /// How much of a pass belongs to this collection: documents it removed here.
    pub removed_here: &'a dyn Fn(&PassReport) -> u64,
}

impl<'a> Marks<'a> {
    /// The passes on the axis with what they removed here, the newest first.
    fn past(&self, scale: Scale) -> impl Iterator<Item = (f32, u64)> + use<'a> {
        let removed_here = self.removed_here;
        let passes = self.passes.iter().rev();
        passes
            .map(move |pass| (scale.x(pass.started_ms), removed_here(pass)))
            .take_while(move |(x, _)| *x >= scale.left)
            .filter(move |(x, _)| *x <= scale.right())
    }

    /// The next pass, if it is on the axis: where, and when.
    fn next(&self, scale: Scale) -> Option<(f32, i64)> {
        let next = self.next_pass_ms.filter(|next| *next >= scale.now_ms)?;
        let x = scale.x(next);
        (scale.left <= x && x <= scale.right()).then_some((x, next))
    }
}

/// Lines from the top of the density to the bottom of the lanes.
pub(in crate::panels) struct Backdrop<'a> {
    pub scale: Scale,
    pub area: Rect,
    pub marks: Marks<'a>,
    pub overdue_since_ms: Option<i64>,
}

/// The ticks that fit the width.
pub(in crate::panels) fn ticks(scale: &Scale) -> Vec<Tick> {
    #[expect(clippy::cast_possible_truncation, reason = "a handful")]
    #[expect(clippy::cast_sign_loss, reason = "a width is not negative")]
    let most = (scale.width / sizes::TICK_DISTANCE) as usize;
    scale.axis.ticks(most)
}

impl Backdrop<'_> {
    pub(in crate::panels) fn paint(self, ui: &Ui) {
        let (painter, ink) = (ui.painter().with_clip_rect(self.area), colors(ui));
        let (y, scale) = (self.area.y_range(), self.scale);
        for tick in ticks(&scale) {
            let x = scale.x(scale.now_ms.saturating_add(tick.offset_ms));
            painter.vline(x, y, Stroke::new(sizes::LINE, faded(ink.hairline, 0.8)));
        }
        let now = scale.now_x();
        if let Some(since) = self.overdue_since_ms {
            let left = scale.x(since).max(scale.left);
            let zone = Rect::from_x_y_ranges(left..=now.clamp(left, scale.right().max(left)), y);
            painter.rect_filled(zone, 0.0, faded(ink.overdue_background, 0.35));
        }
        for (x, removed) in self.marks.past(scale) {
            let strength = if removed > 0 { 0.9 } else { 0.35 };
            painter.vline(x, y, Stroke::new(sizes::LINE, faded(ink.removed, strength)));
        }
        if let Some((x, _)) = self.marks.next(scale) {
            let ends = [pos2(x, y.min), pos2(x, y.max)];
            let stroke = Stroke::new(sizes::LINE_STRONG, ink.accent);
            painter.extend(Shape::dashed_line(&ends, stroke, sizes::DASH, sizes::DASH));
        }
    }
}

/// Draws the line of *now* over what was drawn before, so that no text makes a gap in it.
pub(in crate::panels) fn paint_now(ui: &Ui, scale: Scale, area: Rect) {
    paint_line(ui, scale, area, scale.now_x(), colors(ui).now);
}

/// Draws the line up to which documents would be due under the TTL that is tried.
pub(super) fn paint_trial(ui: &Ui, scale: Scale, area: Rect, due_up_to_ms: i64) {
    paint_line(ui, scale, area, scale.x(due_up_to_ms), colors(ui).overdue);
}

fn paint_line(ui: &Ui, scale: Scale, area: Rect, x: f32, ink: egui::Color32) {
    if (scale.left..=scale.right()).contains(&x) {
        let painter = ui.painter().with_clip_rect(area);
        painter.vline(x, area.y_range(), Stroke::new(sizes::LINE_STRONG, ink));
    }
}

/// How far left and right of its line the next pass answers the pointer, in points.
const NEXT_REACH: std::ops::RangeInclusive<f32> = -6.0..=60.0;

/// The axis line: *now*, the next pass, past passes and, where they leave room, the ticks. Drag
/// moves the axis; the wheel zooms around the pointer.
pub(super) fn line_ui(
    ui: &mut Ui,
    scale: Scale,
    marks: Marks<'_>,
    next_words: &dyn Fn(i64) -> String,
    actions: &mut ExpiryActions<'_>,
) {
    let size = vec2(ui.available_width(), sizes::AXIS);
    let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK | Sense::DRAG);
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, "Time axis"));
    let (painter, ink) = (ui.painter(), colors(ui));
    let mut line = Line { painter, ink, middle: rect.center().y, taken: Vec::new() };
    let now = scale.now_x();
    if (scale.left..=scale.right()).contains(&now) {
        line.now(now);
    }
    if let Some((x, next)) = marks.next(scale) {
        let words =
            format!("next pass {}", duration::countdown(next.saturating_sub(scale.shown_ms)));
        line.chip(x, rect.right(), words);
    }
    for (x, removed) in marks.past(scale).filter(|(_, removed)| *removed > 0) {
        let words = format!("{} removed", number::count(removed));
        line.words(pos2(x, rect.center().y), 0.0, words, ink.dim);
    }
    for tick in ticks(&scale).into_iter().filter(|tick| !tick.label.is_empty()) {
        let x = scale.x(scale.now_ms.saturating_add(tick.offset_ms));
        line.words(pos2(x, rect.center().y), 0.5, tick.label, ink.dim);
    }
    density::interact(ui, &response, scale, actions);
    // Its chip is right of the line.
    let at = response.hover_pos().map(|pointer| pointer.x);
    let next =
        marks.next(scale).filter(|(x, _)| at.is_some_and(|at| NEXT_REACH.contains(&(at - x))));
    if let Some((_, next_ms)) = next {
        response.hint_at_pointer(next_words(next_ms));
    }
}

/// Draws texts and marks on the axis line. No text covers another.
struct Line<'a> {
    painter: &'a Painter,
    ink: &'static Colors,
    middle: f32,
    taken: Vec<Rangef>,
}

impl Line<'_> {
    /// Takes room of the line if it is free.
    fn take(&mut self, room: Rangef) -> bool {
        let room = room.expand(sizes::GAP_TINY);
        let is_free = !self.taken.iter().any(|taken| taken.intersects(room));
        if is_free {
            self.taken.push(room);
        }
        is_free
    }

    fn now(&mut self, x: f32) {
        let galley = self.painter.layout_no_wrap("now".to_owned(), text::strong(), self.ink.on_now);
        let padding = vec2(2.0 * sizes::GAP_SMALL, sizes::GAP_TINY);
        let pill = Rect::from_center_size(pos2(x, self.middle), galley.size() + padding);
        self.take(pill.x_range());
        anchor::note(self.painter.ctx(), Anchor::Now, pill);
        self.painter.rect_filled(pill, pill.height() / 2.0, self.ink.now);
        self.painter.galley(pill.center() - galley.size() / 2.0, galley, self.ink.on_now);
    }

    /// The next pass: right of its line, further right where *now* has the room.
    fn chip(&mut self, x: f32, right: f32, words: String) {
        let ink = self.ink.accent;
        let galley = self.painter.layout_no_wrap(words, text::small(), ink);
        let padding = vec2(sizes::GAP_SMALL, 2.0);
        let width = galley.size().x + 2.0 * padding.x;
        let taken = self.taken.iter().map(|taken| taken.max).fold(x, f32::max);
        let left = (taken + sizes::GAP_TINY + 1.0).min(right - width);
        let place = Rangef::new(left, left + width);
        if self.taken.iter().any(|taken| taken.intersects(place)) {
            return;
        }
        let at = pos2(left + padding.x, self.middle - galley.size().y / 2.0);
        let chip = Rect::from_min_size(at, galley.size()).expand2(padding);
        self.take(chip.x_range());
        self.painter.rect_filled(chip, chip.height() / 2.0, self.ink.accent_background);
        self.painter.galley(at, galley, ink);
    }

    /// Draws words at a position, with this share of them to its left, unless there is no room.
    fn words(&mut self, at: Pos2, share: f32, words: String, ink: egui::Color32) {
        let galley = self.painter.layout_no_wrap(words, text::small(), ink);
        let size = galley.size();
        let left = at.x - size.x * share;
        if self.take(Rangef::new(left, left + size.x)) {
            self.painter.galley(pos2(left, at.y - size.y / 2.0), galley, ink);
        }
    }
}
