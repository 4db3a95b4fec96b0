//! Series of preferred numbers, to whose members `$bucketAuto` rounds its bounds.

use bson::raw::{RawBson, RawBsonRef};

use crate::query::filter::number::as_double;

/// A series.
#[derive(Debug, Clone, Copy)]
pub(super) enum Granularity {
    PowersOfTwo,
    /// Members between 1 and 10, times the powers of ten.
    Decades(&'static [f64]),
}

const R5: &[f64] = &[10.0, 16.0, 25.0, 40.0, 63.0];
const R10: &[f64] = &[100.0, 125.0, 160.0, 200.0, 250.0, 315.0, 400.0, 500.0, 630.0, 800.0];
const R20: &[f64] = &[
    100.0, 112.0, 125.0, 140.0, 160.0, 180.0, 200.0, 224.0, 250.0, 280.0, 315.0, 355.0, 400.0,
    450.0, 500.0, 560.0, 630.0, 710.0, 800.0, 900.0,
];
const SERIES_125: &[f64] = &[10.0, 20.0, 50.0];
const E6: &[f64] = &[10.0, 15.0, 22.0, 33.0, 47.0, 68.0];
const E12: &[f64] = &[10.0, 12.0, 15.0, 18.0, 22.0, 27.0, 33.0, 39.0, 47.0, 56.0, 68.0, 82.0];
const E24: &[f64] = &[
    10.0, 11.0, 12.0, 13.0, 15.0, 16.0, 18.0, 20.0, 22.0, 24.0, 27.0, 30.0, 33.0, 36.0, 39.0, 43.0,
    47.0, 51.0, 56.0, 62.0, 68.0, 75.0, 82.0, 91.0,
];

impl Granularity {
    /// The series with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "POWERSOF2" => Self::PowersOfTwo,
            "R5" => Self::Decades(R5),
            "R10" => Self::Decades(R10),
            "R20" => Self::Decades(R20),
            "1-2-5" => Self::Decades(SERIES_125),
            "E6" => Self::Decades(E6),
            "E12" => Self::Decades(E12),
            "E24" => Self::Decades(E24),
            _ => return None,
        })
    }

    /// The next member above a number.
    pub(super) fn up(self, value: RawBsonRef<'_>) -> RawBson {
        self.rounded(value, true)
    }

    /// The next member below a number.
    pub(super) fn down(self, value: RawBsonRef<'_>) -> RawBson {
        self.rounded(value, false)
    }

    fn rounded(self, value: RawBsonRef<'_>, is_up: bool) -> RawBson {
        let number = as_double(value).unwrap_or(0.0);
        if number == 0.0 || !number.is_finite() {
            return value.into();
        }
        match self {
            Self::PowersOfTwo => {
                let exponent = number.log2();
                let exponent = if is_up { exponent.floor() + 1.0 } else { exponent.ceil() - 1.0 };
                let power = exponent.exp2();
                match value {
                    RawBsonRef::Int32(_) | RawBsonRef::Int64(_) if (1.0..9e18).contains(&power) => {
                        #[expect(clippy::cast_possible_truncation, reason = "below 2^63")]
                        let whole = power as i64;
                        i32::try_from(whole).map_or(RawBson::Int64(whole), RawBson::Int32)
                    }
                    _ => RawBson::Double(power),
                }
            }
            Self::Decades(series) => RawBson::Double(decade(series, number, is_up)),
        }
    }
}

fn decade(series: &[f64], number: f64, is_up: bool) -> f64 {
    let (first, last) =
        (series.first().copied().unwrap_or(1.0), series.last().copied().unwrap_or(1.0));
    let mut multiplier = 1.0;
    // A double has fewer than 700 decades, so both loops end.
    while number >= last * multiplier {
        multiplier *= 10.0;
    }
    while number < first * multiplier {
        let smaller = multiplier / 10.0;
        if is_up && number >= last * smaller {
            return first * multiplier;
        }
        if !is_up && number > last * smaller {
            return last * smaller;
        }
        multiplier = smaller;
        if multiplier == 0.0 {
            return number;
        }
    }
    if is_up {
        let above = series.iter().map(|member| member * multiplier).find(|member| *member > number);
        return above.unwrap_or(first * multiplier * 10.0);
    }
    let below =
        series.iter().rev().map(|member| member * multiplier).find(|member| *member < number);
    below.unwrap_or(last * multiplier / 10.0)
}
