//! The entries of a collection's menu: duplicate it, show its figures.

use super::question::Question;
use super::{Apply, documents, tabs};
use crate::commands;
use crate::job::bulk::BulkChange;
use crate::state::Namespace;
use crate::state::dialogs::{Dialog, DuplicateCollection, Statistics};
use crate::state::documents::Origin;
use crate::state::tabs::ViewKind;
use crate::worker::Reply;

/// Opens the dialog that duplicates a collection, and asks for its indexes.
pub(super) fn open_duplicate(namespace: Namespace, cx: &mut Apply<'_>) {
    let tree = &cx.state.tree;
    let is_taken = |name: &str| tree.collection(&Namespace::new(&namespace.db, name)).is_some();
    let draft = DuplicateCollection::new(namespace.clone(), is_taken);
    cx.state.dialogs.show(Dialog::DuplicateCollection(draft));
    let command = commands::indexes::list(&namespace.collection);
    let db = namespace.db.clone();
    cx.ask(DuplicatedIndexes(namespace), &db, command);
}

/// Opens the dialog with the figures of a collection.
pub(super) fn open_statistics(namespace: Namespace, cx: &mut Apply<'_>) {
    let draft = Statistics { namespace: namespace.clone(), reply: None };
    cx.state.dialogs.show(Dialog::Statistics(draft));
    let command = commands::store::stats(&namespace.collection);
    let db = namespace.db.clone();
    cx.ask(StatisticsOf(namespace), &db, command);
}

/// Duplicates a collection, in steps.
pub(super) fn duplicate(draft: &DuplicateCollection, cx: &mut Apply<'_>) {
    let change = BulkChange::Duplicate { to: draft.to(), indexes: draft.copied_indexes().to_vec() };
    change_whole(&draft.from, change, cx);
}

/// Begins a change of a whole collection from the dialog that asked for it. Its tab shows how far
/// that is.
pub(super) fn change_whole(namespace: &Namespace, change: BulkChange, cx: &mut Apply<'_>) {
    cx.state.dialogs.close();
    let Some(tab) = cx.state.tabs.show(namespace) else {
        let words = "Too many tabs are open; close one first";
        return cx.warn(words);
    };
    tabs::set_view(ViewKind::Documents, cx.state);
    tabs::freshen(cx);
    documents::bulk::start(tab, change, Origin::Person, cx);
}

#[derive(Debug, PartialEq)]
struct DuplicatedIndexes(Namespace);

impl Question for DuplicatedIndexes {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(Dialog::DuplicateCollection(draft)) = cx.state.dialogs.open_mut() else { return };
        match reply.result {
            _ if draft.from != self.0 => {}
            Ok(found) => draft.take_indexes(&found),
            Err(error) => {
                draft.indexes = Some(Vec::new());
                draft.sent.error = Some(error);
            }
        }
    }
}

/// The figures of a collection, for the dialog that shows them.
#[derive(Debug, PartialEq)]
struct StatisticsOf(Namespace);

impl Question for StatisticsOf {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(Dialog::Statistics(draft)) = cx.state.dialogs.open_mut()
            && draft.namespace == self.0
        {
            draft.reply = Some(reply.result);
        }
    }
}
