//! Metadata in a form in which equal ones have equal bytes.

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{RawArray, RawBson, RawBsonRef, RawDocument},
};

/// The value with the fields of all documents in it in order of their names. Its depth is bounded
/// by the scan that the value went through.
pub fn normalized(value: RawBsonRef<'_>) -> RawBson {
    match value {
        RawBsonRef::Document(document) => RawBson::Document(sorted(document)),
        RawBsonRef::Array(array) => RawBson::Array(elements(array)),
        other => other.into(),
    }
}

fn sorted(document: &RawDocument) -> RawDocumentBuf {
    let mut fields: Vec<_> = document.iter().filter_map(Result::ok).collect();
    fields.sort_by_key(|(name, _)| name.as_str());
    let mut ordered = RawDocumentBuf::new();
    for (name, value) in fields {
        ordered.append(name, normalized(value));
    }
    ordered
}

fn elements(array: &RawArray) -> RawArrayBuf {
    let mut ordered = RawArrayBuf::new();
    for value in array.into_iter().filter_map(Result::ok) {
        ordered.push(normalized(value));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use bson::{Document, doc};

    use super::*;

    #[track_caller]
    fn check(given: &Document, expected: &Document) {
        let raw = RawDocumentBuf::try_from(given).expect("a document");
        let RawBson::Document(found) = normalized(RawBsonRef::Document(&raw)) else {
            panic!("a document stays one");
        };
        assert_eq!(found, RawDocumentBuf::try_from(expected).expect("a document"));
    }

    #[test]
    fn fields_are_put_in_order_at_every_level() {
        check(&doc! { "b": 1, "a": 2 }, &doc! { "a": 2, "b": 1 });
        check(&doc! { "b": { "z": 1, "y": 2 } }, &doc! { "b": { "y": 2, "z": 1 } });
        check(&doc! { "a": [2, { "d": 1, "c": 1 }, 1] }, &doc! { "a": [2, { "c": 1, "d": 1 }, 1] });
        check(&doc! {}, &doc! {});
    }
}
