//! Dates as ISO 8601 text.

use crate::value::calendar::{Day, days_in_month, number_of};

const DAY_MS: i64 = 86_400_000;
/// First millisecond of the year 10000.
const YEAR_10000_MS: i64 = 253_402_300_800_000;
/// JavaScript's dates reach this far on both sides of 1970: ECMA-262, "Time Values and Time Range".
pub const JAVASCRIPT_MS_MAX: i64 = 8_640_000_000_000_000;

/// The meaning of a date without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    Required,
    /// UTC; the time of day may be missing too.
    UtcIfMissing,
}

/// Milliseconds since 1970 of `YYYY-MM-DDTHH:MM[:SS[.fff]]` with `Z`, `+HH:MM` or `+HHMM`.
/// Digits below the millisecond are dropped; second 60 counts as 59.999. A year with a sign has six
/// digits, as JavaScript writes those outside of 0 to 9999.
pub(super) fn parse_iso(text: &str, zone: Zone) -> Option<i64> {
    let mut cursor = Cursor(text.as_bytes());
    let year = cursor.year()?;
    let month = cursor.after(b"-")?.number(2)?;
    let day = cursor.after(b"-")?.number(2)?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let midnight = number_of(year, month, day) * DAY_MS;
    if cursor.0.is_empty() {
        return (zone == Zone::UtcIfMissing && is_in_javascript(midnight)).then_some(midnight);
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
    let ms = midnight + (hour * 60 + minute - offset) * 60_000 + second * 1_000 + ms;
    is_in_javascript(ms).then_some(ms)
}

fn is_in_javascript(ms: i64) -> bool {
    ms.unsigned_abs() <= JAVASCRIPT_MS_MAX.unsigned_abs()
}

/// Milliseconds since 1970 of a date as [`iso_text`] writes it; one without a zone is in UTC.
pub fn iso_ms(text: &str) -> Option<i64> {
    parse_iso(text, Zone::UtcIfMissing)
}

/// A date as mongosh shows it inside of `ISODate`: `1951-10-04T00:00:00.000Z`. A year outside of 0
/// to 9999 has a sign and six digits. `None` for a date that JavaScript can't hold.
pub fn iso_text(ms: i64) -> Option<String> {
    let mut text = Vec::new();
    append_iso_string(&mut text, ms).then(|| String::from_utf8_lossy(&text).into_owned())
}

/// Whether a date that [`parse_iso`] takes is at second 60.
pub(super) fn is_at_leap_second(text: &str) -> bool {
    let digits = if text.starts_with(['+', '-']) { "+012016" } else { "2016" };
    let at = digits.len() + "-12-31T23:59:".len();
    text.get(at..).is_some_and(|rest| rest.starts_with("60"))
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

    /// Four digits, or a sign and six. There is no year -000000.
    fn year(&mut self) -> Option<i64> {
        let sign = match self.0.first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return self.number(4),
        };
        let year = self.after(b"+-")?.number(6)?;
        (sign > 0 || year > 0).then_some(sign * year)
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
/// 1970 or after 9999, which relaxed Extended JSON writes as a number.
pub(in crate::value) fn append_iso(out: &mut Vec<u8>, ms: i64) -> bool {
    if !(0..YEAR_10000_MS).contains(&ms) {
        return false;
    }
    append_four_digits(out, ms);
    if ms % 1_000 == 0 {
        out.truncate(out.len() - ".000Z".len());
        out.push(b'Z');
    }
    true
}

/// Appends what JavaScript's `toISOString` returns: `1951-10-04T00:00:00.000Z`, with a sign and six
/// digits for years outside of 0 to 9999. Returns false, and appends nothing, for a date that
/// JavaScript can't hold.
pub(in crate::value) fn append_iso_string(out: &mut Vec<u8>, ms: i64) -> bool {
    if !is_in_javascript(ms) {
        return false;
    }
    let Day { year, .. } = Day::of_number(ms.div_euclid(DAY_MS));
    if !(0..10_000).contains(&year) {
        out.push(if year < 0 { b'-' } else { b'+' });
        append_two_digits(out, year.abs() / 10_000);
    }
    append_four_digits(out, ms);
    true
}

/// The last four digits of the year, and the rest to the millisecond.
fn append_four_digits(out: &mut Vec<u8>, ms: i64) {
    let Day { year, month, day } = Day::of_number(ms.div_euclid(DAY_MS));
    let (year, of_day) = (year.abs() % 10_000, ms.rem_euclid(DAY_MS));
    append_two_digits(out, year / 100);
    let parts = [
        (year % 100, b'-'),
        (month, b'-'),
        (day, b'T'),
        (of_day / 3_600_000, b':'),
        (of_day / 60_000 % 60, b':'),
        (of_day / 1_000 % 60, b'.'),
        (of_day % 1_000 / 10, b'0' + u8::try_from(of_day % 10).unwrap_or(0)),
    ];
    for (value, after) in parts {
        append_two_digits(out, value);
        out.push(after);
    }
    out.push(b'Z');
}

fn append_two_digits(out: &mut Vec<u8>, value: i64) {
    let value = u8::try_from(value).unwrap_or(0);
    out.extend_from_slice(&[b'0' + value / 10, b'0' + value % 10]);
}
