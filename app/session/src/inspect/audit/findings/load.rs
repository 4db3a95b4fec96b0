//! How many documents go at once: in one minute ahead, or in the first pass.

use mayfly_engine::reply::DocCount;

use super::is_more_than_percent;
use crate::commands::rollout::{self, Held};
use crate::inspect::audit::facts::{CollectionFacts, Facts, MonitorState, RuleFacts, RuleKind};
use crate::inspect::audit::finding::{Finding, FindingId};
use crate::inspect::audit::words;
use crate::job::number;
use crate::job::rollout::{RolloutPlan, SECS_MAX};

/// Documents and percent of the collection that make a minute a cliff.
const CLIFF_DOCS: u64 = 10_000;
const CLIFF_PERCENT: u64 = 5;

/// Percent of the collection that make a first pass a backlog.
const BACKLOG_PERCENT: u64 = 1;

/// Documents a second of the rollout that is offered, at most.
const PER_SECOND: u64 = 500;

/// The fewest steps of it.
const STEPS_MIN: u64 = 10;

/// Seconds by which the documents of a minute ahead are kept longer, until they are rolled out: a week.
const HOLD_SECS: i64 = 7 * 86_400;

const MINUTE_MS: i64 = 60_000;

/// The mend where the seconds aren't those of an index on a date.
const NO_INDEX: &str = "Give this rule more seconds with collMod first, and lower them in steps. There is no script for \
                        it, because it isn't an index on a date.";

/// Replication lag in seconds that a rollout on a server waits for.
const LAG_SECS: u64 = 10;

pub(super) fn of(facts: &Facts, collection: &CollectionFacts) -> Vec<Finding> {
    [cliff(facts, collection), backlog(facts, collection)].into_iter().flatten().collect()
}

/// Whether a number of documents in one minute is a cliff.
pub fn is_cliff(documents: DocCount, of: DocCount) -> bool {
    documents.likely() > CLIFF_DOCS && is_more_than_percent(documents, CLIFF_PERCENT, of)
}

fn cliff(facts: &Facts, collection: &CollectionFacts) -> Option<Finding> {
    let minute = collection.ahead.as_ref()?.steepest?;
    if !is_cliff(minute.documents, collection.documents) {
        return None;
    }
    let sentence = format!(
        "{} loses {}{}, in one minute.",
        collection.namespace,
        words::share(minute.documents, collection.documents),
        words::size(collection, minute.documents)
    );
    let finding = Finding::new(FindingId::Cliff, sentence)
        .about(minute.documents)
        .evidence(format!("It begins at {}.", words::instant(minute.from_ms)));
    let ahead = collection.ahead.as_ref();
    let named = ahead.and_then(|ahead| ahead.steepest_rule.as_ref());
    let mut rules = collection.rules.iter();
    let rule = rules.find(|rule| named.is_none_or(|name| rule.name == *name));
    let Some(rule) = rule else { return Some(finding.at(&collection.namespace, None)) };
    let finding = finding.at(&collection.namespace, Some(&rule.name));
    if rule.kind != RuleKind::Date {
        return Some(finding.mend(NO_INDEX));
    }
    let over_ms = minute.from_ms.saturating_add(MINUTE_MS);
    let held = Held { until_ms: over_ms, secs: rule.secs.saturating_add(HOLD_SECS).min(SECS_MAX) };
    let plan = plan(facts, collection, rule, minute.documents);
    let mend = format!(
        "Run these lines before that minute: they make the TTL {} longer, so that none of these documents goes. \
         Run them again after it, within that time: they lower the TTL so that {} at most go in a minute. Only \
         documents of the same second can't be parted.",
        words::span(HOLD_SECS.saturating_mul(1_000)),
        number::counted(plan.per_step(), "document", "documents"),
    );
    let script = rollout::script_of_held(&plan, held);
    Some(finding.mend(mend).command(script.trim_end()))
}

fn backlog(facts: &Facts, collection: &CollectionFacts) -> Option<Finding> {
    let overdue = collection.ahead.as_ref()?.overdue;
    let is_large = is_more_than_percent(overdue, BACKLOG_PERCENT, collection.documents);
    if !is_large || !facts.monitor.is_idle() && !waits_for_first_pass(facts, collection) {
        return None;
    }
    let sentence = format!(
        "The first pass over {} removes {}{}.",
        collection.namespace,
        words::share(overdue, collection.documents),
        words::size(collection, overdue)
    );
    let why = match facts.monitor.state {
        _ if !facts.monitor.holds.is_empty() => "It runs once you release the removals.",
        MonitorState::AtRest => "It runs within a minute after a program opens the store.",
        MonitorState::Works => {
            "No pass has run since the monitor started: the next one is the first."
        }
        _ => "It runs once the TTL monitor is turned on.",
    };
    let finding = Finding::new(FindingId::BacklogAtStart, sentence).about(overdue).evidence(why);
    let rule = collection.rules.iter().rev().max_by_key(|rule| rule.overdue.likely())?;
    let finding = finding.at(&collection.namespace, Some(&rule.name));
    let check = "Check that the dates are right, and keep a backup.";
    if rule.kind != RuleKind::Date {
        return Some(finding.mend(format!("{check} {NO_INDEX}")));
    }
    let script = rollout::script(&plan(facts, collection, rule, overdue));
    let mend = format!("{check} Then roll the TTL out in steps.");
    Some(finding.mend(mend).command(script.trim_end()))
}

/// Whether documents became due while no monitor ran, and it runs again without a pass so far.
fn waits_for_first_pass(facts: &Facts, collection: &CollectionFacts) -> bool {
    let patience_ms = facts.monitor.rhythm().patience_ms();
    let is_old = |rule: &RuleFacts| {
        rule.earliest_ms.is_some_and(|at_ms| facts.now_ms.saturating_sub(at_ms) > patience_ms)
    };
    facts.monitor.passes == Some(0) && collection.rules.iter().any(is_old)
}

/// A rollout of the TTL that the rule has, in steps that are a part of these documents.
fn plan(
    facts: &Facts,
    collection: &CollectionFacts,
    rule: &RuleFacts,
    documents: DocCount,
) -> RolloutPlan {
    RolloutPlan {
        namespace: collection.namespace.clone(),
        create: None,
        name: rule.name.clone(),
        key: rule.key.clone(),
        partial: rule.partial.clone(),
        is_hidden: rule.is_hidden,
        from_secs: Some(rule.secs),
        to_secs: rule.secs,
        per_second: PER_SECOND,
        pass_max: Some((documents.likely() / STEPS_MIN).max(1)),
        replaces: false,
        lag_max_secs: facts.is_server.then_some(LAG_SECS),
    }
}
