//! The trash: how long removed documents are kept, which are in it, and restoring them.
//!
//! *Trash…* opens `dialogs/trash/`: how long removed documents are kept, and which ones are. Restore acts on
//! the selected document, its pass or a whole collection; the dialog shows the command, and the button sends
//! that same command. After each pass the list is read again.

mod keep;
mod list;

use std::time::Duration;

use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use super::words::{COMMAND_TO_SEND, LOADING, RESTORE, command_ui};
use crate::action::{Action, Actions, TrashAction, ViewAction};
use crate::state::State;
use crate::state::documents::bulk::BulkRun;
use crate::state::trash::{Scope, TrashDraft, running};
use crate::theme::{colors, sizes, text};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, bar, card, code_box, tabs};

/// The height of the switch and an empty list, in points.
const LIST_HEIGHT: f32 = 270.0;

/// The tooltip of the button that restores.
const RESTORES: &str = "Restore to its collection without overwriting anything";

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut TrashDraft, state: &State, actions: &mut Actions) {
    let net = &state.trash;
    draft.fill(net);
    let subtitle = "When on, removed documents are kept for a while so you can restore them. \
                    Restoring puts the index that removed them on hold until you release it.";
    let run = running(&state.bulk);
    let is_stopping = run.is_some_and(|run| run.work.gauge.cancel.is_cancelled());
    let restore = net.restore_command(draft);
    let label = restore.as_ref().map_or(RESTORE, |restore| restore.label.as_str());
    let label = with_marks(label);
    let frame = DialogFrame::new("Trash")
        .subtitle(subtitle)
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
    if let Some((is_done, sentence)) = &net.result {
        let ink = colors(ui);
        let ink = if *is_done { ink.accent } else { ink.overdue };
        card::bordered(ui, ink, |ui| {
            ui.label(text::rich(with_marks(sentence), text::body()));
        });
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
