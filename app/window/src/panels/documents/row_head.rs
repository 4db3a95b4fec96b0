//! The first line of a document in a list: selection, `_id`, when it expires, and what can be done.

use bson::Bson;
use egui::{Align, Align2, Layout, Rect, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2};

use super::words;
use crate::action::view_actions::How;
use crate::action::{Action, Actions, DocumentsAction};
use crate::panels::expiry::{self, words::hidden};
use crate::state::documents::Row;
use crate::state::documents::due::Due;
use crate::state::{State, Tab};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::{Button, marks, paint, value};

/// The height of the line.
pub const HEIGHT: f32 = 26.0;

/// Room for the buttons at the right.
const BUTTONS: f32 = 84.0;

/// The side of the box that selects a document. It begins where the names of fields begin.
const MARK: f32 = 15.0;

/// The effect of a press on the selection, by the keys that are held.
pub fn how(ui: &Ui) -> How {
    ui.input(|input| match (input.modifiers.command, input.modifiers.shift) {
        (true, _) => How::Toggle,
        (_, true) => How::Range,
        _ => How::Only,
    })
}

/// The name of a document that is read aloud.
pub fn name(row: &Row) -> String {
    let id = value::cut(&value::id(&row.id), 80);
    format!("Document {}", marks::visible(&id))
}

/// Draws the line into `rect`.
#[expect(clippy::too_many_arguments, reason = "what the list knows of the row, and the way out")]
pub fn ui(
    ui: &mut Ui,
    rect: Rect,
    at: u64,
    row: &Row,
    hot: bool,
    state: &State,
    tab: &Tab,
    actions: &mut Actions,
) {
    let view = &tab.documents;
    if view.confirming.as_ref() == Some(&row.id) && row.has_id() {
        confirm_ui(ui, rect, row, tab, actions);
        return;
    }
    let mut left = rect.left();
    if row.has_id() {
        let mark = Rect::from_min_size(pos2(left, rect.top()), Vec2::new(24.0, rect.height()));
        mark_ui(ui, mark, at, row, hot, tab, actions);
        left += 24.0;
    }
    let mut job = egui::text::LayoutJob::default();
    value::append_id(&mut job, &row.id, colors(ui));
    let stays = state.tree.why_nothing_expires(&tab.namespace.db).is_some();
    let due = row.due.filter(|_| !stays);
    let has_buttons = hot && row.has_id();
    // Where the buttons take the edge, the time steps aside: its tooltip stays within reach.
    let edge = rect.right() - if has_buttons { BUTTONS } else { 0.0 };
    let due_left = due_ui(ui, rect.with_max_x(edge), due, (state, tab), actions);
    let place = Rect::from_min_max(pos2(left, rect.top()), pos2(due_left - 12.0, rect.bottom()));
    if row.has_id() {
        value::line_in(ui, place, job);
    }
    if has_buttons {
        buttons_ui(ui, rect, &row.id, tab, actions);
    }
}

fn mark_ui(
    ui: &mut Ui,
    rect: Rect,
    at: u64,
    row: &Row,
    hot: bool,
    tab: &Tab,
    actions: &mut Actions,
) {
    let colors = colors(ui);
    let chosen = tab.documents.is_selected(&row.id);
    let response = ui.interact(rect, ui.scope_id().with("select"), Sense::click());
    let name = format!("Select {}", name(row));
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, ui.is_enabled(), chosen, &name));
    let middle = pos2(rect.left() + MARK / 2.0, rect.center().y);
    let square = Rect::from_center_size(middle, Vec2::splat(MARK));
    let several = tab.documents.selected.len() > 1;
    if chosen && (several || hot) {
        ui.painter().rect_filled(square, 4.0, colors.accent);
        paint::icon_at(ui.painter(), square.center(), Icon::Check, 13.0, colors.on_accent);
    } else {
        let ink = if hot || response.hovered() || several { colors.dim } else { colors.hairline };
        let stroke = egui::Stroke::new(sizes::LINE, ink);
        ui.painter().rect_stroke(square, 4.0, stroke, egui::StrokeKind::Inside);
    }
    if response.has_focus() {
        paint::focus_ring(ui, square, 4.0);
    }
    if response.clicked() {
        let id = row.id.clone();
        let action = DocumentsAction::Select { row: at, id, how: How::Toggle };
        actions.push(Action::Documents(tab.id, action));
    }
}

/// When the document expires, at the right edge. Returns where it begins.
fn due_ui(
    ui: &mut Ui,
    rect: Rect,
    due: Option<Due>,
    (state, tab): (&State, &Tab),
    actions: &mut Actions,
) -> f32 {
    let right = rect.right();
    let Some(due) = due else { return right };
    let colors = colors(ui);
    let (words, overdue) = words::due(due, &state.clock);
    if let Due::At { threshold_ms, .. } = due {
        actions.count_down(&state.clock, threshold_ms);
    }
    let (ink, font) = match (due, overdue) {
        (Due::Never, _) => (colors.dim, text::small()),
        (_, true) => (colors.overdue, text::mono_small()),
        (_, false) => (colors.accent, text::mono_small()),
    };
    let galley = paint::line(ui, &words, font, ink, 220.0);
    // As wide as the widest digits, so that the text does not move while it counts.
    let width = galley.size().x;
    let place = Align2::RIGHT_CENTER.anchor_size(pos2(right, rect.center().y), galley.size());
    ui.painter().galley(place.min, galley, ink);
    let mut left = right - width;
    if !matches!(due, Due::Never) {
        let icon = if overdue { Icon::Warning } else { Icon::Timer };
        paint::icon_at(ui.painter(), pos2(left - 12.0, rect.center().y), icon, 14.0, ink);
        left -= 22.0;
    }
    let area = Rect::from_min_max(pos2(left, rect.top()), pos2(right, rect.bottom()));
    let response = ui.interact(area, ui.scope_id().with("due"), Sense::hover());
    let spoken = words::due_spoken(due, state.clock.zone());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    // A row stays in the list until the next read.
    // Where an index on a date counts too, the row doesn't tell which of them decides.
    let is_on_modification = tab.documents.asks_due && tab.documents.ttl.is_empty();
    let hides = is_on_modification && state.tree.hides_expired(&tab.namespace.db);
    if overdue && hides {
        let in_background = state.tree.removes_in_background(&tab.namespace.db);
        let words = hidden(expiry::removals(state, tab), in_background);
        response.hint(format!("{spoken}\n{words}"));
    } else {
        response.hint(spoken);
    }
    left
}

fn buttons_ui(ui: &mut Ui, rect: Rect, id: &Bson, tab: &Tab, actions: &mut Actions) {
    let area = Rect::from_min_max(pos2(rect.right() - BUTTONS, rect.top()), rect.max);
    let layout = Layout::right_to_left(Align::Center);
    let builder = UiBuilder::new().max_rect(area).layout(layout).id_salt("buttons");
    ui.scope_builder(builder, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (icon, name, action) in [
            (Icon::Drop, "Delete document", DocumentsAction::AskDelete(id.clone())),
            (Icon::Copy, "Clone document", DocumentsAction::Clone(id.clone())),
            (Icon::Edit, "Edit document", DocumentsAction::Edit(id.clone())),
        ] {
            if ui.add(Button::icon_only(icon, name).small()).clicked() {
                actions.push(Action::Documents(tab.id, action));
            }
        }
    });
}

fn confirm_ui(ui: &mut Ui, rect: Rect, row: &Row, tab: &Tab, actions: &mut Actions) {
    let layout = Layout::right_to_left(Align::Center);
    let builder = UiBuilder::new().max_rect(rect).layout(layout).id_salt("confirm");
    ui.scope_builder(builder, |ui| {
        let mut push = |action| actions.push(Action::Documents(tab.id, action));
        if ui.add(Button::plain("Keep").small()).clicked() {
            push(DocumentsAction::KeepDocument);
        }
        if ui.add(Button::danger("Delete").small()).clicked() {
            push(DocumentsAction::Delete(row.id.clone()));
        }
        let id = marks::visible(&value::cut(&value::id(&row.id), 40));
        let words = format!("Delete {id}?");
        ui.label(text::rich(words, text::body()).color(colors(ui).text));
    });
}
