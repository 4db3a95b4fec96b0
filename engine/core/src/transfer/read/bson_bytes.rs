//! BSON written field by field, without a value for each in between.

use bson::raw::{RawBson, RawDocumentBuf, cstr};

const DOUBLE: u8 = 0x01;
const STRING: u8 = 0x02;
pub(in crate::transfer) const DOCUMENT: u8 = 0x03;
pub(in crate::transfer) const ARRAY: u8 = 0x04;
const NULL: u8 = 0x0a;
const INT32: u8 = 0x10;
const INT64: u8 = 0x12;

/// Appends the type and the name of a field, whose value follows. The name has no zero byte.
pub(in crate::transfer) fn begin_field(kind: u8, name: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(name);
    out.push(0);
}

fn append_fixed(kind: u8, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    begin_field(kind, name, out);
    out.extend_from_slice(value);
}

pub(in crate::transfer) fn append_null(name: &[u8], out: &mut Vec<u8>) {
    begin_field(NULL, name, out);
}

pub(in crate::transfer) fn append_int32(name: &[u8], value: i32, out: &mut Vec<u8>) {
    append_fixed(INT32, name, &value.to_le_bytes(), out);
}

pub(in crate::transfer) fn append_int64(name: &[u8], value: i64, out: &mut Vec<u8>) {
    append_fixed(INT64, name, &value.to_le_bytes(), out);
}

pub(in crate::transfer) fn append_double(name: &[u8], value: f64, out: &mut Vec<u8>) {
    append_fixed(DOUBLE, name, &value.to_le_bytes(), out);
}

pub(in crate::transfer) fn append_text(name: &[u8], text: &str, out: &mut Vec<u8>) {
    begin_field(STRING, name, out);
    let length = i32::try_from(text.len() + 1).unwrap_or(i32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Appends a value of any type.
pub(in crate::transfer) fn append_value(name: &[u8], value: RawBson, out: &mut Vec<u8>) {
    let mut one = RawDocumentBuf::new();
    one.append(cstr!(""), value);
    // Length, type, the name's end; then the value and the document's end.
    if let [_, _, _, _, kind, 0, value @ .., 0] = one.as_bytes() {
        append_fixed(*kind, name, value, out);
    }
}

/// Begins a document or an array. Returns where, for [`end`].
pub(in crate::transfer) fn begin(out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    start
}

/// Ends the document that starts here with its length.
pub(in crate::transfer) fn end(out: &mut Vec<u8>, start: usize) {
    out.push(0);
    let length = i32::try_from(out.len() - start).unwrap_or(i32::MAX);
    if let Some(prefix) = out.get_mut(start..start + 4) {
        prefix.copy_from_slice(&length.to_le_bytes());
    }
}
