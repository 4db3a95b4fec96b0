//! The parts that the scans share: the collection they read, their statistics, and their visitor.

use bson::raw::RawDocument;

use super::{PlanError, PlanErrorKind};
use crate::{
    limits::{RUNNING_BYTES_MAX, SORT_BYTES_MAX},
    store::{CollectionId, Reader, RecordNumber, StoreError, StoredDocument},
};

/// The collection that a scan reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanSource {
    pub(super) collection: CollectionId,
    /// Records are buckets. Positions of measurements are used in place of record numbers.
    pub(super) is_bucketed: bool,
    /// The index may have several entries for one document by now.
    pub(super) is_multikey: bool,
    /// Whether damaged documents and index entries are skipped instead of ending the scan.
    pub(super) leaves_out_damaged: bool,
}

impl ScanSource {
    /// A document that was read; `None`, and counted, for a damaged one that is skipped.
    pub(super) fn whole<'t>(
        self,
        read: Result<StoredDocument<'t>, StoreError>,
        stats: &mut Stats,
    ) -> Result<Option<(StoredDocument<'t>, &'t RawDocument)>, StoreError> {
        let whole = self.sound(read.and_then(|stored| Ok((stored, stored.document()?))))?;
        stats.damaged += u64::from(whole.is_none());
        Ok(whole)
    }

    /// An entry that was read; `None` for a damaged one that is skipped. The caller counts it.
    pub(super) fn sound<T>(self, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        if self.leaves_out_damaged { StoreError::unless_damaged(read) } else { read.map(Some) }
    }

    /// The document that an entry points to. An entry without a document counts as damaged.
    pub(super) fn behind_entry<'t>(
        self,
        reader: &Reader<'t>,
        record: RecordNumber,
        stats: &mut Stats,
    ) -> Result<Option<(StoredDocument<'t>, &'t RawDocument)>, StoreError> {
        if let Some(read) = reader.document(self.collection, record).transpose() {
            return self.whole(read, stats);
        }
        stats.damaged += u64::from(self.leaves_out_damaged);
        Ok(None)
    }

    /// The document or bucket with this record number; `None` when it does not exist or is skipped.
    pub(super) fn document<'t>(
        self,
        reader: &Reader<'t>,
        record: RecordNumber,
        stats: &mut Stats,
    ) -> Result<Option<(StoredDocument<'t>, &'t RawDocument)>, StoreError> {
        let found = reader.document(self.collection, record).transpose();
        found.map_or(Ok(None), |read| self.whole(read, stats))
    }
}

/// The counts of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    pub keys_examined: u64,
    pub docs_examined: u64,
    pub matched: u64,
    pub returned: u64,
    /// Damaged documents, buckets or index entries that were skipped.
    pub damaged: u64,
}

/// The visitor's reply to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Taken; continue.
    Take,
    /// Taken; stop here for now.
    TakeAndStop,
    /// Not taken; it comes first the next time.
    LeaveAndStop,
}

pub(super) type Visit<'v, E> =
    &'v mut dyn FnMut(&StoredDocument<'_>, &RawDocument) -> Result<Step, E>;

/// Visits a document and, if it is taken, moves to its position. False when the scan stops.
pub(super) fn visit_at<E>(
    stored: &StoredDocument<'_>,
    document: &RawDocument,
    after: &mut Option<RecordNumber>,
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    stats.docs_examined += 1;
    let step = visit(stored, document)?;
    if step != Step::LeaveAndStop {
        *after = Some(stored.record);
    }
    Ok(step == Step::Take)
}

pub(super) fn memory_full() -> PlanError {
    PlanError::new(
        PlanErrorKind::SortTooLarge,
        format!(
            "Sort exceeded memory limit: all running commands together would hold more than \
             {RUNNING_BYTES_MAX} bytes; try again when others have ended"
        ),
    )
}

pub(super) fn too_large() -> PlanError {
    PlanError::new(
        PlanErrorKind::SortTooLarge,
        format!(
            "Sort exceeded memory limit of {SORT_BYTES_MAX} bytes; add an index in this order, or a \
             limit"
        ),
    )
}
