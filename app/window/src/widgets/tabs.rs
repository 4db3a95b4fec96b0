//! Strips of tabs.

use egui::{
    Align2, CornerRadius, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
    pos2,
};

use super::{paint, steady};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;

/// A press on a tab that can be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    Chosen,
    /// Its cross was pressed, or the tab with the middle button.
    Closed,
}

/// A tab like that of a folder, with a cross. It fills the height of the strip. `label` is what
/// there is room for of `name`.
pub fn folder(ui: &mut Ui, label: &str, name: &str, selected: bool) -> (Option<Pressed>, Response) {
    let colors = colors(ui);
    let ink = if selected { colors.text } else { colors.dim };
    let room = sizes::TAB_WIDTH_MAX - 2.0 * 14.0 - 18.0;
    let galley = paint::line(ui, label, text::body(), ink, room);
    let size = Vec2::new(galley.size().x + 14.0 + 34.0, ui.available_height());
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), selected, name));
    let body = Rect::from_min_max(rect.min + Vec2::new(0.0, 4.0), rect.max);
    let radius = CornerRadius { nw: 7, ne: 7, sw: 0, se: 0 };
    if selected {
        let stroke = Stroke::new(sizes::LINE, colors.hairline);
        ui.painter().rect(body, radius, colors.panel, stroke, StrokeKind::Inside);
        // The tab and the panel below it are one.
        let seam = Rect::from_min_max(
            pos2(body.left() + 1.0, body.bottom() - 1.0),
            pos2(body.right() - 1.0, body.bottom() + 1.0),
        );
        ui.painter().rect_filled(seam, 0.0, colors.panel);
    } else if response.hovered() {
        ui.painter().rect_filled(body, radius, colors.raised);
    }
    if response.has_focus() {
        paint::focus_ring(ui, body.shrink(3.0), sizes::RADIUS_BUTTON);
    }
    let at = pos2(body.left() + 14.0, body.center().y);
    let place = Align2::LEFT_CENTER.anchor_size(at, galley.size());
    let is_cut = galley.elided || label != name;
    ui.painter().galley(place.min, galley, ink);
    let response = if is_cut { response.hint(name) } else { response };
    let cross =
        Rect::from_center_size(pos2(body.right() - 16.0, body.center().y), Vec2::splat(24.0));
    let closed = cross_ui(ui, cross, name, &response);
    let pressed = if closed || response.middle_clicked() {
        Some(Pressed::Closed)
    } else {
        response.clicked().then_some(Pressed::Chosen)
    };
    (pressed, response)
}

fn cross_ui(ui: &mut Ui, rect: Rect, label: &str, tab: &Response) -> bool {
    let colors = colors(ui);
    let response = ui.interact(rect, tab.id.with("close"), Sense::click());
    let name = format!("Close {label}");
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &name));
    if response.hovered() {
        ui.painter().rect_filled(rect.shrink(2.0), 5.0, colors.raised_hover);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink(3.0), 5.0);
    }
    let ink = if response.hovered() { colors.text } else { colors.dim };
    paint::icon_at(ui.painter(), rect.center(), Icon::Close, 14.0, ink);
    response.clicked()
}

/// A word that is underlined while it is chosen. It fills the height of the strip.
pub fn underlined(ui: &mut Ui, label: &str, selected: bool, tooltip: &str) -> Response {
    word(ui, label, selected, true).hint(tooltip)
}

/// A word that is heavier while it is chosen. It fills the height of the strip.
pub fn word_only(ui: &mut Ui, label: &str, selected: bool) -> Response {
    word(ui, label, selected, false)
}

fn word(ui: &mut Ui, label: &str, selected: bool, underline: bool) -> Response {
    let colors = colors(ui);
    // The heavier face is wider; its width is kept so that nothing moves when a word is chosen.
    let width = paint::measured(ui, label, text::strong()).x + 2.0 * 4.0;
    let size = Vec2::new(width, ui.available_height());
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), selected, label));
    let ink = if selected || response.hovered() { colors.text } else { colors.dim };
    let font = if selected { text::strong() } else { text::body() };
    let at = rect.center();
    paint::text_at(ui, at, Align2::CENTER_CENTER, label, font, ink, f32::INFINITY);
    if selected && underline {
        let line = Rect::from_min_max(
            pos2(rect.left() + 2.0, rect.bottom() - sizes::LINE_STRONG),
            pos2(rect.right() - 2.0, rect.bottom()),
        );
        ui.painter().rect_filled(line, 1.0, colors.accent);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.shrink2(Vec2::new(0.0, 6.0)), sizes::RADIUS_BUTTON);
    }
    response
}

/// Several words of which one is chosen: a trough with a raised thumb. Returns the index of the one
/// pressed.
pub fn segmented(ui: &mut Ui, name: &str, words: &[&str], chosen: usize) -> Option<usize> {
    let colors = colors(ui);
    // The heavier face is wider; its width is kept so that nothing moves when a word is chosen.
    let width = |word: &&str| paint::measured(ui, word, text::medium()).x + 2.0 * SEGMENT_PADDING;
    let widths: Vec<f32> = words.iter().map(width).collect();
    let size = Vec2::new(widths.iter().sum::<f32>() + 2.0 * TROUGH, sizes::CONTROL);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, sizes::RADIUS_BUTTON, colors.trough);
    let mut left = rect.left() + TROUGH;
    let mut pressed = None;
    for (at, (word, width)) in words.iter().zip(widths).enumerate() {
        let place = Rect::from_x_y_ranges(left..=left + width, rect.y_range())
            .shrink2(Vec2::new(0.0, TROUGH));
        left += width;
        let spoken = format!("{name}: {word}");
        let response = ui.interact(place, steady::id(ui, &spoken), Sense::click());
        let is_chosen = at == chosen;
        response.widget_info(|| {
            WidgetInfo::selected(Role::Button, ui.is_enabled(), is_chosen, &spoken)
        });
        let radius = sizes::RADIUS_BUTTON - TROUGH;
        if is_chosen {
            ui.painter().rect_filled(place, radius, colors.thumb);
        }
        let is_strong = is_chosen || response.hovered();
        let ink = if is_strong { colors.text } else { colors.dim };
        let font = if is_chosen { text::medium() } else { text::body() };
        let center = place.center();
        paint::text_at(ui, center, Align2::CENTER_CENTER, word, font, ink, f32::INFINITY);
        if response.has_focus() {
            paint::focus_ring(ui, place, radius);
        }
        if response.clicked() {
            pressed = Some(at);
        }
    }
    pressed
}

/// The padding left and right of a word.
const SEGMENT_PADDING: f32 = sizes::CONTROL_PADDING - 1.0;

/// How far the thumb is from the edge of its trough.
const TROUGH: f32 = 2.0;
