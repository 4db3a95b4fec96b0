//! The expiry calendar.

use super::Action;
use super::entry::{Entry, Group};
use crate::state::calendar::Unit;
use crate::state::{Namespace, State};

/// Actions of the calendar. All but the first come from its dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum CalendarAction {
    Open,
    /// Shows hours, days, weeks or months.
    Show(Unit),
    /// Shows what of a collection expires between two instants, in milliseconds since 1970.
    Visit {
        namespace: Namespace,
        from_ms: i64,
        to_ms: i64,
    },
}

pub const SHOW: Entry = Entry {
    group: Group::Time,
    label: "Expiry calendar…",
    tooltip: "What expires when, over all collections",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Calendar(CalendarAction::Open)),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
