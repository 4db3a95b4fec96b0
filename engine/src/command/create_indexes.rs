//! `createIndexes`.

use bson::{Bson, Document};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::{optional, required},
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::catalog::{Dialect, rules::CreateIndexesRequest};

/// `{createIndexes: collection, indexes: [{key, name, …}]}`
pub static COMMAND: Command = Command {
    name: "createIndexes",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("indexes"), optional("ignoreUnknownIndexOptions"), optional("commitQuorum")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    if request.get("commitQuorum")?.is_some() {
        return Err(CommandError::new(Code::BAD_VALUE, "Standalones can't specify commitQuorum"));
    }
    let dialect = context.collections.catalog().dialect(&namespace.db);
    let indexes = request
        .documents("indexes")?
        .into_iter()
        .map(|spec| Ok(Document::try_from(spec)?))
        .collect::<Result<Vec<_>, CommandError>>()?;
    let is_about_ts = indexes.iter().any(is_on_ts);
    let created = context.collections.create_indexes(
        &CreateIndexesRequest {
            namespace,
            indexes,
            ignore_unknown_options: request.flag("ignoreUnknownIndexOptions")?,
        },
        &mut |_| {},
    )?;
    let mut reply = Document::new();
    if dialect == Dialect::Cosmos || (dialect == Dialect::Open && is_about_ts) {
        reply.insert("_t", "CreateIndexesResponse");
    }
    reply.insert("numIndexesBefore", created.indexes_before);
    reply.insert("numIndexesAfter", created.indexes_after);
    if let Some(was_created) = created.created_collection {
        reply.insert("createdCollectionAutomatically", was_created);
    }
    if let Some(note) = created.note {
        reply.insert("note", note);
    }
    raw(&reply)
}

fn is_on_ts(spec: &Document) -> bool {
    matches!(spec.get("key"), Some(Bson::Document(key)) if key.len() == 1 && key.contains_key("_ts"))
}
