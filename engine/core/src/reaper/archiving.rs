//! Archives due documents before they are removed.
//!
//! The documents are archived durably before the removing transaction begins, so that no writer
//! waits for the archive's disk or network. The transaction then removes only the versions that
//! were archived.

use std::sync::Arc;

use super::{
    batch::{Allowance, BatchError},
    target::Target,
};
use crate::{
    archive::{Archived, ArchivedVersions, Archives},
    collection::{Collections, ExpiredDocument, WriteError},
    limits::ARCHIVE_BATCH_BYTES_MAX,
    store::{RecordNumber, StoreError},
};

/// Archives the due records if their collection has an archive. Returns the records that were
/// examined.
pub(super) fn keep<'r>(
    collections: &Collections,
    archives: &Archives,
    target: &Target,
    records: &'r [RecordNumber],
    allowance: Allowance<'_>,
) -> Result<(Option<Arc<ArchivedVersions>>, &'r [RecordNumber]), BatchError> {
    let Some(archive) = archives.active(target.collection.id) else { return Ok((None, records)) };
    let before = archive.last_archived();
    let mut kept = ArchivedVersions::default();
    let mut documents = Vec::new();
    let (mut bytes, mut looked_at) = (0_u64, 0);
    let bytes_max = allowance.bytes.min(ARCHIVE_BATCH_BYTES_MAX);
    collections.store().read(|reader| {
        for &record in records {
            if bytes >= bytes_max || documents.len() as u64 >= allowance.limits.docs {
                break;
            }
            // Counted before the skips: a record that is skipped is done, too.
            looked_at += 1;
            let stored = match reader.document(target.collection.id, record) {
                Ok(Some(stored)) => stored,
                // The removal reports it.
                Ok(None) | Err(StoreError::Damaged { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            let deadline = match target.due(&stored, allowance.now_ms) {
                Ok(Some(deadline)) => deadline,
                Ok(None) | Err(StoreError::Damaged { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            bytes += stored.bytes.len() as u64;
            // A document with several due dates appears more than once. A step that ran out of time
            // before the removal leaves archived documents; skip those too.
            if !kept.note(&stored) || before.has(&stored) {
                continue;
            }
            let threshold_ms = deadline.threshold_ms;
            let expired =
                ExpiredDocument::new(&target.collection, &stored, target.name(), threshold_ms)?;
            documents.push(Archived { removed_ms: allowance.now_ms, expired });
        }
        Ok::<_, WriteError>(())
    })?;
    let kept = archive.append(&**collections.clock(), &documents, kept)?;
    Ok((Some(kept), records.get(..looked_at).unwrap_or(records)))
}
