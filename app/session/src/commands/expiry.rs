//! When documents expire.

use bson::{Bson, DateTime, Document, doc};

/// The documents that expire first, by one index, by several or by all.
pub fn expiring(collection: &str, limit: Bson, index: Option<Bson>) -> Document {
    of_index(doc! { "mayflyExpiring": collection, "limit": limit }, index)
}

/// How many documents expire in each of `buckets` equal slices of time, by one index, by
/// several or by all.
pub fn forecast(
    collection: &str,
    from_ms: i64,
    to_ms: i64,
    buckets: i32,
    index: Option<Bson>,
) -> Document {
    let command = doc! {
        "mayflyForecast": collection,
        "from": DateTime::from_millis(from_ms),
        "to": DateTime::from_millis(to_ms),
        "buckets": buckets,
    };
    of_index(command, index)
}

/// The same for thresholds from an instant on and before another one, in milliseconds since 1970.
pub fn between(mut command: Document, from_ms: i64, to_ms: i64) -> Document {
    command.insert("from", DateTime::from_millis(from_ms));
    command.insert("to", DateTime::from_millis(to_ms));
    command
}

fn of_index(mut command: Document, index: Option<Bson>) -> Document {
    if let Some(index) = index {
        command.insert("index", index);
    }
    command
}

/// A command whose results are these rows, to write them to a file as results are written.
pub fn rows(rows: Vec<Document>) -> Document {
    let rows: Vec<Bson> = rows.into_iter().map(Bson::Document).collect();
    // `$literal`, because text of an _id that begins with a dollar sign isn't a path.
    let documents = doc! { "$documents": { "$literal": rows } };
    doc! { "aggregate": 1, "pipeline": [documents], "cursor": {} }
}

/// The effect of a TTL.
pub fn what_if(collection: &str, index: Document) -> Document {
    doc! { "mayflyWhatIf": collection, "index": index }
}

/// The expression for whether a document's own `ttl` counts: -1, or whole seconds up to the most that there are.
pub fn own_ttl_counts() -> Document {
    let is_number = doc! { "$in": [{ "$type": "$ttl" }, ["int", "long", "double"]] };
    let is_whole = doc! { "$eq": [{ "$trunc": "$ttl" }, "$ttl"] };
    let is_secs =
        doc! { "$and": [{ "$gte": ["$ttl", 1] }, { "$lte": ["$ttl", i32::MAX] }, is_whole] };
    let is_never = doc! { "$eq": ["$ttl", -1] };
    doc! { "$cond": [is_number, { "$or": [is_never, is_secs] }, false] }
}

/// When one document expires.
pub fn verdict(collection: &str, id: Bson) -> Document {
    doc! { "mayflyVerdict": collection, "id": id }
}

/// When several documents expire.
pub fn verdicts(collection: &str, ids: Vec<Bson>) -> Document {
    doc! { "mayflyVerdict": collection, "ids": ids }
}

/// Sets the date of a document, unless the field holds an array.
pub fn set_date(collection: &str, id: Bson, field: &str, now_ms: i64) -> Document {
    let filter = doc! { "_id": id, field: { "$not": { "$type": "array" } } };
    let update = doc! { "q": filter, "u": { "$set": { field: DateTime::from_millis(now_ms) } } };
    doc! { "update": collection, "updates": [update] }
}
