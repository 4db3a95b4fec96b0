//! What stands between finding documents that are due and removing them: their archive.
//!
//! The documents are read, archived and made durable before the transaction that removes them begins,
//! so that no writer waits for the archive's disk or network. The transaction then removes only those
//! that are still what was archived.

use std::sync::Arc;

use super::{
    batch::{Allowance, BatchError},
    target::Target,
};
use crate::{
    archive::{Archived, ArchivedVersions, Archives},
    collection::{Collections, WriteError},
    limits::ARCHIVE_BATCH_BYTES_MAX,
    store::{RecordNumber, StoreError},
};

/// Archives those of the records that are due, if their collection has an archive. Hands back which of
/// the records were looked at.
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
            // A document with several due dates comes more than once. One that is in the archive from
            // the step before, which ran out of time before it removed it, need not go there again.
            if !kept.note(&stored) || before.has(&stored) {
                continue;
            }
            documents.push(Archived {
                namespace: target.collection.namespace.clone(),
                record,
                modified_ms: stored.modified_ms,
                removed_ms: allowance.now_ms,
                threshold_ms: deadline.threshold_ms,
                index: target.name().to_owned(),
                document: stored.document()?.to_owned(),
            });
        }
        Ok::<_, WriteError>(())
    })?;
    let kept = archive.append(&**collections.clock(), &documents, kept)?;
    Ok((Some(kept), records.get(..looked_at).unwrap_or(records)))
}
