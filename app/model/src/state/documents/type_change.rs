//! A value in another type: what it becomes, and what is lost.

use std::str::FromStr;

use bson::{Bson, Decimal128};
use mayfly_engine::value::{Layout, shell};

use super::field::{FieldKind, text_of};

/// The text of a stored value never depends on the time at which it is read.
const NO_TIME: i64 = 0;

/// The text that a value has in the field after another type was chosen. Where the type can't hold
/// the value, the text stays, and reading it says what to type instead.
pub fn text_as(value: &Bson, kind: FieldKind) -> String {
    let text = text_of(value);
    match kind {
        FieldKind::Int32 | FieldKind::Int64 => {
            whole(value).map_or(text, |number| number.to_string())
        }
        FieldKind::Double => float(value).map_or(text, |number| number.to_string()),
        FieldKind::Decimal => match value {
            Bson::Boolean(_) | Bson::DateTime(_) => whole(value).map_or(text, |n| n.to_string()),
            _ => text,
        },
        FieldKind::Bool => match float(value) {
            Some(number) => (number != 0.0).to_string(),
            None => text.trim().to_lowercase(),
        },
        FieldKind::Date => match instant(value) {
            Some(ms) => text_of(&Bson::DateTime(bson::DateTime::from_millis(ms))),
            None => text,
        },
        FieldKind::Null => String::new(),
        FieldKind::Literal => shell::write_value(value, Layout::OneLine),
        FieldKind::Text | FieldKind::ObjectId => text,
    }
}

/// The loss when the stored value becomes this one of another type, in one sentence.
pub fn lost(before: &Bson, after: &Bson) -> Option<String> {
    let (from, to) = (FieldKind::of(before), FieldKind::of(after));
    if from == to {
        return None;
    }
    if to == FieldKind::Null {
        return Some("The value is dropped".to_owned());
    }
    let shown = |value: &Bson| {
        let text = text_of(value);
        match text.char_indices().nth(40) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    };
    if text_as(before, to) == text_of(after) && !comes_back(before, after) {
        let why = match (from, to) {
            (FieldKind::ObjectId, FieldKind::Date) => "Only the creation time is kept".to_owned(),
            (_, FieldKind::Bool) => format!("Only true or false is kept of {}", shown(before)),
            (_, FieldKind::Int32 | FieldKind::Int64) => {
                format!("{} becomes {}: the fraction is dropped", shown(before), shown(after))
            }
            _ => format!("{} becomes {}: digits are dropped", shown(before), shown(after)),
        };
        return Some(why);
    }
    (from == FieldKind::Date).then(|| "TTL indexes ignore values that are not dates".to_owned())
}

/// Whether the type before can have the same value again.
fn comes_back(before: &Bson, after: &Bson) -> bool {
    let kind = FieldKind::of(before);
    match (before, after) {
        // Text has many ways to write one value.
        (Bson::String(_), Bson::Int32(_) | Bson::Int64(_)) => float(before) == float(after),
        (Bson::String(_), _) => true,
        (_, Bson::String(text)) => kind.read(text, NO_TIME).as_ref() == Ok(before),
        (Bson::Double(from), Bson::Decimal128(to)) => {
            f64::from_str(&to.to_string()).is_ok_and(|to| to.to_bits() == from.to_bits())
        }
        // `1.50` and `1.5` are one number.
        (Bson::Decimal128(from), Bson::Double(to)) => {
            let [from, to] = [from.to_string(), to.to_string()].map(|text| plain_digits(&text));
            from == to
        }
        _ => kind.read(&text_as(after, kind), NO_TIME).as_ref() == Ok(before),
    }
}

/// The digits of a decimal without those that say nothing.
fn plain_digits(text: &str) -> Option<String> {
    if text.contains(['E', 'e', 'n', 'N']) {
        return Decimal128::from_str(text).ok().map(|number| number.to_string());
    }
    let is_fraction = text.contains('.');
    let cut = if is_fraction { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    Some(cut.to_owned())
}

/// The integer part of a number, of a date in milliseconds, or of a boolean.
fn whole(value: &Bson) -> Option<i128> {
    match value {
        Bson::Int32(number) => Some(i128::from(*number)),
        Bson::Int64(number) => Some(i128::from(*number)),
        Bson::DateTime(at) => Some(i128::from(at.timestamp_millis())),
        Bson::Boolean(flag) => Some(i128::from(*flag)),
        Bson::String(_) | Bson::Decimal128(_) => {
            let text = text_of(value);
            let text = text.trim();
            let digits = text.split_once('.').map_or(text, |(whole, fraction)| {
                if fraction.bytes().all(|byte| byte.is_ascii_digit()) { whole } else { text }
            });
            digits.parse().ok().or_else(|| text.parse().ok().and_then(truncated))
        }
        Bson::Double(number) => truncated(*number),
        _ => None,
    }
}

fn truncated(number: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be far inside of the range")]
    (number.is_finite() && number.abs() < 1e30).then(|| number.trunc() as i128)
}

#[expect(clippy::cast_precision_loss, reason = "what is lost is said")]
fn float(value: &Bson) -> Option<f64> {
    match value {
        Bson::Double(number) => Some(*number),
        Bson::Int32(number) => Some(f64::from(*number)),
        Bson::Int64(number) => Some(*number as f64),
        Bson::DateTime(at) => Some(at.timestamp_millis() as f64),
        Bson::Boolean(flag) => Some(f64::from(u8::from(*flag))),
        Bson::Decimal128(_) | Bson::String(_) => f64::from_str(text_of(value).trim()).ok(),
        _ => None,
    }
}

/// The instant that a value means: milliseconds since 1970, or when an ObjectId was made.
fn instant(value: &Bson) -> Option<i64> {
    match value {
        Bson::ObjectId(id) => Some(id.timestamp().timestamp_millis()),
        Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_) => {
            i64::try_from(whole(value)?).ok()
        }
        Bson::DateTime(at) => Some(at.timestamp_millis()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bson::oid::ObjectId;
    use bson::{DateTime, bson};

    use super::*;

    fn becomes(value: &Bson, kind: FieldKind) -> (Result<Bson, String>, Option<String>) {
        let after = kind.read(&text_as(value, kind), NO_TIME);
        let lost = after.as_ref().ok().and_then(|after| lost(value, after));
        (after, lost)
    }

    #[test]
    fn values_become_another_type() {
        let decimal = |text: &str| Bson::Decimal128(Decimal128::from_str(text).expect("a number"));
        let check = |value: Bson, kind: FieldKind, expected: Bson, lost: &str| {
            let (after, said) = becomes(&value, kind);
            assert_eq!(after, Ok(expected), "{value} as {kind:?}");
            assert_eq!(said.unwrap_or_default(), lost, "{value} as {kind:?}");
        };
        check(Bson::Int32(7), FieldKind::Int64, Bson::Int64(7), "");
        check(Bson::Int32(7), FieldKind::Double, Bson::Double(7.0), "");
        check(Bson::Int32(7), FieldKind::Decimal, decimal("7"), "");
        check(Bson::Int32(7), FieldKind::Text, bson!("7"), "");
        check(bson!(" 7 "), FieldKind::Int32, Bson::Int32(7), "");
        let half = "7.5 becomes 7: the fraction is dropped";
        check(bson!("7.5"), FieldKind::Int32, Bson::Int32(7), half);
        check(
            Bson::Double(1.5),
            FieldKind::Int32,
            Bson::Int32(1),
            "1.5 becomes 1: the fraction is dropped",
        );
        check(
            Bson::Int64(9_007_199_254_740_993),
            FieldKind::Double,
            Bson::Double(9_007_199_254_740_992.0),
            "9007199254740993 becomes 9007199254740992: digits are dropped",
        );
        check(decimal("1.50"), FieldKind::Double, Bson::Double(1.5), "");
        check(Bson::Double(0.1), FieldKind::Decimal, decimal("0.1"), "");
        check(Bson::Int32(2), FieldKind::Bool, bson!(true), "Only true or false is kept of 2");
        check(Bson::Int32(1), FieldKind::Bool, bson!(true), "");
        check(bson!("abc"), FieldKind::Null, Bson::Null, "The value is dropped");
        let date = Bson::DateTime(DateTime::from_millis(1_780_315_200_000));
        let warning = "TTL indexes ignore values that are not dates";
        check(date.clone(), FieldKind::Text, bson!("2026-06-01T12:00:00.000Z"), warning);
        check(date.clone(), FieldKind::Int64, Bson::Int64(1_780_315_200_000), warning);
        check(Bson::Int64(1_780_315_200_000), FieldKind::Date, date.clone(), "");
        check(bson!("2026-06-01T12:00:00.000Z"), FieldKind::Date, date.clone(), "");
        let id = ObjectId::parse_str("6a1d73400000000000000000").expect("an id");
        let made = Bson::DateTime(id.timestamp());
        check(Bson::ObjectId(id), FieldKind::Date, made, "Only the creation time is kept");
        check(bson!([1, 2]), FieldKind::Text, bson!("[ 1, 2 ]"), "");
    }

    #[test]
    fn what_a_type_cannot_hold_is_typed_again() {
        let check = |value: Bson, kind: FieldKind| {
            assert!(becomes(&value, kind).0.is_err(), "{value} as {kind:?}");
        };
        check(Bson::Int64(i64::MAX), FieldKind::Int32);
        check(bson!("abc"), FieldKind::Int64);
        check(bson!("abc"), FieldKind::Date);
        check(bson!("abc"), FieldKind::ObjectId);
        check(Bson::Double(f64::NAN), FieldKind::Int64);
    }
}
