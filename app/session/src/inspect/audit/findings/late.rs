//! Documents that should be gone by now.
//!
//! A document with an old date may have been inserted a second ago, so its age alone says nothing of the monitor. It is
//! late if it has waited through passes: those of the history of a store, or those between two samples of a server.

use super::Ruled;
use crate::inspect::audit::facts::Facts;
use crate::inspect::audit::finding::{Finding, FindingId, Severity};
use crate::inspect::audit::pace::Pace;
use crate::inspect::audit::samples::Sample;
use crate::inspect::audit::words;
use crate::job::Namespace;

/// Of the documents that a pass removes, one in this many may come while it runs.
const ARRIVING: u64 = 10;

/// Whether the overdue documents of a rule have waited through passes.
enum Waited {
    Yes,
    /// They have, because there was none for this long, in milliseconds. `None` for all of the last day.
    WithoutPass(Option<i64>),
    No,
    NotKnown,
}

pub(super) fn of(ruled: Ruled<'_>) -> Option<Finding> {
    let Ruled { facts, rule, .. } = ruled;
    // Documents that became due while no program ran wait for the first pass: none is late before that.
    if facts.monitor.is_idle() || facts.monitor.passes == Some(0) {
        return None;
    }
    let rhythm = facts.monitor.rhythm();
    let since_ms = rule.earliest_ms?.max(rule.removable_ms.unwrap_or(i64::MIN));
    let late_ms = facts.now_ms.saturating_sub(since_ms);
    if late_ms <= rhythm.patience_ms() {
        return None;
    }
    let waited =
        if facts.is_server { by_samples(facts, ruled.namespace()) } else { by_history(facts) };
    let is_known = match waited {
        Waited::Yes | Waited::WithoutPass(_) => true,
        Waited::NotKnown => false,
        Waited::No => return None,
    };
    let share = words::share(rule.overdue, rule.total);
    let sentence = if is_known {
        format!("The TTL monitor does not keep up with {}: {share} overdue.", ruled.name())
    } else {
        format!(
            "Whether the TTL monitor keeps up with {} is not known: {share} overdue.",
            ruled.name()
        )
    };
    let mut finding = Finding::new(FindingId::FallingBehind, sentence).about(rule.overdue);
    let (instant, ago) = (words::instant(since_ms), words::span(late_ms));
    let period = words::span(rhythm.period_ms);
    finding = finding.evidence(format!(
        "The oldest should be gone since {instant}, {ago} ago; a pass is due every {period}."
    ));
    match waited {
        Waited::WithoutPass(Some(ms)) => {
            finding = finding.evidence(format!("No pass has ended for {}.", words::span(ms)));
        }
        Waited::WithoutPass(None) => {
            finding = finding.evidence("No pass has ended in the last 24 hours.");
        }
        Waited::Yes | Waited::No | Waited::NotKnown => {}
    }
    if facts.monitor.sleep_secs.is_none() {
        finding = finding.evidence("The server tells no period; one of 60 seconds was assumed.");
    }
    if let Some(pace @ Pace::FallingBehind { .. }) = facts.pace() {
        finding = finding.evidence(format!("All rules together: {pace}."));
    }
    let mend = if is_known {
        "See how long a pass takes and what else writes. A larger backlog goes faster in steps: plan a rollout. \
         If nothing is removed at all, restart the primary or look for a stalled monitor."
    } else {
        finding.severity = Severity::Warning;
        finding = finding.evidence("They may also have been inserted just now, with old dates.");
        "Audit again with more time, such as --time-limit 3m: it takes two looks with a pass between them."
    };
    Some(ruled.place(finding.mend(mend)))
}

/// By what the latest passes of a store on this computer left.
fn by_history(facts: &Facts) -> Waited {
    let patience_ms = facts.monitor.rhythm().patience_ms();
    let Some(last) = facts.history.last() else { return Waited::WithoutPass(None) };
    let ended_ms = last.at_ms.saturating_add(last.secs.saturating_mul(1_000));
    let quiet_ms = facts.now_ms.saturating_sub(ended_ms);
    if quiet_ms > patience_ms {
        return Waited::WithoutPass(Some(quiet_ms));
    }
    let is_recent = |at_ms: i64| facts.now_ms.saturating_sub(at_ms) <= patience_ms;
    let mut earlier = facts.history.iter().rev().skip(1).take_while(|span| is_recent(span.at_ms));
    let is_left = last.left > last.removed / ARRIVING && earlier.all(|span| span.left > 0);
    if is_left || matches!(facts.pace(), Some(Pace::FallingBehind { .. })) {
        Waited::Yes
    } else {
        Waited::No
    }
}

/// By two samples of a server with a pass between them, or with the time for one.
fn by_samples(facts: &Facts, namespace: &Namespace) -> Waited {
    let Some(last) = facts.samples.last() else { return Waited::NotKnown };
    let rhythm = facts.monitor.rhythm();
    let passes = |before: &Sample| last.passes?.checked_sub(before.passes?);
    let apart_ms = |before: &Sample| last.at_ms.saturating_sub(before.at_ms);
    let is_apart = |before: &&Sample| rhythm.has_passed(apart_ms(before));
    let mut apart = facts.samples.iter().filter(is_apart);
    if let Some(before) = apart.find(|before| passes(before) == Some(0)) {
        return Waited::WithoutPass(Some(apart_ms(before)));
    }
    let has_passed = |before: &&Sample| is_apart(before) || passes(before).is_some_and(|n| n > 0);
    let comparable = facts.samples.iter().filter(has_passed);
    let compared: Vec<bool> =
        comparable.filter_map(|before| is_same_backlog(before, last, namespace)).collect();
    if compared.contains(&true) {
        return Waited::Yes;
    }
    match facts.pace() {
        Some(Pace::FallingBehind { .. }) if last.removed.is_none() || compared.is_empty() => {
            Waited::Yes
        }
        _ if !compared.is_empty() => Waited::No,
        Some(Pace::KeepsUp) if last.of(namespace).is_some() => Waited::No,
        _ => Waited::NotKnown,
    }
}

/// Whether documents that were overdue in one sample still are in a later one. `None` where one didn't look.
fn is_same_backlog(before: &Sample, last: &Sample, namespace: &Namespace) -> Option<bool> {
    let (first, second) = (before.of(namespace)?, last.of(namespace)?);
    let removed = last.removed.zip(before.removed);
    let is_same = match removed.and_then(|(now, then)| now.checked_sub(then)) {
        // Fewer went than there were, so some of them are left.
        Some(removed) => removed < first.overdue.likely(),
        None => first.since_ms.is_some() && first.since_ms == second.since_ms,
    };
    Some(is_same && !second.overdue.is_zero())
}
