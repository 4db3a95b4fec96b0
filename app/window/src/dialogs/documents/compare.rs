//! Two documents side by side.

use egui::{Align2, Context, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::frame::DialogFrame;
use crate::state::documents::compare::{Compare, Line};
use crate::state::documents::field_path;
use crate::state::number::counted;
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, cell, marks, menu, paint, value};

/// The height of the list, in points.
const LIST: f32 = 420.0;

/// The part of the width that paths have.
const PATH_SHARE: f32 = 0.28;

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut Compare, actions: &mut Actions) {
    let subtitle = subtitle(draft);
    let label = if draft.shows_same { "Only differences" } else { "Show all fields" };
    let frame = DialogFrame::new("Compare documents")
        .subtitle(subtitle)
        .width(sizes::DIALOG_WIDE)
        .done("Close")
        .button(Button::plain(label).room_for("Only differences"), ());
    let outcome = frame.ui(context, |ui| content_ui(ui, draft, actions));
    if outcome.end(actions).is_some() {
        draft.shows_same = !draft.shows_same;
    }
}

fn subtitle(draft: &Compare) -> String {
    let count = draft.differences() as u64;
    if count == 0 {
        return "Both documents have the same fields and values".to_owned();
    }
    let more = if draft.cut { "; only the beginning of both is compared" } else { "" };
    format!("{}{more}", counted(count, "difference", "differences"))
}

fn content_ui(ui: &mut Ui, draft: &Compare, actions: &mut Actions) {
    let lines: Vec<&Line> =
        draft.lines.iter().filter(|line| draft.shows_same || !line.is_same()).collect();
    head_ui(ui, draft);
    egui::ScrollArea::vertical().id_salt("compared").max_height(LIST).show_rows(
        ui,
        sizes::ROW_DENSE,
        lines.len(),
        |ui, rows| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for line in lines.get(rows).unwrap_or_default() {
                line_ui(ui, line, actions);
            }
        },
    );
}

/// The three columns of a row.
fn columns(rect: Rect) -> [Rect; 3] {
    let path = rect.width() * PATH_SHARE;
    let each = (rect.width() - path) / 2.0;
    let at = |left: f32, width: f32| {
        let gap = sizes::GAP_SMALL;
        Rect::from_min_size(pos2(rect.left() + left, rect.top()), vec2(width - gap, rect.height()))
    };
    [at(0.0, path), at(path, each), at(path + each, each)]
}

fn head_ui(ui: &mut Ui, draft: &Compare) {
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let look = colors(ui);
    let ids = draft.ids.each_ref().map(|id| marks::visible(&value::cut(&value::id(id), 60)));
    let words = ["Field".to_owned(), ids[0].clone(), ids[1].clone()];
    for (place, words) in columns(rect).into_iter().zip(&words) {
        let (align, font) = (Align2::LEFT_CENTER, text::mono_small());
        let at = place.left_center();
        paint::text_at(ui, at, align, words, font, look.dim, place.width());
    }
    let line = egui::Stroke::new(sizes::LINE, look.hairline);
    ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, line);
}

fn line_ui(ui: &mut Ui, line: &Line, actions: &mut Actions) {
    let size = vec2(ui.available_width(), sizes::ROW_DENSE);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let path = field_path::dotted(&line.names);
    let said = line
        .values
        .each_ref()
        .map(|value| value.as_ref().map_or_else(|| "missing".to_owned(), value::preview));
    let same = if line.is_same() { "same" } else { "different" };
    let spoken =
        marks::visible(&value::cut(&format!("{path}: {same}: {} / {}", said[0], said[1]), 200));
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, ui.is_enabled(), &spoken));
    let look = colors(ui);
    if response.hovered() {
        ui.painter().rect_filled(rect, 0.0, look.raised);
    }
    let [first, second, third] = columns(rect);
    // Not by color alone: what differs has a sign before it.
    let sign = match (&line.values, line.is_same()) {
        (_, true) => "=",
        ([Some(_), None], _) => "−",
        ([None, Some(_)], _) => "+",
        _ => "≠",
    };
    let (font, align) = (text::mono(), Align2::LEFT_CENTER);
    let ink = if line.is_same() { look.dim } else { look.edited };
    paint::text_at(ui, first.left_center(), align, sign, font.clone(), ink, 14.0);
    let at = first.left_center() + vec2(16.0, 0.0);
    let name = marks::visible(&path);
    paint::text_at(ui, at, align, &name, font.clone(), look.text, first.width() - 16.0);
    for (place, found) in [second, third].into_iter().zip(&line.values) {
        if let Some(found) = found {
            value::line_in(ui, place, cell::job(found, look));
        } else {
            let at = place.left_center();
            paint::text_at(ui, at, align, "missing", text::small(), look.dim, place.width());
        }
    }
    menu::context(&response, |ui| {
        if menu::entry(ui, "Copy path", "", true).clicked() {
            actions.push(Action::View(ViewAction::Copy(path.clone())));
        }
        for (label, found) in
            ["Copy the first value", "Copy the second value"].into_iter().zip(&line.values)
        {
            if let Some(found) = found
                && menu::entry(ui, label, "", true).clicked()
            {
                let words = crate::state::documents::field::text_of(found);
                actions.push(Action::View(ViewAction::CopyLines(words)));
            }
        }
    });
}
