//! The reaper.

use egui::Key;

use super::Action;
use super::entry::{Entry, Group, ctrl_shift};
use crate::state::reaper::Schedule;

/// What can be asked of the reaper.
#[derive(Debug, Clone, PartialEq)]
pub enum ReaperAction {
    /// Runs a pass now.
    RunNow,
    /// Turns it on or off.
    SetEnabled(bool),
    /// Says how often it comes.
    SetSchedule(Schedule),
    /// Releases what the guard holds back, and removes it now.
    DeleteHeld,
    /// Leaves what the guard holds back as it is.
    KeepHeld,
    /// Empties the log.
    ClearLog,
}

/// Runs a pass now.
pub const RUN_NOW: Entry = Entry {
    group: Group::Time,
    label: "Run now",
    tooltip: "Run a pass of the reaper now; it removes every document past its threshold",
    keys: ctrl_shift(Key::R),
    action: |state| state.is_open().then_some(Action::Reaper(ReaperAction::RunNow)),
};

/// Turns the reaper off.
pub const PAUSE: Entry = Entry {
    group: Group::Time,
    label: "Pause the reaper",
    tooltip: "Documents stay past their threshold until the reaper is on again",
    keys: None,
    action: |state| {
        (state.is_open() && state.reaper.enabled)
            .then_some(Action::Reaper(ReaperAction::SetEnabled(false)))
    },
};

/// Turns the reaper on.
pub const RESUME: Entry = Entry {
    group: Group::Time,
    label: "Resume the reaper",
    tooltip: "Let the reaper remove documents past their threshold again",
    keys: None,
    action: |state| {
        (state.is_open() && !state.reaper.enabled)
            .then_some(Action::Reaper(ReaperAction::SetEnabled(true)))
    },
};

const fn schedule(label: &'static str, tooltip: &'static str) -> Entry {
    Entry { group: Group::Time, label, tooltip, keys: None, action: |_| None }
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    RUN_NOW,
    PAUSE,
    RESUME,
    Entry {
        action: |state| set(state, Schedule::Every(60)),
        ..schedule("Reaper: every 60 s", "A pass each minute, as MongoDB does")
    },
    Entry {
        action: |state| set(state, Schedule::Every(10)),
        ..schedule("Reaper: every 10 s", "A pass every ten seconds")
    },
    Entry {
        action: |state| set(state, Schedule::Every(1)),
        ..schedule("Reaper: every 1 s", "A pass every second")
    },
    Entry {
        action: |state| set(state, Schedule::AtThreshold),
        ..schedule("Reaper: at the threshold", "A pass whenever a document reaches its threshold")
    },
];

fn set(state: &crate::state::State, schedule: Schedule) -> Option<Action> {
    state.is_open().then_some(Action::Reaper(ReaperAction::SetSchedule(schedule)))
}
