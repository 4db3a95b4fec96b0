//! The console.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::key;
use super::root::ConsoleAction;

pub const OPEN: Entry = Entry {
    group: Group::View,
    label: "Open the console",
    tooltip: "Type commands as in mongosh",
    keys: Some(key("F9")),
    action: |state| {
        // A presentation has no drawer.
        let can = state.is_open() && !state.view.is_presented();
        can.then_some(Action::Console(ConsoleAction::Open))
    },
};

/// Stops what runs in the console.
pub const STOP: Entry = Entry {
    group: Group::View,
    label: "Stop the console",
    tooltip: "Stop the input that runs in the console",
    keys: None,
    action: |state| state.console.running.as_ref().map(|_| Action::Console(ConsoleAction::Stop)),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[OPEN, STOP];
