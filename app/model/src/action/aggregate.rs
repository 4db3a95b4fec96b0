//! The pipeline of a tab.

use super::Action;
use super::entry::{Entry, Group};
use super::keys::ctrl;
use super::view_actions::AggregateAction;
use crate::state::tabs::ViewKind;
use crate::state::{State, Tab};

/// The tab that shows a pipeline.
fn shown(state: &State) -> Option<&Tab> {
    state.tabs.active().filter(|tab| state.is_open() && tab.view == ViewKind::Aggregate)
}

fn on(state: &State, action: AggregateAction) -> Option<Action> {
    shown(state).map(|tab| Action::Aggregate(tab.id, action))
}

const fn entry(label: &'static str, tooltip: &'static str) -> Entry {
    Entry { group: Group::Documents, label, tooltip, keys: None, action: |_| None }
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[
    Entry {
        keys: Some(ctrl("Enter")),
        action: |state| on(state, AggregateAction::Run),
        ..entry("Run the pipeline", "Run the pipeline and count the documents after each stage")
    },
    Entry {
        action: |state| on(state, AggregateAction::OpenSave),
        ..entry("Save the pipeline…", "Keep the pipeline by name")
    },
    Entry {
        action: |state| on(state, AggregateAction::OpenCreateView),
        ..entry("Create a view of the pipeline…", "Create a view of the results of the pipeline")
    },
];
