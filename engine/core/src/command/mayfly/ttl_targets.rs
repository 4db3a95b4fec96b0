//! The collection that a command names, and its TTL rules.

use std::sync::Arc;

use bson::raw::RawBsonRef;

use crate::{
    catalog::CollectionMeta,
    command::core::{Code, CommandError, Context, Request},
    reaper::{Target, targets_of},
};

/// The collection that the command's own field names; no time-series collection.
pub fn collection_of(
    context: &Context,
    request: &Request<'_>,
) -> Result<Arc<CollectionMeta>, CommandError> {
    let namespace = request.namespace()?;
    let found = context.collections.catalog().collection(&namespace);
    let collection = found.ok_or_else(|| {
        CommandError::new(Code::NAMESPACE_NOT_FOUND, format!("ns does not exist: {namespace}"))
    })?;
    if collection.options.time_series.is_some() {
        // Their rules are about whole buckets, the replies about documents.
        return Err(CommandError::not_supported(format!(
            "{} is not supported for time-series collections, whose measurements go by the \
                 bucket",
            request.name
        )));
    }
    Ok(collection)
}

/// The collection that the command names and its TTL rules, or those that `index` names: one name,
/// or an array of them.
pub fn targets_for(
    context: &Context,
    request: &Request<'_>,
) -> Result<(Arc<CollectionMeta>, Vec<Target>), CommandError> {
    let collection = collection_of(context, request)?;
    let mut targets = targets_of(&context.collections.catalog(), collection.id);
    if let Some(names) = names(request)? {
        let is_unknown = |name: &&&str| !targets.iter().any(|target| target.name() == **name);
        if let Some(name) = names.iter().find(is_unknown) {
            return Err(CommandError::new(
                Code::INDEX_NOT_FOUND,
                format!("{} has no TTL index with the name {name:?}", collection.namespace),
            ));
        }
        targets.retain(|target| names.contains(&target.name()));
    }
    Ok((collection, targets))
}

/// The indexes that `index` names; `None` for all.
fn names<'r>(request: &Request<'r>) -> Result<Option<Vec<&'r str>>, CommandError> {
    let Some(RawBsonRef::Array(array)) = request.get("index")? else {
        return Ok(request.text("index")?.map(|name| vec![name]));
    };
    let mut names = Vec::new();
    for value in array {
        let RawBsonRef::String(name) = value? else {
            return Err(CommandError::bad_value(
                "index must be the name of a TTL index or an array of names",
            ));
        };
        names.push(name);
    }
    if names.is_empty() {
        return Err(CommandError::bad_value(
            "index must have at least one name; leave it out for all TTL indexes",
        ));
    }
    Ok(Some(names))
}
