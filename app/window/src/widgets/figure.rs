//! Numbers and durations in cells. What doesn't fit is cut at the left, after `…`: the first digits of
//! a number would be a smaller number.

use std::borrow::Cow;

use egui::text::{LayoutJob, TextFormat};
use egui::{Align2, Direction, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, vec2};

use super::hint::Hint as _;
use super::paint;
use crate::theme::{sizes, text};

/// The format of a number in a cell.
pub fn mono(ink: egui::Color32) -> TextFormat {
    TextFormat::simple(text::mono(), ink)
}

/// A figure with a line through it.
pub fn struck(format: TextFormat) -> TextFormat {
    let strikethrough = Stroke::new(sizes::LINE, format.color);
    TextFormat { strikethrough, ..format }
}

/// The end of a figure, after `…`, in this many characters.
fn cut(words: &str, chars: usize) -> String {
    let skipped = words.chars().count() - words.chars().count().min(chars.saturating_sub(1));
    let end: String = words.chars().skip(skipped).collect();
    format!("…{end}")
}

/// A figure as it fits into `width`, by what is `measured` of a text.
pub fn fitted(words: &str, width: f32, measured: impl Fn(&str) -> f32) -> Cow<'_, str> {
    if measured(words) <= width {
        return Cow::Borrowed(words);
    }
    let digit = measured("0").max(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few digits")]
    let chars = ((width.max(0.0) / digit) as usize).min(words.chars().count());
    // Not every font has digits as wide as its other characters.
    let mut ends = (1..=chars).rev().map(|chars| cut(words, chars));
    let end = ends.find(|end| measured(end) <= width);
    Cow::Owned(end.unwrap_or_else(|| cut(words, 0)))
}

/// The part of a cell that is on the screen, a little less where it is cut off.
pub fn seen(ui: &Ui, rect: Rect) -> Rect {
    visible(ui.clip_rect(), rect)
}

fn visible(clip: Rect, mut rect: Rect) -> Rect {
    /// Less isn't a cut: places are rounded to pixels.
    const CUT_MIN: f32 = 0.75;
    // A table fades where it is cut off.
    if rect.left() < clip.left() - CUT_MIN {
        rect.min.x = clip.left() + sizes::FADE;
    }
    if rect.right() > clip.right() + CUT_MIN {
        rect.max.x = clip.right() - sizes::FADE;
    }
    rect
}

/// Paints a figure into the part of `rect` that is on the screen, at its left or right. Returns
/// whether it was cut.
#[expect(clippy::must_use_candidate, reason = "painting is the point, the cut is extra")]
pub fn paint(ui: &Ui, rect: Rect, align: Align2, words: &str, format: TextFormat) -> bool {
    let seen = seen(ui, rect);
    let measured = |text: &str| paint::measured(ui, text, format.font_id.clone()).x;
    // Its own room is as wide as it is, but for rounding.
    let shown = fitted(words, seen.width() + 0.5, measured);
    let is_cut = matches!(shown, Cow::Owned(_));
    let ink = format.color;
    let mut job = LayoutJob::single_section(shown.into_owned(), format);
    job.wrap = egui::text::TextWrapping::no_max_width();
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let anchor = align.pos_in_rect(&seen);
    let place = align.anchor_size(anchor, galley.size());
    ui.painter().galley(place.min, galley, ink);
    is_cut
}

/// Adds a figure to a cell, where its layout begins. The tooltip has what is cut.
pub fn ui(ui: &mut Ui, words: &str, format: TextFormat) -> Response {
    let whole = paint::measured(ui, words, format.font_id.clone());
    let size = vec2(whole.x.min(ui.available_width().max(0.0)), whole.y);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, ui.is_enabled(), words));
    let is_right = ui.layout().main_dir() == Direction::RightToLeft;
    let align = if is_right { Align2::RIGHT_CENTER } else { Align2::LEFT_CENTER };
    if paint(ui, rect, align, words, format) { response.hint(words) } else { response }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_less_wide_only_where_it_is_cut_off() {
        let between = |left: f32, right: f32| Rect::from_x_y_ranges(left..=right, 0.0..=10.0);
        let clip = between(10.0, 100.0);
        let check = |(left, right), (from, to)| {
            assert_eq!(visible(clip, between(left, right)), between(from, to), "{left} {right}");
        };
        check((10.0, 60.0), (10.0, 60.0));
        check((60.0, 100.0), (60.0, 100.0));
        check((60.0, 100.5), (60.0, 100.5));
        check((60.0, 130.0), (60.0, 84.0));
        check((0.0, 60.0), (26.0, 60.0));
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "a few digits")]
    fn a_number_is_never_cut_to_a_smaller_one() {
        // The ellipsis is as wide as two digits.
        let measured = |text: &str| {
            let wide = text.chars().filter(|c| *c == '…').count();
            (text.chars().count() + wide) as f32 * 10.0
        };
        let check = |width: f32, expected: &str| {
            assert_eq!(fitted("8000000", width, measured), expected, "{width}");
        };
        check(70.0, "8000000");
        check(69.0, "…0000");
        check(30.0, "…0");
        check(20.0, "…");
        check(0.0, "…");
        check(-5.0, "…");
    }
}
