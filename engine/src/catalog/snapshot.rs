//! What the catalog holds at one moment, shared with all readers.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    CatalogError, CatalogErrorKind, CollectionMeta, Dialect, IndexMeta, Namespace, record,
};
use crate::{
    store::{CollectionId, Reader, SnapshotNumber, StoreError},
    ttl::Rule,
};

/// Name of the store's value that counts changes of the catalog.
pub(crate) const VERSION_META: &str = "catalogVersion";

/// Name of the store's value that holds the databases' dialects.
pub(crate) const DIALECTS_META: &str = "dialects";

/// The newest committed snapshot. Readers hold the lock only to clone an `Arc`.
#[derive(Debug)]
pub struct Catalog {
    current: RwLock<Arc<CatalogSnapshot>>,
}

/// All databases and collections as of one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CatalogSnapshot {
    pub(crate) version: u64,
    databases: BTreeMap<String, Arc<DatabaseMeta>>,
    seen_in: SeenIn,
}

/// The number of the last commit whose catalog was found to be this one, or 0. It is no part of what
/// the catalog is.
#[derive(Debug, Default)]
struct SeenIn(AtomicU64);

impl Clone for SeenIn {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for SeenIn {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// One database.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatabaseMeta {
    /// Whose rules it follows.
    pub dialect: Dialect,
    /// Its collections by name.
    pub collections: BTreeMap<String, Arc<CollectionMeta>>,
    /// Collections whose definition this version can't read, with the reason. Their names are taken,
    /// and their records stay as they are for a version that can.
    pub closed: BTreeMap<String, String>,
}

/// Something with a TTL: an index, or the own option of a clustered or time-series collection.
#[derive(Debug, Clone)]
pub struct TtlTarget {
    /// The collection.
    pub collection: Arc<CollectionMeta>,
    /// The index to scan; for a collection's own option the one on `_id`.
    pub index: Arc<IndexMeta>,
    /// What it says.
    pub rule: Rule,
}

impl Catalog {
    /// A catalog that shows this snapshot.
    #[must_use]
    pub fn new(snapshot: CatalogSnapshot) -> Self {
        Self { current: RwLock::new(Arc::new(snapshot)) }
    }

    /// The newest committed snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Arc<CatalogSnapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Shows a snapshot whose transaction has committed, unless a newer one is shown already.
    pub(crate) fn publish(&self, snapshot: &Arc<CatalogSnapshot>) {
        if snapshot.version <= self.snapshot().version {
            return;
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.version < snapshot.version {
            *current = Arc::clone(snapshot);
        }
    }
}

impl DatabaseMeta {
    fn has_collections(&self) -> bool {
        !self.collections.is_empty() || !self.closed.is_empty()
    }
}

impl CatalogSnapshot {
    /// Reads the whole catalog.
    ///
    /// # Errors
    /// When the store can't be read, or the list of dialects.
    pub fn load(reader: &Reader<'_>) -> Result<Self, StoreError> {
        let mut snapshot = Self { version: stored_version(reader)?, ..Self::default() };
        if let Some(bytes) = reader.meta(DIALECTS_META)? {
            for (db, dialect) in record::read_dialects(bytes)? {
                snapshot.set_dialect(&db, dialect);
            }
        }
        for entry in reader.catalog()? {
            let (db, name, bytes) = entry?;
            match record::read(db, name, bytes) {
                Ok(collection) => snapshot.put(collection),
                Err(reason) => {
                    let database = snapshot.databases.entry(db.to_owned()).or_default();
                    Arc::make_mut(database).closed.insert(name.to_owned(), reason);
                }
            }
        }
        Ok(snapshot)
    }

    /// Whether this is the catalog of what `reader` reads.
    ///
    /// # Errors
    /// `Damaged` when the stored version is no number.
    pub(crate) fn is_of(&self, reader: &Reader<'_>) -> Result<bool, StoreError> {
        let commit = reader.snapshot().map_or(0, SnapshotNumber::get);
        if commit != 0 && self.seen_in.0.load(Ordering::Relaxed) == commit {
            return Ok(true);
        }
        let is_same = stored_version(reader)? == self.version;
        if is_same {
            self.seen_in.0.store(commit, Ordering::Relaxed);
        }
        Ok(is_same)
    }

    /// Databases that have a collection, in order of name.
    pub fn databases(&self) -> impl Iterator<Item = &str> {
        self.databases
            .iter()
            .filter(|(_, database)| database.has_collections())
            .map(|(name, _)| name.as_str())
    }

    /// The collections of a database that this version can't read, in order of name, and why.
    pub fn closed(&self, db: &str) -> impl Iterator<Item = (&str, &str)> {
        let closed = self.databases.get(db).into_iter().flat_map(|database| &database.closed);
        closed.map(|(name, reason)| (name.as_str(), reason.as_str()))
    }

    /// Refuses the name of a collection that this version can't read.
    ///
    /// # Errors
    /// `CommandNotSupported` with the reason.
    pub fn check_usable(&self, db: &str, name: &str) -> Result<(), CatalogError> {
        match self.databases.get(db).and_then(|database| database.closed.get(name)) {
            None => Ok(()),
            Some(reason) => Err(CatalogError::new(
                CatalogErrorKind::CommandNotSupported,
                format!(
                    "{db}.{name} can't be used: {reason}. Its documents are kept as they are, and \
                     nothing of it expires; open the store with the version of Mayfly that wrote it, \
                     or a newer one. Until then it can't be read, written, renamed, dropped or \
                     exported"
                ),
            )),
        }
    }

    /// Refuses a database with a collection that this version can't read.
    ///
    /// # Errors
    /// As [`CatalogSnapshot::check_usable`].
    pub fn check_all_usable(&self, db: &str) -> Result<(), CatalogError> {
        self.closed(db).try_for_each(|(name, _)| self.check_usable(db, name))
    }

    /// The collections of a database, in order of name; none if there is no such database.
    pub fn collections(&self, db: &str) -> impl Iterator<Item = &Arc<CollectionMeta>> {
        self.databases.get(db).into_iter().flat_map(|database| database.collections.values())
    }

    /// All collections of all databases.
    pub fn all_collections(&self) -> impl Iterator<Item = &Arc<CollectionMeta>> {
        self.databases.values().flat_map(|database| database.collections.values())
    }

    /// The collection with this number, whatever its name is.
    #[must_use]
    pub fn collection_by_id(&self, id: CollectionId) -> Option<&Arc<CollectionMeta>> {
        self.all_collections().find(|collection| collection.id == id)
    }

    /// The collection with this name.
    #[must_use]
    pub fn collection(&self, namespace: &Namespace) -> Option<Arc<CollectionMeta>> {
        self.collection_named(&namespace.db, &namespace.collection).cloned()
    }

    /// The collection with these names, which need not keep the rules of names.
    #[must_use]
    pub fn collection_named(&self, db: &str, collection: &str) -> Option<&Arc<CollectionMeta>> {
        self.databases.get(db)?.collections.get(collection)
    }

    /// The dialect of a database; `Open` for one that does not exist.
    #[must_use]
    pub fn dialect(&self, db: &str) -> Dialect {
        self.databases.get(db).map_or_else(Dialect::default, |database| database.dialect)
    }

    /// Everything that may remove documents: complete TTL indexes, inert ones included, and
    /// the own options of clustered and time-series collections.
    #[must_use]
    pub fn ttl_indexes(&self) -> Vec<TtlTarget> {
        let mut targets = Vec::new();
        for collection in self.all_collections() {
            targets.extend(collection.ttl_rules().map(|(rule, index)| TtlTarget {
                collection: Arc::clone(collection),
                index: Arc::clone(index),
                rule,
            }));
        }
        targets
    }

    /// Counts up with every change of the catalog.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// An existing database whose name differs from this one in upper and lower case only.
    #[must_use]
    pub fn differs_in_case(&self, db: &str) -> Option<&str> {
        if self.databases.get(db).is_some_and(|database| database.has_collections()) {
            return None;
        }
        self.databases().find(|name| *name != db && name.to_lowercase() == db.to_lowercase())
    }

    pub(crate) fn put(&mut self, collection: CollectionMeta) {
        let database = self.databases.entry(collection.namespace.db.clone()).or_default();
        let name = collection.namespace.collection.clone();
        Arc::make_mut(database).collections.insert(name, Arc::new(collection));
    }

    pub(crate) fn remove(&mut self, namespace: &Namespace) {
        if let Some(database) = self.databases.get_mut(&namespace.db) {
            Arc::make_mut(database).collections.remove(&namespace.collection);
        }
    }

    pub(crate) fn set_dialect(&mut self, db: &str, dialect: Dialect) {
        Arc::make_mut(self.databases.entry(db.to_owned()).or_default()).dialect = dialect;
    }

    pub(crate) fn dialects(&self) -> impl Iterator<Item = (&str, Dialect)> {
        self.databases
            .iter()
            .filter(|(_, database)| database.dialect != Dialect::default())
            .map(|(name, database)| (name.as_str(), database.dialect))
    }
}

/// The version of the catalog in the store.
pub(crate) fn stored_version(reader: &Reader<'_>) -> Result<u64, StoreError> {
    let bytes = reader.meta(VERSION_META)?.unwrap_or(&[0; 8]);
    let bytes = bytes.try_into().map_err(|_| StoreError::Damaged {
        what: "the catalog's version is not a number".into(),
    })?;
    Ok(u64::from_be_bytes(bytes))
}
