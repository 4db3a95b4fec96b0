//! The document versions that an archive holds.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::store::{RecordNumber, StoredDocument};

/// Archived document versions of one collection, by record number: last-written time and checksum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchivedVersions(HashMap<RecordNumber, (i64, u64)>);

impl ArchivedVersions {
    /// Whether exactly this version is archived.
    pub fn has(&self, stored: &StoredDocument<'_>) -> bool {
        self.0.get(&stored.record) == Some(&as_it_is(stored))
    }

    /// Adds a version; false if the record was known.
    pub fn note(&mut self, stored: &StoredDocument<'_>) -> bool {
        self.0.insert(stored.record, as_it_is(stored)).is_none()
    }
}

fn as_it_is(stored: &StoredDocument<'_>) -> (i64, u64) {
    (stored.modified_ms, xxh3_64(stored.bytes))
}
