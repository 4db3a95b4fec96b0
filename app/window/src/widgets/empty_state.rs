//! An empty view: a picture, one sentence, one button.

use egui::epaint::QuadraticBezierShape;
use egui::{
    Align2, Painter, Pos2, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, pos2, vec2,
};

use super::Button;
use crate::theme::{Colors, colors, sizes, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picture {
    /// A mayfly: nothing is open.
    Mayfly,
    /// Sheets of paper: no documents.
    Documents,
    /// Lanes on a time axis: nothing expires.
    Time,
    /// A tree of entries: no indexes.
    Indexes,
    /// A broken sheet: something failed.
    Failure,
    /// An hourglass: being read.
    Waiting,
    /// An hourglass on its side: the user ended the reading.
    Stopped,
}

/// Draws the picture, the sentence and the button in the middle of what is left. The button's
/// response is returned.
pub fn ui(ui: &mut Ui, picture: Picture, sentence: &str, button: Option<&str>) -> Option<Response> {
    with_more_ui(ui, picture, sentence, button, |_| ())
}

/// The same with more below the button.
pub fn with_more_ui(
    ui: &mut Ui,
    picture: Picture,
    sentence: &str,
    button: Option<&str>,
    more: impl FnOnce(&mut Ui),
) -> Option<Response> {
    tall_ui(ui, picture, sentence, button, 0.0, more)
}

/// The same with so much more below the button that it must be in the middle too: `more_height` of
/// it, in points.
pub fn tall_ui(
    ui: &mut Ui,
    picture: Picture,
    sentence: &str,
    button: Option<&str>,
    more_height: f32,
    more: impl FnOnce(&mut Ui),
) -> Option<Response> {
    let room = ui.available_size();
    let height = sizes::EMPTY_PICTURE + 92.0 + more_height;
    let mut pressed = None;
    ui.allocate_ui_with_layout(room, egui::Layout::top_down(egui::Align::Center), |ui| {
        ui.add_space(((room.y - height) / 2.0).max(sizes::GAP_TINY));
        // The sentence and the button come before the picture, which is left out where there is no
        // room.
        if room.y >= height + sizes::GAP {
            let size = Vec2::splat(sizes::EMPTY_PICTURE);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            paint(ui.painter(), rect, picture, colors(ui));
            ui.add_space(sizes::GAP_SMALL);
        }
        ui.scope(|ui| {
            ui.set_max_width(sizes::EMPTY_TEXT.min(room.x - 2.0 * sizes::GAP));
            let ink = colors(ui).dim;
            ui.label(text::rich(sentence, text::body()).color(ink));
        });
        if let Some(button) = button {
            ui.add_space(sizes::GAP_SMALL);
            pressed = Some(ui.add(Button::primary(button)));
        }
        more(ui);
    });
    pressed
}

/// A query that the user stopped. Returns whether it is to run again.
pub fn stopped_ui(ui: &mut Ui, sentence: &str) -> bool {
    let pressed = self::ui(ui, Picture::Stopped, sentence, Some("Run again"));
    pressed.is_some_and(|button| button.clicked())
}

/// One dim sentence, for small places.
pub fn hint(ui: &mut Ui, sentence: &str) {
    let ink = colors(ui).dim;
    ui.label(text::rich(sentence, text::body()).color(ink));
}

fn paint(painter: &Painter, rect: Rect, picture: Picture, colors: &Colors) {
    match picture {
        Picture::Mayfly => mayfly(painter, rect, colors),
        Picture::Documents => sheets(painter, rect, colors, false),
        Picture::Failure => sheets(painter, rect, colors, true),
        Picture::Time => lanes(painter, rect, colors),
        Picture::Indexes => entries(painter, rect, colors),
        Picture::Waiting => hourglass(painter, rect, colors, false),
        Picture::Stopped => hourglass(painter, rect, colors, true),
    }
}

/// A point of a picture that is drawn on a square of 100 by 100.
fn at(rect: Rect, x: f32, y: f32) -> Pos2 {
    rect.min + vec2(x, y) * (rect.width() / 100.0)
}

fn background(painter: &Painter, rect: Rect, colors: &Colors) {
    painter.circle_filled(rect.center(), rect.width() * 0.46, colors.accent_background);
}

fn sheet(painter: &Painter, rect: Rect, colors: &Colors, x: f32, y: f32) {
    let sheet = Rect::from_min_max(at(rect, x, y), at(rect, x + 38.0, y + 48.0));
    let stroke = Stroke::new(1.5, colors.dim);
    painter.rect(sheet, 5.0, colors.panel, stroke, StrokeKind::Inside);
    for (line, width) in [24.0, 18.0, 24.0, 12.0].into_iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "four lines")]
        let top = y + 11.0 + 9.0 * line as f32;
        let from = at(rect, x + 7.0, top);
        painter.line_segment(
            [from, from + vec2(width, 0.0) * (rect.width() / 100.0)],
            Stroke::new(2.5, if line == 0 { colors.accent } else { colors.hairline }),
        );
    }
}

fn sheets(painter: &Painter, rect: Rect, colors: &Colors, broken: bool) {
    background(painter, rect, colors);
    sheet(painter, rect, colors, 22.0, 20.0);
    sheet(painter, rect, colors, 40.0, 32.0);
    if broken {
        let crack = [(52.0, 30.0), (60.0, 44.0), (53.0, 54.0), (63.0, 68.0), (57.0, 82.0)];
        let points = crack.iter().map(|(x, y)| at(rect, *x, *y)).collect();
        painter.add(Shape::line(points, Stroke::new(3.0, colors.error)));
    }
}

fn lanes(painter: &Painter, rect: Rect, colors: &Colors) {
    background(painter, rect, colors);
    let lanes = [(30.0, 18.0, 60.0), (44.0, 26.0, 76.0), (58.0, 34.0, 68.0), (72.0, 28.0, 84.0)];
    let scale = rect.width() / 100.0;
    for (y, from, to) in lanes {
        let lane = Rect::from_min_max(at(rect, from, y - 2.5), at(rect, to, y + 2.5));
        painter.rect_filled(lane, 3.0 * scale, colors.accent.gamma_multiply(0.45));
        painter.circle(at(rect, to, y), 4.0 * scale, colors.panel, Stroke::new(2.0, colors.accent));
    }
    painter
        .line_segment([at(rect, 42.0, 16.0), at(rect, 42.0, 84.0)], Stroke::new(2.0, colors.now));
}

fn entries(painter: &Painter, rect: Rect, colors: &Colors) {
    background(painter, rect, colors);
    let stroke = Stroke::new(1.5, colors.dim);
    let root = at(rect, 50.0, 28.0);
    for x in [24.0, 50.0, 76.0] {
        painter.line_segment([root, at(rect, x, 66.0)], stroke);
        let leaf = Rect::from_center_size(at(rect, x, 68.0), Vec2::splat(rect.width() * 0.15));
        painter.rect(leaf, 4.0, colors.panel, stroke, StrokeKind::Inside);
    }
    painter.circle(root, rect.width() * 0.08, colors.accent, Stroke::NONE);
}

/// Upright with sand below, or on its side with sand in both halves.
fn hourglass(painter: &Painter, rect: Rect, colors: &Colors, is_stopped: bool) {
    background(painter, rect, colors);
    let place = |(x, y): (f32, f32)| if is_stopped { at(rect, y, x) } else { at(rect, x, y) };
    let outline =
        [(34.0, 24.0), (66.0, 24.0), (52.0, 50.0), (66.0, 76.0), (34.0, 76.0), (48.0, 50.0)];
    let points = outline.map(place).to_vec();
    painter.add(Shape::closed_line(points, Stroke::new(2.0, colors.dim)));
    let sand = |points: &[(f32, f32)], ink| {
        let points = points.iter().copied().map(place).collect();
        painter.add(Shape::convex_polygon(points, ink, Stroke::NONE));
    };
    if is_stopped {
        // At rest along the lower side.
        sand(&[(63.0, 27.0), (63.0, 73.0), (56.0, 62.0), (51.0, 50.0), (56.0, 38.0)], colors.dim);
    } else {
        sand(&[(39.0, 74.0), (61.0, 74.0), (50.0, 60.0)], colors.accent);
    }
}

/// The animal itself: upright wings, a slender body, three tails.
fn mayfly(painter: &Painter, rect: Rect, colors: &Colors) {
    background(painter, rect, colors);
    let body = Stroke::new(3.0, colors.text);
    let curve = |from: (f32, f32), by: (f32, f32), to: (f32, f32), stroke: Stroke| {
        let points = [from, by, to].map(|(x, y)| at(rect, x, y));
        painter.add(QuadraticBezierShape::from_points_stroke(
            points,
            false,
            egui::Color32::TRANSPARENT,
            stroke,
        ));
    };
    let wing = |points: &[(f32, f32)], opacity: f32| {
        let points = points.iter().map(|(x, y)| at(rect, *x, *y)).collect();
        let fill = colors.accent.gamma_multiply(opacity);
        painter.add(Shape::convex_polygon(points, fill, Stroke::new(1.2, colors.accent)));
    };
    wing(
        &[(44.0, 56.0), (34.0, 38.0), (38.0, 20.0), (50.0, 14.0), (54.0, 30.0), (50.0, 52.0)],
        0.45,
    );
    wing(
        &[(47.0, 56.0), (52.0, 34.0), (66.0, 18.0), (76.0, 20.0), (72.0, 36.0), (58.0, 52.0)],
        0.65,
    );
    curve((34.0, 58.0), (46.0, 54.0), (62.0, 64.0), body);
    let tail = Stroke::new(1.4, colors.text);
    curve((62.0, 64.0), (76.0, 66.0), (88.0, 58.0), tail);
    curve((62.0, 64.0), (76.0, 72.0), (90.0, 70.0), tail);
    curve((62.0, 64.0), (72.0, 76.0), (84.0, 82.0), tail);
    painter.circle_filled(at(rect, 33.0, 58.0), rect.width() * 0.035, colors.text);
    curve((33.0, 57.0), (27.0, 52.0), (24.0, 46.0), Stroke::new(1.2, colors.text));
}

/// Paints the animal at the size of a line of text, for the name in the top bar.
pub fn mark(ui: &Ui, center: Pos2, size: f32) {
    let rect = Align2::CENTER_CENTER.anchor_size(pos2(center.x, center.y), Vec2::splat(size));
    paint(ui.painter(), rect, Picture::Mayfly, colors(ui));
}
