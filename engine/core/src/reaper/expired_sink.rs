//! Overdue documents that a write evicts go to the archive and the trash, as if the reaper had
//! removed them.

use std::sync::atomic::Ordering;

use super::handle::Reaper;
use crate::{
    archive::Archived,
    collection::{EvictedDocument, ExpiredSink},
    limits::{ARCHIVE_BATCH_BYTES_MAX, BULK_DOCS_MAX, TRASH_SECS_MAX},
    store::CollectionId,
};

impl ExpiredSink for Reaper {
    fn archives(&self, collection: CollectionId) -> bool {
        self.archives().active(collection).is_some()
    }

    fn archive(&self, documents: &[EvictedDocument]) -> Result<(), String> {
        let removed_ms = self.clock().now_ms();
        for of_one in documents.chunk_by(|a, b| a.collection == b.collection) {
            let archive = of_one.first().and_then(|first| self.archives().active(first.collection));
            // Turned off since the write began: nothing to archive.
            let Some(archive) = archive else { continue };
            for batch in batches(of_one) {
                let expired = batch.iter().map(|evicted| evicted.expired.clone());
                let archived: Vec<Archived> =
                    expired.map(|expired| Archived { removed_ms, expired }).collect();
                let kept = archive.append_more(self.clock(), &archived);
                kept.map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    fn trash_ms(&self) -> Option<i64> {
        // A wrong clock hides documents that are still wanted, so the trash keeps them longest.
        let least = self.clock_held.load(Ordering::Relaxed).then_some(TRASH_SECS_MAX * 1_000);
        self.parameters().trash_ms().max(least)
    }
}

/// Splits documents into batches no larger than the reaper's own.
fn batches(documents: &[EvictedDocument]) -> impl Iterator<Item = &[EvictedDocument]> {
    let (mut bytes, mut docs) = (0_u64, 0);
    documents.split_inclusive(move |evicted| {
        bytes += evicted.expired.document.as_bytes().len() as u64;
        docs += 1;
        let is_full = bytes >= ARCHIVE_BATCH_BYTES_MAX || docs >= BULK_DOCS_MAX;
        if is_full {
            (bytes, docs) = (0, 0);
        }
        is_full
    })
}
