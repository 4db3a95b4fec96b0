//! Files in and out.

use std::path::PathBuf;

use bson::oid::ObjectId;

use super::Action;
use super::entry::{Entry, Group};
use super::store::chosen;
use crate::state::operations::OperationId;
use crate::state::transfer::export::ShownDocuments;
use crate::state::{Namespace, State, Tab};

/// Actions on files.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferAction {
    /// Files were dropped on the window, or chosen: opens the import dialog on them.
    Import {
        /// The files; if empty, the user chooses them in the dialog.
        files: Vec<PathBuf>,
        into: Option<Namespace>,
    },
    /// Files that the command line named: opens the import dialog on them. The documents are shown as
    /// soon as all of them are imported.
    Open(Vec<PathBuf>),
    /// Opens the import dialog on a collection: files go there, not into one with their name.
    ImportInto(Namespace),
    /// Opens the export dialog on a collection.
    Export {
        namespace: Namespace,
        /// The documents that the view shows. The default is everything.
        shown: Box<ShownDocuments>,
    },
    /// Opens the dialog that copies a collection into another store.
    Copy {
        namespace: Namespace,
        /// The filter that the view shows it by, as typed.
        filter: String,
    },
    LookCopy,
    StartCopy,
    /// Opens the store that the open dialog's copy went into.
    ShowCopy,
    /// Removes what the open dialog's copy inserted.
    RollBackCopy,
    /// Opens the import dialog and the system's dialog for a folder.
    ImportFolder,
    /// Opens the dialog that exports a database to a folder.
    ExportDatabase(String),
    /// Shows the documents of a collection, and the dialog that adds those of the clipboard.
    Paste(Namespace),
    /// Opens the export dialog on a JSON Schema.
    ExportSchema {
        namespace: Namespace,
        text: String,
    },
    /// Adds the file whose path was typed in the import dialog.
    AddTyped,
    /// Takes a file out of the import dialog.
    RemoveFile(usize),
    ShowFile(usize),
    /// Reads the shown file again because its format options changed.
    Look,
    /// Counts what is past its threshold already.
    Rehearse,
    /// Opens the system's file dialog for the open dialog.
    Choose,
    /// Opens the system's dialog for a folder of an exported database.
    ChooseDump,
    /// Imports a dump as drafted.
    StartDump,
    StartImport,
    StartExport {
        /// Whether a file of that name may be written over.
        overwrite: bool,
    },
    /// Exports a database as drafted.
    StartExportDatabase,
    /// Opens the dialog of an import or export that ended, filled in as it was.
    Again(OperationId),
    ShowResult(OperationId),
    /// Opens the dialog with the imports and operations that stopped early.
    ShowUnfinished,
    /// Asks for the operations that were cut short.
    ListUnfinished,
    Resume(ObjectId),
    /// Removes what one of them has stored.
    RollBack(ObjectId),
    /// Removes what the import of the shown result has stored.
    RollBackResult(OperationId),
    /// Forgets one of them; its documents stay.
    Leave(ObjectId),
}

/// Opens the import dialog.
pub const IMPORT: Entry = Entry {
    group: Group::Collection,
    label: "Import…",
    tooltip: "Import documents from JSON, BSON or CSV files",
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
    action: |state| state.tabs.active().filter(|_| state.can_export()).map(export),
};

/// Opens the import dialog on a folder.
pub const IMPORT_FOLDER: Entry = Entry {
    group: Group::Collection,
    label: "Import folder…",
    tooltip: "Import the collections of an exported database, or of a folder of mongodump",
    keys: None,
    action: |state| {
        let can = state.is_open() && state.store.capabilities.transfer;
        can.then_some(Action::Transfer(TransferAction::ImportFolder))
    },
};

/// Opens the dialog that exports the database of the chosen collection.
pub const EXPORT_DATABASE: Entry = Entry {
    group: Group::Collection,
    label: "Export database…",
    tooltip: "Export every collection of the current database to a folder",
    keys: None,
    action: |state| export_database(&chosen(state)?.db, state),
};

/// Opens the dialog that copies the chosen collection of a server into another store.
pub const COPY: Entry = Entry {
    group: Group::Collection,
    label: "Copy to a store…",
    tooltip: "Copy documents of a server into a sandbox or a store on this machine",
    keys: None,
    action: |state| {
        let tab = state.tabs.active()?;
        let filter = tab.saved_documents.query.filter.clone();
        copy_to_store(tab.namespace.clone(), filter, state)
    },
};

/// Opens the dialog that copies the chosen collection into a server.
pub const COPY_TO_SERVER: Entry = Entry {
    group: Group::Collection,
    label: "Copy to a server…",
    tooltip: "Copy documents of this store into a MongoDB server",
    keys: None,
    action: |state| {
        let tab = state.tabs.active()?;
        let filter = tab.saved_documents.query.filter.clone();
        copy_to_server(tab.namespace.clone(), filter, state)
    },
};

/// Opens the dialog with the imports and operations that stopped early.
pub const UNFINISHED: Entry = Entry {
    group: Group::Maintenance,
    label: "Unfinished operations…",
    tooltip: "Continue, stop or undo operations and imports that stopped early",
    keys: None,
    action: |state| {
        let transfer = &state.transfer;
        let is_any = !transfer.unfinished.is_empty() || !transfer.cut.is_empty();
        let can = state.is_open() && is_any;
        can.then_some(Action::Transfer(TransferAction::ShowUnfinished))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] =
    &[IMPORT, EXPORT, IMPORT_FOLDER, EXPORT_DATABASE, COPY, COPY_TO_SERVER, UNFINISHED];

/// Opens the import dialog for a collection; `None` where files are not supported, and for a view.
pub fn import_into(namespace: Namespace, state: &State) -> Option<Action> {
    let is_view = state.tree.collection(&namespace).is_some_and(|found| found.kind == "view");
    let can = state.is_open() && state.store.capabilities.transfer && !is_view;
    can.then_some(Action::Transfer(TransferAction::ImportInto(namespace)))
}

/// Opens the dialog that copies a collection of a server; `None` for a view, and for a store on this
/// machine.
pub fn copy_to_store(namespace: Namespace, filter: String, state: &State) -> Option<Action> {
    let is_copied = state.tree.collection(&namespace).is_some_and(|it| it.kind == "collection");
    let can = state.is_open() && state.store.connection.is_some() && is_copied;
    can.then_some(Action::Transfer(TransferAction::Copy { namespace, filter }))
}

/// Opens the dialog that copies a collection of this machine into a server; `None` for a view.
pub fn copy_to_server(namespace: Namespace, filter: String, state: &State) -> Option<Action> {
    let is_copied = state.tree.collection(&namespace).is_some_and(|it| it.kind == "collection");
    let can = state.is_open() && state.store.connection.is_none() && is_copied;
    can.then_some(Action::Transfer(TransferAction::Copy { namespace, filter }))
}

/// Opens the dialog that adds documents from the clipboard to a collection; `None` for a view.
pub fn paste_into(namespace: Namespace, state: &State) -> Option<Action> {
    let is_view = state.tree.collection(&namespace).is_some_and(|found| found.kind == "view");
    (state.is_open() && !is_view).then_some(Action::Transfer(TransferAction::Paste(namespace)))
}

/// Opens the export dialog on a whole collection; `None` where files are not supported.
pub fn export_of(namespace: Namespace, state: &State) -> Option<Action> {
    let shown = Box::default();
    state.can_export().then_some(Action::Transfer(TransferAction::Export { namespace, shown }))
}

/// Opens the dialog that exports a database; `None` where files are not supported.
pub fn export_database(db: &str, state: &State) -> Option<Action> {
    let can = state.is_open() && state.store.capabilities.transfer;
    can.then(|| Action::Transfer(TransferAction::ExportDatabase(db.to_owned())))
}

/// Opens the export dialog on the collection of a tab, with the query that its documents are shown
/// by and the columns that are hidden.
pub fn export(tab: &Tab) -> Action {
    let saved = &tab.saved_documents;
    let shown = ShownDocuments { query: saved.query.clone(), hidden: saved.hidden.clone() };
    let (namespace, shown) = (tab.namespace.clone(), Box::new(shown));
    Action::Transfer(TransferAction::Export { namespace, shown })
}
