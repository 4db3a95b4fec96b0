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
const R40: &[f64] = &[
    100.0, 106.0, 112.0, 118.0, 125.0, 132.0, 140.0, 150.0, 160.0, 170.0, 180.0, 190.0, 200.0,
    212.0, 224.0, 236.0, 250.0, 265.0, 280.0, 300.0, 315.0, 335.0, 355.0, 375.0, 400.0, 425.0,
    450.0, 475.0, 500.0, 530.0, 560.0, 600.0, 630.0, 670.0, 710.0, 750.0, 800.0, 850.0, 900.0,
    950.0,
];
const R80: &[f64] = &[
    100.0, 103.0, 106.0, 109.0, 112.0, 115.0, 118.0, 122.0, 125.0, 128.0, 132.0, 136.0, 140.0,
    145.0, 150.0, 155.0, 160.0, 165.0, 170.0, 175.0, 180.0, 185.0, 190.0, 195.0, 200.0, 206.0,
    212.0, 218.0, 224.0, 230.0, 236.0, 243.0, 250.0, 258.0, 265.0, 272.0, 280.0, 290.0, 300.0,
    307.0, 315.0, 325.0, 335.0, 345.0, 355.0, 365.0, 375.0, 387.0, 400.0, 412.0, 425.0, 437.0,
    450.0, 462.0, 475.0, 487.0, 500.0, 515.0, 530.0, 545.0, 560.0, 580.0, 600.0, 615.0, 630.0,
    650.0, 670.0, 690.0, 710.0, 730.0, 750.0, 775.0, 800.0, 825.0, 850.0, 875.0, 900.0, 925.0,
    950.0, 975.0,
];
const SERIES_125: &[f64] = &[10.0, 20.0, 50.0];
const E6: &[f64] = &[10.0, 15.0, 22.0, 33.0, 47.0, 68.0];
const E12: &[f64] = &[10.0, 12.0, 15.0, 18.0, 22.0, 27.0, 33.0, 39.0, 47.0, 56.0, 68.0, 82.0];
const E24: &[f64] = &[
    10.0, 11.0, 12.0, 13.0, 15.0, 16.0, 18.0, 20.0, 22.0, 24.0, 27.0, 30.0, 33.0, 36.0, 39.0, 43.0,
    47.0, 51.0, 56.0, 62.0, 68.0, 75.0, 82.0, 91.0,
];
// The geometric series of IEC 60063, rounded to three digits.
const E48: &[f64] = &[
    100.0, 105.0, 110.0, 115.0, 121.0, 127.0, 133.0, 140.0, 147.0, 154.0, 162.0, 169.0, 178.0,
    187.0, 196.0, 205.0, 215.0, 226.0, 237.0, 249.0, 261.0, 274.0, 287.0, 301.0, 316.0, 332.0,
    348.0, 365.0, 383.0, 402.0, 422.0, 442.0, 464.0, 487.0, 511.0, 536.0, 562.0, 590.0, 619.0,
    649.0, 681.0, 715.0, 750.0, 787.0, 825.0, 866.0, 909.0, 953.0,
];
const E96: &[f64] = &[
    100.0, 102.0, 105.0, 107.0, 110.0, 113.0, 115.0, 118.0, 121.0, 124.0, 127.0, 130.0, 133.0,
    137.0, 140.0, 143.0, 147.0, 150.0, 154.0, 158.0, 162.0, 165.0, 169.0, 174.0, 178.0, 182.0,
    187.0, 191.0, 196.0, 200.0, 205.0, 210.0, 215.0, 221.0, 226.0, 232.0, 237.0, 243.0, 249.0,
    255.0, 261.0, 267.0, 274.0, 280.0, 287.0, 294.0, 301.0, 309.0, 316.0, 324.0, 332.0, 340.0,
    348.0, 357.0, 365.0, 374.0, 383.0, 392.0, 402.0, 412.0, 422.0, 432.0, 442.0, 453.0, 464.0,
    475.0, 487.0, 499.0, 511.0, 523.0, 536.0, 549.0, 562.0, 576.0, 590.0, 604.0, 619.0, 634.0,
    649.0, 665.0, 681.0, 698.0, 715.0, 732.0, 750.0, 768.0, 787.0, 806.0, 825.0, 845.0, 866.0,
    887.0, 909.0, 931.0, 953.0, 976.0,
];
const E192: &[f64] = &[
    100.0, 101.0, 102.0, 104.0, 105.0, 106.0, 107.0, 109.0, 110.0, 111.0, 113.0, 114.0, 115.0,
    117.0, 118.0, 120.0, 121.0, 123.0, 124.0, 126.0, 127.0, 129.0, 130.0, 132.0, 133.0, 135.0,
    137.0, 138.0, 140.0, 142.0, 143.0, 145.0, 147.0, 149.0, 150.0, 152.0, 154.0, 156.0, 158.0,
    160.0, 162.0, 164.0, 165.0, 167.0, 169.0, 172.0, 174.0, 176.0, 178.0, 180.0, 182.0, 184.0,
    187.0, 189.0, 191.0, 193.0, 196.0, 198.0, 200.0, 203.0, 205.0, 208.0, 210.0, 213.0, 215.0,
    218.0, 221.0, 223.0, 226.0, 229.0, 232.0, 234.0, 237.0, 240.0, 243.0, 246.0, 249.0, 252.0,
    255.0, 258.0, 261.0, 264.0, 267.0, 271.0, 274.0, 277.0, 280.0, 284.0, 287.0, 291.0, 294.0,
    298.0, 301.0, 305.0, 309.0, 312.0, 316.0, 320.0, 324.0, 328.0, 332.0, 336.0, 340.0, 344.0,
    348.0, 352.0, 357.0, 361.0, 365.0, 370.0, 374.0, 379.0, 383.0, 388.0, 392.0, 397.0, 402.0,
    407.0, 412.0, 417.0, 422.0, 427.0, 432.0, 437.0, 442.0, 448.0, 453.0, 459.0, 464.0, 470.0,
    475.0, 481.0, 487.0, 493.0, 499.0, 505.0, 511.0, 517.0, 523.0, 530.0, 536.0, 542.0, 549.0,
    556.0, 562.0, 569.0, 576.0, 583.0, 590.0, 597.0, 604.0, 612.0, 619.0, 626.0, 634.0, 642.0,
    649.0, 657.0, 665.0, 673.0, 681.0, 690.0, 698.0, 706.0, 715.0, 723.0, 732.0, 741.0, 750.0,
    759.0, 768.0, 777.0, 787.0, 796.0, 806.0, 816.0, 825.0, 835.0, 845.0, 856.0, 866.0, 876.0,
    887.0, 898.0, 909.0, 920.0, 931.0, 942.0, 953.0, 965.0, 976.0, 988.0,
];

impl Granularity {
    /// The series with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "POWERSOF2" => Self::PowersOfTwo,
            "R5" => Self::Decades(R5),
            "R10" => Self::Decades(R10),
            "R20" => Self::Decades(R20),
            "R40" => Self::Decades(R40),
            "R80" => Self::Decades(R80),
            "1-2-5" => Self::Decades(SERIES_125),
            "E6" => Self::Decades(E6),
            "E12" => Self::Decades(E12),
            "E24" => Self::Decades(E24),
            "E48" => Self::Decades(E48),
            "E96" => Self::Decades(E96),
            "E192" => Self::Decades(E192),
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
