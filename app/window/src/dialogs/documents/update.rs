//! Documents are to be updated: the update, what it would do to some of them, and the number on the
//! button.

use egui::text::{CCursor, CCursorRange, LayoutJob, TextFormat, TextWrapping};
use egui::text_edit::TextEditState;
use egui::{Context, Id, ScrollArea, Ui};

use super::scope;
use crate::action::Actions;
use crate::commands::bulk as command;
use crate::dialogs::words::close;
use crate::job::Write;
use crate::job::bulk::BulkChange;
use crate::limits::EDITED_TEXT_BYTES_MAX;
use crate::panels::completion::{Drawn, Typed};
use crate::state::completion::Names;
use crate::state::documents::bulk::{BulkUpdate, FieldChange, Preview};
use crate::state::documents::undo_words::obstacle;
use crate::state::{State, Tab, TabId};
use crate::theme::{colors, sizes, text};
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, card, first_focus, marks, value};

/// The height of the text, in points.
const AREA: f32 = 84.0;

/// The height of the fields with the first documents, in points.
const FIELDS_HEIGHT: f32 = 230.0;

/// The height of what the update would do, in points: ten lines, or fewer in a low window.
const PREVIEWS: std::ops::RangeInclusive<f32> = 90.0..=216.0;

/// The height of everything else in a window with this dialog, in points.
const AROUND: f32 = 530.0;

/// Characters of a value before and after the update.
const VALUE_CHARS_MAX: usize = 60;

/// Fields that are shown of one document.
const FIELDS_MAX: usize = 6;

/// Draws the dialog.
pub fn ui(
    context: &Context,
    tab: TabId,
    draft: &mut BulkUpdate,
    state: &State,
    actions: &mut Actions,
) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    let what = scope::what(&draft.scope);
    let count = draft.scope.documents();
    let ready = draft.read.is_ok() && count.is_some_and(|count| count > 0);
    let command = draft.read.as_ref().ok().map(|update| {
        scope::command(&open.namespace, &draft.scope, |filter| {
            let update = command::update(&open.namespace.collection, filter, update);
            command::statement_collated(update, draft.scope.target.collation())
        })
    });
    let title = format!("Update {what} in {}", marks::visible(&open.namespace.to_string()));
    // A document is kept as it was and as it became.
    let undo = draft.scope.undo_words(
        2,
        obstacle(&state.tree, state.store.connection.as_ref(), &open.namespace, Write::Replace),
    );
    let label = scope::label(&draft.scope, "Update", &what);
    let room = scope::longest("Update");
    let button = Button::primary(&label).enabled(ready).tooltip("Ctrl+Enter").room_for(&room);
    let frame = scope::frame(title, undo, &draft.scope, command)
        .width(sizes::DIALOG_WIDE)
        .height(FIELDS_HEIGHT)
        .draft(draft.is_changed())
        .button(button, ());
    let outcome = frame.ui(context, |ui| {
        text_ui(ui, open, draft, state.now_ms());
        if draft.read.is_ok() {
            previews_ui(ui, &draft.previews, count.unwrap_or(draft.scope.selected));
        } else {
            scope::sample_ui(ui, &draft.scope, FIELDS_MAX);
        }
    });
    if let (Some(()), Ok(update)) = (outcome.end(actions), &draft.read) {
        let (target, update) = (draft.scope.target.clone(), update.clone());
        scope::send(tab, BulkChange::Update { target, update }, actions);
    }
}

fn text_ui(ui: &mut Ui, tab: &Tab, draft: &mut BulkUpdate, now_ms: i64) {
    let id = Id::unique("update of many documents");
    let typed = Typed { id, card: None, tab, whole: Names::Update };
    let before = draft.text.clone();
    let asks = typed.before(ui, &mut draft.completing, &mut draft.text);
    let edit = CodeEdit {
        name: "Update",
        hint: "{ $set: { field: value } }",
        error_at: draft.read.as_ref().err().and_then(|problem| problem.offset),
        chars_max: Some(EDITED_TEXT_BYTES_MAX),
        id: Some(id),
        ..CodeEdit::default()
    };
    let output = edit.area_output_ui(ui, AREA, &mut draft.text);
    let (cursor, corner) = CodeEdit::cursor(&draft.text, &output);
    let response = output.response.response;
    if first_focus::take(ui, &response) && draft.text == draft.first {
        let inside = draft.text.find(" }").map_or(0, |at| draft.text[..at].chars().count());
        let mut state = TextEditState::default();
        state.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(inside))));
        state.store(ui.ctx(), id);
    }
    let is_changed = draft.text != before;
    let drawn = Drawn { response: &response, is_changed, cursor, corner };
    typed.after(ui, &mut draft.completing, &mut draft.text, &drawn, asks);
    if response.has_focus() && draft.completing.is_some() {
        // Without a list Tab leaves the field.
        typed.keep_keys(ui, draft.completing.as_ref(), false);
    }
    if draft.text != before {
        draft.changed(now_ms);
    }
    let (words, ink) = match &draft.read {
        Err(problem) if draft.text != draft.first => (problem.message.as_str(), colors(ui).error),
        Err(_) => (
            "Update operators such as $set, $unset, $inc; or a pipeline in brackets, which can \
                   name fields as '$field'",
            colors(ui).dim,
        ),
        Ok(_) => return,
    };
    ui.label(text::rich(words, text::body()).color(ink));
}

fn previews_ui(ui: &mut Ui, previews: &[Preview], count: u64) {
    let shown = previews.len() as u64;
    if shown == 0 {
        return;
    }
    let of = crate::state::number::count(count);
    let words = if shown < count {
        format!("Before and after for {shown} of {of} documents")
    } else {
        "Before and after".to_owned()
    };
    ui.label(text::rich(words, text::small()).color(colors(ui).dim));
    card::ui(ui, |ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        let room = ui.ctx().content_rect().height() - AROUND;
        let height = room.clamp(*PREVIEWS.start(), *PREVIEWS.end());
        let scroll = ScrollArea::vertical().id_salt("previews").max_height(height);
        scroll.auto_shrink([false, true]).show(ui, |ui| {
            for preview in previews {
                preview_ui(ui, preview);
            }
        });
    });
}

fn preview_ui(ui: &mut Ui, preview: &Preview) {
    let ink = colors(ui);
    let mut job = LayoutJob::default();
    value::append_id(&mut job, &preview.id, ink);
    let dim = TextFormat::simple(text::mono(), ink.dim);
    match &preview.fields {
        Ok(fields) if fields.is_empty() => job.append("   no change", 0.0, dim),
        Ok(fields) => {
            for field in fields.iter().take(FIELDS_MAX) {
                append_field(&mut job, ui, field);
            }
            if fields.len() > FIELDS_MAX {
                job.append("   …", 0.0, dim);
            }
        }
        Err(error) => {
            let words = format!("   {}", with_marks(error));
            job.append(&words, 0.0, TextFormat::simple(text::mono(), ink.error));
        }
    }
    job.wrap = TextWrapping { max_width: ui.available_width(), ..TextWrapping::default() };
    ui.label(job);
}

fn append_field(job: &mut LayoutJob, ui: &Ui, field: &FieldChange) {
    let ink = colors(ui);
    let format = |color| TextFormat::simple(text::mono(), color);
    let cut = |text: &str| with_marks(&value::cut(text, VALUE_CHARS_MAX));
    job.append(&format!("   {}: ", with_marks(&field.name)), 0.0, format(ink.dim));
    let mut before = format(ink.dim);
    before.strikethrough = egui::Stroke::new(sizes::LINE, ink.dim);
    if let Some(text) = &field.before {
        job.append(&cut(text), 0.0, before);
        job.append(" → ", 0.0, format(ink.dim));
    }
    match &field.after {
        Some(text) => job.append(&cut(text), 0.0, format(ink.accent)),
        None => job.append("removed", 0.0, format(ink.overdue)),
    }
}
