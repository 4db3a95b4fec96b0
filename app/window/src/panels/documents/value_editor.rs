//! The editor of one value: its text, its type, and what is wrong with it or lost. The inspector
//! draws it among the fields, the list over the cell.

use std::sync::Arc;

use bson::Bson;
use egui::{
    Align, Area, Frame, Id, Key, Layout, Margin, Modifiers, Order, Rect, Shadow, Stroke, Ui,
};

use super::words;
use crate::action::{Action, Actions, DocumentsAction};
use crate::limits::EDITED_TEXT_BYTES_MAX;
use crate::state::documents::field::{self, Calendar};
use crate::state::documents::{DocumentsDraft, EditTarget, FieldEdit, FieldKind, Row};
use crate::state::{State, Tab, Zone};
use crate::theme::colors::faded;
use crate::theme::{Icon, colors, durations, sizes, text};
use crate::widgets::field::Field;
use crate::widgets::text_area::TextArea;
use crate::widgets::{Button, date_picker, marks, menu};

/// The narrowest editor over a cell, in points.
const POPUP_MIN: f32 = 320.0;

/// The widest one.
const POPUP_MAX: f32 = 560.0;

/// How strong the light is in a cell whose value was just saved.
const SAVED_STRENGTH: f32 = 0.35;

/// Under what the cell under edit is kept.
const CELL: &str = "the cell under edit";

/// The user's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditStep {
    Continue,
    Save,
    Cancel,
}

/// Draws the editor in its place among the fields.
pub fn ui(ui: &mut Ui, edit: &mut FieldEdit, state: &State, busy: bool) -> EditStep {
    ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
    let mut done = EditStep::Continue;
    if edit.takes_name() {
        name_ui(ui, edit, &mut done);
    }
    ui.horizontal(|ui| {
        if !edit.takes_name() && edit.target != EditTarget::New {
            let name = marks::visible(&edit.name);
            ui.label(text::rich(name, text::mono()).color(colors(ui).edited));
        }
        kind_ui(ui, edit, state);
    });
    value_ui(ui, edit, state.now_ms(), &mut done);
    calendar_ui(ui, edit, state);
    notes_ui(ui, edit, state.now_ms());
    let ready = is_ready(edit, state, busy);
    ui.horizontal(|ui| buttons_ui(ui, ready, &mut done));
    with_keys(ui, state, ready, done)
}

/// The cell under edit.
#[derive(Debug, Clone, Copy)]
struct EditedCell {
    rect: Rect,
    id: Id,
    /// The pass in which it was on the screen.
    seen: u64,
    /// Whether its row was scrolled out of sight since then.
    is_hidden: bool,
}

/// Notes where the cell under edit is in this frame.
pub fn note_cell(ui: &Ui, rect: Rect, id: Id) {
    if !ui.clip_rect().contains(rect.center()) {
        return;
    }
    let (key, seen) = (Id::unique(CELL), ui.ctx().cumulative_pass_nr());
    ui.data_mut(|data| {
        let before = data.get_temp::<EditedCell>(key);
        let is_hidden = before.is_some_and(|before| before.is_hidden);
        data.insert_temp(key, EditedCell { rect, id, seen, is_hidden });
    });
}

/// Where the cell under edit is in this frame. `None` while its row is out of sight: what was typed
/// is kept until then.
fn cell_in_sight(ui: &Ui, known: EditedCell, edit: &FieldEdit) -> Option<Rect> {
    let is_seen = known.seen == ui.ctx().cumulative_pass_nr();
    if is_seen && known.is_hidden && edit.kind != FieldKind::Null {
        ui.memory_mut(|memory| memory.request_focus(value_id()));
    }
    if known.is_hidden == is_seen {
        let noted = EditedCell { is_hidden: !is_seen, ..known };
        ui.data_mut(|data| data.insert_temp(Id::unique(CELL), noted));
    }
    is_seen.then_some(known.rect)
}

/// Draws the editor over the cell under edit, if there is one. Once it is gone, the cell has the
/// keyboard again.
pub fn over_cell_ui(
    ui: &Ui,
    state: &State,
    tab: &Tab,
    draft: &mut DocumentsDraft,
    actions: &mut Actions,
) {
    let key = Id::unique(CELL);
    let Some(known) = ui.data(|data| data.get_temp::<EditedCell>(key)) else { return };
    let Some(edit) = draft.field.as_mut().filter(|edit| edit.in_list) else {
        ui.data_mut(|data| data.remove::<EditedCell>(key));
        if ui.memory(|memory| memory.focused().is_none()) {
            ui.memory_mut(|memory| memory.request_focus(known.id));
        }
        return;
    };
    let Some(cell) = cell_in_sight(ui, known, edit) else {
        if !edit.is_changed() {
            draft.field = None;
        }
        return;
    };
    let look = colors(ui);
    let busy = tab.documents.writing.is_some();
    let mut done = EditStep::Continue;
    let frame = Frame::new()
        .fill(look.panel)
        .stroke(Stroke::new(sizes::LINE, look.hairline))
        .corner_radius(9)
        .shadow(Shadow { offset: [0, 6], blur: 20, spread: 0, color: look.shadow })
        .inner_margin(Margin::same(6));
    let area = Area::new(Id::unique("cell editor"))
        .order(Order::Foreground)
        .fixed_pos(cell.left_top() - egui::vec2(6.0, 6.0))
        .constrain_to(ui.ctx().content_rect().shrink(sizes::GAP_TINY));
    let shown = area.show(ui.ctx(), |ui| {
        ui.set_style(Arc::clone(ui.style()));
        frame.show(ui, |ui| {
            ui.set_width(cell.width().clamp(POPUP_MIN, POPUP_MAX));
            ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
            value_ui(ui, edit, state.now_ms(), &mut done);
            calendar_ui(ui, edit, state);
            notes_ui(ui, edit, state.now_ms());
            let ready = is_ready(edit, state, busy);
            ui.horizontal(|ui| {
                kind_ui(ui, edit, state);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    buttons_ui(ui, ready, &mut done);
                });
            });
            done = with_keys(ui, state, ready, done);
        });
    });
    let outside = shown.response.clicked_elsewhere() && !menu::was_open(ui.ctx());
    if outside && edit.focused && !edit.is_changed() && edit.target != EditTarget::New {
        done = EditStep::Cancel;
    }
    finish(done, tab, draft, actions);
}

/// Does what the user has decided.
pub fn finish(done: EditStep, tab: &Tab, draft: &mut DocumentsDraft, actions: &mut Actions) {
    match done {
        EditStep::Save => actions.push(Action::Documents(tab.id, DocumentsAction::SaveField)),
        EditStep::Cancel => draft.field = None,
        EditStep::Continue => {}
    }
}

fn value_id() -> Id {
    Id::unique("value being edited")
}

fn name_id() -> Id {
    Id::unique("name being edited")
}

fn name_ui(ui: &mut Ui, edit: &mut FieldEdit, done: &mut EditStep) {
    let field = Field {
        name: "Field name",
        hint: "Field name",
        mono: true,
        invalid: edit.focused && edit.name.is_empty(),
        id: Some(name_id()),
        ..Field::default()
    };
    let response = field.ui(ui, &mut edit.name);
    if !edit.focused {
        edit.focused = true;
        response.request_focus();
    }
    if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
        *done = EditStep::Save;
    }
}

/// The type, and what helps with values of it.
fn kind_ui(ui: &mut Ui, edit: &mut FieldEdit, state: &State) {
    let kind = ui.add(Button::ghost(edit.kind.label()).small().menu().name("Value type"));
    menu::below(&kind, |ui| {
        for kind in FieldKind::ALL {
            if menu::choice(ui, kind.label(), kind == edit.kind).clicked() {
                edit.set_kind(kind, state.now_ms());
                ui.memory_mut(|memory| memory.request_focus(value_id()));
            }
        }
    });
    if edit.kind == FieldKind::Date {
        if ui.add(Button::ghost("Now").small().tooltip("Current store time")).clicked() {
            set_date(edit, state.now_ms());
        }
        let (open, now_ms) = (edit.calendar.is_some(), state.now_ms());
        let button = Button::icon_only(Icon::Calendar, "Calendar").small().selected(open);
        if ui.add(button).clicked() {
            let at_ms = date_of(edit, now_ms).unwrap_or(now_ms);
            edit.calendar = (!open).then(|| Calendar::at(at_ms, state.clock.zone()));
        }
    }
    if edit.kind == FieldKind::Bool {
        for word in ["true", "false"] {
            let chosen = edit.text.trim() == word;
            if ui.add(Button::ghost(word).small().selected(chosen)).clicked() {
                word.clone_into(&mut edit.text);
            }
        }
    }
}

fn set_date(edit: &mut FieldEdit, ms: i64) {
    edit.text = field::text_of(&Bson::DateTime(bson::DateTime::from_millis(ms)));
}

/// The date as it is typed.
fn date_of(edit: &FieldEdit, now_ms: i64) -> Option<i64> {
    match edit.kind.read(&edit.text, now_ms) {
        Ok(Bson::DateTime(at)) => Some(at.timestamp_millis()),
        _ => None,
    }
}

/// The calendar, and the same instant in other words.
fn calendar_ui(ui: &mut Ui, edit: &mut FieldEdit, state: &State) {
    let Some(mut calendar) = edit.calendar.filter(|_| edit.kind == FieldKind::Date) else { return };
    let now_ms = state.now_ms();
    let at_ms = date_of(edit, now_ms).unwrap_or(now_ms);
    let Some(mut wall) = calendar.zone.wall(at_ms) else { return };
    let today = calendar.zone.wall(now_ms).unwrap_or_default().date();
    if state.clock.zone() != Zone::Utc {
        ui.horizontal(|ui| {
            for zone in [state.clock.zone(), Zone::Utc] {
                let name = match zone {
                    Zone::Utc => "UTC".to_owned(),
                    Zone::Named(place) => place.name().to_owned(),
                    _ => format!("Local ({})", zone.name(at_ms)),
                };
                let button = Button::ghost(&name).small().selected(calendar.zone == zone);
                if ui.add(button).clicked() {
                    calendar.zone = zone;
                }
            }
        });
    }
    let changed = ui.scope(|ui| date_picker::ui(ui, &mut wall, &mut calendar.month, today)).inner;
    if changed && let Some(ms) = calendar.zone.instant(wall) {
        set_date(edit, ms);
    }
    let words = words::instant(at_ms, &state.clock);
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    edit.calendar = Some(calendar);
}

fn value_ui(ui: &mut Ui, edit: &mut FieldEdit, now_ms: i64, done: &mut EditStep) {
    if edit.kind == FieldKind::Null {
        let ink = colors(ui).dim;
        ui.label(text::rich("null", text::mono()).color(ink));
        edit.focused = true;
        return;
    }
    let area = TextArea {
        name: "Value",
        hint: hint(edit.kind),
        invalid: edit.kind.read(&edit.text, now_ms).is_err()
            && (edit.is_changed() || !edit.text.is_empty()),
        changed: edit.is_changed(),
        bytes_max: EDITED_TEXT_BYTES_MAX,
        id: value_id(),
    };
    let response = area.ui(ui, &mut edit.text);
    if !edit.focused {
        edit.focused = true;
        response.request_focus();
        select_all(ui, value_id(), &edit.text);
    }
    let enter = ui.input(|input| input.key_pressed(Key::Enter) && input.modifiers.is_none());
    if response.has_focus() && enter && !menu::was_open(ui.ctx()) {
        *done = EditStep::Save;
    }
}

/// A short value is replaced by what is typed; in a long one, typing begins at its end.
fn select_all(ui: &Ui, id: Id, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    let end = CCursor::new(text.chars().count());
    let is_short = !text.contains('\n');
    let range =
        if is_short { CCursorRange::two(CCursor::new(0), end) } else { CCursorRange::one(end) };
    let mut state = egui::text_edit::TextEditState::default();
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), id);
}

fn hint(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "Text",
        FieldKind::Date => "2026-11-21T10:04:43.000Z",
        FieldKind::ObjectId => "24 hexadecimal digits",
        FieldKind::Bool => "true or false",
        FieldKind::Literal => "{ a: 1 }",
        _ => "0",
    }
}

/// The mistake, the loss, and how to begin a line.
fn notes_ui(ui: &mut Ui, edit: &FieldEdit, now_ms: i64) {
    let colors = colors(ui);
    let mut say = |words: &str, ink| {
        ui.add(egui::Label::new(text::rich(words, text::small()).color(ink)).wrap());
    };
    match edit.edited(now_ms) {
        Err(error) => say(&error, colors.error),
        Ok(_) => {
            if let Some(lost) = edit.lost(now_ms) {
                say(&lost, colors.text);
            }
        }
    }
    if edit.kind == FieldKind::Text && edit.text.contains('\n') {
        say("Shift+Enter begins a line", colors.dim);
    }
}

fn is_ready(edit: &FieldEdit, state: &State, busy: bool) -> bool {
    !busy && edit.edited(state.now_ms()).is_ok()
}

fn buttons_ui(ui: &mut Ui, ready: bool, done: &mut EditStep) {
    let save = Button::primary("Save").small().enabled(ready).tooltip("Ctrl+S or Enter");
    if ui.add(save.name("Save value")).clicked() {
        *done = EditStep::Save;
    }
    if ui.add(Button::plain("Cancel").small().name("Cancel edit")).clicked() {
        *done = EditStep::Cancel;
    }
}

/// Escape ends the edit, and nothing is saved that can't be read.
fn with_keys(ui: &Ui, state: &State, ready: bool, done: EditStep) -> EditStep {
    let focused = ui.memory(egui::Memory::focused);
    let is_on_top = !state.is_covered() && !state.view.palette && !menu::was_open(ui.ctx());
    let is_here = is_on_top && focused.is_none_or(|id| id == value_id() || id == name_id());
    // The key is taken: it ends the edit alone, and not the selection too.
    let escape = || ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
    if is_here && escape() {
        return EditStep::Cancel;
    }
    if done == EditStep::Save && !ready {
        return EditStep::Continue;
    }
    done
}

/// Lights up the cell whose value was just saved.
pub fn saved_ui(
    ui: &Ui,
    state: &State,
    tab: &Tab,
    (row, path): (&Row, &[String]),
    actions: &mut Actions,
) {
    let Some(saved) = &tab.documents.saved_cell else { return };
    let passed = state.uptime.saturating_sub(saved.since);
    if saved.id != row.id || saved.names != path || passed >= durations::SAVED {
        return;
    }
    let left = durations::SAVED.saturating_sub(passed);
    // Each step of a fading light costs a frame.
    let (share, next) = if state.is_still() {
        (1.0, left)
    } else {
        (left.as_secs_f32() / durations::SAVED.as_secs_f32(), durations::FRAME)
    };
    let ink = faded(colors(ui).accent, share * SAVED_STRENGTH);
    ui.painter().rect_filled(ui.max_rect(), 0.0, ink);
    actions.redraw_after(next);
}
