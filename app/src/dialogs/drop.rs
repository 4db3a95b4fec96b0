//! Dropping a database or a collection: the name must be typed.

use egui::{Context, Id};
use mayfly_engine::value::shell::write_command;

use super::create::{end, refusal_ui};
use super::{WAITING, close, leave};
use crate::action::{Actions, StoreAction};
use crate::dialogs::COMMAND_TO_SEND;
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::state::dialogs::drop_command;
use crate::state::dialogs::{DropDialog, DropTarget};
use crate::state::{State, number};
use crate::theme::{sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, modal};

/// Draws the question.
pub fn ui(context: &Context, draft: &mut DropDialog, state: &State, actions: &mut Actions) {
    let (verb, kind, name) = match &draft.target {
        DropTarget::Database(db) => ("Drop", "database", db.clone()),
        DropTarget::Collection(namespace) => ("Drop", "collection", namespace.collection.clone()),
        DropTarget::Documents(namespace) => ("Empty", "collection", namespace.collection.clone()),
    };
    let (db, command) = drop_command(&draft.target);
    let command = write_command(&db, &command);
    let goes = what_goes(&draft.target, state);
    let shown = with_marks(&name);
    let press = match &draft.target {
        DropTarget::Documents(namespace) => match state.tree.documents_of(namespace) {
            Some(count) => {
                format!("Delete {}", number::counted(count, "document", "documents"))
            }
            None => "Delete all documents".to_owned(),
        },
        _ => format!("Drop {kind}"),
    };
    let (mut copy, mut dropped) = (false, false);
    let closing = modal::ui(
        context,
        &format!("{verb} {kind} {shown}?"),
        "This can't be undone",
        sizes::DIALOG_NARROW,
        draft,
        |ui, DropDialog { typed, sent, .. }| {
            ui.label(text::rich(goes, text::body()));
            ui.add_enabled_ui(!sent.is_waiting(), |ui| {
                labelled(ui, &format!("Enter {shown} to confirm"), None, |ui| {
                    let id = Id::unique("name to drop");
                    let field = Field {
                        name: "Name to confirm",
                        hint: &shown,
                        mono: true,
                        id: Some(id),
                        ..Field::default()
                    };
                    let response = field.ui(ui, typed);
                    if typed.is_empty() && ui.memory(|memory| memory.focused().is_none()) {
                        response.request_focus();
                    }
                });
            });
            refusal_ui(ui, sent);
            copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
        },
        |ui, DropDialog { typed, sent, .. }| {
            let is_free = !sent.is_waiting();
            let label = if is_free { press.clone() } else { WAITING.to_owned() };
            let is_ready = *typed == name && is_free;
            let button = Button::danger(&label).enabled(is_ready);
            dropped = modal::answer_ui(ui, button.tooltip("Enter the name to confirm"));
            if ui.add(leave(!is_free)).clicked() {
                close(actions);
            }
        },
    );
    let action = StoreAction::Drop(draft.target.clone());
    end(closing, copy, command, dropped, action, actions);
}

fn what_goes(target: &DropTarget, state: &State) -> String {
    match target {
        DropTarget::Collection(namespace) => {
            let documents = state.tree.collection(namespace).and_then(|found| found.documents);
            let name = with_marks(&namespace.to_string());
            match documents {
                Some(count) => {
                    let documents = number::counted(count, "document", "documents");
                    format!("This deletes {name}, its {documents} and all its indexes.")
                }
                None => format!("This deletes {name}, its documents and indexes."),
            }
        }
        DropTarget::Documents(namespace) => {
            let name = with_marks(&namespace.to_string());
            let step = number::count(BULK_STEP_DOCUMENTS as u64);
            format!(
                "This deletes all documents of {name}, {step} at a time. Its indexes stay. You can \
                 cancel between two steps."
            )
        }
        DropTarget::Database(db) => {
            let count = state.tree.database(db).map_or(0, |found| found.collections.len());
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            let collections = number::counted(count, "collection", "collections");
            let db = with_marks(db);
            format!("This deletes {db} with {collections} and all their documents.")
        }
    }
}
