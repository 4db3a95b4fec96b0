//! Sizes of collections: what `collStats`, `dbStats` and `$collStats` show.

use std::sync::Arc;

use bson::{Bson, Document, doc};

use super::{CommandError, shortest};
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState},
    store::Reader,
};

/// Sizes of one collection.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    pub documents: u64,
    pub bytes: u64,
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
        for index in collection.shown_indexes() {
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
    let mut stats = doc! { "size": scaled(sizes.bytes, scale), "count": shortest(sizes.documents) };
    if let Some(average) = sizes.bytes.checked_div(sizes.documents) {
        stats.insert("avgObjSize", shortest(average));
    }
    stats.insert("numOrphanDocs", 0);
    stats.insert("storageSize", scaled(sizes.bytes, scale));
    stats.insert("freeStorageSize", 0);
    stats.insert("capped", collection.options.capped.is_some());
    if let Some(capped) = &collection.options.capped {
        let bound = |bound: Option<i64>| bound.and_then(|bound| u64::try_from(bound).ok());
        stats.insert("max", shortest(bound(capped.docs_max).unwrap_or(0)));
        stats.insert("maxSize", scaled(bound(capped.size_bytes).unwrap_or(0), scale));
    }
    let building = |index: &&Arc<IndexMeta>| index.state == IndexState::Building;
    let builds: Vec<&str> =
        collection.indexes.iter().filter(building).map(|index| index.name.as_str()).collect();
    stats.insert("nindexes", shortest(sizes.indexes));
    stats.insert("indexDetails", doc! {});
    stats.insert("indexBuilds", builds);
    stats.insert("totalIndexSize", scaled(sizes.index_bytes, scale));
    stats.insert("totalSize", scaled(sizes.bytes + sizes.index_bytes, scale));
    let documents = reader.counters(collection.id.0)?.documents;
    let (mut entries, mut bytes) = (Document::new(), Document::new());
    for index in collection.shown_indexes() {
        let counters = reader.counters(index.id.0)?;
        entries.insert(&index.name, shortest(index.keys(counters.entries, documents)));
        bytes.insert(&index.name, scaled(counters.bytes, scale));
    }
    stats.insert("indexSizes", bytes);
    stats.insert("scaleFactor", shortest(scale));
    stats.insert("mayfly", doc! { "indexEntries": entries });
    Ok(stats)
}

/// Divided by the client's scale.
pub fn scaled(bytes: u64, scale: u64) -> Bson {
    shortest(bytes / scale.max(1))
}
