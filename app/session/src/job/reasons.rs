//! Why documents never expire, in words and as filters that find them.

use bson::{Bson, Document, doc};

/// A reason code in words, after the number of documents.
pub fn reason_label(code: &str) -> &str {
    match code {
        "fieldMissing" => "missing",
        "bool" => "boolean",
        "objectId" => "ObjectId",
        "timestamp" => "Timestamp",
        "document" => "object",
        "arrayEmpty" => "empty array",
        "arrayWithoutDates" => "array without dates",
        "otherType" => "other type",
        "outsidePartialFilter" => "outside the partial filter",
        "ownTtlNever" => "document ttl is -1",
        "noDefault" => "no default TTL and no document ttl",
        "beforeEpoch" => "before 1970",
        "beyondTime" => "after the latest possible date",
        other => other,
    }
}

/// The filter for documents that never expire for a reason. `None` when no filter can say it.
pub fn reason_filter(code: &str, field: &str) -> Option<Document> {
    let test = match code {
        "fieldMissing" => doc! { "$exists": false },
        "null" | "number" | "string" | "bool" | "objectId" | "timestamp" => doc! { "$type": code },
        "document" => doc! { "$type": "object" },
        "arrayEmpty" => doc! { "$size": 0 },
        "arrayWithoutDates" => {
            doc! { "$type": "array", "$not": { "$type": "date" }, "$ne": Bson::Array(Vec::new()) }
        }
        "ownTtlNever" => return Some(doc! { "ttl": -1 }),
        _ => return None,
    };
    Some(doc! { field: test })
}
