//! The marks of TTL indexes, where a collection has several: a letter on a color.

use egui::{
    Align2, Color32, Painter, Pos2, Rect, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo,
};

use crate::action::ExpiryAction;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::Tab;
use crate::state::expiry::{IndexMark, mark};
use crate::state::indexes::TtlIndex;
use crate::theme::{Colors, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::marks::visible;
use crate::widgets::paint;
use crate::widgets::value::cut;

/// Characters of an index's name next to its mark.
const NAME_CHARS_MAX: usize = 20;

fn color(colors: &Colors, mark: IndexMark) -> Color32 {
    colors.index_marks[mark.color % colors.index_marks.len()]
}

/// Paints a mark; filled, or as an outline.
pub(super) fn paint(
    painter: &Painter,
    colors: &Colors,
    center: Pos2,
    mark: IndexMark,
    is_filled: bool,
) {
    let color = color(colors, mark);
    let place = Rect::from_center_size(center, Vec2::splat(sizes::INDEX_MARK));
    let letter = if is_filled {
        painter.rect_filled(place, sizes::INDEX_MARK_RADIUS, color);
        colors.panel
    } else {
        let stroke = Stroke::new(sizes::LINE, color);
        painter.rect_stroke(place, sizes::INDEX_MARK_RADIUS, stroke, StrokeKind::Inside);
        color
    };
    let (align, words) = (Align2::CENTER_CENTER, mark.letter.to_string());
    painter.text(center, align, words, text::mono_small(), letter);
}

/// Draws the mark of an index in a line of text; nothing where there is only one.
pub(super) fn ui(ui: &mut Ui, indexes: &[TtlIndex], index: &str) {
    if let Some(mark) = mark(indexes, index) {
        let (rect, _) = ui.allocate_exact_size(Vec2::splat(sizes::INDEX_MARK), Sense::hover());
        paint(ui.painter(), colors(ui), rect.center(), mark, true);
    }
}

/// Draws a switch for each of several TTL indexes: documents are shown as if a hidden one did not
/// exist. Nothing where one was chosen, or there is only one.
pub(super) fn toggles_ui(ui: &mut Ui, tab: &Tab, actions: &mut ExpiryActions<'_>) {
    let indexes = tab.indexes.ttl();
    if indexes.len() < 2 || tab.expiry.index.is_some() {
        return;
    }
    let shown = indexes.iter().filter(|index| tab.expiry.shows(&index.name)).count();
    // The first is at the left in either direction.
    let mut drawn: Vec<&TtlIndex> = indexes.iter().collect();
    if ui.layout().prefer_right_to_left() {
        drawn.reverse();
    }
    for index in drawn {
        let is_shown = tab.expiry.shows(&index.name);
        if toggle_ui(ui, &indexes, index, is_shown, shown == 1) {
            let name = index.name.clone();
            actions.push(ExpiryAction::HideIndex { name, hidden: is_shown });
        }
    }
}

fn toggle_ui(
    ui: &mut Ui,
    indexes: &[TtlIndex],
    index: &TtlIndex,
    is_shown: bool,
    is_last: bool,
) -> bool {
    let Some(mark) = mark(indexes, &index.name) else { return false };
    let name = cut(&visible(&index.name), NAME_CHARS_MAX);
    let ink = colors(ui);
    let dim = if is_shown { ink.text } else { ink.dim };
    let words = paint::line(ui, &name, text::small(), dim, f32::INFINITY);
    let width = sizes::GAP_SMALL * 3.0 + sizes::INDEX_MARK + words.size().x;
    let size = Vec2::new(width, sizes::CONTROL_SMALL);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response.widget_info(|| {
        let name = format!("{}: {}", mark.letter, index.name);
        WidgetInfo::selected(Role::CheckBox, true, is_shown, name)
    });
    if response.hovered() {
        ui.painter().rect_filled(rect, sizes::RADIUS_BUTTON, ink.raised_hover);
    }
    let center = rect.left_center() + Vec2::new(sizes::GAP_SMALL + sizes::INDEX_MARK / 2.0, 0.0);
    paint(ui.painter(), ink, center, mark, is_shown);
    let left = center.x + sizes::INDEX_MARK / 2.0 + sizes::GAP_SMALL;
    let at = Pos2::new(left, rect.center().y - words.size().y / 2.0);
    if !is_shown {
        let line = left..=left + words.size().x;
        ui.painter().hline(line, rect.center().y, Stroke::new(sizes::LINE, ink.dim));
    }
    ui.painter().galley(at, words, dim);
    if response.has_focus() {
        paint::focus_ring(ui, rect, sizes::RADIUS_BUTTON);
    }
    let hint = match (is_shown, is_last) {
        (true, true) => "The only TTL index that is shown",
        (true, false) => {
            "Show documents as if this index did not exist. It still removes documents"
        }
        (false, _) => "Hidden here, but it still removes documents. Show what it removes again",
    };
    let label = visible(&index.label());
    let clicked = response.clicked() && !(is_shown && is_last);
    response.hint(format!("{label}\n{hint}"));
    clicked
}
