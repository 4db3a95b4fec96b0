//! `collStats`.

use bson::doc;

use super::{
    context::Context,
    error::Answer,
    field::optional,
    request::Request,
    run::raw,
    stats::{long, read_scale, storage_stats},
    table::{Command, Scope},
};

/// `{collStats: collection, scale}`; zeros for a collection that does not exist, as MongoDB answers.
pub static COMMAND: Command = Command {
    name: "collStats",
    aliases: &["collstats"],
    scope: Scope::Any,
    fields: &[optional("scale")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let scale = read_scale(request)?;
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
                "scaleFactor": long(scale),
            }),
        }
        Ok(())
    })?;
    raw(&reply)
}
