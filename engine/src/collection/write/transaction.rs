//! One write transaction: the catalog as it is in it, counters, and what was touched.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    dropped_ranges::{self, Range},
    evict::Displacing,
    ts_watch::Watches,
    unbuilt::range_name,
};
use crate::{
    catalog::{
        CatalogError, CatalogErrorKind, CatalogSnapshot, CollectionMeta, IndexMeta, IndexState,
        Namespace, record, snapshot,
    },
    collection::{InvalidDocument, WriteError},
    store::{CollectionId, Counters, EntryRows, IndexId, Reader, RecordNumber, StoreError, Writer},
};

/// The store's writer without its lifetime, so that `DocumentWriter` needs only one.
pub(in crate::collection) trait StoreWriter {
    fn reader(&self) -> Reader<'_>;
    fn deletes_only(&self) -> bool;
    fn put_document(
        &mut self,
        id: CollectionId,
        record: RecordNumber,
        modified_ms: i64,
        bytes: &[u8],
    ) -> Result<(), StoreError>;
    fn delete_document(
        &mut self,
        id: CollectionId,
        record: RecordNumber,
    ) -> Result<bool, StoreError>;
    fn delete_first_document(&mut self, id: CollectionId) -> Result<Option<u64>, StoreError>;
    fn put_entry(
        &mut self,
        id: IndexId,
        key: &[u8],
        record: RecordNumber,
        exact: bool,
    ) -> Result<(), StoreError>;
    fn delete_entry(
        &mut self,
        id: IndexId,
        key: &[u8],
        record: RecordNumber,
    ) -> Result<bool, StoreError>;
    fn put_documents(
        &mut self,
        id: CollectionId,
        modified_ms: i64,
        documents: &[(RecordNumber, &[u8])],
    ) -> Result<(), StoreError>;
    fn delete_documents(
        &mut self,
        id: CollectionId,
        records: &[RecordNumber],
    ) -> Result<(), StoreError>;
    fn put_entries(&mut self, entries: &mut EntryRows, is_unique: bool)
    -> Result<bool, StoreError>;
    fn delete_entries(&mut self, entries: &mut EntryRows) -> Result<(u64, u64), StoreError>;
    fn set_counters(&mut self, id: u32, counters: Counters) -> Result<(), StoreError>;
    fn delete_counters(&mut self, id: u32) -> Result<bool, StoreError>;
    fn put_catalog(&mut self, db: &str, name: &str, bytes: &[u8]) -> Result<(), StoreError>;
    fn delete_catalog(&mut self, db: &str, name: &str) -> Result<bool, StoreError>;
    fn put_meta(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError>;
    fn delete_meta(&mut self, name: &str) -> Result<bool, StoreError>;
    fn clear_documents(&mut self, id: CollectionId, max: usize) -> Result<usize, StoreError>;
    fn clear_entries(&mut self, id: IndexId, max: usize) -> Result<usize, StoreError>;
    fn next_id(&mut self) -> Result<u32, StoreError>;
}

macro_rules! forward {
    ($($name:ident($($arg:ident: $kind:ty),*) -> $result:ty;)*) => {
        impl StoreWriter for Writer<'_> {
            fn reader(&self) -> Reader<'_> {
                Writer::reader(self)
            }
            fn deletes_only(&self) -> bool {
                Writer::deletes_only(self)
            }
            $(fn $name(&mut self, $($arg: $kind),*) -> Result<$result, StoreError> {
                Writer::$name(self, $($arg),*)
            })*
        }
    };
}

forward! {
    put_document(id: CollectionId, record: RecordNumber, modified_ms: i64, bytes: &[u8]) -> ();
    delete_document(id: CollectionId, record: RecordNumber) -> bool;
    delete_first_document(id: CollectionId) -> Option<u64>;
    put_entry(id: IndexId, key: &[u8], record: RecordNumber, exact: bool) -> ();
    delete_entry(id: IndexId, key: &[u8], record: RecordNumber) -> bool;
    put_documents(id: CollectionId, modified_ms: i64, documents: &[(RecordNumber, &[u8])]) -> ();
    delete_documents(id: CollectionId, records: &[RecordNumber]) -> ();
    put_entries(entries: &mut EntryRows, is_unique: bool) -> bool;
    delete_entries(entries: &mut EntryRows) -> (u64, u64);
    set_counters(id: u32, counters: Counters) -> ();
    delete_counters(id: u32) -> bool;
    put_catalog(db: &str, name: &str, bytes: &[u8]) -> ();
    delete_catalog(db: &str, name: &str) -> bool;
    put_meta(name: &str, bytes: &[u8]) -> ();
    delete_meta(name: &str) -> bool;
    clear_documents(id: CollectionId, max: usize) -> usize;
    clear_entries(id: IndexId, max: usize) -> usize;
    next_id() -> u32;
}

/// Everything about one transaction but the documents themselves.
pub(in crate::collection) struct Transaction<'w> {
    pub(in crate::collection) writer: &'w mut (dyn StoreWriter + 'w),
    pub(in crate::collection) catalog: Arc<CatalogSnapshot>,
    pub(in crate::collection) now_ms: i64,
    pub(in crate::collection) touched: BTreeSet<Namespace>,
    /// Index builds: the records `[position, limit)` have no entries yet.
    pub(in crate::collection) builds: BTreeMap<IndexId, Option<(RecordNumber, RecordNumber)>>,
    counters: BTreeMap<u32, (Counters, bool)>,
    catalog_changed: bool,
    dialects_changed: bool,
    /// What nothing names any more, for the list of what is to be removed.
    pub(in crate::collection) dropped: Vec<Range>,
    /// Validators are not asked.
    pub(super) bypasses_validation: bool,
    /// Documents that a validator only tells of.
    pub(super) invalid: Vec<InvalidDocument>,
    /// Who has to hear of documents with a field `_ts`.
    pub(in crate::collection) watches: Option<&'w Watches>,
    /// Expired documents that give way.
    pub(in crate::collection) displacing: Displacing<'w>,
    /// A document may be half written; the transaction must not commit.
    pub(in crate::collection) broken: Option<StoreError>,
}

/// What a committed transaction has changed.
pub(in crate::collection) struct Effects {
    /// The catalog as it is with this transaction.
    pub(in crate::collection) catalog: Arc<CatalogSnapshot>,
    pub(in crate::collection) catalog_changed: bool,
    pub(in crate::collection) touched: BTreeSet<Namespace>,
}

impl<'w> Transaction<'w> {
    pub(in crate::collection) fn new(
        writer: &'w mut (dyn StoreWriter + 'w),
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
            watches: None,
            displacing: Displacing::default(),
            broken: None,
        }
    }

    /// Writes counters, what was dropped, and the catalog's version.
    pub(in crate::collection) fn finish(self) -> Result<Effects, StoreError> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        for (id, (counters, dirty)) in self.counters {
            if dirty {
                self.writer.set_counters(id, counters)?;
            }
        }
        dropped_ranges::add(self.writer, &self.dropped)?;
        let mut catalog = self.catalog;
        if self.catalog_changed {
            let snapshot = Arc::make_mut(&mut catalog);
            snapshot.version += 1;
            self.writer.put_meta(snapshot::VERSION_META, &snapshot.version.to_be_bytes())?;
            if self.dialects_changed || snapshot.has_damaged_dialects {
                snapshot.has_damaged_dialects = false;
                let dialects = record::write_dialects(snapshot.dialects())?;
                self.writer.put_meta(snapshot::DIALECTS_META, &dialects)?;
            }
        }
        Ok(Effects { catalog, catalog_changed: self.catalog_changed, touched: self.touched })
    }

    pub(in crate::collection) fn counters(&mut self, id: u32) -> Result<Counters, StoreError> {
        if let Some((counters, _)) = self.counters.get(&id) {
            return Ok(*counters);
        }
        let counters = self.writer.reader().counters(id)?;
        self.counters.insert(id, (counters, false));
        Ok(counters)
    }

    /// The number that the next document of a collection, or of the trash, may get.
    ///
    /// # Errors
    /// `Damaged` when that is not known: a number that is given out again would write over a document.
    pub(in crate::collection) fn next_record(
        &mut self,
        id: CollectionId,
    ) -> Result<RecordNumber, StoreError> {
        let next = self.counters(id.0)?.next_record;
        if next == 0 && self.writer.reader().lacks_counters(id.0)? {
            return Err(StoreError::damaged(
                "a record of counters is missing; it is made anew when the store is opened again",
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

    /// Remembers that a collection's documents have changed.
    pub(in crate::collection) fn touch(&mut self, namespace: &Namespace) {
        if !self.touched.contains(namespace) {
            self.touched.insert(namespace.clone());
        }
    }

    pub(in crate::collection) fn forget_counters(&mut self, id: u32) -> Result<(), StoreError> {
        self.counters.remove(&id);
        self.writer.delete_counters(id).map(drop)
    }

    /// The definition as it is now of a collection that the caller has looked up before, to write to it.
    pub(in crate::collection) fn current(
        &self,
        collection: &CollectionMeta,
    ) -> Result<Arc<CollectionMeta>, WriteError> {
        self.catalog.check_writable(&collection.namespace.db)?;
        self.catalog
            .collection(&collection.namespace)
            .filter(|current| current.id == collection.id)
            .ok_or_else(|| missing(&collection.namespace))
    }

    /// Creates or changes a definition, unless it could not be read again.
    pub(in crate::collection) fn put_collection(
        &mut self,
        collection: CollectionMeta,
    ) -> Result<(), WriteError> {
        let name = &collection.namespace;
        self.catalog.check_writable(&name.db)?;
        let record = record::write(&collection)?;
        if !record::fits(&record) {
            return Err(CatalogError::new(
                CatalogErrorKind::BadValue,
                format!(
                    "the definition of {name} would be too large or nested too deep; make its \
                     validator, its pipeline or its partial filters smaller"
                ),
            )
            .into());
        }
        self.catalog.check_usable(&name.db, &name.collection)?;
        Ok(self.put_record(collection, &record)?)
    }

    /// Changes a definition in a way that makes it neither larger nor deeper.
    pub(super) fn put_as_large(&mut self, collection: CollectionMeta) -> Result<(), StoreError> {
        let record = record::write(&collection)?;
        self.put_record(collection, &record)
    }

    fn put_record(&mut self, collection: CollectionMeta, record: &[u8]) -> Result<(), StoreError> {
        let name = &collection.namespace;
        self.writer.put_catalog(&name.db, &name.collection, record)?;
        self.catalog_changed = true;
        Arc::make_mut(&mut self.catalog).put(collection);
        Ok(())
    }

    /// Removes a definition; what it names stays.
    pub(in crate::collection) fn remove_collection(
        &mut self,
        namespace: &Namespace,
    ) -> Result<(), WriteError> {
        self.catalog.check_writable(&namespace.db)?;
        self.writer.delete_catalog(&namespace.db, &namespace.collection)?;
        self.catalog_changed = true;
        Arc::make_mut(&mut self.catalog).remove(namespace);
        Ok(())
    }

    /// Takes indexes out of the definition; `ddl::reclaim` removes their entries.
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
        self.dropped.extend(dropped.iter().map(|index| Range::Entries(index.id)));
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
        self.catalog_changed = true;
        self.dialects_changed = true;
        Arc::make_mut(&mut self.catalog).set_dialect(db, dialect);
    }
}

/// The error for a collection that is not there.
pub(in crate::collection) fn missing(namespace: &Namespace) -> WriteError {
    WriteError::Catalog(CatalogError::new(
        CatalogErrorKind::NamespaceNotFound,
        format!("the collection {namespace} does not exist"),
    ))
}
