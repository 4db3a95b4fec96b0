//! Databases and collections.

use bson::{Document, doc};

use crate::job::Namespace;

/// The databases, on `admin`.
pub fn databases() -> Document {
    doc! { "listDatabases": 1 }
}

/// The names of up to `max` collections.
pub fn collections(max: i32) -> Document {
    doc! { "listCollections": 1, "nameOnly": true, "cursor": { "batchSize": max } }
}

/// The name of a collection, if there is such a one.
pub fn named(collection: &str) -> Document {
    doc! { "listCollections": 1, "nameOnly": true, "filter": { "name": collection } }
}

/// Counts the documents of a collection up to a bound. With a query the count is none of a server's
/// estimates.
pub fn count(collection: &str, max: u64) -> Document {
    let limit = i64::try_from(max).unwrap_or(i64::MAX);
    doc! { "count": collection, "query": {}, "limit": limit, "maxTimeMS": 2_000 }
}

/// Counts and sizes of a collection.
pub fn stats(collection: &str) -> Document {
    doc! { "collStats": collection }
}

/// Reads the dialect of a database.
pub fn dialect() -> Document {
    doc! { "mayflyDialect": 1 }
}

/// Sets the dialect of a database.
pub fn set_dialect(name: &str) -> Document {
    doc! { "mayflyDialect": name }
}

pub fn create(collection: &str) -> Document {
    doc! { "create": collection }
}

/// Creates a capped collection; `bytes` is missing until a size was entered.
pub fn create_capped(collection: &str, bytes: Option<i64>) -> Document {
    let mut command = doc! { "create": collection, "capped": true };
    if let Some(bytes) = bytes {
        command.insert("size", bytes);
    }
    command
}

/// Renames a collection, on `admin`.
pub fn rename(from: &Namespace, to: &Namespace) -> Document {
    doc! { "renameCollection": from.to_string(), "to": to.to_string() }
}

pub fn drop_database() -> Document {
    doc! { "dropDatabase": 1 }
}

pub fn drop_collection(collection: &str) -> Document {
    doc! { "drop": collection }
}

/// Creates indexes as another collection has them, from the replies to `listIndexes`.
pub fn create_indexes(collection: &str, indexes: &[Document]) -> Document {
    doc! { "createIndexes": collection, "indexes": indexes.to_vec() }
}

/// Deletes every document of a collection.
pub fn empty(collection: &str) -> Document {
    doc! { "delete": collection, "deletes": [{ "q": {}, "limit": 0 }] }
}
