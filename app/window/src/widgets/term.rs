//! Explanations of words: a dotted underline, and sentences of the glossary on hover.

use egui::{Color32, Pos2, Response, Shape, Ui};

use super::hint::Hint as _;
use crate::job::glossary::Term;
use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};

/// From dot to dot, and the radius of one, in points.
const DOT_DISTANCE: f32 = 3.0;
const DOT_RADIUS: f32 = 0.6;

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
