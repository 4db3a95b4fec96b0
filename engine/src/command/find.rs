//! `find`: documents that match.

use super::{
    aggregate::view::{self, Parts},
    context::Context,
    cursors::{Cursor, Source},
    error::Answer,
    field::{Field, ignored, optional, unsupported},
    query::Query,
    request::Request,
    table::{Command, Scope},
};
use crate::query::Projection;

/// The fields of `find`.
pub const FIELDS: &[Field] = &[
    optional("filter"),
    optional("sort"),
    optional("projection"),
    optional("hint"),
    optional("skip"),
    optional("limit"),
    optional("batchSize"),
    optional("singleBatch"),
    ignored("allowDiskUse"),
    ignored("noCursorTimeout"),
    ignored("allowPartialResults"),
    ignored("oplogReplay"),
    unsupported("tailable"),
    unsupported("awaitData"),
    unsupported("collation"),
    unsupported("let"),
    unsupported("min"),
    unsupported("max"),
    unsupported("returnKey"),
    unsupported("showRecordId"),
];

/// `{find: collection, filter, sort, projection, hint, skip, limit, batchSize, singleBatch}`
pub static COMMAND: Command =
    Command { name: "find", aliases: &[], scope: Scope::Any, fields: FIELDS, run };

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let query = Query::read(request, "filter")?;
    let projection = request.document("projection")?.map(Projection::parse).transpose()?.flatten();
    let batch_size = request.count("batchSize")?;
    let only_one = request.flag("singleBatch")?;
    let ns = namespace.to_string();
    if view::is_view(context, &namespace) {
        let parts = Parts {
            filter: request.document("filter")?,
            sort: request.document("sort")?,
            projection: request.document("projection")?,
        };
        let run = Box::new(view::open(context, request, &namespace, &query, &parts)?);
        let source = Source::Pipeline { run, client: request.client.clone() };
        return Cursor { ns, source }.first_batch(context, batch_size, only_one);
    }
    let cursor = match context.collections.catalog().collection(&namespace) {
        None => Cursor::ready(ns, []),
        Some(collection) => {
            let search = Box::new(query.search(&collection)?);
            Cursor { ns, source: Source::Search { namespace, search, projection } }
        }
    };
    cursor.first_batch(context, batch_size, only_one)
}
