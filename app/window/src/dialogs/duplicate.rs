//! A copy of a collection in the same database.

use egui::Context;
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use super::words::{LOADING, quiet};
use crate::action::{Action, Actions, StoreAction};
use crate::limits::BULK_STEP_DOCUMENTS;
use crate::state::dialogs::DuplicateCollection;
use crate::state::names::collection_problem;
use crate::state::{State, number};
use crate::theme::{colors, text};
use crate::widgets::Button;
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;

/// The height of the fields with the indexes, and of two commands, in points.
const FIELDS_HEIGHT: f32 = 124.0;
const COMMANDS_HEIGHT: f32 = 78.0;

/// The effect of TTL indexes in the copy.
const EXPIRES: &str = "Documents expire in the copy as well";

pub fn ui(
    context: &Context,
    draft: &mut DuplicateCollection,
    state: &State,
    actions: &mut Actions,
) {
    let count = state.tree.documents_of(&draft.from);
    let count = count.map(|count| number::counted(count, "document", "documents"));
    let to = draft.to();
    let error = collection_problem(&to.db, &to.collection).or_else(|| {
        state.tree.collection(&to).map(|_| "A collection with this name already exists")
    });
    // The name of the copy that is being made exists, but isn't a mistake.
    let error = error.filter(|_| !draft.sent.is_waiting());
    let ready = error.is_none() && draft.indexes.is_some();
    let commands: Vec<String> =
        draft.commands().iter().map(|command| write_command(&to.db, command)).collect();
    let frame = DialogFrame::new(format!("Duplicate {}", with_marks(&draft.from.to_string())))
        .subtitle(count.unwrap_or_default())
        .command(ready.then(|| commands.join("\n")))
        .room(COMMANDS_HEIGHT)
        .note(steps())
        .height(FIELDS_HEIGHT)
        .sent(&draft.sent)
        .button(Button::primary("Duplicate").enabled(ready), ());
    let pressed = frame.ui(context, |ui| {
        labelled(ui, "Name of the copy", error, |ui| {
            let (name, invalid) = ("Name of the copy", error.is_some());
            Field { name, mono: true, invalid, ..Field::default() }.ui(ui, &mut draft.name);
        });
        indexes_ui(ui, draft);
    });
    if pressed.end(actions).is_some() {
        actions.push(Action::Store(StoreAction::Duplicate(draft.clone())));
    }
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
        return quiet(ui, LOADING);
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
