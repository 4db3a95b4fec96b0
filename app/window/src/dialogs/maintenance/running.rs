//! How far work on the whole store is.

use egui::Context;

use super::parts::words;
use crate::action::{Action, Actions, ViewAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::transfer::progress_ui;
use crate::dialogs::words::{CONTINUE, KEEPS_RUNNING, close};
use crate::job::Cancel;
use crate::state::operations::OperationId;
use crate::state::{Phase, State};
use crate::widgets::Button;

/// Draws the progress. While the store is closed there is nothing else to do in the window, so the
/// dialog stays until the store is open again.
pub fn ui(context: &Context, operation: OperationId, state: &State, actions: &mut Actions) {
    let Some(found) = state.operations.list().iter().find(|known| known.id == operation) else {
        close(actions);
        return;
    };
    let is_away = matches!(state.store.phase, Phase::Away(_));
    let stopping = found.cancel.as_ref().is_some_and(Cancel::is_cancelled);
    let cancel = Button::plain(if stopping { "Stopping…" } else { "Cancel" }).enabled(!stopping);
    let cancel = cancel.room_for("Stopping…").tooltip("Cancel without changing anything");
    let frame = DialogFrame::new(found.title.as_str()).stays(is_away).no_leave();
    // Nothing else can be done in the window while the store is closed.
    let background = Button::primary(CONTINUE).tooltip(KEEPS_RUNNING).enabled(!is_away);
    let frame = frame.button(background, Pressed::Leave).button(cancel, Pressed::Cancel);
    let outcome = frame.ui(context, |ui| {
        progress_ui(ui, found.progress.share(), &found.progress.text);
        if let Phase::Away(why) = &state.store.phase {
            words(ui, &format!("{why}. Your tabs stay open."));
        }
    });
    match outcome.end(actions) {
        Some(Pressed::Leave) => close(actions),
        Some(Pressed::Cancel) => actions.push(Action::View(ViewAction::Cancel(operation))),
        None => {}
    }
}

enum Pressed {
    Leave,
    Cancel,
}
