//! Dates in the common notations, for `$dateFromString` and `$toDate` without a format.

use super::parse::{Cursor, Parts, check_ranges, month_of, offset};

/// Allowed between a time and its half of the day.
const BLANK: [char; 2] = [' ', '\t'];

/// Reads a date, a time and a zone, in any order that people write them. Without a date the parts
/// stay incomplete, and the caller says so.
pub(super) fn read(text: &str) -> Result<Parts, String> {
    let mut parts = Parts::default();
    let mut cursor = Cursor { text, at: 0 };
    loop {
        while matches!(cursor.peek(), Some(' ' | '\t' | ',')) {
            cursor.at += 1;
        }
        let Some(c) = cursor.peek() else { break };
        let before = cursor.at;
        match c {
            '0'..='9' => number(&mut cursor, &mut parts)?,
            '@' if before == 0 => return epoch(cursor),
            '+' | '-' if parts.hour.is_some() && parts.offset_secs.is_none() => {
                zone(&mut cursor, &mut parts)?;
            }
            'T' | 't'
                if parts.day.is_some()
                    || parts.day_of_year.is_some()
                    || parts.iso_week.is_some() =>
            {
                cursor.at += 1;
                time(&mut cursor, &mut parts)?;
            }
            c if c.is_ascii_alphabetic() => word(&mut cursor, &mut parts)?,
            _ => return Err(cursor.failure("Unexpected character")),
        }
        if cursor.at == before {
            return Err(cursor.failure("Unexpected character"));
        }
    }
    check_ranges(&parts)?;
    Ok(parts)
}

/// `@` and seconds since 1970.
fn epoch(mut cursor: Cursor<'_>) -> Result<Parts, String> {
    cursor.at += 1;
    let negative = cursor.skip('-');
    let secs = cursor.digits(1, 15).ok_or_else(|| cursor.failure("Unexpected character"))?;
    if !cursor.rest().is_empty() {
        return Err(cursor.failure("Unexpected character"));
    }
    Ok(Parts {
        year: Some(1970),
        day_of_year: Some(1),
        hour: Some(0),
        minute: Some(0),
        second: Some(if negative { -secs } else { secs }),
        offset_secs: Some(0),
        ..Parts::default()
    })
}

/// A name of a month, a weekday (which changes nothing) or a zone.
fn word(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    const WEEKDAYS: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let start = *cursor;
    let name = cursor.letters();
    let lower = name.to_ascii_lowercase();
    if let Some(month) = month_of(name).or((lower == "sept").then_some(9)) {
        if parts.month.is_none() {
            parts.month = Some(month);
            cursor.skip('.');
            cursor.skip('-');
            return month_rest(cursor, parts);
        }
    } else if WEEKDAYS.iter().any(|day| *day == lower || day.get(..3) == Some(&lower)) {
        cursor.skip('.');
        return Ok(());
    }
    *cursor = start;
    if parts.offset_secs.is_none() {
        return zone(cursor, parts);
    }
    Err(cursor.failure("Unexpected character"))
}

/// Reads the day or the year after a month's name.
fn month_rest(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    while cursor.peek() == Some(' ') {
        cursor.at += 1;
    }
    if let Some(year) = four_digits(cursor) {
        set(&mut parts.year, year, cursor)?;
        parts.day = parts.day.or(Some(1));
        return Ok(());
    }
    let ahead = *cursor;
    if parts.day.is_none()
        && let Some(day) = cursor.digits(1, 2)
    {
        if cursor.peek() == Some(':') {
            *cursor = ahead;
            return Ok(());
        }
        ordinal_suffix(cursor);
        parts.day = Some(day);
        if cursor.skip('-') {
            let year = cursor.digits(4, 4).ok_or_else(|| cursor.failure("Unexpected character"))?;
            set(&mut parts.year, year, cursor)?;
        }
    }
    Ok(())
}

fn ordinal_suffix(cursor: &mut Cursor<'_>) {
    let suffix = cursor.rest().get(..2).map(str::to_ascii_lowercase);
    if matches!(suffix.as_deref(), Some("st" | "nd" | "rd" | "th")) {
        cursor.at += 2;
    }
}

fn four_digits(cursor: &mut Cursor<'_>) -> Option<i64> {
    let digits = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
    let colon = cursor.rest().as_bytes().get(4) == Some(&b':');
    if digits == 4 && !colon { cursor.digits(4, 4) } else { None }
}

fn set(part: &mut Option<i64>, value: i64, cursor: &Cursor<'_>) -> Result<(), String> {
    if part.is_some() {
        return Err(cursor.failure("Double date specification"));
    }
    *part = Some(value);
    Ok(())
}

/// Something that begins with a digit: a date, a time, a day or a year.
fn number(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    let rest = cursor.rest();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let next = rest.as_bytes().get(digits).copied();
    let has_date = parts.day.is_some() || parts.day_of_year.is_some() || parts.iso_week.is_some();
    match (digits, next) {
        (1 | 2, Some(b':')) => time(cursor, parts),
        (1 | 2, _) if meridian_follows(rest.get(digits..).unwrap_or_default()) => {
            time(cursor, parts)
        }
        (4, Some(b'-' | b'/')) if !has_date => year_first(cursor, parts),
        (4, Some(b'W')) if !has_date => {
            let year = cursor.digits(4, 4);
            iso_week(cursor, parts, year)
        }
        (8, _) if !has_date => {
            parts.year = cursor.digits(4, 4);
            parts.month = cursor.digits(2, 2);
            parts.day = cursor.digits(2, 2);
            Ok(())
        }
        (7, _) if !has_date => {
            parts.year = cursor.digits(4, 4);
            parts.day_of_year = cursor.digits(3, 3);
            Ok(())
        }
        (4, _) => {
            let year = cursor.digits(4, 4).unwrap_or_default();
            set(&mut parts.year, year, cursor)
        }
        (1 | 2, Some(b'/')) if !has_date => american(cursor, parts),
        (1 | 2, Some(b'.' | b'-')) if !has_date => day_first(cursor, parts),
        (1 | 2, _) if parts.day.is_none() => {
            parts.day = cursor.digits(1, 2);
            ordinal_suffix(cursor);
            Ok(())
        }
        _ => Err(cursor.failure("Unexpected character")),
    }
}

/// `2017-07-04`, `2017/7/4`, `2017-07`, `2017-185`, `2017-W27-2`, `2017-Jul-04`.
fn year_first(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    let year = cursor.digits(4, 4);
    let separator = cursor.peek().unwrap_or('-');
    cursor.at += 1;
    if cursor.peek() == Some('W') {
        return iso_week(cursor, parts, year);
    }
    parts.year = year;
    let length = cursor.rest().bytes().take_while(u8::is_ascii_digit).count();
    if length == 3 {
        parts.day_of_year = cursor.digits(3, 3);
        return Ok(());
    }
    parts.month = if length == 0 { month_of(cursor.letters()) } else { cursor.digits(1, 2) };
    if parts.month.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    if cursor.skip(separator) {
        parts.day = cursor.digits(1, 2);
        if parts.day.is_none() {
            return Err(cursor.failure("Unexpected character"));
        }
    } else {
        parts.day = Some(1);
    }
    Ok(())
}

fn iso_week(cursor: &mut Cursor<'_>, parts: &mut Parts, year: Option<i64>) -> Result<(), String> {
    cursor.skip('W');
    parts.iso_year = year;
    parts.iso_week = cursor.digits(2, 2);
    if parts.iso_week.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    if cursor.skip('-') || cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        parts.iso_weekday = cursor.digits(1, 1);
    }
    Ok(())
}

/// `7/4/2017`: month, day, year.
fn american(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    parts.month = cursor.digits(1, 2);
    cursor.skip('/');
    parts.day = cursor.digits(1, 2);
    if parts.day.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    if cursor.skip('/') {
        parts.year = cursor.digits(4, 4);
        if parts.year.is_none() {
            return Err(cursor.failure("Unexpected character"));
        }
    }
    Ok(())
}

/// `4-7-2017`, `4.7.2017`, `4-Jul-2017`: day, month, year.
fn day_first(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    parts.day = cursor.digits(1, 2);
    cursor.at += 1;
    parts.month = cursor.digits(1, 2).or_else(|| month_of(cursor.letters()));
    let separated = cursor.skip('-') || cursor.skip('.');
    parts.year = if separated { cursor.digits(4, 4) } else { None };
    if parts.month.is_none() || separated && parts.year.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    Ok(())
}

fn meridian_follows(rest: &str) -> bool {
    let rest = rest.trim_start_matches(BLANK);
    let word: String =
        rest.chars().take(4).filter(|c| *c != '.').collect::<String>().to_lowercase();
    (word.starts_with("am") || word.starts_with("pm"))
        && !word.chars().nth(2).is_some_and(char::is_alphabetic)
}

/// `11:56:02.813`, `1156`, `115602` after a `T`, `8:00 pm`.
fn time(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    if parts.hour.is_some() {
        return Err(cursor.failure("Double time specification"));
    }
    parts.hour = cursor.digits(1, 2);
    if parts.hour.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    let colons = cursor.skip(':');
    parts.minute = if colons { cursor.digits(2, 2) } else { cursor.digits(2, 2).or(Some(0)) };
    if parts.minute.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    let seconds = if colons { cursor.skip(':') } else { true };
    parts.second = if seconds { cursor.digits(2, 2) } else { None };
    if colons && seconds && parts.second.is_none() {
        return Err(cursor.failure("Unexpected character"));
    }
    parts.second = parts.second.or(Some(0));
    if matches!(cursor.peek(), Some('.' | ','))
        && cursor.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit)
    {
        cursor.at += 1;
        fraction(cursor, parts);
    }
    meridian(cursor, parts)
}

fn fraction(cursor: &mut Cursor<'_>, parts: &mut Parts) {
    let mut millis = 0;
    let mut worth = 100;
    while let Some(digit) = cursor.digits(1, 1) {
        millis += digit * worth;
        worth /= 10;
    }
    parts.millisecond = Some(millis);
}

fn meridian(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    if !meridian_follows(cursor.rest()) {
        return Ok(());
    }
    while cursor.peek().is_some_and(|c| BLANK.contains(&c)) {
        cursor.at += 1;
    }
    let afternoon = matches!(cursor.peek(), Some('p' | 'P'));
    cursor.at += 1;
    cursor.skip('.');
    cursor.at += 1;
    cursor.skip('.');
    match parts.hour {
        Some(hour @ 1..=12) => parts.hour = Some(hour % 12 + if afternoon { 12 } else { 0 }),
        _ => return Err(cursor.failure("Meridian can only come after an hour has been found")),
    }
    Ok(())
}

fn zone(cursor: &mut Cursor<'_>, parts: &mut Parts) -> Result<(), String> {
    let start = *cursor;
    let (secs, by_name) = offset(cursor).ok_or_else(|| {
        start.failure("passing a time zone identifier as part of the string is not allowed")
    })?;
    (parts.offset_secs, parts.zone_by_name) = (Some(secs), by_name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parse::from_text;
    use crate::value::zone::Zone;

    #[test]
    fn common_notations_are_read() {
        let check = |text: &str, expected: Result<&str, &str>| match (
            from_text(text, None, Zone::UTC),
            expected,
        ) {
            (Ok(millis), Ok(expected)) => {
                let found = super::super::format::iso_text(millis).unwrap();
                assert_eq!(found, expected, "{text}");
            }
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{text}: {found}"),
            (found, _) => panic!("{text}: {found:?}"),
        };
        check("2017-02-08T12:10:40.787Z", Ok("2017-02-08T12:10:40.787Z"));
        check("2017-02-08T12:10:40.787", Ok("2017-02-08T12:10:40.787Z"));
        check("2017-02-08 12:10:40", Ok("2017-02-08T12:10:40.000Z"));
        check("2017-02-08T12:10+0530", Ok("2017-02-08T06:40:00.000Z"));
        check("2017-02-08T12:10:40 -04:45", Ok("2017-02-08T16:55:40.000Z"));
        check("2017-02-08T12:10:40.7878123Z", Ok("2017-02-08T12:10:40.787Z"));
        check("2017-02-08", Ok("2017-02-08T00:00:00.000Z"));
        check("20170208", Ok("2017-02-08T00:00:00.000Z"));
        check("20170208T121040Z", Ok("2017-02-08T12:10:40.000Z"));
        check("2/8/2017", Ok("2017-02-08T00:00:00.000Z"));
        check("8-2-2017", Ok("2017-02-08T00:00:00.000Z"));
        check("08-Feb-2017", Ok("2017-02-08T00:00:00.000Z"));
        check("2017-Feb-08", Ok("2017-02-08T00:00:00.000Z"));
        check("July 4th, 2017", Ok("2017-07-04T00:00:00.000Z"));
        check("July 4th, 2017 12:39pm", Ok("2017-07-04T12:39:00.000Z"));
        check("4 July 2017 8 am", Ok("2017-07-04T08:00:00.000Z"));
        check("4 July 2017 8:30\tpm", Ok("2017-07-04T20:30:00.000Z"));
        // As browsers write it: a narrow space that is not ASCII.
        check("7/4/2017, 2:30:00\u{202f}PM", Err("Unexpected character"));
        check("Tue, 4 Jul 2017 11:56:02 GMT", Ok("2017-07-04T11:56:02.000Z"));
        check("July 4th, 2017 12:39:30 EST", Ok("2017-07-04T17:39:30.000Z"));
        check("2017-07-04T11:56:02 UTC+3", Ok("2017-07-04T08:56:02.000Z"));
        check("2017-W27-2", Ok("2017-07-04T00:00:00.000Z"));
        check("2017-185", Ok("2017-07-04T00:00:00.000Z"));
        check("@1499169362", Ok("2017-07-04T11:56:02.000Z"));
        check("60.Monday1770/06:59", Err("Error parsing date string"));
        check("not a date", Err("Error parsing date string 'not a date'"));
        check("", Err("incomplete date/time"));
        check("2017-07", Ok("2017-07-01T00:00:00.000Z"));
        check("July 4th", Err("incomplete date/time"));
        check("12:50:53", Err("incomplete date/time"));
        check("2017-13-04", Err("parsed date was invalid"));
        check("2017-02-30", Err("parsed date was invalid"));
        check("2017-02-03T25:00:00Z", Err("parsed time was invalid"));
        check("2017-07-04 America/New_York", Err("not allowed"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[ 0-9a-zA-Z:.,/@+é-]{0,24}") {
            let _ = from_text(&text, None, Zone::UTC);
        }
    }
}
