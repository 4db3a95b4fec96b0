//! TTL passes.

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::value::whole;

use super::{Habit, Server, answer::batch};

/// Documents that a pass removes by one index.
const INDEX_DOCS_MAX: usize = 10_000;

impl Server {
    /// Runs a pass now. Returns how many documents it removed.
    pub fn pass(&self) -> u64 {
        let mut removed = 0;
        for (db, collection) in self.collections() {
            let before = self.count(&db, &collection);
            for index in self.ttl_indexes(&db, &collection) {
                removed += self.remove(&db, &collection, &index);
            }
            self.note_count(&db, &collection, before);
        }
        removed
    }

    /// Removes what one index makes expire.
    fn remove(&self, db: &str, collection: &str, index: &str) -> u64 {
        let is_bounded = self.has(Habit::BoundedPass);
        let most = if is_bounded { INDEX_DOCS_MAX } else { usize::MAX };
        // The end is not in the range, so a document at its exact threshold is.
        let to_ms = self.now_ms() + i64::from(!is_bounded);
        let to = DateTime::from_millis(to_ms);
        let mut removed = 0;
        while removed < most {
            let ask =
                doc! { "mayflyExpiring": collection, "index": index, "to": to, "limit": 1_000 };
            let page = self.engine_run(db, &ask);
            let rows = page.get_array("batch").map(Vec::as_slice).unwrap_or_default();
            let ids = rows.iter().filter_map(|row| row.as_document()?.get("_id").cloned());
            let ids: Vec<Bson> = ids.take(most - removed).collect();
            if ids.is_empty() {
                break;
            }
            removed += ids.len();
            let filter = doc! { "_id": { "$in": ids } };
            let delete = doc! { "delete": collection, "deletes": [{ "q": filter, "limit": 0 }] };
            self.engine_run(db, &delete);
        }
        removed as u64
    }

    fn collections(&self) -> Vec<(String, String)> {
        let listed = self.engine_run("admin", &doc! { "listDatabases": 1, "nameOnly": true });
        let databases = listed.get_array("databases").map(Vec::as_slice).unwrap_or_default();
        let names = databases.iter().filter_map(|one| one.as_document()?.get_str("name").ok());
        let of = |db: &str| {
            let list = doc! { "listCollections": 1, "filter": { "type": "collection" } };
            let names = batch(&self.engine_run(db, &list));
            let names = names.iter().filter_map(|one| one.get_str("name").ok());
            names.map(|name| (db.to_owned(), name.to_owned())).collect::<Vec<_>>()
        };
        names.flat_map(of).collect()
    }

    /// The indexes of a collection.
    pub fn indexes(&self, db: &str, collection: &str) -> Vec<Document> {
        batch(&self.engine_run(db, &doc! { "listIndexes": collection }))
    }

    fn ttl_indexes(&self, db: &str, collection: &str) -> Vec<String> {
        let indexes = self.indexes(db, collection).into_iter();
        let ttl = indexes.filter(|index| index.get("expireAfterSeconds").and_then(whole).is_some());
        ttl.filter_map(|index| index.get_str("name").map(str::to_owned).ok()).collect()
    }

    /// The documents of a collection.
    pub fn count(&self, db: &str, collection: &str) -> i64 {
        let counted = self.engine_run(db, &doc! { "count": collection });
        counted.get("n").and_then(whole).unwrap_or(0)
    }

    /// Notes that a collection may have another count than before.
    pub fn note_count(&self, db: &str, collection: &str, before: i64) {
        let (after, now_ms) = (self.count(db, collection), self.now_ms());
        if after != before {
            self.lock().counts.note(&format!("{db}.{collection}"), now_ms, before, after);
        }
    }
}
