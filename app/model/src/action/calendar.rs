//! The expiry calendar.

use super::Action;
use super::entry::{Entry, Group};
use super::store_actions::CalendarAction;
use crate::state::State;

pub const SHOW: Entry = Entry {
    group: Group::Time,
    label: "Expiry calendar…",
    tooltip: "What expires when, over all collections",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Calendar(CalendarAction::Open)),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
