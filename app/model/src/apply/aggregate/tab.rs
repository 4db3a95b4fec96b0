//! The pipeline of a tab.

use crate::state::aggregate::AggregateView;
use crate::state::{Namespace, State, TabId};

pub(super) fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut AggregateView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.aggregate);
    }
}

pub(super) fn namespace(tab: TabId, state: &State) -> Option<Namespace> {
    state.tabs.get(tab).map(|open| open.namespace.clone())
}

/// Keeps the pipeline and the choices for the next start.
pub(super) fn save(tab: TabId, state: &mut State) {
    let pipeline = state.drafts.tab(tab).aggregate.pipeline.clone();
    if let Some(tab) = state.tabs.get_mut(tab) {
        tab.saved_aggregate = tab.aggregate.saved(&pipeline);
    }
}
