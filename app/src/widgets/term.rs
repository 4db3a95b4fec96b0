//! Words that are explained: a dotted underline, and a sentence of the glossary on hover.

use egui::{Align2, Color32, FontId, Pos2, Response, Sense, Shape, Ui, WidgetInfo, pos2};

use super::hint::Hint as _;
use super::paint;
use crate::job::glossary::Term;
use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};

/// From dot to dot, and the radius of one, in points.
const DOT_DISTANCE: f32 = 3.0;
const DOT_RADIUS: f32 = 0.6;

/// Draws `words` with a dotted underline and explains `term` on hover.
pub fn ui(ui: &mut Ui, words: &str, font: FontId, ink: Color32, term: Term) -> Response {
    let galley = paint::line(ui, words, font, ink, f32::INFINITY);
    let (rect, response) = ui.allocate_exact_size(galley.size(), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, words));
    let place = Align2::LEFT_CENTER.anchor_size(rect.left_center(), galley.size());
    ui.painter().galley(place.min, galley, ink);
    underline(ui, place.left_bottom(), place.width(), ink);
    response.explain(&[term])
}

/// Explains words on hover that something else has drawn.
pub trait Explain {
    /// Shows the sentences of `terms` near the widget; hands the widget's answer back.
    fn explain(self, terms: &[Term]) -> Response;
}

impl Explain for Response {
    fn explain(self, terms: &[Term]) -> Response {
        self.hint_ui(|ui| terms_ui(ui, terms))
    }
}

/// Underlines `words` at the left of a row of key and value.
pub fn underline_key(ui: &Ui, row: &Response, words: &str) {
    let size = paint::measured(ui, words, text::body());
    let left = pos2(row.rect.left(), row.rect.center().y + size.y / 2.0);
    underline(ui, left, size.x, colors(ui).dim);
}

/// Draws words and their sentences, one below the other.
pub fn terms_ui(ui: &mut Ui, terms: &[Term]) {
    ui.set_max_width(sizes::TOOLTIP);
    for (number, term) in terms.iter().enumerate() {
        if number > 0 {
            ui.add_space(sizes::GAP_TINY);
        }
        ui.label(text::rich(term.word(), text::strong()));
        ui.label(text::rich(term.sentence(), text::body()).color(colors(ui).dim));
    }
}

/// Draws the dots below a word that begins at `left`.
pub fn underline(ui: &Ui, left: Pos2, width: f32, ink: Color32) {
    let ends = [left, left + egui::vec2(width, 0.0)];
    ui.painter().extend(Shape::dotted_line(&ends, faded(ink, 0.7), DOT_DISTANCE, DOT_RADIUS));
}
