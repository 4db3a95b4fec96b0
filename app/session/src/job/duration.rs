//! Durations as text: the rule is [`mayfly_engine::value::duration`], and numbers are written as the
//! user chose.

use std::time::Duration;

use mayfly_engine::value;

use super::number;

const SECOND_MS: i64 = 1_000;
const HOUR_MS: i64 = 3_600 * SECOND_MS;

/// A duration in its two largest units: `40 d 5 h`, `1 h 30 min`, `28.4 s`, `250 ms`.
pub fn span(ms: i64) -> String {
    let text = value::duration(ms);
    if number::decimal_point() == '.' { text } else { text.replace('.', ",") }
}

/// Time that is left: `00:41`, `1 h 2 min`, `3 d 4 h`.
pub fn countdown(rest_ms: i64) -> String {
    clock(whole_seconds(rest_ms))
}

/// Rounded up, so that `00:00` is shown only when nothing is left.
fn whole_seconds(rest_ms: i64) -> i64 {
    rest_ms.max(0).saturating_add(SECOND_MS - 1) / SECOND_MS * SECOND_MS
}

/// Time that has passed: `00:23`, `1 h 2 min`.
pub fn elapsed(past_ms: i64) -> String {
    clock(past_ms.max(0))
}

/// How long something is overdue: `+00:23`.
pub fn overdue(past_ms: i64) -> String {
    format!("+{}", elapsed(past_ms))
}

/// Minutes and seconds of constant width below an hour, in which digits change each second.
fn clock(ms: i64) -> String {
    if ms >= HOUR_MS {
        return span(ms);
    }
    let seconds = ms / SECOND_MS;
    format!("{:02}:{:02}", seconds / 60, seconds % 60)
}

/// When a countdown to `rest_ms` from now next changes, in milliseconds of the store's time.
pub fn next_change_ms(rest_ms: i64) -> i64 {
    if rest_ms <= 0 {
        let past_ms = rest_ms.saturating_neg();
        let step_ms = value::duration_step_ms(past_ms);
        return step_ms - past_ms % step_ms;
    }
    let shown_ms = whole_seconds(rest_ms);
    let last_ms = shown_ms - shown_ms % value::duration_step_ms(shown_ms);
    rest_ms - (last_ms - SECOND_MS)
}

/// The words about a query that the user stopped.
pub fn stopped(after: Duration) -> String {
    let ms = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
    // Whole seconds, from one on.
    format!("Stopped after {}", span(if ms >= 1_000 { ms / 1_000 * 1_000 } else { ms }))
}

/// Microseconds as text: `350 µs`, `2 ms`, `1.4 s`.
pub fn micros(micros: u64) -> String {
    match micros {
        0..1_000 => format!("{micros} µs"),
        _ => span(i64::try_from(micros / 1_000).unwrap_or(i64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: i64 = 60 * SECOND_MS;
    const DAY_MS: i64 = 24 * HOUR_MS;

    #[test]
    fn countdowns() {
        let check = |ms, expected: &str| assert_eq!(countdown(ms), expected, "{ms}");
        check(i64::MIN, "00:00");
        check(0, "00:00");
        check(1, "00:01");
        check(41_000, "00:41");
        check(40_001, "00:41");
        check(HOUR_MS - SECOND_MS, "59:59");
        check(HOUR_MS, "1 h");
        check(HOUR_MS + 1, "1 h");
        check(3_727_000, "1 h 2 min");
        check(DAY_MS - 1, "1 d");
        check(3 * DAY_MS + 4 * HOUR_MS, "3 d 4 h");
        check(766 * DAY_MS, "766 d");
        check(1_501 * DAY_MS, "4 y 41 d");
    }

    #[test]
    fn overdue_starts_at_zero() {
        let check = |ms, expected: &str| assert_eq!(overdue(ms), expected, "{ms}");
        check(0, "+00:00");
        check(999, "+00:00");
        check(23_400, "+00:23");
        check(HOUR_MS + MINUTE_MS - 1, "+1 h");
        check(40 * DAY_MS + 5 * HOUR_MS + 19 * MINUTE_MS, "+40 d 5 h");
    }

    #[test]
    fn a_countdown_changes_when_it_says() {
        let ends = [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS, 1_000 * DAY_MS, 1_095 * DAY_MS];
        let near = ends.iter().flat_map(|end| [end - 1, *end, end + 1, end + 41_500]);
        for rest in near.clone().chain(near.map(|rest| -rest)).chain([0, 999]) {
            let shown = |rest: i64| if rest > 0 { countdown(rest) } else { overdue(-rest) };
            let wait = next_change_ms(rest);
            assert!(wait > 0, "{rest}");
            assert_eq!(shown(rest), shown(rest - (wait - 1)), "{rest} changes before {wait} ms");
            assert_ne!(shown(rest), shown(rest - wait), "{rest} doesn't change after {wait} ms");
        }
    }

    #[test]
    fn a_duration_has_the_decimal_point_of_the_settings() {
        assert_eq!(span(28_400), "28.4 s");
        number::set_grouping(number::Grouping::Dot);
        assert_eq!(span(28_400), "28,4 s");
        number::set_grouping(number::Grouping::Comma);
        assert_eq!(micros(1_400_000), "1.4 s");
        assert_eq!(micros(2_900), "2 ms");
        assert_eq!(micros(350), "350 µs");
    }
}
