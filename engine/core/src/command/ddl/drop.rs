//! `drop`: removes a collection.

use bson::{Document, doc};

use crate::command::core::{
    Answer, Command, CommandError, Context, Request, monitor::profiler::PROFILE_COLLECTION, raw,
    unsupported,
};

/// `{drop: collection}`; nothing happens when there is none.
pub static COMMAND: Command = Command::any("drop", &[unsupported("collectionUUID")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    if namespace.collection == PROFILE_COLLECTION && context.profiler.settings(request.db).level > 0
    {
        // The profile entry of this command would create it again.
        return Err(CommandError::illegal_operation(
            "turn off profiling before dropping system.profile collection",
        ));
    }
    let reply = match context.collections.drop_collection(&namespace)? {
        Some(indexes) => doc! { "nIndexesWas": indexes, "ns": namespace.to_string() },
        None => Document::new(),
    };
    raw(&reply)
}
