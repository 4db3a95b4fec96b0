//! `aggregate`: the few pipelines that clients need for counting, listing and statistics.

use bson::{
    Document, RawDocumentBuf, doc,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    context::Context,
    cursors::{Cursor, Source},
    error::{Answer, Code, CommandError},
    field::{ignored, optional, required, unsupported},
    list_collections::cursor_batch_size,
    pipeline::{self, Stage},
    query::{Query, read_hint},
    request::Request,
    stats::storage_stats,
    table::{Command, Scope},
};
use crate::{
    catalog::Namespace,
    limits::SORT_BYTES_MAX,
    plan::{Step, Target},
    query::Filter,
};

/// `{aggregate: collection, pipeline, cursor: {batchSize}, hint}`
pub static COMMAND: Command = Command {
    name: "aggregate",
    aliases: &[],
    scope: Scope::Any,
    fields: &[
        required("pipeline"),
        optional("cursor"),
        optional("hint"),
        ignored("allowDiskUse"),
        ignored("bypassDocumentValidation"),
        unsupported("explain"),
        unsupported("collation"),
        unsupported("let"),
    ],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let stages = pipeline::parse(&request.documents("pipeline")?)?;
    if !matches!(request.first()?, RawBsonRef::String(_)) {
        return Err(CommandError::new(
            Code::NOT_SUPPORTED,
            "aggregate on a whole database is not supported; name a collection",
        ));
    }
    let namespace = request.namespace()?;
    let batch_size = cursor_batch_size(request)?;
    let ns = namespace.to_string();
    if let Some((Stage::IndexStats | Stage::CollStats { .. }, rest)) = stages.split_first() {
        let documents = statistics(context, &namespace, &stages)?;
        let documents = pipeline::run(rest, documents)?;
        return Cursor::ready(ns, documents).first_batch(context, batch_size, false);
    }
    let (mut query, rest) = query_of(&stages)?;
    query.hint = read_hint(request.get("hint")?)?;
    if rest.is_empty() {
        let source = match context.collections.catalog().collection(&namespace) {
            None => Source::Ready([].into()),
            Some(collection) => {
                let search = Box::new(query.search(&collection)?);
                Source::Search { namespace, search, projection: None }
            }
        };
        return Cursor { ns, source }.first_batch(context, batch_size, false);
    }
    if let [Stage::Count { field, id }] = rest {
        let n = super::count::count(context, &namespace, &query)?;
        let documents = pipeline::counted(field, id.as_ref(), n)?;
        return Cursor::ready(ns, documents).first_batch(context, batch_size, false);
    }
    let documents = pipeline::run(rest, collected(context, &namespace, &query)?)?;
    Cursor::ready(ns, documents).first_batch(context, batch_size, false)
}

/// The first stages as one query, as far as they have its order: match, sort, skip, limit.
fn query_of(stages: &[Stage]) -> Result<(Query, &[Stage]), CommandError> {
    let mut filters = Vec::new();
    let mut rest = stages;
    while let [Stage::Match(filter), after @ ..] = rest {
        filters.push(Document::try_from(filter.source())?);
        rest = after;
    }
    let filter = match filters.len() {
        0 => Filter::matches_all(),
        _ => Filter::parse(&RawDocumentBuf::try_from(&doc! { "$and": filters })?)?,
    };
    let mut target = Target { filter, sort: None, skip: 0, limit: None };
    if let [Stage::Sort(sort), after @ ..] = rest {
        target.sort = Some(sort.clone());
        rest = after;
    }
    if let [Stage::Skip(skip), after @ ..] = rest {
        target.skip = *skip;
        rest = after;
    }
    if let [Stage::Limit(limit), after @ ..] = rest {
        target.limit = Some(*limit);
        rest = after;
    }
    Ok((Query { target, hint: None }, rest))
}

fn collected(
    context: &Context,
    namespace: &Namespace,
    query: &Query,
) -> Result<Vec<RawDocumentBuf>, CommandError> {
    let (mut documents, mut bytes) = (Vec::new(), 0);
    query.for_each(context, namespace, &mut |_, document: &RawDocument| {
        bytes += document.as_bytes().len();
        if bytes > SORT_BYTES_MAX {
            return Err(CommandError::new(
                Code::QUERY_EXCEEDED_MEMORY_LIMIT,
                format!(
                    "the pipeline holds more than {SORT_BYTES_MAX} bytes; put $match, $sort, $skip and \
                     $limit first, in this order"
                ),
            ));
        }
        documents.push(document.to_owned());
        Ok(Step::Take)
    })?;
    Ok(documents)
}

fn statistics(
    context: &Context,
    namespace: &Namespace,
    stages: &[Stage],
) -> Result<Vec<RawDocumentBuf>, CommandError> {
    let catalog = context.collections.catalog();
    let Some(collection) = catalog.collection(namespace) else {
        return match stages.first() {
            Some(Stage::IndexStats) => Ok(Vec::new()),
            _ => Err(super::list_indexes::no_collection(&namespace.to_string())),
        };
    };
    let documents: Vec<Document> = match stages.first() {
        Some(Stage::IndexStats) => collection
            .indexes
            .iter()
            .map(|index| {
                doc! {
                    "name": &index.name,
                    "key": index.key.source.clone(),
                    "host": "localhost",
                    "accesses": { "ops": 0_i64, "since": bson::DateTime::from_millis(context.now_ms()) },
                    "spec": index.to_spec(),
                }
            })
            .collect(),
        Some(Stage::CollStats { scale, count, storage }) => {
            let mut entry = doc! {
                "ns": namespace.to_string(),
                "host": "localhost",
                "localTime": bson::DateTime::from_millis(context.now_ms()),
            };
            context.read(|reader, _| {
                if *storage {
                    entry.insert("storageStats", storage_stats(reader, &collection, *scale)?);
                }
                if *count {
                    let documents = reader.counters(collection.id.0)?.documents;
                    entry.insert("count", super::stats::long(documents));
                }
                Ok(())
            })?;
            vec![entry]
        }
        _ => Vec::new(),
    };
    documents.iter().map(|document| Ok(RawDocumentBuf::try_from(document)?)).collect()
}
