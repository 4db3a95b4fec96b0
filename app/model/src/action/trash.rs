//! Removed documents that can be restored: those in the trash, and those moved to an archive.

use super::Action;
use super::entry::{Entry, Group};
use super::store_actions::TrashAction;
use crate::state::State;

pub const SHOW: Entry = Entry {
    group: Group::Store,
    label: "Recently removed…",
    tooltip: "Restore removed documents, and set how long they are kept and where they go then",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Trash(TrashAction::Open(None))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
