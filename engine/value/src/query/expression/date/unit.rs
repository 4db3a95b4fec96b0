//! Units of time and days of the week by name.

use bson::RawBsonRef;

use crate::query::{QueryError, expression::arguments::name_of};

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
}

const UNITS: [(&str, Unit); 9] = [
    ("year", Unit::Year),
    ("quarter", Unit::Quarter),
    ("month", Unit::Month),
    ("week", Unit::Week),
    ("day", Unit::Day),
    ("hour", Unit::Hour),
    ("minute", Unit::Minute),
    ("second", Unit::Second),
    ("millisecond", Unit::Millisecond),
];

impl Unit {
    /// Reads the `unit` of an operator.
    pub(super) fn parse(value: RawBsonRef<'_>, operator: &str) -> Result<Self, QueryError> {
        let RawBsonRef::String(text) = value else {
            let found = name_of(Some(value));
            return Err(refused!(
                5439013,
                "{operator} requires 'unit' to be a string, but got {found}"
            ));
        };
        UNITS.iter().find(|(name, _)| *name == text).map(|(_, unit)| *unit).ok_or_else(|| {
            QueryError::failed_to_parse(format!(
                "{operator} parameter 'unit' value parsing failed :: caused by :: unknown time \
                 unit value: {text}"
            ))
        })
    }

    pub(super) fn name(self) -> &'static str {
        UNITS.iter().find(|(_, unit)| *unit == self).map_or("", |(name, _)| name)
    }

    /// Milliseconds of units whose length does not depend on the calendar.
    pub(super) fn millis(self) -> Option<i64> {
        match self {
            Self::Hour => Some(3_600_000),
            Self::Minute => Some(60_000),
            Self::Second => Some(1_000),
            Self::Millisecond => Some(1),
            _ => None,
        }
    }

    /// Months of units that are counted in them.
    pub(super) fn months(self) -> Option<i64> {
        match self {
            Self::Year => Some(12),
            Self::Quarter => Some(3),
            Self::Month => Some(1),
            _ => None,
        }
    }
}

/// The day that a week begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weekday(i64);

impl Weekday {
    pub(super) const SUNDAY: Self = Self(7);

    /// Monday 1 … Sunday 7.
    pub(super) fn iso(self) -> i64 {
        self.0
    }

    /// Reads `startOfWeek`: a name or its first three letters, in any case.
    pub(super) fn parse(value: RawBsonRef<'_>, operator: &str) -> Result<Self, QueryError> {
        const NAMES: [&str; 7] =
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let RawBsonRef::String(text) = value else {
            let found = name_of(Some(value));
            return Err(refused!(
                5439015,
                "{operator} requires 'startOfWeek' to be a string, but got {found}"
            ));
        };
        let lower = text.to_ascii_lowercase();
        (1..)
            .zip(NAMES)
            .find(|(_, name)| lower == *name || name.get(..3) == Some(lower.as_str()))
            .map(|(number, _)| Self(number))
            .ok_or_else(|| {
                refused!(
                    5439016,
                    "{operator} parameter 'startOfWeek' value cannot be recognized as a day \
                         of a week: {text}"
                )
            })
    }
}
