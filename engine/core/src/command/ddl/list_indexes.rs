//! `listIndexes`.

use bson::{RawDocumentBuf, doc};

use crate::command::core::{
    Answer, Command, CommandError, Context, Cursor, Request, fields, no_collection,
};

fields! {
    struct ListIndexesFields from Request<'_> {
        optional "includeBuildUUIDs": bool_or(false) => build_ids bool,
        optional "includeIndexBuildInfo": bool_or(false) => build_info bool,
        optional "cursor",
    }
}

/// `{listIndexes: collection, cursor: {batchSize}}`
pub static COMMAND: Command = Command::any("listIndexes", ListIndexesFields::FIELDS, run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let ListIndexesFields { build_ids, build_info } = ListIndexesFields::read(request)?;
    if build_ids && build_info {
        return Err(CommandError::invalid_options(
            "The includeBuildUUIDs flag and includeIndexBuildInfo flag cannot both be set to true",
        ));
    }
    let batch_size = request.cursor_batch_size()?.unwrap_or(u64::MAX);
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
