//! `createIndexes`.

use std::sync::Arc;

use bson::Document;

use super::{conflict, index_spec, index_spec::ParsedIndex};
use crate::{
    catalog::{
        CatalogError, CatalogErrorKind as Kind, CollectionMeta, Dialect, IndexMeta, Namespace,
    },
    limits::INDEXES_PER_COLLECTION_MAX,
    query::Expr,
};

/// Indexes to create.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndexesRequest {
    /// The collection; created if it does not exist.
    pub namespace: Namespace,
    /// The specifications as they were given.
    pub indexes: Vec<Document>,
    /// Unknown options of a specification are left out instead of refused.
    pub ignore_unknown_options: bool,
}

/// What `createIndexes` did, for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreateIndexesOutcome {
    /// Indexes before, `_id_` counted.
    pub indexes_before: i32,
    /// Indexes after, `_id_` counted.
    pub indexes_after: i32,
    /// Whether the collection was created; `None` when every index existed already.
    pub created_collection: Option<bool>,
    /// MongoDB's note when some or all indexes existed already.
    pub note: Option<&'static str>,
}

/// The indexes that are really new, without numbers yet, in order of the request. `collection` is as
/// it is, or as it would be created.
///
/// # Errors
/// When a specification is invalid, or conflicts with an existing index.
pub fn plan(
    request: &CreateIndexesRequest,
    collection: &CollectionMeta,
    dialect: Dialect,
) -> Result<Vec<IndexMeta>, CatalogError> {
    if collection.is_view() {
        return Err(CatalogError::new(
            Kind::CommandNotSupportedOnView,
            format!(
                "{} is a view, which has no indexes; name the collection under it",
                request.namespace
            ),
        ));
    }
    if request.indexes.is_empty() {
        return Err(CatalogError::new(
            Kind::BadValue,
            "the list of indexes is empty; name at least one",
        ));
    }
    let mut existing = collection.indexes.clone();
    let mut new = Vec::new();
    for spec in &request.indexes {
        let parsed = index_spec::parse(spec, dialect, request.ignore_unknown_options)?;
        if conflict::exists(&parsed.meta, &existing)? {
            continue;
        }
        check_new(&parsed, collection)?;
        if existing.len() >= INDEXES_PER_COLLECTION_MAX {
            return Err(CatalogError::new(
                Kind::CannotCreateIndex,
                format!(
                    "{} would have more than {INDEXES_PER_COLLECTION_MAX} indexes; drop one first",
                    request.namespace
                ),
            ));
        }
        existing.push(Arc::new(parsed.meta.clone()));
        new.push(parsed.meta);
    }
    Ok(new)
}

fn check_new(parsed: &ParsedIndex, collection: &CollectionMeta) -> Result<(), CatalogError> {
    if let Some(refused) = &parsed.ttl_error {
        return Err(refused.clone());
    }
    let options = &collection.options;
    if parsed.meta.expire_after_secs.is_some() {
        if options.capped.is_some() && options.clustered.is_some() {
            return Err(CatalogError::new(
                Kind::CappedClusteredSecondaryTtl,
                "a capped clustered collection can't have a TTL index; use its own expireAfterSeconds",
            ));
        }
        if let Some(time_series) = &options.time_series {
            check_time_series(parsed, time_series)?;
        }
    }
    if options.time_series.is_some() && parsed.meta.is_id() {
        return Err(CatalogError::new(
            Kind::CannotCreateIndex,
            "a time-series collection has no index on _id",
        ));
    }
    Ok(())
}

/// TTL on a time-series collection: the time field, with a partial filter on the meta field alone.
fn check_time_series(parsed: &ParsedIndex, options: &Document) -> Result<(), CatalogError> {
    let meta_field = options.get_str("metaField").ok();
    let on_time = parsed.meta.field().is_some_and(|(path, _)| {
        options.get_str("timeField").is_ok_and(|field| field == path.as_str())
    });
    let partial_on_meta = parsed
        .meta
        .partial
        .as_ref()
        .zip(meta_field)
        .is_some_and(|(filter, meta)| only_on(filter.root(), meta));
    if parsed.key_fields == 1 && on_time && partial_on_meta {
        return Ok(());
    }
    Err(CatalogError::new(
        Kind::InvalidOptions,
        "on a time-series collection a TTL index must be on the time field and have a \
         partialFilterExpression on the meta field only",
    ))
}

fn only_on(expr: &Expr, field: &str) -> bool {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| only_on(part, field)),
        Expr::Field { path, .. } => path.parts().first().is_some_and(|part| part.name == field),
        _ => false,
    }
}
