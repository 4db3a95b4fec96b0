//! `compact`: pages that become free are used again, and the file does not shrink.

use bson::doc;

use crate::command::core::{
    command::{Command, Scope},
    context::Context,
    error::{Answer, no_collection},
    field::ignored,
    reply::raw,
    request::Request,
};

/// `{compact: collection}`. Truthful: no byte is freed.
pub static COMMAND: Command = Command {
    name: "compact",
    aliases: &[],
    scope: Scope::Any,
    fields: &[ignored("force"), ignored("freeSpaceTargetMB"), ignored("dryRun")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let catalog = context.collections.catalog();
    let Some(collection) = catalog.collection(&namespace) else {
        return Err(no_collection(&namespace.to_string()));
    };
    collection.check_is_no_view()?;
    raw(&doc! { "bytesFreed": 0 })
}
