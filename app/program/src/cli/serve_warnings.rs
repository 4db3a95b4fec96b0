//! Warnings of a served store: what the window shows in a banner, for those who run it without one.

use bson::doc;
use mayfly_engine::{
    engine::Engine,
    event::{Event, Finding, Subscription},
    store::{StoreState, StoreStatus},
};

use super::limits::SERVE_FINDINGS_MAX;

/// The state of a served store as far as it is printed.
pub(super) struct Warnings<'e> {
    engine: &'e Engine,
    events: Subscription,
    /// Why removals are on hold.
    held: Option<String>,
    state: StoreState,
    findings: usize,
}

impl<'e> Warnings<'e> {
    /// Watches a store from now on.
    pub(super) fn of(engine: &'e Engine) -> Self {
        let events = engine.subscribe();
        Self { engine, events, held: None, state: StoreState::Ok, findings: 0 }
    }

    /// The news since the last call, one line each. The first call tells the state so far.
    pub(super) fn next(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        for event in self.events.try_iter() {
            match event {
                Event::DamageFound(finding) => {
                    self.findings += 1;
                    lines.extend(damage(&finding, self.findings));
                }
                Event::ThreadDied { thread, message } => {
                    lines.push(format!("Warning: the thread {thread} has stopped: {message}"));
                }
                _ => {}
            }
        }
        // Asked, and not taken from the event: a hold may be older than the subscription.
        let held = self.engine.run("admin", &doc! { "mayflyHeld": 1 });
        let held = held.get_str("sentence").ok().map(str::to_owned);
        if held != self.held {
            lines.push(hold(held.as_deref()));
            self.held = held;
        }
        let status = self.engine.collections().store().status();
        if status.state != self.state {
            lines.push(write_state(&status));
            self.state = status.state;
        }
        lines
    }
}

fn hold(sentence: Option<&str>) -> String {
    match sentence {
        None => "Removals are no longer on hold.".to_owned(),
        Some(sentence) => format!(
            "Warning: removals are on hold, nothing expires. {}. Release them in the window, or with \
             db.adminCommand({{ mayflyRelease: 1 }}).",
            sentence.trim_end_matches('.')
        ),
    }
}

/// The line about a finding; none when there are too many for lines.
fn damage(finding: &Finding, number: usize) -> Option<String> {
    if number > SERVE_FINDINGS_MAX {
        return None;
    }
    let sentence = finding.sentence.trim_end_matches('.');
    let more = if number == SERVE_FINDINGS_MAX {
        " Further damage is not listed here; mayfly verify lists all of it."
    } else {
        ""
    };
    Some(format!("Warning: damage found in {}: {sentence}.{more}", finding.namespace))
}

fn write_state(status: &StoreStatus) -> String {
    let effect = match status.state {
        StoreState::Ok => return "The store takes all writes again.".to_owned(),
        StoreState::DiskFull => {
            "inserts and updates are disabled and deletes still work. The store resumes on its own"
        }
        StoreState::ReadOnly => "the store is read-only, and nothing is removed",
        StoreState::Suspect => "writes are disabled. Reopening the store checks the whole file",
        StoreState::Detached => {
            "writes are disabled. Save a copy with mayfly backup before you close the store"
        }
    };
    let reason = status.reason.as_deref().unwrap_or("the disk refuses writes");
    format!("Warning: {}: {effect}.", reason.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use mayfly_engine::{
        catalog::Namespace,
        engine::{ClockOption, EngineOptions},
    };

    use super::*;

    #[test]
    fn a_store_that_is_well_has_no_warning() {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = ClockOption::Simulated { start_ms: 1_704_067_200_000 };
        let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
        let engine = Engine::open(folder.path(), options).expect("a store");
        let mut warnings = Warnings::of(&engine);
        assert_eq!(warnings.next(), [""; 0]);
        // As if the lines about an earlier trouble had been printed.
        warnings.held = Some("The clock jumped".to_owned());
        warnings.state = StoreState::DiskFull;
        let ended = ["Removals are no longer on hold.", "The store takes all writes again."];
        assert_eq!(warnings.next(), ended);
        assert_eq!(warnings.next(), [""; 0]);
    }

    #[test]
    fn each_state_has_its_words() {
        let status = |state, reason: &str| {
            let engine_status = StoreStatus { state, reason: Some(reason.to_owned()), ..plain() };
            write_state(&engine_status)
        };
        assert_eq!(
            status(StoreState::DiskFull, "The disk is full. Free 4 MiB."),
            "Warning: The disk is full. Free 4 MiB: inserts and updates are disabled and deletes \
             still work. The store resumes on its own."
        );
        assert!(status(StoreState::ReadOnly, "x").contains("x: the store is read-only"));
        assert!(status(StoreState::Suspect, "x").contains("checks the whole file"));
        assert!(status(StoreState::Detached, "x").contains("mayfly backup"));
        let held = hold(Some("The clock jumped by 31 days."));
        assert!(held.contains("The clock jumped by 31 days. Release them"), "{held}");
        assert!(held.ends_with("db.adminCommand({ mayflyRelease: 1 })."), "{held}");
    }

    #[test]
    fn damage_is_listed_up_to_a_bound() {
        let finding = Finding {
            namespace: Namespace::new("shop", "carts"),
            index: None,
            record: Some(7),
            sentence: "Document 7 is damaged.".to_owned(),
        };
        let first = damage(&finding, 1).expect("a line");
        assert_eq!(first, "Warning: damage found in shop.carts: Document 7 is damaged.");
        let last = damage(&finding, SERVE_FINDINGS_MAX).expect("a line");
        assert!(last.ends_with("mayfly verify lists all of it."), "{last}");
        assert_eq!(damage(&finding, SERVE_FINDINGS_MAX + 1), None);
    }

    fn plain() -> StoreStatus {
        let folder = tempfile::tempdir().expect("a folder");
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        let engine = Engine::open(folder.path(), options).expect("a store");
        engine.collections().store().status()
    }
}
