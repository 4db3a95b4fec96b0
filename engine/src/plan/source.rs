//! What the scans share: where documents are read from, what was looked at, and who takes them.

use bson::raw::RawDocument;

use super::{PlanError, PlanErrorKind};
use crate::{
    limits::SORT_BYTES_MAX,
    store::{CollectionId, Reader, RecordNumber, StoreError, Stored},
};

/// Where documents are read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScanSource {
    pub(super) collection: CollectionId,
    /// The records are buckets of measurements. Places take the part of record numbers then.
    pub(super) is_bucketed: bool,
    /// The index of the plan may have several entries of a document by now.
    pub(super) is_multikey: bool,
    /// Whether a damaged document, or index entry, is no reason to end.
    pub(super) leaves_out_damaged: bool,
}

impl ScanSource {
    /// A document that was read; `None`, and counted, for a damaged one that is left out.
    pub(super) fn whole<'t>(
        self,
        read: Result<Stored<'t>, StoreError>,
        stats: &mut Stats,
    ) -> Result<Option<(Stored<'t>, &'t RawDocument)>, StoreError> {
        let whole = self.sound(read.and_then(|stored| Ok((stored, stored.document()?))))?;
        stats.damaged += u64::from(whole.is_none());
        Ok(whole)
    }

    /// An entry that was read; `None` for a damaged one that is left out. Not counted yet.
    pub(super) fn sound<T>(self, read: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        if self.leaves_out_damaged { StoreError::unless_damaged(read) } else { read.map(Some) }
    }

    /// The document to which an entry leads; one that leads to none is damaged too.
    pub(super) fn behind_entry<'t>(
        self,
        reader: &Reader<'t>,
        record: RecordNumber,
        stats: &mut Stats,
    ) -> Result<Option<(Stored<'t>, &'t RawDocument)>, StoreError> {
        if let Some(read) = reader.document(self.collection, record).transpose() {
            return self.whole(read, stats);
        }
        stats.damaged += u64::from(self.leaves_out_damaged);
        Ok(None)
    }

    /// The document, or bucket of measurements, with this record number, in the same way.
    pub(super) fn document<'t>(
        self,
        reader: &Reader<'t>,
        record: RecordNumber,
        stats: &mut Stats,
    ) -> Result<Option<(Stored<'t>, &'t RawDocument)>, StoreError> {
        let found = reader.document(self.collection, record).transpose();
        found.map_or(Ok(None), |read| self.whole(read, stats))
    }
}

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Index entries.
    pub keys_examined: u64,
    /// Documents.
    pub docs_examined: u64,
    /// Documents that matched, those that were skipped included.
    pub matched: u64,
    /// Documents given out.
    pub returned: u64,
    /// Damaged documents, buckets of measurements or index entries that were left out.
    pub damaged: u64,
}

/// What the receiver of a document says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Taken; go on.
    Take,
    /// Taken; stop here for now.
    TakeAndStop,
    /// Not taken: it comes first the next time.
    LeaveAndStop,
}

pub(super) type Visit<'v, E> = &'v mut dyn FnMut(&Stored<'_>, &RawDocument) -> Result<Step, E>;

pub(super) fn too_large() -> PlanError {
    PlanError::new(
        PlanErrorKind::SortTooLarge,
        format!(
            "Sort exceeded memory limit of {SORT_BYTES_MAX} bytes; add an index in this order, or a \
             limit"
        ),
    )
}
