//! The definitions of one moment, shared with all readers.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use bson::{Bson, Document};

use super::{
    CatalogError, CatalogErrorKind, ClosedReason, CollectionMeta, Dialect, IndexMeta, Namespace,
    SERVER_DATABASES, record,
};
use crate::{
    store::{CatalogRow, CollectionId, IndexId, Reader, SnapshotNumber, StoreError},
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
    nameless: usize,
    /// The stored list of dialects can't be read. The next change of the catalog rewrites it.
    pub(crate) has_damaged_dialects: bool,
    seen_in: SeenIn,
}

/// The last commit whose catalog was found equal to this snapshot, or 0. A cache, so not compared.
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
    /// The stored dialect if this version does not know it. Then all collections are closed, and
    /// none is created. Null means a lost dialect: the collections can be read.
    pub(crate) unknown_dialect: Option<Bson>,
    /// Its collections by name.
    pub collections: BTreeMap<String, Arc<CollectionMeta>>,
    /// Collections that can't be used.
    pub closed: BTreeMap<String, ClosedReason>,
}

/// Something with a TTL: an index, or a clustered or time-series collection with its own TTL.
#[derive(Debug, Clone)]
pub struct TtlTarget {
    /// The collection.
    pub collection: Arc<CollectionMeta>,
    /// The index to scan; for a collection's own TTL the one on `_id`.
    pub index: Arc<IndexMeta>,
    /// When its documents expire.
    pub rule: Rule,
}

impl Catalog {
    /// A catalog that starts with this snapshot.
    pub fn new(snapshot: CatalogSnapshot) -> Self {
        Self { current: RwLock::new(Arc::new(snapshot)) }
    }

    /// The newest committed snapshot.
    pub fn snapshot(&self) -> Arc<CatalogSnapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Publishes the snapshot of a committed transaction, unless a newer one is published already.
    pub(crate) fn publish(&self, snapshot: &Arc<CatalogSnapshot>) {
        if snapshot.version <= self.snapshot().version {
            return;
        }
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        // Looked at again under the lock: transactions commit in order, but their threads may come
        // here in another one.
        if current.version < snapshot.version {
            *current = Arc::clone(snapshot);
        }
    }
}

impl DatabaseMeta {
    fn has_collections(&self) -> bool {
        !self.collections.is_empty() || !self.closed.is_empty()
    }

    fn has_lost_dialect(&self) -> bool {
        self.unknown_dialect == Some(Bson::Null)
    }

    /// Why the whole database can't be used.
    fn closed_by_dialect(&self) -> Option<ClosedReason> {
        let dialect = self.unknown_dialect.as_ref().filter(|dialect| **dialect != Bson::Null)?;
        let reason = format!("this version does not know the dialect {dialect} of the database");
        Some(ClosedReason::Unknown(reason))
    }
}

impl CatalogSnapshot {
    /// Reads the whole catalog.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn load(reader: &Reader<'_>) -> Result<Self, StoreError> {
        let mut snapshot = Self { version: stored_version(reader)?, ..Self::default() };
        let dialects = stored_dialects(reader)?;
        snapshot.has_damaged_dialects = dialects.is_none();
        for (db, name) in dialects.unwrap_or_default() {
            match name.as_str().and_then(Dialect::from_name) {
                Some(dialect) => snapshot.set_dialect(&db, dialect),
                None => snapshot.database(&db).unknown_dialect = Some(name),
            }
        }
        for row in reader.catalog()? {
            let CatalogRow { names, record } = row?;
            let Some((db, name)) = names else {
                // Its name is unknown, so no command can name it. It still keeps its numbers from
                // being reused.
                snapshot.nameless += 1;
                continue;
            };
            let read = |bytes| record::read(db, name, bytes).map_err(ClosedReason::Unknown);
            let database = snapshot.database(db);
            let closed = database.closed_by_dialect();
            match record.ok_or(ClosedReason::Damaged).and_then(read) {
                Ok(collection) if closed.is_none() => snapshot.put(collection),
                read => {
                    let reason = read.err().or(closed).unwrap_or(ClosedReason::Damaged);
                    database.closed.insert(name.to_owned(), reason);
                }
            }
        }
        if snapshot.has_damaged_dialects {
            let all = snapshot.databases.iter_mut();
            for (_, database) in all.filter(|(db, _)| !SERVER_DATABASES.contains(&db.as_str())) {
                Arc::make_mut(database).unknown_dialect = Some(Bson::Null);
            }
        }
        Ok(snapshot)
    }

    /// Whether this is the catalog as of `reader`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub(crate) fn is_of(&self, reader: &Reader<'_>) -> Result<bool, StoreError> {
        let commit = reader.snapshot().map_or(0, SnapshotNumber::get);
        // Saves a lookup for each read. A snapshot number names one commit, so a match can't be
        // wrong.
        if commit != 0 && self.seen_in.0.load(Ordering::Relaxed) == commit {
            return Ok(true);
        }
        let is_same = stored_version(reader)? == self.version;
        if is_same {
            self.seen_in.0.store(commit, Ordering::Relaxed);
        }
        Ok(is_same)
    }

    /// Whether the store holds exactly these definitions and each can be read. Then every number in
    /// use is known.
    ///
    /// # Errors
    /// When the store can't be read.
    pub(crate) fn is_all_of(&self, reader: &Reader<'_>) -> Result<bool, StoreError> {
        let stored = Self::load(reader)?;
        let can_be_read =
            |catalog: &Self| catalog.nameless == 0 && catalog.all_closed().next().is_none();
        Ok(can_be_read(self)
            && can_be_read(&stored)
            && self.numbers().eq(stored.numbers())
            && self.all_collections().count() as u64 == reader.catalog_len()?)
    }

    /// The names and numbers of all collections, with those of their indexes.
    fn numbers(&self) -> impl Iterator<Item = (&Namespace, CollectionId, Vec<IndexId>)> {
        self.all_collections().map(|collection| {
            let indexes = collection.indexes.iter().map(|index| index.id).collect();
            (&collection.namespace, collection.id, indexes)
        })
    }

    /// Databases with at least one collection, by name.
    pub fn databases(&self) -> impl Iterator<Item = &str> {
        self.databases
            .iter()
            .filter(|(_, database)| database.has_collections())
            .map(|(name, _)| name.as_str())
    }

    /// The closed collections of a database by name, with the reasons.
    pub fn closed(&self, db: &str) -> impl Iterator<Item = (&str, &ClosedReason)> {
        let closed = self.databases.get(db).into_iter().flat_map(|database| &database.closed);
        closed.map(|(name, reason)| (name.as_str(), reason))
    }

    /// The closed collections of all databases, with the reasons.
    pub fn all_closed(&self) -> impl Iterator<Item = (Namespace, &ClosedReason)> {
        self.databases().flat_map(|db| {
            self.closed(db).map(|(name, reason)| {
                (Namespace { db: db.to_owned(), collection: name.to_owned() }, reason)
            })
        })
    }

    /// How many definitions are damaged so that even their names are unknown.
    pub fn nameless(&self) -> usize {
        self.nameless
    }

    /// The sentence about everything that can't be used; `None` when nothing is closed.
    pub fn closed_in_words(&self) -> Option<String> {
        let count = self.all_closed().count() + self.nameless;
        let first = match self.all_closed().next() {
            Some((namespace, closed)) => {
                format!("{namespace} can't be used: {}", closed.reason())
            }
            None if count == 0 => return None,
            None => "A collection can't be used: its definition and its name are damaged".into(),
        };
        Some(match count - 1 {
            0 => format!("{first}."),
            more => format!("{first}. {more} more can't be used either; run Verify for the list."),
        })
    }

    /// Refuses a collection that can't be used.
    ///
    /// # Errors
    /// `CommandNotSupported` with the reason.
    pub fn check_usable(&self, db: &str, name: &str) -> Result<(), CatalogError> {
        let Some(database) = self.databases.get(db) else { return Ok(()) };
        let closed = database.closed.get(name).cloned().or_else(|| database.closed_by_dialect());
        closed.map_or(Ok(()), |closed| Err(closed.error(&format!("{db}.{name}"))))
    }

    /// Refuses a database with a collection that can't be used.
    ///
    /// # Errors
    /// As [`CatalogSnapshot::check_usable`].
    pub fn check_all_usable(&self, db: &str) -> Result<(), CatalogError> {
        self.check_dialect(db)?;
        self.closed(db).try_for_each(|(name, _)| self.check_usable(db, name))
    }

    /// Refuses a database whose dialect this version does not know.
    ///
    /// # Errors
    /// As [`CatalogSnapshot::check_usable`].
    pub fn check_dialect(&self, db: &str) -> Result<(), CatalogError> {
        let closed = self.databases.get(db).and_then(|database| database.closed_by_dialect());
        closed.map_or(Ok(()), |closed| Err(closed.error(&format!("the database {db}"))))
    }

    /// Databases whose dialect was lost.
    pub fn without_dialect(&self) -> impl Iterator<Item = &str> {
        self.databases().filter(|db| !self.is_writable(db))
    }

    /// Whether the dialect of a database is known. If not, nothing in it is written or expires.
    pub fn is_writable(&self, db: &str) -> bool {
        self.databases.get(db).is_none_or(|database| !database.has_lost_dialect())
    }

    /// The sentence about databases whose dialect was lost; `None` without any.
    pub fn without_dialect_in_words(&self) -> Option<String> {
        let names: Vec<&str> = self.without_dialect().collect();
        let what = if names.len() == 1 { "database" } else { "databases" };
        (!names.is_empty()).then(|| {
            format!(
                "The dialect list was damaged, so the dialect of the {what} {} is unknown. You can read \
                 and export, but not write, and nothing expires. Set each dialect again with \
                 mayflyDialect, or restore a backup from before the damage. Databases without \
                 collections now use \"open\".",
                names.join(", ")
            )
        })
    }

    /// Refuses to change a database whose dialect was lost.
    ///
    /// # Errors
    /// `CommandNotSupported` with the remedy.
    pub fn check_writable(&self, db: &str) -> Result<(), CatalogError> {
        if self.is_writable(db) {
            return Ok(());
        }
        let message = format!(
            "the database {db} is read-only because its dialect is unknown (the dialect list was \
             damaged). Nothing in it expires. Set the dialect with mayflyDialect (the default is \
             \"open\"), or restore a backup from before the damage"
        );
        Err(CatalogError::new(CatalogErrorKind::CommandNotSupported, message))
    }

    /// The collections of a database by name; none if it does not exist.
    pub fn collections(&self, db: &str) -> impl Iterator<Item = &Arc<CollectionMeta>> {
        self.databases.get(db).into_iter().flat_map(|database| database.collections.values())
    }

    /// All collections of all databases.
    pub fn all_collections(&self) -> impl Iterator<Item = &Arc<CollectionMeta>> {
        self.databases.values().flat_map(|database| database.collections.values())
    }

    /// The collection with this number.
    pub fn collection_by_id(&self, id: CollectionId) -> Option<&Arc<CollectionMeta>> {
        self.all_collections().find(|collection| collection.id == id)
    }

    /// The collection with this name.
    pub fn collection(&self, namespace: &Namespace) -> Option<Arc<CollectionMeta>> {
        self.collection_named(&namespace.db, &namespace.collection).cloned()
    }

    /// The collection with these names, which need not be valid.
    pub fn collection_named(&self, db: &str, collection: &str) -> Option<&Arc<CollectionMeta>> {
        self.databases.get(db)?.collections.get(collection)
    }

    /// The dialect of a database; the default if it does not exist.
    pub fn dialect(&self, db: &str) -> Dialect {
        self.databases.get(db).map_or_else(Dialect::default, |database| database.dialect)
    }

    /// Everything that may remove documents: ready TTL indexes, including inert ones, and
    /// collections with their own TTL. Without databases whose dialect was lost.
    pub fn ttl_indexes(&self) -> impl Iterator<Item = TtlTarget> {
        self.all_collections().flat_map(|collection| self.ttl_indexes_of(collection))
    }

    /// The same of one collection.
    pub fn ttl_indexes_of(
        &self,
        collection: &Arc<CollectionMeta>,
    ) -> impl Iterator<Item = TtlTarget> {
        let is_at_work = self.is_writable(&collection.namespace.db);
        collection.ttl_rules().filter(move |_| is_at_work).map(move |(rule, index)| TtlTarget {
            collection: Arc::clone(collection),
            index: Arc::clone(index),
            rule,
        })
    }

    /// Increases with every change of the catalog.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// An existing database whose name differs from this one only in case.
    pub fn differs_in_case(&self, db: &str) -> Option<&str> {
        if self.databases.get(db).is_some_and(|database| database.has_collections()) {
            return None;
        }
        self.databases().find(|name| *name != db && name.to_lowercase() == db.to_lowercase())
    }

    pub(crate) fn put(&mut self, collection: CollectionMeta) {
        let name = collection.namespace.collection.clone();
        let database = self.database(&collection.namespace.db);
        database.collections.insert(name, Arc::new(collection));
    }

    pub(crate) fn remove(&mut self, namespace: &Namespace) {
        if let Some(database) = self.databases.get_mut(&namespace.db) {
            Arc::make_mut(database).collections.remove(&namespace.collection);
        }
        self.forget_if_gone(&namespace.db);
    }

    pub(crate) fn set_dialect(&mut self, db: &str, dialect: Dialect) {
        let database = self.database(db);
        (database.dialect, database.unknown_dialect) = (dialect, None);
        self.forget_if_gone(db);
    }

    /// Drops the entry of a database that has neither collections nor a dialect.
    fn forget_if_gone(&mut self, db: &str) {
        if self.databases.get(db).is_some_and(|database| **database == DatabaseMeta::default()) {
            self.databases.remove(db);
        }
    }

    fn database(&mut self, db: &str) -> &mut DatabaseMeta {
        Arc::make_mut(self.databases.entry(db.to_owned()).or_default())
    }

    /// The stored list of dialects, including unknown ones.
    pub(crate) fn dialects(&self) -> impl Iterator<Item = (&str, Bson)> {
        self.databases.iter().filter_map(|(name, database)| {
            let own = database.dialect;
            let own = (own != Dialect::default()).then(|| Bson::from(own.name()));
            Some((name.as_str(), database.unknown_dialect.clone().or(own)?))
        })
    }
}

/// The version of the catalog in the store.
pub(crate) fn stored_version(reader: &Reader<'_>) -> Result<u64, StoreError> {
    // The version only signals that definitions have changed, so a damaged one counts as 0 until
    // the next change rewrites it.
    let bytes = StoreError::unless_damaged(reader.meta(VERSION_META))?.flatten();
    Ok(bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_be_bytes))
}

/// The stored list of dialects; `None` when it is damaged.
fn stored_dialects(reader: &Reader<'_>) -> Result<Option<Document>, StoreError> {
    let read = |bytes: Option<&[u8]>| bytes.map_or(Ok(Document::new()), record::read_dialects);
    StoreError::unless_damaged(reader.meta(DIALECTS_META).and_then(read))
}
