//! The archive of a collection: keep what expires, look at it, put it back.

mod contents;
mod settings;

use bson::Document;
use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::close;
use crate::action::archive::ask_off;
use crate::action::{Action, Actions, ArchiveAction, ViewAction};
use crate::dialogs::{COMMAND_TO_SEND, RESTORE};
use crate::state::archive::{Archive, ArchiveDraft};
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, modal};

/// The pressed button.
enum Pressed {
    Ask(ArchiveAction),
    ShowSettings(bool),
    Off,
    Done,
}

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut ArchiveDraft, state: &State, actions: &mut Actions) {
    let nothing = Archive::default();
    let is_own = state.archive.namespace.as_ref() == Some(&draft.namespace);
    let archive = if is_own { &state.archive } else { &nothing };
    if !is_own {
        // It was queued after the dialog of another archive.
        actions.push(Action::Archive(ArchiveAction::Begin(draft.namespace.clone())));
    }
    if archive.is_known {
        draft.fill(archive.status.as_ref());
    }
    let title = format!("Archive of {}", with_marks(&draft.namespace.to_string()));
    let subtitle = "Before a TTL index removes documents, they are saved here in compressed files. \
                    Removal happens only after the files are on disk.";
    let shows_settings = draft.settings || archive.is_known && archive.status.is_none();
    let (mut asked, mut pressed) = (None, None);
    let closing = modal::ui(
        context,
        &title,
        subtitle,
        if shows_settings { sizes::DIALOG } else { sizes::DIALOG_WIDE },
        draft,
        |ui, draft| {
            for problem in problems(archive) {
                ui.label(text::rich(problem, text::body()).color(colors(ui).error));
            }
            if shows_settings {
                settings::ui(ui, draft, actions);
            } else {
                asked = contents::ui(ui, draft, archive, state.clock.zone(), actions);
            }
        },
        |ui, draft| {
            pressed = if shows_settings {
                settings::buttons_ui(ui, draft, archive)
            } else {
                buttons_ui(ui, archive)
            };
        },
    );
    match pressed {
        Some(Pressed::Ask(action)) => asked = Some(action),
        Some(Pressed::ShowSettings(shown)) => draft.settings = shown,
        Some(Pressed::Off) => {
            let shown = with_marks(&draft.namespace.to_string());
            actions.push(ask_off(&draft.namespace, &shown));
        }
        Some(Pressed::Done) => close(actions),
        None if closing.closes() => close(actions),
        None => {}
    }
    if let Some(action) = asked {
        actions.push(Action::Archive(action));
    }
}

/// Why removals wait, or why the last thing that was asked for failed.
fn problems(archive: &Archive) -> impl Iterator<Item = String> {
    let waits = archive.status.as_ref().and_then(|status| {
        let problem = status.problem.as_ref()?;
        Some(if status.on {
            format!(
                "The archive failed, so expired documents are kept in the collection. {problem}"
            )
        } else {
            problem.clone()
        })
    });
    waits.into_iter().chain(archive.error.clone())
}

fn buttons_ui(ui: &mut Ui, archive: &Archive) -> Option<Pressed> {
    let mut pressed = None;
    let chosen = archive.chosen.len() as u64;
    let label = match chosen {
        0 => RESTORE.to_owned(),
        _ => format!("Restore {}", number::counted(chosen, "document", "documents")),
    };
    let restore = Button::primary(&label)
        .name(RESTORE)
        .enabled(chosen > 0 && !archive.is_waiting)
        .tooltip("Restore to the collection and keep the archived copies");
    if ui.add(restore).clicked() {
        pressed = Some(Pressed::Ask(ArchiveAction::Restore));
    }
    if ui.add(Button::plain("Done")).clicked() {
        pressed = Some(Pressed::Done);
    }
    let is_on = archive.status.as_ref().is_some_and(|status| status.on);
    let label = if is_on { "Archive settings" } else { "Turn back on" };
    if ui.add(Button::plain(label)).clicked() {
        pressed = Some(Pressed::ShowSettings(true));
    }
    if is_on {
        let hint = "Documents that expire later are deleted permanently. Archived documents are \
                    kept";
        let off = Button::plain("Turn off").enabled(!archive.is_waiting).tooltip(hint);
        if ui.add(off).clicked() {
            pressed = Some(Pressed::Off);
        }
    }
    pressed
}

/// Shows a command before it is sent.
fn command_ui(ui: &mut Ui, db: &str, command: &Document, actions: &mut Actions) {
    let command = write_command(db, command);
    if code_box::ui(ui, COMMAND_TO_SEND, &command) {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
}
