//! The schema of a tab.

use super::Action;
use super::entry::{Entry, Group};
use super::view_actions::SchemaAction;
use crate::state::State;
use crate::state::tabs::ViewKind;

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    Entry {
        group: Group::Collection,
        label: "Analyze the schema",
        tooltip: "Read every document again and count fields, types and values",
        keys: None,
        action: |state| shown(state, |reading| !reading, SchemaAction::Analyze),
    },
    Entry {
        group: Group::Collection,
        label: "Stop analyzing the schema",
        tooltip: "Stop reading documents; results so far are kept",
        keys: None,
        action: |state| shown(state, |reading| reading, SchemaAction::Stop),
    },
    Entry {
        group: Group::Collection,
        label: "Export the schema as JSON Schema…",
        tooltip: "Show fields and types as a JSON Schema, to save or copy it",
        keys: None,
        action: |state| shown(state, |_| true, SchemaAction::OpenJson),
    },
    Entry {
        group: Group::Collection,
        label: "Use the schema as validator…",
        tooltip: "Let the store check documents against the fields and types that were found",
        keys: None,
        action: |state| shown(state, |_| true, SchemaAction::OpenValidator),
    },
];

/// An action on the Schema view that is shown.
fn shown(state: &State, when: fn(bool) -> bool, action: SchemaAction) -> Option<Action> {
    let tab = state.tabs.active().filter(|tab| state.is_open() && tab.view == ViewKind::Schema)?;
    when(tab.schema.is_reading()).then_some(Action::Schema(tab.id, action))
}
