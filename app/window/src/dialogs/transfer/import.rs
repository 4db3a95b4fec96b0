//! The dialog that imports files.

use egui::{Context, Ui};

use super::parts::{ask, line_hint, notice_ui};
use super::{columns, files, index_files, options, preview, rehearsal, sheets, target, types};
use crate::action::{Actions, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::COMMAND_LINE;
use crate::state::transfer::{ImportDraft, command_line};
use crate::state::{State, number};
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::value::cut;
use crate::widgets::value_text::with_marks;

/// Characters of a collection's name on a button.
const NAME_CHARS_MAX: usize = 40;

const INTO_COLLECTION: &str = "Import the files into the collection";

/// The height of the fields, in points: the same before and after a file is chosen.
const FIELDS_HEIGHT: f32 = 430.0;

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let command = command_line::import(draft, state.store.folder.as_deref());
    let is_named = draft.name_error().is_none() && draft.zone_error().is_none();
    let is_read = draft.next_to_look().is_none();
    let is_readable = draft.types.error().is_none() && draft.refusal().is_none();
    let ready = !draft.files.is_empty() && is_named && is_read && is_readable;
    let name = cut(&with_marks(draft.collection.trim()), NAME_CHARS_MAX);
    let drops = format!("Drop {name} and import");
    let is_risky = draft.overdue() > 0 && !draft.pause_reaper || draft.lack_of_space().is_some();
    let (button, tooltip) = match (draft.drop, is_risky) {
        (true, _) => (Button::danger(&drops), "Enter the name to confirm"),
        (false, true) => (Button::amber("Import anyway"), INTO_COLLECTION),
        (false, false) => (Button::primary("Import"), INTO_COLLECTION),
    };
    let button = button.enabled(ready && draft.is_drop_confirmed()).tooltip(tooltip);
    let frame = DialogFrame::new("Import documents")
        .subtitle(
            "JSON, BSON or CSV with a header row, also compressed with gzip or zstd; Parquet, Arrow, \
             Excel; or a folder, archive or tar of mongodump",
        )
        .width(sizes::DIALOG_COLUMNS)
        .height(FIELDS_HEIGHT)
        .error(draft.error.as_deref().or(draft.refusal()))
        // Enter adds a typed path first.
        .ignores_enter(!draft.typed.trim().is_empty())
        .button(button.room_for("Import anyway"), TransferAction::StartImport);
    // The line for a terminal is one of the options.
    let frame = if draft.shows_options {
        frame.command_named(COMMAND_LINE, line_hint(state), ready.then_some(command))
    } else {
        frame
    };
    let outcome = frame.ui(context, |ui| {
        unfinished_ui(ui, state, actions);
        files::add_ui(ui, draft, state, actions);
        if draft.files.is_empty() {
            return;
        }
        columns_ui(ui, draft, state, actions);
        options::ui(ui, draft, state, actions);
    });
    if let Some(action) = outcome.end(actions) {
        ask(actions, action);
    }
}

/// At the left the files, their target and what it would do with them; at the right what the shown one holds.
fn columns_ui(ui: &mut Ui, draft: &mut ImportDraft, state: &State, actions: &mut Actions) {
    let left = sizes::IMPORT_FILES.min(ui.available_width() * 0.4);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = sizes::GAP_LARGE;
        ui.vertical(|ui| {
            ui.set_width(left);
            files::ui(ui, draft, actions);
            target::ui(ui, draft, state);
            room_ui(ui, draft);
            index_files::ui(ui, draft);
            rehearsal::ui(ui, draft, state, actions);
        });
        ui.vertical(|ui| {
            preview::ui(ui, draft);
            options::offer_encoding_ui(ui, draft, actions);
            sheets::ui(ui, draft, actions);
            columns::ui(ui, draft, actions);
            types::ui(ui, draft, state, actions);
        });
    });
}

fn room_ui(ui: &mut Ui, draft: &ImportDraft) {
    if let Some(words) = draft.lack_of_space() {
        notice_ui(ui, Icon::Warning, "Not enough disk space", colors(ui).text, &words);
    }
}

/// A way to the imports that did not reach their end.
fn unfinished_ui(ui: &mut Ui, state: &State, actions: &mut Actions) {
    if state.transfer.unfinished.is_empty() {
        return;
    }
    let count = state.transfer.unfinished.len() as u64;
    let words = number::counted(count, "import", "imports");
    ui.horizontal(|ui| {
        let ink = colors(ui).text;
        ui.label(text::rich(format!("{words} unfinished"), text::body()).color(ink));
        if ui.add(Button::plain("Show unfinished imports").small()).clicked() {
            ask(actions, TransferAction::ShowUnfinished);
        }
    });
}
