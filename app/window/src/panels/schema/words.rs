//! Figures of a schema in words.

use crate::inspect::schema::{Bar, Candidate, Field, Kind, Path, Unit};
use crate::state::schema::{SchemaView, Stage};
use crate::state::{Zone, number};

/// A share as text: `100 %`, `<1 %`, `>99 %`.
pub(super) fn share(part: u64, of: u64) -> String {
    if of == 0 || part == 0 {
        return "0 %".to_owned();
    }
    let percent = (u128::from(part) * 200 / u128::from(of)).div_ceil(2);
    match percent {
        _ if part >= of => "100 %".to_owned(),
        0 => "<1 %".to_owned(),
        _ if u128::from(part) * 100 < u128::from(of) => "<1 %".to_owned(),
        100.. => ">99 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

/// How far the analysis is.
pub(super) fn status(view: &SchemaView, total: Option<u64>) -> String {
    let documents = |count| number::counted(count, "document", "documents");
    let filtered = if view.filter.is_empty() { "" } else { " that match" };
    let known = view.schema.as_ref().map_or(0, |schema| schema.documents);
    match &view.stage {
        Stage::Idle => String::new(),
        Stage::Reading => {
            let of = total.map_or(String::new(), |total| format!(" of {}", number::count(total)));
            let read = format!("{}{of} read", number::count(view.read));
            if view.is_sample && known > 0 {
                format!("Sample of {} · {read}", documents(known))
            } else {
                format!("Reading documents{filtered} · {read}")
            }
        }
        Stage::Done(_) => format!("All {}{filtered} read", documents(known)),
        Stage::Stopped if view.is_sample => format!("Stopped · sample of {}", documents(known)),
        Stage::Stopped => format!("Stopped after {}", documents(known)),
        Stage::Failed(sentence) => sentence.clone(),
    }
}

/// The types of a field: `String 98 % · null 2 %`.
pub(super) fn kinds(field: &Field) -> String {
    let [(only, _)] = field.kinds.as_slice() else {
        let part =
            |(kind, count): &(Kind, u64)| format!("{} {}", kind.label(), share(*count, field.seen));
        return field.kinds.iter().map(part).collect::<Vec<_>>().join(" · ");
    };
    only.label().to_owned()
}

/// How many different values: `12`, `about 1,200`.
pub(super) fn distinct(field: &Field) -> String {
    match (field.distinct, field.is_exact) {
        (0, _) => String::new(),
        (count, true) => number::count(count),
        (count, false) => format!("≈ {}", number::short_count(rounded(count))),
    }
}

/// An estimate, without digits that it does not have.
fn rounded(count: u64) -> u64 {
    let mut unit = 1;
    while count / unit >= 1_000 {
        unit *= 10;
    }
    (count + unit / 2) / unit * unit
}

/// A number as short as it is exact.
pub(super) fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        #[expect(clippy::cast_possible_truncation, reason = "checked")]
        let whole = value as i64;
        let sign = if whole < 0 { "−" } else { "" };
        return format!("{sign}{}", number::count(whole.unsigned_abs()));
    }
    let size = value.abs();
    if (1e-4..1e15).contains(&size) {
        let text = format!("{value:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').replace('-', "−");
    }
    format!("{value:.3e}").replace('-', "−")
}

/// A bar of numbers: `10 to 20: 1,204`.
pub(super) fn number_bar(bar: &Bar<f64>) -> String {
    let is_one = bar.from.fract() == 0.0 && (bar.to - bar.from - 1.0).abs() < f64::EPSILON;
    let count = number::count(bar.count);
    if is_one {
        format!("{}: {count}", number(bar.from))
    } else {
        format!("{} to {}: {count}", number(bar.from), number(bar.to))
    }
}

/// A bar of dates: `2026-01-01 to 2026-02-01: 1,204`.
pub(super) fn time_bar(bar: &Bar<i64>) -> String {
    let [from, to] = [bar.from, bar.to].map(date);
    format!("{from} to {to}: {}", number::count(bar.count))
}

/// An instant in UTC; midnight is a day.
pub(super) fn date(at_ms: i64) -> String {
    let text = Zone::Utc.date_time_millis(at_ms);
    let text = text.trim_end_matches('Z');
    let text = text.strip_suffix(".000").unwrap_or(text);
    let day = text.strip_suffix(" 00:00:00");
    day.or(text.strip_suffix(":00")).unwrap_or(text).to_owned()
}

/// The days of a week.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// The values at a candidate for a TTL.
pub(super) fn candidate(candidate: &Candidate, documents: u64) -> String {
    let mut parts = Vec::new();
    if candidate.dates > 0 {
        parts.push(format!("date in {} of documents", share(candidate.dates, documents)));
    }
    if candidate.texts > 0 {
        let example = candidate.examples.first().map(String::as_str).unwrap_or_default();
        parts.push(format!(
            "text that looks like a date in {} of documents, such as {example}",
            share(candidate.texts, documents)
        ));
    }
    if let Some(found) = candidate.instants() {
        let unit = match found.unit {
            Unit::Seconds => "seconds",
            Unit::Millis => "milliseconds",
        };
        parts.push(format!(
            "numbers that look like {unit} since 1970 in {} of documents, such as {} ({})",
            share(found.documents, documents),
            found.example,
            date(found.example.saturating_mul(found.unit.millis()))
        ));
    }
    parts.join("; ")
}

/// The documents that a TTL on a candidate would remove now.
pub(super) fn removed(candidate: &Candidate) -> String {
    let [day, month, year] = candidate.expired.map(number::count);
    format!("A TTL would remove now: {day} with 1 day · {month} with 30 days · {year} with 1 year")
}

/// A path as it is shown.
pub(super) fn path(path: &Path) -> String {
    crate::widgets::value_text::with_marks(&path.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_never_claim_all_or_nothing() {
        let check = |part, of, expected: &str| assert_eq!(share(part, of), expected, "{part}/{of}");
        check(0, 10, "0 %");
        check(10, 10, "100 %");
        check(1, 1_000, "<1 %");
        check(9_999, 10_000, ">99 %");
        check(1, 2, "50 %");
        check(2, 3, "67 %");
        check(0, 0, "0 %");
    }

    #[test]
    fn numbers_are_short() {
        let check = |value, expected: &str| assert_eq!(number(value), expected, "{value}");
        check(1_204.0, "1,204");
        check(-2.5, "−2.5");
        check(0.1 + 0.2, "0.3");
        check(1e20, "1.000e20");
    }

    #[test]
    fn a_candidate_says_all_that_was_found() {
        let mut found = Candidate::new("at".to_owned());
        found.date(1, 0, 0);
        found.text(2, "2024-03-01");
        found.number(3, 1_709_280_000.0);
        let expected = "date in 25 % of documents; text that looks like a date in 25 % of \
                        documents, such as 2024-03-01; numbers that look like seconds since 1970 \
                        in 25 % of documents, such as 1709280000 (2024-03-01 08:00)";
        assert_eq!(candidate(&found, 4), expected);
    }

    #[test]
    fn a_day_has_no_time() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(3_600_000), "1970-01-01 01:00");
        assert_eq!(date(1_500), "1970-01-01 00:00:01.500");
    }
}
