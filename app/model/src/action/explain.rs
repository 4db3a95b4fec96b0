//! How the store answers the query or the pipeline of a tab.

use super::Action;
use super::entry::{Entry, Group};
use super::view_actions::ExplainAction;
use crate::state::tabs::ViewKind;

/// Explains the query of the view that is shown.
pub const EXPLAIN: Entry = Entry {
    group: Group::Documents,
    label: "Explain",
    tooltip: "Show how the store answers the query or the pipeline",
    keys: None,
    action: |state| {
        let has_query = |view| matches!(view, ViewKind::Documents | ViewKind::Aggregate);
        let tab = state.tabs.active().filter(|tab| state.is_open() && has_query(tab.view))?;
        Some(Action::Explain(tab.id, ExplainAction::Explain))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[EXPLAIN];
