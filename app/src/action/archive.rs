//! Archives of expired documents.

use bson::Document;

use super::Action;
use super::entry::{Entry, Group};
use crate::state::{Namespace, State};

/// What can be asked of an archive. All but the first ask about the one whose dialog is open.
#[derive(Debug, Clone, PartialEq)]
pub enum ArchiveAction {
    /// Opens the dialog of a collection's archive.
    Open(Namespace),
    /// Switches it on, or changes what was chosen, with this command.
    On(Document),
    /// Switches it off. What was archived stays.
    Off,
    /// Lists the documents that match this filter, or all.
    List(Option<Document>),
    /// Lists the next page too.
    More,
    /// Shows the document of a row.
    Show(usize),
    /// Chooses a row, or does so no longer.
    Choose(usize, bool),
    /// Puts the chosen documents back; those that would expire at once are asked about.
    PutBack,
    /// Puts those back that would expire at once.
    PutBackExpiring {
        /// With the present time in the field that the TTL index reads; else as they are.
        with_date_now: bool,
    },
}

/// Shows the archive of the shown collection.
pub const SHOW: Entry = Entry {
    group: Group::Collection,
    label: "Archive of expired documents…",
    tooltip: "Keep what expires, look at it and put it back",
    keys: None,
    action: |state: &State| {
        let tab = state.tabs.active().filter(|_| state.is_open())?;
        Some(Action::Archive(ArchiveAction::Open(tab.namespace.clone())))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[SHOW];
