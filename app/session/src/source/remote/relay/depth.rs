//! How deeply a document's bytes are nested, found without recursion.

use std::ops::Range;

use crate::limits::{SERVER_LEVELS_MAX, SERVER_NESTED_MAX};

/// Bytes of a document before its first field and after its last one.
const EMPTY: usize = 5;

/// One field of a document.
enum Field {
    /// A value that holds no fields, and where the next field begins.
    Flat { next: usize },
    /// A document or an array, from its length to its end.
    Nested { level: Range<usize> },
}

/// Whether a document has more than [`SERVER_LEVELS_MAX`] levels, or more than [`SERVER_NESTED_MAX`]
/// bytes in levels that contain each other: the driver copies each of them while it decodes the
/// innermost. A level counts up to the first field that can't be read: a decoder gets no further either.
pub fn is_deep(document: &[u8]) -> bool {
    let Some(end) = end_of(document, 0, document.len()) else { return false };
    // The levels that are open, their bytes in all, and where the innermost is read on.
    let (mut levels, mut nested, mut at) = (Vec::new(), end, 4);
    levels.push(0..end);
    while let Some(level) = levels.last() {
        match field(document, at, level.end) {
            Some(Field::Flat { next }) => at = next,
            Some(Field::Nested { level }) => {
                nested += level.len();
                if levels.len() >= SERVER_LEVELS_MAX || nested > SERVER_NESTED_MAX {
                    return true;
                }
                at = level.start + 4;
                levels.push(level);
            }
            None => {
                at = level.end;
                nested -= level.len();
                levels.pop();
            }
        }
    }
    false
}

/// The field that begins at `at` in a level that ends at `end`. `None` at the level's end, and at a field
/// that can't be read.
fn field(bytes: &[u8], at: usize, end: usize) -> Option<Field> {
    let level = bytes.get(..end)?;
    let kind = *level.get(at)?;
    let value = after_text(level, at + 1)?;
    let size = match kind {
        // Undefined, null, the smallest and the largest key.
        0x06 | 0x0a | 0x7f | 0xff => 0,
        // A boolean.
        0x08 => 1,
        // A number of 32 bits.
        0x10 => 4,
        // Numbers of 64 bits, dates, timestamps.
        0x01 | 0x09 | 0x11 | 0x12 => 8,
        // An ObjectId.
        0x07 => 12,
        // A decimal.
        0x13 => 16,
        // Texts, code and symbols.
        0x02 | 0x0d | 0x0e => 4 + length(level, value)?,
        // Binary data, with a subtype.
        0x05 => 5 + length(level, value)?,
        // A pointer: a text and an ObjectId.
        0x0c => 16 + length(level, value)?,
        // An expression: two texts without a length.
        0x0b => after_text(level, after_text(level, value)?)? - value,
        // A document or an array.
        0x03 | 0x04 => {
            return Some(Field::Nested { level: value..end_of(level, value, end)? });
        }
        // Code with a scope: a length, a text, and a document up to the end.
        0x0f => {
            let end = end_of(level, value, end)?;
            let start = value + 8 + length(level, value + 4)?;
            return Some(Field::Nested { level: start..end_of(level, start, end)? });
        }
        _ => return None,
    };
    let next = value + size;
    (next <= end).then_some(Field::Flat { next })
}

/// The end of the document or array whose length is at `start`, if that is not after `end`.
fn end_of(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let length = length(bytes, start).filter(|length| *length >= EMPTY)?;
    Some(start + length).filter(|found| *found <= end)
}

/// The index after a text that ends with a zero byte.
fn after_text(bytes: &[u8], start: usize) -> Option<usize> {
    Some(start + bytes.get(start..)?.iter().position(|byte| *byte == 0)? + 1)
}

/// The length that is written at `at`.
fn length(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    // At most 2 GiB, so that sums of a few lengths don't overflow.
    usize::try_from(i32::from_le_bytes(*bytes)).ok()
}

#[cfg(test)]
mod tests {
    use bson::oid::ObjectId;
    use bson::raw::cstr;
    use bson::spec::BinarySubtype;
    use bson::{Binary, Bson, Document, JavaScriptCodeWithScope, RawDocumentBuf, Regex, doc};

    use super::*;

    fn bytes(document: &Document) -> Vec<u8> {
        RawDocumentBuf::try_from(document).expect("bytes").into_bytes()
    }

    /// A value of each kind that holds no other.
    fn flat() -> Document {
        doc! {
            "double": 1.5, "text": "a\0b", "empty": "", "bytes": Binary {
                subtype: BinarySubtype::Generic, bytes: vec![0; 3],
            },
            "undefined": Bson::Undefined, "id": ObjectId::from_bytes([0; 12]), "yes": true,
            "date": bson::DateTime::from_millis(0), "null": null,
            "expression": Regex {
                pattern: cstr!("a").into(), options: cstr!("i").into(),
            },
            "code": Bson::JavaScriptCode("f".to_owned()), "symbol": Bson::Symbol("s".to_owned()),
            "i32": 0, "time": bson::Timestamp { time: 0, increment: 0 }, "i64": 0_i64,
            "decimal": bson::Decimal128::from_bytes([0; 16]), "min": Bson::MinKey,
            "max": Bson::MaxKey, "scope": JavaScriptCodeWithScope { code: "f".to_owned(), scope: doc! {} },
        }
    }

    fn nested(levels: usize) -> Document {
        let mut inner = Bson::Array(Vec::new());
        for level in 2..levels {
            inner = match level % 3 {
                0 => Bson::Array(vec![Bson::Null, inner, Bson::Null]),
                1 => Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope {
                    code: "f".to_owned(),
                    scope: doc! { "inner": inner },
                }),
                _ => {
                    let mut outer = flat();
                    outer.insert("inner", inner);
                    outer.extend(flat().into_iter().map(|(name, value)| (name + "2", value)));
                    Bson::Document(outer)
                }
            };
        }
        doc! { "flat": flat(), "inner": inner }
    }

    #[test]
    fn only_what_is_too_deep_is_refused() {
        assert!(!is_deep(&bytes(&doc! {})));
        let (most, more) = (nested(SERVER_LEVELS_MAX), nested(SERVER_LEVELS_MAX + 1));
        assert!(!is_deep(&bytes(&most)));
        assert!(is_deep(&bytes(&more)));
        let later = doc! { "first": most, "last": more.get("inner") };
        assert!(is_deep(&bytes(&later)));
    }

    #[test]
    fn large_values_may_be_in_few_levels_only() {
        let check = |levels: usize, expected: bool| {
            let large = Binary { subtype: BinarySubtype::Generic, bytes: vec![0; 16 << 20] };
            let inner = (1..levels).fold(doc! { "a": large }, |inner, _| doc! { "a": inner });
            assert_eq!(is_deep(&bytes(&doc! { "first": inner.clone(), "next": inner })), expected);
        };
        check(60, false);
        check(70, true);
    }

    #[test]
    fn a_level_that_cannot_be_read_hides_none_after_it() {
        let (broken, deep) = (doc! { "broken": { "a": 1 } }, bytes(&nested(SERVER_LEVELS_MAX + 1)));
        let mut all = bytes(&broken);
        let kind = all.iter().rposition(|byte| *byte == b'a').expect("a name") - 1;
        all[kind] = 0x2a;
        all.pop();
        all.extend(&deep[4..]);
        let length = i32::try_from(all.len()).expect("a small document").to_le_bytes();
        all[..4].copy_from_slice(&length);
        assert!(is_deep(&all));
    }

    #[test]
    fn bytes_that_are_no_document_are_not_deep() {
        let whole = bytes(&nested(20));
        for cut in 0..whole.len() {
            assert!(!is_deep(&whole[..cut]));
        }
        for at in 0..whole.len() {
            for byte in [0, 1, 3, 4, 0x0f, 0x7f, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[at] = byte;
                assert!(!is_deep(&changed), "{at}: {byte}");
            }
        }
    }
}
