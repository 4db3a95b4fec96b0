//! One row of the trash: a removed document and where it was.

use bson::{
    DateTime, RawDocumentBuf,
    raw::{RawBsonRef, RawDocument, cstr},
};

use super::trash_policy::Keeping;
use crate::{
    catalog::{CollectionMeta, Namespace},
    event::Finding,
    store::{CollectionId, RecordNumber, StoreError, StoredDocument},
};

/// The collection number of the trash. Collections are numbered from 1.
pub(in crate::collection) const TRASH: CollectionId = CollectionId(0);

/// A removed document, borrowed from its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrashRow<'t> {
    /// Later rows have higher numbers.
    pub number: u64,
    /// The collection it was in.
    pub collection: CollectionId,
    /// That collection's name at the time.
    pub namespace: &'t str,
    /// Whether it is a bucket of measurements, which only that collection can hold.
    pub is_bucket: bool,
    /// The index whose rule removed it.
    pub index: &'t str,
    /// The pass that removed it; 0 for an eviction by a write.
    pub pass: u64,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Its threshold, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// When it was removed, in milliseconds since 1970.
    pub removed_ms: i64,
    /// Until when it is kept, in milliseconds since 1970.
    pub until_ms: i64,
    /// The document.
    pub document: &'t RawDocument,
    /// The folder of the archive that it is moved to.
    pub archive: Option<&'t str>,
}

/// A row to be restored.
#[derive(Debug, Clone, PartialEq)]
pub struct RestorableRow {
    /// The row's number.
    pub number: u64,
    /// The collection that the document was in.
    pub collection: CollectionId,
    pub(super) is_bucket: bool,
    /// When it was removed, in milliseconds since 1970.
    pub removed_ms: i64,
    /// The document.
    pub document: RawDocumentBuf,
}

/// A row to be moved to an archive.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingRow {
    /// The row's number.
    pub number: u64,
    /// When it was removed, in milliseconds since 1970.
    pub removed_ms: i64,
    /// Until when it is kept in the trash, in milliseconds since 1970.
    pub until_ms: i64,
    /// Its collection's name at the time.
    pub namespace: String,
    /// The index whose rule removed it.
    pub index: String,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Its threshold, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// The document, byte for byte.
    pub document: RawDocumentBuf,
}

impl RestorableRow {
    /// A document of an archive, which keeps it. It has row number 0, as no row has.
    pub fn of_archive(collection: CollectionId, removed_ms: i64, document: RawDocumentBuf) -> Self {
        Self { number: 0, collection, is_bucket: false, removed_ms, document }
    }
}

impl<'t> TrashRow<'t> {
    /// The row to store for a document that the rule of `index` removes. `pass` is 0 for an
    /// eviction by a write.
    ///
    /// # Errors
    /// When the document is damaged.
    pub fn to_store(
        collection: &CollectionMeta,
        stored: &StoredDocument<'_>,
        (index, threshold_ms): (&str, i64),
        pass: u64,
        (removed_ms, keeping): (i64, Keeping<'_>),
    ) -> Result<RawDocumentBuf, StoreError> {
        let date = |ms| RawBsonRef::DateTime(DateTime::from_millis(ms));
        let mut row = RawDocumentBuf::new();
        row.append(cstr!("c"), i64::from(collection.id.0));
        row.append(cstr!("ns"), collection.namespace.to_string());
        row.append(cstr!("bucket"), collection.options.time_series.is_some());
        row.append(cstr!("index"), index);
        row.append(cstr!("pass"), i64::try_from(pass).unwrap_or(i64::MAX));
        row.append(cstr!("modified"), date(stored.modified_ms));
        row.append(cstr!("threshold"), date(threshold_ms));
        row.append(cstr!("removed"), date(removed_ms));
        row.append(cstr!("until"), date(removed_ms.saturating_add(keeping.ms)));
        row.append(cstr!("document"), RawBsonRef::Document(stored.document()?));
        // Last, because rows are read by position and older ones have none.
        if let Some(archive) = keeping.archive {
            row.append(cstr!("archive"), archive);
        }
        Ok(row)
    }

    /// An owned copy of what a restore needs.
    pub fn to_restorable(&self) -> RestorableRow {
        RestorableRow {
            number: self.number,
            collection: self.collection,
            is_bucket: self.is_bucket,
            removed_ms: self.removed_ms,
            document: self.document.to_owned(),
        }
    }

    /// An owned copy of what an archive keeps.
    pub(super) fn to_waiting(self) -> WaitingRow {
        WaitingRow {
            number: self.number,
            removed_ms: self.removed_ms,
            until_ms: self.until_ms,
            namespace: self.namespace.to_owned(),
            index: self.index.to_owned(),
            modified_ms: self.modified_ms,
            threshold_ms: self.threshold_ms,
            document: self.document.to_owned(),
        }
    }

    /// Reads a row; `None` when it is not a row of the trash.
    pub(super) fn read(stored: &StoredDocument<'t>) -> Option<Self> {
        let mut fields = RawDocument::from_bytes(stored.bytes).ok()?.iter();
        let mut next = || fields.next()?.ok().map(|(_, value)| value);
        let date = |value: RawBsonRef<'_>| Some(value.as_datetime()?.timestamp_millis());
        Some(Self {
            number: number_of(stored.record),
            collection: CollectionId(next()?.as_i64()?.try_into().ok()?),
            namespace: next()?.as_str()?,
            is_bucket: next()?.as_bool()?,
            index: next()?.as_str()?,
            pass: next()?.as_i64()?.try_into().ok()?,
            modified_ms: date(next()?)?,
            threshold_ms: date(next()?)?,
            removed_ms: date(next()?)?,
            until_ms: date(next()?)?,
            document: next()?.as_document()?,
            archive: next().and_then(RawBsonRef::as_str),
        })
    }
}

/// A finding about the trash, and about a collection if that is known.
pub(in crate::collection) fn finding(namespace: Option<Namespace>, sentence: &str) -> Finding {
    let unknown = || Namespace { db: "admin".to_owned(), collection: "trash".to_owned() };
    let sentence = format!("The trash: {sentence}");
    Finding { namespace: namespace.unwrap_or_else(unknown), index: None, record: None, sentence }
}

pub(super) fn not_a_row(record: RecordNumber) -> String {
    format!("row {record} is not a trash row")
}

pub(super) fn number_of(record: RecordNumber) -> u64 {
    // Rows are counted in 64 bits, so the conversion never saturates.
    u64::try_from(record).unwrap_or(u64::MAX)
}

/// The damage of one row, with its collection if that is known.
pub(super) fn wrong_row(stored: &StoredDocument<'_>) -> Option<(Option<Namespace>, String)> {
    let Some(row) = TrashRow::read(stored) else {
        return Some((None, format!("A row is damaged: {}.", not_a_row(stored.record))));
    };
    let error = crate::value::scan::check(row.document.as_bytes()).err()?;
    let sentence = format!("Row {} is not valid BSON: {error}.", row.number);
    Some((Namespace::parse(row.namespace).ok(), sentence))
}
