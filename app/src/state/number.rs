//! Numbers and sizes as text, grouped as the user chose.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

/// How the digits of a number are grouped. Values of documents never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Grouping {
    /// `12,408.5`
    #[default]
    Comma,
    /// `12.408,5`
    Dot,
    /// `12 408.5`
    Space,
    /// `12408.5`
    None,
}

impl Grouping {
    /// Every choice, in the order of the settings.
    pub const ALL: [Self; 4] = [Self::Comma, Self::Dot, Self::Space, Self::None];

    /// A number that shows it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Comma => "12,408.5",
            Self::Dot => "12.408,5",
            Self::Space => "12 408.5",
            Self::None => "12408.5",
        }
    }

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
#[must_use]
pub fn decimal_point() -> char {
    if GROUPING.get() == Grouping::Dot { ',' } else { '.' }
}

/// A number: `12,408`.
#[must_use]
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
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A count that fits a narrow place: `12,408`, `1.2 M`.
#[must_use]
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
#[must_use]
pub fn secs(secs: i64) -> String {
    let sign = if secs < 0 { "-" } else { "" };
    format!("{sign}{} s", count(secs.unsigned_abs()))
}

/// A size: `412 B`, `3.1 MB`.
#[must_use]
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

/// A count, or about that many when it was scaled from a sample: two digits of it are right.
#[must_use]
pub fn count_or_about(number: u64, sample: Option<u64>) -> String {
    if sample.is_none() {
        return count(number);
    }
    let unit = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    format!("about {}", count((number + unit / 2) / unit * unit))
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
