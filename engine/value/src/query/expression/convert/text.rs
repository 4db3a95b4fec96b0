//! Numbers, ids and bytes as text, and text as numbers.

use std::fmt::Write as _;

use base64::{Engine as _, engine::general_purpose};
use bson::Decimal128;

/// A double as `$toString` writes it: the shortest digits, with an exponent below 1e-4 and from
/// 1e16 on.
pub(in crate::query::expression) fn double_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Infinity" } else { "Infinity" }.to_owned();
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        return format!("{number}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Text in hexadecimal digits.
pub(super) fn hex(bytes: &[u8], upper: bool) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing into a String can't fail.
        let _ = if upper { write!(text, "{byte:02X}") } else { write!(text, "{byte:02x}") };
    }
    text
}

/// Bytes of text in hexadecimal digits.
pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        })
        .collect()
}

/// A UUID as people write it.
pub(super) fn uuid_text(bytes: &[u8]) -> String {
    let all = hex(bytes, false);
    let part = |from: usize, to: usize| all.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

/// The bytes of a UUID in its usual text.
pub(super) fn from_uuid(text: &str) -> Option<Vec<u8>> {
    let dashes = [8, 13, 18, 23];
    let well_placed =
        text.len() == 36 && dashes.iter().all(|at| text.as_bytes().get(*at) == Some(&b'-'));
    if !well_placed {
        return None;
    }
    from_hex(&text.replace('-', "")).filter(|bytes| bytes.len() == 16)
}

pub(super) fn base64_text(bytes: &[u8], url: bool) -> String {
    if url {
        general_purpose::URL_SAFE_NO_PAD.encode(bytes)
    } else {
        general_purpose::STANDARD.encode(bytes)
    }
}

pub(super) fn from_base64(text: &str, url: bool) -> Option<Vec<u8>> {
    if url {
        general_purpose::URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
    } else {
        general_purpose::STANDARD.decode(text).ok()
    }
}

/// Why text is not a number, in MongoDB's words.
fn reason(text: &str) -> &'static str {
    if text.is_empty() {
        "Empty string"
    } else if text.starts_with(char::is_whitespace) {
        "Leading whitespace"
    } else {
        "Did not consume whole string."
    }
}

/// A whole number in a base of 2, 8, 10 or 16.
pub(super) fn integer(text: &str, base: u32) -> Result<i64, &'static str> {
    i64::from_str_radix(text, base).map_err(|error| match error.kind() {
        std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => "Overflow",
        std::num::IntErrorKind::InvalidDigit
            if text.trim_start_matches(['+', '-']).starts_with(|c: char| !c.is_digit(base)) =>
        {
            "No digits"
        }
        _ => reason(text),
    })
}

/// A double, `NaN` and `Infinity` included.
pub(super) fn double(text: &str) -> Result<f64, &'static str> {
    let number: f64 = text.parse().map_err(|_| reason(text))?;
    let digits = text.trim_start_matches(['+', '-']);
    if number.is_infinite() && digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err("Out of range");
    }
    Ok(number)
}

/// A decimal, rounded to 34 digits if it has more.
pub(super) fn decimal(text: &str) -> Result<Decimal128, &'static str> {
    if text.is_empty() {
        return Err("Empty string");
    }
    text.parse().or_else(|_| rounded(text).ok_or(reason(text)))
}

/// Rounds to 34 digits, half to even.
fn rounded(text: &str) -> Option<Decimal128> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let mut exponent: i64 = exponent.parse().ok()?;
    let negative = mantissa.starts_with('-');
    let mantissa = mantissa.strip_prefix(['+', '-']).unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits: Vec<u8> = Vec::new();
    for c in whole.bytes().chain(fraction.bytes()) {
        digits.push(c.is_ascii_digit().then(|| c - b'0')?);
    }
    exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let digits = digits.get(zeros..)?;
    let kept = digits.get(..34)?;
    let cut = digits.get(34..)?;
    let number = kept.iter().fold(0_u128, |number, digit| number * 10 + u128::from(*digit));
    let up = match cut.split_first() {
        None => false,
        Some((5, rest)) if rest.iter().all(|digit| *digit == 0) => number % 2 == 1,
        Some((first, _)) => *first >= 5,
    };
    exponent += i64::try_from(cut.len()).ok()?;
    let sign = if negative { "-" } else { "" };
    format!("{sign}{}E{exponent}", number + u128::from(up)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_are_written_short() {
        let check = |number, expected: &str| assert_eq!(double_text(number), expected);
        check(1.5, "1.5");
        check(2.0, "2");
        check(-0.0, "-0");
        check(0.1 + 0.2, "0.30000000000000004");
        check(1e15, "1000000000000000");
        check(1e16, "1e+16");
        check(1.5e-7, "1.5e-07");
        check(0.0001, "0.0001");
        check(f64::NAN, "NaN");
        check(f64::NEG_INFINITY, "-Infinity");
        check(1e300, "1e+300");
    }

    #[test]
    fn texts_of_numbers_are_read_whole_or_not_at_all() {
        assert_eq!(integer("-42", 10), Ok(-42));
        assert_eq!(integer("1.5", 10), Err("Did not consume whole string."));
        assert_eq!(integer("", 10), Err("Empty string"));
        assert_eq!(integer("9223372036854775808", 10), Err("Overflow"));
        assert_eq!(integer("ff", 16), Ok(255));
        assert_eq!(double("1e3"), Ok(1000.0));
        assert_eq!(double(" 1"), Err("Leading whitespace"));
        assert_eq!(double("1e999"), Err("Out of range"));
        assert_eq!(double("-Infinity"), Ok(f64::NEG_INFINITY));
        let many = format!("1.{}", "3".repeat(40));
        assert_eq!(decimal(&many).unwrap().to_string(), format!("1.{}", "3".repeat(33)));
        assert!(decimal("abc").is_err());
    }

    #[test]
    fn bytes_and_texts_are_one_to_one() {
        let text = "123e4567-e89b-12d3-a456-426614174000";
        assert_eq!(uuid_text(&from_uuid(text).unwrap()), text);
        assert_eq!(from_uuid("123e4567e89b12d3a456426614174000"), None);
        assert_eq!(hex(&[0, 255], true), "00FF");
        assert_eq!(from_hex("00ff"), Some(vec![0, 255]));
        assert_eq!(from_hex("0"), None);
        assert_eq!(from_base64(&base64_text(&[251, 255], true), true), Some(vec![251, 255]));
    }
}
