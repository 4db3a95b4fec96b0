//! Why documents never expire, in words and as filters that find them.

use bson::{Bson, Document, doc};
use mayfly_engine::value::extjson::Layout;

use super::Tab;
use super::indexes::TtlIndex;
use crate::job::reasons;
pub use crate::job::reasons::reason_label;

/// The TTL indexes that the Expiry view of a tab shows.
pub fn shown_indexes(open: &Tab) -> Vec<TtlIndex> {
    let mut ttl = open.indexes.ttl();
    ttl.retain(|index| open.expiry.shows(&index.name));
    ttl
}

/// The index whose reasons are shown: the only one that is shown. Each index has its own.
pub fn index_of_reasons(open: &Tab) -> Option<TtlIndex> {
    let mut shown = shown_indexes(open);
    shown.pop().filter(|_| shown.is_empty())
}

/// The filter, as typed in the Documents view, for documents that never expire by an index for a reason.
/// `None` when no filter can say it.
pub fn reason_filter(code: &str, index: &TtlIndex) -> Option<String> {
    reasons::reason_filter(code, &index.field, index.partial.as_ref()).map(shell)
}

/// A filter in shell text for the documents of a TTL index that are past their threshold at
/// `now_ms`, or not yet. `None` for an index on the last modification, which no filter reads.
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
    Some(shell(covered(index, test)))
}

/// A filter in shell text for the documents whose earliest threshold by these TTL indexes is in a
/// range, from the first instant on and before the second, in milliseconds since 1970. `None` without
/// an index, and for one on the last modification, which no filter reads.
pub fn range_filter(indexes: &[TtlIndex], from_ms: i64, to_ms: i64) -> Option<String> {
    if indexes.iter().any(|index| index.field == "_ts") {
        return None;
    }
    let before = |index: &TtlIndex, ms: i64| {
        let base_ms = ms.saturating_sub(index.secs.saturating_mul(1_000));
        doc! { "$lt": Bson::DateTime(bson::DateTime::from_millis(base_ms)) }
    };
    // The earliest date of an array counts.
    if let [index] = indexes {
        let mut test = before(index, to_ms);
        test.insert("$not", before(index, from_ms));
        return Some(shell(covered(index, test)));
    }
    let each = |ms: i64| -> Vec<Bson> {
        indexes.iter().map(|index| covered(index, before(index, ms)).into()).collect()
    };
    (!indexes.is_empty()).then(|| shell(doc! { "$or": each(to_ms), "$nor": each(from_ms) }))
}

/// The documents of a TTL index whose field passes a test.
fn covered(index: &TtlIndex, test: Document) -> Document {
    let test = doc! { &index.field: test };
    match &index.partial {
        Some(partial) => doc! { "$and": [partial.clone(), test] },
        None => test,
    }
}

fn shell(filter: Document) -> String {
    mayfly_engine::value::shell::write_value(&Bson::Document(filter), Layout::OneLine)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(field: &str, secs: i64) -> TtlIndex {
        TtlIndex { name: format!("{field}_1"), field: field.to_owned(), secs, partial: None }
    }

    #[test]
    fn the_filter_of_a_range_is_about_the_earliest_threshold() {
        let filter = |indexes: &[TtlIndex]| range_filter(indexes, 60_000, 120_000);
        let (one, other) = (index("a", 60), index("b", 0));
        assert_eq!(
            filter(std::slice::from_ref(&one)).as_deref(),
            Some(
                "{ a: { $lt: ISODate('1970-01-01T00:01:00.000Z'), $not: { $lt: \
                 ISODate('1970-01-01T00:00:00.000Z') } } }"
            )
        );
        assert_eq!(
            filter(&[one.clone(), other]).as_deref(),
            Some(
                "{ $or: [ { a: { $lt: ISODate('1970-01-01T00:01:00.000Z') } }, { b: { $lt: \
                 ISODate('1970-01-01T00:02:00.000Z') } } ], $nor: [ { a: { $lt: \
                 ISODate('1970-01-01T00:00:00.000Z') } }, { b: { $lt: \
                 ISODate('1970-01-01T00:01:00.000Z') } } ] }"
            )
        );
        let partial = TtlIndex { partial: Some(doc! {"done": true}), ..one };
        let words = filter(std::slice::from_ref(&partial)).expect("a filter");
        assert!(words.starts_with("{ $and: [ { done: true }, { a: { $lt: "), "{words}");
        let words = reason_filter("null", &partial).expect("a filter");
        assert!(words.starts_with("{ $and: [ { done: true }, { a: { $type: 'null', "), "{words}");
        let words = phase_filter(&partial, true, 60_000).expect("a filter");
        assert!(words.starts_with("{ $and: [ { done: true }, { a: { $lte: "), "{words}");
        assert_eq!(filter(&[index("_ts", 60)]), None);
        assert_eq!(filter(&[]), None);
    }
}
