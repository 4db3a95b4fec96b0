//! Finds a field of a document by its name, without decoding the others.
//!
//! Documents are checked once, by [`super::scan::check`], and then read many times. So names that
//! are passed by are compared as bytes, and values are skipped by their lengths.

use bson::{
    DateTime,
    oid::ObjectId,
    raw::{RawArray, RawBsonRef, RawDocument},
    spec::{ElementType, ElementType as T},
};

/// The fields at the top of a document, in their order. Bytes that are not BSON end them.
pub struct Fields<'d> {
    rest: &'d [u8],
}

/// One field as the document stores it.
#[derive(Clone, Copy)]
pub struct Field<'d> {
    /// The BSON type of its value.
    pub kind: ElementType,
    /// Its name, without the NUL.
    pub name: &'d [u8],
    /// The bytes of its value.
    pub value: &'d [u8],
}

impl<'d> Fields<'d> {
    /// The fields of a document, from the first.
    pub fn of(document: &'d RawDocument) -> Self {
        Self { rest: document.as_bytes().get(4..).unwrap_or_default() }
    }

    /// The elements of this array, named by their places.
    pub fn of_array(array: &'d RawArray) -> Self {
        Self { rest: array.as_bytes().get(4..).unwrap_or_default() }
    }

    /// Whether the iterator ended at the end of the document, and not at bytes that are not BSON.
    pub fn is_at_end(&self) -> bool {
        self.rest == [0]
    }
}

impl<'d> Iterator for Fields<'d> {
    type Item = Field<'d>;

    #[expect(clippy::inline_always, reason = "a search waited for each field to be handed back")]
    #[inline(always)]
    fn next(&mut self) -> Option<Field<'d>> {
        let (&tag, rest) = self.rest.split_first()?;
        let tag = Tag::of(tag);
        let (length, _) = until_nul(rest)?;
        let (name, rest) = rest.split_at_checked(length)?;
        let rest = rest.get(1..)?;
        let (value, rest) = rest.split_at_checked(tag.value_len(rest)?)?;
        self.rest = rest;
        Some(Field { kind: tag.kind?, name, value })
    }
}

impl<'d> Field<'d> {
    /// The value, of the types that keys and filters meet most; `None` for others.
    pub fn plain_value(&self) -> Option<RawBsonRef<'d>> {
        let eight = || self.value.first_chunk::<8>().copied();
        Some(match self.kind {
            T::Double => RawBsonRef::Double(f64::from_le_bytes(eight()?)),
            T::Int64 => RawBsonRef::Int64(i64::from_le_bytes(eight()?)),
            T::DateTime => {
                RawBsonRef::DateTime(DateTime::from_millis(i64::from_le_bytes(eight()?)))
            }
            T::Int32 => RawBsonRef::Int32(i32::from_le_bytes(*self.value.first_chunk()?)),
            T::ObjectId => RawBsonRef::ObjectId(ObjectId::from_bytes(*self.value.first_chunk()?)),
            T::Boolean => match self.value {
                [0] => RawBsonRef::Boolean(false),
                [1] => RawBsonRef::Boolean(true),
                _ => return None,
            },
            T::Null => RawBsonRef::Null,
            T::String => {
                let (nul, text) = self.value.get(4..)?.split_last()?;
                RawBsonRef::String(str::from_utf8(text).ok().filter(|_| *nul == 0)?)
            }
            T::EmbeddedDocument => RawBsonRef::Document(RawDocument::from_bytes(self.value).ok()?),
            _ => return None,
        })
    }
}

/// The value of the first field with this name, as [`RawDocument::get`] gives it for a checked
/// document.
pub fn field<'d>(document: &'d RawDocument, name: &str) -> Option<RawBsonRef<'d>> {
    let found = Fields::of(document).find(|field| field.name == name.as_bytes())?;
    found.plain_value().or_else(|| document.get(name).ok().flatten())
}

/// The meaning of the first byte of an element. It is looked up in a table, because fields of many
/// types come one after the other.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    /// The type; `None` if BSON has no such type.
    pub(super) kind: Option<ElementType>,
    /// How many bytes a value has; `None` if its length is in the value.
    pub(super) bytes: Option<u8>,
}

impl Tag {
    const UNKNOWN: Self = Self { kind: None, bytes: None };
    const ALL: [Self; 256] = Self::all();

    #[inline]
    pub(super) fn of(tag: u8) -> Self {
        Self::ALL.get(usize::from(tag)).copied().unwrap_or(Self::UNKNOWN)
    }

    #[expect(clippy::indexing_slicing, reason = "run by the compiler, which refuses a wrong index")]
    const fn all() -> [Self; 256] {
        const KINDS: [(ElementType, Option<u8>); 21] = [
            (T::Double, Some(8)),
            (T::Int64, Some(8)),
            (T::DateTime, Some(8)),
            (T::Timestamp, Some(8)),
            (T::Int32, Some(4)),
            (T::ObjectId, Some(12)),
            (T::Decimal128, Some(16)),
            (T::Boolean, Some(1)),
            (T::Null, Some(0)),
            (T::Undefined, Some(0)),
            (T::MinKey, Some(0)),
            (T::MaxKey, Some(0)),
            (T::String, None),
            (T::JavaScriptCode, None),
            (T::Symbol, None),
            (T::EmbeddedDocument, None),
            (T::Array, None),
            (T::JavaScriptCodeWithScope, None),
            (T::Binary, None),
            (T::DbPointer, None),
            (T::RegularExpression, None),
        ];
        let mut all = [Self::UNKNOWN; 256];
        let mut at = 0;
        while at < KINDS.len() {
            let (kind, bytes) = KINDS[at];
            all[kind as usize] = Self { kind: Some(kind), bytes };
            at += 1;
        }
        all
    }

    /// How many bytes a value of this type has that begins here.
    #[inline]
    fn value_len(self, bytes: &[u8]) -> Option<usize> {
        if let Some(bytes) = self.bytes {
            return Some(usize::from(bytes));
        }
        let length = || {
            let length = i32::from_le_bytes(*bytes.first_chunk()?);
            usize::try_from(length).ok()
        };
        match self.kind? {
            T::String | T::JavaScriptCode | T::Symbol => length()?.checked_add(4),
            T::EmbeddedDocument | T::Array | T::JavaScriptCodeWithScope => length(),
            T::Binary => length()?.checked_add(5),
            T::DbPointer => length()?.checked_add(16),
            T::RegularExpression => {
                let (pattern, _) = until_nul(bytes)?;
                let (options, _) = until_nul(bytes.get(pattern + 1..)?)?;
                Some(pattern + options + 2)
            }
            _ => None,
        }
    }
}

/// How many bytes there are before the first NUL, and whether all of them are ASCII.
#[inline]
pub(super) fn until_nul(bytes: &[u8]) -> Option<(usize, bool)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let (words, rest) = bytes.as_chunks::<8>();
    let (mut at, mut high) = (0, 0);
    for word in words {
        let word = u64::from_le_bytes(*word);
        let nul = word.wrapping_sub(ONES) & !word & HIGH;
        if nul != 0 {
            let inside = nul.trailing_zeros() / u8::BITS;
            let before = word & !(u64::MAX << (inside * u8::BITS));
            return Some((at + inside as usize, (high | before) & HIGH == 0));
        }
        high |= word;
        at += 8;
    }
    let inside = rest.iter().position(|byte| *byte == 0)?;
    let is_ascii = high & HIGH == 0 && rest.iter().take(inside).all(u8::is_ascii);
    Some((at + inside, is_ascii))
}

#[inline]
pub(super) fn is_ascii(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    let high = words.iter().fold(0, |high, word| high | u64::from_le_bytes(*word));
    high & 0x8080_8080_8080_8080 == 0 && rest.iter().all(u8::is_ascii)
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Document, RawDocumentBuf, doc};

    use super::*;

    fn all_types() -> RawDocumentBuf {
        let mut document = doc! {
            "double": 1.5, "string": "grün", "empty": "", "document": { "a": { "b": 1 } },
            "array": [1, "x", []], "": "no name", "oid": ObjectId::from_bytes([7; 12]),
            "true": true, "false": false, "date": DateTime::from_millis(-5), "null": null,
            "int": 7, "long": 7_i64, "name of more than eight bytes": 1, "größe": 2,
        };
        let more = [
            Bson::Undefined,
            Bson::MinKey,
            Bson::MaxKey,
            Bson::Symbol("s".to_owned()),
            Bson::JavaScriptCode("c".to_owned()),
            Bson::Timestamp(bson::Timestamp { time: 1, increment: 2 }),
            Bson::Decimal128("1.5".parse().expect("a number")),
            Bson::Binary(bson::Binary { subtype: 0.into(), bytes: vec![1, 2, 3] }),
            Bson::RegularExpression(bson::Regex {
                pattern: bson::raw::CString::try_from("^a").expect("plain"),
                options: bson::raw::CString::try_from("i").expect("plain"),
            }),
            Bson::JavaScriptCodeWithScope(bson::JavaScriptCodeWithScope {
                code: "c".to_owned(),
                scope: Document::new(),
            }),
        ];
        for (number, value) in more.into_iter().enumerate() {
            document.insert(format!("more{number}"), value);
        }
        document.insert("last", 1);
        RawDocumentBuf::try_from(&document).expect("plain")
    }

    #[test]
    fn every_field_is_what_the_library_gives() {
        let document = all_types();
        let names: Vec<&str> =
            document.iter().map(|field| field.expect("one").0.as_str()).collect();
        for name in names.iter().copied().chain(["absent", "doubl", "doubles"]) {
            assert_eq!(field(&document, name), document.get(name).expect("whole"), "{name:?}");
        }
        let walked: Vec<&[u8]> = Fields::of(&document).map(|field| field.name).collect();
        assert_eq!(walked, names.iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
    }

    #[test]
    fn damaged_bytes_end_the_fields() {
        let whole = all_types();
        for at in 4..whole.as_bytes().len() - 1 {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut bytes = whole.as_bytes().to_vec();
                bytes[at] = byte;
                let Ok(document) = RawDocument::from_bytes(&bytes) else { continue };
                for name in ["last", "more9", "absent"] {
                    let _ = field(document, name);
                }
            }
        }
    }

    #[test]
    fn names_end_at_the_first_nul() {
        let check = |bytes: &[u8], expected: Option<(usize, bool)>| {
            assert_eq!(until_nul(bytes), expected, "{bytes:?}");
        };
        check(b"", None);
        check(b"12345678", None);
        check(b"\0", Some((0, true)));
        check(b"1234567\0\xff", Some((7, true)));
        check(b"12345678\0", Some((8, true)));
        check(b"1234567890\0xyz\xff\0", Some((10, true)));
        check(b"gr\xc3\xbcn\0", Some((5, false)));
        check(b"\x01\x00\xff\xff\xff\xff\xff\xff\0", Some((1, true)));
        check(b"12345678gr\xc3\xbcn\0xyz", Some((13, false)));
        for length in 0..40 {
            let mut text = vec![b'a'; length];
            assert!(is_ascii(&text));
            if let Some(last) = text.last_mut() {
                *last = 0x80;
                assert!(!is_ascii(&text));
            }
        }
    }
}
