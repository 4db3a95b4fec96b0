//! Databases and collections, made, renamed and dropped.

use bson::Document;

use crate::apply::catalog::refresh;
use crate::apply::changed::{ChangeStore, say};
use crate::apply::question::Question;
use crate::apply::{Apply, collection, dialog};
use crate::commands;
use crate::job::bulk::BulkChange;
use crate::state::Namespace;
use crate::state::dialogs::{
    CreateCollection, CreateDatabase, DropTarget, create_command, dialect_command, drop_command,
};
use crate::worker::Reply;

pub(super) fn create_database(draft: &CreateDatabase, cx: &mut Apply<'_>) {
    let namespace = Namespace::new(draft.name.trim(), draft.collection.trim());
    let db = namespace.db.clone();
    if let Some(command) = dialect_command(draft.dialect) {
        // The collection is made when the rules are known to be in force.
        return dialog::send(SetRules(namespace), &db, command, cx);
    }
    let (creation, command) = creation(namespace);
    dialog::send(creation, &db, command, cx);
}

/// The first collection of a new database.
fn creation(namespace: Namespace) -> (ChangeStore, Document) {
    let command = commands::store::create(&namespace.collection);
    let done = format!("Created {namespace}");
    (ChangeStore { done, open: Some(namespace) }, command)
}

pub(super) fn create_collection(draft: &CreateCollection, cx: &mut Apply<'_>) {
    let namespace = Namespace::new(&draft.db, draft.name.trim());
    let command = create_command(draft);
    let done = format!("Created {namespace}");
    dialog::send(ChangeStore { done, open: Some(namespace) }, &draft.db, command, cx);
}

pub(super) fn rename(from: &Namespace, name: &str, cx: &mut Apply<'_>) {
    let to = Namespace::new(&from.db, name.trim());
    let command = commands::store::rename(from, &to);
    let done = format!("Renamed {from} to {to}");
    dialog::send(ChangeStore { done, open: Some(to) }, "admin", command, cx);
}

pub(super) fn drop_target(target: &DropTarget, cx: &mut Apply<'_>) {
    if let DropTarget::Documents(namespace) = target {
        return collection::change_whole(namespace, BulkChange::Empty, cx);
    }
    let (db, command) = drop_command(target);
    let done = match target {
        DropTarget::Database(db) => format!("Dropped database {db}"),
        DropTarget::Collection(namespace) | DropTarget::Documents(namespace) => {
            format!("Dropped {namespace}")
        }
    };
    dialog::send(ChangeStore { done, open: None }, &db, command, cx);
}

/// The rules of a new database; then its first collection is made.
#[derive(Debug, PartialEq)]
pub(super) struct SetRules(pub Namespace);

impl Question for SetRules {
    type Answer = Reply;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        if reply.result.is_err() {
            say(generation, &reply, cx.state);
            return refresh(cx);
        }
        let (creation, command) = creation(self.0.clone());
        let next = cx.change(creation, &self.0.db, command);
        if let Some(sent) = dialog::asker(generation, cx.state) {
            sent.generation = Some(next);
        }
    }

    fn refused(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        say(generation, &reply, cx.state);
    }
}
