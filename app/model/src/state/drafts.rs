//! The user's unsent input: the one part of the state that panels change themselves.

use std::collections::HashMap;

use super::TabId;
use super::aggregate::AggregateDraft;
use super::console::ConsoleDraft;
use super::documents::{DocumentsDraft, FieldEdit};

/// Everything that is being typed outside of dialogs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drafts {
    pub search: String,
    pub palette: String,
    pub command_search: String,
    pub console: ConsoleDraft,
    pub tabs: HashMap<TabId, TabDraft>,
}

/// The text being typed in one tab.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TabDraft {
    pub documents: DocumentsDraft,
    pub aggregate: AggregateDraft,
}

impl TabDraft {
    /// Whether a value was typed that is not saved.
    pub fn has_unsaved_value(&self) -> bool {
        self.documents.field.as_ref().is_some_and(FieldEdit::is_changed)
    }
}

impl Drafts {
    /// The text being typed in one tab.
    pub fn tab(&mut self, tab: TabId) -> &mut TabDraft {
        self.tabs.entry(tab).or_default()
    }
}
