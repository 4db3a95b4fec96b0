//! A new database, a new collection.

use egui::{Context, Id, Ui};
use mayfly_engine::value::shell::write_command;

use super::{WAITING, close, leave};
use crate::action::{Action, Actions, StoreAction, ViewAction};
use crate::dialogs::COMMAND_TO_SEND;
use crate::job::Dialect;
use crate::panels::collation_menu;
use crate::state::dialogs::{CreateCollection, CreateDatabase, Sent};
use crate::state::dialogs::{create_command, dialect_command, dialect_label, dialect_sentence};
use crate::state::names::{collection_problem, database_problem};
use crate::state::{Namespace, State};
use crate::theme::{colors, sizes, text};
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;
use crate::widgets::{Button, code_box, modal, tabs};

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
    let before = draft.clone();
    let (mut copy, mut create) = (false, false);
    let closing = modal::ui(
        context,
        "Create database",
        "A database needs at least one collection",
        sizes::DIALOG,
        draft,
        |ui, draft| {
            ui.add_enabled_ui(!draft.sent.is_waiting(), |ui| {
                name_field(ui, "Database name", &mut draft.name, db_error);
                begin_at(ui, "Database name", &draft.name);
                name_field(ui, "First collection", &mut draft.collection, collection_error);
                dialect_ui(ui, &mut draft.dialect);
            });
            refusal_ui(ui, &draft.sent);
            if ready {
                copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
            }
        },
        |ui, draft| create = buttons_ui(ui, "Create database", ready, &draft.sent, actions),
    );
    if *draft != before {
        draft.sent.error = None;
    }
    let action = StoreAction::CreateDatabase(draft.clone());
    end(closing, copy, command, create, action, actions);
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
    let title = format!("Create collection in {}", with_marks(&draft.db));
    let bytes = draft.size.trim().parse::<i64>().ok().filter(|bytes| *bytes > 0);
    let size_error = (draft.capped && bytes.is_none()).then_some("Enter a number of bytes");
    let ready = error.is_none() && size_error.is_none();
    let command = write_command(&draft.db, &create_command(draft));
    let before = draft.clone();
    let (mut copy, mut create) = (false, false);
    let closing = modal::ui(
        context,
        &title,
        "",
        sizes::DIALOG,
        draft,
        |ui, draft| {
            ui.add_enabled_ui(!draft.sent.is_waiting(), |ui| {
                name_field(ui, "Collection name", &mut draft.name, error);
                begin_at(ui, "Collection name", &draft.name);
                capped_ui(ui, draft, size_error);
                labelled(ui, "Sort as", None, |ui| {
                    collation_menu::ui(ui, "Sort as", &mut draft.collation, COLLATION_NOTE);
                });
            });
            refusal_ui(ui, &draft.sent);
            if ready {
                copy = code_box::ui(ui, COMMAND_TO_SEND, &command);
            }
        },
        |ui, draft| create = buttons_ui(ui, "Create collection", ready, &draft.sent, actions),
    );
    if *draft != before {
        draft.sent.error = None;
    }
    let action = StoreAction::CreateCollection(draft.clone());
    end(closing, copy, command, create, action, actions);
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

/// Why the store refused what was sent.
pub(super) fn refusal_ui(ui: &mut Ui, sent: &Sent) {
    if let Some(error) = &sent.error {
        ui.label(text::rich(error, text::body()).color(colors(ui).error));
    }
}

/// The buttons; returns whether the first was pressed.
pub(super) fn buttons_ui(
    ui: &mut Ui,
    label: &str,
    ready: bool,
    sent: &Sent,
    actions: &mut Actions,
) -> bool {
    let label = if sent.is_waiting() { WAITING } else { label };
    let is_ready = ready && !sent.is_waiting();
    let pressed = modal::answer_ui(ui, Button::primary(label).enabled(is_ready));
    if ui.add(leave(sent.is_waiting())).clicked() {
        close(actions);
    }
    pressed
}

pub(super) fn end(
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
        actions.push(Action::Store(action));
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

/// The keyboard is on the first field of a dialog in which nothing was typed yet.
fn begin_at(ui: &Ui, label: &str, draft: &str) {
    if draft.is_empty() && ui.memory(|memory| memory.focused().is_none()) {
        ui.memory_mut(|memory| memory.request_focus(Id::unique(label)));
    }
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
