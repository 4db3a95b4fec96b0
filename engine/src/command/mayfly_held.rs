//! `mayflyHeld`: what the guard holds back and why.

use bson::{Bson, DateTime, doc};

use super::{
    context::Context,
    error::{Answer, CommandError},
    mayfly_reap::long,
    request::Request,
    run::raw,
    table::{Command, Scope},
};
use crate::reaper::{ForecastRequest, Target, forecast, targets};

/// `{mayflyHeld: 1}`
pub static COMMAND: Command =
    Command { name: "mayflyHeld", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let Some(held) = context.reaper.held() else {
        let rules: Vec<Bson> = Vec::new();
        return raw(&doc! { "held": false, "rules": rules });
    };
    let now_ms = context.now_ms();
    let all = targets(&context.collections.catalog());
    let rules = all.iter().filter(|target| !target.lanes.is_empty());
    let rules = rules
        .map(|target| due(context, target, now_ms))
        .collect::<Result<Vec<Bson>, CommandError>>()?;
    raw(&doc! {
        "held": true,
        "reason": held.reason.code(),
        "sentence": held.reason.sentence(),
        "now": DateTime::from_millis(now_ms),
        "noticed": DateTime::from_millis(held.wall_ms),
        "expected": DateTime::from_millis(held.expected_ms),
        "rules": rules,
    })
}

/// How many documents of a rule would go with a pass now.
fn due(context: &Context, target: &Target, now_ms: i64) -> Result<Bson, CommandError> {
    let to_ms = now_ms.saturating_add(1);
    let request = ForecastRequest { now_ms, from_ms: i64::MIN, to_ms, buckets: 1 };
    let store = context.collections.store();
    let counts =
        forecast(store, target.collection.id, std::slice::from_ref(target), request)?.counts;
    Ok(Bson::Document(doc! {
        "ns": target.collection.namespace.to_string(),
        "index": target.name(),
        "due": long(counts.iter().sum()),
    }))
}
