//! `collStats`.

use bson::doc;

use crate::command::core::{
    Answer, Command, Context, Request, Scope, optional, raw, shortest, stats::storage_stats,
};

/// `{collStats: collection, scale}`; zeros for a collection that does not exist, as MongoDB
/// answers.
pub static COMMAND: Command = Command {
    name: "collStats",
    aliases: &["collstats"],
    scope: Scope::Any,
    fields: &[optional("scale")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let scale = request.scale()?;
    let mut reply = doc! { "ns": namespace.to_string() };
    context.read(|reader, catalog| {
        match catalog.collection(&namespace) {
            Some(collection) => {
                collection.check_is_no_view()?;
                reply.extend(storage_stats(reader, &collection, scale)?);
            }
            None => reply.extend(doc! {
                "size": 0,
                "count": 0,
                "numOrphanDocs": 0,
                "storageSize": 0,
                "totalSize": 0,
                "nindexes": 0,
                "totalIndexSize": 0,
                "indexDetails": {},
                "indexSizes": {},
                "scaleFactor": shortest(scale),
            }),
        }
        Ok(())
    })?;
    raw(&reply)
}
