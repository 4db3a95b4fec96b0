//! `mayflyVerdict`: what every TTL rule says about one document, and why.

use bson::{Bson, DateTime, Document, doc};

use super::{
    context::Context,
    error::{Answer, Code, CommandError},
    field::required,
    mayfly_forecast::targets_for,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::{
    reaper::{Reaper, TtlParameter, Verdict, verdict},
    ttl::{Expiry, removal_window},
};

/// `{mayflyVerdict: coll, id: any}`
pub static COMMAND: Command = Command {
    name: "mayflyVerdict",
    aliases: &[],
    scope: Scope::Any,
    fields: &[required("id")],
    run,
};

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let (collection, targets) = targets_for(context, request)?;
    let id = request.value("id")?.unwrap_or(Bson::Null);
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
