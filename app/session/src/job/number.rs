//! Numbers and sizes as text, grouped as the user chose.

use std::cell::Cell;

use mayfly_engine::reply::DocCount;
use mayfly_engine::value::named;
use serde::{Deserialize, Serialize};

named! {
    /// How the digits of a number are grouped. Values of documents never are.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum Grouping {
        /// `12,408.5`
        #[default]
        Comma => "12,408.5",
        /// `12.408,5`
        Dot => "12.408,5",
        /// `12 408.5`
        Space => "12 408.5",
        /// `12408.5`
        None => "12408.5",
    }
    /// A number that shows it.
    pub fn label;
}

impl Grouping {
    fn separator(self) -> Option<char> {
        match self {
            Self::Comma => Some(','),
            Self::Dot => Some('.'),
            // One that no line is broken at.
            Self::Space => Some('\u{a0}'),
            Self::None => None,
        }
    }
}

thread_local! {
    /// Numbers are written in hundreds of places, all of them on the thread of the window. The
    /// command line and the worker keep the default.
    static GROUPING: Cell<Grouping> = const { Cell::new(Grouping::Comma) };
}

/// Sets how this thread groups digits.
pub fn set_grouping(grouping: Grouping) {
    GROUPING.set(grouping);
}

/// The sign before the tenths.
pub fn decimal_point() -> char {
    if GROUPING.get() == Grouping::Dot { ',' } else { '.' }
}

/// A number: `12,408`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let Some(separator) = GROUPING.get().separator() else { return digits };
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// `1 document`, `12,408 documents`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A count that fits a narrow place: `12,408`, `1.2 M`.
pub fn short_count(number: u64) -> String {
    let tenths = |unit: u64, name: &str| {
        let tenths = number / (unit / 10);
        format!("{}{}{} {name}", tenths / 10, decimal_point(), tenths % 10)
    };
    match number {
        0..1_000_000 => count(number),
        1_000_000..1_000_000_000 => tenths(1_000_000, "M"),
        _ => tenths(1_000_000_000, "G"),
    }
}

/// Seconds, exactly: `45 s`, `3,600 s`.
pub fn secs(secs: i64) -> String {
    let sign = if secs < 0 { "-" } else { "" };
    format!("{sign}{} s", count(secs.unsigned_abs()))
}

/// A size: `412 B`, `3.1 MB`.
pub fn bytes(size: u64) -> String {
    let tenths = |unit: u64, name: &str| {
        let tenths = size / (unit / 10);
        if tenths >= 1_000 {
            format!("{} {name}", tenths / 10)
        } else {
            format!("{}{}{} {name}", tenths / 10, decimal_point(), tenths % 10)
        }
    };
    match size {
        0..1_000 => format!("{size} B"),
        1_000..1_000_000 => tenths(1_000, "kB"),
        1_000_000..1_000_000_000 => tenths(1_000_000, "MB"),
        _ => tenths(1_000_000_000, "GB"),
    }
}

/// A number of documents, and how far it is known: `12,408`, `at least 10,000`, `about 80, could be 0 to
/// 5,000`.
pub fn documents(found: DocCount) -> String {
    let (number, bounds) = documents_and_bounds(found);
    if found == DocCount::AtLeast(0) { "an unknown number".to_owned() } else { number + &bounds }
}

/// The same in two parts, for a sentence with words after the number.
pub fn documents_and_bounds(found: DocCount) -> (String, String) {
    let number = match found {
        DocCount::Exact(number) => count(number),
        DocCount::AtLeast(0) => "an unknown number of".to_owned(),
        DocCount::AtLeast(number) => format!("at least {}", count(number)),
        DocCount::About { count: about, .. } => {
            let unit = unit(found, about);
            format!("about {}", count(about.saturating_add(unit / 2) / unit * unit))
        }
    };
    let bounds = match found {
        DocCount::Exact(_) | DocCount::AtLeast(_) => String::new(),
        DocCount::About { low, high, .. } => {
            let high = high.map_or_else(
                || "far more".to_owned(),
                |high| {
                    let unit = unit(found, high);
                    count(high.div_ceil(unit).saturating_mul(unit))
                },
            );
            let unit = unit(found, low);
            format!(", could be {} to {high}", count(low / unit * unit))
        }
    };
    (number, bounds)
}

/// The same where there is no room for bounds: `12,408`, `≥ 10,000`, `~80`.
pub fn short_documents(found: DocCount) -> String {
    match found {
        DocCount::Exact(number) => count(number),
        DocCount::AtLeast(0) => "?".to_owned(),
        DocCount::AtLeast(number) => format!("≥ {}", count(number)),
        DocCount::About { count: about, .. } => {
            let unit = unit(found, about);
            format!("~{}", count(about.saturating_add(unit / 2) / unit * unit))
        }
    }
}

/// The unit to which a number of an estimate is rounded: more than two digits say nothing, unless the bounds are that near.
fn unit(of: DocCount, number: u64) -> u64 {
    let second_digit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let DocCount::About { low, high: Some(high), .. } = of else { return second_digit };
    let tenth = high.saturating_sub(low) / 10;
    second_digit.min(10_u64.pow(tenth.checked_ilog10().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_counts() {
        assert_eq!(short_count(999_999), "999,999");
        assert_eq!(short_count(1_249_000), "1.2 M");
        assert_eq!(short_count(3_000_000_000), "3.0 G");
    }

    #[test]
    fn seconds() {
        let check = |given, expected: &str| assert_eq!(secs(given), expected);
        check(45, "45 s");
        check(3_600, "3,600 s");
        check(-3_600, "-3,600 s");
    }

    #[test]
    fn a_number_says_how_far_it_is_known() {
        let about = |count, low, high| DocCount::About { count, low, high };
        let check = |found, expected: [&str; 2]| {
            assert_eq!([documents(found), short_documents(found)], expected);
        };
        check(DocCount::Exact(4_939), ["4,939", "4,939"]);
        check(DocCount::AtLeast(4_000), ["at least 4,000", "≥ 4,000"]);
        check(DocCount::AtLeast(0), ["an unknown number", "?"]);
        check(about(83, 0, Some(4_939)), ["about 83, could be 0 to 5,000", "~83"]);
        check(about(4_939, 3_561, Some(6_741)), ["about 4,900, could be 3,500 to 6,800", "~4,900"]);
        check(about(1_987, 1_927, Some(1_987)), ["about 1,987, could be 1,927 to 1,987", "~1,987"]);
        check(about(0, 0, Some(9)), ["about 0, could be 0 to 9", "~0"]);
        check(about(4_939, 561, None), ["about 4,900, could be 560 to far more", "~4,900"]);
    }

    #[test]
    fn digits_are_grouped_as_chosen() {
        let check = |grouping, expected: [&str; 2]| {
            set_grouping(grouping);
            assert_eq!([count(1_234_567), bytes(3_149_000)], expected, "{grouping:?}");
        };
        check(Grouping::Dot, ["1.234.567", "3,1 MB"]);
        check(Grouping::Space, ["1\u{a0}234\u{a0}567", "3.1 MB"]);
        check(Grouping::None, ["1234567", "3.1 MB"]);
        check(Grouping::Comma, ["1,234,567", "3.1 MB"]);
    }

    #[test]
    fn sizes() {
        let check = |size, expected: &str| assert_eq!(bytes(size), expected);
        check(412, "412 B");
        check(3_149_000, "3.1 MB");
        check(412_000, "412 kB");
        check(1_000, "1.0 kB");
    }
}
