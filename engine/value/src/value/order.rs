//! MongoDB's order over all BSON values.
//!
//! Values of different classes sort by class; see [`type_rank`]. Within a class: numbers by value
//! whatever their type, `NaN` below all, `-0` equal to `0`; strings and symbols by their bytes, or
//! by a collation;
//! binary data by length, then subtype, then bytes; documents and arrays element by element, where
//! the shorter one comes first if it is a beginning of the longer.

use std::cmp::Ordering;

use bson::{
    raw::{RawBinaryRef, RawBsonRef, RawDocument, RawIter},
    spec::BinarySubtype,
};

use super::{
    collation::{Collation, Simple, TextOrder},
    db_pointer,
    number::Number,
};

/// Class of an undefined value, just below null.
pub const RANK_UNDEFINED: u8 = 3;
/// Class of null.
pub const RANK_NULL: u8 = 5;
/// Class of numbers.
pub const RANK_NUMBER: u8 = 10;
/// Class of strings and symbols.
pub const RANK_TEXT: u8 = 15;
/// Class of dates.
pub const RANK_DATE: u8 = 45;
/// The class of `ObjectId`s.
pub const RANK_OBJECT_ID: u8 = 35;

/// Two documents or arrays whose elements are being compared.
struct Pair<'v> {
    a: RawIter<'v>,
    b: RawIter<'v>,
    names: bool,
}

/// Compares two values as MongoDB sorts them.
pub fn compare(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> Ordering {
    compare_by(a, b, &Simple)
}

/// Compares two values as MongoDB sorts them with a collation.
pub fn compare_in(a: RawBsonRef<'_>, b: RawBsonRef<'_>, collation: Option<&Collation>) -> Ordering {
    match collation {
        None => compare(a, b),
        Some(collation) => compare_by(a, b, collation),
    }
}

/// The comparison, compiled once for each way to compare text.
pub(crate) fn compare_by(a: RawBsonRef<'_>, b: RawBsonRef<'_>, text: &impl TextOrder) -> Ordering {
    let mut open = Vec::new();
    type_rank(a)
        .cmp(&type_rank(b))
        .then_with(|| compare_same_rank(a, b, &mut open, text))
        // Everything that was nested and is still undecided.
        .then_with(|| compare_open(open, text))
}

/// Compares two documents field by field: class of the value, then name, then value.
pub fn compare_documents(a: &RawDocument, b: &RawDocument) -> Ordering {
    compare(RawBsonRef::Document(a), RawBsonRef::Document(b))
}

/// The class of a value in MongoDB's order, with MongoDB's own class numbers (`MinKey` 1 …
/// Date 45, Timestamp 47 … `MaxKey` 127). Undefined (3) sorts just below null (5).
pub fn type_rank(value: RawBsonRef<'_>) -> u8 {
    match value {
        RawBsonRef::MinKey => 1,
        RawBsonRef::Undefined => RANK_UNDEFINED,
        RawBsonRef::Null => RANK_NULL,
        RawBsonRef::Int32(_)
        | RawBsonRef::Int64(_)
        | RawBsonRef::Double(_)
        | RawBsonRef::Decimal128(_) => RANK_NUMBER,
        RawBsonRef::String(_) | RawBsonRef::Symbol(_) => RANK_TEXT,
        RawBsonRef::Document(_) => 20,
        RawBsonRef::Array(_) => 25,
        RawBsonRef::Binary(_) => 30,
        RawBsonRef::ObjectId(_) => RANK_OBJECT_ID,
        RawBsonRef::Boolean(_) => 40,
        RawBsonRef::DateTime(_) => RANK_DATE,
        RawBsonRef::Timestamp(_) => 47,
        RawBsonRef::RegularExpression(_) => 50,
        RawBsonRef::DbPointer(_) => 55,
        RawBsonRef::JavaScriptCode(_) => 60,
        RawBsonRef::JavaScriptCodeWithScope(_) => 65,
        RawBsonRef::MaxKey => 127,
    }
}

/// Whether MongoDB takes the two for the same value: `1`, `1.0` and `NumberLong(1)` are.
pub fn same_value(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> bool {
    compare(a, b) == Ordering::Equal
}

/// Whether MongoDB takes the two for the same value with a collation.
pub fn same_value_in(a: RawBsonRef<'_>, b: RawBsonRef<'_>, collation: Option<&Collation>) -> bool {
    compare_in(a, b, collation) == Ordering::Equal
}

/// The next element; bytes that are not BSON end the document.
pub(super) fn next_element<'v>(iter: &mut RawIter<'v>) -> Option<(&'v str, RawBsonRef<'v>)> {
    let element = iter.next()?.ok()?;
    Some((element.key().as_str(), element.value().ok()?))
}

fn compare_open(mut open: Vec<Pair<'_>>, text: &impl TextOrder) -> Ordering {
    while let Some(pair) = open.last_mut() {
        let names = pair.names;
        match (next_element(&mut pair.a), next_element(&mut pair.b)) {
            (None, None) => {
                open.pop();
            }
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some((a_name, a)), Some((b_name, b))) => {
                let order = type_rank(a)
                    .cmp(&type_rank(b))
                    .then_with(|| if names { a_name.cmp(b_name) } else { Ordering::Equal })
                    .then_with(|| compare_same_rank(a, b, &mut open, text));
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
    Ordering::Equal
}

/// Compares two values of one class. What is nested is put on `open` and counts as equal so far.
fn compare_same_rank<'v>(
    a: RawBsonRef<'v>,
    b: RawBsonRef<'v>,
    open: &mut Vec<Pair<'v>>,
    text: &impl TextOrder,
) -> Ordering {
    use RawBsonRef as V;
    let documents = |a: &'v RawDocument, b: &'v RawDocument| Pair {
        a: a.iter_elements(),
        b: b.iter_elements(),
        names: true,
    };
    match (a, b) {
        (V::String(a) | V::Symbol(a), V::String(b) | V::Symbol(b)) => text.compare(a, b),
        (V::JavaScriptCode(a), V::JavaScriptCode(b)) => a.cmp(b),
        (V::Document(a), V::Document(b)) => {
            if a.as_bytes() != b.as_bytes() {
                open.push(documents(a, b));
            }
            Ordering::Equal
        }
        (V::Array(a), V::Array(b)) => {
            if a.as_bytes() != b.as_bytes() {
                open.push(Pair { a: a.iter_elements(), b: b.iter_elements(), names: false });
            }
            Ordering::Equal
        }
        (V::Binary(a), V::Binary(b)) => binary_length(a)
            .cmp(&binary_length(b))
            .then_with(|| u8::from(a.subtype).cmp(&u8::from(b.subtype)))
            .then_with(|| a.bytes.cmp(b.bytes)),
        (V::ObjectId(a), V::ObjectId(b)) => a.bytes().cmp(&b.bytes()),
        (V::Boolean(a), V::Boolean(b)) => a.cmp(&b),
        (V::DateTime(a), V::DateTime(b)) => a.timestamp_millis().cmp(&b.timestamp_millis()),
        (V::Timestamp(a), V::Timestamp(b)) => (a.time, a.increment).cmp(&(b.time, b.increment)),
        (V::RegularExpression(a), V::RegularExpression(b)) => {
            a.pattern.cmp(b.pattern).then_with(|| a.options.cmp(b.options))
        }
        (V::JavaScriptCodeWithScope(a), V::JavaScriptCodeWithScope(b)) => {
            open.push(documents(a.scope, b.scope));
            a.code.cmp(b.code)
        }
        (V::DbPointer(_), V::DbPointer(_)) => compare_db_pointers(a, b),
        _ => compare_numbers(a, b),
    }
}

/// Length of binary data as it is stored.
pub(super) fn binary_length(binary: RawBinaryRef<'_>) -> usize {
    // The old subtype 2 repeats its length inside.
    binary.bytes.len() + if binary.subtype == BinarySubtype::BinaryOld { 4 } else { 0 }
}

fn compare_db_pointers(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> Ordering {
    let key = |value| {
        db_pointer::parts(value)
            .map(|(name, id)| (name.len(), name, id.bytes()))
            .unwrap_or_default()
    };
    key(a).cmp(&key(b))
}

fn compare_numbers(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> Ordering {
    use RawBsonRef as V;
    match (a, b) {
        (V::Int32(a), V::Int32(b)) => a.cmp(&b),
        (V::Int64(a), V::Int64(b)) => a.cmp(&b),
        (V::Int32(a), V::Int64(b)) => i64::from(a).cmp(&b),
        (V::Int64(a), V::Int32(b)) => a.cmp(&i64::from(b)),
        (V::Double(a), V::Double(b)) if !a.is_nan() && !b.is_nan() => {
            a.partial_cmp(&b).unwrap_or(Ordering::Equal)
        }
        _ => Number::of(a).cmp(&Number::of(b)),
    }
}
