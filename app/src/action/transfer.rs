//! Files in and out.

use std::path::PathBuf;

use bson::Document;
use bson::oid::ObjectId;

use super::Action;
use super::entry::{Entry, Group};
use super::store::chosen;
use crate::state::operations::OperationId;
use crate::state::{Namespace, State, Tab};

/// What can be asked about files.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferAction {
    /// Files were dropped on the window, or chosen: opens the import dialog on them.
    Import {
        /// The files; if empty, the user chooses them in the dialog.
        files: Vec<PathBuf>,
        /// The collection that was shown.
        into: Option<Namespace>,
    },
    /// Opens the export dialog on a collection.
    Export {
        /// The collection.
        namespace: Namespace,
        /// The filter of the view, as typed; empty: there is none.
        filter: String,
    },
    /// Opens the export dialog on the results of a command.
    ExportResults {
        /// The collection that the command reads.
        namespace: Namespace,
        /// The command.
        command: Document,
    },
    /// Adds the file whose path was typed in the import dialog.
    AddTyped,
    /// Takes a file out of the import dialog.
    RemoveFile(usize),
    /// Shows the preview of another file.
    ShowFile(usize),
    /// Reads the shown file again because its format options changed.
    Look,
    /// Counts what is past its threshold already.
    Rehearse,
    /// Opens the system's file dialog for the open dialog.
    Choose,
    /// Imports as drafted.
    StartImport,
    /// Exports as drafted.
    StartExport {
        /// Whether a file of that name may be written over.
        overwrite: bool,
    },
    /// Shows how an import ended.
    ShowResult(OperationId),
    /// Opens the dialog with the imports that did not reach the end of their files.
    ShowUnfinished,
    /// Resumes one of them.
    Resume(ObjectId),
    /// Removes what one of them has stored.
    RollBack(ObjectId),
    /// Forgets one of them; its documents stay.
    Leave(ObjectId),
}

/// Opens the import dialog.
pub const IMPORT: Entry = Entry {
    group: Group::Collection,
    label: "Import…",
    tooltip: "Import documents from JSON or CSV files",
    keys: None,
    action: |state| {
        let can = state.is_open() && state.store.capabilities.transfer;
        let into = chosen(state);
        can.then_some(Action::Transfer(TransferAction::Import { files: Vec::new(), into }))
    },
};

/// Opens the export dialog.
pub const EXPORT: Entry = Entry {
    group: Group::Collection,
    label: "Export…",
    tooltip: "Export the selected collection to a file",
    keys: None,
    action: |state| state.tabs.active().filter(|_| state.store.capabilities.transfer).map(export),
};

/// Opens the dialog with the imports that did not reach the end of their files.
pub const UNFINISHED: Entry = Entry {
    group: Group::Maintenance,
    label: "Unfinished imports…",
    tooltip: "Resume, roll back or dismiss imports that stopped early",
    keys: None,
    action: |state| {
        let can = state.is_open() && !state.transfer.unfinished.is_empty();
        can.then_some(Action::Transfer(TransferAction::ShowUnfinished))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[IMPORT, EXPORT, UNFINISHED];

/// Opens the import dialog for a collection; `None` where files are not supported, and for a view.
#[must_use]
pub fn import_into(namespace: Namespace, state: &State) -> Option<Action> {
    let is_view = state.tree.collection(&namespace).is_some_and(|found| found.kind == "view");
    let can = state.is_open() && state.store.capabilities.transfer && !is_view;
    let into = Some(namespace);
    can.then_some(Action::Transfer(TransferAction::Import { files: Vec::new(), into }))
}

/// Opens the export dialog on a whole collection; `None` where files are not supported.
#[must_use]
pub fn export_of(namespace: Namespace, state: &State) -> Option<Action> {
    let can = state.is_open() && state.store.capabilities.transfer;
    let filter = String::new();
    can.then_some(Action::Transfer(TransferAction::Export { namespace, filter }))
}

/// Opens the export dialog on the collection of a tab, with the filter that its documents are shown
/// by.
#[must_use]
pub fn export(tab: &Tab) -> Action {
    let filter = tab.saved_documents.query.filter.trim().to_owned();
    Action::Transfer(TransferAction::Export { namespace: tab.namespace.clone(), filter })
}
