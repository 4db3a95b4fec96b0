//! How a field's dates are written: ISO 8601, a layout, or numbers since 1970.

use std::{fmt, sync::OnceLock};

use super::layout::{DateError, Layout};
use crate::value::zone::Zone;

/// How dates are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DateForm {
    /// ISO 8601: a date, maybe with a time and a zone.
    #[default]
    Iso,
    /// A strftime layout.
    Layout(Layout),
    /// Seconds since 1970.
    Seconds,
    /// Milliseconds since 1970.
    Millis,
}

/// ISO 8601 from the longest to the shortest.
const ISO: [&str; 9] = [
    "%Y-%m-%dT%H:%M:%S%.f %z",
    "%Y-%m-%d %H:%M:%S%.f %z",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M %z",
    "%Y-%m-%d %H:%M %z",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
];

/// The layouts of ISO 8601.
pub(super) fn iso_layouts() -> &'static [Layout] {
    static LAYOUTS: OnceLock<Vec<Layout>> = OnceLock::new();
    LAYOUTS.get_or_init(|| ISO.iter().filter_map(|text| Layout::parse(text).ok()).collect())
}

/// As [`DateForm::parse`] reads it.
impl fmt::Display for DateForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iso => Ok(()),
            Self::Layout(layout) => layout.fmt(f),
            Self::Seconds => f.write_str("s"),
            Self::Millis => f.write_str("ms"),
        }
    }
}

impl DateForm {
    /// Reads a form: nothing for ISO 8601, `s`, `ms`, or a strftime layout.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "" => Ok(Self::Iso),
            "s" => Ok(Self::Seconds),
            "ms" => Ok(Self::Millis),
            layout => Layout::parse(layout).map(Self::Layout),
        }
    }

    /// A short description for the user.
    pub fn words(&self) -> String {
        match self {
            Self::Iso => "ISO 8601".to_owned(),
            Self::Layout(layout) => layout.to_string(),
            Self::Seconds => "seconds since 1970".to_owned(),
            Self::Millis => "milliseconds since 1970".to_owned(),
        }
    }

    /// The instant that a text says, in milliseconds since 1970.
    ///
    /// # Errors
    /// Why it is not such a date.
    pub fn read(&self, text: &str, zone: Zone) -> Result<i64, DateError> {
        match self {
            Self::Layout(layout) => layout.read(text, zone),
            Self::Iso => {
                let mut error = DateError::Shape;
                for layout in iso_layouts() {
                    match layout.read(text, zone) {
                        Ok(millis) => return Ok(millis),
                        Err(other) => error = error.max(other),
                    }
                }
                Err(error)
            }
            Self::Seconds | Self::Millis => {
                let text = text.trim();
                let whole = text.parse::<i64>();
                let Ok(number) = whole else {
                    let is_number = text.bytes().all(|byte| b"0123456789.-+".contains(&byte));
                    let number = text.parse::<f64>().ok().filter(|_| is_number);
                    return self.number(number.ok_or(DateError::Shape)?);
                };
                self.integer(number)
            }
        }
    }

    /// The instant of a whole number.
    ///
    /// # Errors
    /// When the form has no numbers, or it is out of range.
    pub fn integer(&self, number: i64) -> Result<i64, DateError> {
        match self {
            Self::Seconds => number.checked_mul(1_000).ok_or(DateError::Range),
            Self::Millis => Ok(number),
            Self::Iso | Self::Layout(_) => Err(DateError::Shape),
        }
    }

    /// The instant of a number with a fraction; what is below a millisecond is rounded.
    ///
    /// # Errors
    /// When the form has no numbers, or it is out of range.
    pub fn number(&self, number: f64) -> Result<i64, DateError> {
        let millis = match self {
            Self::Seconds => (number * 1_000.0).round(),
            Self::Millis => number.round(),
            Self::Iso | Self::Layout(_) => return Err(DateError::Shape),
        };
        // The largest double below 2^63.
        if !(-9.2e18..=9.2e18).contains(&millis) {
            return Err(DateError::Range);
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
        Ok(millis as i64)
    }
}
