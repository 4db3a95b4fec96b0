//! The proleptic Gregorian calendar over every day that 64 bits of milliseconds reach.

pub(crate) const DAY_SECS: i64 = 86_400;
/// Days of 400 years, after which the calendar repeats.
const ERA_DAYS: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_SHIFT: i64 = 719_468;
/// Months by name, January first.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A day of the calendar. Months and days count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the day of the month is the calendar's word")]
pub(crate) struct Day {
    pub year: i64,
    pub month: i64,
    pub day: i64,
}

impl Day {
    /// The day with this number, counted from 1970-01-01.
    pub(crate) fn of_number(number: i64) -> Self {
        let shifted = number.saturating_add(EPOCH_SHIFT);
        let era = shifted.div_euclid(ERA_DAYS);
        let of_era = shifted.rem_euclid(ERA_DAYS);
        let year_of_era =
            (of_era - of_era / 1_460 + of_era / 36_524 - of_era / (ERA_DAYS - 1)) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // Years are counted from March, so that the leap day is the last of its year.
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Self { year: year_of_era + era * 400 + i64::from(month <= 2), month, day }
    }

    /// Days since 1970-01-01.
    pub(crate) fn number(self) -> i64 {
        number_of(self.year, self.month, self.day)
    }

    /// The day of the year, from 1.
    pub(crate) fn of_year(self) -> i64 {
        self.number() - number_of(self.year, 1, 1) + 1
    }

    /// Monday 1 … Sunday 7.
    pub(crate) fn iso_weekday(self) -> i64 {
        iso_weekday(self.number())
    }

    /// Year and week by ISO 8601.
    pub(crate) fn iso_week(self) -> (i64, i64) {
        // A week belongs to the year of its Thursday.
        let thursday = self.number() - self.iso_weekday() + 4;
        let day = Self::of_number(thursday);
        (day.year, (day.of_year() - 1) / 7 + 1)
    }
}

/// The weekday of a day number: Monday 1 … Sunday 7.
pub(crate) fn iso_weekday(number: i64) -> i64 {
    (number + 3).rem_euclid(7) + 1
}

/// Days since 1970-01-01 of a year, month 1 to 12 and any day.
pub(crate) fn number_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let from_march = (month + 9).rem_euclid(12);
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * ERA_DAYS + of_era - EPOCH_SHIFT
}

/// The same with any number of months: month 13 is January of the next year, month 0 December of
/// the one before.
pub(crate) fn number_of_any_month(year: i64, month: i64, day: i64) -> i64 {
    number_of(year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1, day)
}

pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    number_of_any_month(year, month + 1, 1) - number_of(year, month, 1)
}

/// The day number of an ISO year, week and weekday; week and weekday may over- and underflow.
pub(crate) fn number_of_iso(year: i64, week: i64, weekday: i64) -> i64 {
    let fourth = number_of(year, 1, 4);
    fourth - iso_weekday(fourth) + (week - 1) * 7 + weekday
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_and_dates_are_one_to_one() {
        for number in (-5_000_000..5_000_000).step_by(997) {
            assert_eq!(Day::of_number(number).number(), number);
        }
        assert_eq!(Day::of_number(0), Day { year: 1970, month: 1, day: 1 });
        assert_eq!(number_of(2024, 2, 29) + 1, number_of(2024, 3, 1));
        assert_eq!(number_of_any_month(2023, 14, 1), number_of(2024, 2, 1));
        assert_eq!(number_of_any_month(2023, 0, 31), number_of(2022, 12, 31));
        let far = Day::of_number(i64::MAX / 86_400_000);
        assert_eq!((far.year, far.month, far.day), (292_278_994, 8, 17));
    }

    #[test]
    fn iso_weeks_belong_to_the_year_of_their_thursday() {
        let check = |year, month, day, expected| {
            assert_eq!(Day { year, month, day }.iso_week(), expected, "{year}-{month}-{day}");
        };
        check(2016, 1, 3, (2015, 53));
        check(2016, 1, 4, (2016, 1));
        check(2018, 12, 31, (2019, 1));
        check(2020, 12, 31, (2020, 53));
        assert_eq!(number_of_iso(2020, 53, 4), number_of(2020, 12, 31));
        assert_eq!(days_in_month(2024, 2), 29);
        assert_eq!(days_in_month(1900, 2), 28);
        assert_eq!(days_in_month(2023, 12), 31);
    }
}
