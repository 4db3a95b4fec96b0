//! `drop`: removes a collection.

use bson::{Document, doc};

use super::{
    context::Context,
    error::Answer,
    field::unsupported,
    request::Request,
    run::raw,
    table::{Command, Scope},
};

/// `{drop: collection}`; nothing happens when there is none.
pub static COMMAND: Command = Command {
    name: "drop",
    aliases: &[],
    scope: Scope::Any,
    fields: &[unsupported("collectionUUID")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let reply = match context.collections.drop_collection(&namespace)? {
        Some(indexes) => doc! { "nIndexesWas": indexes, "ns": namespace.to_string() },
        None => Document::new(),
    };
    raw(&reply)
}
