//! Adding to dates, their difference, and their bins.

use super::unit::{Unit, Weekday};
use crate::query::{Code, QueryError, error::refused};
use crate::value::calendar::{DAY_SECS, Day, days_in_month, iso_weekday, number_of};
use crate::value::zone::Zone;

/// Milliseconds of a day.
const DAY_MILLIS: i64 = DAY_SECS * 1_000;
/// Days in the range of dates, one more than needed.
const DAYS_MAX: i64 = 213_503_982_335;
/// Largest bin of days or longer that adding can still handle.
const LONG_BIN_MAX: i64 = 100_000_000_000;
/// 2000-01-01, a Saturday: where bins are counted from.
const REFERENCE: Day = Day { year: 2_000, month: 1, day: 1 };

/// Adds an amount of a unit. Days and longer keep the clock's time in the zone; a day that the
/// month lacks becomes its last.
pub(super) fn add(millis: i64, unit: Unit, amount: i64, zone: Zone) -> Result<i64, QueryError> {
    if unit == Unit::Millisecond {
        return millis.checked_add(amount).ok_or_else(|| {
            refused(Code::DURATION_OVERFLOW, "overflow when adding a duration to a date")
        });
    }
    if !is_valid_amount(amount, unit) {
        let name = unit.name();
        return Err(refused!(5976500, "invalid dateAdd 'amount' parameter value: {amount} {name}"));
    }
    let total = match unit.millis() {
        Some(of_unit) => i128::from(millis) + i128::from(amount) * i128::from(of_unit),
        None => add_days(millis, unit, amount, zone),
    };
    i64::try_from(total).map_err(|_| refused(5166406, "dateAdd overflowed"))
}

fn add_days(millis: i64, unit: Unit, amount: i64, zone: Zone) -> i128 {
    let local = zone.local(millis);
    let day = match unit.months() {
        None => {
            let days = if unit == Unit::Week { 7 } else { 1 };
            i128::from(local.day.number()) + i128::from(amount) * days
        }
        Some(months) => {
            let month = local.day.month - 1 + amount * months;
            let (year, month) = (local.day.year + month.div_euclid(12), month.rem_euclid(12) + 1);
            let day = local.day.day.min(days_in_month(year, month));
            i128::from(number_of(year, month, day))
        }
    };
    let of_day = local.hour * 3_600 + local.minute * 60 + local.second;
    let secs = day * i128::from(DAY_SECS) + i128::from(of_day);
    zone.utc_secs(secs) * 1_000 + i128::from(local.millisecond)
}

/// Whether the amount is roughly in the range of dates.
fn is_valid_amount(amount: i64, unit: Unit) -> bool {
    let years = DAYS_MAX / 365 + 1;
    let most = match unit {
        Unit::Year => years,
        Unit::Quarter => years * 4,
        Unit::Month => years * 12,
        Unit::Week => DAYS_MAX / 7,
        Unit::Day => DAYS_MAX,
        Unit::Hour => DAYS_MAX * 24,
        Unit::Minute => DAYS_MAX * 1_440,
        Unit::Second => DAYS_MAX * DAY_SECS,
        Unit::Millisecond => i64::MAX,
    };
    -most < amount && amount < most
}

/// How many borders of the unit lie between two dates.
pub(super) fn difference(
    start: i64,
    end: i64,
    unit: Unit,
    zone: Zone,
    first: Weekday,
) -> Result<i64, QueryError> {
    if unit == Unit::Millisecond {
        return end.checked_sub(start).ok_or_else(|| refused(5166308, "dateDiff overflowed"));
    }
    let (a, b) = (zone.local(start), zone.local(end));
    let hours = b.hour - a.hour + (b.day.number() - a.day.number()) * 24;
    let shift = a.offset_secs - b.offset_secs;
    let minutes = b.minute - a.minute + hours * 60;
    Ok(match unit {
        Unit::Hour => hours + shift / 3_600,
        Unit::Minute => minutes + shift / 60,
        Unit::Second => b.second - a.second + minutes * 60 + shift,
        _ => day_difference(a.day, b.day, unit, first),
    })
}

fn day_difference(a: Day, b: Day, unit: Unit, first: Weekday) -> i64 {
    let years = b.year - a.year;
    match unit {
        Unit::Year => years,
        Unit::Quarter => (b.month - 1) / 3 - (a.month - 1) / 3 + years * 4,
        Unit::Month => b.month - a.month + years * 12,
        Unit::Week => {
            let in_week = |day: Day| (day.iso_weekday() - first.iso()).rem_euclid(7);
            (b.number() - a.number() + in_week(a) - in_week(b)) / 7
        }
        _ => b.number() - a.number(),
    }
}

/// The start of the bin that a date falls into; bins are counted from 2000-01-01 in the zone, weeks
/// from the first day of the week after it.
pub(super) fn truncate(
    millis: i64,
    unit: Unit,
    bin: i64,
    zone: Zone,
    first: Weekday,
) -> Result<i64, QueryError> {
    let overflowed = || refused(5439000, "dateTrunc overflowed");
    let reference_secs = REFERENCE.number() * DAY_SECS;
    let reference = (reference_secs - zone.offset_secs(reference_secs)) * 1_000;
    if let Some(of_unit) = unit.millis() {
        let bin =
            bin.checked_mul(of_unit).ok_or_else(|| refused(5439002, "dateTrunc overflowed"))?;
        let from = millis.checked_sub(reference).ok_or_else(overflowed)?;
        return millis
            .checked_sub(from.rem_euclid(bin))
            .ok_or_else(|| refused(5439001, "dateTrunc overflowed"));
    }
    if bin > LONG_BIN_MAX {
        return Err(refused(5439006, "dateTrunc unsupported binSize value"));
    }
    let to_week_start = if unit == Unit::Week {
        (first.iso() - iso_weekday(REFERENCE.number())).rem_euclid(7)
    } else {
        0
    };
    let start = Day { day: REFERENCE.day + to_week_start, ..REFERENCE };
    let distance = day_difference(start, zone.local(millis).day, unit, first);
    let bins = distance.checked_sub(distance.rem_euclid(bin)).ok_or_else(overflowed)?;
    add(reference + to_week_start * DAY_MILLIS, unit, bins, zone)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const UNITS: [Unit; 9] = [
        Unit::Year,
        Unit::Quarter,
        Unit::Month,
        Unit::Week,
        Unit::Day,
        Unit::Hour,
        Unit::Minute,
        Unit::Second,
        Unit::Millisecond,
    ];

    proptest! {
        #[test]
        fn dates_and_amounts_of_any_size_are_answered(
            a in any::<i64>(),
            b in any::<i64>(),
            amount in prop_oneof![any::<i64>(), -100_000_000_i64..100_000_000],
            unit in prop::sample::select(UNITS.to_vec()),
            named in any::<bool>(),
        ) {
            let zone = if named { Zone::Named(chrono_tz::Europe::Paris) } else { Zone::UTC };
            let _ = add(a, unit, amount, zone);
            let _ = difference(a, b, unit, zone, Weekday::SUNDAY);
            let _ = truncate(a, unit, amount.max(1), zone, Weekday::SUNDAY);
        }

        #[test]
        fn a_bin_begins_before_its_dates_and_is_its_own_start(
            millis in -4_000_000_000_000_i64..4_000_000_000_000,
            bin in 1_i64..50,
            unit in prop::sample::select(UNITS.to_vec()),
        ) {
            let start = truncate(millis, unit, bin, Zone::UTC, Weekday::SUNDAY).unwrap();
            prop_assert!(start <= millis);
            prop_assert_eq!(truncate(start, unit, bin, Zone::UTC, Weekday::SUNDAY), Ok(start));
            let next = add(start, unit, bin, Zone::UTC).unwrap();
            prop_assert!(millis < next, "{start} {next}");
        }
    }
}
