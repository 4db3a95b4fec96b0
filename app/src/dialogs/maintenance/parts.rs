//! The common parts of these dialogs.

use egui::{Label, Ui};

use super::ask;
use crate::action::maintenance::Page;
use crate::action::{Action, Actions, MaintenanceAction, ViewAction};
use crate::dialogs::{COMMAND_LINE, COMMAND_LINE_HINT, COMMAND_TO_SEND};
use crate::job::KeptBackup;
use crate::state::{State, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::{Button, code_box};

/// A sentence that wraps.
pub(super) fn words(ui: &mut Ui, words: &str) {
    let ink = colors(ui).dim;
    ui.add(Label::new(text::rich(words, text::body()).color(ink)).wrap());
}

/// A heading over a part of a dialog.
pub(super) fn heading(ui: &mut Ui, words: &str) {
    let ink = colors(ui).dim;
    ui.label(text::rich(words, text::small()).color(ink));
}

/// The command as mongosh would write it. Only the window may send it.
pub(super) fn command_ui(ui: &mut Ui, command: &str, actions: &mut Actions) {
    code_ui(ui, COMMAND_TO_SEND, command, actions);
}

/// The line for a terminal. It needs the store for itself.
pub(super) fn line_ui(ui: &mut Ui, line: &str, actions: &mut Actions) {
    heading(ui, COMMAND_LINE_HINT);
    code_ui(ui, COMMAND_LINE, line, actions);
}

/// The line for a terminal that needs no store, at any time.
pub(super) fn free_line_ui(ui: &mut Ui, line: &str, actions: &mut Actions) {
    heading(ui, COMMAND_LINE);
    code_ui(ui, COMMAND_LINE, line, actions);
}

fn code_ui(ui: &mut Ui, name: &str, code: &str, actions: &mut Actions) {
    if code_box::ui(ui, name, code) {
        actions.push(Action::View(ViewAction::Copy(code.to_owned())));
    }
}

/// The button that leads back to the first page.
pub(super) fn back_ui(ui: &mut Ui, actions: &mut Actions) {
    let tooltip = "Back to backup and maintenance";
    if ui.add(Button::plain("Back").tooltip(tooltip)).clicked() {
        ask(actions, MaintenanceAction::Show(Page::Home));
    }
}

/// When a backup was written and how long ago, and its size.
pub(super) fn about(backup: &KeptBackup, state: &State) -> String {
    let zone = state.clock.zone();
    let when = zone.date_time(backup.written_ms);
    let name = zone.name(backup.written_ms);
    let ago = ago(backup, state);
    format!("{when} {name} · {ago} · {}", number::bytes(backup.bytes))
}

/// How long ago a backup was written.
pub(super) fn ago(backup: &KeptBackup, state: &State) -> String {
    const MINUTE_MS: i64 = 60_000;
    match state.maintenance.age_ms(backup, state.uptime) {
        ..MINUTE_MS => "just now".to_owned(),
        age => format!("{} ago", duration::span(age)),
    }
}

/// The last part of a path, or all of it.
pub(super) fn name_of(path: &std::path::Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}

pub(super) fn gap(ui: &mut Ui) {
    ui.add_space(sizes::GAP_TINY);
}
