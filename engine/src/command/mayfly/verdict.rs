//! `mayflyVerdict`: the verdict of every TTL rule on one document, with reasons; or the thresholds
//! of several documents.

use bson::{Bson, DateTime, Document, doc};

use super::ttl_targets::targets_for;
use crate::{
    catalog::CollectionMeta,
    command::core::{
        command::{Command, Scope},
        context::Context,
        error::{Answer, Code, CommandError},
        field::optional,
        field_value::missing_field,
        reply::raw,
        request::Request,
    },
    limits::VERDICT_IDS_MAX,
    reaper::{Reaper, Target, TtlParameter, Verdict, verdict},
    ttl::{Expiry, removal_window},
};

/// `{mayflyVerdict: coll, id: any}`, or `{mayflyVerdict: coll, ids: [any]}` for a list of
/// documents.
pub static COMMAND: Command = Command {
    name: "mayflyVerdict",
    aliases: &[],
    scope: Scope::Any,
    fields: &[optional("id"), optional("ids")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let (collection, targets) = targets_for(context, request)?;
    if let Some(ids) = request.value("ids")? {
        return several(context, &collection, &targets, ids);
    }
    let id = request.value("id")?.ok_or_else(|| missing_field("mayflyVerdict", "id"))?;
    let found = verdict(context.collections.store(), &collection, &targets, &id)?;
    let Some(found) = found else {
        return Err(CommandError::new(
            Code::NO_MATCHING_DOCUMENT,
            format!("{} has no document with this _id", collection.namespace),
        ));
    };
    let rules: Vec<Bson> = found.rules.iter().map(|rule| rule_document(rule).into()).collect();
    let winner = found.winner.and_then(|place| found.rules.get(place));
    let mut reply = doc! {
        "verdicts": rules,
        "winner": winner.map(|rule| rule.index.clone()),
    };
    if let Some(threshold_ms) = winner.and_then(|rule| rule.expiry.threshold_ms()) {
        let window = window(&context.reaper, threshold_ms);
        reply.insert("earliest", DateTime::from_millis(window.0));
        reply.insert("latest", DateTime::from_millis(window.1));
    }
    raw(&reply)
}

/// `{documents: [{_id, base?: Date, threshold?: Date}]}`: a document without a threshold never
/// expires, one that is not there is left out.
fn several(
    context: &Context,
    collection: &CollectionMeta,
    targets: &[Target],
    ids: Bson,
) -> Answer {
    let ids = match ids {
        Bson::Array(ids) if ids.len() <= VERDICT_IDS_MAX => ids,
        _ => {
            return Err(CommandError::new(
                Code::BAD_VALUE,
                format!("'ids' must be an array of at most {VERDICT_IDS_MAX} values of _id"),
            ));
        }
    };
    let mut documents = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(found) = verdict(context.collections.store(), collection, targets, &id)? else {
            continue;
        };
        let mut document = doc! { "_id": id };
        let winner = found.winner.and_then(|place| found.rules.get(place));
        if let Some(deadline) = winner.and_then(|rule| rule.expiry.deadline()) {
            document.insert("base", DateTime::from_millis(deadline.base_ms));
            document.insert("threshold", DateTime::from_millis(deadline.threshold_ms));
        }
        documents.push(Bson::Document(document));
    }
    raw(&doc! { "documents": documents })
}

/// Between which instants a document with this threshold is removed.
fn window(reaper: &Reaper, threshold_ms: i64) -> (i64, i64) {
    let sleep_secs = if reaper.parameters().at_threshold() {
        0
    } else {
        reaper.parameters().get(TtlParameter::SleepSecs)
    };
    let last_pass_ms = reaper.last_pass().map_or(0, |pass| pass.duration_micros / 1_000);
    let last_pass_ms = i64::try_from(last_pass_ms).unwrap_or(i64::MAX);
    let window = removal_window(threshold_ms, sleep_secs, last_pass_ms);
    (window.earliest_ms, window.latest_ms)
}

fn rule_document(rule: &Verdict) -> Document {
    let mut document = doc! { "index": &rule.index, "field": &rule.field };
    match &rule.expiry {
        Expiry::At(deadline) => document.extend(doc! {
            "expires": true,
            "base": DateTime::from_millis(deadline.base_ms),
            "threshold": DateTime::from_millis(deadline.threshold_ms),
            "expireAfterSeconds": deadline.expire_after_secs,
            "source": deadline.source.as_str(),
            "reason": "expires",
            "sentence": deadline.sentence(&rule.field),
        }),
        Expiry::Never(never) => document.extend(doc! {
            "expires": false,
            "reason": never.code(),
            "sentence": never.sentence(&rule.field),
        }),
    }
    document
}
