//! Non-standard Extended JSON that many programs write, and how much of it was read.

use std::ops::{Add, Index};

use crate::value::{counted, named, zone::Zone};

named! {
    /// A form that is refused unless an option accepts it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Nonstandard {
        /// Fields with the same name in one document: the last one stays.
        DuplicateField => "Keep the last duplicate field",
        /// A whole number beyond 64 bits: it becomes a double.
        BigInteger => "Convert integers larger than 64 bits to doubles",
        /// The words `NaN`, `Infinity` and `-Infinity` without quotes: they become doubles.
        NotFinite => "Accept unquoted NaN, Infinity and -Infinity",
        /// A `$date` without a zone: it is read in a chosen one.
        NoZone => "Use a time zone for dates without one",
        /// Half of a character, or bytes that are not UTF-8: U+FFFD takes their place.
        BrokenText => "Replace broken characters with U+FFFD",
    }
    /// The option that accepts it, as the window shows it.
    pub fn option;
}

/// How many nonstandard forms there are.
const FORMS: usize = Nonstandard::ALL.len();

impl Nonstandard {
    /// The same in a terminal.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::DuplicateField => "--last-duplicate",
            Self::BigInteger => "--big-integers",
            Self::NotFinite => "--nan",
            Self::NoZone => "--zone",
            Self::BrokenText => "--replace-broken-text",
        }
    }

    /// The correction and how often it was made, without a period at the end.
    #[must_use]
    pub fn done(self, count: u64) -> String {
        let (one, many) = match self {
            Self::DuplicateField => {
                ("duplicate field was overwritten", "duplicate fields were overwritten")
            }
            Self::BigInteger => (
                "integer larger than 64 bits was converted to a double",
                "integers larger than 64 bits were converted to doubles",
            ),
            Self::NotFinite => (
                "unquoted NaN or Infinity was accepted as a double",
                "unquoted NaN or Infinity were accepted as doubles",
            ),
            Self::NoZone => (
                "date without a zone was read in the chosen time zone",
                "dates without a zone were read in the chosen time zone",
            ),
            Self::BrokenText => {
                ("broken character was replaced", "broken characters were replaced")
            }
        };
        counted(count, one, many)
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Which nonstandard forms are read; by default none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leniency {
    bits: u8,
    /// The zone of dates without one.
    pub zone: Zone,
}

impl Leniency {
    /// Whether a nonstandard form is read.
    #[must_use]
    pub fn takes(self, nonstandard: Nonstandard) -> bool {
        self.bits & nonstandard.bit() != 0
    }

    /// A zone as the user types it.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub fn read_zone(text: &str) -> Result<Zone, String> {
        let text = text.trim();
        let minutes = text.get(3..).map(|rest| rest.trim_start_matches(':'));
        let is_clock = minutes.is_none_or(|minutes| minutes < "60");
        match Zone::parse(text) {
            Some(Zone::Fixed(offset)) if offset.abs() >= 86_400 || !is_clock && offset != 0 => None,
            found => found,
        }
        .ok_or_else(|| {
            format!(
                "{text:?} is not a time zone; use UTC, an offset such as +05:45, or a name such as \
                 Europe/Berlin"
            )
        })
    }

    /// Has a nonstandard form read, or refused.
    pub fn set(&mut self, nonstandard: Nonstandard, is_read: bool) {
        self.bits = self.bits & !nonstandard.bit() | if is_read { nonstandard.bit() } else { 0 };
    }
}

/// How many values were not as version 2 of Extended JSON has them, and were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Values in the older form (Extended JSON v1).
    pub legacy_values: u64,
    /// Dates at second 60, read as 59.999.
    pub leap_seconds: u64,
    /// Values that have the type which the import gives to their field.
    pub converted: u64,
    /// Values that don't convert to it.
    pub unconverted: u64,
    /// Bytes after the end of compressed data.
    pub ignored_bytes: u64,
    /// Commas, semicolons, comments and marks between documents.
    pub separators: u64,
    /// Documents in the syntax of mongosh.
    pub shell_documents: u64,
    /// Dates of tables that lost what is shorter than a millisecond.
    pub finer_dates: u64,
    /// Unsigned integers beyond 63 bits that became a Decimal128.
    pub big_unsigned: u64,
    /// Values of tables that became text because BSON has no such type: times of day, durations.
    pub as_text: u64,
    /// Cells of a sheet with an error, which became null.
    pub error_cells: u64,
    /// Cells of a sheet with a formula whose value the file does not have.
    pub empty_formulas: u64,
    /// Dates of tables that are none: infinite, or beyond the years of their format.
    pub far_dates: u64,
    /// Cells of CSV with a word for a missing value, in columns of numbers or booleans: no fields.
    pub missing_words: u64,
    /// Zero bytes at the end of a text, which filled it up.
    pub padding_bytes: u64,
    /// Of each nonstandard form, in the order of [`Nonstandard::ALL`].
    forms: [u64; FORMS],
}

impl Index<Nonstandard> for Tally {
    type Output = u64;

    fn index(&self, nonstandard: Nonstandard) -> &u64 {
        self.forms.get(nonstandard as usize).unwrap_or(&0)
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let mut sum = self;
        sum.legacy_values += other.legacy_values;
        sum.leap_seconds += other.leap_seconds;
        sum.converted += other.converted;
        sum.unconverted += other.unconverted;
        sum.ignored_bytes += other.ignored_bytes;
        sum.separators += other.separators;
        sum.shell_documents += other.shell_documents;
        sum.finer_dates += other.finer_dates;
        sum.big_unsigned += other.big_unsigned;
        sum.as_text += other.as_text;
        sum.error_cells += other.error_cells;
        sum.empty_formulas += other.empty_formulas;
        sum.far_dates += other.far_dates;
        sum.missing_words += other.missing_words;
        sum.padding_bytes += other.padding_bytes;
        for (sum, more) in sum.forms.iter_mut().zip(other.forms) {
            *sum += more;
        }
        sum
    }
}

impl Tally {
    /// Nothing.
    pub const NONE: Self = Self {
        legacy_values: 0,
        leap_seconds: 0,
        converted: 0,
        unconverted: 0,
        ignored_bytes: 0,
        separators: 0,
        shell_documents: 0,
        finer_dates: 0,
        big_unsigned: 0,
        as_text: 0,
        error_cells: 0,
        empty_formulas: 0,
        far_dates: 0,
        missing_words: 0,
        padding_bytes: 0,
        forms: [0; FORMS],
    };

    /// Values that were read differently from how they were written, each without a period at the
    /// end.
    pub fn sentences(&self) -> Vec<String> {
        let odd = Nonstandard::ALL.into_iter().zip(self.forms);
        let odd = odd.map(|(nonstandard, count)| (count, nonstandard.done(count)));
        let leap =
            ("date at second 60 was read as 59.999", "dates at second 60 were read as 59.999");
        let legacy = (
            "value was in the older form of Extended JSON",
            "values were in the older form of Extended JSON",
        );
        let converted =
            ("value was converted to the chosen type", "values were converted to the chosen types");
        let unconverted = ("value did not convert", "values did not convert");
        let ignored = (
            "byte after the end of the compressed data was ignored",
            "bytes after the end of the compressed data were ignored",
        );
        let separators = (
            "comma, comment or mark between documents was skipped",
            "commas, comments or marks between documents were skipped",
        );
        let shell =
            ("document was in the syntax of mongosh", "documents were in the syntax of mongosh");
        let finer = (
            "date lost its microseconds or nanoseconds",
            "dates lost their microseconds or nanoseconds",
        );
        let unsigned = (
            "integer larger than 63 bits was converted to Decimal128",
            "integers larger than 63 bits were converted to Decimal128",
        );
        let as_text = (
            "value became text because BSON has no type for it, such as a time of day",
            "values became text because BSON has no type for them, such as times of day",
        );
        let error_cells = (
            "cell with an error, such as #N/A, became null",
            "cells with an error, such as #N/A, became null",
        );
        let empty_formulas = (
            "cell has a formula without a stored value and was left out; open the workbook in its \
             program and save it to import that value",
            "cells have a formula without a stored value and were left out; open the workbook in \
             its program and save it to import those values",
        );
        let far_dates = (
            "date is infinite or beyond the years of its format, and stays a number",
            "dates are infinite or beyond the years of their format, and stay numbers",
        );
        let others = [
            (self.leap_seconds, leap),
            (self.legacy_values, legacy),
            (self.converted, converted),
            (self.unconverted, unconverted),
            (self.ignored_bytes, ignored),
            (self.separators, separators),
            (self.shell_documents, shell),
            (self.finer_dates, finer),
            (self.big_unsigned, unsigned),
            (self.as_text, as_text),
            (self.error_cells, error_cells),
            (self.empty_formulas, empty_formulas),
            (self.far_dates, far_dates),
        ];
        let others = others.into_iter().chain(self.text_counts());
        let others = others.map(|(count, (one, many))| (count, counted(count, one, many)));
        odd.chain(others).filter(|(count, _)| *count > 0).map(|(_, words)| words).collect()
    }

    /// The parts left out of texts, with the words for one and for many.
    fn text_counts(&self) -> [(u64, (&'static str, &'static str)); 2] {
        let words = (
            "cell with a word for a missing value, such as NA, was left out",
            "cells with a word for a missing value, such as NA, were left out",
        );
        let padding = (
            "zero byte at the end of the file was ignored",
            "zero bytes at the end of the file were ignored",
        );
        [(self.missing_words, words), (self.padding_bytes, padding)]
    }

    /// Has a nonstandard form as often as that.
    pub fn set(&mut self, nonstandard: Nonstandard, count: u64) {
        if let Some(known) = self.forms.get_mut(nonstandard as usize) {
            *known = count;
        }
    }
}

/// The forms that a reader accepts, and how often it has met each.
#[derive(Debug, Default)]
pub(in crate::value) struct NonstandardCounter {
    pub(in crate::value) leniency: Leniency,
    pub(in crate::value) tally: Tally,
}

impl NonstandardCounter {
    /// Whether the form is accepted; if so, counts `count` more.
    #[cold]
    pub(super) fn takes(&mut self, nonstandard: Nonstandard, count: usize) -> bool {
        let takes = self.leniency.takes(nonstandard);
        if takes {
            self.tally.set(nonstandard, self.tally[nonstandard] + count as u64);
        }
        takes
    }
}
