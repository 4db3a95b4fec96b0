//! The values of CSV cells, with mongoimport's types.

use bson::{Binary, Bson, spec::BinarySubtype};

use crate::value::extjson;

/// The value of a cell by the type in the header.
pub(super) fn value(kind: Option<&str>, text: &str) -> Result<Bson, String> {
    let Some(kind) = kind else { return Ok(auto(text)) };
    convert(kind, text).ok_or_else(|| {
        let kind = if kind == "hex" { "binary(hex)" } else { kind };
        format!("{text:?} is not a valid {kind}; correct it or change the header")
    })
}

/// Whether a number would lose its first digit, as in zip codes.
pub(super) fn has_leading_zero(digits: &str) -> bool {
    matches!(digits.as_bytes(), [b'0', b'0'..=b'9', ..])
}

/// mongoimport's rule for columns without a type: int32, int64, double, else string. Digits that a
/// number would lose stay strings here: integers larger than 64 bits, and leading zeros, as in zip
/// codes.
fn auto(text: &str) -> Bson {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    if !is_number || has_leading_zero(digits) {
        return Bson::String(text.to_owned());
    }
    if let Ok(int) = text.parse::<i32>() {
        return Bson::Int32(int);
    }
    if let Ok(int) = text.parse::<i64>() {
        return Bson::Int64(int);
    }
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(double) if double.is_finite() && !is_whole => Bson::Double(double),
        _ => Bson::String(text.to_owned()),
    }
}

fn convert(kind: &str, text: &str) -> Option<Bson> {
    let wrapped = |wrapper: &str| {
        extjson::read_value(&format!("{{\"{wrapper}\":{}}}", serde_json::to_string(text).ok()?))
            .ok()
    };
    let binary = |bytes| Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes });
    match kind {
        "auto" => Some(auto(text)),
        "string" => Some(Bson::String(text.to_owned())),
        "int32" => text.parse().ok().map(Bson::Int32),
        "int64" => text.parse().ok().map(Bson::Int64),
        // Digits out of range are an error, not infinity.
        "double" => {
            let has_digits = text.bytes().any(|byte| byte.is_ascii_digit());
            let double = text.parse().ok().filter(|double: &f64| double.is_finite() || !has_digits);
            double.map(Bson::Double)
        }
        "decimal" => wrapped("$numberDecimal"),
        "date" => wrapped("$date"),
        "boolean" => match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(Bson::Boolean(true)),
            "false" | "0" => Some(Bson::Boolean(false)),
            _ => None,
        },
        "binary" => {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.decode(text).ok().map(binary)
        }
        "hex" => text
            .as_bytes()
            .chunks(2)
            .map(|pair| {
                let is_byte = pair.len() == 2 && pair.iter().all(u8::is_ascii_hexdigit);
                u8::from_str_radix(str::from_utf8(pair).ok().filter(|_| is_byte)?, 16).ok()
            })
            .collect::<Option<Vec<u8>>>()
            .map(binary),
        _ => None,
    }
}
