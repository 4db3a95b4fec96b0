//! The indexes of a tab.

use super::Action;
use super::entry::{Entry, Group};
use crate::state::State;

/// What can be asked of the view.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexesAction {
    /// Asks for everything again.
    Refresh,
    /// Chooses an index.
    Select(Option<String>),
    /// Opens the dialog that creates an index.
    OpenCreate,
    /// Opens the dialog that changes the TTL of an index, or gives it one.
    OpenChangeTtl(String),
    /// Opens the dialog that drops an index.
    OpenDrop(String),
    /// Hides an index from queries, or shows it again.
    Hide {
        /// The index.
        name: String,
        /// Hide it, else show it.
        hidden: bool,
    },
    /// The open dialog was changed: asks what its TTL would remove.
    AskWhatIf,
    /// Sends the command of the open dialog.
    Send,
}

/// Opens the dialog that creates an index.
pub const CREATE: Entry = Entry {
    group: Group::Collection,
    label: "Create index…",
    tooltip: "Make an index on a field, with or without a TTL",
    keys: None,
    action: |state: &State| {
        Some(Action::Indexes(state.tabs.active()?.id, IndexesAction::OpenCreate))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[CREATE];
