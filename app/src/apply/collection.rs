//! What the menu of a collection does with it: duplicate it, show its figures.

use bson::Document;

use super::{Apply, dialog};
use crate::commands;
use crate::state::dialogs::{Dialog, DuplicateCollection, Statistics};
use crate::state::purpose::StorePurpose;
use crate::state::{Namespace, Purpose, State};

/// Opens the dialog that duplicates a collection, and asks for its indexes.
pub(super) fn open_duplicate(namespace: Namespace, cx: &mut Apply<'_>) {
    let tree = &cx.state.tree;
    let is_taken = |name: &str| tree.collection(&Namespace::new(&namespace.db, name)).is_some();
    let draft = DuplicateCollection::new(namespace.clone(), is_taken);
    cx.state.dialogs.show(Dialog::DuplicateCollection(draft));
    let command = commands::indexes::list(&namespace.collection);
    let db = namespace.db.clone();
    cx.read(Purpose::Store(StorePurpose::DuplicatedIndexes(namespace)), &db, command);
}

/// Opens the dialog with the figures of a collection.
pub(super) fn open_statistics(namespace: Namespace, cx: &mut Apply<'_>) {
    let draft = Statistics { namespace: namespace.clone(), reply: None };
    cx.state.dialogs.show(Dialog::Statistics(draft));
    let command = commands::store::stats(&namespace.collection);
    let db = namespace.db.clone();
    cx.read(Purpose::Store(StorePurpose::Statistics(namespace)), &db, command);
}

/// Sends the first command of a duplicate: the one that makes its indexes, if there are any.
pub(super) fn duplicate(draft: &DuplicateCollection, cx: &mut Apply<'_>) {
    let (from, to) = (draft.from.clone(), draft.to());
    let db = from.db.clone();
    let mut commands = draft.commands();
    if commands.len() > 1 {
        let purpose = StorePurpose::Duplicate { from, to };
        return dialog::send(purpose, &db, commands.remove(0), cx);
    }
    let (purpose, command) = filling(&from, to);
    dialog::send(purpose, &db, command, cx);
}

/// The copy has its indexes; now it gets the documents.
pub(super) fn indexed(from: &Namespace, to: Namespace, generation: u64, cx: &mut Apply<'_>) {
    let (purpose, command) = filling(from, to);
    let next = cx.write(Purpose::Store(purpose), &from.db, command);
    if let Some(sent) = dialog::asker(generation, cx.state) {
        sent.generation = Some(next);
    }
}

fn filling(from: &Namespace, to: Namespace) -> (StorePurpose, Document) {
    let command = commands::store::duplicate(&from.collection, &to.collection);
    let done = format!("Duplicated {from} as {to}");
    (StorePurpose::Change { done, open: Some(to) }, command)
}

/// Takes a reply that an open dialog waits for.
pub(super) fn figures(
    purpose: &StorePurpose,
    result: &Result<Document, String>,
    state: &mut State,
) {
    match (state.dialogs.open_mut(), purpose) {
        (Some(Dialog::Statistics(draft)), StorePurpose::Statistics(of))
            if draft.namespace == *of =>
        {
            draft.reply = Some(result.clone());
        }
        (Some(Dialog::DuplicateCollection(draft)), StorePurpose::DuplicatedIndexes(of))
            if draft.from == *of =>
        {
            match result {
                Ok(found) => draft.take_indexes(found),
                Err(error) => {
                    draft.indexes = Some(Vec::new());
                    draft.sent.error = Some(error.clone());
                }
            }
        }
        _ => {}
    }
}
