//! Text and numbers of a field to dates.

use super::Action;
use super::entry::{Entry, Group};
use crate::state::Namespace;

/// Actions on conversions.
#[derive(Debug, Clone, PartialEq)]
pub enum ConvertAction {
    /// Opens the dialog on a field of a collection.
    Open {
        namespace: Namespace,
        /// The field, with dots. Empty if the user is to enter it.
        path: String,
    },
    /// The field in the dialog changed: reads a sample of its values.
    Sample,
    /// Another choice in the dialog changed: previews and counts again.
    Look,
    Start,
}

/// Opens the dialog.
pub const CONVERT: Entry = Entry {
    group: Group::Collection,
    label: "Convert field to dates…",
    tooltip: "Turn text or numbers of a field into dates, so that a TTL can remove documents",
    keys: None,
    action: |state| {
        let namespace = state.tabs.active()?.namespace.clone();
        Some(Action::Convert(ConvertAction::Open { namespace, path: String::new() }))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[CONVERT];
