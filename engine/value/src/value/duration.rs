//! Durations as the window, the terminal and messages show them: in the two largest units.

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
const YEAR_MS: i64 = 365 * DAY_MS;

/// From here on a duration is in years of 365 days. A TTL of 800 days reads as it was typed.
const YEARS_FROM_MS: i64 = 1_000 * DAY_MS;

/// A duration in its two largest units: `40 d 5 h`, `1 h 30 min`, `2 min`. Below a minute it is
/// in seconds with a decimal if there is one (`28.4 s`), below a second in milliseconds. What is
/// smaller is left out.
pub fn duration(ms: i64) -> String {
    if ms < 0 {
        return format!("−{}", duration(ms.saturating_neg()));
    }
    let units = match ms {
        0 => return "0 s".to_owned(),
        ..SECOND_MS => return format!("{ms} ms"),
        SECOND_MS..MINUTE_MS => return seconds(ms),
        MINUTE_MS..HOUR_MS => [(MINUTE_MS, "min"), (SECOND_MS, "s")],
        HOUR_MS..DAY_MS => [(HOUR_MS, "h"), (MINUTE_MS, "min")],
        DAY_MS..YEARS_FROM_MS => [(DAY_MS, "d"), (HOUR_MS, "h")],
        YEARS_FROM_MS.. => [(YEAR_MS, "y"), (DAY_MS, "d")],
    };
    let [(size, name), (next_size, next_name)] = units;
    let (count, next) = (ms / size, ms % size / next_size);
    if next == 0 { format!("{count} {name}") } else { format!("{count} {name} {next} {next_name}") }
}

fn seconds(ms: i64) -> String {
    match ms % SECOND_MS / 100 {
        0 => format!("{} s", ms / SECOND_MS),
        tenths => format!("{}.{tenths} s", ms / SECOND_MS),
    }
}

/// The smallest unit that a duration of this length shows from a second on, in milliseconds.
pub fn duration_step_ms(ms: i64) -> i64 {
    match ms {
        ..HOUR_MS => SECOND_MS,
        HOUR_MS..DAY_MS => MINUTE_MS,
        DAY_MS..YEARS_FROM_MS => HOUR_MS,
        YEARS_FROM_MS.. => DAY_MS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_its_two_largest_units() {
        let check = |ms, expected: &str| assert_eq!(duration(ms), expected, "{ms}");
        check(0, "0 s");
        check(1, "1 ms");
        check(999, "999 ms");
        check(1_000, "1 s");
        check(1_099, "1 s");
        check(28_450, "28.4 s");
        check(59_999, "59.9 s");
        check(MINUTE_MS, "1 min");
        check(90_000, "1 min 30 s");
        check(10 * MINUTE_MS + 999, "10 min");
        check(59 * MINUTE_MS + 59_999, "59 min 59 s");
        check(2 * HOUR_MS, "2 h");
        check(90 * MINUTE_MS, "1 h 30 min");
        check(HOUR_MS + 59_999, "1 h");
        check(DAY_MS + MINUTE_MS, "1 d");
        check(40 * DAY_MS + 5 * HOUR_MS + 59 * MINUTE_MS, "40 d 5 h");
        check(365 * DAY_MS, "365 d");
        check(800 * DAY_MS, "800 d");
        check(YEARS_FROM_MS - 1, "999 d 23 h");
        check(YEARS_FROM_MS, "2 y 270 d");
        check(65_700 * HOUR_MS, "7 y 182 d");
        check(3_650 * DAY_MS, "10 y");
        check(-1_500, "−1.5 s");
        check(i64::MAX, "292471208 y 247 d");
        check(i64::MIN, "−292471208 y 247 d");
    }
}
