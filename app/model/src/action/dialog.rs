//! Dialogs.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::{ctrl, shift};
use super::root::DialogAction;
use crate::state::Dialog;
use crate::state::dialogs::SettingsDraft;

/// Opens the settings.
pub const SETTINGS: Entry = Entry {
    group: Group::Help,
    label: "Settings…",
    tooltip: "Theme, zoom, time zone, dates and numbers, TTL monitor",
    keys: Some(ctrl(",")),
    action: |_| {
        let dialog = Dialog::Settings(SettingsDraft::default());
        Some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// Lists the shortcuts.
pub const SHORTCUTS: Entry = Entry {
    group: Group::Help,
    label: "Keyboard shortcuts",
    tooltip: "All keyboard shortcuts",
    keys: Some(shift("F1")),
    action: |_| Some(Action::Dialog(DialogAction::Show(Dialog::Shortcuts))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SETTINGS, SHORTCUTS];
