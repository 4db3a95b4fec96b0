//! Time zones: UTC, fixed offsets, and Olson names.

use std::fmt;

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;

use super::calendar::{DAY_SECS, Day, iso_weekday, number_of};

/// First year whose rules the table of zones no longer lists one by one.
const TABLE_END: i64 = 2_038;
/// Years after which weekdays and leap years repeat, within one century.
const CYCLE_YEARS: i64 = 28;
/// Seconds that `chrono` can hold, with room for an offset.
const CHRONO_SECS_MAX: i64 = 8_000_000_000_000;

/// Where a clock hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Seconds east of Greenwich; 0 is UTC.
    Fixed(i64),
    /// A place with rules.
    Named(Tz),
}

/// The local time in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Local {
    pub day: Day,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    pub millisecond: i64,
    /// Seconds east of Greenwich at this instant.
    pub offset_secs: i64,
}

impl Zone {
    /// Universal time.
    pub const UTC: Self = Self::Fixed(0);

    /// Reads an Olson name or an offset as `+03`, `+0530` or `-04:45`. Names are exact in their
    /// letters' case.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(offset) = parse_offset(text) {
            return Some(Self::Fixed(offset));
        }
        match text {
            "UTC" | "GMT" | "Z" => Some(Self::UTC),
            _ => text.parse().ok().map(Self::Named),
        }
    }

    /// Seconds east of Greenwich at an instant.
    pub(crate) fn offset_secs(self, utc_secs: i64) -> i64 {
        match self {
            Self::Fixed(offset) => offset,
            Self::Named(zone) => {
                let secs = in_table(utc_secs).clamp(-CHRONO_SECS_MAX, CHRONO_SECS_MAX);
                DateTime::from_timestamp(secs, 0).map_or(0, |at| {
                    i64::from(
                        zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc(),
                    )
                })
            }
        }
    }

    /// The local time at an instant in milliseconds since 1970.
    pub(crate) fn local(self, millis: i64) -> Local {
        let utc_secs = millis.div_euclid(1_000);
        let offset_secs = self.offset_secs(utc_secs);
        let secs = utc_secs + offset_secs;
        let of_day = secs.rem_euclid(DAY_SECS);
        Local {
            day: Day::of_number(secs.div_euclid(DAY_SECS)),
            hour: of_day / 3_600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
            millisecond: millis.rem_euclid(1_000),
            offset_secs,
        }
    }

    /// The instant at which the clock shows this many milliseconds since 1970.
    pub fn utc_ms(self, local_ms: i64) -> i64 {
        let secs = self.utc_secs(i128::from(local_ms.div_euclid(1_000)));
        let ms = secs * 1_000 + i128::from(local_ms.rem_euclid(1_000));
        i64::try_from(ms).unwrap_or(local_ms)
    }

    /// The instant at which the clock shows this many seconds since 1970.
    pub(crate) fn utc_secs(self, local_secs: i128) -> i128 {
        let Self::Named(_) = self else {
            let Self::Fixed(offset) = self else { return local_secs };
            return local_secs - i128::from(offset);
        };
        let at = i64::try_from(local_secs).unwrap_or(if local_secs < 0 {
            -CHRONO_SECS_MAX
        } else {
            CHRONO_SECS_MAX
        });
        let before = self.offset_secs(at.saturating_sub(DAY_SECS));
        let after = self.offset_secs(at.saturating_add(DAY_SECS));
        let holds = |offset: i64| self.offset_secs(at.saturating_sub(offset)) == offset;
        // Of two such instants the first; where the clock jumps over the time, the time after the
        // jump.
        let offset = if before == after || holds(before) || !holds(after) { before } else { after };
        local_secs - i128::from(offset)
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

/// As [`Zone::parse`] reads it.
impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UTC => f.write_str("UTC"),
            Self::Named(zone) => f.write_str(zone.name()),
            Self::Fixed(offset) => {
                let sign = if offset < 0 { '-' } else { '+' };
                let minutes = offset.abs() / 60;
                write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        }
    }
}

/// Moves an instant beyond the table into such a year.
fn in_table(utc_secs: i64) -> i64 {
    let number = utc_secs.div_euclid(DAY_SECS);
    if number < number_of(TABLE_END + CYCLE_YEARS, 1, 1) {
        return utc_secs;
    }
    let year = Day::of_number(number).year;
    let first = number_of(year, 1, 1);
    let leap = number_of(year + 1, 1, 1) - first;
    // A year with the same weekdays, so that the rules of the table's end apply forever.
    let twin = (TABLE_END..TABLE_END + CYCLE_YEARS).find(|twin| {
        let start = number_of(*twin, 1, 1);
        iso_weekday(start) == iso_weekday(first) && number_of(twin + 1, 1, 1) - start == leap
    });
    let start = number_of(twin.unwrap_or(TABLE_END), 1, 1);
    utc_secs - (first - start) * DAY_SECS
}

/// `+hh`, `+hhmm` or `+hh:mm` in seconds.
fn parse_offset(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let sign = match bytes.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: Vec<u8> = match bytes.get(1..)? {
        [a, b] => vec![*a, *b, b'0', b'0'],
        [a, b, c, d] | [a, b, b':', c, d] => vec![*a, *b, *c, *d],
        _ => return None,
    };
    let number = digits.iter().try_fold(0_i64, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
    })?;
    Some(sign * (number / 100 * 3_600 + number % 100 * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_names_are_read() {
        let check = |text, expected| assert_eq!(Zone::parse(text), expected, "{text}");
        check("UTC", Some(Zone::UTC));
        check("+03", Some(Zone::Fixed(10_800)));
        check("+0530", Some(Zone::Fixed(19_800)));
        check("-04:45", Some(Zone::Fixed(-17_100)));
        check("America/New_York", Some(Zone::Named(chrono_tz::America::New_York)));
        check("america/new_york", None);
        check("+5", None);
        check("Nowhere/Land", None);
        check("", None);
    }

    #[test]
    fn a_zone_is_written_as_it_is_read() {
        for text in ["UTC", "+05:45", "-04:45", "+00:30", "America/New_York"] {
            assert_eq!(Zone::parse(text).map(|zone| zone.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn summer_time_continues_after_the_table_ends() {
        let zone = Zone::Named(chrono_tz::America::New_York);
        let noon = |year, month, day| number_of(year, month, day) * DAY_SECS + 43_200;
        let check = |year, month, day, hours: i64| {
            assert_eq!(zone.offset_secs(noon(year, month, day)), hours * 3_600, "{year}-{month}");
        };
        check(1900, 1, 1, -5);
        check(2024, 1, 1, -5);
        check(2024, 7, 1, -4);
        check(2090, 7, 1, -4);
        check(2500, 7, 1, -4);
        check(2500, 12, 1, -5);
        check(9999, 7, 1, -4);
        assert_eq!(zone.local(i64::MAX).day.year, 292_278_994);
        assert_eq!(zone.local(i64::MIN).day.year, -292_275_055);
    }

    #[test]
    fn a_skipped_hour_is_moved_on_and_a_doubled_one_is_the_first() {
        let zone = Zone::Named(chrono_tz::America::New_York);
        let local = |month, day, hour: i64| {
            let secs = number_of(2024, month, day) * DAY_SECS + hour * 3_600;
            zone.local(i64::try_from(zone.utc_secs(i128::from(secs))).unwrap() * 1_000)
        };
        assert_eq!(local(3, 10, 2).hour, 3);
        assert_eq!(local(11, 3, 1).offset_secs, -4 * 3_600);
        assert_eq!(local(11, 3, 2).offset_secs, -5 * 3_600);
    }
}
