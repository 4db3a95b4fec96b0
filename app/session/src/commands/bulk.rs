//! The commands of a change of many documents.

use bson::{Bson, Document, doc};

use super::documents;
use super::query::collated;
use crate::limits::BULK_STEP_DOCUMENTS;

/// Counts the documents that match, and adds up their bytes.
pub fn measure(collection: &str, filter: &Document, collation: &Document) -> Document {
    let sums =
        doc! { "_id": null, "n": { "$sum": 1 }, "bytes": { "$sum": { "$bsonSize": "$$ROOT" } } };
    let aggregate = doc! {
        "aggregate": collection,
        "pipeline": [{ "$match": filter.clone() }, { "$group": sums }],
        "cursor": {},
    };
    collated(aggregate, collation)
}

/// Reads some of the documents that match, whole.
pub fn sample(collection: &str, filter: &Document, collation: &Document, count: i64) -> Document {
    collated(documents::read(collection, filter.clone(), count), collation)
}

/// Reads the `_id`s of all that match, `batch` at a time.
pub fn ids(collection: &str, filter: &Document, collation: &Document, batch: i32) -> Document {
    let find = doc! {
        "find": collection, "filter": filter.clone(), "projection": { "_id": 1 },
        "batchSize": batch,
    };
    collated(find, collation)
}

/// Reads the `_id`s of those that match, as many as one step takes.
pub fn some_ids(collection: &str, filter: Document) -> Document {
    let count = i64::try_from(BULK_STEP_DOCUMENTS).unwrap_or(i64::MAX);
    let mut find = documents::read(collection, filter, count);
    find.insert("projection", doc! { "_id": 1 });
    find
}

/// Reads on.
pub fn more(collection: &str, cursor: i64, batch: i32) -> Document {
    doc! { "getMore": cursor, "collection": collection, "batchSize": batch }
}

/// The filter of those among `ids` that match `filter`.
pub fn among(filter: &Document, ids: Vec<Bson>) -> Document {
    let among = doc! { "_id": { "$in": ids } };
    if filter.is_empty() {
        among
    } else {
        doc! { "$and": [among, filter.clone()] }
    }
}

/// Deletes all that match.
pub fn delete(collection: &str, filter: Document) -> Document {
    doc! { "delete": collection, "deletes": [{ "q": filter, "limit": 0 }] }
}

/// Updates all that match.
pub fn update(collection: &str, filter: Document, update: &Bson) -> Document {
    let statement = doc! { "q": filter, "u": update.clone(), "multi": true };
    doc! { "update": collection, "updates": [statement] }
}

/// Gives the only statement of a delete or an update a collation, unless it is empty.
pub fn statement_collated(mut command: Document, collation: Document) -> Document {
    let list = if command.contains_key("deletes") { "deletes" } else { "updates" };
    if !collation.is_empty()
        && let Ok(statements) = command.get_array_mut(list)
        && let Some(Bson::Document(statement)) = statements.first_mut()
    {
        statement.insert("collation", collation);
    }
    command
}

/// Replaces each document by the one with its `_id`; one that is refused does not end the others. No
/// pipeline and no variables: there are servers that refuse `let`, or store `_id` twice.
pub fn replace(collection: &str, documents: Vec<Document>) -> Document {
    let statements = documents.into_iter().map(|document| {
        let id = document.get("_id").cloned().unwrap_or(Bson::Null);
        doc! { "q": { "_id": { "$eq": id } }, "u": document }
    });
    let statements: Vec<Document> = statements.collect();
    doc! { "update": collection, "updates": statements, "ordered": false }
}

/// A field of one document that gets another value.
#[derive(Debug, Clone, PartialEq)]
pub struct SetField {
    /// The `_id` of the document.
    pub id: Bson,
    /// The value that has to stand still.
    pub from: Bson,
    pub to: Bson,
}

impl SetField {
    /// Sets the field in `document`, which has its `_id`. `None` where it has no single value there.
    #[must_use]
    pub fn new(document: &mut Document, path: &str, to: Bson) -> Option<Self> {
        let id = document.get("_id")?.clone();
        let mut names = path.split('.');
        let first = document.get_mut(names.next()?)?;
        let value = names.try_fold(first, |value, name| value.as_document_mut()?.get_mut(name))?;
        let from = std::mem::replace(value, to.clone());
        Some(Self { id, from, to })
    }
}

/// Sets a field of each document where its old value still stands; one that is refused does not end
/// the others. Equality alone would also take an array that has the value.
pub fn set_each(collection: &str, path: &str, sets: Vec<SetField>) -> Document {
    let statements = sets.into_iter().map(|SetField { id, from, to }| {
        let stands = doc! { "$eq": from, "$not": { "$type": "array" } };
        doc! { "q": { "_id": { "$eq": id }, path: stands }, "u": { "$set": { path: to } } }
    });
    let statements: Vec<Document> = statements.collect();
    doc! { "update": collection, "updates": statements, "ordered": false }
}

/// Inserts documents; one that is refused does not end the others.
pub fn insert(collection: &str, documents: Vec<Document>) -> Document {
    doc! { "insert": collection, "documents": documents, "ordered": false }
}
