//! `compact`: pages that become free are used again, and the file does not shrink.

use bson::doc;

use crate::command::core::{Answer, Command, Context, Request, ignored, no_collection, raw};

/// `{compact: collection}`. Truthful: no byte is freed.
pub static COMMAND: Command = Command::any(
    "compact",
    &[ignored("force"), ignored("freeSpaceTargetMB"), ignored("dryRun")],
    run,
);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let catalog = context.collections.catalog();
    let Some(collection) = catalog.collection(&namespace) else {
        return Err(no_collection(&namespace.to_string()));
    };
    collection.check_is_no_view()?;
    raw(&doc! { "bytesFreed": 0 })
}
