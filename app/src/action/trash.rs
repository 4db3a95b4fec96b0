//! The trash: removed documents that can be restored.

use super::Action;
use super::entry::{Entry, Group};
use crate::state::trash::RestoreCommand;
use crate::state::{Namespace, State};

/// Actions on the trash. All but the first come from its dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum TrashAction {
    /// Opens the dialog and lists a collection, or all.
    Open(Option<Namespace>),
    List(Option<Namespace>),
    More,
    /// Keeps removed documents for this many seconds. 0 turns the trash off.
    Keep(i64),
    Restore(RestoreCommand),
}

pub const SHOW: Entry = Entry {
    group: Group::Store,
    label: "Trash…",
    tooltip: "Restore removed documents and set how long they are kept",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Trash(TrashAction::Open(None))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
