//! The time zone that the window shows instants in. Documents and commands stay in UTC.

use std::cell::Cell;

use chrono::{DateTime, Datelike, FixedOffset, Local, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use mayfly_engine::value::named;
use serde::{Deserialize, Serialize};

/// Dates reach this far on both sides of 1970, as in JavaScript: to the year 275760.
const DATE_MS_MAX: i64 = 8_640_000_000_000_000;

/// Years after which the calendar repeats.
const CYCLE_YEARS: i64 = 400;

/// The same in milliseconds.
const CYCLE_MS: i64 = 146_097 * 86_400_000;

/// Years with four digits; others have a sign and six, as in mongosh.
const FOUR_DIGITS: std::ops::Range<i64> = 0..10_000;

named! {
    /// How a date is written. Dates in documents are always written as in mongosh.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum DateStyle {
        /// `2026-06-01`
        #[default]
        Iso => "2026-12-31",
        /// `01.06.2026`
        DayFirst => "31.12.2026",
        /// `06/01/2026`
        MonthFirst => "12/31/2026",
        /// `01 Jun 2026`
        MonthName => "31 Dec 2026",
    }
    /// A date that shows it.
    pub fn label;
}

impl DateStyle {
    fn pattern(self) -> &'static str {
        match self {
            Self::Iso => "%Y-%m-%d",
            Self::DayFirst => "%d.%m.%Y",
            Self::MonthFirst => "%m/%d/%Y",
            Self::MonthName => "%d %b %Y",
        }
    }
}

thread_local! {
    /// Dates are written in many places, all of them on the thread of the window. The command line
    /// and the worker keep the default.
    static DATE_STYLE: Cell<DateStyle> = const { Cell::new(DateStyle::Iso) };
}

/// Sets how this thread writes dates.
pub fn set_date_style(style: DateStyle) {
    DATE_STYLE.set(style);
}

fn date() -> &'static str {
    DATE_STYLE.get().pattern()
}

/// Instants nearer than this are shown as a time of day, in milliseconds.
const NEAR_MS: u64 = 12 * 3_600_000;

/// A time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zone {
    /// Universal time.
    #[default]
    Utc,
    /// The zone of this machine. Its offset depends on the instant.
    Local,
    /// A zone of the IANA database. Its offset depends on the instant.
    Named(Tz),
    /// An offset that never changes, in seconds east of UTC.
    Fixed(i32),
}

/// The zones of the IANA database whose names hold these words, such as `berlin` or `new york`.
pub fn zones_like(words: &str) -> impl Iterator<Item = &'static str> + use<> {
    let words = words.trim().to_lowercase().replace(' ', "_");
    let names = chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name());
    names.filter(move |name| name.to_lowercase().contains(&words))
}

impl Zone {
    /// A zone by its name in the IANA database, such as `Europe/Berlin`.
    pub fn named(name: &str) -> Option<Self> {
        name.trim().parse().ok().map(Self::Named)
    }

    /// An instant: the time of day when it is near, else date and time. Both are milliseconds since 1970.
    #[must_use]
    pub fn when(self, at_ms: i64, now_ms: i64) -> String {
        let is_near = at_ms.abs_diff(now_ms) < NEAR_MS;
        if is_near { self.time_of_day(at_ms) } else { self.date_time(at_ms) }
    }

    /// The time of day: `10:14:02`.
    #[must_use]
    pub fn time_of_day(self, ms: i64) -> String {
        self.formatted(ms, "%H:%M:%S")
    }

    /// The time of day to the millisecond: `10:14:02.004`.
    #[must_use]
    pub fn time_of_day_millis(self, ms: i64) -> String {
        self.formatted(ms, "%H:%M:%S%.3f")
    }

    /// Date and time: `2026-11-21 10:14:02`.
    #[must_use]
    pub fn date_time(self, ms: i64) -> String {
        self.formatted(ms, &format!("{} %H:%M:%S", date()))
    }

    /// Date and time to the millisecond: `2026-11-21 10:14:02.004`, with a `Z` in UTC.
    #[must_use]
    pub fn date_time_millis(self, ms: i64) -> String {
        let mark = if self == Self::Utc { "Z" } else { "" };
        self.formatted(ms, &format!("{} %H:%M:%S%.3f{mark}", date()))
    }

    /// The zone after a time that must not be misread: `UTC`, or `UTC+02:00` at that instant.
    #[must_use]
    pub fn name(self, ms: i64) -> String {
        match self {
            Self::Utc => "UTC".to_owned(),
            Self::Local | Self::Named(_) | Self::Fixed(_) => self.formatted(ms, "UTC%:z"),
        }
    }

    /// The heading of a column of instants: `Expired at`, with `(UTC)` in UTC.
    #[must_use]
    pub fn heading(self, words: &str) -> String {
        if self == Self::Utc { format!("{words} (UTC)") } else { words.to_owned() }
    }

    /// An instant in this zone, and in UTC on a second line if that differs.
    #[must_use]
    pub fn both(self, ms: i64) -> String {
        let utc = format!("{} UTC", Self::Utc.date_time(ms));
        if self == Self::Utc {
            return utc;
        }
        let place = match self {
            Self::Named(zone) => zone.name(),
            Self::Utc | Self::Local | Self::Fixed(_) => "local time",
        };
        format!("{} {place} ({})\n{utc}", self.date_time(ms), self.name(ms))
    }

    /// Date and time on a clock in this zone at an instant.
    #[must_use]
    pub fn wall(self, ms: i64) -> Option<NaiveDateTime> {
        let utc = DateTime::<Utc>::from_timestamp_millis(ms)?;
        Some(match self {
            Self::Utc => utc.naive_utc(),
            Self::Local => utc.with_timezone(&Local).naive_local(),
            Self::Named(zone) => utc.with_timezone(&zone).naive_local(),
            Self::Fixed(secs) => utc.with_timezone(&FixedOffset::east_opt(secs)?).naive_local(),
        })
    }

    /// The instant at which a clock in this zone shows this, in milliseconds since 1970: the first
    /// of two where clocks were set back, the one after the gap where they were set forward.
    #[must_use]
    pub fn instant(self, wall: NaiveDateTime) -> Option<i64> {
        match self {
            Self::Utc => Some(wall.and_utc().timestamp_millis()),
            Self::Local => first_instant(&Local, wall),
            Self::Named(zone) => first_instant(&zone, wall),
            Self::Fixed(secs) => {
                let offset = FixedOffset::east_opt(secs)?;
                let found = offset.from_local_datetime(&wall).single();
                found.map(|at| at.timestamp_millis())
            }
        }
    }

    fn formatted(self, ms: i64, format: &str) -> String {
        if ms.unsigned_abs() > DATE_MS_MAX.unsigned_abs() {
            return format!("{ms} ms");
        }
        // The calendar repeats, and chrono ends before the dates that are written as such.
        let cycles = if Self::Utc.wall(ms).is_some() { 0 } else { ms.div_euclid(CYCLE_MS) };
        let near_ms = ms - cycles * CYCLE_MS;
        let (Some(utc), Some(wall)) =
            (DateTime::<Utc>::from_timestamp_millis(near_ms), self.wall(near_ms))
        else {
            return format!("{ms} ms");
        };
        let year = i64::from(wall.year()) + cycles * CYCLE_YEARS;
        let long_year = format!("{year:+07}");
        let format = &if FOUR_DIGITS.contains(&year) {
            format.into()
        } else {
            format.replace("%Y", &long_year)
        };
        match self {
            Self::Utc => utc.format(format).to_string(),
            Self::Local => utc.with_timezone(&Local).format(format).to_string(),
            Self::Named(zone) => utc.with_timezone(&zone).format(format).to_string(),
            Self::Fixed(secs) => match FixedOffset::east_opt(secs) {
                Some(offset) => utc.with_timezone(&offset).format(format).to_string(),
                None => utc.format(format).to_string(),
            },
        }
    }
}

/// The first instant at which clocks of a zone show this, or the one after the gap.
fn first_instant(zone: &impl TimeZone, wall: NaiveDateTime) -> Option<i64> {
    let found = zone.from_local_datetime(&wall).earliest();
    let after = || {
        let later = wall.checked_add_signed(TimeDelta::hours(1))?;
        zone.from_local_datetime(&later).earliest()
    };
    found.or_else(after).map(|at| at.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_as_chosen() {
        let check = |style, expected: [&str; 2]| {
            set_date_style(style);
            let ms = 1_780_315_200_004;
            let found = [Zone::Utc.date_time(ms), Zone::Utc.date_time_millis(ms)];
            assert_eq!(found, expected, "{style:?}");
        };
        check(DateStyle::DayFirst, ["01.06.2026 12:00:00", "01.06.2026 12:00:00.004Z"]);
        check(DateStyle::MonthFirst, ["06/01/2026 12:00:00", "06/01/2026 12:00:00.004Z"]);
        check(DateStyle::MonthName, ["01 Jun 2026 12:00:00", "01 Jun 2026 12:00:00.004Z"]);
        check(DateStyle::Iso, ["2026-06-01 12:00:00", "2026-06-01 12:00:00.004Z"]);
    }

    #[test]
    fn every_date_is_written_as_one() {
        let check = |ms: i64, expected: &str| {
            assert_eq!(Zone::Utc.date_time_millis(ms), expected, "{ms}");
            assert!(!Zone::Fixed(3_600).date_time(ms).contains("ms"), "{ms}");
        };
        check(-575_769_600_000, "1951-10-04 00:00:00.000Z");
        check(-62_167_219_200_000, "0000-01-01 00:00:00.000Z");
        check(-62_167_219_200_001, "-000001-12-31 23:59:59.999Z");
        check(253_402_300_800_000, "+010000-01-01 00:00:00.000Z");
        check(8_640_000_000_000_000, "+275760-09-13 00:00:00.000Z");
        check(-8_640_000_000_000_000, "-271821-04-20 00:00:00.000Z");
        let beyond = 8_640_000_000_000_001;
        assert_eq!(Zone::Utc.date_time(beyond), format!("{beyond} ms"));
    }

    #[test]
    fn a_clock_on_the_wall_and_its_instant() {
        for zone in [Zone::Utc, Zone::Local, Zone::Fixed(2 * 3_600)] {
            let ms = 1_780_315_200_004;
            let wall = zone.wall(ms).expect("a date");
            assert_eq!(zone.instant(wall), Some(ms), "{zone:?} {wall}");
        }
        let wall = Zone::Fixed(2 * 3_600).wall(1_780_315_200_004).expect("a date");
        assert_eq!(wall.to_string(), "2026-06-01 14:00:00.004");
        assert_eq!(Zone::Utc.wall(i64::MAX), None);
    }

    #[test]
    fn zones_are_found_by_their_names() {
        let found: Vec<&str> = zones_like(" new york").collect();
        assert_eq!(found, ["America/New_York"]);
        assert_eq!(zones_like("nowhere").count(), 0);
        assert_eq!(Zone::named("Europe/Nowhere"), None);
        let berlin = Zone::named(" Europe/Berlin ").expect("it is known");
        assert_eq!(berlin.name(0), "UTC+01:00");
        let both = "2026-06-01 14:00:00 Europe/Berlin (UTC+02:00)\n2026-06-01 12:00:00 UTC";
        assert_eq!(berlin.both(1_780_315_200_000), both);
        // Clocks were set forward from 02:00 to 03:00, and back from 03:00 to 02:00.
        for (wall, expected) in
            [("2026-03-29T02:30:00", "01:30:00"), ("2026-10-25T02:30:00", "00:30:00")]
        {
            let instant = berlin.instant(wall.parse().expect("a date")).expect("an instant");
            assert_eq!(Zone::Utc.time_of_day(instant), expected, "{wall}");
        }
    }

    #[test]
    fn instants_in_a_zone() {
        let (east, west) = (Zone::Fixed(2 * 3_600), Zone::Fixed(-(9 * 3_600 + 1_800)));
        let check = |zone: Zone, expected: [&str; 3]| {
            let ms = 1_780_315_200_004;
            let found = [zone.date_time_millis(ms), zone.time_of_day(ms), zone.name(ms)];
            assert_eq!(found, expected, "{zone:?}");
        };
        check(Zone::Utc, ["2026-06-01 12:00:00.004Z", "12:00:00", "UTC"]);
        check(east, ["2026-06-01 14:00:00.004", "14:00:00", "UTC+02:00"]);
        check(west, ["2026-06-01 02:30:00.004", "02:30:00", "UTC-09:30"]);
        let both = "2026-06-01 14:00:00 local time (UTC+02:00)\n2026-06-01 12:00:00 UTC";
        assert_eq!(east.both(1_780_315_200_000), both);
        assert_eq!(Zone::Utc.both(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(east.date_time(i64::MAX), format!("{} ms", i64::MAX));
    }
}
