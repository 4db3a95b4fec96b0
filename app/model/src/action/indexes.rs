//! The indexes of a tab.

use super::entry::{Entry, Group};
use super::view_actions::IndexesAction;
use super::{Action, ExpiryAction};
use crate::state::State;

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
        let tab = state.tabs.active()?;
        let mut ttl = tab.indexes.ttl();
        ttl.retain(|index| tab.expiry.index.as_ref().is_none_or(|chosen| *chosen == index.name));
        let index = ttl.into_iter().next()?.name;
        Some(Action::Indexes(tab.id, IndexesAction::OpenChangeTtl(index)))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[CREATE, CREATE_TTL, CHANGE_TTL];
