//! Recently removed: how long removed documents are kept and where they go then, which there are, and
//! restoring them.
//!
//! One list has what is in the trash and what was moved to archives, of all collections or one. Restore
//! acts on the selected documents, a pass or all of the list; the dialog shows the command, and the
//! button sends that same command. After each pass the list is read again.

mod archive;
mod keep;
mod list;
mod place;
mod problems;

use std::time::Duration;

use bson::RawDocumentBuf;
use egui::{Context, ScrollArea, TextEdit, Ui};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell::{write_command, write_document};

use super::frame::DialogFrame;
use super::words::{COMMAND_TO_SEND, LOADING, RESTORE, command_ui, quiet, result_ui};
use crate::action::{Action, Actions, TrashAction, ViewAction};
use crate::state::documents::bulk::BulkRun;
use crate::state::trash::{Scope, Trash, TrashDraft, running};
use crate::state::{State, number};
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
    if draft.archive.is_some() {
        return archive::ui(context, draft, state, actions);
    }
    let run = running(&state.bulk);
    let is_stopping = run.is_some_and(|run| run.work.gauge.cancel.is_cancelled());
    let restore = net.restore_command(draft);
    let label = restore.as_ref().map_or(RESTORE, |restore| restore.label.as_str());
    let label = with_marks(label);
    let frame = DialogFrame::new(TITLE)
        .subtitle(SUBTITLE)
        .width(sizes::DIALOG_WIDE)
        .height(LIST_HEIGHT)
        .ignores_enter(is_in_field(context))
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
        problems::ui(ui, net, actions);
        if !net.is_known {
            ui.label(text::rich(LOADING, text::body()).color(colors(ui).dim));
            return;
        }
        keep::ui(ui, draft, net, actions);
        let is_narrowed = net.scope.of.is_some() || net.scope.filter.is_some();
        if net.documents > 0 || is_narrowed || !net.rows.is_empty() {
            place::ui(ui, draft, state, actions);
        }
        archive::then_ui(ui, draft, net);
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
    let all = match (&net.scope.filter, &net.scope.of) {
        (Some(_), _) => "All that match".to_owned(),
        (None, Some(of)) => format!("All of {}", with_marks(&of.to_string())),
        (None, None) => "Everything".to_owned(),
    };
    ui.horizontal(|ui| {
        ui.label(text::rich(RESTORE, text::body()).color(colors(ui).dim));
        let words = ["Selected", "All from the same pass", &all];
        let at = Scope::ALL.iter().position(|scope| *scope == draft.scope).unwrap_or(0);
        if let Some(scope) =
            tabs::segmented(ui, RESTORE, &words, at).and_then(|at| Scope::ALL.get(at))
        {
            draft.scope = *scope;
        }
        let is_one = net.chosen(draft).count() == 1;
        let label = if draft.shows_document { "Hide document" } else { "Show document" };
        let hint = "Show the selected document";
        let show = Button::plain(label).enabled(is_one || draft.shows_document).tooltip(hint);
        if ui.add(show).clicked() {
            draft.shows_document = !draft.shows_document;
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
    if let Some(words) = includes_moved(net, draft.scope) {
        quiet(ui, &words);
    }
    if draft.shows_document {
        document_ui(ui, draft, net, actions);
    }
}

/// Archives may have much more than the trash.
fn includes_moved(net: &Trash, scope: Scope) -> Option<String> {
    let moved: u64 = net.listed_archives().map(|status| status.documents).sum();
    if scope != Scope::All || moved == 0 {
        return None;
    }
    let moved = match net.scope.filter {
        Some(_) => "documents that were".to_owned(),
        None => number::counted(moved, "document that was", "documents that were"),
    };
    Some(format!("This includes {moved} moved to archives"))
}

/// The selected document.
fn document_ui(ui: &mut Ui, draft: &TrashDraft, net: &Trash, actions: &mut Actions) {
    let mut chosen = net.chosen(draft);
    let (Some(row), None) = (chosen.next(), chosen.next()) else { return };
    let document = row.document.as_ref().and_then(|one| RawDocumentBuf::try_from(one).ok());
    let Some(document) = document else { return };
    let shown = write_document(&document, Layout::Indented);
    let scroll = ScrollArea::vertical().id_salt("removed document").auto_shrink([false, true]);
    scroll.max_height(list::DOCUMENT_HEIGHT).show(ui, |ui| {
        if code_box::document_ui(ui, &shown) {
            actions.push(Action::View(ViewAction::CopyLines(shown)));
        }
    });
}

/// Whether Enter is for a field.
fn is_in_field(context: &Context) -> bool {
    let focused = context.memory(egui::Memory::focused);
    focused.is_some_and(|id| TextEdit::load_state(context, id).is_some())
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
