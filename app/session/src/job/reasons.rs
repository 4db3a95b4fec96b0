//! Why documents never expire, in words and as filters that find them.

use bson::{Document, doc};

/// The code of documents that were counted, and of which a sample has none.
pub const UNKNOWN_REASON: &str = "unknown";

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
        UNKNOWN_REASON => "cause not in the sample",
        "beyondTime" => "after the latest possible date",
        other => other,
    }
}

/// The filter for documents that never expire for a reason, by a rule on a field. `None` when no filter can say it.
///
/// A test of a field also looks at the elements of an array, and an array with a date expires. An array along a dotted
/// path makes an array of the field, and such a one has no filter. Neither have the deprecated types undefined and
/// symbol.
pub fn reason_filter(code: &str, field: &str, partial: Option<&Document>) -> Option<Document> {
    if code == "outsidePartialFilter" {
        return partial.map(|partial| doc! { "$nor": [partial.clone()] });
    }
    let no_array = doc! { "$type": "array" };
    let mut filter = match code {
        "fieldMissing" => doc! { field: { "$exists": false } },
        "null" | "number" | "string" | "bool" | "objectId" | "timestamp" => {
            doc! { field: { "$type": code, "$not": no_array.clone() } }
        }
        "document" => doc! { field: { "$type": "object", "$not": no_array.clone() } },
        "arrayEmpty" => doc! { field: { "$size": 0 } },
        "arrayWithoutDates" => doc! {
            field: { "$type": "array", "$not": { "$type": "date" } },
            format!("{field}.0"): { "$exists": true },
        },
        UNKNOWN_REASON => doc! { field: { "$not": { "$type": "date" } } },
        "ownTtlNever" => doc! { "ttl": { "$eq": -1, "$not": { "$type": ["array", "decimal"] } } },
        _ => return None,
    };
    if !matches!(code, "fieldMissing" | "ownTtlNever" | UNKNOWN_REASON) {
        for (end, _) in field.match_indices('.') {
            filter.insert(&field[..end], doc! { "$not": no_array.clone() });
        }
    }
    Some(match partial {
        Some(partial) => doc! { "$and": [partial.clone(), filter] },
        None => filter,
    })
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, RawDocumentBuf, Timestamp, oid::ObjectId};
    use mayfly_engine::query::Filter;
    use mayfly_engine::ttl::Expiry;
    use proptest::prelude::*;

    use super::*;
    use crate::job::due::TtlIndex;

    /// The reasons that a filter can say.
    const SAID: [&str; 11] = [
        "fieldMissing",
        "null",
        "number",
        "string",
        "bool",
        "objectId",
        "timestamp",
        "document",
        "arrayEmpty",
        "arrayWithoutDates",
        "outsidePartialFilter",
    ];

    fn value() -> impl Strategy<Value = Bson> {
        let date = Just(Bson::DateTime(DateTime::from_millis(5)));
        let leaf = prop_oneof![
            2 => date,
            1 => Just(Bson::Null),
            1 => prop_oneof![Just(Bson::Int32(5)), Just(Bson::Int64(5)), Just(Bson::Double(0.5))],
            1 => Just(Bson::from("2026-01-02")),
            1 => any::<bool>().prop_map(Bson::Boolean),
            1 => Just(Bson::ObjectId(ObjectId::from_bytes([7; 12]))),
            1 => Just(Bson::Timestamp(Timestamp { time: 5, increment: 1 })),
            1 => Just(Bson::MinKey),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            let name = prop_oneof![3 => Just("at"), 1 => Just("0"), 1 => Just("by")];
            let fields = prop::collection::vec((name, inner.clone()), 0..3);
            prop_oneof![
                prop::collection::vec(inner, 0..3).prop_map(Bson::Array),
                fields.prop_map(|fields| {
                    let named = fields.into_iter().map(|(name, value)| (name.to_owned(), value));
                    Bson::Document(named.collect())
                }),
            ]
        })
    }

    /// Whether a dotted path leads through an array.
    fn leads_through_an_array(document: &Document, field: &str) -> bool {
        let top = field.split_once('.').and_then(|(top, _)| document.get(top));
        top.is_some_and(|value| matches!(value, Bson::Array(_)))
    }

    proptest! {
        #[test]
        fn a_filter_finds_just_the_documents_with_its_reason(
            top in prop::option::of(value()),
            field in prop_oneof![Just("end"), Just("end.at")],
            paid in any::<bool>(),
            is_partial in any::<bool>(),
        ) {
            let mut document = doc! { "_id": 1, "paid": paid };
            document.extend(top.map(|top| ("end".to_owned(), top)));
            let mut index = doc! { "name": "i", "key": { field: 1 }, "expireAfterSeconds": 0 };
            let partial = is_partial.then(|| doc! { "paid": true });
            index.extend(
                partial.clone().map(|partial| ("partialFilterExpression".to_owned(), partial.into())),
            );
            let rule = TtlIndex::read(&index).expect("a rule");
            let raw = RawDocumentBuf::try_from(&document).expect("BSON");
            let reason = match rule.verdict(&raw) {
                Expiry::Never(reason) => reason.code(),
                Expiry::At(_) => "",
            };
            if let Some(filter) = reason_filter(UNKNOWN_REASON, field, partial.as_ref()) {
                let parsed = RawDocumentBuf::try_from(&filter).expect("BSON");
                let is_found = Filter::parse(&parsed).expect("a filter").covers(&raw);
                let is_any = !matches!(reason, "" | "outsidePartialFilter");
                prop_assert_eq!(is_found, is_any, "{} {}", reason, filter);
            }
            for code in SAID {
                let Some(filter) = reason_filter(code, field, partial.as_ref()) else { continue };
                let parsed = RawDocumentBuf::try_from(&filter).expect("BSON");
                let is_found = Filter::parse(&parsed).expect("a filter").covers(&raw);
                let is_unsaid = code.starts_with("array") && leads_through_an_array(&document, field);
                if !is_unsaid || is_found {
                    prop_assert_eq!(is_found, code == reason, "{} {} {}", code, reason, filter);
                }
            }
        }
    }
}
