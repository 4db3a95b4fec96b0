//! Which documents are safe in an archive, each as it was.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use crate::store::{RecordNumber, StoredDocument};

/// Documents of one collection that are safe in its archive, by record number: when each was last
/// written, and the checksum of its bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArchivedVersions(HashMap<RecordNumber, (i64, u64)>);

impl ArchivedVersions {
    /// Whether this document is safe just as it is.
    #[must_use]
    pub fn has(&self, stored: &StoredDocument<'_>) -> bool {
        self.0.get(&stored.record) == Some(&as_it_is(stored))
    }

    /// Takes note of a document. False when it was noted before.
    pub fn note(&mut self, stored: &StoredDocument<'_>) -> bool {
        self.0.insert(stored.record, as_it_is(stored)).is_none()
    }
}

fn as_it_is(stored: &StoredDocument<'_>) -> (i64, u64) {
    (stored.modified_ms, xxh3_64(stored.bytes))
}
