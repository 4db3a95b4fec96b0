//! The Expiry view of a tab.

use bson::Bson;
use egui::Key;

use super::Action;
use super::entry::{Entry, Group, key};
use crate::state::expiry::{Brush, Lane, Mode, Pick};
use crate::state::tabs::ViewKind;
use crate::state::{State, TabId};

/// Actions of the view.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpiryAction {
    Refresh,
    /// Reloads the density, because the axis or the time moved on.
    RefreshDensity,
    /// Counts why documents never expire.
    CountReasons,
    /// Shows the documents of one TTL index, or of all.
    ChooseIndex(Option<String>),
    /// Shows the timeline, the table or the ledger.
    Show(Mode),
    /// Shows twice or half the span.
    ZoomStep {
        /// Twice the span, else half of it.
        further_out: bool,
    },
    /// Multiplies the span around a place on the axis.
    Zoom {
        /// Below 1 shows less time.
        factor: f64,
        /// The place that keeps its instant, as a fraction of the width.
        anchor: f64,
    },
    /// Moves the axis by a fraction of its width; positive shows later times.
    Pan(f64),
    /// Chooses the documents that expire in a range, or all again.
    Brush(Option<Brush>),
    /// Lists the documents of the chosen range.
    ListRange,
    /// Shows documents as if a TTL index did not exist, or with it again.
    HideIndex {
        name: String,
        hidden: bool,
    },
    /// Shows the documents of the range in the Documents view.
    FilterBrush,
    /// Shows the time between two instants, in milliseconds since 1970.
    ShowRange(i64, i64),
    Follow,
    /// Chooses a span in which the next documents are on screen.
    Fit,
    /// Chooses a document by its `_id`.
    Select(Option<Bson>),
    /// Chooses a document that was removed then, in milliseconds since 1970.
    SelectRemoved(Bson, i64),
    /// Keeps the rows in their places while the pointer is over them.
    Hold(bool),
    /// Opens the dialog that shows what another TTL would remove.
    WhatIf,
    /// Opens the dialog that creates a TTL index.
    CreateIndex,
    /// Sets the date of a document to now, as a heartbeat does.
    RefreshDate(Bson),
    /// Shows a document in the Documents view.
    ShowDocument(Bson),
    /// Shows the documents that never expire for this reason.
    FilterNever(String),
    /// Shows the documents that wait for their threshold, or those that are past it.
    FilterPhase {
        overdue: bool,
    },
    /// Copies what was removed as NDJSON.
    CopyLedger,
    /// Opens the dialog that writes what was removed to a file.
    SaveLedger,
    /// Chooses a removed document: its `_id`, when it was removed in milliseconds since 1970, and
    /// whether others stay chosen.
    Pick(Bson, i64, Pick),
    /// Chooses all removed documents that can be restored.
    PickRestorable,
    RestorePicked,
}

impl ExpiryAction {
    /// Selects the document of a lane, or the tombstone of a removed one.
    pub fn select(lane: &Lane) -> Self {
        let id = lane.id.clone();
        match lane.removed_ms {
            Some(at_ms) => Self::SelectRemoved(id, at_ms),
            None => Self::Select(Some(id)),
        }
    }
}

/// The open tab, while its Expiry view is shown.
fn shown(state: &State) -> Option<TabId> {
    state.tabs.active().filter(|tab| tab.view == ViewKind::Expiry).map(|tab| tab.id)
}

/// Back to *now*.
pub const FOLLOW: Entry = Entry {
    group: Group::Time,
    label: "Follow now",
    tooltip: "Scroll the timeline back to now",
    keys: key(Key::End),
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
    tooltip: "Preview what a different TTL would remove",
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
