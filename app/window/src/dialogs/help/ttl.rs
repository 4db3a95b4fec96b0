//! An explanation of TTL: a drawing of one document's life, and five sentences.

use egui::{Align2, Color32, Pos2, Rect, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};

/// The page in five sentences.
const SENTENCES: [&str; 5] = [
    "TTL, time to live, is how long a document is kept.",
    "A TTL index names the date field and the TTL; date + TTL is the document's threshold.",
    "From its threshold on the document is overdue: still stored, waiting for the next pass.",
    "By default, the TTL monitor runs a pass every 60 seconds and removes overdue documents.",
    "A document without a date in that field never expires.",
];

/// Where the moments of the drawing are, as shares of its width.
const DATE: f32 = 0.10;
const THRESHOLD: f32 = 0.60;
const PASS: f32 = 0.86;

/// The height of the drawing, of the bar in it, and the radius of a knob.
const HEIGHT: f32 = 120.0;
const BAR: f32 = 14.0;
const KNOB: f32 = 8.0;

/// Draws the page.
pub(super) fn ui(ui: &mut Ui) {
    drawing_ui(ui);
    ui.spacing_mut().item_spacing.y = sizes::GAP_SMALL;
    for (number, sentence) in SENTENCES.iter().enumerate() {
        ui.horizontal_top(|ui| {
            let ink = colors(ui).accent;
            ui.label(text::rich((number + 1).to_string(), text::strong()).color(ink));
            ui.add(egui::Label::new(text::rich(*sentence, text::body())).wrap());
        });
    }
}

fn drawing_ui(ui: &mut Ui) {
    let size = vec2(ui.available_width(), HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let name = "Timeline: date plus TTL is the threshold; then overdue until the next pass";
        WidgetInfo::labeled(egui::Role::Image, true, name)
    });
    let (painter, ink) = (ui.painter(), colors(ui));
    painter.rect_filled(rect, sizes::RADIUS_CARD, ink.well);
    let y = rect.center().y;
    let x = |share: f32| rect.left() + share * rect.width();
    let bar = |from: f32, to: f32, color: Color32| {
        let rows = (y - BAR / 2.0)..=(y + BAR / 2.0);
        painter.rect_filled(Rect::from_x_y_ranges(x(from)..=x(to), rows), BAR / 2.0, color);
    };
    bar(DATE, THRESHOLD, faded(ink.accent, 0.75));
    bar(THRESHOLD, PASS, faded(ink.overdue, 0.75));
    painter.circle_filled(pos2(x(DATE), y), KNOB, ink.accent);
    painter.circle_filled(pos2(x(THRESHOLD), y), KNOB, ink.overdue);
    let ends = [pos2(x(PASS), rect.top() + 32.0), pos2(x(PASS), rect.bottom() - 32.0)];
    let stroke = Stroke::new(sizes::LINE_STRONG, ink.accent);
    painter.extend(Shape::dashed_line(&ends, stroke, sizes::DASH, sizes::DASH));
    cross(ui, pos2(x(PASS), y), ink.removed);
    let above = |share: f32, words: &str, color: Color32| {
        let at = pos2(x(share), rect.top() + 18.0);
        painter.text(at, Align2::CENTER_CENTER, words, text::strong(), color);
    };
    above(f32::midpoint(DATE, THRESHOLD), "+ TTL", ink.accent);
    above(f32::midpoint(THRESHOLD, PASS), "overdue", ink.overdue);
    let below = |share: f32, words: &str| {
        let at = pos2(x(share), rect.bottom() - 18.0);
        painter.text(at, Align2::CENTER_CENTER, words, text::body(), ink.dim);
    };
    below(DATE, "date");
    below(THRESHOLD, "threshold");
    below(PASS, "next pass removes");
}

fn cross(ui: &Ui, at: Pos2, ink: Color32) {
    let half = KNOB * 0.7;
    ui.painter().circle_filled(at, KNOB + 3.0, colors(ui).well);
    for end in [vec2(half, half), vec2(half, -half)] {
        ui.painter().line_segment([at - end, at + end], Stroke::new(sizes::LINE_STRONG, ink));
    }
}
