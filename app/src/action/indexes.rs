//! The indexes of a tab.

use bson::Document;

use super::entry::{Entry, Group};
use super::{Action, ExpiryAction};
use crate::state::State;

/// Actions of the view.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexesAction {
    Refresh,
    Select(Option<String>),
    /// Opens the dialog that creates an index.
    OpenCreate,
    /// The same for a TTL on this field.
    OpenCreateTtl(String),
    /// Opens the dialog that changes the TTL of an index, or gives it one.
    OpenChangeTtl(String),
    /// Opens the dialog that drops an index.
    OpenDrop(String),
    /// Hides an index from queries, or shows it again.
    Hide {
        name: String,
        hidden: bool,
    },
    /// The open dialog was changed: queries what its TTL would remove.
    AskWhatIf,
    /// Sends the command of the open dialog.
    Send,
    /// Asks whether the index of the open dialog is to be dropped and created again.
    AskRecreate,
    /// Drops an index and creates it again with this definition.
    Recreate(Box<Document>),
    /// Plans the TTL of the open dialog as a rollout in steps.
    PlanRollout,
    StartRollout,
}

/// Opens the dialog that creates an index.
pub const CREATE: Entry = Entry {
    group: Group::Collection,
    label: "Create index…",
    tooltip: "Create an index, with or without a TTL",
    keys: None,
    action: |state: &State| {
        Some(Action::Indexes(state.tabs.active()?.id, IndexesAction::OpenCreate))
    },
};

/// The same with the TTL ticked.
pub const CREATE_TTL: Entry = Entry {
    group: Group::Time,
    label: "Create a TTL index…",
    tooltip: "Create an index that expires documents by a date field",
    keys: None,
    action: |state: &State| {
        Some(Action::Expiry(state.tabs.active()?.id, ExpiryAction::CreateIndex))
    },
};

/// Opens the dialog that changes how long documents stay.
pub const CHANGE_TTL: Entry = Entry {
    group: Group::Time,
    label: "Change TTL…",
    tooltip: "Change how long documents are kept, with a preview",
    keys: None,
    action: |state: &State| {
        let tab = state.tabs.active().filter(|tab| !tab.indexes.ttl().is_empty())?;
        Some(Action::Expiry(tab.id, ExpiryAction::WhatIf))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[CREATE, CREATE_TTL, CHANGE_TTL];
