//! The archive of a collection: keep what expires, look at it, put it back.

mod contents;
mod settings;

use egui::Context;

use self::settings::Pressed;
use super::frame::DialogFrame;
use super::words::RESTORE;
use crate::action::archive::ask_off;
use crate::action::{Action, Actions, ArchiveAction};
use crate::state::archive::{Archive, ArchiveDraft};
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

/// The height of the contents with their list, in points.
const CONTENTS_HEIGHT: f32 = 470.0;

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
    let mut asked = None;
    let frame = DialogFrame::new(title).subtitle(subtitle).width(sizes::DIALOG_WIDE);
    let chosen = archive.chosen.len() as u64;
    let label = match chosen {
        0 => RESTORE.to_owned(),
        _ => format!("Restore {}", number::counted(chosen, "document", "documents")),
    };
    let frame = if shows_settings {
        settings::frame(frame, draft, archive)
    } else {
        contents_frame(frame, &label, archive)
    };
    let outcome = frame.ui(context, |ui| {
        for problem in problems(archive) {
            ui.label(text::rich(problem, text::body()).color(colors(ui).error));
        }
        if shows_settings {
            settings::ui(ui, draft);
        } else {
            asked = contents::ui(ui, draft, archive, state.clock.zone(), actions);
        }
    });
    match outcome.end(actions) {
        Some(Pressed::Ask(action)) => asked = Some(action),
        Some(Pressed::ShowSettings(shown)) => draft.settings = shown,
        Some(Pressed::Off) => {
            let shown = with_marks(&draft.namespace.to_string());
            actions.push(ask_off(&draft.namespace, &shown));
        }
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

fn contents_frame<'a>(
    frame: DialogFrame<'a, Pressed>,
    label: &'a str,
    archive: &Archive,
) -> DialogFrame<'a, Pressed> {
    let is_on = archive.status.as_ref().is_some_and(|status| status.on);
    let restore = Button::primary(label)
        .name(RESTORE)
        .enabled(!archive.chosen.is_empty() && !archive.is_waiting)
        .tooltip("Restore to the collection and keep the archived copies")
        .room_for("Restore 100 documents");
    let settings = Button::plain(if is_on { "Archive settings" } else { "Turn back on" });
    let hint = "Documents that expire later are deleted permanently. Archived documents are kept";
    let off = Button::plain("Turn off").enabled(!archive.is_waiting).tooltip(hint);
    frame
        .height(CONTENTS_HEIGHT)
        .leave("Done")
        .button(restore, Pressed::Ask(ArchiveAction::Restore))
        .button(settings.room_for("Archive settings"), Pressed::ShowSettings(true))
        .button_if(is_on, off, Pressed::Off)
}
