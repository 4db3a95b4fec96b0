//! The Expiry view of a tab.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::key;
use super::view_actions::ExpiryAction;
use crate::state::expiry::Mode;
use crate::state::tabs::ViewKind;
use crate::state::{State, TabId};

/// The open tab, while its Expiry view is shown.
fn shown(state: &State) -> Option<TabId> {
    state.tabs.active().filter(|tab| tab.view == ViewKind::Expiry).map(|tab| tab.id)
}

/// Back to *now*.
pub const FOLLOW: Entry = Entry {
    group: Group::Time,
    label: "Follow now",
    tooltip: "Scroll the timeline back to now",
    keys: Some(key("End")),
    action: |state| Some(Action::Expiry(shown(state)?, ExpiryAction::Follow)),
};

/// Half the span.
pub const ZOOM_IN: Entry = Entry {
    group: Group::Time,
    label: "Zoom in on the timeline",
    tooltip: "Halve the time span",
    keys: None,
    action: |state| {
        let step = ExpiryAction::ZoomStep { further_out: false };
        Some(Action::Expiry(shown(state)?, step))
    },
};

/// Twice the span.
pub const ZOOM_OUT: Entry = Entry {
    group: Group::Time,
    label: "Zoom out of the timeline",
    tooltip: "Double the time span",
    keys: None,
    action: |state| {
        let step = ExpiryAction::ZoomStep { further_out: true };
        Some(Action::Expiry(shown(state)?, step))
    },
};

/// A span that shows the next documents.
pub const FIT: Entry = Entry {
    group: Group::Time,
    label: "Fit the next expirations",
    tooltip: "Zoom so the next documents to expire are visible",
    keys: None,
    action: |state| Some(Action::Expiry(shown(state)?, ExpiryAction::Fit)),
};

/// The effect of another TTL.
pub const WHAT_IF: Entry = Entry {
    group: Group::Time,
    label: "What if…",
    tooltip: "Try a different TTL on the timeline",
    keys: None,
    action: |state| Some(Action::Expiry(shown(state)?, ExpiryAction::WhatIf)),
};

/// Shows the documents in time.
pub const TIMELINE: Entry = Entry {
    group: Group::Time,
    label: "Show the timeline",
    tooltip: "Documents from their date to their removal",
    keys: None,
    action: |state| Some(Action::Expiry(shown(state)?, ExpiryAction::Show(Mode::Timeline))),
};

/// Shows the documents as a table.
pub const TABLE: Entry = Entry {
    group: Group::Time,
    label: "Show the expiry table",
    tooltip: "Documents that expire, soonest first",
    keys: None,
    action: |state| Some(Action::Expiry(shown(state)?, ExpiryAction::Show(Mode::Table))),
};

/// Shows what was removed.
pub const REMOVED: Entry = Entry {
    group: Group::Time,
    label: "Show removed documents",
    tooltip: "Documents that passes removed, and how late",
    keys: None,
    action: |state| Some(Action::Expiry(shown(state)?, ExpiryAction::Show(Mode::Removed))),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[FOLLOW, FIT, ZOOM_IN, ZOOM_OUT, TIMELINE, TABLE, REMOVED, WHAT_IF];
