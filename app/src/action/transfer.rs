//! Files in and out.

use std::path::PathBuf;

use super::Action;
use super::entry::{Entry, Group};
use super::store::chosen;
use crate::state::Namespace;

/// What can be asked about files.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferAction {
    /// Files were dropped on the window, or chosen: opens the import dialog on them.
    Import {
        /// The files; empty: a person chooses them in the dialog.
        files: Vec<PathBuf>,
        /// The collection that was shown.
        into: Option<Namespace>,
    },
    /// Opens the export dialog on a collection.
    Export(Namespace),
}

/// Opens the import dialog.
pub const IMPORT: Entry = Entry {
    group: Group::Collection,
    label: "Import…",
    tooltip: "Read documents from JSON or CSV files",
    keys: None,
    action: |state| {
        let into = chosen(state);
        state
            .is_open()
            .then_some(Action::Transfer(TransferAction::Import { files: Vec::new(), into }))
    },
};

/// Opens the export dialog.
pub const EXPORT: Entry = Entry {
    group: Group::Collection,
    label: "Export…",
    tooltip: "Write the documents of the chosen collection to a file",
    keys: None,
    action: |state| Some(Action::Transfer(TransferAction::Export(chosen(state)?))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[IMPORT, EXPORT];
