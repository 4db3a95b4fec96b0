//! The TTL audit.

use super::Action;
use super::entry::{Entry, Group};
use super::store_actions::AuditAction;
use crate::state::State;

pub const SHOW: Entry = Entry {
    group: Group::Time,
    label: "TTL audit…",
    tooltip: "What TTL does to this data: what works, what goes when, what never will, and why",
    keys: None,
    action: |state: &State| state.is_open().then_some(Action::Audit(AuditAction::Open)),
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
