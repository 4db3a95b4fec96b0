//! The reaper.

use mayfly_engine::value::shell::write_command;

use super::entry::{Entry, Group};
use super::keys::ctrl_shift;
use super::store_actions::ReaperAction;
use super::{Action, DialogAction};
use crate::commands::reaper;
use crate::limits::RUN_UNASKED_MAX;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::number::counted;
use crate::state::offer::Offer;
use crate::state::reaper::{Held, Schedule};
use crate::state::{Dialog, State};

/// Runs a pass now.
pub const RUN_NOW: Entry = Entry {
    group: Group::Time,
    label: "Run pass",
    tooltip: "Run a pass now and remove all expired documents",
    keys: Some(ctrl_shift("R")),
    action: |state| state.is_open().then(|| run_now(state, true)),
};

/// Runs a pass, or asks first: on the system clock, where it would remove more than [`RUN_UNASKED_MAX`] documents, or any
/// if no deliberate act asked for it, such as Space on a button that happens to have the focus.
pub fn run_now(state: &State, is_deliberate: bool) -> Action {
    let overdue = state.overdue();
    let unasked_max = if is_deliberate { RUN_UNASKED_MAX } else { 0 };
    if state.clock.is_simulated() || overdue <= unasked_max {
        return Action::Reaper(ReaperAction::RunNow);
    }
    let what = counted(overdue, "overdue document", "overdue documents");
    Action::Dialog(DialogAction::Show(Dialog::Confirm(Confirm {
        title: format!("Remove {what} now?"),
        text: "A pass removes every document past its threshold, also those that expire before \
               you confirm. The TTL monitor would remove them with its next pass."
            .to_owned(),
        command: Some(write_command("admin", &reaper::run_pass())),
        button: format!("Remove {}", counted(overdue, "document", "documents")),
        tone: Tone::Amber,
        offer: Offer::RunPass,
        name: None,
    })))
}

/// The question before the monitor of a sandbox is turned on.
pub fn resume_in_sandbox(overdue: u64) -> Dialog {
    let what = counted(overdue, "document is", "documents are");
    Dialog::Confirm(Confirm {
        title: "Turn on the TTL monitor?".to_owned(),
        text: format!("{what} overdue. The first pass removes them from the sandbox only."),
        command: Some(write_command("admin", &reaper::set_enabled(true))),
        button: "Turn on".to_owned(),
        tone: Tone::Amber,
        offer: Offer::ResumeMonitor,
        name: None,
    })
}

/// Turns the reaper off.
pub const PAUSE: Entry = Entry {
    group: Group::Time,
    label: "Pause the TTL monitor",
    tooltip: "Keep expired documents until you resume the TTL monitor",
    keys: None,
    action: |state| {
        (state.is_open() && state.reaper.enabled)
            .then_some(Action::Reaper(ReaperAction::SetEnabled(false)))
    },
};

/// Turns the reaper on.
pub const RESUME: Entry = Entry {
    group: Group::Time,
    label: "Resume the TTL monitor",
    tooltip: "Remove expired documents again",
    keys: None,
    action: |state| {
        (state.is_open() && !state.reaper.enabled)
            .then_some(Action::Reaper(ReaperAction::SetEnabled(true)))
    },
};

/// Turns the trash on.
pub const UNDO_ON: Entry = Entry {
    group: Group::Time,
    label: "Keep removed documents in the trash for 10 minutes",
    tooltip: "You can restore removed documents for 10 minutes (64 MiB at most)",
    keys: None,
    action: |state| {
        (state.is_open() && state.reaper.trash_secs == 0)
            .then_some(Action::Reaper(ReaperAction::SetUndo(true)))
    },
};

/// Turns the trash off.
pub const UNDO_OFF: Entry = Entry {
    group: Group::Time,
    label: "Turn off the trash",
    tooltip: "Removed documents are deleted permanently, unless the collection has an archive",
    keys: None,
    action: |state| {
        (state.is_open() && state.reaper.trash_secs > 0)
            .then_some(Action::Reaper(ReaperAction::SetUndo(false)))
    },
};

/// The question before the documents on hold are removed, as just counted; the button says how many.
pub fn release_held(held: &Held) -> Dialog {
    let what = counted(held.due(), "document", "documents");
    let text = "They have expired by the current clock. Documents that expire before you confirm \
                are removed too. You can restore them only from the trash or an archive, if one \
                is already on.";
    Dialog::Confirm(Confirm {
        title: format!("Remove {what} now?"),
        text: text.to_owned(),
        command: Some(write_command("admin", &reaper::release("deleteNow"))),
        button: format!("Remove {what}"),
        tone: Tone::Amber,
        offer: Offer::RemoveHeld,
        name: None,
    })
}

const fn schedule(label: &'static str, tooltip: &'static str) -> Entry {
    Entry { group: Group::Time, label, tooltip, keys: None, action: |_| None }
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    RUN_NOW,
    PAUSE,
    RESUME,
    UNDO_ON,
    UNDO_OFF,
    Entry {
        action: |state| set(state, Schedule::Every(60)),
        ..schedule("TTL monitor: every 60 s", "Run every minute, MongoDB's default")
    },
    Entry {
        action: |state| set(state, Schedule::Every(10)),
        ..schedule("TTL monitor: every 10 s", "Run every 10 seconds")
    },
    Entry {
        action: |state| set(state, Schedule::Every(1)),
        ..schedule("TTL monitor: every 1 s", "Run every second")
    },
    Entry {
        action: |state| set(state, Schedule::AtThreshold),
        ..schedule("TTL monitor: on expiration", "Run as soon as a document expires")
    },
];

fn set(state: &State, schedule: Schedule) -> Option<Action> {
    state.is_open().then_some(Action::Reaper(ReaperAction::SetSchedule(schedule)))
}

#[cfg(test)]
mod tests {
    use mayfly_engine::reply::Forecast;

    use super::*;
    use crate::state::clock::Mode;
    use crate::state::store::{Collection, Database};

    fn state(overdue: u64) -> State {
        let mut state = State::default();
        let mut collection = Collection::new("sessions", "collection");
        collection.forecast = Some(Forecast { overdue, ..Forecast::default() });
        let database = Database { collections: vec![collection], ..Database::default() };
        state.tree.databases.push(database);
        state
    }

    #[test]
    fn a_pass_that_removes_much_or_was_not_meant_is_asked_about() {
        let check = |overdue, is_deliberate, asks: bool| {
            let action = run_now(&state(overdue), is_deliberate);
            assert_eq!(action != Action::Reaper(ReaperAction::RunNow), asks, "{overdue}");
        };
        check(0, false, false);
        check(1, false, true);
        check(1, true, false);
        check(RUN_UNASKED_MAX, true, false);
        check(RUN_UNASKED_MAX + 1, true, true);
        let mut simulated = state(5_000);
        simulated.clock.learn(Mode::Simulated { rate: 1.0, paused: true }, 0, simulated.uptime);
        assert_eq!(run_now(&simulated, false), Action::Reaper(ReaperAction::RunNow));
    }
}
