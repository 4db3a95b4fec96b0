//! The tree of databases and collections, with a summary of each collection's expiry.

use std::collections::BTreeSet;
use std::time::Duration;

use bson::Document;
use mayfly_engine::reply::{ExpiringPage, Forecast};

use super::Namespace;
use crate::job::Dialect;

/// How the collections are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Order {
    #[default]
    Name,
    /// The one in which a document expires first comes first.
    Soonest,
}

/// Databases and collections.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoreTree {
    pub databases: Vec<Database>,
    /// Whether the first answer has come.
    pub loaded: bool,
    /// Why the last reading failed.
    pub error: Option<String>,
    pub folded: BTreeSet<String>,
    /// When the catalog was last asked for, in window time.
    pub asked_at: Option<Duration>,
    /// Whether it must be asked for again.
    pub stale: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Database {
    pub name: String,
    /// Its size on disk, in bytes.
    pub bytes: u64,
    /// Its rules; `None` until they are known, and where they were lost.
    pub dialect: Option<Dialect>,
    /// Why its rules can't be known. Nothing in it expires then, whatever its indexes say.
    pub dialect_error: Option<String>,
    pub collections: Vec<Collection>,
    pub loaded: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    pub name: String,
    /// `collection`, `view` or `timeseries`.
    pub kind: String,
    pub documents: Option<u64>,
    /// Whether it keeps only its newest documents. Known once its size is.
    pub is_capped: bool,
    /// Their size, in bytes.
    pub bytes: Option<u64>,
    pub next: Next,
    /// The next hour.
    pub forecast: Option<Forecast>,
    /// When its summary was last requested, in window time.
    pub asked_at: Option<Duration>,
    /// Whether its first expiry was queried for the sort order alone.
    pub next_asked: bool,
    /// Whether its summary is out of date.
    pub stale: bool,
}

/// When the next document of a collection expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Next {
    #[default]
    Unknown,
    /// It has no TTL index.
    NoTtl,
    Never,
    /// At this instant, in milliseconds since 1970; it may be past.
    At(i64),
}

impl Next {
    /// Reads the reply to `mayflyExpiring`.
    pub fn of(reply: &Document) -> Self {
        let page = ExpiringPage::from_document(reply).unwrap_or_default();
        match page.batch.first() {
            Some(row) => Self::At(row.threshold_ms),
            None if page.rules == Some(0) => Self::NoTtl,
            None => Self::Never,
        }
    }
}

impl Collection {
    /// A collection of which nothing but the name and the kind is known.
    pub fn new(name: &str, kind: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            documents: None,
            is_capped: false,
            bytes: None,
            next: Next::Unknown,
            forecast: None,
            asked_at: None,
            next_asked: false,
            stale: true,
        }
    }
}

impl StoreTree {
    pub fn database(&self, name: &str) -> Option<&Database> {
        self.databases.iter().find(|database| database.name == name)
    }

    /// A database by its name, to change it.
    pub fn database_mut(&mut self, name: &str) -> Option<&mut Database> {
        self.databases.iter_mut().find(|database| database.name == name)
    }

    pub fn why_nothing_expires(&self, db: &str) -> Option<&str> {
        self.database(db)?.dialect_error.as_deref()
    }

    /// Whether a document that expires by its last modification is hidden in a database before it
    /// is removed.
    pub fn hides_expired(&self, db: &str) -> bool {
        self.database(db).is_some_and(|found| found.dialect != Some(Dialect::Mongodb))
    }

    /// Whether scheduled passes leave an expired document of a database alone for a while, as Cosmos DB's
    /// background task does.
    pub fn removes_in_background(&self, db: &str) -> bool {
        self.database(db).is_some_and(|found| found.dialect == Some(Dialect::Cosmos))
    }

    /// A collection by its full name.
    pub fn collection(&self, namespace: &Namespace) -> Option<&Collection> {
        let database = self.database(&namespace.db)?;
        database.collections.iter().find(|collection| collection.name == namespace.collection)
    }

    /// A collection by its full name, to change it.
    pub fn collection_mut(&mut self, namespace: &Namespace) -> Option<&mut Collection> {
        let database = self.database_mut(&namespace.db)?;
        database.collections.iter_mut().find(|collection| collection.name == namespace.collection)
    }

    /// Sets the names of the databases, and keeps what is known of those that stay.
    pub fn learn_databases(&mut self, found: Vec<(String, u64)>) {
        let mut old = std::mem::take(&mut self.databases);
        for (name, bytes) in found {
            let at = old.iter().position(|database| database.name == name);
            let known = at.map(|at| old.swap_remove(at)).unwrap_or_default();
            self.databases.push(Database { name, bytes, ..known });
        }
        self.databases.sort_by(|a, b| a.name.cmp(&b.name));
        self.loaded = true;
        self.error = None;
    }

    /// Sets the collections of a database, and keeps what is known of those that stay.
    pub fn learn_collections(&mut self, db: &str, found: Vec<(String, String)>) {
        let Some(database) = self.database_mut(db) else { return };
        let mut old = std::mem::take(&mut database.collections);
        for (name, kind) in found {
            let at = old.iter().position(|collection| collection.name == name);
            let known = at.map(|at| old.swap_remove(at));
            let collection = known.unwrap_or_else(|| Collection::new(&name, &kind));
            database.collections.push(Collection { kind, stale: true, ..collection });
        }
        database.collections.sort_by(|a, b| a.name.cmp(&b.name));
        database.loaded = true;
    }

    /// The collections in the order of the sidebar, those whose full name holds `search`.
    pub fn listed<'a>(
        &'a self,
        database: &'a Database,
        search: &str,
        order: Order,
    ) -> Vec<&'a Collection> {
        let search = search.trim().to_lowercase();
        let matches = |collection: &&Collection| {
            search.is_empty()
                || format!("{}.{}", database.name, collection.name).to_lowercase().contains(&search)
        };
        let mut listed: Vec<&Collection> = database.collections.iter().filter(matches).collect();
        if order == Order::Soonest {
            listed.sort_by_key(|collection| soonness(collection.next));
        }
        listed
    }

    /// Some collections whose first expiry is neither known nor queried yet. They count as queried
    /// from now on.
    pub fn take_unseen(&mut self, max: usize) -> Vec<Namespace> {
        let unseen = self.databases.iter_mut().flat_map(|database| {
            let db = &database.name;
            database.collections.iter_mut().filter_map(move |collection| {
                let is_unseen = collection.next == Next::Unknown && !collection.next_asked;
                collection.next_asked |= is_unseen;
                is_unseen.then(|| Namespace::new(db, &collection.name))
            })
        });
        unseen.take(max).collect()
    }

    /// Whether documents may expire: false once every collection is known to have no TTL index.
    pub fn can_expire(&self) -> bool {
        let may =
            |collection: &Collection| collection.kind != "view" && collection.next != Next::NoTtl;
        let may_in = |database: &Database| !database.loaded || database.collections.iter().any(may);
        !self.loaded || self.databases.iter().any(may_in)
    }

    /// The databases in the order of the sidebar.
    pub fn listed_databases(&self, order: Order) -> Vec<&Database> {
        let mut listed: Vec<&Database> = self.databases.iter().collect();
        if order == Order::Soonest {
            let soonest = |database: &&Database| {
                database.collections.iter().map(|collection| soonness(collection.next)).min()
            };
            listed.sort_by_key(|database| soonest(database).unwrap_or((2, i64::MAX)));
        }
        listed
    }

    /// How many documents a collection has, as far as it is known.
    pub fn documents_of(&self, namespace: &Namespace) -> Option<u64> {
        self.collection(namespace)?.documents
    }

    /// How many collections there are.
    pub fn collections(&self) -> usize {
        self.databases.iter().map(|database| database.collections.len()).sum()
    }
}

fn soonness(next: Next) -> (u8, i64) {
    match next {
        Next::At(at_ms) => (0, at_ms),
        Next::Unknown => (1, 0),
        Next::Never => (2, 0),
        Next::NoTtl => (3, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> StoreTree {
        let mut tree = StoreTree::default();
        tree.learn_databases(vec![("shop".into(), 10), ("demo".into(), 20)]);
        let kind = || "collection".to_owned();
        tree.learn_collections("demo", vec![("b".into(), kind()), ("a".into(), kind())]);
        tree.learn_collections("shop", vec![("carts".into(), kind())]);
        tree
    }

    fn names(tree: &StoreTree, search: &str, order: Order) -> String {
        tree.listed_databases(order)
            .iter()
            .flat_map(|database| tree.listed(database, search, order))
            .map(|collection| collection.name.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn names_are_sorted_and_searched() {
        let tree = tree();
        assert_eq!(names(&tree, "", Order::Name), "a b carts");
        assert_eq!(names(&tree, "SHOP", Order::Name), "carts");
        assert_eq!(names(&tree, "o.b", Order::Name), "b");
        assert_eq!(names(&tree, "none", Order::Name), "");
    }

    #[test]
    fn the_soonest_comes_first() {
        let mut tree = tree();
        let mut set = |db: &str, name: &str, next| {
            if let Some(collection) = tree.collection_mut(&Namespace::new(db, name)) {
                collection.next = next;
            }
        };
        set("demo", "a", Next::Never);
        set("demo", "b", Next::At(900));
        set("shop", "carts", Next::At(100));
        assert_eq!(names(&tree, "", Order::Soonest), "carts b a");
    }

    #[test]
    fn what_is_known_stays() {
        let mut tree = tree();
        let a = Namespace::new("demo", "a");
        if let Some(collection) = tree.collection_mut(&a) {
            collection.documents = Some(7);
        }
        tree.learn_databases(vec![("demo".into(), 30)]);
        tree.learn_collections("demo", vec![("a".into(), "collection".into())]);
        assert_eq!(tree.collection(&a).and_then(|found| found.documents), Some(7));
        assert_eq!(tree.collections(), 1);
    }
}
