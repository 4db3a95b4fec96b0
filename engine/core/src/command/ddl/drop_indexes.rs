//! `dropIndexes`.

use std::sync::Arc;

use bson::{
    Document,
    raw::{RawBsonRef, RawDocument},
};

use crate::{
    catalog::{CatalogSnapshot, Dialect, EntryForm, IndexMeta, Namespace, rules::IndexSelector},
    command::core::{Answer, Command, CommandError, Context, Request, Scope, given, raw},
};

/// `{dropIndexes: collection, index: name | [name] | "*" | {key}}`
pub static COMMAND: Command = Command {
    name: "dropIndexes",
    aliases: &["deleteIndexes"],
    scope: Scope::Any,
    fields: &[given("index")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let namespace = request.namespace()?;
    let catalog = context.collections.catalog();
    let selector = selector(request)?;
    let dropped = context.collections.drop_indexes(&namespace, &selector)?;
    // Counted before and after, because a name or a key may also select an index that isn't on
    // `_ts`.
    let left_ts = ts_indexes(&context.collections.catalog(), &namespace);
    let dropped_ts = left_ts < ts_indexes(&catalog, &namespace);
    let mut reply = Document::new();
    let dialect = catalog.dialect(&namespace.db);
    if dialect == Dialect::Cosmos || (dialect == Dialect::Open && dropped_ts) {
        reply.insert("_t", "DropIndexesResponse");
    }
    reply.insert("nIndexesWas", dropped.indexes_before);
    if selector == IndexSelector::All {
        reply.insert("msg", "non-_id indexes dropped for collection");
    }
    raw(&reply)
}

/// How many indexes on `_ts`, the last modification, a collection has.
fn ts_indexes(catalog: &CatalogSnapshot, namespace: &Namespace) -> usize {
    catalog.collection(namespace).map_or(0, |collection| {
        let on_ts = |index: &&Arc<IndexMeta>| index.form == EntryForm::LastModified;
        collection.indexes.iter().filter(on_ts).count()
    })
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
            .map(named),
        other => Err(request.wrong_type("index", other, "string, array, object")),
    }
}

/// A list that begins with `*` means all, as in MongoDB.
fn named(names: Vec<String>) -> IndexSelector {
    if names.first().is_some_and(|name| name == "*") {
        return IndexSelector::All;
    }
    IndexSelector::Names(names)
}

fn decoded(key: &RawDocument) -> Result<Document, CommandError> {
    Ok(Document::try_from(key)?)
}
