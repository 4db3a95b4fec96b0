//! The entries of a transaction that has not ended.

use std::sync::Arc;

use bson::Uuid;

use super::entry::{OplogChange, OplogEntry, OplogKind};
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState, Namespace},
    store::{CollectionId, IndexId},
};

/// The oplog entries of a transaction that has not committed.
pub(in crate::collection) struct PendingOplog {
    at_ms: i64,
    pub(in crate::collection) entries: Vec<OplogEntry>,
    /// Documents are removed because they expired.
    pub(in crate::collection) removes_expired: bool,
    /// The collection that the last entry drops, until it turns out to be renamed.
    pub(in crate::collection) dropped: Option<Uuid>,
}

impl PendingOplog {
    pub(in crate::collection) fn new(at_ms: i64) -> Self {
        Self { at_ms, entries: Vec::new(), removes_expired: false, dropped: None }
    }

    /// Adds a change of a document to the last entry if that has the same kind and collection.
    pub(in crate::collection) fn add_document(
        &mut self,
        kind: OplogKind,
        namespace: &Namespace,
        change: OplogChange,
    ) {
        let fits = |entry: &&mut OplogEntry| entry.kind == kind && entry.namespace == *namespace;
        match self.entries.last_mut().filter(fits) {
            Some(entry) => entry.changes.push(change),
            None => self.add(kind, namespace, change),
        }
    }

    pub(in crate::collection) fn add(
        &mut self,
        kind: OplogKind,
        namespace: &Namespace,
        change: OplogChange,
    ) {
        let (namespace, changes) = (namespace.clone(), vec![change]);
        self.entries.push(OplogEntry { at_ms: self.at_ms, kind, namespace, changes });
        self.dropped = None;
    }

    pub(in crate::collection) fn define(
        &mut self,
        before: Option<&CollectionMeta>,
        after: &CollectionMeta,
    ) {
        let after = replicated(after);
        if before.is_some_and(|before| is_same(replicated(before), after.clone())) {
            return;
        }
        // Several steps of one command are one entry, and so are both halves of a renaming.
        let is_step = self.entries.last().is_some_and(|last| {
            let is_definition = matches!(last.changes.as_slice(), [OplogChange::Defined(_)]);
            self.dropped == Some(after.uuid) || is_definition && last.namespace == after.namespace
        });
        if is_step {
            self.entries.pop();
        }
        let namespace = after.namespace.clone();
        self.add(OplogKind::Definition, &namespace, OplogChange::Defined(after));
    }
}

/// The definition as every store has it: without its own numbers and without unfinished builds.
fn replicated(collection: &CollectionMeta) -> CollectionMeta {
    let ready = collection.indexes.iter().filter(|index| index.state == IndexState::Ready);
    let numberless = |index: &Arc<IndexMeta>| {
        let index = IndexMeta::clone(index);
        Arc::new(IndexMeta { id: IndexId(0), ttl_since_ms: None, ..index })
    };
    CollectionMeta {
        id: CollectionId(0),
        indexes: ready.map(numberless).collect(),
        ..collection.clone()
    }
}

/// Whether no entry is needed.
fn is_same(mut before: CollectionMeta, mut after: CollectionMeta) -> bool {
    for index in before.indexes.iter_mut().chain(&mut after.indexes) {
        // A store that applies the documents finds arrays by itself.
        Arc::make_mut(index).multikey = false;
    }
    before == after
}
