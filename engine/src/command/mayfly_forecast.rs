//! `mayflyForecast`: how many documents expire when.

use std::sync::Arc;

use bson::{Bson, doc};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::{optional, required},
    mayfly_clock::date,
    mayfly_reap::long,
    request::{Request, missing_field},
    run::raw,
    table::{Command, Scope},
};
use crate::{
    catalog::CollectionMeta,
    limits::FORECAST_BUCKETS_MAX,
    reaper::{ForecastRequest, Target, forecast, targets_of},
};

/// `{mayflyForecast: coll, index?: name, from: Date, to: Date, buckets: n}`
pub static COMMAND: Command = Command {
    name: "mayflyForecast",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("index"), required("from"), required("to"), required("buckets")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let (collection, targets) = targets_for(context, request)?;
    let from_ms = date(request, "from")?.ok_or_else(|| missing_field(request.name, "from"))?;
    let to_ms = date(request, "to")?.ok_or_else(|| missing_field(request.name, "to"))?;
    let buckets = usize::try_from(request.count("buckets")?.unwrap_or(0)).unwrap_or(usize::MAX);
    if from_ms >= to_ms || buckets == 0 || buckets > FORECAST_BUCKETS_MAX {
        return Err(CommandError::new(
            Code::BAD_VALUE,
            format!("from must lie before to, and buckets be from 1 to {FORECAST_BUCKETS_MAX}"),
        ));
    }
    let asked = ForecastRequest { now_ms: context.now_ms(), from_ms, to_ms, buckets };
    let found = forecast(context.collections.store(), collection.id, &targets, asked)?;
    let counts: Vec<Bson> =
        found.counts.into_iter().map(|count| Bson::Int64(long(count))).collect();
    raw(&doc! {
        "counts": counts,
        "overdue": long(found.overdue),
        "beyond": long(found.beyond),
        "never": long(found.never),
        "damaged": long(found.damaged),
        "exact": found.exact,
    })
}

/// The collection that the command names and its TTL rules, or the one rule that `index` names.
pub(super) fn targets_for(
    context: &Context,
    request: &Request<'_>,
) -> Result<(Arc<CollectionMeta>, Vec<Target>), CommandError> {
    let collection = collection_of(context, request)?;
    let mut targets = targets_of(&context.collections.catalog(), collection.id);
    if let Some(name) = request.text("index")? {
        targets.retain(|target| target.name() == name);
        if targets.is_empty() {
            return Err(CommandError::new(
                Code::INDEX_NOT_FOUND,
                format!("{} has no TTL index with the name {name:?}", collection.namespace),
            ));
        }
    }
    Ok((collection, targets))
}

/// The collection that the command's own field names; no time-series collection.
pub(super) fn collection_of(
    context: &Context,
    request: &Request<'_>,
) -> Result<Arc<CollectionMeta>, CommandError> {
    let namespace = request.namespace()?;
    let found = context.collections.catalog().collection(&namespace);
    let collection = found.ok_or_else(|| {
        CommandError::new(Code::NAMESPACE_NOT_FOUND, format!("ns does not exist: {namespace}"))
    })?;
    if collection.options.time_series.is_some() {
        // Their rules are about whole buckets, the replies about documents.
        return Err(CommandError::new(
            Code::NOT_SUPPORTED,
            format!(
                "{} is not supported for time-series collections, whose measurements go by the \
                 bucket",
                request.name
            ),
        ));
    }
    Ok(collection)
}
