//! A new database, a new collection.

use egui::{Context, Ui};
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use crate::action::{Action, Actions, StoreAction};
use crate::job::Dialect;
use crate::panels::collation_menu;
use crate::state::dialogs::{CreateCollection, CreateDatabase};
use crate::state::dialogs::{create_command, dialect_command, dialect_label, dialect_sentence};
use crate::state::names::{collection_problem, database_problem};
use crate::state::{Namespace, State};
use crate::theme::{colors, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, tabs};

pub fn database_ui(
    context: &Context,
    draft: &mut CreateDatabase,
    state: &State,
    actions: &mut Actions,
) {
    let name = draft.name.trim();
    let db_error = database_problem(name)
        .or_else(|| state.tree.database(name).map(|_| "A database with this name already exists"));
    let collection_error = collection_problem(name, draft.collection.trim());
    let first = CreateCollection {
        db: draft.name.trim().to_owned(),
        name: draft.collection.clone(),
        ..CreateCollection::default()
    };
    let command = write_command(&first.db, &create_command(&first));
    let command = match dialect_command(draft.dialect) {
        Some(rules) => format!("{}\n{command}", write_command(&first.db, &rules)),
        None => command,
    };
    let ready = db_error.is_none() && collection_error.is_none();
    let frame = DialogFrame::new("Create database")
        .subtitle("A database needs at least one collection")
        .command(ready.then_some(command))
        .sent(&draft.sent)
        .button(Button::primary("Create database").enabled(ready), ());
    let pressed = frame.ui(context, |ui| {
        name_field(ui, "Database name", &mut draft.name, db_error);
        name_field(ui, "First collection", &mut draft.collection, collection_error);
        dialect_ui(ui, &mut draft.dialect);
    });
    if pressed.end(actions).is_some() {
        actions.push(Action::Store(StoreAction::CreateDatabase(draft.clone())));
    }
}

/// The effect of a collection's collation.
const COLLATION_NOTE: &str =
    "Its queries and indexes have this collation, unless they have another";

pub fn collection_ui(
    context: &Context,
    draft: &mut CreateCollection,
    state: &State,
    actions: &mut Actions,
) {
    let namespace = Namespace::new(&draft.db, draft.name.trim());
    let error = collection_problem(&draft.db, draft.name.trim()).or_else(|| {
        state.tree.collection(&namespace).map(|_| "A collection with this name already exists")
    });
    let bytes = draft.size.trim().parse::<i64>().ok().filter(|bytes| *bytes > 0);
    let size_error = (draft.capped && bytes.is_none()).then_some("Enter a number of bytes");
    let ready = error.is_none() && size_error.is_none();
    let command = write_command(&draft.db, &create_command(draft));
    let frame = DialogFrame::new(format!("Create collection in {}", with_marks(&draft.db)))
        .command(ready.then_some(command))
        .sent(&draft.sent)
        .button(Button::primary("Create collection").enabled(ready), ());
    let pressed = frame.ui(context, |ui| {
        name_field(ui, "Collection name", &mut draft.name, error);
        capped_ui(ui, draft, size_error);
        labelled(ui, "Sort as", None, |ui| {
            collation_menu::ui(ui, "Sort as", &mut draft.collation, COLLATION_NOTE);
        });
    });
    if pressed.end(actions).is_some() {
        actions.push(Action::Store(StoreAction::CreateCollection(draft.clone())));
    }
}

fn capped_ui(ui: &mut Ui, draft: &mut CreateCollection, size_error: Option<&str>) {
    ui.checkbox(&mut draft.capped, "Capped collection (keeps only the newest documents)");
    if draft.capped {
        labelled(ui, "Size in bytes", size_error, |ui| {
            let name = "Size in bytes";
            let field = Field { name, hint: "1048576", mono: true, ..Field::default() };
            field.ui(ui, &mut draft.size);
        });
    }
}

fn name_field(ui: &mut Ui, label: &str, draft: &mut String, error: Option<&str>) {
    // An empty field is not wrong yet.
    let shown = error.filter(|_| !draft.is_empty());
    // The error has its place before it comes, so that the buttons stay where they are.
    labelled(ui, label, Some(shown.unwrap_or(" ")), |ui| {
        let invalid = shown.is_some();
        Field { name: label, mono: true, invalid, ..Field::default() }.ui(ui, draft);
    });
}

fn dialect_ui(ui: &mut Ui, dialect: &mut Dialect) {
    labelled(ui, "Compatibility", None, |ui| {
        let words = Dialect::ALL.map(dialect_label);
        let chosen = Dialect::ALL.iter().position(|other| other == dialect).unwrap_or(0);
        if let Some(at) = tabs::segmented(ui, "Compatibility", &words, chosen)
            && let Some(pressed) = Dialect::ALL.get(at)
        {
            *dialect = *pressed;
        }
        let ink = colors(ui).dim;
        ui.label(text::rich(dialect_sentence(*dialect), text::small()).color(ink));
    });
}
