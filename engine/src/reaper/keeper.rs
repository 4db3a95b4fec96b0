//! The reaper keeps what a write removes in its stead: documents that are past their threshold, not
//! yet removed, and in the way.

use std::sync::atomic::Ordering;

use super::handle::Reaper;
use crate::{
    archive::Archived,
    collection::{Displaced, Keeper},
    limits::TRASH_SECS_MAX,
    store::CollectionId,
};

impl Keeper for Reaper {
    fn archives(&self, collection: CollectionId) -> bool {
        self.archives().active(collection).is_some()
    }

    fn archive(&self, documents: &[Displaced]) -> Result<(), String> {
        let removed_ms = self.clock().now_ms();
        for of_one in documents.chunk_by(|a, b| a.collection == b.collection) {
            let archive = of_one.first().and_then(|first| self.archives().active(first.collection));
            // One that was switched off meanwhile wants nothing.
            let Some(archive) = archive else { continue };
            let archived = |displaced: &Displaced| Archived {
                namespace: displaced.namespace.clone(),
                record: displaced.record,
                modified_ms: displaced.modified_ms,
                removed_ms,
                threshold_ms: displaced.threshold_ms,
                index: displaced.index.clone(),
                document: displaced.document.clone(),
            };
            let archived: Vec<Archived> = of_one.iter().map(archived).collect();
            let kept = archive.keep_more(self.clock(), &archived);
            kept.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn undo_ms(&self) -> Option<i64> {
        // A clock that is wrong hides documents which nobody meant to lose.
        let least = self.clock_held.load(Ordering::Relaxed).then_some(TRASH_SECS_MAX * 1_000);
        self.parameters().undo_ms().max(least)
    }
}
