//! How many documents go at once: in one minute ahead, or in the first pass.

use mayfly_engine::reply::DocCount;

use super::is_more_than_percent;
use crate::commands::rollout;
use crate::inspect::audit::facts::{CollectionFacts, Facts, MonitorState, RuleFacts, RuleKind};
use crate::inspect::audit::finding::{Finding, FindingId};
use crate::inspect::audit::words;
use crate::job::rollout::RolloutPlan;

/// Documents and percent of the collection that make a minute a cliff.
const CLIFF_DOCS: u64 = 10_000;
const CLIFF_PERCENT: u64 = 5;

/// Percent of the collection that make a first pass a backlog.
const BACKLOG_PERCENT: u64 = 1;

/// Documents a second of the rollout that is offered.
const PER_SECOND: u64 = 500;

/// Replication lag in seconds that a rollout on a server waits for.
const LAG_SECS: u64 = 10;

pub(super) fn of(facts: &Facts, collection: &CollectionFacts) -> Vec<Finding> {
    [cliff(facts, collection), backlog(facts, collection)].into_iter().flatten().collect()
}

/// Whether a number of documents in one minute is a cliff.
fn is_cliff(documents: DocCount, of: DocCount) -> bool {
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
        .at(&collection.namespace, None)
        .about(minute.documents)
        .evidence(format!("It begins at {}.", words::instant(minute.from_ms)));
    let mend =
        "Roll the TTL out in steps before that minute, so that replication and caches keep up.";
    Some(with_rollout(facts, collection, finding.mend(mend)))
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
    let finding = Finding::new(FindingId::BacklogAtStart, sentence)
        .at(&collection.namespace, None)
        .about(overdue)
        .evidence(why);
    let mend = "Check that the dates are right, and keep a backup. Then roll the TTL out in steps.";
    Some(with_rollout(facts, collection, finding.mend(mend)))
}

/// Whether documents became due while no monitor ran, and it runs again without a pass so far.
fn waits_for_first_pass(facts: &Facts, collection: &CollectionFacts) -> bool {
    let patience_ms = facts.monitor.rhythm().patience_ms();
    let is_old = |rule: &RuleFacts| {
        rule.earliest_ms.is_some_and(|at_ms| facts.now_ms.saturating_sub(at_ms) > patience_ms)
    };
    facts.monitor.passes == Some(0) && collection.rules.iter().any(is_old)
}

/// Adds the script that lets the documents of the rule that removes most go in steps.
fn with_rollout(facts: &Facts, collection: &CollectionFacts, finding: Finding) -> Finding {
    let dates = collection.rules.iter().filter(|rule| rule.kind == RuleKind::Date);
    let Some(rule) = dates.max_by_key(|rule| rule.overdue.likely()) else { return finding };
    let finding = finding.at(&collection.namespace, Some(&rule.name));
    finding.command(rollout::script(&plan(facts, collection, rule)).trim_end())
}

fn plan(facts: &Facts, collection: &CollectionFacts, rule: &RuleFacts) -> RolloutPlan {
    RolloutPlan {
        namespace: collection.namespace.clone(),
        create: None,
        name: rule.name.clone(),
        key: rule.key.clone(),
        partial: rule.partial.clone(),
        from_secs: Some(rule.secs),
        to_secs: rule.secs,
        per_second: PER_SECOND,
        pass_max: None,
        replaces: false,
        lag_max_secs: facts.is_server.then_some(LAG_SECS),
    }
}
