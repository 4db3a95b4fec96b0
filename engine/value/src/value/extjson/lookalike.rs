//! Documents that Extended JSON can't tell from values: it has no escape for the names of its
//! types.

use bson::raw::{RawBsonRef, RawDocument};

use crate::value::text::WRAPPERS;

/// Whether an embedded document begins with a name such as `$date`. Written as Extended JSON and
/// read again it becomes a value of that type, or is refused.
pub fn reads_otherwise(document: &RawDocument) -> bool {
    // Hardly any document has such a byte.
    memchr::memchr(b'$', document.as_bytes()).is_some() && holds_lookalike(document)
}

fn holds_lookalike(document: &RawDocument) -> bool {
    document.iter().filter_map(Result::ok).any(|(_, value)| is_or_holds_lookalike(value))
}

fn is_or_holds_lookalike(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Document(inner) => {
            let first = inner.iter().next().and_then(Result::ok);
            first.is_some_and(|(name, _)| WRAPPERS.contains(&name.as_str()))
                || holds_lookalike(inner)
        }
        RawBsonRef::Array(items) => {
            items.into_iter().filter_map(Result::ok).any(is_or_holds_lookalike)
        }
        RawBsonRef::JavaScriptCodeWithScope(code) => holds_lookalike(code.scope),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, RawDocumentBuf, doc};

    use super::*;
    use crate::value::extjson::{Layout, Style, read_document, write_document};

    fn raw(document: &bson::Document) -> RawDocumentBuf {
        RawDocumentBuf::try_from(document).expect("raw")
    }

    #[test]
    fn the_names_are_those_that_the_reader_takes_for_a_type() {
        let check = |name: &str, expected: bool| {
            let document = raw(&doc! { "v": { name: [] } });
            assert_eq!(reads_otherwise(&document), expected, "{name}");
            let text = write_document(&document, Style::Canonical, Layout::OneLine);
            assert_eq!(read_document(&text).as_ref() != Ok(&document), expected, "{name}");
        };
        for name in WRAPPERS {
            check(name, true);
        }
        for name in ["$ref", "$id", "$db", "$regex", "$options", "$type", "$x", "date", ""] {
            check(name, false);
        }
    }

    #[test]
    fn lookalikes_are_found_wherever_they_stand() {
        let date = || doc! { "$date": "2026-01-01T00:00:00Z" };
        let check = |document: bson::Document, expected: bool| {
            assert_eq!(reads_otherwise(&raw(&document)), expected, "{document}");
        };
        check(doc! { "v": date() }, true);
        check(doc! { "v": [1, [date()]] }, true);
        check(doc! { "a": { "b": { "v": date() } } }, true);
        check(doc! { "_id": date() }, true);
        let code = |scope| {
            Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope {
                code: "x".to_owned(),
                scope,
            })
        };
        check(doc! { "v": code(doc! { "a": date() }) }, true);
        // A document itself is never taken for a value, nor is a name after another one.
        check(date(), false);
        check(doc! { "v": code(date()) }, false);
        check(doc! { "v": { "a": 1, "$date": 2 } }, false);
        check(doc! { "v": "$date" }, false);
    }
}
