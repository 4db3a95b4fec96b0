//! Dates as ISO 8601 text.

use crate::value::calendar::{Day, days_in_month, number_of};

const DAY_MS: i64 = 86_400_000;
/// First millisecond of the year 10000.
const YEAR_10000_MS: i64 = 253_402_300_800_000;

/// What a date without a zone means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// An error.
    Required,
    /// UTC; the time of day may be missing too.
    UtcIfMissing,
}

/// Milliseconds since 1970 of `YYYY-MM-DDTHH:MM[:SS[.fff]]` with `Z`, `+HH:MM` or `+HHMM`.
/// Digits below the millisecond are dropped; second 60 counts as 59.999.
pub(super) fn parse_iso(text: &str, zone: Zone) -> Option<i64> {
    let mut cursor = Cursor(text.as_bytes());
    let year = cursor.number(4)?;
    let month = cursor.after(b"-")?.number(2)?;
    let day = cursor.after(b"-")?.number(2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let midnight = number_of(year, month, day) * DAY_MS;
    if cursor.0.is_empty() {
        return (zone == Zone::UtcIfMissing).then_some(midnight);
    }
    let hour = cursor.after(b"Tt ")?.number(2)?;
    let minute = cursor.after(b":")?.number(2)?;
    let (mut second, mut ms) = (0, 0);
    if cursor.after(b":").is_some() {
        second = cursor.number(2)?;
        if cursor.after(b".").is_some() {
            ms = cursor.milliseconds()?;
        }
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    if second == 60 {
        (second, ms) = (59, 999);
    }
    let offset = cursor.offset_minutes(zone)?;
    cursor.0.is_empty().then_some(())?;
    Some(midnight + (hour * 60 + minute - offset) * 60_000 + second * 1_000 + ms)
}

/// Whether a date that [`parse_iso`] takes is at second 60.
pub(super) fn is_at_leap_second(text: &str) -> bool {
    text.get("2016-12-31T23:59:".len()..).is_some_and(|rest| rest.starts_with("60"))
}

struct Cursor<'t>(&'t [u8]);

impl Cursor<'_> {
    /// Steps over one byte if it is among these.
    fn after(&mut self, any: &[u8]) -> Option<&mut Self> {
        let (first, rest) = self.0.split_first()?;
        if !any.contains(first) {
            return None;
        }
        self.0 = rest;
        Some(self)
    }

    fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        number.iter().try_fold(0, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0'))
        })
    }

    /// One to nine digits after the decimal point.
    fn milliseconds(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digits = self.0.get(..count.min(3))?;
        let sum = digits.iter().fold(0, |sum, byte| sum * 10 + i64::from(byte - b'0'));
        self.0 = self.0.get(count..)?;
        match count {
            1 => Some(sum * 100),
            2 => Some(sum * 10),
            3..=9 => Some(sum),
            _ => None,
        }
    }

    fn offset_minutes(&mut self, zone: Zone) -> Option<i64> {
        if self.0.is_empty() {
            return (zone == Zone::UtcIfMissing).then_some(0);
        }
        if self.after(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.0.starts_with(b"-") { -1 } else { 1 };
        let hours = self.after(b"+-")?.number(2)?;
        let _ = self.after(b":");
        let minutes = self.number(2)?;
        (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
    }
}

/// Appends `YYYY-MM-DDTHH:MM:SS[.fff]Z`. Returns false, and appends nothing, for a date before
/// 1970 or after 9999.
pub(in crate::value) fn append_iso(out: &mut Vec<u8>, ms: i64) -> bool {
    if !(0..YEAR_10000_MS).contains(&ms) {
        return false;
    }
    let Day { year, month, day } = Day::of_number(ms / DAY_MS);
    let of_day = ms % DAY_MS;
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let parts = [
        (0, year / 100),
        (2, year % 100),
        (5, month),
        (8, day),
        (11, of_day / 3_600_000),
        (14, of_day / 60_000 % 60),
        (17, of_day / 1_000 % 60),
        (20, of_day % 1_000 / 10),
    ];
    for (at, value) in parts {
        let value = u8::try_from(value).unwrap_or(0);
        if let Some(digits) = text.get_mut(at..at + 2) {
            digits.copy_from_slice(&[b'0' + value / 10, b'0' + value % 10]);
        }
    }
    if of_day % 1_000 == 0 {
        out.extend_from_slice(&text[..19]);
        out.push(b'Z');
    } else {
        text[22] = b'0' + u8::try_from(of_day % 10).unwrap_or(0);
        out.extend_from_slice(&text);
    }
    true
}
