//! The common parts of the dialogs for files.

use egui::Ui;

use crate::action::{Action, Actions, TransferAction};
use crate::dialogs::words::{COMMAND_LINE_HINT, notice_ui};
use crate::state::State;
use crate::theme::{Icon, colors};

/// The variable that the line for a terminal needs if the store is a server.
const SERVER_LINE_HINT: &str =
    "Command line equivalent; the variable MAYFLY_URI holds the connection string";

/// The line above the command line of a transfer.
pub(super) fn line_hint(state: &State) -> &'static str {
    if state.store.connection.is_some() { SERVER_LINE_HINT } else { COMMAND_LINE_HINT }
}

/// Draws why something can't begin.
pub(super) fn error_ui(ui: &mut Ui, error: Option<&str>) {
    let Some(error) = error else { return };
    notice_ui(ui, Icon::Error, "Error", colors(ui).error, error);
}

pub(super) fn ask(actions: &mut Actions, action: TransferAction) {
    actions.push(Action::Transfer(action));
}
