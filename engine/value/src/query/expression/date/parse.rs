//! Text to dates: by a format, or in the common notations.

use super::free;
use crate::value::calendar::{DAY_SECS, MONTHS, days_in_month, number_of, number_of_iso};
use crate::value::zone::Zone;

/// The parts of an instant that a text names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub year: Option<i64>,
    pub month: Option<i64>,
    pub day: Option<i64>,
    pub day_of_year: Option<i64>,
    pub iso_year: Option<i64>,
    pub iso_week: Option<i64>,
    pub iso_weekday: Option<i64>,
    pub hour: Option<i64>,
    pub minute: Option<i64>,
    pub second: Option<i64>,
    pub millisecond: Option<i64>,
    pub offset_secs: Option<i64>,
    /// Whether the offset was a name such as `EST` or `Z`.
    pub zone_by_name: bool,
}

/// Reads a date; the message of a failure is a whole sentence of MongoDB's.
pub(in crate::query::expression) fn utc_text(text: &str) -> Result<i64, String> {
    from_text(text, None, Zone::UTC)
}

/// Reads a date that may name no zone in this one.
pub(super) fn from_text(text: &str, format: Option<&str>, zone: Zone) -> Result<i64, String> {
    let parts = match format {
        Some(format) => by_format(text, format),
        None => free::read(text),
    };
    let parts = parts.map_err(|reason| format!("Error parsing date string '{text}'; {reason}"))?;
    instant(&parts, text, zone)
}

fn instant(parts: &Parts, text: &str, zone: Zone) -> Result<i64, String> {
    let incomplete = || {
        format!("an incomplete date/time string has been found, with elements missing: \"{text}\"")
    };
    let number = day_number(parts).ok_or_else(incomplete)?;
    let (hour, minute, second) = match (parts.hour, parts.minute, parts.second) {
        (None, None, None) => (0, 0, 0),
        (Some(hour), Some(minute), second) => (hour, minute, second.unwrap_or(0)),
        _ => return Err(incomplete()),
    };
    if parts.offset_secs.is_some() && zone != Zone::UTC {
        return Err(if parts.zone_by_name {
            "you cannot pass in a date/time string with time zone information together with a \
             timezone argument"
                .to_owned()
        } else {
            "you cannot pass in a date/time string with GMT offset together with a timezone \
             argument"
                .to_owned()
        });
    }
    let zone = parts.offset_secs.map_or(zone, Zone::Fixed);
    let secs = number * DAY_SECS + hour * 3_600 + minute * 60 + second;
    let millis =
        zone.utc_secs(i128::from(secs)) * 1_000 + i128::from(parts.millisecond.unwrap_or(0));
    i64::try_from(millis).map_err(|_| incomplete())
}

fn day_number(parts: &Parts) -> Option<i64> {
    if let (Some(year), Some(week)) = (parts.iso_year, parts.iso_week) {
        return Some(number_of_iso(year, week, parts.iso_weekday.unwrap_or(1)));
    }
    let year = parts.year?;
    if let Some(day) = parts.day_of_year {
        return Some(number_of(year, 1, 1) + day - 1);
    }
    Some(number_of(year, parts.month?, parts.day?))
}

/// A text that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub text: &'t str,
    pub at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// A number of at least `least` and at most `most` digits.
    pub(super) fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let rest = self.rest();
        let length = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if length < least {
            return None;
        }
        let number = rest.get(..length)?.parse().ok()?;
        self.at += length;
        Some(number)
    }

    /// Letters, as they stand.
    pub(super) fn letters(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// The reason why reading stopped here.
    pub(super) fn failure(&self, reason: &str) -> String {
        let found = self.peek().map(String::from).unwrap_or_default();
        format!("{}: {reason} '{found}'", self.at)
    }
}

/// The month with this name or its first three letters, in any case.
pub(super) fn month_of(name: &str) -> Option<i64> {
    let is_named = |month: &str| {
        month.eq_ignore_ascii_case(name)
            || month.get(..3).is_some_and(|short| short.eq_ignore_ascii_case(name))
    };
    (1..).zip(MONTHS).find(|(_, month)| is_named(month)).map(|(number, _)| number)
}

fn by_format(text: &str, format: &str) -> Result<Parts, String> {
    let mut parts = Parts::default();
    let mut cursor = Cursor { text, at: 0 };
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            if !cursor.skip(c) {
                return Err(cursor.failure("The format separator does not match"));
            }
            continue;
        }
        let specifier = rest.next().unwrap_or('%');
        if specifier == '%' {
            if !cursor.skip('%') {
                return Err(cursor.failure("The format separator does not match"));
            }
            continue;
        }
        field(specifier, &mut cursor, &mut parts)?;
    }
    if !cursor.rest().is_empty() {
        return Err(cursor.failure("Trailing data"));
    }
    check_ranges(&parts)?;
    Ok(parts)
}

/// Where the digits of a specifier go, how many there are at least and at most, and their name.
fn digits_of(
    specifier: char,
    parts: &mut Parts,
) -> Option<(&mut Option<i64>, usize, usize, &'static str)> {
    Some(match specifier {
        'Y' => (&mut parts.year, 4, 4, "four digit year"),
        'G' => (&mut parts.iso_year, 4, 4, "four digit ISO year"),
        'm' => (&mut parts.month, 1, 2, "two digit month"),
        'd' => (&mut parts.day, 1, 2, "two digit day"),
        'j' => (&mut parts.day_of_year, 1, 3, "three digit day-of-year"),
        'H' => (&mut parts.hour, 1, 2, "two digit hour"),
        'M' => (&mut parts.minute, 2, 2, "two digit minute"),
        'S' => (&mut parts.second, 2, 2, "two digit second"),
        'L' => (&mut parts.millisecond, 1, 3, "three digit millisecond"),
        'u' => (&mut parts.iso_weekday, 1, 1, "single digit day of week"),
        'V' => (&mut parts.iso_week, 1, 2, "two digit ISO week"),
        _ => return None,
    })
}

fn field(specifier: char, cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    let start = *cursor;
    if let Some((part, least, most, name)) = digits_of(specifier, parts) {
        let digits = cursor.digits(least, most);
        *part = digits;
        return match digits {
            Some(_) => Ok(()),
            None => Err(start.failure(&format!("A {name} could not be found"))),
        };
    }
    match specifier {
        'b' | 'B' => {
            let month = month_of(cursor.letters());
            let missing = || start.failure("A textual month could not be found");
            parts.month = Some(month.ok_or_else(missing)?);
        }
        'Z' => {
            let minutes = minutes_offset(cursor);
            let missing = || start.failure("Invalid timezone offset in minutes");
            parts.offset_secs = Some(minutes.ok_or_else(missing)? * 60);
        }
        _ => {
            let missing = || start.failure("The timezone could not be found in the database");
            let (secs, by_name) = offset(cursor).ok_or_else(missing)?;
            (parts.offset_secs, parts.zone_by_name) = (Some(secs), by_name);
        }
    }
    Ok(())
}

fn minutes_offset(cursor: &mut Cursor<'_>) -> Option<i64> {
    let sign = if cursor.skip('-') {
        -1
    } else {
        cursor.skip('+');
        1
    };
    Some(sign * cursor.digits(1, 4)?)
}

/// `+hh`, `+hhmm`, `+hh:mm`, a number of hours, `Z` or an abbreviation: seconds, and whether it was
/// a name.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> Option<(i64, bool)> {
    /// Abbreviations with their hours east of Greenwich.
    const NAMES: [(&str, i64); 16] = [
        ("Z", 0),
        ("UTC", 0),
        ("GMT", 0),
        ("EST", -5),
        ("EDT", -4),
        ("CST", -6),
        ("CDT", -5),
        ("MST", -7),
        ("MDT", -6),
        ("PST", -8),
        ("PDT", -7),
        ("CET", 1),
        ("CEST", 2),
        ("BST", 1),
        ("EET", 2),
        ("EEST", 3),
    ];
    let start = *cursor;
    let name = cursor.letters();
    if !name.is_empty() {
        let known = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let followed = matches!(cursor.peek(), Some('+' | '-'));
        if followed && matches!(name.to_ascii_uppercase().as_str(), "GMT" | "UTC") {
            return numeric_offset(cursor).map(|offset| (offset, false));
        }
        let Some((_, hours)) = known else {
            *cursor = start;
            return None;
        };
        return Some((hours * 3_600, true));
    }
    numeric_offset(cursor).map(|offset| (offset, false))
}

fn numeric_offset(cursor: &mut Cursor<'_>) -> Option<i64> {
    let sign = if cursor.skip('-') {
        -1
    } else if cursor.skip('+') {
        1
    } else {
        return None;
    };
    let start = cursor.at;
    let number = cursor.digits(1, 4)?;
    let secs = match cursor.at - start {
        1 | 2 if cursor.skip(':') => number * 3_600 + cursor.digits(2, 2)? * 60,
        1 | 2 => number * 3_600,
        _ => number / 100 * 3_600 + number % 100 * 60,
    };
    Some(sign * secs)
}

/// Refuses parts that no clock and no calendar shows.
pub(super) fn check_ranges(parts: &Parts) -> Result<(), String> {
    let within = |part: Option<i64>, most: i64| part.is_none_or(|part| part <= most);
    let at_least_one = |part: Option<i64>| part.is_none_or(|part| part >= 1);
    if !within(parts.hour, 24) || !within(parts.minute, 59) || !within(parts.second, 59) {
        return Err("0: The parsed time was invalid ''".to_owned());
    }
    let date_holds = within(parts.month, 12)
        && at_least_one(parts.month)
        && at_least_one(parts.day)
        && within(parts.day_of_year, 366)
        && at_least_one(parts.day_of_year)
        && within(parts.iso_week, 53)
        && at_least_one(parts.iso_week)
        && within(parts.iso_weekday, 7)
        && at_least_one(parts.iso_weekday);
    let day_holds = match (parts.year, parts.month, parts.day) {
        (Some(year), Some(month), Some(day)) if date_holds => day <= days_in_month(year, month),
        (_, _, day) => within(day, 31),
    };
    if date_holds && day_holds {
        Ok(())
    } else {
        Err("0: The parsed date was invalid ''".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_by_a_format() {
        let check = |text: &str, format: &str, zone: &str, expected: Result<&str, &str>| {
            let read = from_text(text, Some(format), Zone::parse(zone).unwrap());
            match (read, expected) {
                (Ok(millis), Ok(expected)) => {
                    assert_eq!(super::super::format::iso_text(millis).unwrap(), expected);
                }
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
                (found, _) => panic!("{text} by {format}: {found:?}"),
            }
        };
        check("06-15-2018", "%m-%d-%Y", "UTC", Ok("2018-06-15T00:00:00.000Z"));
        check("06-15-2018", "%m-%d-%Y", "America/New_York", Ok("2018-06-15T04:00:00.000Z"));
        check("2018-25-7", "%G-%V-%u", "UTC", Ok("2018-06-24T00:00:00.000Z"));
        check("2018, 185", "%Y, %j", "UTC", Ok("2018-07-04T00:00:00.000Z"));
        check("4 Jul 2017 +0530", "%d %b %Y %z", "UTC", Ok("2017-07-03T18:30:00.000Z"));
        check("July 4, 2017 -60", "%B %d, %Y %Z", "UTC", Ok("2017-07-04T01:00:00.000Z"));
        check("12:30:05.7 2017", "%H:%M:%S.%L %Y", "UTC", Err("incomplete date/time"));
        check("2018-06-15x", "%Y-%m-%d", "UTC", Err("Trailing data"));
        check("2018-6", "%Y-%m", "UTC", Err("incomplete"));
        check("2018-13-01", "%Y-%m-%d", "UTC", Err("parsed date was invalid"));
        check("2018-01-01 +03", "%Y-%m-%d %z", "Asia/Tokyo", Err("GMT offset together"));
        check("2018_01_01", "%Y-%m-%d", "UTC", Err("format separator"));
    }
}
