//! Indexes.

use bson::{Bson, Document, doc};

use super::smallest_int;

/// Whether Mayfly keeps an index with this key without using it: text, geo, hashed or wildcard.
pub fn is_kept_unused(key: &Document) -> bool {
    let is_special = |(name, value): (&String, &Bson)| {
        matches!(value, Bson::String(_)) || name == "$**" || name.ends_with(".$**")
    };
    key.iter().any(is_special)
}

pub fn list(collection: &str) -> Document {
    doc! { "listIndexes": collection }
}

/// How often each index was used.
pub fn uses(collection: &str) -> Document {
    doc! { "aggregate": collection, "pipeline": [{ "$indexStats": {} }], "cursor": {} }
}

pub fn create(collection: &str, index: Document) -> Document {
    doc! { "createIndexes": collection, "indexes": [index] }
}

/// Changes the TTL of the index with this name, or gives it one. By its name: not every server knows an index
/// by its key, and a key may have several.
pub fn set_ttl(collection: &str, name: &str, secs: i64) -> Document {
    doc! {
        "collMod": collection,
        "index": { "name": name, "expireAfterSeconds": smallest_int(secs) },
    }
}

/// Hides an index from queries, or shows it again.
pub fn set_hidden(collection: &str, name: &str, hidden: bool) -> Document {
    doc! { "collMod": collection, "index": { "name": name, "hidden": hidden } }
}

pub fn drop(collection: &str, name: &str) -> Document {
    doc! { "dropIndexes": collection, "index": name }
}
