//! The parts that the dialogs for files share.

use egui::{Color32, Label, Ui};

use crate::action::{Action, Actions, TransferAction};
use crate::dialogs::words::COMMAND_LINE_HINT;
use crate::state::State;
use crate::theme::{Icon, colors, text};

/// The variable that the line for a terminal needs if the store is a server.
pub(super) const SERVER_LINE_HINT: &str =
    "Command line equivalent; the variable MAYFLY_URI holds the connection string";

/// An icon next to a sentence that wraps.
pub fn notice_ui(ui: &mut Ui, icon: Icon, spoken: &str, ink: Color32, words: &str) {
    ui.horizontal_top(|ui| {
        ui.label(icon.text().color(ink)).accessible_name(spoken);
        ui.add(Label::new(text::rich(words, text::body()).color(ink)).wrap());
    });
}

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
