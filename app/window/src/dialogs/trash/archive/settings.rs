//! Whether and where what expires is kept, and how much of it.

use egui::Ui;
use mayfly_engine::value::shell::write_command;

use crate::action::ArchiveAction;
use crate::dialogs::frame::DialogFrame;
use crate::state::archive::{Archive, ArchiveDraft};
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::field::{Field, labelled};

/// Draws the fields.
pub(super) fn ui(ui: &mut Ui, draft: &mut ArchiveDraft) {
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

/// The command and the buttons.
pub(super) fn frame<'a>(
    frame: DialogFrame<'a, Pressed>,
    draft: &ArchiveDraft,
    archive: &Archive,
) -> DialogFrame<'a, Pressed> {
    let is_on = archive.status.as_ref().is_some_and(|status| status.on);
    let command = draft.command();
    let is_ready = command.is_some() && archive.is_known && !archive.is_waiting;
    let shown = command.as_ref().map(|command| write_command(&draft.namespace.db, command));
    let button = Button::primary(if is_on { "Change" } else { "Turn on" }).enabled(is_ready);
    let on = Pressed::Ask(ArchiveAction::On(command.unwrap_or_default()));
    let frame = frame.command(shown).button(button, on);
    if archive.status.is_some() {
        frame.no_leave().button(Button::plain("Back"), Pressed::ShowSettings(false))
    } else {
        frame
    }
}

/// The pressed button.
pub(super) enum Pressed {
    Ask(ArchiveAction),
    ShowSettings(bool),
    Off,
}
