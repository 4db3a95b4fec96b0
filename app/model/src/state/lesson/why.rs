//! Which lesson explains what the window shows.

use mayfly_engine::value::named;

named! {
    /// Something in the window that a lesson explains.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Topic {
        /// A document is past its threshold and still there.
        Overdue => "02-the-pass",
        OverdueIsFound => "03-overdue-is-still-found",
        /// The collection has no TTL index.
        NoTtlIndex => "22-no-index-no-expiry",
        /// A plain index becomes a TTL index.
        PlainToTtl => "11-plain-index-to-ttl",
        /// An index that exists with other options, or a key that can't have a TTL.
        CreateRefused => "13-what-create-index-refuses",
        /// Seconds that are no valid TTL.
        BadSeconds => "16-bad-numbers",
        WhatIf => "10-a-new-rule-and-old-data",
        HiddenIndex => "21-a-hidden-index-still-deletes",
        OnHold => "39-a-clock-that-jumps",
        Cliff => "c08-roll-out-a-ttl",
        SeveralIndexes => "24-two-rules",
    }
    /// The slug of the lesson that explains it.
    pub fn lesson;
}

/// The slug of the lesson about documents that never expire for a reason. Codes are those of
/// `mayflyWhatIf`.
pub fn never_lesson(code: &str) -> &'static str {
    match code {
        "arrayEmpty" | "arrayWithoutDates" => "06-arrays-without-a-date",
        "outsidePartialFilter" => "23-partial-ttl",
        "ownTtlNever" => "29-minus-one-is-never",
        "noDefault" => "27-its-own-ttl",
        "beforeEpoch" | "beyondTime" => "09-past-and-future",
        _ => "07-not-a-date",
    }
}

/// The words of a slug, for a name that is read aloud: `not a date`.
pub fn words(slug: &str) -> String {
    let words = slug.split_once('-').filter(|(head, _)| head.chars().any(|c| c.is_ascii_digit()));
    words.map_or(slug, |(_, words)| words).replace('-', " ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Codes of `mayflyWhatIf`.
    const CODES: [&str; 16] = [
        "fieldMissing",
        "null",
        "number",
        "string",
        "bool",
        "objectId",
        "timestamp",
        "document",
        "arrayEmpty",
        "arrayWithoutDates",
        "otherType",
        "outsidePartialFilter",
        "ownTtlNever",
        "noDefault",
        "beforeEpoch",
        "beyondTime",
    ];

    #[test]
    fn every_link_leads_to_a_lesson_of_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/lessons");
        let topics = Topic::ALL.into_iter().map(Topic::lesson);
        for slug in topics.chain(CODES.into_iter().map(never_lesson)) {
            let file = folder.join(format!("{slug}.md"));
            assert!(file.is_file(), "{} is missing", file.display());
        }
    }

    #[test]
    fn a_slug_reads_as_words() {
        assert_eq!(words("07-not-a-date"), "not a date");
        assert_eq!(words("my-lesson"), "my-lesson".replace('-', " "));
        assert_eq!(words("c02-why"), "why");
    }
}
