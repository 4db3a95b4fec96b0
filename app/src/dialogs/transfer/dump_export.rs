//! An export of a database to a folder.

use egui::{Context, Ui};

use super::ask;
use super::choose_path::ChoosePath;
use super::export::{NO_SNAPSHOT, compression_ui};
use super::import::{beside_scroll_bar, command_ui, error_ui};
use crate::action::{Actions, TransferAction};
use crate::dialogs::{close, quiet};
use crate::state::transfer::{DumpExportDraft, command_line};
use crate::state::{State, number};
use crate::theme::sizes;
use crate::widgets::field::labelled;
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, modal};

const FILES: &str = "A BSON file and a metadata file with the indexes for each collection, as \
                     mongodump writes them, and manifest.json with their checksums";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut DumpExportDraft, state: &State, actions: &mut Actions) {
    let ready = draft.request().is_ok();
    let command = command_line::export_database(draft, state.store.folder.as_deref());
    let closing = modal::ui(
        context,
        "Export database",
        &subtitle(draft, state),
        sizes::DIALOG,
        &mut (&mut *draft, &mut *actions),
        |ui, (draft, actions)| {
            beside_scroll_bar(ui);
            quiet(ui, FILES);
            quiet(ui, NO_SNAPSHOT);
            path_ui(ui, draft, state, actions);
            compression_ui(ui, &mut draft.compression);
            error_ui(ui, draft.error.as_deref());
            if ready {
                command_ui(ui, &command, state, actions);
            }
        },
        |ui, (_, actions)| {
            let button = Button::primary("Export").enabled(ready);
            let tooltip = "Export every collection of the database to the folder";
            if modal::answer_ui(ui, button.tooltip(tooltip)) {
                ask(actions, TransferAction::StartExportDatabase);
            }
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if closing.closes() {
        close(actions);
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
