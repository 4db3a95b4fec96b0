//! BSON to mongosh literals.

use std::io::Write as _;

use bson::{
    Bson,
    raw::{RawBson, RawBsonRef, RawDocument, RawRegexRef},
};

use crate::value::{
    db_pointer,
    text::{self, Layout, Notation, append_hex, append_iso_string, append_quoted, base64_text},
};

/// Options that JavaScript's own regular expressions have too.
const JAVASCRIPT_OPTIONS: &str = "imsu";

/// One value as mongosh shows it: `ObjectId('…')`, `ISODate('…')`, `Long('…')`.
pub fn write_value(value: &Bson, layout: Layout) -> String {
    RawBson::try_from(value.clone())
        .map(|raw| write_raw(raw.as_raw_bson_ref(), layout))
        .unwrap_or_default()
}

/// One document as mongosh shows it.
pub fn write_document(document: &RawDocument, layout: Layout) -> String {
    write_raw(RawBsonRef::Document(document), layout)
}

/// One value in one line as mongosh reads it: what it shows for a date before the year 0 or after 9999, it refuses.
pub(super) fn write_input(value: &Bson) -> String {
    RawBson::try_from(value.clone())
        .map(|raw| write_as(raw.as_raw_bson_ref(), Layout::OneLine, Shell { is_input: true }))
        .unwrap_or_default()
}

fn write_raw(value: RawBsonRef<'_>, layout: Layout) -> String {
    write_as(value, layout, Shell { is_input: false })
}

fn write_as(value: RawBsonRef<'_>, layout: Layout, shell: Shell) -> String {
    let mut out = Vec::new();
    text::append_value(&mut out, value, layout, shell);
    String::from_utf8_lossy(&out).into_owned()
}

#[derive(Clone, Copy)]
struct Shell {
    /// Whether mongosh is to read it, not only to show it.
    is_input: bool,
}

/// The first instant that `ISODate` reads, and the first one after them, in milliseconds since 1970.
const ISO_DATES_MS: std::ops::Range<i64> = -62_167_219_200_000..253_402_300_800_000;

impl Notation for Shell {
    const SPACED: bool = true;

    fn name(&self, out: &mut Vec<u8>, name: &str) {
        if is_bare_name(name) {
            out.extend_from_slice(name.as_bytes());
        } else {
            append_quoted(out, name, b'\'');
        }
    }

    fn scalar(&self, out: &mut Vec<u8>, value: RawBsonRef<'_>) {
        use RawBsonRef as V;
        match value {
            V::String(text) => append_quoted(out, text, b'\''),
            V::Boolean(bool) => put(out, format_args!("{bool}")),
            V::Null => out.extend_from_slice(b"null"),
            V::Int32(int) => put(out, format_args!("{int}")),
            V::Int64(int) => put(out, format_args!("Long('{int}')")),
            V::Double(double) => append_double(out, double),
            V::Decimal128(decimal) => put(out, format_args!("Decimal128('{decimal}')")),
            V::DateTime(date) => {
                let ms = date.timestamp_millis();
                append_date(out, ms, self.is_input && !ISO_DATES_MS.contains(&ms));
            }
            V::ObjectId(id) => append_object_id(out, &id.bytes()),
            _ => append_rare(out, value),
        }
    }

    fn scope(&self, out: &mut Vec<u8>, code: &str) -> &'static [u8] {
        out.extend_from_slice(b"Code(");
        append_quoted(out, code, b'\'');
        out.extend_from_slice(b", ");
        b")"
    }
}

/// Whether JavaScript takes the name without quotes.
pub(super) fn is_bare_name(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(word)
}

fn append_object_id(out: &mut Vec<u8>, id: &[u8]) {
    out.extend_from_slice(b"ObjectId('");
    append_hex(out, id);
    out.extend_from_slice(b"')");
}

/// A double as mongosh reads it.
fn append_double(out: &mut Vec<u8>, double: f64) {
    if double.is_nan() {
        out.extend_from_slice(b"NaN");
    } else if double.is_infinite() {
        out.extend_from_slice(if double < 0.0 { b"-Infinity" } else { b"Infinity" });
    } else if double.fract() == 0.0 {
        // Marked, because mongosh would take a bare `1.0` for an int32.
        put(out, format_args!("Double({double:?})"));
    } else {
        put(out, format_args!("{double:?}"));
    }
}

fn append_date(out: &mut Vec<u8>, ms: i64, is_number: bool) {
    let start = out.len();
    out.extend_from_slice(b"ISODate('");
    if !is_number && append_iso_string(out, ms) {
        out.extend_from_slice(b"')");
    } else {
        out.truncate(start);
        put(out, format_args!("new Date({ms})"));
    }
}

fn append_call(out: &mut Vec<u8>, name: &str, text: &str) {
    put(out, format_args!("{name}("));
    append_quoted(out, text, b'\'');
    out.push(b')');
}

fn append_rare(out: &mut Vec<u8>, value: RawBsonRef<'_>) {
    use RawBsonRef as V;
    match value {
        V::Binary(binary) => {
            let subtype = u8::from(binary.subtype);
            match <[u8; 16]>::try_from(binary.bytes) {
                Ok(bytes) if subtype == 4 => append_uuid(out, bytes),
                _ => {
                    let text = base64_text(binary.bytes);
                    put(out, format_args!("BinData({subtype}, '{text}')"));
                }
            }
        }
        V::RegularExpression(regex) => append_regex(out, regex),
        V::Timestamp(timestamp) => {
            let (time, increment) = (timestamp.time, timestamp.increment);
            put(out, format_args!("Timestamp({{ t: {time}, i: {increment} }})"));
        }
        V::JavaScriptCode(code) => append_call(out, "Code", code),
        V::Symbol(text) => append_call(out, "BSONSymbol", text),
        V::MinKey => out.extend_from_slice(b"MinKey()"),
        V::MaxKey => out.extend_from_slice(b"MaxKey()"),
        V::Undefined => out.extend_from_slice(b"undefined"),
        _ => {
            let Some((namespace, id)) = db_pointer::parts(value) else { return };
            out.extend_from_slice(b"DBPointer(");
            append_quoted(out, &namespace, b'\'');
            out.extend_from_slice(b", ");
            append_object_id(out, &id.bytes());
            out.push(b')');
        }
    }
}

fn append_uuid(out: &mut Vec<u8>, bytes: [u8; 16]) {
    out.extend_from_slice(b"UUID('");
    for (position, byte) in bytes.iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        append_hex(out, &[*byte]);
    }
    out.extend_from_slice(b"')");
}

/// Whether `/pattern/` is one regular expression that ends where it should.
fn is_literal_pattern(pattern: &str) -> bool {
    let odd = |c: char| matches!(c, '/' | '\u{2028}' | '\u{2029}') || c.is_control();
    if pattern.is_empty() || pattern.starts_with('*') || pattern.contains(odd) {
        return false;
    }
    let (mut escaped, mut in_class) = (false, false);
    for c in pattern.chars() {
        match c {
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    !escaped && !in_class
}

fn append_regex(out: &mut Vec<u8>, regex: RawRegexRef<'_>) {
    let (pattern, options) = (regex.pattern.as_str(), regex.options.as_str());
    if is_literal_pattern(pattern)
        && options.chars().all(|option| JAVASCRIPT_OPTIONS.contains(option))
    {
        put(out, format_args!("/{pattern}/{options}"));
        return;
    }
    out.extend_from_slice(b"BSONRegExp(");
    append_quoted(out, pattern, b'\'');
    out.extend_from_slice(b", ");
    append_quoted(out, options, b'\'');
    out.push(b')');
}

/// Appends formatted text; writing to memory can't fail.
fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
