//! `dropIndexes`.

use std::sync::Arc;

use bson::Document;

use crate::catalog::{CatalogError, CollectionMeta, IndexMeta};

/// Which indexes to drop.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexSelector {
    /// `"*"`: all except `_id_`.
    All,
    /// By name; all or none.
    Names(Vec<String>),
    /// By key pattern.
    Key(Document),
}

/// The counts for the reply of `dropIndexes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropIndexesOutcome {
    /// Indexes before, including `_id_`.
    pub indexes_before: i32,
}

/// The indexes to drop.
///
/// # Errors
/// `IndexNotFound`, `AmbiguousIndexKeyPattern`, `InvalidOptions` for `_id_`.
pub fn plan(
    collection: &CollectionMeta,
    selector: &IndexSelector,
) -> Result<Vec<Arc<IndexMeta>>, CatalogError> {
    if collection.is_view() {
        return Err(refused!(
            CommandNotSupportedOnView,
            "{} is a view, which has no indexes",
            collection.namespace
        ));
    }
    match selector {
        IndexSelector::All => {
            Ok(collection.indexes.iter().filter(|index| !index.is_id()).cloned().collect())
        }
        IndexSelector::Names(names) => {
            let mut chosen: Vec<Arc<IndexMeta>> = Vec::new();
            for name in names {
                let index = droppable(collection.index(name).ok_or_else(|| not_found(name))?)?;
                if chosen.iter().any(|other| other.id == index.id) {
                    return Err(not_found(name));
                }
                chosen.push(index);
            }
            Ok(chosen)
        }
        IndexSelector::Key(key) => Ok(vec![droppable(by_key(collection, key)?)?]),
    }
}

/// The one index with this key pattern.
///
/// # Errors
/// `IndexNotFound` or `AmbiguousIndexKeyPattern`.
pub(super) fn by_key<'c>(
    collection: &'c CollectionMeta,
    key: &Document,
) -> Result<&'c Arc<IndexMeta>, CatalogError> {
    let mut found = collection.indexes.iter().filter(|index| index.key.same_pattern(key));
    let unknown = || refused!(IndexNotFound, "can't find index with key: {key}");
    let first = found.next().ok_or_else(unknown)?;
    match found.next() {
        None => Ok(first),
        Some(second) => Err(refused!(
            AmbiguousIndexKeyPattern,
            "several indexes have the key {key}: {} and {}; name one of them",
            first.name,
            second.name
        )),
    }
}

fn not_found(index: &str) -> CatalogError {
    refused!(IndexNotFound, "index not found with name [{index}]")
}

fn droppable(index: &Arc<IndexMeta>) -> Result<Arc<IndexMeta>, CatalogError> {
    if index.clustered {
        Err(refused!(
            ClusteredIndexDrop,
            "the clustered index can't be dropped; drop the collection instead"
        ))
    } else if index.is_id() {
        Err(refused!(InvalidOptions, "cannot drop _id index"))
    } else {
        Ok(Arc::clone(index))
    }
}
