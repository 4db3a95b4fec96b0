//! The user's unsent input: the one part of the state that panels change themselves.

use std::collections::HashMap;

use super::TabId;
use super::aggregate::AggregateDraft;
use super::console::ConsoleDraft;
use super::documents::DocumentsDraft;

/// Everything that is being typed outside of dialogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drafts {
    /// The search line of the sidebar.
    pub search: String,
    /// The line of the palette.
    pub palette: String,
    /// The line above the Commands drawer.
    pub command_search: String,
    /// The input of the console.
    pub console: ConsoleDraft,
    /// By tab.
    pub tabs: HashMap<TabId, TabDraft>,
}

/// The text being typed in one tab.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TabDraft {
    /// In the Documents view.
    pub documents: DocumentsDraft,
    /// In the Aggregate view.
    pub aggregate: AggregateDraft,
}

impl Drafts {
    /// The text being typed in one tab.
    pub fn tab(&mut self, tab: TabId) -> &mut TabDraft {
        self.tabs.entry(tab).or_default()
    }
}
