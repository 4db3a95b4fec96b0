//! Recently removed: how long removed documents are kept and where they go then, which there are, and
//! restoring them.
//!
//! *Recently removed…* lists the trash, of all collections or one; of one also its archive (`archive`).
//! Restore acts on the selected document, its pass or a whole collection; the dialog shows the command, and
//! the button sends that same command. After each pass the list is read again.

mod archive;
mod keep;
mod list;
mod place;

use std::time::Duration;

use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use self::place::Place;
use super::frame::DialogFrame;
use super::words::{COMMAND_TO_SEND, LOADING, RESTORE, command_ui, result_ui};
use crate::action::{Action, Actions, TrashAction, ViewAction};
use crate::state::State;
use crate::state::archive::ArchiveDraft;
use crate::state::documents::bulk::BulkRun;
use crate::state::trash::{Scope, TrashDraft, running};
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, code_box, tabs};

/// The height of the switch and an empty list, in points.
const LIST_HEIGHT: f32 = 270.0;

/// The tooltip of the button that restores.
const RESTORES: &str = "Restore to its collection without overwriting anything";

/// The title, and what the dialog is for.
const TITLE: &str = "Recently removed";
const SUBTITLE: &str = "Removed documents stay in the trash for a while, then they are deleted or moved \
                        to an archive. Restoring puts the index that removed them on hold until you \
                        release it.";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let net = &state.trash;
    // The fields are of one collection. Another one may be listed by now.
    if let Some(shown) = &draft.archive
        && net.filter.as_ref() != Some(&shown.namespace)
    {
        draft.archive = net.filter.clone().map(ArchiveDraft::new);
    }
    if draft.archive.is_some() {
        return archive::ui(context, draft, state, actions);
    }
    draft.fill(net);
    let run = running(&state.bulk);
    let is_stopping = run.is_some_and(|run| run.work.gauge.cancel.is_cancelled());
    let restore = net.restore_command(draft);
    let label = restore.as_ref().map_or(RESTORE, |restore| restore.label.as_str());
    let label = with_marks(label);
    let frame = DialogFrame::new(TITLE)
        .subtitle(SUBTITLE)
        .width(sizes::DIALOG_WIDE)
        .height(LIST_HEIGHT)
        .leave("Done");
    let frame = match (run, restore) {
        (Some(run), _) => {
            let label = if is_stopping { "Stopping…" } else { "Cancel" };
            let cancel = Button::plain(label)
                .name("Cancel the restore")
                .tooltip("Stop after the present step; what is restored stays restored")
                .enabled(!is_stopping);
            frame.button(cancel, Action::View(ViewAction::Cancel(run.operation)))
        }
        (None, Ok(restore)) if !net.rows.is_empty() => {
            let button = Button::primary(&label).enabled(!net.is_waiting).tooltip(RESTORES);
            frame.button(button, Action::Trash(TrashAction::Restore(restore)))
        }
        (None, Err(_)) if !net.rows.is_empty() => {
            let button = Button::primary(&label).enabled(false).tooltip(RESTORES);
            frame.button(button, Action::Trash(TrashAction::More))
        }
        _ => frame,
    };
    let outcome = frame.ui(context, |ui| {
        if let Some(error) = &net.error {
            ui.label(text::rich(with_marks(error), text::body()).color(colors(ui).error));
        }
        if !net.is_known {
            ui.label(text::rich(LOADING, text::body()).color(colors(ui).dim));
            return;
        }
        keep::ui(ui, draft, net, actions);
        let has_rows = net.documents > 0 || net.filter.is_some() || !net.rows.is_empty();
        if has_rows && let Some(place) = place::place_ui(ui, state, Place::Trash, actions) {
            place::show(draft, place, state);
        }
        keep::then_ui(ui, draft, state);
        list::ui(ui, draft, state, actions);
        restore_ui(ui, draft, state, actions);
    });
    if let Some(action) = outcome.end(actions) {
        actions.push(action);
    }
}

/// The documents to restore, the command, and the last result.
fn restore_ui(ui: &mut Ui, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let net = &state.trash;
    if let Some(run) = running(&state.bulk) {
        progress_ui(ui, run, state.uptime);
        return;
    }
    if let Some(result) = &net.result {
        result_ui(ui, result);
    }
    if net.rows.is_empty() {
        return;
    }
    let all = match &net.filter {
        Some(of) => format!("All of {}", with_marks(&of.to_string())),
        None => "Everything".to_owned(),
    };
    ui.horizontal(|ui| {
        ui.label(text::rich(RESTORE, text::body()).color(colors(ui).dim));
        let words = ["Selected document", "All from the same pass", &all];
        let at = Scope::ALL.iter().position(|scope| *scope == draft.scope).unwrap_or(0);
        if let Some(scope) =
            tabs::segmented(ui, RESTORE, &words, at).and_then(|at| Scope::ALL.get(at))
        {
            draft.scope = *scope;
        }
    });
    match net.restore_command(draft) {
        Ok(restore) => {
            let command = write_command(&restore.db, &restore.command);
            command_ui(ui, COMMAND_TO_SEND, &command, actions);
        }
        Err(why) => {
            // As high as the command that comes with a choice: the rows stay under the pointer.
            ui.horizontal(|ui| {
                ui.set_height(code_box::ONE_LINE);
                ui.label(text::rich(why, text::body()).color(colors(ui).dim));
            });
        }
    }
}

/// How far the restore is. As high as what it takes the place of.
fn progress_ui(ui: &mut Ui, run: &BulkRun, uptime: Duration) {
    ui.horizontal(|ui| {
        let words = format!("Restoring: {}", run.words(uptime));
        ui.label(text::rich(words, text::body()));
    });
    ui.horizontal(|ui| {
        ui.set_height(code_box::ONE_LINE);
        #[expect(clippy::cast_precision_loss, reason = "a bar of a few hundred points")]
        let share = match run.work.gauge.now() {
            (_, 0) => 0.0,
            (done, total) => done as f32 / total as f32,
        };
        bar::ui(ui, share, colors(ui).accent, "Restored so far");
    });
}
