//! How far an import or export is.

use egui::{Context, Ui};

use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::{CONTINUE, KEEPS_RUNNING, STARTING, close};
use crate::state::State;
use crate::state::operations::OperationId;
use crate::state::transfer::Kind;
use crate::theme::{colors, text};
use crate::widgets::{Button, bar};

/// Draws the progress. Closing the dialog stops nothing.
pub fn ui(context: &Context, operation: OperationId, state: &State, actions: &mut Actions) {
    let found = state.operations.list().iter().find(|known| known.id == operation);
    let Some(found) = found else {
        close(actions);
        return;
    };
    let stopping = found.cancel.as_ref().is_some_and(crate::job::Cancel::is_cancelled);
    let progress = &found.progress;
    let what_stays = match state.transfer.get(operation).map(|running| &running.kind) {
        Some(Kind::Export { .. }) => "Stop without writing a file",
        Some(Kind::ExportDatabase) => "Stop without writing a folder",
        Some(Kind::Copy) => "Stop and keep documents copied so far",
        Some(Kind::RollBack { .. }) => "Stop; you can roll back the rest later",
        Some(Kind::Import { .. } | Kind::ImportDump { .. }) | None => {
            "Stop and keep documents imported so far"
        }
    };
    let progress_words = state.progress_words(progress);
    let share = progress.share();
    let words = match (progress_words.as_str(), progress.total) {
        ("", _) => String::new(),
        (words, 0) => words.to_owned(),
        (words, _) => format!("{:.0}% · {words}", share * 100.0),
    };
    let cancel = Button::plain(if stopping { "Stopping…" } else { "Cancel" }).enabled(!stopping);
    let frame = DialogFrame::new(found.title.as_str())
        .no_leave()
        .button(Button::primary(CONTINUE).tooltip(KEEPS_RUNNING), Pressed::Leave)
        .button(cancel.room_for("Stopping…").tooltip(what_stays), Pressed::Cancel);
    match frame.ui(context, |ui| progress_ui(ui, share, &words)).end(actions) {
        Some(Pressed::Leave) => close(actions),
        Some(Pressed::Cancel) => actions.push(Action::View(ViewAction::Cancel(operation))),
        None => {}
    }
}

enum Pressed {
    Leave,
    Cancel,
}

/// Draws how far a job is; without words it has only begun.
pub fn progress_ui(ui: &mut Ui, share: f32, words: &str) {
    let ink = colors(ui);
    bar::ui(ui, share, ink.accent, "Progress");
    let words = if words.is_empty() { STARTING } else { words };
    ui.label(text::rich(words, text::mono_small()).color(ink.dim));
}
