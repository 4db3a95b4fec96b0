//! The backdrop of the lanes: grid, passes, the zone of overdue documents, *now*, and the labels.

use egui::{Align2, Painter, Rect, Shape, Stroke, Ui, pos2, vec2};

use super::scale::Scale;
use crate::job::PassReport;
use crate::state::{axis::Tick, duration};
use crate::theme::colors::faded;
use crate::theme::{Colors, colors, sizes, text};

/// Lines from the top of the density to the bottom of the lanes.
pub(super) struct Backdrop<'a> {
    pub scale: Scale,
    pub area: Rect,
    pub passes: &'a mut dyn Iterator<Item = &'a PassReport>,
    pub next_pass_ms: Option<i64>,
    /// The earliest threshold that is overdue.
    pub overdue_since_ms: Option<i64>,
    /// How much of a pass belongs to this collection: documents it removed here.
    pub removed_here: &'a dyn Fn(&PassReport) -> u64,
}

/// The ticks that fit the width.
pub(super) fn ticks(scale: &Scale) -> Vec<Tick> {
    #[expect(clippy::cast_possible_truncation, reason = "a handful")]
    #[expect(clippy::cast_sign_loss, reason = "a width is not negative")]
    let most = (scale.width / sizes::TICK_DISTANCE) as usize;
    scale.axis.ticks(most)
}

impl Backdrop<'_> {
    /// Draws all of it. The row of pass labels is `labels`, above the lanes.
    pub(super) fn paint(self, ui: &Ui, labels: Rect) {
        let (painter, ink) = (ui.painter().with_clip_rect(self.area), colors(ui));
        let y = self.area.y_range();
        for tick in ticks(&self.scale) {
            let x = self.scale.x(self.scale.now_ms.saturating_add(tick.offset_ms));
            painter.vline(x, y, Stroke::new(sizes::LINE, faded(ink.hairline, 0.8)));
        }
        if let Some(since) = self.overdue_since_ms {
            let left = self.scale.x(since).max(self.scale.left);
            let zone = Rect::from_x_y_ranges(left..=self.scale.now_x(), labels.top()..=y.max);
            painter.rect_filled(zone, 0.0, faded(ink.overdue_background, 0.35));
        }
        let (scale, next) = (self.scale, self.next_pass_ms);
        self.past_passes(&painter, ink, labels);
        next_pass(&painter, ink, scale, next, labels, y.max);
        painter.vline(scale.now_x(), y, Stroke::new(sizes::LINE_STRONG, ink.now));
    }

    fn past_passes(self, painter: &Painter, ink: &Colors, labels: Rect) {
        let mut free_until = self.scale.right();
        for pass in self.passes {
            let x = self.scale.x(pass.started_ms);
            if x < self.scale.left {
                break;
            }
            let removed = (self.removed_here)(pass);
            let strength = if removed > 0 { 0.9 } else { 0.35 };
            let stroke = Stroke::new(sizes::LINE, faded(ink.removed, strength));
            painter.vline(x, labels.top()..=self.area.bottom(), stroke);
            if removed == 0 {
                continue;
            }
            let took = duration::micros(pass.duration_micros);
            let words = format!("{} removed in {took}", crate::state::number::count(removed));
            let galley = painter.layout_no_wrap(words, text::small(), ink.dim);
            let at = pos2(x + sizes::GAP_TINY, labels.center().y - galley.size().y / 2.0);
            if at.x + galley.size().x + sizes::GAP_SMALL <= free_until.min(self.scale.now_x()) {
                painter.galley(at, galley, ink.dim);
            }
            free_until = x;
        }
    }
}

fn next_pass(
    painter: &Painter,
    ink: &Colors,
    scale: Scale,
    next_pass_ms: Option<i64>,
    labels: Rect,
    bottom: f32,
) {
    let Some(next) = next_pass_ms.filter(|next| *next >= scale.now_ms) else { return };
    let x = scale.x(next);
    if x > scale.right() {
        return;
    }
    let ends = [pos2(x, labels.top()), pos2(x, bottom)];
    let stroke = Stroke::new(sizes::LINE_STRONG, ink.accent);
    painter.extend(Shape::dashed_line(&ends, stroke, sizes::DASH, sizes::DASH));
    let words =
        format!("next pass in {}", duration::countdown(next.saturating_sub(scale.shown_ms)));
    let galley = painter.layout_no_wrap(words, text::small(), ink.accent);
    let padding = vec2(sizes::GAP_SMALL, 2.0);
    let left = (x + sizes::GAP_SMALL).min(scale.right() - galley.size().x - 2.0 * padding.x);
    let at = pos2(left, labels.center().y - galley.size().y / 2.0) + vec2(padding.x, 0.0);
    let chip = Rect::from_min_size(at, galley.size()).expand2(padding);
    painter.rect_filled(chip, chip.height() / 2.0, ink.accent_background);
    painter.galley(at, galley, ink.accent);
}

/// The labels of the axis and the pill that says *now*.
pub(super) fn labels_ui(ui: &mut Ui, scale: Scale) {
    let (rect, _) = ui.allocate_exact_size(vec2(scale.width, sizes::AXIS), egui::Sense::hover());
    let (painter, ink) = (ui.painter(), colors(ui));
    let middle = rect.center().y;
    for tick in ticks(&scale) {
        let x = scale.x(scale.now_ms.saturating_add(tick.offset_ms));
        let inside = x - rect.left() > sizes::GAP_LARGE && rect.right() - x > sizes::GAP_LARGE;
        if inside && !tick.label.is_empty() {
            let at = pos2(x, middle);
            painter.text(at, Align2::CENTER_CENTER, tick.label, text::small(), ink.dim);
        }
    }
    if rect.x_range().contains(scale.now_x()) {
        let galley = painter.layout_no_wrap("now".to_owned(), text::strong(), ink.on_now);
        let pill = Rect::from_center_size(
            pos2(scale.now_x(), middle),
            galley.size() + vec2(2.0 * sizes::GAP_SMALL, sizes::GAP_TINY),
        );
        painter.rect_filled(pill, pill.height() / 2.0, ink.now);
        painter.galley(pill.center() - galley.size() / 2.0, galley, ink.on_now);
    }
}
