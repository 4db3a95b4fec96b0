//! The common parts of these dialogs.

use egui::{Label, Ui};

use crate::action::store_actions::Page;
use crate::action::{Action, Actions, MaintenanceAction};
use crate::job::KeptBackup;
use crate::state::{State, duration, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;

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

/// The button that leads back to the first page.
pub(super) fn back() -> Button<'static> {
    Button::plain("Back").tooltip("Back to backup and maintenance")
}

/// The action of that button.
pub(super) const SHOW_HOME: MaintenanceAction = MaintenanceAction::Show(Page::Home);

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

pub(super) fn ask(actions: &mut Actions, action: MaintenanceAction) {
    actions.push(Action::Maintenance(action));
}
