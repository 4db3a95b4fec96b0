//! Documents of a collection.

use bson::{Document, doc};

/// Inserts documents, in order.
pub fn insert(collection: &str, documents: &[Document]) -> Document {
    doc! { "insert": collection, "documents": documents.to_vec(), "ordered": true }
}

/// Replaces the document that the filter matches.
pub fn replace(collection: &str, filter: Document, after: &Document) -> Document {
    doc! { "update": collection, "updates": [{ "q": filter, "u": after.clone(), "multi": false }] }
}

/// Deletes one document for each filter.
pub fn delete(collection: &str, filters: impl Iterator<Item = Document>) -> Document {
    let deletes: Vec<Document> = filters.map(|q| doc! { "q": q, "limit": 1 }).collect();
    doc! { "delete": collection, "deletes": deletes, "ordered": false }
}

/// Reads up to `count` whole documents in one batch.
pub fn read(collection: &str, filter: Document, count: i64) -> Document {
    doc! {
        "find": collection, "filter": filter, "limit": count, "batchSize": count,
        "singleBatch": true,
    }
}

/// Reads documents from the start of a collection, without the damaged ones.
pub fn sample(collection: &str, count: i64) -> Document {
    doc! { "find": collection, "limit": count, "allowPartialResults": true }
}

/// Lists the damaged documents.
pub fn damaged(collection: &str) -> Document {
    doc! { "mayflyDamaged": collection }
}

/// Removes damaged documents by their record numbers.
pub fn remove_damaged<'a>(collection: &str, records: impl Iterator<Item = &'a str>) -> Document {
    doc! { "mayflyDamaged": collection, "remove": records.collect::<Vec<_>>() }
}

pub fn close_cursor(collection: &str, cursor: i64) -> Document {
    doc! { "killCursors": collection, "cursors": [cursor] }
}
