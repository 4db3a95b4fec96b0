//! The trash: removed documents that can be restored.

use super::Action;
use super::entry::{Entry, Group};
use super::store_actions::TrashAction;
use crate::state::State;

pub const SHOW: Entry = Entry {
    group: Group::Store,
    label: "Trash…",
    tooltip: "Restore removed documents and set how long they are kept",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Trash(TrashAction::Open(None))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
