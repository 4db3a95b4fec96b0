//! Cells of a sheet as BSON. Dates are numbers with a format, and a whole number is a double there.

use bson::{DateTime, RawBson};
use calamine::{Data, DataRef, ExcelDateTime, ExcelDateTimeType};
use chrono::NaiveDate;

use crate::transfer::read::bson_bytes::{
    append_double, append_int32, append_int64, append_null, append_text, append_value,
};
use crate::value::{date_text::DateForm, extjson::Tally, zone::Zone};

/// Whole numbers below this one are exact.
const EXACT_END: f64 = 9_007_199_254_740_992.0;

const DAY_SECS: f64 = 86_400.0;

/// The day after the last one of the year 9999, counted from 1900.
const DAYS_END: f64 = 2_958_466.0;

/// Days between the two calendars of workbooks, which count from 1900 and from 1904.
const DAYS_1904: f64 = 1_462.0;

/// A value that a cell holds.
pub(super) enum CellValue<'c> {
    Int(i64),
    Number(f64),
    Text(&'c str),
    Bool(bool),
    Date(ExcelDateTime),
    IsoDate(&'c str),
    IsoDuration(&'c str),
    Error,
    /// A formula whose value the file doesn't have: no program computed it.
    EmptyFormula,
}

impl<'c> CellValue<'c> {
    /// `None` for an empty cell.
    pub(super) fn of_ref(data: &'c DataRef<'_>) -> Option<Self> {
        Some(match data {
            DataRef::Int(int) => Self::Int(*int),
            DataRef::Float(number) => Self::Number(*number),
            DataRef::String(text) => Self::Text(text),
            DataRef::SharedString(text) => Self::Text(text),
            DataRef::Bool(flag) => Self::Bool(*flag),
            DataRef::DateTime(date) => Self::Date(*date),
            DataRef::DateTimeIso(text) => Self::IsoDate(text),
            DataRef::DurationIso(text) => Self::IsoDuration(text),
            DataRef::Error(_) => Self::Error,
            DataRef::Empty => return None,
        })
        .filter(Self::is_there)
    }

    /// `None` for an empty cell.
    pub(super) fn of(data: &'c Data) -> Option<Self> {
        Some(match data {
            Data::Int(int) => Self::Int(*int),
            Data::Float(number) => Self::Number(*number),
            Data::String(text) => Self::Text(text),
            Data::Bool(flag) => Self::Bool(*flag),
            Data::DateTime(date) => Self::Date(*date),
            Data::DateTimeIso(text) => Self::IsoDate(text),
            Data::DurationIso(text) => Self::IsoDuration(text),
            Data::Error(_) => Self::Error,
            Data::Empty => return None,
        })
        .filter(Self::is_there)
    }

    /// Empty text is what a formula leaves in a cell that looks empty.
    fn is_there(&self) -> bool {
        !matches!(self, Self::Text(text) if text.trim().is_empty())
    }

    /// The name of the column under it.
    pub(super) fn name(&self, zone: Zone) -> String {
        match self {
            Self::Int(int) => int.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Bool(flag) => flag.to_string(),
            Self::Text(text) | Self::IsoDate(text) | Self::IsoDuration(text) => (*text).to_owned(),
            Self::Error | Self::EmptyFormula => String::new(),
            Self::Date(date) => match form(date, zone) {
                DateOrTime::Time(text) => text,
                DateOrTime::Neither(days) => days.to_string(),
                DateOrTime::Date(_) => {
                    let (year, month, day, ..) = date.to_ymd_hms_milli();
                    format!("{year:04}-{month:02}-{day:02}")
                }
            },
        }
    }
}

/// Writes values and counts what they lose.
pub(super) struct CellWriter<'w> {
    pub zone: Zone,
    pub tally: &'w mut Tally,
}

impl CellWriter<'_> {
    /// Appends a value with an empty name.
    pub(super) fn append(&mut self, value: &CellValue<'_>, out: &mut Vec<u8>) {
        match value {
            CellValue::Int(int) => integer(*int, out),
            CellValue::Number(number) => match whole(*number) {
                Some(int) => integer(int, out),
                None => append_double(b"", *number, out),
            },
            CellValue::Text(text) => append_text(b"", text, out),
            CellValue::Bool(flag) => append_value(b"", RawBson::Boolean(*flag), out),
            CellValue::Date(value) => match form(value, self.zone) {
                DateOrTime::Date(ms) => date(ms, out),
                DateOrTime::Time(text) => self.text(&text, out),
                DateOrTime::Neither(days) => {
                    self.tally.far_dates += 1;
                    append_double(b"", days, out);
                }
            },
            CellValue::IsoDate(text) => match DateForm::Iso.read(text, self.zone) {
                Ok(ms) => date(ms, out),
                Err(_) => self.text(text, out),
            },
            CellValue::IsoDuration(text) => self.text(text, out),
            CellValue::Error => {
                self.tally.error_cells += 1;
                append_null(b"", out);
            }
            CellValue::EmptyFormula => {}
        }
    }

    fn text(&mut self, text: &str, out: &mut Vec<u8>) {
        self.tally.as_text += 1;
        append_text(b"", text, out);
    }
}

fn integer(int: i64, out: &mut Vec<u8>) {
    match i32::try_from(int) {
        Ok(int) => append_int32(b"", int, out),
        Err(_) => append_int64(b"", int, out),
    }
}

fn date(ms: i64, out: &mut Vec<u8>) {
    append_value(b"", RawBson::DateTime(DateTime::from_millis(ms)), out);
}

/// The integer that a number is.
fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
    (number.fract() == 0.0 && number.abs() < EXACT_END).then_some(number as i64)
}

enum DateOrTime {
    /// In milliseconds since 1970.
    Date(i64),
    /// A time of day, or a duration.
    Time(String),
    /// A number of days that Excel shows as `####`: it is before 1900 or after 9999.
    Neither(f64),
}

fn form(value: &ExcelDateTime, zone: Zone) -> DateOrTime {
    let days = value.as_f64();
    if value.is_duration() || (0.0..1.0).contains(&days) {
        return DateOrTime::Time(time(days));
    }
    let is_1904 = *value == ExcelDateTime::new(days, ExcelDateTimeType::DateTime, true);
    let end = if is_1904 { DAYS_END - DAYS_1904 } else { DAYS_END };
    if !(0.0..end).contains(&days) {
        return DateOrTime::Neither(days);
    }
    let (year, month, day, hour, minute, second, ms) = value.to_ymd_hms_milli();
    // The 29th of February 1900, which Excel has, is the day after the 28th.
    let date = NaiveDate::from_ymd_opt(i32::from(year), u32::from(month), u32::from(day))
        .or_else(|| NaiveDate::from_ymd_opt(i32::from(year), 3, 1));
    let at = date.and_then(|date| {
        date.and_hms_milli_opt(hour.into(), minute.into(), second.into(), ms.into())
    });
    match at {
        Some(at) => DateOrTime::Date(zone.utc_ms(at.and_utc().timestamp_millis())),
        None => DateOrTime::Neither(days),
    }
}

/// A part of a day, or several days, as `26:30:00`.
fn time(days: f64) -> String {
    let ms = (days.abs() * DAY_SECS * 1_000.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let ms = ms as u64;
    let (secs, ms) = (ms / 1_000, ms % 1_000);
    let sign = if days < 0.0 { "-" } else { "" };
    let text = format!("{sign}{:02}:{:02}:{:02}", secs / 3_600, secs / 60 % 60, secs % 60);
    if ms == 0 { text } else { format!("{text}.{ms:03}") }
}
