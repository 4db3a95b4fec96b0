//! Looks documents up to show them next to others: two to compare, the value of a field, the one
//! that a value refers to.

use bson::Bson;

use super::reading;
use super::tab::with;
use crate::apply::Apply;
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question;
use crate::job::reply::documents;
use crate::limits::REFERENCE_COLLECTIONS_MAX;
use crate::state::documents::change::{self, id_of};
use crate::state::documents::compare::Compare;
use crate::state::documents::reference::{Reference, likely_first};
use crate::state::documents::value_pane::ValuePane;
use crate::state::documents::view::key;
use crate::state::documents::{Dialog, field_path, filter_text};
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, Namespace, State, TabId, number};
use crate::worker::Reply;

/// Reads two documents to compare them; the first one is shown at the left.
pub fn compare(tab: TabId, ids: &[Bson; 2], cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let command = change::read(&open.namespace.collection, ids);
    reading::ask(tab, Compared { tab, left: key(&ids[0]) }, command, cx);
}

/// Two documents, to compare them.
#[derive(Debug, PartialEq)]
struct Compared {
    tab: TabId,
    /// The `_id` of the one that is shown at the left, as text.
    left: String,
}

impl Question for Compared {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let found = match reply.result {
            Ok(found) => documents(&found),
            Err(error) => return say(Kind::Error, error, cx.state),
        };
        let [one, other] = found.as_slice() else {
            return say(
                Kind::Warning,
                "One of the documents was removed; refresh the list",
                cx.state,
            );
        };
        // The store returns them in its own order.
        let compare = if key(&id_of(one)) == self.left {
            Compare::new(one, other)
        } else {
            Compare::new(other, one)
        };
        let dialog = Dialog::Compare(Box::new(compare));
        cx.state.dialogs.show(AnyDialog::Documents(self.tab, dialog));
    }
}

/// Shows a value in a pane.
pub fn show_value(tab: TabId, names: &[String], document: &bson::Document, state: &mut State) {
    let Some(value) = field_path::value(document, names) else {
        return say(Kind::Warning, "The document has no such field; refresh the list", state);
    };
    let pane = Box::new(ValuePane::new(field_path::dotted(names), value.clone()));
    state.dialogs.show(AnyDialog::Documents(tab, Dialog::Value(pane)));
}

/// Looks for the document that has this value as its `_id`, in each collection of the database.
pub fn find_reference(tab: TabId, value: &Bson, field: &str, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Namespace { db, collection } = open.namespace.clone();
    let known = cx.state.tree.databases.iter().find(|known| known.name == db);
    let names = known.into_iter().flat_map(|db| &db.collections).map(|it| it.name.clone());
    let mut names = likely_first(names.collect(), field);
    names.truncate(REFERENCE_COLLECTIONS_MAX);
    if names.is_empty() {
        names.push(collection);
    }
    let reference = Reference {
        value: value.clone(),
        asked: names.len(),
        waiting: names.clone(),
        found: Vec::new(),
    };
    with(cx.state, tab, |view| view.reference = Some(reference));
    for name in names {
        let command = change::read(&name, std::slice::from_ref(value));
        reading::ask(tab, Referred { tab, collection: name }, command, cx);
    }
}

/// Whether a collection holds the document that a value refers to.
#[derive(Debug, PartialEq)]
struct Referred {
    tab: TabId,
    collection: String,
}

impl Question for Referred {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if reply.error() == Some(TOO_MUCH) {
            // The others may still find it, but not all will have said so.
            return with(cx.state, self.tab, |view| view.reference = None);
        }
        let has = reply.ok().is_some_and(|found| !documents(found).is_empty());
        let Some(open) = cx.state.tabs.get_mut(self.tab) else { return };
        let db = open.namespace.db.clone();
        let Some(reference) = &mut open.documents.reference else { return };
        reference.waiting.retain(|name| *name != self.collection);
        if has {
            reference.found.push(Namespace::new(db.clone(), &self.collection));
        }
        if !reference.waiting.is_empty() {
            return;
        }
        let Some(reference) = open.documents.reference.take() else { return };
        let asked: Vec<String> = reference.found.iter().map(|it| it.collection.clone()).collect();
        let Some(first) = reference.found.first() else {
            let count = number::counted(reference.asked as u64, "collection", "collections");
            return say(
                Kind::Info,
                format!("No document in {count} of {db} has this _id"),
                cx.state,
            );
        };
        if let [_, others @ ..] = asked.as_slice()
            && !others.is_empty()
        {
            say(Kind::Info, format!("Also in {}", others.join(", ")), cx.state);
        }
        let Some(tab) = cx.state.tabs.show(first) else {
            return say(Kind::Warning, "Too many tabs are open; close one first", cx.state);
        };
        let filter = filter_text::equals("_id", &reference.value, true);
        reading::show_filter(tab, filter_text::and("", &filter), cx);
    }
}

fn say(kind: Kind, text: impl Into<String>, state: &mut State) {
    state.toast(kind, text);
}
