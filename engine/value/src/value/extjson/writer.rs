//! BSON to Extended JSON.

use std::io::Write as _;

use bson::raw::{RawBsonRef, RawDocument};

use crate::value::{
    db_pointer,
    text::{self, Layout, Notation, append_hex, append_iso, append_quoted, base64_text},
};

/// Whole numbers up to here are exact in a double.
const EXACT_IN_DOUBLE: u64 = 1 << 53;

/// Which types stay visible in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Extended JSON v2, relaxed: numbers and common dates as plain JSON.
    Relaxed,
    /// Extended JSON v2, canonical: every type written out.
    Canonical,
    /// Relaxed, but int64 beyond 2^53 keep their type and digits. Doubles keep their type in every
    /// style: they are written with a point or an exponent.
    #[default]
    Typed,
}

/// One document as text.
pub fn write_document(document: &RawDocument, style: Style, layout: Layout) -> String {
    write_value(RawBsonRef::Document(document), style, layout)
}

/// One value as text.
pub fn write_value(value: RawBsonRef<'_>, style: Style, layout: Layout) -> String {
    let mut out = Vec::new();
    text::append_value(&mut out, value, layout, style);
    String::from_utf8_lossy(&out).into_owned()
}

/// Appends one document on one line, without a line end.
pub fn append_document(out: &mut Vec<u8>, document: &RawDocument, style: Style) {
    text::append_document(out, document, Layout::OneLine, style);
}

impl Notation for Style {
    const SPACED: bool = false;

    fn name(&self, out: &mut Vec<u8>, name: &str) {
        append_quoted(out, name, b'"');
    }

    fn scalar(&self, out: &mut Vec<u8>, value: RawBsonRef<'_>) {
        use RawBsonRef as V;
        let canonical = *self == Self::Canonical;
        match value {
            V::String(text) => append_quoted(out, text, b'"'),
            V::Boolean(bool) => out.extend_from_slice(if bool { b"true" } else { b"false" }),
            V::Null => out.extend_from_slice(b"null"),
            V::Int32(int) if canonical => append_wrapped_int(out, br#"{"$numberInt":""#, int),
            V::Int32(int) => append_int(out, int),
            V::Int64(int) if canonical || self.keeps_type(int) => {
                append_wrapped_int(out, br#"{"$numberLong":""#, int);
            }
            V::Int64(int) => append_int(out, int),
            V::Double(double) => append_double(out, double, canonical),
            V::Decimal128(decimal) => {
                put(out, format_args!(r#"{{"$numberDecimal":"{decimal}"}}"#));
            }
            V::DateTime(date) => append_date(out, date.timestamp_millis(), canonical),
            V::ObjectId(id) => {
                out.extend_from_slice(br#"{"$oid":""#);
                append_hex(out, &id.bytes());
                out.extend_from_slice(br#""}"#);
            }
            _ => append_rare(out, value),
        }
    }

    fn scope(&self, out: &mut Vec<u8>, code: &str) -> &'static [u8] {
        out.extend_from_slice(br#"{"$code":"#);
        append_quoted(out, code, b'"');
        out.extend_from_slice(br#","$scope":"#);
        b"}"
    }
}

impl Style {
    fn keeps_type(self, int: i64) -> bool {
        self == Self::Typed && int.unsigned_abs() > EXACT_IN_DOUBLE
    }
}

fn append_rare(out: &mut Vec<u8>, value: RawBsonRef<'_>) {
    use RawBsonRef as V;
    match value {
        V::Binary(binary) => {
            let (text, subtype) = (base64_text(binary.bytes), u8::from(binary.subtype));
            let parts =
                format_args!(r#"{{"$binary":{{"base64":"{text}","subType":"{subtype:02x}"}}}}"#);
            put(out, parts);
        }
        V::RegularExpression(regex) => {
            out.extend_from_slice(br#"{"$regularExpression":{"pattern":"#);
            append_quoted(out, regex.pattern.as_str(), b'"');
            out.extend_from_slice(br#","options":"#);
            append_quoted(out, regex.options.as_str(), b'"');
            out.extend_from_slice(b"}}");
        }
        V::Timestamp(t) => {
            let (time, increment) = (t.time, t.increment);
            put(out, format_args!(r#"{{"$timestamp":{{"t":{time},"i":{increment}}}}}"#));
        }
        V::JavaScriptCode(code) => wrap_text(out, "$code", code),
        V::Symbol(text) => wrap_text(out, "$symbol", text),
        V::MinKey => out.extend_from_slice(br#"{"$minKey":1}"#),
        V::MaxKey => out.extend_from_slice(br#"{"$maxKey":1}"#),
        V::Undefined => out.extend_from_slice(br#"{"$undefined":true}"#),
        _ => {
            let Some((namespace, id)) = db_pointer::parts(value) else { return };
            out.extend_from_slice(br#"{"$dbPointer":{"$ref":"#);
            append_quoted(out, &namespace, b'"');
            out.extend_from_slice(br#","$id":{"$oid":""#);
            append_hex(out, &id.bytes());
            out.extend_from_slice(br#""}}}"#);
        }
    }
}

fn wrap_text(out: &mut Vec<u8>, name: &str, text: &str) {
    put(out, format_args!("{{\"{name}\":"));
    append_quoted(out, text, b'"');
    out.push(b'}');
}

fn append_double(out: &mut Vec<u8>, double: f64, canonical: bool) {
    if double.is_nan() {
        out.extend_from_slice(br#"{"$numberDouble":"NaN"}"#);
    } else if double.is_infinite() {
        let sign = if double < 0.0 { "-" } else { "" };
        put(out, format_args!(r#"{{"$numberDouble":"{sign}Infinity"}}"#));
    } else if canonical {
        put(out, format_args!(r#"{{"$numberDouble":"{double:?}"}}"#));
    } else if !append_short_double(out, double) {
        put(out, format_args!("{double:?}"));
    }
}

/// Appends a double with at most three decimals, as `{:?}` writes it; false, and nothing, for
/// others.
#[expect(clippy::float_cmp, reason = "the same bits are meant")]
#[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 15 digits")]
fn append_short_double(out: &mut Vec<u8>, double: f64) -> bool {
    let thousandths = double * 1e3;
    let is_whole = thousandths.abs() < 1e15 && thousandths.trunc() == thousandths;
    // A decimal with at most 15 digits belongs to one double and no other such decimal does, so the
    // decimal that the division leads back from is the shortest one.
    if !is_whole || thousandths == 0.0 || thousandths / 1e3 != double {
        return false;
    }
    let thousandths = thousandths as i64;
    if thousandths < 0 {
        out.push(b'-');
    }
    append_int(out, (thousandths / 1_000).unsigned_abs());
    let mut rest = (thousandths % 1_000).unsigned_abs();
    out.push(b'.');
    loop {
        out.push(b'0' + u8::try_from(rest / 100).unwrap_or(0));
        rest = rest % 100 * 10;
        if rest == 0 {
            return true;
        }
    }
}

fn append_int(out: &mut Vec<u8>, int: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(int).as_bytes());
}

fn append_wrapped_int(out: &mut Vec<u8>, before: &[u8], int: impl itoa::Integer) {
    out.extend_from_slice(before);
    append_int(out, int);
    out.extend_from_slice(br#""}"#);
}

fn append_date(out: &mut Vec<u8>, ms: i64, canonical: bool) {
    out.extend_from_slice(br#"{"$date":""#);
    if !canonical && append_iso(out, ms) {
        out.extend_from_slice(br#""}"#);
        return;
    }
    out.pop();
    append_wrapped_int(out, br#"{"$numberLong":""#, ms);
    out.push(b'}');
}

/// Appends formatted text; writing to memory can't fail.
fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
