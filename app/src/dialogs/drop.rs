//! Dropping a database or a collection: the name must be typed.

use egui::{Context, Id};
use mayfly_engine::value::shell::write_command;

use super::close;
use crate::action::{Action, Actions, DialogAction, StoreAction, ViewAction};
use crate::apply::store::drop_command;
use crate::state::dialogs::{DropDialog, DropTarget};
use crate::state::{State, number};
use crate::theme::{sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, code_box, modal};

/// Draws the question.
pub fn ui(context: &Context, draft: &mut DropDialog, state: &State, actions: &mut Actions) {
    let (kind, name) = match &draft.target {
        DropTarget::Database(db) => ("database", db.clone()),
        DropTarget::Collection(namespace) => ("collection", namespace.collection.clone()),
    };
    let (db, command) = drop_command(&draft.target);
    let command = write_command(&db, &command);
    let goes = what_goes(&draft.target, state);
    let (mut copy, mut dropped) = (false, false);
    let closing = modal::ui(
        context,
        &format!("Drop the {kind} {name}?"),
        "This can't be undone",
        sizes::DIALOG_NARROW,
        &mut draft.typed,
        |ui, typed| {
            ui.label(text::rich(goes, text::body()));
            labelled(ui, &format!("Type {name} to confirm"), None, |ui| {
                let id = Id::unique("name to drop");
                let field = Field {
                    name: "Name to confirm",
                    hint: &name,
                    mono: true,
                    id: Some(id),
                    ..Field::default()
                };
                let response = field.ui(ui, typed);
                if typed.is_empty() && ui.memory(|memory| memory.focused().is_none()) {
                    response.request_focus();
                }
            });
            copy = code_box::ui(ui, "The command that will be sent", &command);
        },
        |ui, typed| {
            let matches = *typed == name;
            let label = format!("Drop {kind}");
            let button = Button::danger(&label).enabled(matches).tooltip("Type the name first");
            dropped = ui.add(button).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if copy {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
    if dropped {
        let action = Action::Store(StoreAction::Drop(draft.target.clone()));
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(action))));
    } else if closing.closes() {
        close(actions);
    }
}

fn what_goes(target: &DropTarget, state: &State) -> String {
    match target {
        DropTarget::Collection(namespace) => {
            let documents = state.tree.collection(namespace).and_then(|found| found.documents);
            match documents {
                Some(count) => {
                    let documents = number::counted(count, "document", "documents");
                    format!("{namespace} goes with {documents} and all its indexes.")
                }
                None => format!("{namespace} goes with its documents and indexes."),
            }
        }
        DropTarget::Database(db) => {
            let count = state.tree.database(db).map_or(0, |found| found.collections.len());
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            let collections = number::counted(count, "collection", "collections");
            format!("{db} goes with {collections} and everything in them.")
        }
    }
}
