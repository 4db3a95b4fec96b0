//! `mayflyVerdict`: the verdict of every TTL rule on one document, with reasons; or the thresholds
//! of several documents.

use bson::Bson;

use super::ttl_targets::targets_for;
use crate::{
    catalog::CollectionMeta,
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, missing_field, optional, raw,
    },
    limits::{BACKGROUND_DELETE_SECS_MAX, VERDICT_IDS_MAX},
    reaper::{Reaper, Target, TtlParameter, told, verdict},
    reply::{self, DocumentDue},
    ttl::{RemovalWindow, removal_window},
};

/// `{mayflyVerdict: coll, id: any}`, or `{mayflyVerdict: coll, ids: [any]}` for a list of
/// documents.
pub static COMMAND: Command =
    Command::any("mayflyVerdict", &[optional("id"), optional("ids")], run);

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
    let winner = found.winner.and_then(|place| found.rules.get(place));
    let threshold_ms = winner.and_then(|rule| rule.expiry.threshold_ms());
    let in_background =
        found.winner.and_then(|place| targets.get(place)).is_some_and(|it| it.in_background);
    let window = threshold_ms.map(|at_ms| window(&context.reaper, at_ms, in_background));
    let reply = reply::Verdict {
        rules: found
            .rules
            .iter()
            .map(|rule| told(&rule.index, &rule.field, &rule.expiry))
            .collect(),
        winner: winner.map(|rule| rule.index.clone()),
        earliest_ms: window.map(|window| window.earliest_ms),
        latest_ms: window.map(|window| window.latest_ms),
    };
    raw(&reply.to_document())
}

fn several(
    context: &Context,
    collection: &CollectionMeta,
    targets: &[Target],
    ids: Bson,
) -> Answer {
    let ids = match ids {
        Bson::Array(ids) if ids.len() <= VERDICT_IDS_MAX => ids,
        _ => {
            return Err(CommandError::bad_value(format!(
                "'ids' must be an array of at most {VERDICT_IDS_MAX} values of _id"
            )));
        }
    };
    let mut documents = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(found) = verdict(context.collections.store(), collection, targets, &id)? else {
            continue;
        };
        let winner = found.winner.and_then(|place| found.rules.get(place));
        let deadline = winner.and_then(|rule| rule.expiry.deadline());
        documents.push(DocumentDue {
            id,
            base_ms: deadline.map(|deadline| deadline.base_ms),
            threshold_ms: deadline.map(|deadline| deadline.threshold_ms),
        });
    }
    raw(&reply::Verdicts { documents }.to_document())
}

/// Between which instants a document with this threshold is removed. By a rule that is
/// `in_background`, scheduled passes leave it alone for a while.
fn window(reaper: &Reaper, threshold_ms: i64, in_background: bool) -> RemovalWindow {
    let sleep_secs = if reaper.parameters().at_threshold() && !in_background {
        0
    } else {
        reaper.parameters().get(TtlParameter::SleepSecs)
    };
    let delay_secs = if in_background { BACKGROUND_DELETE_SECS_MAX } else { 0 };
    let sleep_secs = sleep_secs.saturating_add(delay_secs);
    let last_pass_ms = reaper.last_pass().map_or(0, |pass| pass.duration_micros / 1_000);
    let last_pass_ms = i64::try_from(last_pass_ms).unwrap_or(i64::MAX);
    removal_window(threshold_ms, sleep_secs, last_pass_ms)
}
