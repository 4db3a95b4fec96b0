//! Number literals and the numbers inside quotes.

use bson::Decimal128;

/// Digits and signs that a decimal in text may have at most.
const DECIMAL_TEXT_MAX: usize = 7_000;

/// A number literal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Literal {
    Int32(i32),
    Int64(i64),
    Double(f64),
}

/// Why a literal is not a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NotANumber {
    Malformed,
    BeyondInt64(f64),
    BeyondDouble,
}

/// Digits that fit into 64 bits whatever they are.
const PLAIN_DIGITS: usize = 18;

/// Whether a byte can be part of a number literal or of a word in its place.
pub(super) fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// A whole number of at most 18 digits without a leading zero and how many bytes it has, if the
/// literal that begins here is one: most are.
pub(super) fn plain_int(bytes: &[u8]) -> Option<(i64, usize)> {
    let (is_negative, digits) = match bytes.split_first()? {
        (b'-', rest) => (true, rest),
        _ => (false, bytes),
    };
    let mut int = 0;
    let mut count = 0;
    for digit in digits.iter().take(PLAIN_DIGITS).take_while(|byte| byte.is_ascii_digit()) {
        int = int * 10 + i64::from(digit - b'0');
        count += 1;
    }
    let ends = digits.get(count).is_none_or(|byte| !is_part(*byte));
    if !ends || digits.first().is_none_or(|first| !matches!(first, b'1'..=b'9')) {
        return None;
    }
    Some(if is_negative { (-int, count + 1) } else { (int, count) })
}

/// Reads a literal as JSON has it: whole numbers become the smaller of int32 and int64, all others
/// (and `-0`) doubles.
pub(super) fn literal(text: &str) -> Result<Literal, NotANumber> {
    let shape = Shape::of(text).ok_or(NotANumber::Malformed)?;
    if shape.whole && text != "-0" {
        let Ok(int) = text.parse::<i64>() else {
            let double = finite(text).ok_or(NotANumber::BeyondDouble)?;
            return Err(NotANumber::BeyondInt64(double));
        };
        return Ok(i32::try_from(int).map_or(Literal::Int64(int), Literal::Int32));
    }
    finite(text).map(Literal::Double).ok_or(NotANumber::BeyondDouble)
}

/// A finite double in JSON's grammar.
pub(super) fn finite_double(text: &str) -> Option<f64> {
    Shape::of(text)?;
    finite(text)
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|double: &f64| double.is_finite())
}

/// A whole number in quotes: digits with at most a minus before them.
pub(super) fn quoted_int<T: std::str::FromStr>(text: &str) -> Option<T> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// A double in quotes: JSON's grammar, or `Infinity`, `-Infinity`, `NaN`.
pub(super) fn quoted_double(text: &str) -> Option<f64> {
    match text {
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        _ => finite_double(text),
    }
}

/// A decimal in quotes, in the grammar of the Decimal128 specification. `None` also when it has
/// more than 34 digits that count or is out of range.
pub(super) fn quoted_decimal(text: &str) -> Option<Decimal128> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let special = ["infinity", "inf", "nan"].iter().any(|name| unsigned.eq_ignore_ascii_case(name));
    if !special {
        let (number, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (before, after) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        let empty = before.len() + after.len() == 0 || exponent.is_empty();
        let long = text.len() > DECIMAL_TEXT_MAX;
        if empty || long || ![before, after, exponent].into_iter().all(digits) {
            return None;
        }
    }
    text.parse().ok()
}

/// The shape of a literal in JSON's grammar.
struct Shape {
    whole: bool,
}

impl Shape {
    fn of(text: &str) -> Option<Self> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let count = digits(unsigned);
        if count == 0 || count > 1 && unsigned.starts_with('0') {
            return None;
        }
        let mut rest = unsigned.get(count..)?;
        let whole = rest.is_empty();
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = fraction.get(digits(fraction)..)?;
            if rest.len() == fraction.len() {
                return None;
            }
        }
        if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
            let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            rest = exponent.get(digits(exponent)..)?;
            if rest.len() == exponent.len() {
                return None;
            }
        }
        rest.is_empty().then_some(Self { whole })
    }
}
/// A whole number with a point or an exponent, such as `4e12` or `8.64e15`, and its length in bytes. `digits` are the
/// sign and the digits before them. Doubles are exact up to 2^53.
pub(super) fn with_exponent(bytes: &[u8], digits: usize) -> Option<(i64, usize)> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if digits == 0 || !matches!(bytes.get(digits), Some(b'.' | b'e' | b'E')) {
        return None;
    }
    let is_part = |at: &usize| match bytes.get(*at) {
        Some(b'0'..=b'9' | b'.' | b'e' | b'E') => true,
        Some(b'+') => matches!(bytes.get(at - 1), Some(b'e' | b'E')),
        _ => false,
    };
    let length = (digits..bytes.len()).take_while(is_part).count() + digits;
    let number: f64 = str::from_utf8(bytes.get(..length)?).ok()?.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
    let int = (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64);
    Some((int?, length))
}
