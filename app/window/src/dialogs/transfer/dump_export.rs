//! An export of a database to a folder.

use egui::{Context, Ui};

use super::choose_path::ChoosePath;
use super::export::{NO_SNAPSHOT, compression_ui};
use super::parts::{ask, line_hint};
use crate::action::{Actions, TransferAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::{COMMAND_LINE, quiet};
use crate::state::transfer::{DumpExportDraft, command_line};
use crate::state::{State, number};
use crate::widgets::Button;
use crate::widgets::field::labelled;
use crate::widgets::value_text::with_marks;

const FILES: &str = "A BSON file and a metadata file with the indexes for each collection, as \
                     mongodump writes them, and manifest.json with their checksums";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut DumpExportDraft, state: &State, actions: &mut Actions) {
    let ready = draft.request().is_ok();
    let command = command_line::export_database(draft, state.store.folder.as_deref());
    let tooltip = "Export every collection of the database to the folder";
    let frame = DialogFrame::new("Export database")
        .subtitle(subtitle(draft, state))
        .command_named(COMMAND_LINE, line_hint(state), ready.then_some(command))
        .error(draft.error.as_deref())
        .button(Button::primary("Export").enabled(ready).tooltip(tooltip), ());
    let outcome = frame.ui(context, |ui| {
        quiet(ui, FILES);
        quiet(ui, NO_SNAPSHOT);
        path_ui(ui, draft, state, actions);
        compression_ui(ui, &mut draft.compression);
    });
    if outcome.end(actions).is_some() {
        ask(actions, TransferAction::StartExportDatabase);
    }
}

/// The database, and how much is in it.
fn subtitle(draft: &DumpExportDraft, state: &State) -> String {
    let name = with_marks(&draft.db);
    let Some(found) = state.tree.database(&draft.db) else { return name };
    let collections = found.collections.iter().filter(|found| found.kind != "view").count() as u64;
    let collections = number::counted(collections, "collection", "collections");
    format!("{name} · {collections}")
}

fn path_ui(ui: &mut Ui, draft: &mut DumpExportDraft, state: &State, actions: &mut Actions) {
    labelled(ui, "Folder", None, |ui| {
        let path = ChoosePath {
            name: "Folder path",
            hint: "/home/you/exports/shop",
            choose: "Choose…",
            take: None,
            invalid: draft.path.trim().is_empty(),
        };
        if path.ui(ui, &mut draft.path, state, actions).changed {
            draft.error = None;
        }
        quiet(ui, "A new or an empty folder");
    });
}
