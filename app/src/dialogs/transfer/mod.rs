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

pub use choose_path::{ChoosePath, field_id};
pub use import::{beside_scroll_bar, error_ui};

use crate::action::{Action, Actions, TransferAction};
use crate::state::State;
use crate::state::transfer::Dialog;
use crate::theme::{Icon, text};

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

fn ask(actions: &mut Actions, action: TransferAction) {
    actions.push(Action::Transfer(action));
}
