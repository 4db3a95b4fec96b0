//! The archive of a collection: its expired documents, and restoring them.

use std::collections::BTreeSet;

use bson::{Bson, Document};

use super::Namespace;
use super::documents::change::is_same;
use crate::commands::archive;

/// Bytes in an entered MB.
const MB: u64 = 1_000_000;

const DAY_SECS: u64 = 86_400;

/// The store's report on an archive.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    pub on: bool,
    /// Its folder; empty is the data folder.
    pub target: String,
    pub max_bytes: Option<u64>,
    /// Longest age in seconds.
    pub max_age_secs: Option<u64>,
    /// Why it can't be written or read.
    pub problem: Option<String>,
    pub documents: u64,
    pub segments: u64,
    pub bytes: u64,
    /// When its first document was removed.
    pub oldest_ms: Option<i64>,
    /// When its last document was removed.
    pub newest_ms: Option<i64>,
    /// Documents in the trash that are moved to it.
    pub waiting: u64,
    /// Bytes that can't be read any more.
    pub unreadable: u64,
    /// Documents that were archived and are gone: their files were deleted or cut.
    pub missing: u64,
}

/// One archived document.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its `_id`.
    pub id: Bson,
    pub removed_ms: i64,
    pub index: String,
    pub document: Document,
    /// No earlier row has its `_id`: this version can be restored.
    pub is_newest: bool,
}

/// The archive that the dialog shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Archive {
    pub namespace: Option<Namespace>,
    /// `None` if it never had one.
    pub status: Option<Status>,
    pub is_known: bool,
    /// Whether a change has no answer yet.
    pub is_waiting: bool,
    pub error: Option<String>,
    /// Documents, what was removed last first.
    pub rows: Vec<Row>,
    pub next: Option<Document>,
    /// The start of the requested page, or `None` for the first one.
    pub asked: Option<Document>,
    pub filter: Option<Document>,
    pub chosen: BTreeSet<usize>,
    pub shown: Option<usize>,
    /// The result of the last restore, and whether any document was restored.
    pub result: Option<(bool, String)>,
}

/// The fields of the dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveDraft {
    pub namespace: Namespace,
    /// Whether the settings are shown, and not the documents.
    pub settings: bool,
    pub target: String,
    /// Largest size in MB; empty is none.
    pub size: String,
    /// Longest age in days; empty is none.
    pub days: String,
    pub filter: String,
    /// Whether the fields have been filled from what the store says.
    pub is_filled: bool,
}

impl ArchiveDraft {
    /// Nothing is known yet.
    pub fn new(namespace: Namespace) -> Self {
        let empty = String::new;
        Self {
            namespace,
            settings: false,
            target: empty(),
            size: empty(),
            days: empty(),
            filter: empty(),
            is_filled: false,
        }
    }

    /// Shows what was chosen before. Only once: what is typed stays.
    pub fn fill(&mut self, status: Option<&Status>) {
        if std::mem::replace(&mut self.is_filled, true) {
            return;
        }
        let Some(status) = status else { return };
        let text = |number: Option<u64>| number.map(|number| number.to_string());
        self.target.clone_from(&status.target);
        self.size = text(status.max_bytes.map(|bytes| bytes.div_ceil(MB))).unwrap_or_default();
        self.days =
            text(status.max_age_secs.map(|secs| secs.div_ceil(DAY_SECS))).unwrap_or_default();
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

impl Archive {
    /// Appends documents to the list.
    pub fn add(&mut self, rows: impl IntoIterator<Item = (Bson, i64, String, Document)>) {
        for (id, removed_ms, index, document) in rows {
            let is_newest = !self.rows.iter().any(|row| row.id == id);
            self.rows.push(Row { id, removed_ms, index, document, is_newest });
        }
    }

    /// Lists nothing any more.
    pub fn clear_rows(&mut self) {
        self.rows.clear();
        (self.next, self.asked) = (None, None);
        self.chosen.clear();
        self.shown = None;
    }

    /// The command that restores the chosen documents, and the database it is sent to.
    pub fn restore_command(&self) -> Option<(String, Document)> {
        let ids = self.chosen_ids();
        let of = self.namespace.as_ref().filter(|_| !ids.is_empty())?;
        Some((of.db.clone(), archive::restore(&of.collection, ids, self.filter.as_ref())))
    }

    /// Whether documents are listed by this filter. To the byte: a NaN in it is not equal to
    /// itself.
    pub fn is_listed_by(&self, filter: Option<&Document>) -> bool {
        match (&self.filter, filter) {
            (None, None) => true,
            (Some(listed), Some(filter)) => is_same(listed, filter),
            _ => false,
        }
    }

    /// The `_id`s of the chosen rows.
    pub fn chosen_ids(&self) -> Vec<Bson> {
        self.chosen.iter().filter_map(|at| self.rows.get(*at)).map(|row| row.id.clone()).collect()
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
            ..ArchiveDraft::new(Namespace::new("shop", "carts"))
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
    fn the_fields_are_filled_once() {
        let status = Status {
            target: "/a".to_owned(),
            max_bytes: Some(2_000_000),
            max_age_secs: Some(86_400),
            ..Status::default()
        };
        let mut draft = draft("", "", "");
        draft.fill(Some(&status));
        assert_eq!((&*draft.target, &*draft.size, &*draft.days), ("/a", "2", "1"));
        draft.size.clear();
        draft.fill(Some(&status));
        assert_eq!(draft.size, "", "what a person typed stays");
    }

    #[test]
    fn of_each_id_the_first_row_is_the_newest() {
        let mut archive = Archive::default();
        let row = |id: i32| (Bson::Int32(id), 0, String::new(), Document::new());
        archive.add([row(1), row(2), row(1)]);
        archive.add([row(2), row(3)]);
        let newest: Vec<bool> = archive.rows.iter().map(|row| row.is_newest).collect();
        assert_eq!(newest, [true, true, false, false, true]);
        archive.chosen.extend([0, 4, 9]);
        assert_eq!(archive.chosen_ids(), [Bson::Int32(1), Bson::Int32(3)]);
    }

    #[test]
    fn what_is_restored_is_picked_from_what_is_listed() {
        let mut archive = Archive {
            namespace: Some(Namespace::new("shop", "carts")),
            filter: Some(doc! { "user": "bob" }),
            ..Archive::default()
        };
        archive.add([(Bson::Int32(1), 0, String::new(), doc! { "_id": 1, "user": "bob" })]);
        assert_eq!(archive.restore_command(), None, "nothing is chosen");
        archive.chosen.insert(0);
        let expected =
            doc! { "mayflyRestoreArchived": "carts", "ids": [1], "filter": { "user": "bob" } };
        assert_eq!(archive.restore_command(), Some(("shop".to_owned(), expected)));
    }

    #[test]
    fn a_filter_is_itself() {
        let check = |one: Option<Document>, other: Option<Document>, expected: bool| {
            let archive = Archive { filter: one, ..Archive::default() };
            assert_eq!(archive.is_listed_by(other.as_ref()), expected, "{other:?}");
        };
        let nan = || Some(doc! { "a": f64::NAN });
        check(nan(), nan(), true);
        check(None, None, true);
        check(None, nan(), false);
        check(nan(), None, false);
        check(Some(doc! { "a": 1 }), Some(doc! { "a": 1_i64 }), false);
    }
}
