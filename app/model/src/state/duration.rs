//! Durations as text.

use std::time::Duration;

use super::number;

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// From here on every duration is in years, whatever it is for.
const YEARS_FROM_MS: i64 = 730 * DAY_MS;

/// Up to here a span of whole days is in days: it was chosen.
const WHOLE_DAYS_MAX_MS: i64 = 3_650 * DAY_MS;

/// A countdown of constant width: `00:41`, `1:02:07`, `3 d 04:10`, `2.1 y`.
pub fn countdown(rest_ms: i64) -> String {
    // Rounded up, so that `00:00` is shown only when nothing is left.
    let rounded_up = |unit_ms: i64| rest_ms.max(0).saturating_add(unit_ms - 1) / unit_ms;
    let seconds = rounded_up(SECOND_MS);
    if seconds >= YEARS_FROM_MS / SECOND_MS {
        return years(rounded_up(DAY_MS));
    }
    if seconds >= 86_400 {
        let minutes = rounded_up(MINUTE_MS);
        let (days, hours) = (minutes / 1_440, minutes / 60 % 24);
        return format!("{days} d {hours:02}:{:02}", minutes % 60);
    }
    let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60);
    if hours > 0 {
        return format!("{hours}:{minutes:02}:{:02}", seconds % 60);
    }
    format!("{minutes:02}:{:02}", seconds % 60)
}

fn years(days: i64) -> String {
    let tenths = days * 10 / 365;
    format!("{}{}{} y", tenths / 10, number::decimal_point(), tenths % 10)
}

/// How long something is overdue: `+00:23`.
pub fn overdue(past_ms: i64) -> String {
    // Rounded down, so that it starts at `+00:00`.
    let whole = past_ms.max(0) / SECOND_MS * SECOND_MS;
    format!("+{}", countdown(whole))
}

/// When a countdown to `rest_ms` from now next changes, in milliseconds of the store's time.
pub fn next_change_ms(rest_ms: i64) -> i64 {
    if rest_ms <= 0 {
        // Past its time: the overdue text changes each second.
        return SECOND_MS - (-rest_ms) % SECOND_MS;
    }
    let step = if rest_ms >= YEARS_FROM_MS {
        DAY_MS
    } else if rest_ms > DAY_MS {
        MINUTE_MS
    } else {
        SECOND_MS
    };
    (rest_ms - 1) % step + 1
}

/// A span in words: `10 min`, `1 h 30 min`, `800 d`, `12.1 y`, `250 ms`. At most two units.
pub fn span(ms: i64) -> String {
    if ms < 0 {
        return format!("−{}", span(ms.saturating_neg()));
    }
    if ms < SECOND_MS {
        return format!("{ms} ms");
    }
    let is_chosen = ms % DAY_MS == 0 && ms <= WHOLE_DAYS_MAX_MS;
    if ms >= YEARS_FROM_MS && !is_chosen {
        return years(ms / DAY_MS);
    }
    let units = [(DAY_MS, "d"), (HOUR_MS, "h"), (MINUTE_MS, "min"), (SECOND_MS, "s")];
    let Some(first) = units.iter().position(|(size, _)| ms >= *size) else {
        return format!("{ms} ms");
    };
    let (size, name) = units[first];
    let (count, rest) = (ms / size, ms % size);
    let next = units.get(first + 1).filter(|(size, _)| rest >= *size);
    match next {
        Some((size, next)) if count < 10 => format!("{count} {name} {} {next}", rest / size),
        _ => format!("{} {name}", number::count(count.unsigned_abs())),
    }
}

/// The words about a query that the user stopped.
pub fn stopped(after: Duration) -> String {
    let ms = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
    // Whole seconds, from one on.
    format!("Stopped after {}", span(if ms >= 1_000 { ms / 1_000 * 1_000 } else { ms }))
}

/// A span with one decimal, for figures: `28.4 s`, `950 ms`, `3.2 min`.
pub fn figure(ms: i64) -> String {
    let tenths = |unit: i64, name: &str| {
        let tenths = ms.saturating_mul(10) / unit;
        format!("{}{}{} {name}", tenths / 10, number::decimal_point(), tenths % 10)
    };
    match ms {
        ..SECOND_MS => format!("{ms} ms"),
        SECOND_MS..MINUTE_MS => tenths(SECOND_MS, "s"),
        MINUTE_MS..HOUR_MS => tenths(MINUTE_MS, "min"),
        HOUR_MS..DAY_MS => tenths(HOUR_MS, "h"),
        DAY_MS..YEARS_FROM_MS => tenths(DAY_MS, "d"),
        YEARS_FROM_MS.. => years(ms / DAY_MS),
    }
}

/// Microseconds as text: `350 µs`, `2 ms`, `1.4 s`.
pub fn micros(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", micros / 1_000),
        _ => figure(i64::try_from(micros / 1_000).unwrap_or(i64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countdowns() {
        let check = |ms, expected: &str| assert_eq!(countdown(ms), expected, "{ms}");
        check(-5, "00:00");
        check(0, "00:00");
        check(1, "00:01");
        check(41_000, "00:41");
        check(40_001, "00:41");
        check(3_600_000, "1:00:00");
        check(3_727_000, "1:02:07");
        check(3 * DAY_MS + 4 * HOUR_MS + 10 * MINUTE_MS, "3 d 04:10");
        check(766 * DAY_MS, "2.0 y");
        check(i64::MAX, "292471208.6 y");
    }

    #[test]
    fn overdue_starts_at_zero() {
        let check = |ms, expected: &str| assert_eq!(overdue(ms), expected, "{ms}");
        check(0, "+00:00");
        check(999, "+00:00");
        check(23_400, "+00:23");
    }

    #[test]
    fn a_countdown_changes_when_it_says() {
        for rest in
            [1, 999, 1_000, 1_001, 41_500, DAY_MS + 1, 3 * DAY_MS, 800 * DAY_MS, 0, -1, -999]
        {
            let shown = |rest: i64| if rest > 0 { countdown(rest) } else { overdue(-rest) };
            let wait = next_change_ms(rest);
            assert!(wait > 0, "{rest}");
            assert_eq!(shown(rest), shown(rest - (wait - 1)), "{rest} changes before {wait} ms");
        }
    }

    #[test]
    fn spans() {
        let check = |ms, expected: &str| assert_eq!(span(ms), expected, "{ms}");
        check(0, "0 ms");
        check(250, "250 ms");
        check(600_000, "10 min");
        check(90 * MINUTE_MS, "1 h 30 min");
        check(30 * DAY_MS, "30 d");
        check(-1_000, "−1 s");
        check(DAY_MS + 1, "1 d");
        check(729 * DAY_MS, "729 d");
        check(800 * DAY_MS, "800 d");
        check(800 * DAY_MS + 1, "2.1 y");
        check(3_650 * DAY_MS, "3,650 d");
    }

    #[test]
    fn years_are_years_in_every_form() {
        let ms = 10_336 * DAY_MS;
        for form in [countdown(ms), span(ms), figure(ms)] {
            assert_eq!(form, "28.3 y");
        }
        assert_eq!(overdue(ms), "+28.3 y");
    }

    #[test]
    fn figures() {
        let check = |ms, expected: &str| assert_eq!(figure(ms), expected, "{ms}");
        check(950, "950 ms");
        check(28_400, "28.4 s");
        check(59_100, "59.1 s");
        check(192_000, "3.2 min");
    }
}
