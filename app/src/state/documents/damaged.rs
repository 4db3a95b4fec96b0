//! The damaged documents of a collection, and what became of those that were removed.

use bson::{Bson, Document, doc};

use crate::state::dialogs::Sent;

/// A damaged document.
#[derive(Debug, Clone, PartialEq)]
pub struct DamagedRow {
    /// Its record number, as the store writes it.
    pub record: String,
    /// Its `_id`, if the store knows it without the document.
    pub id: Option<Bson>,
    /// What is wrong.
    pub error: String,
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// How many documents.
    pub count: u64,
    /// Where the bytes of the first one are kept.
    pub file: Option<String>,
}

/// The dialog about them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Damaged {
    /// Those that are listed; `None` until the store has answered.
    pub rows: Option<Vec<DamagedRow>>,
    /// Whether the store has not looked at the rest of the collection yet.
    pub has_more: bool,
    /// What was sent to remove them, and why it was refused.
    pub sent: Sent,
    /// What was removed last.
    pub removed: Option<Removed>,
}

/// The command that lists them.
#[must_use]
pub fn list(collection: &str) -> Document {
    doc! { "mayflyDamaged": collection }
}

impl Damaged {
    /// The command that removes what is listed.
    #[must_use]
    pub fn removal(&self, collection: &str) -> Document {
        let records = self.rows.iter().flatten().map(|row| Bson::from(row.record.as_str()));
        doc! { "mayflyDamaged": collection, "remove": records.collect::<Vec<_>>() }
    }

    /// Takes over what the store lists.
    pub fn take(&mut self, found: &Document) {
        let batch = found.get_array("batch").map(Vec::as_slice).unwrap_or_default();
        let row = |row: &Document| DamagedRow {
            record: row.get_str("record").unwrap_or_default().to_owned(),
            id: row.get("_id").filter(|id| **id != Bson::Null).cloned(),
            error: row.get_str("error").unwrap_or_default().to_owned(),
        };
        self.rows = Some(batch.iter().filter_map(Bson::as_document).map(row).collect());
        self.has_more = found.get_str("next").is_ok();
    }
}

impl Removed {
    /// What the store said about a removal.
    #[must_use]
    pub fn read(found: &Document) -> Self {
        let files = found.get_array("files").map(Vec::as_slice).unwrap_or_default();
        let file = files.first().and_then(Bson::as_str).map(ToOwned::to_owned);
        let count = found.get_i64("removed").ok().and_then(|count| u64::try_from(count).ok());
        Self { count: count.unwrap_or(0), file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_listed_is_removed() {
        let mut damaged = Damaged::default();
        assert_eq!(damaged.rows, None);
        damaged.take(&doc! {
            "batch": [
                { "record": "7", "_id": "a", "error": "does not match" },
                { "record": "340282366920938463463374607431768211455", "_id": null, "error": "is cut" },
            ],
            "next": "9",
        });
        let rows = damaged.rows.as_deref().expect("rows");
        assert_eq!(rows[0].id, Some(Bson::from("a")));
        assert_eq!((rows[1].id.as_ref(), rows[1].error.as_str()), (None, "is cut"));
        assert!(damaged.has_more);
        let records = ["7", "340282366920938463463374607431768211455"];
        assert_eq!(damaged.removal("c"), doc! { "mayflyDamaged": "c", "remove": records });
        damaged.take(&doc! { "batch": [], "next": null });
        assert_eq!((damaged.rows.as_deref(), damaged.has_more), (Some(&[][..]), false));
    }

    #[test]
    fn a_removal_says_where_the_bytes_are() {
        let removed = Removed::read(&doc! { "removed": 2_i64, "files": ["/x/a", "/x/b"] });
        assert_eq!(removed, Removed { count: 2, file: Some("/x/a".to_owned()) });
    }
}
