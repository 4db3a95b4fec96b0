//! Counts, instants and sizes in the words of findings.

use mayfly_engine::reply::DocCount;

use super::facts::CollectionFacts;
use crate::job::{Zone, duration, number};

/// A number of documents, and how far it is known: `1 document`, `at least 10,000 documents`, `about 80
/// documents (could be 0 to 5,000)`.
pub(super) fn documents(count: DocCount) -> String {
    let noun = if count == DocCount::Exact(1) { "document" } else { "documents" };
    let (number, bounds) = number::documents_and_bounds(count);
    let bounds = bounds.strip_prefix(", ").map(|bounds| format!(" ({bounds})"));
    format!("{number} {noun}{}", bounds.unwrap_or_default())
}

/// The same with the share of all: `1,200 documents (12 % of 10,000)`.
pub(super) fn share(count: DocCount, of: DocCount) -> String {
    let words = documents(count);
    let (part, all) = (count.likely(), of.likely());
    if all == 0 {
        return words;
    }
    let tenths = u128::from(part) * 1_000 / u128::from(all);
    let sign = if count.is_exact() && of.is_exact() { "" } else { "about " };
    let percent = match tenths {
        0 => "less than 0.1 %".to_owned(),
        1..100 => format!("{sign}{}.{} %", tenths / 10, tenths % 10),
        _ => format!("{sign}{} %", tenths / 10),
    };
    format!("{words}, {percent} of {}", number::short_documents(of))
}

/// The size of documents: `, 3.1 MB`; nothing where it isn't known.
pub(super) fn size(collection: &CollectionFacts, count: DocCount) -> String {
    let bytes = collection.bytes(count.likely()).filter(|bytes| *bytes > 0);
    bytes.map_or_else(String::new, |bytes| format!(", about {}", number::bytes(bytes)))
}

/// An instant in UTC, because an audit is read elsewhere than where it was made.
pub(super) fn instant(ms: i64) -> String {
    format!("{} UTC", Zone::Utc.date_time(ms))
}

/// A duration in its two largest units.
pub(super) fn span(ms: i64) -> String {
    duration::span(ms)
}

/// Seconds as a duration, and exactly.
pub(super) fn secs(secs: i64) -> String {
    if secs < 60 {
        return number::secs(secs);
    }
    format!("{} ({})", duration::span(secs.saturating_mul(1_000)), number::secs(secs))
}

#[cfg(test)]
mod tests {
    use mayfly_engine::reply::DocCount::{About, AtLeast, Exact};

    use super::*;

    #[test]
    fn a_number_says_how_far_it_is_known() {
        let about = About { count: 80, low: 0, high: Some(5_000) };
        let check = |count, expected: &str| assert_eq!(documents(count), expected);
        check(Exact(1), "1 document");
        check(Exact(12_408), "12,408 documents");
        check(AtLeast(10_000), "at least 10,000 documents");
        check(AtLeast(0), "an unknown number of documents");
        check(about, "about 80 documents (could be 0 to 5,000)");
        let check = |count, of, expected: &str| assert_eq!(share(count, of), expected);
        check(Exact(3), Exact(4), "3 documents, 75 % of 4");
        check(Exact(1), Exact(80), "1 document, 1.2 % of 80");
        check(Exact(1), Exact(80_000), "1 document, less than 0.1 % of 80,000");
        check(Exact(0), Exact(0), "0 documents");
        check(AtLeast(30), AtLeast(40), "at least 30 documents, about 75 % of ≥ 40");
    }
}
