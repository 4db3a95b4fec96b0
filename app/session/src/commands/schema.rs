//! Reading documents for a schema, and a schema as a validator.

use bson::{Document, doc};

use super::query::collated;

/// Reads every document that matches, `batch` in one reply, without the damaged ones.
pub fn read(collection: &str, filter: &Document, collation: &Document, batch: i64) -> Document {
    let find = doc! {
        "find": collection, "filter": filter.clone(), "batchSize": batch,
        "allowPartialResults": true,
    };
    collated(find, collation)
}

/// Reads `count` documents from the start or the end of a collection, without the damaged ones.
pub fn sample(collection: &str, count: i64, from_end: bool) -> Document {
    let order = if from_end { -1 } else { 1 };
    doc! {
        "find": collection, "sort": { "$natural": order }, "limit": count, "batchSize": count,
        "singleBatch": true, "allowPartialResults": true,
    }
}

/// Gives a collection a validator.
pub fn set_validator(collection: &str, validator: Document, level: &str, action: &str) -> Document {
    doc! {
        "collMod": collection, "validator": validator, "validationLevel": level,
        "validationAction": action,
    }
}
