//! Whether the monitor runs and keeps up, and what the audit could not see.

use bson::doc;
use mayfly_engine::value::shell::write_command;

use crate::commands::reaper;
use crate::inspect::audit::facts::{Facts, MonitorState};
use crate::inspect::audit::finding::{Finding, FindingId};
use crate::inspect::audit::words;
use crate::job::number;
use crate::limits::AUDIT_UNREADABLE_NAMED;

/// Seconds of a period above which the monitor is slow.
const SLOW_SECS: i64 = 3_600;

/// Milliseconds by which two clocks may differ.
const CLOCK_MS: i64 = 1_000;

pub(super) fn of(facts: &Facts) -> Vec<Finding> {
    let found = [off(facts), slow(facts), clock(facts), unreadable(facts)];
    found.into_iter().flatten().chain(facts.monitor.holds.iter().map(|why| hold(why))).collect()
}

fn off(facts: &Facts) -> Option<Finding> {
    let is_off = facts.monitor.state == MonitorState::Off;
    let finding = Finding::new(
        FindingId::MonitorOff,
        "The TTL monitor is off: no expired document is removed.",
    );
    let finding = finding
        .evidence("The parameter ttlMonitorEnabled is false.")
        .mend("Look at the backlog first; then turn the monitor on.")
        .command(write_command("admin", &reaper::set_enabled(true)));
    is_off.then_some(finding)
}

fn hold(why: &str) -> Finding {
    Finding::new(FindingId::MonitorOff, "Removals are on hold until you release them.")
        .evidence(why)
        .mend("Check that the dates are right; then release the removals.")
        .command(write_command("admin", &reaper::release("deleteNow")))
}

fn slow(facts: &Facts) -> Option<Finding> {
    let secs = facts.monitor.sleep_secs.filter(|secs| *secs > SLOW_SECS)?;
    let sentence = format!(
        "The TTL monitor runs once in {}: a document stays up to that long after its threshold.",
        words::secs(secs)
    );
    let finding = Finding::new(FindingId::MonitorSlow, sentence)
        .evidence(format!("The parameter ttlMonitorSleepSecs is {}.", number::secs(secs)))
        .mend("Set the default of 60 seconds.")
        .command(write_command("admin", &doc! { "setParameter": 1, "ttlMonitorSleepSecs": 60 }));
    Some(finding)
}

fn clock(facts: &Facts) -> Option<Finding> {
    let clock = facts.clock?;
    let off_ms = clock.ahead_ms.saturating_abs();
    if off_ms.saturating_sub(clock.uncertain_ms) <= CLOCK_MS {
        return None;
    }
    let side = if clock.ahead_ms > 0 { "fast" } else { "slow" };
    let sentence = format!(
        "The clock of {} is {} {side} by this computer's: one of the two removes too early or too late.",
        facts.name,
        words::span(off_ms)
    );
    let finding = Finding::new(FindingId::Clock, sentence)
        .evidence(format!("Measured to within {}.", words::span(clock.uncertain_ms.max(1))))
        .mend("Synchronize both clocks, with NTP for example, before you trust a threshold.");
    Some(finding)
}

fn unreadable(facts: &Facts) -> Option<Finding> {
    let count = facts.unreadable.len() as u64;
    if count == 0 {
        return None;
    }
    let places = number::counted(count, "place", "places");
    let sentence = format!(
        "{places} could not be read, so the audit says nothing about {}.",
        if count == 1 { "it" } else { "them" }
    );
    let finding = Finding::new(FindingId::Unreadable, sentence);
    let named = facts.unreadable.iter().take(AUDIT_UNREADABLE_NAMED);
    let named = named.map(|one| format!("{}: {}.", one.place, one.why));
    let mut finding = named.fold(finding, Finding::evidence);
    let further = facts.unreadable.len().saturating_sub(AUDIT_UNREADABLE_NAMED) as u64;
    if further > 0 {
        let more = number::counted(further, "more place", "more places");
        finding = finding.evidence(format!("{more}; the JSON form names all."));
    }
    Some(finding.mend(if facts.is_server {
        "Look at these places by themselves. Where the user is not authorized, use one with the roles \
         readAnyDatabase and clusterMonitor."
    } else {
        "Check the store with mayfly verify, and audit again."
    }))
}
