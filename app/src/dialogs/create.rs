//! A new database, a new collection.

use egui::{Context, Id, Ui};
use mayfly_engine::value::shell::write_command;

use super::close;
use crate::action::{Action, Actions, DialogAction, StoreAction, ViewAction};
use crate::apply::store::{create_command, dialect_command};
use crate::state::dialogs::{CreateCollection, CreateDatabase, Dialect};
use crate::state::{Namespace, State};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, code_box, modal, tabs};

/// Bytes in a name of a database, as MongoDB has it.
const DATABASE_NAME_BYTES_MAX: usize = 63;

/// Draws the dialog for a new database.
pub fn database_ui(
    context: &Context,
    draft: &mut CreateDatabase,
    state: &State,
    actions: &mut Actions,
) {
    let db_error = database_error(&draft.name, state);
    let collection_error = collection_error(&draft.collection);
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
    let (mut copy, mut create) = (false, false);
    let closing = modal::ui(
        context,
        "Create database",
        "A database exists as soon as it has a collection",
        sizes::DIALOG,
        draft,
        |ui, draft| {
            name_field(ui, "Name of the database", &mut draft.name, db_error);
            name_field(ui, "First collection", &mut draft.collection, collection_error);
            dialect_ui(ui, &mut draft.dialect);
            if ready {
                copy = code_box::ui(ui, "The command that will be sent", &command);
            }
        },
        |ui, _| {
            create = ui.add(Button::primary("Create database").enabled(ready)).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    let action = StoreAction::CreateDatabase(draft.clone());
    end(closing, copy, command, create, action, actions);
}

/// Draws the dialog for a new collection.
pub fn collection_ui(
    context: &Context,
    draft: &mut CreateCollection,
    state: &State,
    actions: &mut Actions,
) {
    let namespace = Namespace::new(&draft.db, draft.name.trim());
    let error = collection_error(&draft.name)
        .or_else(|| state.tree.collection(&namespace).map(|_| "A collection of this name exists"));
    let title = format!("Create collection in {}", draft.db);
    let bytes = draft.size.trim().parse::<i64>().ok().filter(|bytes| *bytes > 0);
    let size_error = (draft.capped && bytes.is_none()).then_some("Type a number of bytes");
    let ready = error.is_none() && size_error.is_none();
    let command = write_command(&draft.db, &create_command(draft));
    let (mut copy, mut create) = (false, false);
    let closing = modal::ui(
        context,
        &title,
        "",
        sizes::DIALOG,
        draft,
        |ui, draft| {
            name_field(ui, "Name of the collection", &mut draft.name, error);
            ui.checkbox(&mut draft.capped, "Keep only the newest documents (capped)");
            if draft.capped {
                labelled(ui, "Bytes to keep", size_error, |ui| {
                    let name = "Bytes to keep";
                    let field = Field { name, hint: "1048576", mono: true, ..Field::default() };
                    field.ui(ui, &mut draft.size);
                });
            }
            if ready {
                copy = code_box::ui(ui, "The command that will be sent", &command);
            }
        },
        |ui, _| {
            create = ui.add(Button::primary("Create collection").enabled(ready)).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    let action = StoreAction::CreateCollection(draft.clone());
    end(closing, copy, command, create, action, actions);
}

fn end(
    closing: modal::Closing,
    copy: bool,
    command: String,
    create: bool,
    action: StoreAction,
    actions: &mut Actions,
) {
    if copy {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
    if create {
        let action = Box::new(Action::Store(action));
        actions.push(Action::Dialog(DialogAction::Confirm(action)));
    } else if closing.closes() {
        close(actions);
    }
}

fn name_field(ui: &mut Ui, label: &str, draft: &mut String, error: Option<&str>) {
    // An empty field is not wrong yet.
    let shown = error.filter(|_| !draft.is_empty());
    labelled(ui, label, shown, |ui| {
        let id = Some(Id::unique(label));
        let invalid = shown.is_some();
        Field { name: label, mono: true, invalid, id, ..Field::default() }.ui(ui, draft);
    });
}

fn dialect_ui(ui: &mut Ui, dialect: &mut Dialect) {
    labelled(ui, "Rules", None, |ui| {
        let words = Dialect::ALL.map(Dialect::label);
        let chosen = Dialect::ALL.iter().position(|other| other == dialect).unwrap_or(0);
        if let Some(at) = tabs::segmented(ui, "Rules", &words, chosen)
            && let Some(pressed) = Dialect::ALL.get(at)
        {
            *dialect = *pressed;
        }
        let ink = colors(ui).dim;
        ui.label(text::rich(dialect.sentence(), text::small()).color(ink));
    });
}

fn database_error(name: &str, state: &State) -> Option<&'static str> {
    let name = name.trim();
    if name.is_empty() {
        Some("Type a name")
    } else if name.len() > DATABASE_NAME_BYTES_MAX {
        Some("At most 63 bytes")
    } else if name.contains(['/', '\\', '.', ' ', '"', '$', '*', '<', '>', ':', '|', '?', '\0']) {
        Some("A name has no spaces, dots, slashes, quotes or dollar signs")
    } else if state.tree.database(name).is_some() {
        Some("A database of this name exists")
    } else {
        None
    }
}

fn collection_error(name: &str) -> Option<&'static str> {
    let name = name.trim();
    if name.is_empty() {
        Some("Type a name")
    } else if name.contains(['$', '\0']) {
        Some("A name has no dollar signs")
    } else if name.starts_with("system.") {
        Some("Names that begin with system. are taken")
    } else if name.starts_with('.') || name.ends_with('.') || name.contains("..") {
        Some("A name has no empty part between dots")
    } else {
        None
    }
}
