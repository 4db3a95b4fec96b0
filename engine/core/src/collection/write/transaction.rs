//! One write transaction: its view of the catalog, its counters, and what it touched.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    dropped_ranges::{self, DroppedRange},
    trash_policy::TrashPolicy,
    ts_watch::TsWatches,
    unbuilt::range_name,
    waiting::{WaitingChanges, change_waiting},
};
use crate::{
    catalog::{
        CatalogError, CatalogErrorKind, CatalogSnapshot, CollectionMeta, IndexMeta, IndexState,
        Namespace, note_since, record, snapshot,
    },
    collection::{InvalidDocument, OplogEntry, WriteError, oplog::pending::PendingOplog},
    store::{CollectionId, Counters, IndexId, RecordNumber, StoreError, Writer},
};

/// The state of one write transaction besides the documents themselves.
pub(in crate::collection) struct Transaction<'w, 't> {
    pub(in crate::collection) writer: &'w mut Writer<'t>,
    pub(in crate::collection) catalog: Arc<CatalogSnapshot>,
    pub(in crate::collection) now_ms: i64,
    pub(in crate::collection) touched: BTreeSet<Namespace>,
    /// Index builds: the records `[position, limit)` have no entries yet.
    pub(in crate::collection) builds: BTreeMap<IndexId, Option<(RecordNumber, RecordNumber)>>,
    counters: BTreeMap<u32, (Counters, bool)>,
    catalog_changed: bool,
    dialects_changed: bool,
    /// Ranges that no definition names any more, to be appended to the stored list.
    pub(in crate::collection) dropped: Vec<DroppedRange>,
    pub(super) bypasses_validation: bool,
    /// Documents that a validator only reported.
    pub(super) invalid: Vec<InvalidDocument>,
    /// Databases being searched for documents with a `_ts` field.
    pub(in crate::collection) ts_watches: Option<&'w TsWatches>,
    /// How removed documents are kept.
    pub(in crate::collection) trash_policy: Arc<TrashPolicy>,
    waiting: WaitingChanges,
    /// `None` in a standalone store.
    pub(in crate::collection) oplog: Option<Box<PendingOplog>>,
    /// A document may be half written, so the transaction must not commit.
    pub(in crate::collection) broken: Option<StoreError>,
}

/// The effects of a committed transaction.
pub(in crate::collection) struct Effects {
    pub(in crate::collection) catalog: Arc<CatalogSnapshot>,
    pub(in crate::collection) catalog_changed: bool,
    pub(in crate::collection) touched: BTreeSet<Namespace>,
    pub(in crate::collection) entries: Vec<OplogEntry>,
}

impl<'w, 't> Transaction<'w, 't> {
    pub(in crate::collection) fn new(
        writer: &'w mut Writer<'t>,
        catalog: Arc<CatalogSnapshot>,
        now_ms: i64,
    ) -> Self {
        Self {
            writer,
            catalog,
            now_ms,
            touched: BTreeSet::new(),
            builds: BTreeMap::new(),
            counters: BTreeMap::new(),
            catalog_changed: false,
            dialects_changed: false,
            dropped: Vec::new(),
            bypasses_validation: false,
            invalid: Vec::new(),
            ts_watches: None,
            trash_policy: Arc::default(),
            waiting: WaitingChanges::default(),
            oplog: None,
            broken: None,
        }
    }

    /// Writes counters, dropped ranges and the catalog's version.
    pub(in crate::collection) fn finish(self) -> Result<Effects, StoreError> {
        // A step that failed halfway leaves a document and its entries apart, so nothing may be
        // committed, even if the caller ignored the error.
        if let Some(error) = self.broken {
            return Err(error);
        }
        for (id, (counters, dirty)) in self.counters {
            if dirty {
                self.writer.set_counters(id, counters)?;
            }
        }
        change_waiting(self.writer, &self.waiting)?;
        // The list grows in the transaction that drops the definition, or a crash would leave rows
        // that nothing names and nothing reclaims.
        dropped_ranges::add(self.writer, &self.dropped)?;
        let mut catalog = self.catalog;
        if self.catalog_changed {
            let snapshot = Arc::make_mut(&mut catalog);
            snapshot.version += 1;
            self.writer.put_meta(snapshot::VERSION_META, &snapshot.version.to_be_bytes())?;
            // The first change of the catalog rewrites a damaged list, with null for each dialect
            // that was lost. Otherwise every opening would report it again.
            if self.dialects_changed || snapshot.has_damaged_dialects {
                snapshot.has_damaged_dialects = false;
                let dialects = record::write_dialects(snapshot.dialects())?;
                self.writer.put_meta(snapshot::DIALECTS_META, &dialects)?;
            }
        }
        let entries = self.oplog.map(|oplog| oplog.entries).unwrap_or_default();
        let (catalog_changed, touched) = (self.catalog_changed, self.touched);
        Ok(Effects { catalog, catalog_changed, touched, entries })
    }

    pub(in crate::collection) fn counters(&mut self, id: u32) -> Result<Counters, StoreError> {
        if let Some((counters, _)) = self.counters.get(&id) {
            return Ok(*counters);
        }
        let counters = self.writer.reader().counters(id)?;
        self.counters.insert(id, (counters, false));
        Ok(counters)
    }

    /// The lowest number that the next document of a collection, or of the trash, may get.
    ///
    /// # Errors
    /// `Damaged` when it is unknown: a number assigned twice would overwrite a document.
    pub(in crate::collection) fn next_record(
        &mut self,
        id: CollectionId,
    ) -> Result<RecordNumber, StoreError> {
        let next = self.counters(id.0)?.next_record;
        // Counters of a collection with documents must not start at 0: the next document would
        // replace the first.
        if next == 0 && self.writer.reader().lacks_counters(id.0)? {
            return Err(StoreError::damaged(
                "a counter record is missing; reopen the store to rebuild it",
            ));
        }
        Ok(next)
    }

    pub(in crate::collection) fn count(
        &mut self,
        id: u32,
        change: impl FnOnce(&mut Counters),
    ) -> Result<(), StoreError> {
        if !self.counters.contains_key(&id) {
            self.counters(id)?;
        }
        let (counters, is_dirty) = self.counters.entry(id).or_default();
        change(counters);
        *is_dirty = true;
        Ok(())
    }

    /// Counts rows that begin or cease to wait for an archive.
    pub(super) fn count_waiting(&mut self, folder: &str, documents: i64, bytes: i64) {
        if !self.waiting.contains_key(folder) {
            self.waiting.insert(folder.to_owned(), (0, 0));
        }
        if let Some(change) = self.waiting.get_mut(folder) {
            *change = (change.0 + documents, change.1 + bytes);
        }
    }

    /// Records that a collection's documents have changed.
    pub(in crate::collection) fn touch(&mut self, namespace: &Namespace) {
        // Looked up first, because a transaction may touch one collection for each of its
        // documents.
        if !self.touched.contains(namespace) {
            self.touched.insert(namespace.clone());
        }
    }

    pub(in crate::collection) fn forget_counters(&mut self, id: u32) -> Result<(), StoreError> {
        self.counters.remove(&id);
        self.writer.delete_counters(id).map(drop)
    }

    /// The current definition of a collection that the caller looked up before, for writing to it.
    pub(in crate::collection) fn current(
        &self,
        collection: &CollectionMeta,
    ) -> Result<Arc<CollectionMeta>, WriteError> {
        self.catalog.check_writable(&collection.namespace.db)?;
        self.catalog
            .collection(&collection.namespace)
            // A collection that was dropped and created again has the same name and another id.
            .filter(|current| current.id == collection.id)
            .ok_or_else(|| missing(&collection.namespace))
    }

    /// Creates or changes a definition. Refuses one that is too large to be read again.
    pub(in crate::collection) fn put_collection(
        &mut self,
        mut collection: CollectionMeta,
    ) -> Result<(), WriteError> {
        let before = self.catalog.collection(&collection.namespace);
        // A collection of this name with another id is another one, so its rules count from now.
        let before = before.filter(|before| before.id == collection.id);
        note_since(before.as_deref(), &mut collection, self.now_ms);
        let name = &collection.namespace;
        self.catalog.check_writable(&name.db)?;
        let record = record::write(&collection)?;
        // Checked before it is stored: a record beyond the limits could not be read at the next
        // opening.
        if !record::fits(&record) {
            return Err(CatalogError::new(
                CatalogErrorKind::BadValue,
                format!(
                    "the definition of {name} would be too large or too deeply nested; simplify \
                     its validator, pipeline or partial filters"
                ),
            )
            .into());
        }
        self.catalog.check_usable(&name.db, &name.collection)?;
        Ok(self.put_record(collection, &record)?)
    }

    /// Changes a definition without making it larger or deeper, so its size needs no check.
    pub(super) fn put_as_large(&mut self, collection: CollectionMeta) -> Result<(), StoreError> {
        let record = record::write(&collection)?;
        self.put_record(collection, &record)
    }

    fn put_record(&mut self, collection: CollectionMeta, record: &[u8]) -> Result<(), StoreError> {
        self.log_definition(&collection);
        let name = &collection.namespace;
        self.writer.put_catalog(&name.db, &name.collection, record)?;
        self.catalog_changed = true;
        Arc::make_mut(&mut self.catalog).put(collection);
        Ok(())
    }

    /// Removes a definition; its documents and entries stay until they are reclaimed.
    pub(in crate::collection) fn remove_collection(
        &mut self,
        namespace: &Namespace,
    ) -> Result<(), WriteError> {
        self.catalog.check_writable(&namespace.db)?;
        self.log_drop(namespace);
        self.writer.delete_catalog(&namespace.db, &namespace.collection)?;
        self.catalog_changed = true;
        Arc::make_mut(&mut self.catalog).remove(namespace);
        Ok(())
    }

    /// Removes indexes from the definition; `ddl::reclaim` removes their entries.
    pub(in crate::collection) fn remove_indexes(
        &mut self,
        collection: &CollectionMeta,
        dropped: &[Arc<IndexMeta>],
    ) -> Result<(), WriteError> {
        if dropped.is_empty() {
            return Ok(());
        }
        let mut changed = collection.clone();
        changed.indexes.retain(|index| !dropped.iter().any(|other| other.id == index.id));
        self.put_collection(changed)?;
        for index in dropped {
            self.forget_build(index)?;
        }
        // The entries themselves are removed later, in steps, because there may be millions.
        self.dropped.extend(dropped.iter().map(|index| DroppedRange::Entries(index.id)));
        Ok(())
    }

    /// Removes the stored state of a build whose index is dropped.
    pub(in crate::collection) fn forget_build(
        &mut self,
        index: &IndexMeta,
    ) -> Result<(), StoreError> {
        if index.state == IndexState::Building {
            self.writer.delete_meta(&range_name(index.id))?;
        }
        Ok(())
    }

    pub(in crate::collection) fn set_dialect(
        &mut self,
        db: &str,
        dialect: crate::catalog::Dialect,
    ) {
        self.log_dialect(db, dialect);
        self.catalog_changed = true;
        self.dialects_changed = true;
        Arc::make_mut(&mut self.catalog).set_dialect(db, dialect);
    }
}

pub(in crate::collection) fn missing(namespace: &Namespace) -> WriteError {
    WriteError::Catalog(CatalogError::new(
        CatalogErrorKind::NamespaceNotFound,
        format!("the collection {namespace} does not exist"),
    ))
}
