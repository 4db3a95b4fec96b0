//! The dialogs for files.

mod choose_path;
mod columns;
mod copied;
mod copying;
mod dump;
mod dump_export;
mod export;
mod files;
mod import;
mod imported;
mod index_files;
mod options;
mod parts;
mod preview;
mod rehearsal;
mod running;
mod sheets;
mod target;
mod types;
mod unfinished;

use egui::Context;

pub use choose_path::ChoosePath;
pub use parts::notice_ui;
pub use running::progress_ui;

use crate::action::Actions;
use crate::state::State;
use crate::state::transfer::Dialog;

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
