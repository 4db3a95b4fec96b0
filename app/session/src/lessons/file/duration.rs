//! Durations as authors write them: a number of seconds, or `"20ms"`, `"90s"`, `"5m"`, `"2h"`, `"3d"`.

/// The forms of a duration, for error messages.
pub const EXAMPLES: &str = "Write a duration such as \"90s\", \"5m\", \"2h\" or \"3d\"";

/// The longest duration, 1,000 years of 365 days, in milliseconds.
const MAX_MS: f64 = 1_000.0 * 365.0 * 86_400_000.0;

/// Milliseconds of a text such as `90s`, `9.5s` or `-1h`. `None` if it isn't a duration.
pub fn parse_ms(text: &str) -> Option<i64> {
    let text = text.trim();
    let unit_at = text.rfind(|letter: char| !letter.is_ascii_alphabetic())? + 1;
    let (number, unit) = text.split_at_checked(unit_at)?;
    let unit_ms = match unit {
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return None,
    };
    let digits = number.strip_prefix(['+', '-']).unwrap_or(number);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    from_number(number.parse().ok()?, unit_ms)
}

/// Milliseconds of a number of seconds.
pub fn from_seconds(seconds: f64) -> Option<i64> {
    from_number(seconds, 1_000.0)
}

#[expect(clippy::cast_possible_truncation, reason = "MAX_MS is far below")]
fn from_number(number: f64, unit_ms: f64) -> Option<i64> {
    let ms = (number * unit_ms).round();
    (ms.abs() <= MAX_MS).then_some(ms as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in [
            ("90s", Some(90_000)),
            (" 9.5s ", Some(9_500)),
            ("20ms", Some(20)),
            ("5m", Some(300_000)),
            ("2h", Some(7_200_000)),
            ("-1h", Some(-3_600_000)),
            ("+3d", Some(259_200_000)),
            ("s", None),
            ("", None),
            ("-s", None),
            ("90", None),
            ("1.2.3s", None),
            ("infs", None),
            ("1e9s", None),
            ("99999999d", None),
            ("5µ", None),
        ] {
            assert_eq!(parse_ms(text), ms, "{text}");
        }
        assert_eq!(from_seconds(0.25), Some(250));
        assert_eq!(from_seconds(f64::NAN), None);
    }
}
