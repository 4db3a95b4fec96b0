//! `createIndexes`.

use std::sync::Arc;

use bson::Document;

use super::{conflict, index_spec, index_spec::ParsedIndex, time_series};
use crate::{
    catalog::{CatalogError, CollectionMeta, Dialect, IndexMeta, Namespace},
    limits::INDEXES_PER_COLLECTION_MAX,
};

/// Indexes to create.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndexesRequest {
    /// The collection; created if it does not exist.
    pub namespace: Namespace,
    /// The specifications as given.
    pub indexes: Vec<Document>,
    /// Ignore unknown options of a specification instead of refusing them.
    pub ignore_unknown_options: bool,
}

/// The counts for the reply of `createIndexes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreateIndexesOutcome {
    /// Indexes before, including `_id_`.
    pub indexes_before: i32,
    /// Indexes after, including `_id_`.
    pub indexes_after: i32,
    /// Whether the collection was created; `None` when every index existed.
    pub created_collection: Option<bool>,
    /// MongoDB's note when some or all indexes existed.
    pub note: Option<&'static str>,
}

/// The requested indexes, in order of the request.
#[derive(Debug, Clone, Default)]
pub struct CreateIndexesPlan {
    /// New ones, without numbers yet.
    pub new: Vec<IndexMeta>,
    /// Existing ones, ready or building.
    pub existing: Vec<Arc<IndexMeta>>,
}

/// Which of the indexes are new. `collection` is the current definition, or the one that would be
/// created.
///
/// # Errors
/// When a specification is invalid, or conflicts with an existing index.
pub fn plan(
    request: &CreateIndexesRequest,
    collection: &CollectionMeta,
    dialect: Dialect,
) -> Result<CreateIndexesPlan, CatalogError> {
    if collection.is_view() {
        return Err(refused!(
            CommandNotSupportedOnView,
            "{} is a view, which has no indexes; name the collection under it",
            request.namespace
        ));
    }
    if request.indexes.is_empty() {
        return Err(refused!(BadValue, "the list of indexes is empty; name at least one"));
    }
    let mut known = collection.indexes.clone();
    let inherited = collection.options.collation.as_ref();
    let mut plan = CreateIndexesPlan::default();
    for spec in &request.indexes {
        let parsed = index_spec::parse(spec, dialect, inherited, request.ignore_unknown_options)?;
        if collection.options.time_series.is_some() {
            time_series::check_not_id(&parsed.meta)?;
        }
        if let Some(same) = conflict::existing(&parsed.meta, &known)? {
            // An index that the request repeats is new once.
            if collection.indexes.iter().any(|index| Arc::ptr_eq(index, same)) {
                plan.existing.push(Arc::clone(same));
            }
            continue;
        }
        check_new(&parsed, collection)?;
        if known.len() >= INDEXES_PER_COLLECTION_MAX {
            return Err(refused!(
                CannotCreateIndex,
                "{} would have more than {INDEXES_PER_COLLECTION_MAX} indexes; drop one first",
                request.namespace
            ));
        }
        let mut meta = parsed.meta;
        if let Some(options) = &collection.options.time_series {
            meta.form = time_series::form(&meta, options);
        }
        known.push(Arc::new(meta.clone()));
        plan.new.push(meta);
    }
    Ok(plan)
}

fn check_new(parsed: &ParsedIndex, collection: &CollectionMeta) -> Result<(), CatalogError> {
    if let Some(refused) = &parsed.ttl_error {
        return Err(refused.clone());
    }
    let options = &collection.options;
    let is_capped_clustered = options.capped.is_some() && options.clustered.is_some();
    if parsed.meta.expire_after_secs.is_some() && is_capped_clustered {
        return Err(refused!(
            CappedClusteredSecondaryTtl,
            "a capped clustered collection can't have a TTL index; use its own expireAfterSeconds"
        ));
    }
    options.time_series.as_ref().map_or(Ok(()), |given| time_series::check(parsed, given))
}
