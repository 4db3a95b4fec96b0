//! Whether and where what expires is kept, and how much of it.

use egui::Ui;

use super::{Pressed, command_ui};
use crate::action::{Actions, ArchiveAction};
use crate::state::archive::{Archive, ArchiveDraft};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, modal};

/// Draws the fields.
pub(super) fn ui(ui: &mut Ui, draft: &mut ArchiveDraft, actions: &mut Actions) {
    labelled(ui, "Target folder", None, |ui| {
        let field = Field {
            name: "Target",
            hint: "default: the data folder",
            mono: true,
            ..Field::default()
        };
        field.ui(ui, &mut draft.target);
    });
    let (size_error, days_error) = (draft.max_bytes().err(), draft.max_age_secs().err());
    ui.horizontal_top(|ui| {
        limit_ui(ui, "Maximum size (MB)", size_error.as_deref(), &mut draft.size);
        ui.add_space(sizes::GAP);
        limit_ui(ui, "Maximum age (days)", days_error.as_deref(), &mut draft.days);
    });
    let words = "Above a limit, the oldest archive files are deleted with their documents.";
    ui.label(text::rich(words, text::body()).color(colors(ui).dim));
    if let Some(command) = draft.command() {
        command_ui(ui, &draft.namespace.db, &command, actions);
    }
}

fn limit_ui(ui: &mut Ui, name: &str, error: Option<&str>, draft: &mut String) {
    ui.vertical(|ui| {
        ui.set_width(sizes::COLUMN_WIDE);
        labelled(ui, name, error, |ui| {
            let field = Field {
                name,
                hint: "no limit",
                mono: true,
                invalid: error.is_some(),
                ..Field::default()
            };
            field.ui(ui, draft);
        });
    });
}

pub(super) fn buttons_ui(ui: &mut Ui, draft: &ArchiveDraft, archive: &Archive) -> Option<Pressed> {
    let mut pressed = None;
    let is_on = archive.status.as_ref().is_some_and(|status| status.on);
    let label = if is_on { "Change" } else { "Turn on" };
    let command = draft.command();
    let is_ready = command.is_some() && archive.is_known && !archive.is_waiting;
    let is_asked = modal::answer_ui(ui, Button::primary(label).enabled(is_ready));
    if let (true, Some(command)) = (is_asked, command) {
        pressed = Some(Pressed::Ask(ArchiveAction::On(command)));
    }
    let has_contents = archive.status.is_some();
    let label = if has_contents { "Back" } else { "Cancel" };
    if ui.add(Button::plain(label)).clicked() {
        pressed = Some(if has_contents { Pressed::ShowSettings(false) } else { Pressed::Done });
    }
    pressed
}
