//! `dropIndexes`.

use bson::{
    Document,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    context::Context,
    error::{Answer, CommandError},
    field::required,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::catalog::{Dialect, EntryForm, rules::IndexSelector};

/// `{dropIndexes: collection, index: name | [name] | "*" | {key}}`
pub static COMMAND: Command = Command {
    name: "dropIndexes",
    aliases: &["deleteIndexes"],
    scope: Scope::Any,
    fields: &[required("index")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let catalog = context.collections.catalog();
    let had_ts = catalog.collection(&namespace).is_some_and(|collection| {
        collection.indexes.iter().any(|index| index.form == EntryForm::LastModified)
    });
    let selector = selector(request)?;
    let dropped = context.collections.drop_indexes(&namespace, &selector)?;
    let mut reply = Document::new();
    let dialect = catalog.dialect(&namespace.db);
    if dialect == Dialect::Cosmos || (dialect == Dialect::Open && had_ts) {
        reply.insert("_t", "DropIndexesResponse");
    }
    reply.insert("nIndexesWas", dropped.indexes_before);
    if selector == IndexSelector::All {
        reply.insert("msg", "non-_id indexes dropped for collection");
    }
    raw(&reply)
}

fn selector(request: &Request<'_>) -> Result<IndexSelector, CommandError> {
    let value = request.get("index")?.unwrap_or(RawBsonRef::Null);
    match value {
        RawBsonRef::String("*") => Ok(IndexSelector::All),
        RawBsonRef::String(name) => Ok(IndexSelector::Names(vec![name.to_owned()])),
        RawBsonRef::Document(key) => Ok(IndexSelector::Key(decoded(key)?)),
        RawBsonRef::Array(names) => names
            .into_iter()
            .map(|name| match name? {
                RawBsonRef::String(name) => Ok(name.to_owned()),
                other => Err(request.wrong_type("index", other, "string")),
            })
            .collect::<Result<Vec<_>, _>>()
            .map(IndexSelector::Names),
        other => Err(request.wrong_type("index", other, "string, array, object")),
    }
}

fn decoded(key: &RawDocument) -> Result<Document, CommandError> {
    Ok(Document::try_from(key)?)
}
