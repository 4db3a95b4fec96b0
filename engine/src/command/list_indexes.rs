//! `listIndexes`.

use bson::{RawDocumentBuf, doc};

use super::{
    context::Context,
    cursors::Cursor,
    error::{Answer, Code, CommandError},
    field::optional,
    list_collections::cursor_batch_size,
    request::Request,
    table::{Command, Scope},
};
use crate::catalog::{CatalogError, CatalogErrorKind};

/// `{listIndexes: collection, cursor: {batchSize}}`
pub static COMMAND: Command = Command {
    name: "listIndexes",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("cursor"), optional("includeBuildUUIDs"), optional("includeIndexBuildInfo")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let build_ids = request.bool_at("listIndexes", "includeBuildUUIDs", false)?;
    let build_info = request.bool_at("listIndexes", "includeIndexBuildInfo", false)?;
    if build_ids && build_info {
        return Err(CommandError::new(
            Code::INVALID_OPTIONS,
            "The includeBuildUUIDs flag and includeIndexBuildInfo flag cannot both be set to true",
        ));
    }
    let batch_size = cursor_batch_size(request)?.unwrap_or(u64::MAX);
    let Some(collection) = context.collections.catalog().collection(&namespace) else {
        return Err(no_collection(&namespace.to_string()));
    };
    collection.check_is_no_view()?;
    let specs = collection
        .shown_indexes()
        .map(|index| {
            let spec = index.to_spec();
            let shown = if build_info {
                doc! { "spec": spec }
            } else {
                spec
            };
            Ok(RawDocumentBuf::try_from(&shown)?)
        })
        .collect::<Result<Vec<_>, CommandError>>()?;
    Cursor::ready(namespace.to_string(), specs).first_batch(context, Some(batch_size), false)
}

/// `NamespaceNotFound`
#[must_use]
pub fn no_collection(namespace: &str) -> CommandError {
    CatalogError::new(
        CatalogErrorKind::NamespaceNotFound,
        format!("ns does not exist: {namespace}"),
    )
    .into()
}
