//! Files in and out.

use super::Action;
use super::entry::{Entry, Group};
use super::store::chosen;
use super::store_actions::TransferAction;
use crate::state::transfer::export::ShownDocuments;
use crate::state::{Namespace, State, Tab};

/// Opens the import dialog.
pub const IMPORT: Entry = Entry {
    group: Group::Collection,
    label: "Import…",
    tooltip: "Import documents from JSON, BSON, CSV, Parquet, Arrow or Excel files, or collections from an archive of \
              mongodump",
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
    tooltip: "Import the collections of a folder: an exported database, mongodump or a snapshot of Atlas; archives open with Import…",
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
