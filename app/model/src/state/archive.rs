//! Archives of removed documents: what the store says of them, and the fields of their settings.

use bson::Document;

use super::Namespace;
use crate::commands::archive;

/// Bytes in an entered MB.
const MB: u64 = 1_000_000;

const DAY_SECS: u64 = 86_400;

/// The store's report on an archive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    /// Its collection.
    pub ns: String,
    pub on: bool,
    /// Its folder; empty is the data folder.
    pub target: String,
    pub max_bytes: Option<u64>,
    /// Longest age in seconds.
    pub max_age_secs: Option<u64>,
    /// Why it can't be written or read.
    pub problem: Option<String>,
    /// Whether its files couldn't be read, so that nothing of what it holds is known.
    pub is_unread: bool,
    pub documents: u64,
    pub segments: u64,
    pub bytes: u64,
    /// When its first document was removed.
    pub oldest_ms: Option<i64>,
    /// When its last document was removed.
    pub newest_ms: Option<i64>,
    /// Documents in the trash that are moved to it.
    pub waiting: u64,
    /// A sentence on a file at the target that isn't part of it and can't be removed.
    pub left: Option<String>,
    /// Bytes that can't be read any more.
    pub unreadable: u64,
    /// Documents that were archived and are gone: their files were deleted or cut.
    pub missing: u64,
}

/// A target in words.
pub fn target_words(target: &str) -> &str {
    if target.is_empty() { "the data folder" } else { target }
}

/// The fields of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveDraft {
    pub namespace: Namespace,
    pub target: String,
    /// Largest size in MB; empty is none.
    pub size: String,
    /// Longest age in days; empty is none.
    pub days: String,
}

impl ArchiveDraft {
    /// Shows what was chosen before.
    pub fn new(namespace: Namespace, status: Option<&Status>) -> Self {
        let text = |number: Option<u64>, unit: u64| {
            number.map(|number| number.div_ceil(unit).to_string()).unwrap_or_default()
        };
        Self {
            namespace,
            target: status.map(|status| status.target.clone()).unwrap_or_default(),
            size: text(status.and_then(|status| status.max_bytes), MB),
            days: text(status.and_then(|status| status.max_age_secs), DAY_SECS),
        }
    }

    /// The largest size in bytes.
    ///
    /// # Errors
    /// When it isn't a number, as one sentence.
    pub fn max_bytes(&self) -> Result<Option<u64>, String> {
        whole(&self.size, MB, "MB")
    }

    /// The longest age in seconds.
    ///
    /// # Errors
    /// When it isn't a number, as one sentence.
    pub fn max_age_secs(&self) -> Result<Option<u64>, String> {
        whole(&self.days, DAY_SECS, "days")
    }

    /// The command that switches on with what was typed; `None` while something typed is wrong.
    pub fn command(&self) -> Option<Document> {
        let (max_bytes, max_age_secs) = (self.max_bytes().ok()?, self.max_age_secs().ok()?);
        let collection = &self.namespace.collection;
        Some(archive::turn_on(collection, self.target.trim(), max_bytes, max_age_secs))
    }
}

/// A whole number above 0 of a unit; empty is none.
fn whole(text: &str, unit: u64, word: &str) -> Result<Option<u64>, String> {
    match text.trim() {
        "" => Ok(None),
        text => match text.parse::<u64>().ok().filter(|number| *number > 0) {
            Some(number)
                if number.checked_mul(unit).is_some_and(|all| i64::try_from(all).is_ok()) =>
            {
                Ok(Some(number * unit))
            }
            _ => Err(format!(
                "{text} is not a valid number of {word}; enter an integer or leave it empty"
            )),
        },
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn draft(target: &str, size: &str, days: &str) -> ArchiveDraft {
        ArchiveDraft {
            target: target.to_owned(),
            size: size.to_owned(),
            days: days.to_owned(),
            ..ArchiveDraft::new(Namespace::new("shop", "carts"), None)
        }
    }

    #[test]
    fn what_is_typed_becomes_a_command() {
        let check = |draft: ArchiveDraft, expected: Option<Document>| {
            assert_eq!(draft.command(), expected);
        };
        check(draft("", "", ""), Some(doc! { "mayflyArchive": "carts" }));
        check(
            draft(" /mnt/old ", "500", " 30 "),
            Some(doc! {
                "mayflyArchive": "carts", "target": "/mnt/old",
                "maxBytes": 500_000_000_i64, "maxAgeSecs": 2_592_000_i64,
            }),
        );
        for bad in ["0", "-1", "1.5", "x", "18446744073709551615"] {
            check(draft("", bad, ""), None);
            check(draft("", "", bad), None);
        }
        let sentence = draft("", "x", "").max_bytes();
        assert_eq!(
            sentence,
            Err("x is not a valid number of MB; enter an integer or leave it empty".to_owned())
        );
    }

    #[test]
    fn the_fields_show_what_was_chosen_before() {
        let status = Status {
            target: "/a".to_owned(),
            max_bytes: Some(2_000_000),
            max_age_secs: Some(86_400),
            ..Status::default()
        };
        let draft = ArchiveDraft::new(Namespace::new("shop", "carts"), Some(&status));
        assert_eq!((&*draft.target, &*draft.size, &*draft.days), ("/a", "2", "1"));
    }
}
