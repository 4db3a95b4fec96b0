//! The writer of Extended JSON against a plain one: the BSON crate's elements, `format!`,
//! recursion.

use bson::{
    RawDocumentBuf,
    raw::{RawBsonRef, RawDocument},
};
use proptest::prelude::*;

use super::{config, double, holder, number, other_scalar, value};
use crate::value::{
    db_pointer,
    extjson::{self, Layout, Style},
    order::next_element,
    text::base64_text,
};

const STYLES: [Style; 3] = [Style::Relaxed, Style::Canonical, Style::Typed];

fn document(document: &RawDocument, style: Style) -> String {
    let mut elements = document.iter_elements();
    let mut fields = Vec::new();
    while let Some((name, value)) = next_element(&mut elements) {
        fields.push(format!("{}:{}", quoted(name), plain(value, style)));
    }
    format!("{{{}}}", fields.join(","))
}

fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn plain(value: RawBsonRef<'_>, style: Style) -> String {
    use RawBsonRef as V;
    let canonical = style == Style::Canonical;
    match value {
        V::Document(inner) => document(inner, style),
        V::Array(array) => {
            let values = array.into_iter().map_while(Result::ok);
            let values: Vec<_> = values.map(|value| plain(value, style)).collect();
            format!("[{}]", values.join(","))
        }
        V::String(text) => quoted(text),
        V::Boolean(bool) => bool.to_string(),
        V::Null => "null".to_owned(),
        V::Int32(int) if canonical => format!(r#"{{"$numberInt":"{int}"}}"#),
        V::Int32(int) => int.to_string(),
        V::Int64(int) if canonical || style == Style::Typed && int.unsigned_abs() > 1_u64 << 53 => {
            format!(r#"{{"$numberLong":"{int}"}}"#)
        }
        V::Int64(int) => int.to_string(),
        V::Double(double) if double.is_nan() => r#"{"$numberDouble":"NaN"}"#.to_owned(),
        V::Double(double) if double.is_infinite() => {
            let sign = if double < 0.0 { "-" } else { "" };
            format!(r#"{{"$numberDouble":"{sign}Infinity"}}"#)
        }
        V::Double(double) if canonical => format!(r#"{{"$numberDouble":"{double:?}"}}"#),
        V::Double(double) => format!("{double:?}"),
        V::Decimal128(decimal) => format!(r#"{{"$numberDecimal":"{decimal}"}}"#),
        V::DateTime(date) => {
            let ms = date.timestamp_millis();
            let form = if ms % 1_000 == 0 { "%FT%TZ" } else { "%FT%T%.3fZ" };
            match chrono::DateTime::from_timestamp_millis(ms) {
                Some(date) if (0..253_402_300_800_000).contains(&ms) && !canonical => {
                    format!(r#"{{"$date":"{}"}}"#, date.format(form))
                }
                _ => format!(r#"{{"$date":{{"$numberLong":"{ms}"}}}}"#),
            }
        }
        V::ObjectId(id) => format!(r#"{{"$oid":"{}"}}"#, id.to_hex()),
        V::Binary(binary) => {
            let (text, subtype) = (base64_text(binary.bytes), u8::from(binary.subtype));
            format!(r#"{{"$binary":{{"base64":"{text}","subType":"{subtype:02x}"}}}}"#)
        }
        V::RegularExpression(regex) => {
            let (pattern, options) = (regex.pattern.as_str(), regex.options.as_str());
            let (pattern, options) = (quoted(pattern), quoted(options));
            format!(r#"{{"$regularExpression":{{"pattern":{pattern},"options":{options}}}}}"#)
        }
        V::Timestamp(t) => {
            let (time, increment) = (t.time, t.increment);
            format!(r#"{{"$timestamp":{{"t":{time},"i":{increment}}}}}"#)
        }
        V::JavaScriptCode(code) => format!(r#"{{"$code":{}}}"#, quoted(code)),
        V::Symbol(text) => format!(r#"{{"$symbol":{}}}"#, quoted(text)),
        V::MinKey => r#"{"$minKey":1}"#.to_owned(),
        V::MaxKey => r#"{"$maxKey":1}"#.to_owned(),
        V::Undefined => r#"{"$undefined":true}"#.to_owned(),
        V::JavaScriptCodeWithScope(code) => {
            let scope = document(code.scope, style);
            format!(r#"{{"$code":{},"$scope":{scope}}}"#, quoted(code.code))
        }
        V::DbPointer(_) => {
            let (namespace, id) = db_pointer::parts(value).unwrap();
            let (namespace, id) = (quoted(&namespace), id.to_hex());
            format!(r#"{{"$dbPointer":{{"$ref":{namespace},"$id":{{"$oid":"{id}"}}}}}}"#)
        }
    }
}

fn check(bson: &RawDocument) {
    for style in STYLES {
        let written = extjson::write_document(bson, style, Layout::OneLine);
        assert_eq!(written, document(bson, style), "{style:?}");
        let mut appended = b"before".to_vec();
        extjson::append_document(&mut appended, bson, style);
        assert_eq!(appended, format!("before{written}").as_bytes());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn random_documents(values in prop::collection::vec(value(), 0..5)) {
        let fields = values.iter().enumerate().map(|(at, value)| (format!("f{at}"), value.clone()));
        check(&RawDocumentBuf::try_from(&fields.collect::<bson::Document>()).unwrap());
    }

    #[test]
    fn random_scalars(value in prop_oneof![number(), other_scalar()]) {
        check(&holder(&value));
    }

    /// Doubles that people write: few digits, and their neighbours.
    #[test]
    fn random_doubles(
        digits in -2_000_000_i64..2_000_000,
        exponent in -9_i32..18,
        bits in -2_i64..3,
        any in double(),
    ) {
        let near: f64 = format!("{digits}e{exponent}").parse().unwrap();
        let near = f64::from_bits(near.to_bits().wrapping_add_signed(bits));
        for double in [near, any, near + any] {
            check(&holder(&double.into()));
        }
    }

    /// Damaged bytes end the text early and cause no panic.
    #[test]
    fn damaged_documents(value in value(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = holder(&value).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(damaged) = RawDocument::from_bytes(&bytes) {
            let text = extjson::write_document(damaged, Style::Canonical, Layout::OneLine);
            prop_assert!(text.starts_with('{') && text.ends_with('}'), "{}", text);
        }
    }
}

#[test]
fn borders_of_the_short_form_of_doubles() {
    for double in [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        12.5,
        0.001,
        0.0001,
        0.1,
        0.3,
        1e-5,
        9e-6,
        1e11,
        1e12,
        1e15,
        1e16,
        999_999_999_999.999,
        123_456_789_012.345,
        0.1 + 0.2,
        5e-324,
        f64::MAX,
        4_503_599_627_370.497,
    ] {
        check(&holder(&double.into()));
        check(&holder(&(-double).into()));
    }
}
