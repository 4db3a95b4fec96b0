//! Which fields could carry a TTL, and what it would remove.

use crate::limits::SCHEMA_EXAMPLES_MAX;

const DAY_MS: i64 = 86_400_000;

/// The lifetimes that a candidate is tried with, in milliseconds: a day, 30 days, a year.
pub const LIFETIMES_MS: [i64; 3] = [DAY_MS, 30 * DAY_MS, 365 * DAY_MS];

/// A path that dates, or what may be dates, were found at. Paths through arrays count like the
/// server's index on them: the earliest date of a document decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidate {
    /// The path as an index has it.
    pub path: String,
    /// Documents with a date there.
    pub dates: u64,
    /// Documents whose earliest date is older than each of [`LIFETIMES_MS`].
    pub expired: [u64; 3],
    /// Documents with text there that looks like a date.
    pub texts: u64,
    pub examples: Vec<String>,
    numbers: Numbers,
    /// The document that was counted last.
    last: u64,
    earliest_ms: Option<i64>,
    last_text: u64,
}

impl Candidate {
    pub fn new(path: String) -> Self {
        Self { path, ..Self::default() }
    }

    /// Counts a date of document number `document`, which begins at 1.
    pub fn date(&mut self, document: u64, at_ms: i64, now_ms: i64) {
        if self.last != document {
            self.finish(now_ms);
            self.last = document;
            self.dates += 1;
        }
        self.earliest_ms = Some(self.earliest_ms.map_or(at_ms, |known| known.min(at_ms)));
    }

    /// Counts a text of document number `document` if it looks like a date.
    pub fn text(&mut self, document: u64, text: &str) {
        if self.last_text == document || !looks_like_date(text) {
            return;
        }
        self.last_text = document;
        self.texts += 1;
        let is_new = !self.examples.iter().any(|known| known == text);
        if is_new && self.examples.len() < SCHEMA_EXAMPLES_MAX {
            self.examples.push(text.to_owned());
        }
    }

    /// Counts a number of document number `document`.
    pub fn number(&mut self, document: u64, number: f64) {
        self.numbers.add(document, number);
    }

    /// Its numbers, if they look like instants.
    pub fn instants(&self) -> Option<Instants> {
        self.numbers.instants()
    }

    /// Whether there is anything at it that may carry a TTL.
    pub fn is_one(&self) -> bool {
        self.dates > 0 || self.texts > 0 || self.instants().is_some()
    }

    /// Counts the document that was read last; no further date of it comes.
    pub fn finish(&mut self, now_ms: i64) {
        let Some(earliest_ms) = self.earliest_ms.take() else { return };
        for (count, lifetime_ms) in self.expired.iter_mut().zip(LIFETIMES_MS) {
            *count += u64::from(earliest_ms <= now_ms.saturating_sub(lifetime_ms));
        }
    }
}

/// A unit in which numbers count from 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Seconds,
    Millis,
}

impl Unit {
    /// Its milliseconds.
    #[must_use]
    pub fn millis(self) -> i64 {
        match self {
            Self::Seconds => 1_000,
            Self::Millis => 1,
        }
    }
}

/// Numbers that look like instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instants {
    pub unit: Unit,
    /// Documents with such a number.
    pub documents: u64,
    pub example: i64,
}

/// Instants that numbers are taken for, in milliseconds since 1970: 2000 to 2040.
pub const NUMBERS_MS: std::ops::Range<i64> = 946_684_800_000..2_208_988_800_000;

/// Of ten numbers, how many have to look like instants: any number can be one.
const NUMBERS_OF_TEN: u64 = 9;

/// The numbers of a candidate, counted by documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Numbers {
    /// The document that was counted last.
    last: u64,
    all: u64,
    /// By unit, with one of the numbers.
    seconds: (u64, i64),
    millis: (u64, i64),
}

impl Numbers {
    fn add(&mut self, document: u64, number: f64) {
        if self.last == document {
            return;
        }
        self.last = document;
        self.all += 1;
        if number.abs() >= 1e15 {
            return;
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
        let whole = number as i64;
        for (unit, found) in [(Unit::Seconds, &mut self.seconds), (Unit::Millis, &mut self.millis)]
        {
            if NUMBERS_MS.contains(&whole.saturating_mul(unit.millis())) {
                *found = (found.0 + 1, if found.0 == 0 { whole } else { found.1 });
            }
        }
    }

    fn instants(&self) -> Option<Instants> {
        let (unit, (documents, example)) = if self.seconds.0 >= self.millis.0 {
            (Unit::Seconds, self.seconds)
        } else {
            (Unit::Millis, self.millis)
        };
        let is_enough = documents > 0 && documents * 10 >= self.all * NUMBERS_OF_TEN;
        is_enough.then_some(Instants { unit, documents, example })
    }
}

/// The longest text that may be a date.
const TEXT_BYTES_MAX: usize = 40;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Whether a text may be a date: a year of four digits next to a month and a day, in digits with
/// the same separator or with an English name of a month.
pub fn looks_like_date(text: &str) -> bool {
    let text = text.trim();
    if !(8..=TEXT_BYTES_MAX).contains(&text.len()) || !text.is_ascii() {
        return false;
    }
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let number = |from: usize, length: usize| {
        text.get(from..from + length).and_then(|part| part.parse::<u32>().ok()).unwrap_or(u32::MAX)
    };
    let is_year = |year: u32| (1_000..=2_999).contains(&year);
    let first = digits(0);
    if matches!(first, 1 | 2 | 4) {
        let mark = bytes.get(first).copied().unwrap_or(0);
        let second = digits(first + 1);
        let at = first + 1 + second;
        let third = digits(at + 1);
        if matches!(mark, b'-' | b'/' | b'.')
            && (1..=2).contains(&second)
            && bytes.get(at) == Some(&mark)
        {
            let (a, b, c) = (number(0, first), number(first + 1, second), number(at + 1, third));
            let after = bytes.get(at + 1 + third).copied().unwrap_or(b' ');
            let is_ended = matches!(after, b' ' | b'T' | b't' | b',' | b'Z' | b'+');
            let fits = |day: u32, month: u32| (1..=31).contains(&day) && (1..=12).contains(&month);
            return is_ended
                && if first == 4 {
                    is_year(a) && (1..=2).contains(&third) && fits(c, b)
                } else {
                    third == 4 && is_year(c) && (fits(a, b) || fits(b, a))
                };
        }
    }
    let words: Vec<&str> =
        text.split([' ', ',', '-']).filter(|word| !word.is_empty()).take(7).collect();
    let is_month = |word: &&str| {
        let start = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        MONTHS.contains(&start.as_str()) && word.bytes().all(|b| b.is_ascii_alphabetic())
    };
    let value = |word: &&str| word.parse::<u32>().ok();
    words.len() >= 3
        && words.iter().any(is_month)
        && words.iter().any(|word| word.len() == 4 && value(word).is_some_and(is_year))
        && words
            .iter()
            .any(|word| word.len() <= 2 && value(word).is_some_and(|d| (1..=31).contains(&d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_date_of_a_document_counts() {
        let now_ms = 1_000 * DAY_MS;
        let mut candidate = Candidate::new("at".to_owned());
        candidate.date(1, now_ms - 2 * DAY_MS, now_ms);
        candidate.date(1, now_ms - 400 * DAY_MS, now_ms);
        candidate.date(2, now_ms - 40 * DAY_MS, now_ms);
        candidate.date(3, now_ms + DAY_MS, now_ms);
        candidate.finish(now_ms);
        assert_eq!((candidate.dates, candidate.expired), (3, [2, 2, 1]));
    }

    #[test]
    fn numbers_of_this_time_may_be_instants() {
        let of = |numbers: &[f64]| {
            let mut candidate = Candidate::new("at".to_owned());
            for (document, number) in (1..).zip(numbers) {
                candidate.number(document, *number);
            }
            candidate.instants().map(|found| (found.unit, found.documents, found.example))
        };
        assert_eq!(of(&[1_709_280_000.0, 1.7e9]), Some((Unit::Seconds, 2, 1_709_280_000)));
        assert_eq!(of(&[1_709_280_000_123.0]), Some((Unit::Millis, 1, 1_709_280_000_123)));
        assert_eq!(of(&[1_709_280_000.5]), Some((Unit::Seconds, 1, 1_709_280_000)));
        // 2000 and 2040 are the bounds.
        assert_eq!(of(&[946_684_799.0]), None);
        assert_eq!(of(&[946_684_800.0]).map(|found| found.1), Some(1));
        assert_eq!(of(&[2_208_988_799.0]).map(|found| found.1), Some(1));
        assert_eq!(of(&[2_208_988_800.0]), None);
        assert_eq!(of(&[f64::NAN]), None);
        assert_eq!(of(&[f64::INFINITY, -1.0, 1e300]), None);
        // One of ten may be something else, such as 0 for never.
        let mut ten = [1_709_280_000.0; 10];
        ten[3] = 0.0;
        assert_eq!(of(&ten).map(|found| found.1), Some(9));
        ten[4] = 0.0;
        assert_eq!(of(&ten), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn texts_that_may_be_dates() {
        for date in [
            "2015/01/01 08:00:00",
            "2024-03-01T10:00:00+02:00",
            "2024-03-01",
            "Jun 12 1998",
            "12 June 1998",
            "Fri, 12 Jun 1998 10:00:00 GMT",
            "31.12.1999",
            "12/31/1999 10:00",
            "1/2/2003",
        ] {
            assert!(looks_like_date(date), "{date}");
        }
        for text in [
            "",
            "10.0.0.1",
            "192.168.2.14",
            "2024-13-01",
            "1999-99-99",
            "May the force be with you",
            "555-123-4567",
            "12345678",
            "2001: A Space Odyssey",
            "3.14.2015.7",
        ] {
            assert!(!looks_like_date(text), "{text}");
        }
    }
}
