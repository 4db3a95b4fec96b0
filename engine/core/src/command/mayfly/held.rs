//! `mayflyHeld`: the removals that are on hold, and why.

use crate::{
    command::core::{
        Answer, Command, CommandError, Context, Request, monitor::ttl_status::failing_archives, raw,
    },
    limits::DUE_COUNT_MAX,
    plan::check_interrupt,
    reaper::{Hold, IndexHold, Target, count_due, targets},
    reply::{self, Held, HeldRule},
};

/// `{mayflyHeld: 1}`
pub static COMMAND: Command = Command::admin("mayflyHeld", &[], run);

fn run(context: &Context, _: &Request<'_>) -> Answer {
    let status = context.reaper.held_status();
    let all = targets(&context.collections.catalog());
    let (mut rules, mut holds, mut total) = (Vec::new(), Vec::new(), 0);
    for target in all.iter().filter(|target| !target.ranges.is_empty()) {
        let index = status.indexes.iter().find(|held| held.rule == target.identity());
        if status.all.is_none() && index.is_none() {
            continue;
        }
        let due = due(context, target, status.now.wall_ms)?;
        total += due;
        rules.push(HeldRule {
            ns: target.collection.namespace.to_string(),
            index: target.name().to_owned(),
            due,
            is_at_least: (due >= DUE_COUNT_MAX).then_some(true),
        });
        holds.extend(index.map(|held| of_index(held, target, due)));
    }
    if let Some(held) = &status.all {
        holds.insert(0, of_all(held, total));
    }
    let first = holds.first();
    let held = Held {
        is_held: first.is_some(),
        reason: first.map(|first| first.reason.clone()),
        sentence: first.map(|first| first.sentence.clone()),
        kept: first.map(|first| first.kept),
        noticed_ms: first.map(|first| first.noticed_ms),
        expected_ms: first.map(|first| first.expected_ms),
        now_ms: Some(status.now.wall_ms),
        expected_now_ms: status.expected_ms,
        last_pass_ms: status.last_pass_ms,
        due: total,
        rules,
        holds,
        archives: failing_archives(context),
    };
    raw(&held.to_document())
}

fn of_all(held: &Hold, due: u64) -> reply::Hold {
    reply::Hold {
        scope: "all".to_owned(),
        ns: None,
        index: None,
        reason: held.reason.code().to_owned(),
        sentence: held.reason.sentence(),
        kept: held.kept,
        noticed_ms: held.wall_ms,
        expected_ms: held.expected_ms,
        due,
    }
}

fn of_index(held: &IndexHold, target: &Target, due: u64) -> reply::Hold {
    reply::Hold {
        scope: "index".to_owned(),
        ns: Some(target.collection.namespace.to_string()),
        index: Some(target.name().to_owned()),
        reason: held.reason.code().to_owned(),
        sentence: held.reason.sentence(),
        kept: held.kept,
        noticed_ms: held.wall_ms,
        expected_ms: held.wall_ms.saturating_sub(held.ahead_ms),
        due,
    }
}

fn due(context: &Context, target: &Target, now_ms: i64) -> Result<u64, CommandError> {
    check_interrupt()?;
    Ok(count_due(context.collections.store(), target, None, now_ms, DUE_COUNT_MAX)?)
}
