//! A copy of a collection in the same database.

use egui::{Context, Id};
use mayfly_engine::value::shell::write_command;

use super::create::{buttons_ui, end, refusal_ui};
use super::rename::begin_with;
use crate::action::{Actions, StoreAction};
use crate::dialogs::COMMAND_TO_SEND;
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::state::dialogs::DuplicateCollection;
use crate::state::names::collection_problem;
use crate::state::{State, number};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{code_box, modal};

/// The effect of TTL indexes in the copy.
const EXPIRES: &str = "Documents expire in the copy as well";

pub fn ui(
    context: &Context,
    draft: &mut DuplicateCollection,
    state: &State,
    actions: &mut Actions,
) {
    let title = format!("Duplicate {}", with_marks(&draft.from.to_string()));
    let count = state.tree.documents_of(&draft.from);
    let subtitle = count.map(|count| number::counted(count, "document", "documents"));
    let to = draft.to();
    let error = collection_problem(&to.db, &to.collection).or_else(|| {
        state.tree.collection(&to).map(|_| "A collection with this name already exists")
    });
    let ready = error.is_none() && draft.indexes.is_some();
    let (mut copy, mut send) = (false, false);
    let before = (draft.name.clone(), draft.with_indexes);
    let commands: Vec<String> =
        draft.commands().iter().map(|command| write_command(&to.db, command)).collect();
    let command = commands.join("\n");
    let closing = modal::ui(
        context,
        &title,
        &subtitle.unwrap_or_default(),
        sizes::DIALOG,
        draft,
        |ui, draft| {
            ui.add_enabled_ui(!draft.sent.is_waiting(), |ui| {
                // The name of the copy that is being made exists, but isn't a mistake.
                let error = error.filter(|_| !draft.sent.is_waiting());
                labelled(ui, "Name of the copy", error, |ui| {
                    let id = Id::unique("name of the copy");
                    let field = Field {
                        name: "Name of the copy",
                        mono: true,
                        invalid: error.is_some(),
                        id: Some(id),
                        ..Field::default()
                    };
                    field.ui(ui, &mut draft.name);
                    begin_with(ui, id, &draft.name);
                });
                indexes_ui(ui, draft);
            });
            refusal_ui(ui, &draft.sent);
            if ready {
                copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
                ui.label(text::rich(steps(), text::small()).color(colors(ui).dim));
            }
        },
        |ui, draft| send = buttons_ui(ui, "Duplicate", ready, &draft.sent, actions),
    );
    if (draft.name.clone(), draft.with_indexes) != before {
        draft.sent.error = None;
    }
    end(closing, copy, command, send, StoreAction::Duplicate(draft.clone()), actions);
}

/// The commands after those that are shown.
fn steps() -> String {
    let step = number::count(BULK_STEP_DOCUMENTS as u64);
    format!(
        "Then the documents are inserted, {step} at a time. If you cancel before the end, the copy is \
         dropped"
    )
}

fn indexes_ui(ui: &mut egui::Ui, draft: &mut DuplicateCollection) {
    let Some(indexes) = &draft.indexes else {
        ui.label(text::rich(super::LOADING, text::small()).color(colors(ui).dim));
        return;
    };
    if indexes.is_empty() {
        return;
    }
    let count = u64::try_from(indexes.len()).unwrap_or(u64::MAX);
    let words = format!("With its {}", number::counted(count, "index", "indexes"));
    let has_ttl = indexes.iter().any(|index| index.contains_key("expireAfterSeconds"));
    ui.checkbox(&mut draft.with_indexes, words);
    if has_ttl && draft.with_indexes {
        ui.label(text::rich(EXPIRES, text::small()).color(colors(ui).overdue));
    }
}
