//! `mayflyHeld`: the removals that are on hold, and why.

use bson::{Bson, DateTime, Document, doc};

use crate::{
    command::core::{
        command::{Command, Scope},
        context::Context,
        error::{Answer, CommandError},
        monitor::ttl_status::archive_holds,
        reply::{long, raw},
        request::Request,
    },
    limits::DUE_COUNT_MAX,
    reaper::{Hold, HoldStatus, IndexHold, Target, count_due, targets},
};

/// `{mayflyHeld: 1}`
pub static COMMAND: Command =
    Command { name: "mayflyHeld", aliases: &[], scope: Scope::Admin, fields: &[], run };

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let status = context.reaper.held_status();
    let all = targets(&context.collections.catalog());
    let mut rules: Vec<Bson> = Vec::new();
    let mut holds: Vec<Bson> = Vec::new();
    let mut total = 0;
    for target in all.iter().filter(|target| !target.ranges.is_empty()) {
        let index = status.indexes.iter().find(|held| held.rule == target.identity());
        if status.all.is_none() && index.is_none() {
            continue;
        }
        let due = due(context, target, status.now.wall_ms)?;
        total += due;
        rules.push(rule_document(target, due).into());
        if let Some(held) = index {
            holds.push(index_document(held, target, due).into());
        }
    }
    if let Some(held) = &status.all {
        holds.insert(0, all_document(held, total).into());
    }
    let mut reply = doc! { "held": !holds.is_empty() };
    if let Some(Bson::Document(first)) = holds.first() {
        for name in ["reason", "sentence", "kept", "noticed", "expected"] {
            reply.insert(name, first.get(name).cloned().unwrap_or(Bson::Null));
        }
    }
    reply.extend(clocks(&status));
    reply.extend(doc! { "due": long(total), "rules": rules, "holds": holds });
    reply.insert("archives", archive_holds(context));
    raw(&reply)
}

/// Both clocks: what the wall clock says, and what it should say by time since boot.
fn clocks(status: &HoldStatus) -> Document {
    doc! {
        "now": DateTime::from_millis(status.now.wall_ms),
        "expectedNow": status.expected_ms.map(DateTime::from_millis),
        "lastPass": status.last_pass_ms.map(DateTime::from_millis),
    }
}

fn all_document(held: &Hold, due: u64) -> Document {
    doc! {
        "scope": "all",
        "reason": held.reason.code(),
        "sentence": held.reason.sentence(),
        "kept": held.kept,
        "noticed": DateTime::from_millis(held.wall_ms),
        "expected": DateTime::from_millis(held.expected_ms),
        "due": long(due),
    }
}

fn index_document(held: &IndexHold, target: &Target, due: u64) -> Document {
    let expected_ms = held.wall_ms.saturating_sub(held.ahead_ms);
    doc! {
        "scope": "index",
        "ns": target.collection.namespace.to_string(),
        "index": target.name(),
        "reason": held.reason.code(),
        "sentence": held.reason.sentence(),
        "kept": held.kept,
        "noticed": DateTime::from_millis(held.wall_ms),
        "expected": DateTime::from_millis(expected_ms),
        "due": long(due),
    }
}

/// How many documents of a rule would go with a pass now; `atLeast` if there are more than are
/// counted.
fn rule_document(target: &Target, due: u64) -> Document {
    let mut document = doc! {
        "ns": target.collection.namespace.to_string(),
        "index": target.name(),
        "due": long(due),
    };
    if due >= DUE_COUNT_MAX {
        document.insert("atLeast", true);
    }
    document
}

fn due(context: &Context, target: &Target, now_ms: i64) -> Result<u64, CommandError> {
    Ok(count_due(context.collections.store(), target, None, now_ms, DUE_COUNT_MAX)?)
}
