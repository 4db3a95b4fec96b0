//! Text and numbers of a field to dates.

use super::Action;
use super::entry::{Entry, Group};
use super::view_actions::ConvertAction;

/// Opens the dialog.
pub const CONVERT: Entry = Entry {
    group: Group::Collection,
    label: "Convert field to dates…",
    tooltip: "Turn text or numbers of a field into dates, so that a TTL can remove documents",
    keys: None,
    action: |state| {
        let namespace = state.tabs.active()?.namespace.clone();
        Some(Action::Convert(ConvertAction::Open { namespace, path: String::new() }))
    },
};

/// The region's entries.
pub const ENTRIES: &[Entry] = &[CONVERT];
