//! Documents as text: add, clone, edit. What was typed stays whatever the store answers.

use bson::{Bson, Document};
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Context, Event, Id, Key, KeyboardShortcut, Modifiers, Ui};
use mayfly_engine::value::Layout;
use mayfly_engine::value::shell::{self, write_command};

use crate::action::{Action, Actions, DocumentsAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::close;
use crate::limits::EDITED_TEXT_BYTES_MAX;
use crate::state::documents::editor::{Editor, Mode, Phase, text_of};
use crate::state::number::{bytes, count, counted};
use crate::state::{State, Tab, TabId};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::code_edit::CodeEdit;
use crate::widgets::{Button, card, code_box, first_focus, marks, value};

/// The height of the text, in points.
const AREA: f32 = 260.0;

/// The height of the text next to the store's version, in points.
const AREA_CONFLICT: f32 = 190.0;

/// The height of pasted text, in points.
const AREA_PASTED: f32 = 150.0;

/// Pasted documents that are shown with their types.
const FIRST_MAX: usize = 3;

/// Characters of such a document that are shown.
const FIRST_CHARS_MAX: usize = 300;

/// Bytes of text up to which the command is shown while it is typed.
const COMMAND_TEXT_BYTES_MAX: usize = 64 * 1024;

pub fn ui(context: &Context, tab: TabId, draft: &mut Editor, state: &State, actions: &mut Actions) {
    let Some(open) = state.tabs.get(tab) else { return close(actions) };
    take_pasted(context, draft, state.now_ms());
    let overdue = draft.overdue(&open.documents.ttl, state.now_ms());
    let step = draft.step();
    let command = step
        .as_ref()
        .filter(|_| draft.text.len() <= COMMAND_TEXT_BYTES_MAX)
        .map(|step| step.command(&open.namespace.collection, false))
        .map(|command| write_command(&open.namespace.db, &command));
    let ready = step.is_some() && draft.phase != Phase::Busy;
    let save = save_key(context);
    let (title, subtitle) = titles(draft, open);
    let label = save_label(draft);
    let button = match &draft.phase {
        Phase::Changed(_) => Button::amber(&label),
        _ => Button::primary(&label),
    };
    let button = button.enabled(ready).tooltip("Ctrl+Enter or Ctrl+S");
    let frame = DialogFrame::new(title)
        .subtitle(subtitle)
        .width(sizes::DIALOG_WIDE)
        .command(command)
        .error(None)
        .draft(draft.is_changed())
        .button(button.room_for("Insert 1,000 documents"), DocumentsAction::SaveEditor);
    let theirs = Button::plain("Use the stored version");
    let is_conflict = matches!(draft.phase, Phase::Changed(_));
    let outcome = frame
        .button_if(is_conflict, theirs, DocumentsAction::TakeTheirs)
        .ui(context, |ui| content_ui(ui, draft, (overdue, state.now_ms())));
    let pressed = outcome.end(actions);
    let pressed = pressed.or((save && ready).then_some(DocumentsAction::SaveEditor));
    if let Some(action) = pressed {
        actions.push(Action::Documents(tab, action));
    }
}

/// Ctrl+S saves as Ctrl+Enter does.
fn save_key(context: &Context) -> bool {
    let save = KeyboardShortcut::new(Modifiers::COMMAND, Key::S);
    context.input_mut(|input| input.consume_shortcut(&save))
}

/// The text of the clipboard comes while nothing has the keyboard yet.
fn take_pasted(context: &Context, draft: &mut Editor, now_ms: i64) {
    if !draft.waits_for_clipboard() {
        return;
    }
    let mut pasted = None;
    context.input_mut(|input| {
        input.events.retain_mut(|event| match event {
            Event::Paste(text) if pasted.is_none() => {
                pasted = Some(std::mem::take(text));
                false
            }
            _ => true,
        });
    });
    if let Some(text) = pasted {
        draft.take_pasted(text, now_ms);
    }
}

fn titles(draft: &Editor, open: &Tab) -> (String, String) {
    let namespace = marks::visible(&open.namespace.to_string());
    match &draft.mode {
        Mode::Add => (
            format!("Add to {namespace}"),
            "One document, or several in an array, in mongosh syntax or Extended JSON".to_owned(),
        ),
        // The title stays while the text changes: it is the dialog's identity too.
        Mode::Paste => {
            let subtitle = match &draft.read {
                Ok(read) => {
                    let what = counted(read.len() as u64, "document", "documents");
                    format!("Insert {what} into {namespace}")
                }
                Err(_) => "JSON, an array, one document a line, or mongosh syntax".to_owned(),
            };
            (format!("Paste into {namespace}"), subtitle)
        }
        Mode::Edit(opened) => {
            let id = opened.get("_id").map(value::id).unwrap_or_default();
            let id = marks::visible(&value::cut(&id, 60));
            (format!("Edit {id}"), "Types are kept as written: Long('5') is not 5".to_owned())
        }
    }
}

fn save_label(draft: &Editor) -> String {
    let count = draft.read.as_ref().map_or(1, Vec::len) as u64;
    match (&draft.mode, &draft.phase) {
        (_, Phase::Gone) => "Insert again".to_owned(),
        (_, Phase::Changed(_)) => "Overwrite with mine".to_owned(),
        (Mode::Add | Mode::Paste, _) => {
            format!("Insert {}", counted(count, "document", "documents"))
        }
        (Mode::Edit(_), _) => "Save".to_owned(),
    }
}

/// Draws the text with its messages.
fn content_ui(ui: &mut Ui, draft: &mut Editor, (overdue, now_ms): (usize, i64)) {
    match &draft.phase {
        Phase::Changed(theirs) => conflict_ui(ui, &text_of(theirs)),
        Phase::Gone => note_ui(
            ui,
            "This document was removed while you were editing. Your text is still here: insert it \
             again, or copy it",
        ),
        _ => {}
    }
    text_ui(ui, draft, now_ms);
    said_ui(ui, draft);
    if let Ok(documents) = &draft.read {
        overdue_ui(ui, overdue, documents.len());
        if draft.mode == Mode::Paste {
            first_ui(ui, documents);
        }
    }
}

fn text_ui(ui: &mut Ui, draft: &mut Editor, now_ms: i64) {
    let id = Id::unique("document as text");
    let offset = draft.read.as_ref().err().and_then(|problem| problem.offset);
    let edit = CodeEdit {
        name: "Document",
        hint: "",
        error_at: offset,
        chars_max: Some(EDITED_TEXT_BYTES_MAX),
        id: Some(id),
        ..CodeEdit::default()
    };
    let conflict = matches!(draft.phase, Phase::Changed(_));
    let height = match draft.mode {
        Mode::Paste => AREA_PASTED,
        _ if conflict => AREA_CONFLICT,
        _ => AREA,
    };
    let response = edit.area_ui(ui, height, &mut draft.text);
    let is_free = ui.is_enabled() && ui.memory(|memory| memory.focused().is_none());
    if first_focus::take(ui, &response) || is_free {
        response.request_focus();
        if draft.is_untouched() {
            begin(ui, id, &draft.text);
        }
    }
    if response.changed() {
        draft.changed(now_ms);
    }
}

/// Messages about the text.
fn said_ui(ui: &mut Ui, draft: &Editor) {
    let colors = colors(ui);
    if draft.text.len() >= EDITED_TEXT_BYTES_MAX {
        let fits = bytes(EDITED_TEXT_BYTES_MAX as u64);
        note_ui(ui, &format!("The text is limited to {fits}. Import longer documents from a file"));
    }
    match (&draft.read, &draft.phase) {
        (Err(problem), _) => {
            let ink = if draft.waits_for_clipboard() { colors.dim } else { colors.error };
            ui.label(text::rich(&problem.message, text::body()).color(ink));
        }
        (_, Phase::Failed(error)) => {
            ui.label(text::rich(error, text::body()).color(colors.error));
        }
        (_, Phase::Busy) => {
            ui.label(text::rich("Saving…", text::body()).color(colors.busy));
        }
        (Ok(_), _) if draft.step().is_none() => {
            ui.label(text::rich("No changes", text::body()).color(colors.dim));
        }
        _ => {}
    }
}

/// Says how many of the new documents the next pass removes.
fn overdue_ui(ui: &mut Ui, overdue: usize, all: usize) {
    if overdue == 0 {
        return;
    }
    let all = counted(all as u64, "document", "documents");
    let (are, them) = if overdue == 1 {
        ("is past its threshold", "it")
    } else {
        ("are past their threshold", "them")
    };
    let overdue = count(overdue as u64);
    note_ui(ui, &format!("{overdue} of {all} {are} already; the next pass removes {them}"));
}

/// The first documents with their types, as they were understood.
fn first_ui(ui: &mut Ui, documents: &[Document]) {
    ui.label(text::rich("First documents", text::small()).color(colors(ui).dim));
    let lines = documents.iter().take(FIRST_MAX).map(|document| {
        let line = shell::write_value(&Bson::Document(document.clone()), Layout::OneLine);
        value::cut(&line, FIRST_CHARS_MAX)
    });
    let lines: Vec<String> = lines.collect();
    card::ui(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let job = code_box::highlighted(ui, &lines.join("\n"), ui.available_width());
        let shown = ui.add(egui::Label::new(job).selectable(true));
        shown.accessible_name("First documents with their types");
    });
}

/// Input starts before the last brace. Nothing is left of the document that the editor
/// held before: undoing must not bring that one back.
fn begin(ui: &Ui, id: Id, text: &str) {
    let inside = text.rfind("\n}").and_then(|at| text.get(..at)).unwrap_or(text);
    let mut state = TextEditState::default();
    let cursor = CCursor::new(inside.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::one(cursor)));
    state.store(ui.ctx(), id);
}

fn conflict_ui(ui: &mut Ui, theirs: &str) {
    note_ui(
        ui,
        "This document changed while you were editing. The stored version is first; yours is below",
    );
    card::ui(ui, |ui| {
        egui::ScrollArea::vertical().id_salt("theirs").max_height(AREA_CONFLICT - 40.0).show(
            ui,
            |ui| {
                ui.set_min_width(ui.available_width());
                let job = code_box::highlighted(ui, theirs, ui.available_width());
                ui.add(egui::Label::new(job).selectable(true)).accessible_name("Stored version");
            },
        );
    });
}

fn note_ui(ui: &mut Ui, sentence: &str) {
    let colors = colors(ui);
    card::bordered(ui, colors.text, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.label(Icon::Warning.text().color(colors.text)).accessible_name("Warning");
            ui.label(text::rich(sentence, text::body()));
        });
    });
}
