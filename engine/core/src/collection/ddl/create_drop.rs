//! Creating and dropping collections and databases.

use std::sync::Arc;

use bson::Uuid;

use crate::{
    catalog::{
        Capped, CatalogError, CatalogErrorKind, CollectionMeta, CollectionOptions, Dialect,
        Namespace,
        rules::{CreateRequest, bucket_indexes, create, id_index, validation},
    },
    collection::{
        Collections, DocumentWriter, WriteError,
        write::{dropped_ranges::DroppedRange, transaction::missing},
    },
    store::{CollectionId, IndexId, RecordNumber, Scan, StoreError},
    value::bucket::TimeSeries,
};

impl Collections {
    /// Creates a collection or view. Does nothing when it exists with the same options.
    ///
    /// # Errors
    /// `NamespaceExists`, `InvalidOptions` and others for options that conflict.
    pub fn create(&self, request: &CreateRequest) -> Result<(), WriteError> {
        self.create_under(request, check_new_name)
    }

    /// Creates the collection that a `$out` writes, under a name that users can't choose.
    ///
    /// # Errors
    /// As [`Collections::create`].
    pub fn create_output(&self, request: &CreateRequest) -> Result<(), WriteError> {
        self.create_under(request, check_database)
    }

    fn create_under(
        &self,
        request: &CreateRequest,
        check_name: fn(&DocumentWriter<'_, '_>, &Namespace) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        self.transact(|writer| {
            let options = create::options(&request.options, writer.now_ms())?;
            let dialect = writer.catalog().dialect(&request.namespace.db);
            create::check_dialect(&options, dialect)?;
            if options.validation.validator.is_some() {
                validation::check_place(&request.namespace)?;
            }
            match writer.collection(&request.namespace) {
                Some(existing) if existing.options == options => Ok(()),
                Some(_) => Err(exists(&request.namespace)),
                None => {
                    check_name(writer, &request.namespace)?;
                    make_collection(writer, &request.namespace, options).map(drop)
                }
            }
        })
    }

    /// Drops a collection or view; [`Collections::reclaim_step`] removes its documents and entries
    /// later. Returns its number of indexes, or `None` if it did not exist.
    ///
    /// # Errors
    /// When the store fails.
    pub fn drop_collection(&self, namespace: &Namespace) -> Result<Option<i32>, WriteError> {
        self.transact(|writer| {
            let Some(collection) = writer.collection(namespace) else { return Ok(None) };
            drop_collection(writer, &collection)?;
            Ok(Some(index_count(&collection)))
        })
    }

    /// Drops the collection with this id if it still has default options, only the index on `_id`,
    /// and no document. Returns whether it was dropped.
    ///
    /// # Errors
    /// When the store fails.
    pub fn drop_if_untouched(&self, namespace: &Namespace, id: u32) -> Result<bool, WriteError> {
        self.transact(|writer| {
            let Some(collection) = writer.collection(namespace) else { return Ok(false) };
            let is_plain = collection.id.0 == id
                && collection.options == CollectionOptions::default()
                && collection.indexes.iter().all(|index| index.is_id());
            if !is_plain || writer.counters(id)?.documents > 0 {
                return Ok(false);
            }
            drop_collection(writer, &collection)?;
            Ok(true)
        })
    }

    /// Drops unfinished `$out` collections of a killed process. Returns how many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub fn drop_unfinished_outputs(&self) -> Result<usize, WriteError> {
        let catalog = self.catalog();
        let all = catalog.all_collections().map(|collection| &collection.namespace);
        let is_left =
            |name: &&Namespace| name.is_unfinished_output() && catalog.is_writable(&name.db);
        let unfinished = all.filter(is_left);
        let mut dropped = 0;
        for namespace in unfinished {
            dropped += usize::from(self.drop_collection(namespace)?.is_some());
        }
        Ok(dropped)
    }

    /// Drops a database with all its collections and its dialect. Returns the number of
    /// collections.
    ///
    /// # Errors
    /// When the store fails.
    pub fn drop_database(&self, db: &str) -> Result<usize, WriteError> {
        self.transact(|writer| {
            writer.catalog().check_all_usable(db)?;
            writer.catalog().check_writable(db)?;
            let collections: Vec<_> = writer.catalog().collections(db).cloned().collect();
            for collection in &collections {
                drop_collection(writer, collection)?;
            }
            if writer.catalog().dialect(db) != Dialect::default() {
                writer.txn.set_dialect(db, Dialect::default());
            }
            Ok(collections.len())
        })
    }

    /// Limits a collection to a size in bytes: removes the oldest documents, and all indexes except
    /// the one on `_id`.
    ///
    /// # Errors
    /// `NamespaceNotFound`, `CommandNotSupportedOnView`, `InvalidOptions` for a clustered
    /// collection, `BadValue` when not even the newest document fits.
    pub fn convert_to_capped(&self, name: &Namespace, size_bytes: i64) -> Result<(), WriteError> {
        self.transact(|writer| {
            let collection = writer.collection(name).ok_or_else(|| missing(name))?;
            collection.check_holds_documents()?;
            if collection.options.clustered.is_some() {
                return Err(refused(
                    CatalogErrorKind::InvalidOptions,
                    format!("{name} is clustered; only an ordinary collection can become capped"),
                ));
            }
            check_newest_fits(writer, &collection, size_bytes)?;
            let secondary: Vec<_> =
                collection.indexes.iter().filter(|index| !index.is_id()).cloned().collect();
            writer.txn.remove_indexes(&collection, &secondary)?;
            let mut capped = CollectionMeta::clone(&collection);
            capped.indexes.retain(|index| index.is_id());
            capped.uuid = Uuid::new();
            capped.options.capped = Some(Capped { size_bytes: Some(size_bytes), docs_max: None });
            writer.txn.put_collection(capped)
        })?;
        while self.transact(|writer| match writer.collection(name) {
            Some(collection) => writer.trim(&collection),
            None => Ok(false),
        })? {}
        Ok(())
    }
}

impl DocumentWriter<'_, '_> {
    /// The collection; created with default options if it does not exist.
    ///
    /// # Errors
    /// When the name is reserved, or the database's name differs from an existing one only in case.
    pub fn create_if_missing(
        &mut self,
        namespace: &Namespace,
    ) -> Result<Arc<CollectionMeta>, WriteError> {
        match self.collection(namespace) {
            Some(collection) => Ok(collection),
            None => create_default(self, namespace),
        }
    }
}

/// Refuses a bound that would leave nothing of the collection.
fn check_newest_fits(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    size_bytes: i64,
) -> Result<(), WriteError> {
    let reader = writer.reader();
    for stored in reader.documents(collection.id, RecordNumber::MAX, Scan::Backward)? {
        let size = stored.and_then(|stored| Ok(stored.document()?.as_bytes().len()));
        let Some(size) = StoreError::unless_damaged(size)? else { continue };
        if i64::try_from(size).is_ok_and(|size| size <= size_bytes) {
            break;
        }
        // Such a bound is probably megabytes given as bytes.
        return Err(refused(
            CatalogErrorKind::BadValue,
            format!(
                "the newest document of {} has {size} bytes, more than the new size limit \
                 ({size_bytes}); give the size in bytes",
                collection.namespace
            ),
        ));
    }
    Ok(())
}

fn create_default(
    writer: &mut DocumentWriter<'_, '_>,
    namespace: &Namespace,
) -> Result<Arc<CollectionMeta>, WriteError> {
    check_new_name(writer, namespace)?;
    make_collection(writer, namespace, CollectionOptions::default())
}

/// The definition of a collection that does not exist yet, without numbers.
pub(super) fn blank(namespace: &Namespace) -> CollectionMeta {
    CollectionMeta {
        id: CollectionId(0),
        uuid: Uuid::from_bytes([0; 16]),
        namespace: namespace.clone(),
        options: CollectionOptions::default(),
        indexes: vec![Arc::new(id_index(IndexId(0), None))],
    }
}

/// Indexes of a collection as replies count them: without the key of a clustered one.
pub(super) fn index_count(collection: &CollectionMeta) -> i32 {
    let counted = collection.shown_indexes().filter(|index| !index.clustered);
    i32::try_from(counted.count()).unwrap_or(i32::MAX)
}

fn make_collection(
    writer: &mut DocumentWriter<'_, '_>,
    namespace: &Namespace,
    options: CollectionOptions,
) -> Result<Arc<CollectionMeta>, WriteError> {
    let id = CollectionId(writer.txn.writer.next_id()?);
    let mut indexes = Vec::new();
    if let Some(time_series) = options.time_series.as_ref().and_then(TimeSeries::of) {
        for mut index in bucket_indexes(&time_series) {
            index.id = IndexId(writer.txn.writer.next_id()?);
            indexes.push(Arc::new(index));
        }
    } else if options.view.is_none() {
        let name = options.clustered.as_ref().map(|clustered| clustered.name.as_str());
        let mut index = id_index(IndexId(writer.txn.writer.next_id()?), name);
        index.has_implicit_ids &= options.capped.is_none();
        index.collation.clone_from(&options.collation);
        indexes.push(Arc::new(index));
    }
    let namespace = namespace.clone();
    let collection = CollectionMeta { id, uuid: Uuid::new(), namespace, options, indexes };
    writer.txn.put_collection(collection.clone())?;
    Ok(Arc::new(collection))
}

pub(super) fn check_new_name(
    writer: &DocumentWriter<'_, '_>,
    namespace: &Namespace,
) -> Result<(), WriteError> {
    create::check_name(namespace)?;
    writer.catalog().check_usable(&namespace.db, &namespace.collection)?;
    check_database(writer, namespace)
}

fn check_database(
    writer: &DocumentWriter<'_, '_>,
    namespace: &Namespace,
) -> Result<(), WriteError> {
    match writer.catalog().differs_in_case(&namespace.db) {
        Some(other) => Err(refused(
            CatalogErrorKind::DatabaseDifferCase,
            format!(
                "the database {other} exists, which differs from {} in upper and lower case only",
                namespace.db
            ),
        )),
        None => Ok(()),
    }
}

pub(in crate::collection) fn drop_collection(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
) -> Result<(), WriteError> {
    writer.txn.remove_collection(&collection.namespace)?;
    for index in &collection.indexes {
        writer.txn.forget_build(index)?;
    }
    let entries = collection.indexes.iter().map(|index| DroppedRange::Entries(index.id));
    writer
        .txn
        .dropped
        .extend(std::iter::once(DroppedRange::Documents(collection.id)).chain(entries));
    writer.txn.touched.insert(collection.namespace.clone());
    Ok(())
}

pub(in crate::collection) fn exists(namespace: &Namespace) -> WriteError {
    refused(CatalogErrorKind::NamespaceExists, format!("Collection {namespace} already exists."))
}

pub(in crate::collection) fn refused(kind: CatalogErrorKind, message: String) -> WriteError {
    WriteError::Catalog(CatalogError::new(kind, message))
}
