//! The archive of a collection: whether removed documents are moved there, which it has, and restoring
//! them.

mod contents;
mod settings;

use egui::Context;

use self::settings::Pressed;
use super::place::{Place, place_ui, show};
use super::{SUBTITLE, TITLE};
use crate::action::archive::ask_off;
use crate::action::{Action, Actions, ArchiveAction};
use crate::dialogs::frame::DialogFrame;
use crate::dialogs::words::RESTORE;
use crate::state::archive::Archive;
use crate::state::trash::TrashDraft;
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

/// The height of the contents with their list, in points.
const CONTENTS_HEIGHT: f32 = 470.0;

/// Draws the dialog while it shows an archive.
pub(super) fn ui(context: &Context, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let (archive, mut place) = (&state.archive, None);
    let Some(fields) = &mut draft.archive else { return };
    if archive.is_known {
        fields.fill(archive.status.as_ref());
    }
    let shows_settings = fields.settings || archive.is_known && archive.status.is_none();
    let mut asked = None;
    let frame = DialogFrame::new(TITLE).subtitle(SUBTITLE).width(sizes::DIALOG_WIDE);
    let chosen = archive.chosen.len() as u64;
    let label = match chosen {
        0 => RESTORE.to_owned(),
        _ => format!("Restore {}", number::counted(chosen, "document", "documents")),
    };
    let frame = if shows_settings {
        settings::frame(frame, fields, archive)
    } else {
        contents_frame(frame, &label, archive)
    };
    let outcome = frame.ui(context, |ui| {
        place = place_ui(ui, state, Place::Archive, actions);
        for problem in problems(archive) {
            ui.label(text::rich(problem, text::body()).color(colors(ui).error));
        }
        if shows_settings {
            settings::ui(ui, fields);
        } else {
            asked = contents::ui(ui, fields, archive, state.clock.zone(), actions);
        }
    });
    match outcome.end(actions) {
        Some(Pressed::Ask(action)) => asked = Some(action),
        Some(Pressed::ShowSettings(shown)) => fields.settings = shown,
        Some(Pressed::Off) => {
            let shown = with_marks(&fields.namespace.to_string());
            actions.push(ask_off(&fields.namespace, &shown));
        }
        None => {}
    }
    if let Some(action) = asked {
        actions.push(Action::Archive(action));
    }
    if let Some(place) = place {
        show(draft, place, state);
    }
}

/// Why documents wait, or why the last thing that was asked for failed.
fn problems(archive: &Archive) -> impl Iterator<Item = String> {
    let waits = archive.status.as_ref().and_then(|status| {
        let problem = status.problem.as_ref()?;
        Some(if status.on {
            format!("The archive failed, so removed documents stay in the trash. {problem}")
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
    let hint =
        "Documents that are removed later are deleted permanently. Archived documents are kept";
    let off = Button::plain("Turn off").enabled(!archive.is_waiting).tooltip(hint);
    frame
        .height(CONTENTS_HEIGHT)
        .leave("Done")
        .button(restore, Pressed::Ask(ArchiveAction::Restore))
        .button(settings.room_for("Archive settings"), Pressed::ShowSettings(true))
        .button_if(is_on, off, Pressed::Off)
}
