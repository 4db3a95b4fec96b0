//! The damaged documents of a collection, and what became of those that were removed.

use bson::Document;
use mayfly_engine::reply::{DamagedPage, DamagedRemoval, DamagedRow};

use crate::commands::documents;
use crate::state::sent::Sent;

/// The reply to a removal.
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
    /// The removal, and why it was refused.
    pub sent: Sent,
    /// The latest removal.
    pub removed: Option<Removed>,
}

impl Damaged {
    /// The command that removes what is listed.
    pub fn removal(&self, collection: &str) -> Document {
        let records = self.rows.iter().flatten().map(|row| row.record.as_str());
        documents::remove_damaged(collection, records)
    }

    /// Adds the damaged documents that the store lists.
    pub fn take(&mut self, found: &Document) {
        let DamagedPage { batch, next } = DamagedPage::from_document(found).unwrap_or_default();
        self.rows = Some(batch);
        self.has_more = next.is_some();
    }
}

impl Removed {
    /// Reads the store's reply to a removal.
    pub fn read(found: &Document) -> Self {
        let found = DamagedRemoval::from_document(found).unwrap_or_default();
        Self { count: found.removed, file: found.files.into_iter().next() }
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, doc};

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
