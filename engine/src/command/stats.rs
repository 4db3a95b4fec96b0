//! Sizes of collections: what `collStats`, `dbStats` and `$collStats` show.

use bson::{Bson, Document, doc};

use super::error::CommandError;
use crate::{catalog::CollectionMeta, store::Reader};

/// Sizes of one collection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    /// Documents.
    pub documents: u64,
    /// Bytes of BSON.
    pub bytes: u64,
    /// Indexes.
    pub indexes: u64,
    /// Bytes of the entries of all indexes.
    pub index_bytes: u64,
}

impl Sizes {
    /// The sizes of a collection.
    ///
    /// # Errors
    /// When a counter can't be read.
    pub fn of(reader: &Reader<'_>, collection: &CollectionMeta) -> Result<Self, CommandError> {
        let counters = reader.counters(collection.id.0)?;
        let mut sizes =
            Self { documents: counters.documents, bytes: counters.bytes, ..Self::default() };
        for index in &collection.indexes {
            sizes.indexes += 1;
            sizes.index_bytes += reader.counters(index.id.0)?.bytes;
        }
        Ok(sizes)
    }
}

/// The storage fields of `collStats`.
///
/// # Errors
/// When a counter can't be read.
pub fn storage_stats(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    scale: u64,
) -> Result<Document, CommandError> {
    let sizes = Sizes::of(reader, collection)?;
    let mut stats = doc! { "size": scaled(sizes.bytes, scale), "count": long(sizes.documents) };
    if let Some(average) = sizes.bytes.checked_div(sizes.documents) {
        stats.insert("avgObjSize", long(average));
    }
    stats.insert("storageSize", scaled(sizes.bytes, scale));
    stats.insert("capped", collection.options.capped.is_some());
    stats.insert("nindexes", long(sizes.indexes));
    stats.insert("scaleFactor", long(scale));
    stats.insert("totalIndexSize", scaled(sizes.index_bytes, scale));
    stats.insert("totalSize", scaled(sizes.bytes + sizes.index_bytes, scale));
    let (mut entries, mut bytes) = (Document::new(), Document::new());
    for index in &collection.indexes {
        let counters = reader.counters(index.id.0)?;
        entries.insert(&index.name, long(counters.entries));
        bytes.insert(&index.name, scaled(counters.bytes, scale));
    }
    stats.insert("indexSizes", bytes);
    stats.insert("mayfly", doc! { "indexEntries": entries });
    Ok(stats)
}

/// int32 where it fits, else int64.
#[must_use]
pub fn long(number: u64) -> Bson {
    super::count::shortest(number)
}

/// Divided by the client's scale.
#[must_use]
pub fn scaled(bytes: u64, scale: u64) -> Bson {
    long(bytes / scale.max(1))
}
