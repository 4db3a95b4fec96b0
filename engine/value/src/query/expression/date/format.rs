//! Dates as text, by the specifiers of `$dateToString`.

use std::fmt::Write as _;

use crate::query::{QueryError, error::refused};
use crate::value::calendar::MONTHS;
use crate::value::zone::{Local, Zone};

/// Specifiers of `$dateToString`.
pub(super) const TO_STRING: &str = "bBdGHjLmMSwuUVYzZ";
/// Specifiers of `$dateFromString`.
pub(super) const FROM_STRING: &str = "bBdGHjLmMSuVYzZ";
/// The text of a date in UTC.
pub(super) const ISO_UTC: &str = "%Y-%m-%dT%H:%M:%S.%LZ";
/// The text of a date in another zone.
pub(super) const ISO_LOCAL: &str = "%Y-%m-%dT%H:%M:%S.%L";

/// Whether every `%` is followed by one of these specifiers or a second `%`.
pub(super) fn check(format: &str, specifiers: &str) -> Result<(), QueryError> {
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        match rest.next() {
            None => {
                let message = "Unmatched '%' at end of format string";
                return Err(refused(18535, message));
            }
            Some('%') => {}
            Some(c) if specifiers.contains(c) => {}
            Some(c) => {
                return Err(refused!(18536, "Invalid format character '%{c}' in format string"));
            }
        }
    }
    Ok(())
}

/// Writes a date by a format that passed [`check`].
pub(super) fn write(format: &str, local: &Local) -> Result<String, QueryError> {
    let mut out = String::with_capacity(format.len() + 16);
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        match c {
            '%' => specifier(rest.next().unwrap_or('%'), local, &mut out)?,
            _ => out.push(c),
        }
    }
    Ok(out)
}

fn specifier(specifier: char, local: &Local, out: &mut String) -> Result<(), QueryError> {
    let day = local.day;
    let month = || usize::try_from(day.month - 1).ok().and_then(|at| MONTHS.get(at)).copied();
    match specifier {
        'b' => out.push_str(month().and_then(|name| name.get(..3)).unwrap_or_default()),
        'B' => out.push_str(month().unwrap_or_default()),
        'd' => padded(day.day, 2, out)?,
        'G' => padded(day.iso_week().0, 4, out)?,
        'H' => padded(local.hour, 2, out)?,
        'j' => padded(day.of_year(), 3, out)?,
        'L' => padded(local.millisecond, 3, out)?,
        'm' => padded(day.month, 2, out)?,
        'M' => padded(local.minute, 2, out)?,
        'S' => padded(local.second, 2, out)?,
        'u' => padded(day.iso_weekday(), 1, out)?,
        'U' => padded(week(local), 2, out)?,
        'V' => padded(day.iso_week().1, 2, out)?,
        'w' => padded(day.iso_weekday() % 7 + 1, 1, out)?,
        'Y' => padded(day.year, 4, out)?,
        'z' => {
            let minutes = local.offset_secs / 60;
            out.push(if local.offset_secs < 0 { '-' } else { '+' });
            padded(minutes.abs() / 60, 2, out)?;
            padded(minutes.abs() % 60, 2, out)?;
        }
        'Z' => {
            let minutes = local.offset_secs / 60;
            // Writing into a String can't fail.
            let _ = write!(out, "{minutes}");
        }
        other => out.push(other),
    }
    Ok(())
}

/// Weeks of the year that begin on a Sunday; the days before the first one are week 0.
pub(super) fn week(local: &Local) -> i64 {
    let weekday = local.day.iso_weekday() % 7 + 1;
    (local.day.of_year() - weekday + 7) / 7
}

fn padded(number: i64, width: usize, out: &mut String) -> Result<(), QueryError> {
    if !(0..=9_999).contains(&number) {
        return Err(refused!(
            18537,
            "Could not convert date to string: date component was outside the supported \
                 range of 0-9999: {number}"
        ));
    }
    // Digits by hand: this runs for every field of every document.
    let start = 4_usize.saturating_sub(width);
    let mut divisor = 1_000;
    for place in 0..4 {
        let digit = number / divisor % 10;
        if place >= start || number >= divisor {
            out.push(char::from(b'0' + u8::try_from(digit).unwrap_or(0)));
        }
        divisor /= 10;
    }
    Ok(())
}

/// The ISO 8601 text of a date in UTC, as `$toString` gives it.
pub(in crate::query::expression) fn iso_text(millis: i64) -> Result<String, QueryError> {
    write(ISO_UTC, &Zone::UTC.local(millis))
}

/// Month, day and time of an instant in UTC, as the server prints timestamps.
pub(in crate::query::expression) fn clock_text(millis: i64) -> String {
    let local = Zone::UTC.local(millis);
    let month = usize::try_from(local.day.month - 1).ok().and_then(|at| MONTHS.get(at));
    let month = month.and_then(|name| name.get(..3)).unwrap_or_default();
    let Local { day, hour, minute, second, .. } = local;
    format!("{month} {:>2} {hour:02}:{minute:02}:{second:02}", day.day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_specifier_is_written() {
        let check = |millis, zone: &str, format, expected: &str| {
            let local = Zone::parse(zone).unwrap().local(millis);
            assert_eq!(write(format, &local).as_deref(), Ok(expected), "{format} {zone}");
        };
        // 2012-10-11T16:35:14.921Z, a Thursday.
        let at = 1_349_973_314_921;
        check(at, "UTC", ISO_UTC, "2012-10-11T16:35:14.921Z");
        check(at, "UTC", "%b %B %d %G %H %j %L", "Oct October 11 2012 16 285 921");
        check(at, "UTC", "%m %M %S %w %u %U %V %Y %%", "10 35 14 5 4 41 41 2012 %");
        check(at, "America/New_York", "%H:%M %z %Z", "12:35 -0400 -240");
        check(at, "Asia/Kolkata", "%H:%M %z %Z", "22:05 +0530 330");
        check(at, "UTC", "%z %Z", "+0000 0");
        check(-1, "UTC", ISO_UTC, "1969-12-31T23:59:59.999Z");
        // 2017-01-01 is a Sunday, 2016-01-01 a Friday.
        check(1_483_228_800_000, "UTC", "%U", "01");
        check(1_451_606_400_000, "UTC", "%U", "00");
        assert_eq!(
            write("%Y", &Zone::UTC.local(253_402_300_800_000)).unwrap_err().message,
            "Could not convert date to string: date component was outside the supported range of \
             0-9999: 10000"
        );
    }
}
