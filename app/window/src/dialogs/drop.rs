//! Dropping a database or a collection: the name must be typed.

use egui::Context;
use mayfly_engine::value::shell::write_command;

use super::confirm;
use super::frame::DialogFrame;
use crate::action::{Action, Actions, StoreAction};
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::state::dialogs::drop_command;
use crate::state::dialogs::{DropDialog, DropTarget};
use crate::state::{State, number};
use crate::theme::{sizes, text};
use crate::widgets::Button;
use crate::widgets::value_text::with_marks;

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
    let frame = DialogFrame::new(format!("{verb} {kind} {shown}?"))
        .subtitle("This can't be undone")
        .width(sizes::DIALOG_NARROW)
        .command(Some(command))
        .sent(&draft.sent)
        .confirmed()
        .button(
            Button::danger(&press)
                .enabled(draft.typed == name)
                .tooltip("Enter the name to confirm"),
            (),
        );
    let pressed = frame.ui(context, |ui| {
        ui.label(text::rich(goes, text::body()));
        confirm::name_ui(ui, &shown, &mut draft.typed);
    });
    if pressed.end(actions).is_some() {
        actions.push(Action::Store(StoreAction::Drop(draft.target.clone())));
    }
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
