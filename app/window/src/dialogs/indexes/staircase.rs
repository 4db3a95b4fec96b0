//! A rollout as a picture: the documents that are left, minute by minute.

use egui::{Align2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::job::rollout::{RolloutPlan, STEP_SECS};
use crate::state::{duration, number};
use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};
use crate::widgets::paint;

/// The height of the picture, in points.
const HEIGHT: f32 = 104.0;

/// The room left of the stairs, for the number of documents.
const FIGURES: f32 = 84.0;

/// The height of the line with the time.
const TIMES: f32 = 20.0;

/// The narrowest step that is drawn, in points.
const STEP_MIN: f32 = 2.0;

/// Draws the stairs of this number of documents, next to the cliff that they replace.
pub(super) fn ui(ui: &mut Ui, plan: &RolloutPlan, documents: u64) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let (each, secs) = (plan.per_step(), plan.secs_for(documents));
    let time = duration::span(i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000));
    let all = number::counted(documents, "document", "documents");
    let name = format!("{all} go in {time}, at most {} a minute", number::count(each));
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    if documents == 0 {
        return;
    }
    let (ink, painter) = (colors(ui), ui.painter());
    let area = Rect::from_min_max(
        rect.min + vec2(FIGURES, sizes::GAP_SMALL),
        rect.max - vec2(sizes::GAP_SMALL, TIMES),
    );
    let steps = stairs(documents, each, area.width());
    #[expect(clippy::cast_precision_loss, reason = "places on screen")]
    let place = |step: usize, left: u64| {
        let x = area.left() + area.width() * step as f32 / (steps.len() - 1).max(1) as f32;
        pos2(x, area.bottom() - area.height() * left as f32 / documents as f32)
    };
    let mut line = Vec::new();
    for (step, pair) in steps.windows(2).enumerate() {
        let (from, to) = (place(step, pair[0]), place(step + 1, pair[0]));
        painter.rect_filled(
            Rect::from_min_max(from, pos2(to.x, area.bottom())),
            0.0,
            faded(ink.accent, 0.25),
        );
        line.extend([from, to]);
    }
    line.push(place(steps.len() - 1, 0));
    painter.add(Shape::line(line, Stroke::new(sizes::LINE_STRONG, ink.accent)));
    painter.hline(area.x_range(), area.bottom(), Stroke::new(sizes::LINE, ink.hairline));
    // All at once.
    let cliff = [area.left_top(), area.left_bottom()];
    let dashes = Stroke::new(sizes::LINE_STRONG, ink.overdue);
    painter.extend(Shape::dashed_line(&cliff, dashes, sizes::DASH, sizes::DASH));
    let words = |at, align, words: &str, color| {
        paint::text_at(ui, at, align, words, text::small(), color, area.width());
    };
    let left = area.left() - sizes::GAP_SMALL;
    words(pos2(left, area.top()), Align2::RIGHT_TOP, &number::count(documents), ink.text);
    words(pos2(left, area.top() + 16.0), Align2::RIGHT_TOP, "at once", ink.overdue);
    words(pos2(left, area.bottom()), Align2::RIGHT_BOTTOM, "0", ink.dim);
    let step = format!("{} a minute", number::count(each));
    words(pos2(area.left(), rect.bottom()), Align2::LEFT_BOTTOM, "now", ink.dim);
    words(
        rect.center_bottom() + vec2(FIGURES / 2.0, 0.0),
        Align2::CENTER_BOTTOM,
        &step,
        ink.accent,
    );
    words(pos2(area.right(), rect.bottom()), Align2::RIGHT_BOTTOM, &time, ink.dim);
}

/// The documents left before each step and after the last one. Where steps would be narrower than can
/// be seen, several make one.
fn stairs(documents: u64, each: u64, width: f32) -> Vec<u64> {
    let each = each.max(1);
    let steps = documents.div_ceil(each);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few hundred")]
    let most = (width / STEP_MIN).max(1.0) as u64;
    let joined = each.saturating_mul(steps.div_ceil(most).max(1));
    let mut left = vec![documents];
    while let Some(rest) = left.last().copied().filter(|rest| *rest > 0) {
        left.push(rest.saturating_sub(joined));
    }
    left
}

const _: () = assert!(STEP_SECS == 60, "a step of the picture is a minute");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_takes_its_documents_until_none_is_left() {
        assert_eq!(stairs(10, 4, 300.0), [10, 6, 2, 0]);
        assert_eq!(stairs(3, 600, 300.0), [3, 0]);
        assert_eq!(stairs(5, 0, 300.0), [5, 4, 3, 2, 1, 0]);
        let many = stairs(1_000_000, 10, 300.0);
        assert!((2..=151).contains(&many.len()) && many.last() == Some(&0), "{}", many.len());
    }
}
