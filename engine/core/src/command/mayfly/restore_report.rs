//! The counts in the replies of restores.

use bson::{Bson, Document, RawDocumentBuf, doc, raw::RawBsonRef};

use crate::{
    catalog::CollectionMeta,
    collection::WriteError,
    command::core::{CommandError, long},
    plan::document_with_id,
    reaper::Target,
    store::{Reader, StoreError, StoredDocument},
    value::{Direction, key},
};

/// `_id`s and reasons of one kind that a reply lists; the counts are whole.
const LISTED_MAX: usize = 1_000;

/// Equal for `_id`s that are duplicates in a collection.
pub fn id_key(id: Option<RawBsonRef<'_>>) -> Vec<u8> {
    key::encode(id, Direction::Ascending).bytes
}

/// How many documents were restored, existed or were refused.
#[derive(Debug, Clone, Default)]
pub struct RestoreCounts {
    pub restored: u64,
    pub existing: CappedList,
    pub refused: CappedList,
    /// Rows that another command or the drain took out of the trash during this one.
    pub gone: u64,
}

/// How many, and the first of them.
#[derive(Debug, Clone, Default)]
pub struct CappedList {
    pub count: u64,
    pub first: Vec<Bson>,
}

impl CappedList {
    pub fn add(&mut self, entry: Bson) {
        self.count += 1;
        if self.first.len() < LISTED_MAX {
            self.first.push(entry);
        }
    }
}

impl RestoreCounts {
    /// Whether another document, also an overdue one, has this `_id`; then that is recorded. A
    /// damaged one counts as refused, not as existing: the restore may be meant to replace it.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn note_if_taken(
        &mut self,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        id: RawBsonRef<'_>,
    ) -> Result<bool, StoreError> {
        let named = || Bson::try_from(id).unwrap_or(Bson::Null);
        match document_with_id(reader, collection, id) {
            Ok(None) => return Ok(false),
            Ok(Some(_)) => self.existing.add(named()),
            Err(StoreError::Damaged { what }) => self.refused.add(refusal(named(), &what)),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Records the outcome of a write; returns whether it stored the document.
    ///
    /// # Errors
    /// When the store failed or the operation had to end.
    pub fn note<T>(
        &mut self,
        written: Result<T, WriteError>,
        collection: &CollectionMeta,
        id: Bson,
    ) -> Result<bool, WriteError> {
        match written {
            Ok(_) => {
                self.restored += 1;
                return Ok(true);
            }
            Err(WriteError::DuplicateKey(duplicate))
                if collection.id_index().is_some_and(|index| index.name == duplicate.index) =>
            {
                self.existing.add(id);
            }
            Err(error @ (WriteError::Store(_) | WriteError::Ended(_))) => return Err(error),
            Err(error) => self.refused.add(refusal(id, &CommandError::from(error).message)),
        }
        Ok(false)
    }

    pub fn into_document(self) -> Document {
        doc! {
            "restored": long(self.restored),
            "existing": long(self.existing.count),
            "existingIds": self.existing.first,
            "refused": long(self.refused.count),
            "refusals": self.refused.first,
        }
    }
}

pub fn refusal(id: Bson, message: &str) -> Bson {
    Bson::Document(doc! { "_id": id, "errmsg": message })
}

/// Whether a rule would remove the document as soon as it is stored.
pub fn is_due(
    target: &Target,
    document: &RawDocumentBuf,
    now_ms: i64,
) -> Result<bool, CommandError> {
    let stored = StoredDocument { record: 0, modified_ms: now_ms, bytes: document.as_bytes() };
    Ok(target.due(&stored, now_ms)?.is_some())
}
