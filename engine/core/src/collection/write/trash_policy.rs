//! How removed documents are kept.

use std::{collections::BTreeMap, sync::Arc};

use crate::store::CollectionId;

/// How removed documents are kept. Each transaction works with one policy from begin to end.
#[derive(Debug, Clone, Default)]
pub struct TrashPolicy {
    /// Milliseconds that removed documents stay in the trash; `None` keeps none, except for an archive.
    pub keep_ms: Option<i64>,
    /// The least for documents that a write evicts, in milliseconds; `None` without one.
    pub evicted_ms_min: Option<i64>,
    /// The folders of the archives that are on.
    pub archives: BTreeMap<CollectionId, Arc<str>>,
}

/// How the removed documents of one collection are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keeping<'p> {
    /// Milliseconds in the trash.
    pub ms: i64,
    /// The folder of the archive that they are moved to afterwards.
    pub archive: Option<&'p str>,
}

impl TrashPolicy {
    /// How a removed document of this collection is kept; `None` if it is not.
    pub fn of(&self, collection: CollectionId) -> Option<Keeping<'_>> {
        let archive = self.archives.get(&collection).map(|folder| &**folder);
        // With an archive there is always a row: only the drain writes to the archive.
        let ms = self.keep_ms.or(archive.map(|_| 0))?;
        Some(Keeping { ms, archive })
    }

    /// The same for a document that a write evicts.
    pub fn of_evicted(&self, collection: CollectionId) -> Option<Keeping<'_>> {
        let Some(least) = self.evicted_ms_min else { return self.of(collection) };
        let keeping = self.of(collection).unwrap_or(Keeping { ms: 0, archive: None });
        Some(Keeping { ms: keeping.ms.max(least), ..keeping })
    }
}
