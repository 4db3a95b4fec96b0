//! The dialogs for files.

mod apart;
mod choose_path;
mod copied;
mod copying;
mod dump;
mod dump_export;
mod export;
mod import;
mod imported;
mod index_files;
mod options;
mod preview;
mod rehearsal;
mod running;
mod target;
mod types;
mod unfinished;

use egui::{Color32, Context, Label, Ui};

pub use choose_path::ChoosePath;
pub use running::progress_ui;

use super::words::COMMAND_LINE_HINT;
use crate::action::{Action, Actions, TransferAction};
use crate::state::State;
use crate::state::transfer::Dialog;
use crate::theme::{Icon, colors, text};

/// The variable that the line for a terminal needs if the store is a server.
const SERVER_LINE_HINT: &str =
    "Command line equivalent; the variable MAYFLY_URI holds the connection string";

pub fn ui(context: &Context, dialog: &mut Dialog, state: &State, actions: &mut Actions) {
    match dialog {
        Dialog::Import(draft) => import::ui(context, draft, state, actions),
        Dialog::Dump(draft) => dump::ui(context, draft, actions),
        Dialog::DumpImported(result) => dump::result_ui(context, result, actions),
        Dialog::Export(draft) => export::ui(context, draft, state, actions),
        Dialog::ExportDatabase(draft) => dump_export::ui(context, draft, state, actions),
        Dialog::Copy(draft) => copying::ui(context, draft, state, actions),
        Dialog::Copied(result) => copied::ui(context, result, actions),
        Dialog::Unfinished { error } => unfinished::ui(context, error.as_deref(), state, actions),
        Dialog::Running(operation) => running::ui(context, *operation, state, actions),
        Dialog::Imported(result) => imported::ui(context, result, state, actions),
    }
}

/// An icon next to a sentence that wraps.
pub fn notice_ui(ui: &mut Ui, icon: Icon, spoken: &str, ink: Color32, words: &str) {
    ui.horizontal_top(|ui| {
        ui.label(icon.text().color(ink)).accessible_name(spoken);
        ui.add(Label::new(text::rich(words, text::body()).color(ink)).wrap());
    });
}

/// The line above the command line of a transfer.
fn line_hint(state: &State) -> &'static str {
    if state.store.connection.is_some() { SERVER_LINE_HINT } else { COMMAND_LINE_HINT }
}

/// Draws why something can't begin.
fn error_ui(ui: &mut Ui, error: Option<&str>) {
    let Some(error) = error else { return };
    notice_ui(ui, Icon::Error, "Error", colors(ui).error, error);
}

fn ask(actions: &mut Actions, action: TransferAction) {
    actions.push(Action::Transfer(action));
}
