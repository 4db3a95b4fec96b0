//! Backups, restore and maintenance of the whole store.

use super::Action;
use super::entry::{Entry, Group};
use super::store_actions::{MaintenanceAction, Page};
use crate::state::{Phase, State};

/// Opens the dialog.
pub const HOME: Entry = Entry {
    group: Group::Store,
    label: "Backup and maintenance…",
    tooltip: "Back up, restore, compact and verify the store; its size and its backups",
    keys: None,
    action: |state| show(Page::Home, state),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    HOME,
    Entry {
        group: Group::Maintenance,
        label: "Back up…",
        tooltip: "Copy the store to a file while it is open",
        keys: None,
        action: |state| show(Page::Backup, state).filter(|_| state.is_open()),
    },
    Entry {
        group: Group::Maintenance,
        label: "Restore…",
        tooltip: "Replace this store with a backup and keep the current one",
        keys: None,
        action: |state| show(Page::Restore, state),
    },
    Entry {
        group: Group::Maintenance,
        label: "Compact…",
        tooltip: "Reclaim disk space left by removed documents",
        keys: None,
        action: |state| show(Page::Compact, state),
    },
    Entry {
        group: Group::Maintenance,
        label: "Verify…",
        tooltip: "Check the whole store and report problems",
        keys: None,
        action: |state| show(Page::Verify, state),
    },
    Entry {
        group: Group::Maintenance,
        label: "Scrub now",
        tooltip: "Check all documents for damage in the background",
        keys: None,
        action: |state| {
            let can = state.is_open() && state.store.capabilities.maintenance;
            let idle = !state.maintenance.scrub.is_running;
            (can && idle).then_some(Action::Maintenance(MaintenanceAction::Scrub(true)))
        },
    },
];

/// Opens a page, if the store has one.
pub fn show(page: Page, state: &State) -> Option<Action> {
    let can = match state.store.phase {
        Phase::Open => state.store.capabilities.maintenance,
        // A store that can't be opened may need it the most.
        Phase::Failed(_) => !state.store.request.is_temporary(),
        Phase::Opening | Phase::Away(_) => false,
    };
    can.then_some(Action::Maintenance(MaintenanceAction::Show(page)))
}
