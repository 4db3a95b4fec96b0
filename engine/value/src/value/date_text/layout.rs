//! A strftime layout: parsed once, then read from text.

use std::fmt;

use crate::value::named;
use crate::value::{
    calendar::{DAY_SECS, MONTHS, days_in_month, iso_weekday, number_of},
    zone::Zone,
};

/// Weekdays by name, Monday first.
const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The first two-digit year that means the 20th century, as in POSIX.
const PIVOT_YEAR: i64 = 69;

/// Why a text is not a date in a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateError {
    /// The text has another shape.
    Shape,
    /// The calendar has no such day.
    NoSuchDay,
    /// A clock never shows this time.
    NoSuchTime,
    /// The weekday is not that of the date.
    Weekday,
    /// The instant does not fit in 64 bits.
    Range,
}

impl fmt::Display for DateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shape => "it does not match the layout",
            Self::NoSuchDay => "there is no such day",
            Self::NoSuchTime => "there is no such time of day",
            Self::Weekday => "the weekday is not that of the date",
            Self::Range => "the date is out of range",
        })
    }
}

named! {
    /// Which number comes first in a date of three numbers whose year may be in doubt.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum DateOrder {
        /// `31/12/2015`.
        DayFirst => "Day first",
        /// `12/31/2015`.
        MonthFirst => "Month first",
        /// `15/12/31`: two digits of the year.
        YearFirst => "Year first",
    }
    /// A short label.
    pub fn label;
}

/// One part of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutPart {
    /// This character, letters in either case.
    Literal(char),
    /// White space; optional before a zone or AM and PM.
    Space,
    /// `%Y`: four digits.
    Year,
    /// `%y`: two digits, 1969 to 2068.
    ShortYear,
    /// `%m`: one or two digits.
    Month,
    /// `%b` and `%B`: an English name, short or long.
    MonthName,
    /// `%d` and `%e`: one or two digits.
    Day,
    /// `%j`: the day of the year.
    DayOfYear,
    /// `%H`: 0 to 24.
    Hour,
    /// `%I`: 1 to 12.
    ShortHour,
    /// `%p`: AM or PM.
    HalfDay,
    /// `%M`: two digits.
    Minute,
    /// `%S`: two digits.
    Second,
    /// `%.f`: nothing, or a point or comma and digits.
    PointFraction,
    /// `%f` and `%L`: the digits of a fraction of a second.
    Fraction,
    /// `%z`: an offset, `Z`, `UTC` or `GMT`, maybe with a comment in parentheses.
    Zone,
    /// `%a` and `%A`: an English name, short or long.
    Weekday,
}

/// A strftime layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    text: String,
    parts: Vec<LayoutPart>,
}

/// As it was written.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Layout {
    /// Parses a layout.
    ///
    /// # Errors
    /// One sentence without its full stop: what can't be read, or what is missing for a date.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            if c == '%' {
                rest = specifier(rest, &mut parts)?;
            } else if c.is_whitespace() {
                if parts.last() != Some(&LayoutPart::Space) {
                    parts.push(LayoutPart::Space);
                }
            } else {
                parts.push(LayoutPart::Literal(c));
            }
        }
        check(text, &parts)?;
        Ok(Self { text: text.to_owned(), parts })
    }

    /// Its parts.
    pub fn parts(&self) -> &[LayoutPart] {
        &self.parts
    }

    /// Which number comes first, if day and month are both numbers and the text does not tell them
    /// apart.
    pub fn order(&self) -> Option<DateOrder> {
        let of_date = |part: &&LayoutPart| {
            use LayoutPart::{Day, Month, ShortYear, Year};
            matches!(part, Year | ShortYear | Month | Day)
        };
        let date: Vec<LayoutPart> = self.parts.iter().filter(of_date).copied().collect();
        match date.as_slice() {
            [LayoutPart::Day, LayoutPart::Month, ..] => Some(DateOrder::DayFirst),
            [LayoutPart::Month, LayoutPart::Day, ..] => Some(DateOrder::MonthFirst),
            [LayoutPart::ShortYear, LayoutPart::Month, LayoutPart::Day] => {
                Some(DateOrder::YearFirst)
            }
            _ => None,
        }
    }

    /// Whether the date is a run of digits without separators, which other numbers look like too.
    pub fn is_compact(&self) -> bool {
        let mut pairs = self.parts.windows(2);
        pairs.any(|pair| pair == [LayoutPart::Year, LayoutPart::Month])
    }

    /// The instant that a text says, in milliseconds since 1970. A text without a zone is read in
    /// `zone`: of two such instants the first; where clocks jump over the time, the one after.
    ///
    /// # Errors
    /// Why it is not such a date.
    pub fn read(&self, text: &str, zone: Zone) -> Result<i64, DateError> {
        let mut reader = Reader { rest: text.trim(), fields: Fields::default() };
        for (at, part) in self.parts.iter().enumerate() {
            let next = self.parts.get(at + 1);
            reader.part(*part, next.copied()).ok_or(DateError::Shape)?;
        }
        if !reader.rest.is_empty() {
            return Err(DateError::Shape);
        }
        reader.fields.instant(zone)
    }
}

/// Parses what follows a `%`; returns the rest.
fn specifier<'t>(text: &'t str, parts: &mut Vec<LayoutPart>) -> Result<&'t str, String> {
    use LayoutPart::{
        Day, DayOfYear, Fraction, HalfDay, Hour, Literal, Minute, Month, MonthName, PointFraction,
        Second, ShortHour, ShortYear, Space, Weekday, Year, Zone,
    };
    for point in [".f", ".3f", ".6f", ".9f"] {
        if let Some(rest) = text.strip_prefix(point) {
            parts.push(PointFraction);
            return Ok(rest);
        }
    }
    // Padding flags, widths of fractions and the colons of offsets change only what is written.
    let short = text.trim_start_matches(['-', '_', '0', '#', ':', '3', '6', '9']);
    let Some(c) = short.chars().next() else {
        return Err("the layout ends with %; write %% for a percent sign".to_owned());
    };
    let slash = Literal('/');
    let colon = Literal(':');
    let of: &[LayoutPart] = match c {
        '%' => &[Literal('%')],
        'Y' => &[Year],
        'y' => &[ShortYear],
        'm' => &[Month],
        'b' | 'B' | 'h' => &[MonthName],
        'd' | 'e' => &[Day],
        'j' => &[DayOfYear],
        'H' | 'k' => &[Hour],
        'I' | 'l' => &[ShortHour],
        'p' | 'P' => &[HalfDay],
        'M' => &[Minute],
        'S' => &[Second],
        'f' | 'L' => &[Fraction],
        'z' | 'Z' => &[Zone],
        'a' | 'A' => &[Weekday],
        'F' => &[Year, Literal('-'), Month, Literal('-'), Day],
        'D' => &[Month, slash, Day, slash, ShortYear],
        'T' => &[Hour, colon, Minute, colon, Second],
        'R' => &[Hour, colon, Minute],
        'r' => &[ShortHour, colon, Minute, colon, Second, Space, HalfDay],
        'n' | 't' => &[Space],
        's' => return Err("for seconds since 1970, write date:s instead of %s".to_owned()),
        other => {
            return Err(format!(
                "the layout has %{other}, which can't be read; use %Y %y %m %b %d %j %H %I %p %M %S \
                 %f %.f %z and %a"
            ));
        }
    };
    parts.extend_from_slice(of);
    Ok(short.get(c.len_utf8()..).unwrap_or_default())
}

/// Checks that a layout says a whole date.
fn check(text: &str, parts: &[LayoutPart]) -> Result<(), String> {
    use LayoutPart::{
        Day, DayOfYear, HalfDay, Hour, Minute, Month, MonthName, Second, ShortHour, ShortYear, Year,
    };
    let has = |any: &[LayoutPart]| parts.iter().any(|part| any.contains(part));
    let missing = if parts.is_empty() {
        "a layout"
    } else if !has(&[Year, ShortYear]) {
        "the year, %Y or %y"
    } else if !has(&[DayOfYear]) && !has(&[Month, MonthName]) {
        "the month, %m or %b"
    } else if !has(&[DayOfYear, Day]) {
        "the day, %d"
    } else if has(&[Minute]) && !has(&[Hour, ShortHour]) {
        "the hour, %H or %I"
    } else if has(&[Second]) && !has(&[Minute]) {
        "the minute, %M"
    } else if has(&[ShortHour]) != has(&[HalfDay]) {
        "both %I and %p"
    } else {
        return Ok(());
    };
    match text {
        "" => Err("enter a layout, such as %Y-%m-%d".to_owned()),
        text => Err(format!("the layout {text:?} needs {missing}")),
    }
}

/// The fields of an instant that a text names.
#[derive(Debug, Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: i64,
    day_of_year: Option<i64>,
    hour: i64,
    /// `false`: AM; `true`: PM.
    afternoon: Option<bool>,
    minute: i64,
    second: i64,
    milli: i64,
    offset_secs: Option<i64>,
    /// Monday 1 … Sunday 7.
    weekday: Option<i64>,
}

impl Fields {
    fn instant(&self, zone: Zone) -> Result<i64, DateError> {
        let number = match self.day_of_year {
            Some(day) => {
                let first = number_of(self.year, 1, 1);
                let days = number_of(self.year + 1, 1, 1) - first;
                (1..=days).contains(&day).then_some(first + day - 1)
            }
            None => self.month.filter(|month| (1..=12).contains(month)).and_then(|month| {
                let has_day = (1..=days_in_month(self.year, month)).contains(&self.day);
                has_day.then(|| number_of(self.year, month, self.day))
            }),
        };
        let number = number.ok_or(DateError::NoSuchDay)?;
        if self.weekday.is_some_and(|weekday| weekday != iso_weekday(number)) {
            return Err(DateError::Weekday);
        }
        let hour = match self.afternoon {
            None => self.hour,
            Some(_) if !(1..=12).contains(&self.hour) => return Err(DateError::NoSuchTime),
            Some(afternoon) => self.hour % 12 + if afternoon { 12 } else { 0 },
        };
        let is_midnight = hour == 24 && (self.minute, self.second, self.milli) == (0, 0, 0);
        if (hour > 23 && !is_midnight) || self.minute > 59 || self.second > 59 {
            return Err(DateError::NoSuchTime);
        }
        let secs = number * DAY_SECS + hour * 3_600 + self.minute * 60 + self.second;
        let zone = self.offset_secs.map_or(zone, Zone::Fixed);
        let millis = zone.utc_secs(i128::from(secs)) * 1_000 + i128::from(self.milli);
        i64::try_from(millis).map_err(|_| DateError::Range)
    }
}

/// A text that is read part by part.
struct Reader<'t> {
    rest: &'t str,
    fields: Fields,
}

impl Reader<'_> {
    /// Reads one part, or returns `None` if the text has something else here.
    fn part(&mut self, part: LayoutPart, next: Option<LayoutPart>) -> Option<()> {
        match part {
            LayoutPart::Literal(c) => self.literal(c)?,
            LayoutPart::Space => {
                let rest = self.rest.trim_start();
                let optional = matches!(next, Some(LayoutPart::Zone | LayoutPart::HalfDay));
                if rest.len() == self.rest.len() && !optional {
                    return None;
                }
                self.rest = rest;
            }
            LayoutPart::Year => self.fields.year = self.digits(4, 4)?,
            LayoutPart::ShortYear => {
                let year = self.digits(2, 2)?;
                self.fields.year = year + if year < PIVOT_YEAR { 2_000 } else { 1_900 };
            }
            LayoutPart::Month => self.fields.month = Some(self.digits(1, 2)?),
            LayoutPart::MonthName => self.fields.month = Some(self.month_name()?),
            LayoutPart::Day => self.fields.day = self.digits(1, 2)?,
            LayoutPart::DayOfYear => self.fields.day_of_year = Some(self.digits(1, 3)?),
            LayoutPart::Hour | LayoutPart::ShortHour => self.fields.hour = self.digits(1, 2)?,
            LayoutPart::HalfDay => self.fields.afternoon = Some(self.half_day()?),
            LayoutPart::Minute => self.fields.minute = self.digits(2, 2)?,
            LayoutPart::Second => self.fields.second = self.digits(2, 2)?,
            LayoutPart::PointFraction => {
                if self.rest.starts_with(['.', ',']) {
                    self.rest = self.rest.get(1..)?;
                    self.fraction()?;
                }
            }
            LayoutPart::Fraction => self.fraction()?,
            LayoutPart::Zone => self.zone()?,
            LayoutPart::Weekday => self.fields.weekday = Some(self.name(&WEEKDAYS)?),
        }
        Some(())
    }

    fn literal(&mut self, expected: char) -> Option<()> {
        let mut chars = self.rest.chars();
        let found = chars.next()?;
        self.rest = chars.as_str();
        found.eq_ignore_ascii_case(&expected).then_some(())
    }

    /// A number of at least `least` and at most `most` digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let length = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        let number = |number, digit: u8| number * 10 + i64::from(digit - b'0');
        (length >= least).then(|| digits.bytes().fold(0, number))
    }

    /// The digits of a fraction of a second; those below a millisecond are cut off.
    fn fraction(&mut self) -> Option<()> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        let places = digits.bytes().chain(std::iter::repeat(b'0')).take(3);
        self.fields.milli = places.fold(0, |milli, digit| milli * 10 + i64::from(digit - b'0'));
        (1..=9).contains(&length).then_some(())
    }

    fn letters(&mut self) -> &str {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (letters, rest) = self.rest.split_at_checked(length).unwrap_or_default();
        self.rest = rest;
        letters
    }

    /// A whole name or its first three letters, as a number from 1. A point may follow.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let letters = self.letters();
        let is_named = |name: &&str| {
            let short = name.get(..3).unwrap_or(name);
            letters.eq_ignore_ascii_case(name) || letters.eq_ignore_ascii_case(short)
        };
        let at = names.iter().position(is_named)?;
        self.rest = self.rest.strip_prefix('.').unwrap_or(self.rest);
        i64::try_from(at + 1).ok()
    }

    fn month_name(&mut self) -> Option<i64> {
        let is_sept = self.rest.get(..4).is_some_and(|four| four.eq_ignore_ascii_case("sept"));
        if is_sept && !self.rest.as_bytes().get(4).is_some_and(u8::is_ascii_alphabetic) {
            self.rest = self.rest.get(4..)?;
            self.rest = self.rest.strip_prefix('.').unwrap_or(self.rest);
            return Some(9);
        }
        self.name(&MONTHS)
    }

    /// `AM`, `pm`, `a.m.`: whether it is afternoon.
    fn half_day(&mut self) -> Option<bool> {
        let first = self.rest.bytes().next()?.to_ascii_lowercase();
        let rest = self.rest.get(1..)?;
        let dotted = rest.strip_prefix('.');
        let rest = dotted.unwrap_or(rest).strip_prefix(['m', 'M'])?;
        self.rest = if dotted.is_some() { rest.strip_prefix('.').unwrap_or(rest) } else { rest };
        match first {
            b'a' => Some(false),
            b'p' => Some(true),
            _ => None,
        }
    }

    /// `Z`, `UTC`, `GMT`, `+02`, `+0200`, `+02:00` or `GMT+0200 (Some Name)`.
    fn zone(&mut self) -> Option<()> {
        let letters = self.letters().to_ascii_uppercase();
        let is_named = matches!(letters.as_str(), "Z" | "UTC" | "GMT" | "UT");
        if !is_named && !letters.is_empty() {
            return None;
        }
        let sign = match self.rest.chars().next() {
            Some('+') => 1,
            Some('-' | '\u{2212}') => -1,
            _ if is_named => 0,
            _ => return None,
        };
        let mut offset_secs = 0;
        if sign != 0 {
            self.rest = self.rest.trim_start_matches(['+', '-', '\u{2212}']);
            let hours = self.digits(2, 2)?;
            self.rest = self.rest.strip_prefix(':').unwrap_or(self.rest);
            let has_minutes = self.rest.starts_with(|c: char| c.is_ascii_digit());
            let minutes = if has_minutes { self.digits(2, 2)? } else { 0 };
            if hours > 23 || minutes > 59 {
                return None;
            }
            offset_secs = sign * (hours * 3_600 + minutes * 60);
        }
        self.fields.offset_secs = Some(offset_secs);
        let comment = self.rest.trim_start();
        if comment.starts_with('(') && comment.ends_with(')') {
            self.rest = "";
        }
        Some(())
    }
}
