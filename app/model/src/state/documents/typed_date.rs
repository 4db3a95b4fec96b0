//! A date as the user types it.

use bson::{Bson, DateTime};
use mayfly_engine::transfer::Zone;
use mayfly_engine::value::date_text::{Alternative, Detector, Order};
use mayfly_engine::value::{iso_ms, shell};

use crate::state::transfer::types::instant;

/// The message for text that isn't a date.
const EXAMPLES: &str = "Enter a date, such as 2026-11-21T10:04:43.000Z or Nov 21 2026 10:04";

/// Reads a date in any common layout, or as mongosh writes it, at this time in milliseconds since
/// 1970. One without a zone is in UTC.
///
/// # Errors
/// How to type it instead. The order of day and month is not guessed.
pub fn read(text: &str, now_ms: i64) -> Result<DateTime, String> {
    let mut detector = Detector::default();
    detector.text(1, text);
    let found = detector.finish();
    if let Some(Order::Ask(ways)) = found.as_ref().map(|found| &found.order) {
        return Err(two_ways(text.trim(), ways));
    }
    let forms = found.map(|found| found.forms).unwrap_or_default();
    if let Some(millis) = forms.iter().find_map(|form| form.read(text, Zone::UTC).ok()) {
        return Ok(DateTime::from_millis(millis));
    }
    if let Some(millis) = iso_ms(text.trim()) {
        return Ok(DateTime::from_millis(millis));
    }
    match shell::read_value_at(text, now_ms) {
        Ok(Bson::DateTime(date)) => Ok(date),
        _ => Err(EXAMPLES.to_owned()),
    }
}

fn two_ways(text: &str, ways: &[Alternative]) -> String {
    let read = ways.iter().filter_map(|way| way.forms.first()?.read(text, Zone::UTC).ok());
    let mut instants: Vec<String> = read.map(instant).collect();
    instants.dedup();
    match instants.as_slice() {
        [one] => format!("Enter it as {one}"),
        many => format!("{text} can be {}; enter one of these", many.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_layouts_are_read() {
        let check = |text: &str, expected: &str| {
            let read = read(text, 0).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(read.try_to_rfc3339_string().ok().as_deref(), Some(expected), "{text}");
        };
        check("Aug 07 1998", "1998-08-07T00:00:00Z");
        check("7 August 1998 10:30 PM", "1998-08-07T22:30:00Z");
        check("2015/01/31 08:00", "2015-01-31T08:00:00Z");
        check("31.1.2015", "2015-01-31T00:00:00Z");
        check("1/31/2015", "2015-01-31T00:00:00Z");
        check("2015-01-31T10:00:00+02:00", "2015-01-31T08:00:00Z");
        check("1709280000", "2024-03-01T08:00:00Z");
        check("1709280000123", "2024-03-01T08:00:00.123Z");
        check("ISODate('2015-01-31')", "2015-01-31T00:00:00Z");
    }

    #[test]
    fn an_order_in_doubt_is_asked() {
        let error = read("03/04/2020", 0).expect_err("two ways");
        assert_eq!(
            error,
            "03/04/2020 can be 2020-04-03 00:00:00Z or 2020-03-04 00:00:00Z; enter one of these"
        );
        assert!(read("2020-04-03 00:00:00Z", 0).is_ok(), "what it says can be typed");
        for wrong in ["tomorrow", "", "31/31/2020", "2020"] {
            assert_eq!(read(wrong, 0), Err(EXAMPLES.to_owned()), "{wrong}");
        }
    }
}
