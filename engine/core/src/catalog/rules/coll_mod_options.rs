//! The `collMod` options that are not about indexes and TTL: the validator, a view, the bounds of a
//! capped collection, the buckets of a time series.

use bson::Document;

use super::{create, index_spec::wrong_type, numbers::Whole, time_series, validation};
use crate::catalog::{CatalogError, CatalogErrorKind, CollectionMeta};

/// Changes the collection's options.
///
/// # Errors
/// `InvalidOptions` for options this kind of collection does not have, and errors of the values.
pub(super) fn apply(
    collection: &mut CollectionMeta,
    others: &Document,
) -> Result<(), CatalogError> {
    let given = |names: &[&str]| names.iter().any(|name| others.contains_key(name));
    let namespace = collection.namespace.clone();
    if given(&["viewOn", "pipeline"]) {
        if !collection.is_view() {
            return Err(invalid("'viewOn' and 'pipeline' options are only supported on a view"));
        }
        // Absent fields keep their value.
        let mut definition = Document::new();
        if let Some(view) = &collection.options.view {
            definition.insert("viewOn", &view.on);
            definition.insert("pipeline", view.pipeline.clone());
        }
        definition.extend(others.clone());
        collection.options.view = create::view(&definition)?;
    }
    if given(&validation::FIELDS) {
        if collection.is_view() {
            return Err(invalid("a view has no validator; set it on the collection under it"));
        }
        if collection.options.time_series.is_some() {
            return Err(invalid("option not supported on a time-series collection: validator"));
        }
        if others.contains_key("validator") {
            validation::check_place(&namespace)?;
        }
        let options = &mut collection.options;
        validation::apply(&mut options.validation, others, options.collation.as_ref(), "collMod")?;
    }
    if given(&["cappedSize", "cappedMax"]) {
        apply_cap(collection, others)?;
    }
    if let Some(given) = others.get("timeseries") {
        let Some(options) = &collection.options.time_series else {
            return Err(invalid("option only supported on a time-series collection: timeseries"));
        };
        collection.options.time_series = Some(time_series::changed(options, given)?);
    }
    Ok(())
}

fn apply_cap(collection: &mut CollectionMeta, others: &Document) -> Result<(), CatalogError> {
    let number = |field: &str| match others.get(field) {
        None => Ok(None),
        Some(value) => {
            let whole = Whole::of(value).ok_or_else(|| wrong_type(field, "a number", value))?;
            Ok::<Option<i64>, CatalogError>(Some(whole.or_zero()))
        }
    };
    let (size, max) = (number("cappedSize")?, number("cappedMax")?);
    let Some(capped) = &mut collection.options.capped else {
        return Err(invalid(
            "Collection must be capped: cappedSize and cappedMax change its bounds",
        ));
    };
    if let Some(size) = size {
        create::check_capped_size(size)?;
        capped.size_bytes = Some(size);
    }
    if let Some(max) = max {
        create::check_capped_max(max)?;
        capped.docs_max = Some(max).filter(|max| *max > 0);
    }
    Ok(())
}

fn invalid(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::InvalidOptions, message)
}
