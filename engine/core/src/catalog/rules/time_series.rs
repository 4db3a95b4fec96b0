//! Indexes of time-series collections.

use bson::{Document, doc};

use super::index_spec::{ParsedIndex, id_index};
use crate::{
    catalog::{CatalogError, CatalogErrorKind, EntryForm, IndexKey, IndexMeta, KeyKind},
    query::Expr,
    store::IndexId,
    value::bucket::TimeSeries,
};

/// The indexes of every new time-series collection, without numbers yet: one on the buckets' `_id`,
/// which is in order of time, and with a meta field MongoDB's index on it and the time.
pub(crate) fn bucket_indexes(options: &TimeSeries) -> Vec<IndexMeta> {
    let mut id = id_index(IndexId(0), None);
    id.form = EntryForm::Buckets;
    id.unique = false;
    id.has_implicit_ids = false;
    let mut indexes = vec![id.clone()];
    if let Some(meta) = &options.meta_field {
        let time = &options.time_field;
        let source = doc! { meta: 1, time: 1 };
        if let Some(key) = IndexKey::read(&source) {
            let name = format!("{meta}_1_{time}_1");
            indexes.push(IndexMeta { name, key, ..id });
        }
    }
    indexes
}

/// The entries of a client's index on a time-series collection. Only a TTL index and the one on
/// metadata and time have any.
pub(super) fn form(index: &IndexMeta, options: &Document) -> EntryForm {
    let is_lookup = TimeSeries::of(options).is_some_and(|options| {
        let own = bucket_indexes(&options);
        own.iter().any(|own| own.key.same_pattern(&index.key.source)) && index.partial.is_none()
    });
    // Every read scans all buckets, so other indexes have no use for entries.
    if is_lookup || index.expire_after_secs.is_some() {
        EntryForm::Buckets
    } else {
        EntryForm::Nothing
    }
}

/// Refuses an index on the `_id` of measurements; the existing one holds buckets.
///
/// # Errors
/// `CannotCreateIndex`.
pub(super) fn check_not_id(index: &IndexMeta) -> Result<(), CatalogError> {
    if index.is_id() {
        return Err(refused!(CannotCreateIndex, "a time-series collection has no index on _id"));
    }
    Ok(())
}

/// Refuses an index that a time-series collection can't have.
///
/// # Errors
/// `InvalidOptions`.
pub(super) fn check(parsed: &ParsedIndex, options: &Document) -> Result<(), CatalogError> {
    let index = &parsed.meta;
    let kind = if index.refuses_duplicates() {
        Some("Unique")
    } else if index.sparse && index.key.parts.iter().any(|part| is_time(&part.path, options)) {
        Some("Sparse")
    } else if index.key.has(KeyKind::Text) {
        Some("Text")
    } else {
        None
    };
    if let Some(kind) = kind {
        return Err(invalid(format!(
            "{kind} indexes are not supported on time-series collections"
        )));
    }
    if index.expire_after_secs.is_none() {
        return Ok(());
    }
    let meta_field = options.get_str("metaField").ok();
    let on_time = index.field().is_some_and(|(path, _)| is_time(path, options));
    let partial_on_meta = index
        .partial
        .as_ref()
        .zip(meta_field)
        .is_some_and(|(filter, meta)| only_on(filter.root(), meta));
    if parsed.key_fields == 1 && on_time && partial_on_meta {
        return Ok(());
    }
    Err(invalid(
        "on a time-series collection a TTL index must be on the time field and have a \
         partialFilterExpression on the meta field only",
    ))
}

fn is_time(path: &crate::value::Path, options: &Document) -> bool {
    options.get_str("timeField").is_ok_and(|field| field == path.as_str())
}

fn only_on(expr: &Expr, field: &str) -> bool {
    match expr {
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(|part| only_on(part, field)),
        Expr::Field { path, .. } => path.parts().first().is_some_and(|part| part.name == field),
        _ => false,
    }
}

fn invalid(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::InvalidOptions, message)
}
