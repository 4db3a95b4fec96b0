//! The reaper.

use bson::{Bson, Document, doc};
use egui::Key;
use mayfly_engine::value::shell::write_command;

use super::entry::{Entry, Group, ctrl_shift};
use super::{Action, DialogAction};
use crate::source::Namespace;
use crate::state::Dialog;
use crate::state::dialogs::{Confirm, Tone};
use crate::state::number::counted;
use crate::state::reaper::{Held, Schedule};

/// What can be asked of the reaper.
#[derive(Debug, Clone, PartialEq)]
pub enum ReaperAction {
    /// Runs a pass now.
    RunNow,
    /// Turns it on or off.
    SetEnabled(bool),
    /// Says how often it comes.
    SetSchedule(Schedule),
    /// Turns the undo net on or off.
    SetUndo(bool),
    /// Puts a removed document back, while the undo net has it.
    PutBack {
        /// The collection.
        namespace: Namespace,
        /// The document's `_id`.
        id: Bson,
    },
    /// Puts back what a pass removed.
    PutBackPass(u64),
    /// Shows the documents of the next collection that the guard holds back.
    ShowHeld,
    /// Counts what the guard holds back, asks if that shall be removed, and releases it.
    ReleaseHeld,
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

/// Turns the undo net on.
pub const UNDO_ON: Entry = Entry {
    group: Group::Time,
    label: "Keep removed documents for 10 minutes",
    tooltip: "What the reaper removes can be put back for ten minutes, the newest 64 MiB of it",
    keys: None,
    action: |state| {
        (state.is_open() && state.reaper.undo_secs == 0)
            .then_some(Action::Reaper(ReaperAction::SetUndo(true)))
    },
};

/// Turns the undo net off.
pub const UNDO_OFF: Entry = Entry {
    group: Group::Time,
    label: "Keep no removed documents",
    tooltip: "What the reaper removes is gone for good, unless the collection has an archive",
    keys: None,
    action: |state| {
        (state.is_open() && state.reaper.undo_secs > 0)
            .then_some(Action::Reaper(ReaperAction::SetUndo(false)))
    },
};

/// Releases what the guard holds back, as it was just counted. Where that removes documents at once it asks first, and
/// the button names how many go.
#[must_use]
pub fn release_held(held: &Held) -> Action {
    let release = Action::Reaper(ReaperAction::DeleteHeld);
    if held.due() == 0 {
        return release;
    }
    let what = counted(held.due(), "document", "documents");
    let text = "They are past their threshold by the clock as it is now. What passes it until you answer goes too. \
                Removed documents come back from the undo net or an archive only, where there was one before.";
    Action::Dialog(DialogAction::Show(Dialog::Confirm(Confirm {
        title: format!("Remove {what} now?"),
        text: text.to_owned(),
        command: Some(write_command("admin", &release_command("deleteNow"))),
        button: format!("Remove {what}"),
        tone: Tone::Amber,
        action: Box::new(release),
    })))
}

/// The command that says what becomes of what the guard holds back, on `admin`.
#[must_use]
pub fn release_command(action: &str) -> Document {
    doc! { "mayflyRelease": 1, "action": action }
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
