//! The words and the small parts that dialogs share.

use egui::{Color32, Label, Ui};

use crate::action::{Action, Actions, DialogAction, ViewAction};
use crate::theme::{colors, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{card, code_box, paint};

/// The button of a dialog whose command has no answer yet.
pub(super) const WAITING: &str = "Working…";

/// The box that shows a command before it is sent.
pub(super) const COMMAND_TO_SEND: &str = "Command to send";

/// The box that shows the same work as a command line.
pub(super) const COMMAND_LINE: &str = "Command line equivalent";

/// Above that box: the command line needs the store for itself.
pub(super) const COMMAND_LINE_HINT: &str = "Command line equivalent (close this window first)";

/// Shown until a job reports progress.
pub(super) const STARTING: &str = "Starting…";

/// Shown until the first answer arrives.
pub(super) const LOADING: &str = "Loading…";

/// The button that closes the dialog of a job, and its tooltip.
pub(super) const CONTINUE: &str = "Continue in the background";
pub(super) const KEEPS_RUNNING: &str = "Keeps running; see progress in Operations";

/// The button that restores removed or archived documents, or a backup.
pub(super) const RESTORE: &str = "Restore";

/// A place for lines that may come or go.
pub(super) fn lines_ui(ui: &mut Ui, lines: f32, words: Option<&str>, ink: Color32) {
    ui.scope(|ui| {
        ui.set_min_height(lines * paint::measured(ui, " ", text::body()).y);
        if let Some(words) = words {
            ui.add(Label::new(text::rich(words, text::body()).color(ink)).wrap());
        }
    });
}

/// A line that explains, smaller and dimmer than what it is about.
pub(super) fn quiet(ui: &mut Ui, words: &str) {
    let words = text::rich(words, text::small()).color(colors(ui).dim);
    ui.add(Label::new(words).wrap());
}

/// Draws a box with a command among the fields.
pub(super) fn command_ui(ui: &mut Ui, name: &str, command: &str, actions: &mut Actions) {
    if code_box::ui(ui, name, command) {
        actions.push(Action::View(ViewAction::Copy(command.to_owned())));
    }
}

/// The result of a restore, and whether any document was restored.
pub(super) fn result_ui(ui: &mut Ui, (is_done, sentence): &(bool, String)) {
    let ink = colors(ui);
    let ink = if *is_done { ink.accent } else { ink.text };
    card::bordered(ui, ink, |ui| {
        ui.label(text::rich(with_marks(sentence), text::body()));
    });
}

/// Closes the open dialog.
pub(super) fn close(actions: &mut Actions) {
    actions.push(Action::Dialog(DialogAction::Close));
}
