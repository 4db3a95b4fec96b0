//! The collection that a command names, and its TTL rules.

use std::sync::Arc;

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

/// The collection that the command names and its TTL rules, or the one rule that `index` names.
pub fn targets_for(
    context: &Context,
    request: &Request<'_>,
) -> Result<(Arc<CollectionMeta>, Vec<Target>), CommandError> {
    let collection = collection_of(context, request)?;
    let mut targets = targets_of(&context.collections.catalog(), collection.id);
    if let Some(name) = request.text("index")? {
        targets.retain(|target| target.name() == name);
        if targets.is_empty() {
            return Err(CommandError::new(
                Code::INDEX_NOT_FOUND,
                format!("{} has no TTL index with the name {name:?}", collection.namespace),
            ));
        }
    }
    Ok((collection, targets))
}
