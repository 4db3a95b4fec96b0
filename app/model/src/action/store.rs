//! Databases and collections.

use super::entry::{Entry, Group};
use super::keys::ctrl;
use super::store_actions::StoreAction;
use super::{Action, DialogAction, ViewAction, sandbox};
use crate::job::OpenRequest;
use crate::state::dialogs::{
    CreateCollection, CreateDatabase, Dialog, DropDialog, DropTarget, RenameCollection, Sent,
};
use crate::state::{Namespace, State};

/// Reads everything again.
pub const REFRESH: Entry = Entry {
    group: Group::Store,
    label: "Refresh",
    tooltip: "Reload databases, collections and the current view",
    keys: Some(ctrl("R")),
    action: |state| state.is_open().then_some(Action::Store(StoreAction::Refresh)),
};

/// Makes a database.
pub const CREATE_DATABASE: Entry = Entry {
    group: Group::Store,
    label: "Create database…",
    tooltip: "Create a database with its first collection",
    keys: None,
    action: |state| {
        let dialog = Dialog::CreateDatabase(CreateDatabase::default());
        state.is_open().then_some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// Makes a collection in the database of the chosen one.
pub const CREATE_COLLECTION: Entry = Entry {
    group: Group::Store,
    label: "Create collection…",
    tooltip: "Create a collection in the current database",
    keys: None,
    action: |state| {
        let db = chosen(state)
            .map(|namespace| namespace.db)
            .or_else(|| state.tree.databases.first().map(|first| first.name.clone()))?;
        let draft = CreateCollection { db, ..CreateCollection::default() };
        Some(Action::Dialog(DialogAction::Show(Dialog::CreateCollection(draft))))
    },
};

/// Renames the chosen collection.
pub const RENAME_COLLECTION: Entry = Entry {
    group: Group::Collection,
    label: "Rename collection…",
    tooltip: "Rename the selected collection",
    keys: None,
    action: |state| {
        let from = chosen(state)?;
        let name = from.collection.clone();
        let dialog =
            Dialog::RenameCollection(RenameCollection { from, name, sent: Sent::default() });
        Some(Action::Dialog(DialogAction::Show(dialog)))
    },
};

/// Duplicates the chosen collection.
pub const DUPLICATE_COLLECTION: Entry = Entry {
    group: Group::Collection,
    label: "Duplicate collection…",
    tooltip: "Copy the selected collection under another name, with its indexes",
    keys: None,
    action: |state| duplicate(chosen(state)?, state),
};

/// Shows the figures of the chosen collection.
pub const STATISTICS: Entry = Entry {
    group: Group::Collection,
    label: "Collection statistics",
    tooltip: "Documents, sizes and indexes of the selected collection",
    keys: None,
    action: |state| statistics(chosen(state)?, state),
};

/// Deletes the documents of the chosen collection.
pub const EMPTY_COLLECTION: Entry = Entry {
    group: Group::Collection,
    label: "Empty collection…",
    tooltip: "Delete every document of the selected collection and keep its indexes",
    keys: None,
    action: |state| empty(chosen(state)?, state),
};

/// Drops the chosen collection.
pub const DROP_COLLECTION: Entry = Entry {
    group: Group::Collection,
    label: "Drop collection…",
    tooltip: "Delete the selected collection with its documents and indexes",
    keys: None,
    action: |state| Some(drop_dialog(DropTarget::Collection(chosen(state)?))),
};

/// Drops the database of the chosen collection.
pub const DROP_DATABASE: Entry = Entry {
    group: Group::Store,
    label: "Drop database…",
    tooltip: "Delete the current database and all its collections",
    keys: None,
    action: |state| Some(drop_dialog(DropTarget::Database(chosen(state)?.db))),
};

/// Opens another data folder.
pub const OPEN_FOLDER: Entry = Entry {
    group: Group::Store,
    label: "Open data folder…",
    tooltip: "Open another store in this window",
    keys: Some(ctrl("O")),
    action: |_| Some(Action::Store(StoreAction::ChooseFolder)),
};

/// Opens the user's own store.
pub const OPEN_OWN: Entry = Entry {
    group: Group::Store,
    label: "Open my store",
    tooltip: "Open your own store, which starts empty",
    keys: None,
    action: |state| {
        let is_shown = state.is_open() && state.store.request.is_own();
        (!is_shown).then(|| Action::Store(StoreAction::Open(OpenRequest::default())))
    },
};

pub const OPEN_DEMO: Entry = Entry {
    group: Group::Store,
    label: "Open the demo store",
    tooltip: "Open the store with sample data that keeps arriving and expiring",
    keys: None,
    action: |state| {
        let request = OpenRequest { demo: true, ..OpenRequest::default() };
        let is_shown = state.is_open() && state.store.demo && !state.is_in_sandbox();
        (!is_shown).then_some(Action::Store(StoreAction::Open(request)))
    },
};

/// Turns the traffic of the demo store on.
pub const TRAFFIC_ON: Entry = Entry {
    group: Group::Store,
    label: "Turn traffic on",
    tooltip: "Keep adding sample data to the demo collections",
    keys: None,
    action: |state| set_traffic(state, true),
};

/// Turns the traffic of the demo store off.
pub const TRAFFIC_OFF: Entry = Entry {
    group: Group::Store,
    label: "Turn traffic off",
    tooltip: "Stop adding sample data to the demo collections",
    keys: None,
    action: |state| set_traffic(state, false),
};

/// Copies the name of the chosen collection.
pub const COPY_NAME: Entry = Entry {
    group: Group::Collection,
    label: "Copy collection name",
    tooltip: "Copy the namespace of the selected collection",
    keys: None,
    action: |state| Some(Action::View(ViewAction::Copy(chosen(state)?.to_string()))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    REFRESH,
    OPEN_FOLDER,
    OPEN_OWN,
    OPEN_DEMO,
    TRAFFIC_ON,
    TRAFFIC_OFF,
    sandbox::OPEN,
    sandbox::BACK,
    CREATE_DATABASE,
    CREATE_COLLECTION,
    DROP_DATABASE,
    COPY_NAME,
    sandbox::COPY,
    DUPLICATE_COLLECTION,
    STATISTICS,
    RENAME_COLLECTION,
    EMPTY_COLLECTION,
    DROP_COLLECTION,
];

fn set_traffic(state: &State, on: bool) -> Option<Action> {
    let can = state.is_open() && state.store.demo && state.settings.traffic != on;
    can.then_some(Action::Store(StoreAction::SetTraffic(on)))
}

/// Whether it stores documents, unlike a view.
fn holds_documents(namespace: &Namespace, state: &State) -> bool {
    let found = state.tree.collection(namespace);
    state.is_open() && found.is_some_and(|found| found.kind == "collection")
}

/// Opens the dialog that duplicates a collection; `None` for a view.
pub fn duplicate(namespace: Namespace, state: &State) -> Option<Action> {
    let can = holds_documents(&namespace, state);
    can.then_some(Action::Store(StoreAction::OpenDuplicate(namespace)))
}

/// Opens the dialog with the figures of a collection; `None` for a view.
pub fn statistics(namespace: Namespace, state: &State) -> Option<Action> {
    let can = holds_documents(&namespace, state);
    can.then_some(Action::Store(StoreAction::OpenStatistics(namespace)))
}

/// Opens the dialog that deletes every document of a collection; `None` for a view.
pub fn empty(namespace: Namespace, state: &State) -> Option<Action> {
    let can = holds_documents(&namespace, state);
    can.then(|| drop_dialog(DropTarget::Documents(namespace)))
}

/// Opens the dialog that confirms a drop by the typed name.
pub fn drop_dialog(target: DropTarget) -> Action {
    let dialog = Dialog::Drop(DropDialog { target, typed: String::new(), sent: Sent::default() });
    Action::Dialog(DialogAction::Show(dialog))
}

/// The collection of the tab that is shown.
pub fn chosen(state: &State) -> Option<Namespace> {
    state.tabs.active().map(|tab| tab.namespace.clone())
}
