//! Why documents never expire, in words and as filters that find them.

use bson::{Bson, doc};
use mayfly_engine::value::extjson::Layout;

use super::indexes::TtlIndex;

/// A reason code in words, after the number of documents.
#[must_use]
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

/// The filter, as typed in the Documents view, for documents that never expire for a reason.
/// `None` when no filter can say it.
#[must_use]
pub fn reason_filter(code: &str, field: &str) -> Option<String> {
    let field =
        mayfly_engine::value::shell::write_value(&Bson::String(field.to_owned()), Layout::OneLine);
    let test = match code {
        "fieldMissing" => "{ $exists: false }",
        "null" => "{ $type: 'null' }",
        "number" => "{ $type: 'number' }",
        "string" => "{ $type: 'string' }",
        "bool" => "{ $type: 'bool' }",
        "objectId" => "{ $type: 'objectId' }",
        "timestamp" => "{ $type: 'timestamp' }",
        "document" => "{ $type: 'object' }",
        "arrayEmpty" => "{ $size: 0 }",
        "arrayWithoutDates" => "{ $type: 'array', $not: { $type: 'date' }, $ne: [] }",
        "ownTtlNever" => return Some("{ ttl: -1 }".to_owned()),
        _ => return None,
    };
    Some(format!("{{ {field}: {test} }}"))
}

/// A filter in shell text for the documents of a TTL index that are past their threshold at
/// `now_ms`, or not yet. `None` for an index on the last modification, which no filter reads.
#[must_use]
pub fn phase_filter(index: &TtlIndex, overdue: bool, now_ms: i64) -> Option<String> {
    if index.field == "_ts" {
        return None;
    }
    let limit_ms = now_ms.saturating_sub(index.secs.saturating_mul(1_000));
    let limit = Bson::DateTime(bson::DateTime::from_millis(limit_ms));
    // The earliest date of an array counts: one date at or before the limit makes the document
    // overdue.
    let test = if overdue {
        doc! { "$lte": limit }
    } else {
        doc! { "$gt": limit.clone(), "$not": { "$lte": limit } }
    };
    let filter = Bson::Document(doc! { &index.field: test });
    Some(mayfly_engine::value::shell::write_value(&filter, Layout::OneLine))
}

/// A filter in shell text for the documents of a TTL index whose threshold is in a range, in
/// milliseconds since 1970. `None` for an index on the last modification, which no filter reads.
#[must_use]
pub fn range_filter(index: &TtlIndex, from_ms: i64, to_ms: i64) -> Option<String> {
    if index.field == "_ts" {
        return None;
    }
    let date = |ms: i64| {
        let base_ms = ms.saturating_sub(index.secs.saturating_mul(1_000));
        Bson::DateTime(bson::DateTime::from_millis(base_ms))
    };
    // The earliest date of an array counts.
    let test = doc! { "$lt": date(to_ms), "$not": { "$lt": date(from_ms) } };
    let filter = Bson::Document(doc! { &index.field: test });
    Some(mayfly_engine::value::shell::write_value(&filter, Layout::OneLine))
}
