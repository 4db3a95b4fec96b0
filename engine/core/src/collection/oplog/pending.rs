//! The entries of a transaction that has not ended.

use std::sync::Arc;

use bson::{
    RawArrayBuf, RawDocumentBuf, Uuid,
    raw::{RawBsonRef, RawDocument},
};

use super::change;
use super::change::{OplogKind, defined};
use super::entry::OplogEntry;
use crate::{
    catalog::{CollectionMeta, Dialect, IndexMeta, IndexState, Namespace, record},
    limits::OPLOG_ENTRY_BYTES,
    store::{CollectionId, IndexId, StoreError, Writer},
};

/// The oplog entries of a transaction that has not committed.
pub(in crate::collection) struct PendingOplog {
    at_ms: i64,
    entries: Vec<PendingEntry>,
    /// Documents are removed because they expired.
    pub(in crate::collection) removes_expired: bool,
}

struct PendingEntry {
    kind: OplogKind,
    namespace: Namespace,
    documents: u64,
    bytes: usize,
    changes: RawArrayBuf,
    /// The collection that was dropped, until it turns out to be renamed.
    dropped: Option<Uuid>,
}

impl PendingOplog {
    pub(in crate::collection) fn new(at_ms: i64) -> Self {
        Self { at_ms, entries: Vec::new(), removes_expired: false }
    }

    pub(in crate::collection) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Stores the entries after the last one.
    pub(in crate::collection) fn store(self, writer: &mut Writer<'_>) -> Result<(), StoreError> {
        if self.is_empty() {
            return Ok(());
        }
        let mut position = writer.reader().last_oplog_position()?;
        for pending in self.entries {
            position += 1;
            let PendingEntry { kind, namespace, documents, changes, .. } = pending;
            let name = match kind {
                OplogKind::Dialect => namespace.db,
                _ => namespace.to_string(),
            };
            let entry = OplogEntry::to_store(self.at_ms, kind, &name, documents, changes);
            writer.put_oplog_entry(position, entry.as_bytes())?;
        }
        Ok(())
    }

    /// Adds a change of a document to the last entry if that has the same kind and collection.
    pub(in crate::collection) fn add_document(
        &mut self,
        kind: OplogKind,
        namespace: &Namespace,
        change: &RawDocument,
    ) {
        let is_removal = matches!(kind, OplogKind::Delete | OplogKind::TtlDelete);
        let fits = |entry: &PendingEntry| {
            entry.kind == kind
                && entry.namespace == *namespace
                // An entry of removals grows without a bound, so that a batch is one entry: a
                // change there is small.
                && (is_removal || entry.bytes < OPLOG_ENTRY_BYTES)
        };
        if !self.entries.last().is_some_and(fits) {
            self.entries.push(PendingEntry::new(kind, namespace));
        }
        if let Some(entry) = self.entries.last_mut() {
            entry.documents += 1;
            entry.bytes += change.as_bytes().len();
            entry.changes.push(RawBsonRef::Document(change));
        }
    }

    fn add(&mut self, kind: OplogKind, namespace: &Namespace, change: &RawDocument) {
        let mut entry = PendingEntry::new(kind, namespace);
        entry.changes.push(RawBsonRef::Document(change));
        self.entries.push(entry);
    }

    /// Adds a dropped collection.
    pub(in crate::collection) fn drop_collection(
        &mut self,
        namespace: &Namespace,
        uuid: Option<Uuid>,
    ) {
        self.add(OplogKind::Drop, namespace, &RawDocumentBuf::new());
        if let Some(entry) = self.entries.last_mut() {
            entry.dropped = uuid;
        }
    }

    /// Adds the dialect of a database.
    pub(in crate::collection) fn set_dialect(&mut self, db: &str, dialect: Dialect) {
        self.add(OplogKind::Dialect, &Namespace::new(db, ""), &change::dialect(dialect));
    }

    pub(in crate::collection) fn removal(&self) -> OplogKind {
        if self.removes_expired { OplogKind::TtlDelete } else { OplogKind::Delete }
    }

    pub(in crate::collection) fn define(
        &mut self,
        before: Option<&CollectionMeta>,
        after: &CollectionMeta,
    ) -> Result<(), StoreError> {
        let namespace = &after.namespace;
        let (before, after) = (before.map(replicated), replicated(after));
        if before.as_ref().is_some_and(|before| is_same(before, &after)) {
            return Ok(());
        }
        let (mut kind, mut from) = (kind_of(before.as_ref(), &after), None);
        let last = self.entries.last();
        if last.is_some_and(|last| last.dropped == Some(after.uuid)) {
            let dropped = self.entries.pop().map(|entry| entry.namespace.to_string());
            (kind, from) = (OplogKind::Rename, dropped);
        } else if let Some(last) = last.filter(|last| last.defines(namespace)) {
            // Several steps of one command: one entry.
            let is_kept = matches!(
                last.kind,
                OplogKind::Create | OplogKind::Rename | OplogKind::CreateIndexes
            );
            kind = if is_kept { last.kind } else { kind };
            from = last.renamed_from();
            self.entries.pop();
        }
        let definition = record::write(&after)?;
        let definition = RawDocument::from_bytes(&definition)
            .map_err(|error| StoreError::Bug { what: format!("a record is not BSON: {error}") })?;
        self.add(kind, namespace, &defined(definition, from.as_deref()));
        Ok(())
    }
}

impl PendingEntry {
    fn new(kind: OplogKind, namespace: &Namespace) -> Self {
        let (namespace, changes) = (namespace.clone(), RawArrayBuf::new());
        Self { kind, namespace, documents: 0, bytes: 0, changes, dropped: None }
    }

    fn defines(&self, namespace: &Namespace) -> bool {
        let is_definition = !self.kind.is_of_documents()
            && !matches!(self.kind, OplogKind::Drop | OplogKind::Dialect);
        is_definition && self.namespace == *namespace
    }

    fn renamed_from(&self) -> Option<String> {
        match self.changes.into_iter().next()? {
            Ok(RawBsonRef::Document(change)) => change.get_str("from").ok().map(str::to_owned),
            _ => None,
        }
    }
}

/// The definition as every store has it: without its own numbers and without unfinished builds.
pub(super) fn replicated(collection: &CollectionMeta) -> CollectionMeta {
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
fn is_same(before: &CollectionMeta, after: &CollectionMeta) -> bool {
    let plain = |collection: &CollectionMeta| {
        let mut collection = collection.clone();
        for index in &mut collection.indexes {
            // A store that applies the documents finds arrays by itself.
            Arc::make_mut(index).multikey = false;
        }
        collection
    };
    plain(before) == plain(after)
}

fn kind_of(before: Option<&CollectionMeta>, after: &CollectionMeta) -> OplogKind {
    let Some(before) = before else { return OplogKind::Create };
    let lacks = |one: &CollectionMeta, other: &CollectionMeta| {
        other.indexes.iter().any(|index| one.index(&index.name).is_none())
    };
    if lacks(before, after) {
        OplogKind::CreateIndexes
    } else if lacks(after, before) {
        OplogKind::DropIndexes
    } else {
        OplogKind::CollMod
    }
}
