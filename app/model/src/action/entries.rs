//! The entries of menus, palette and shortcuts: one table, collected from the regions.

use super::entry::Entry;
use super::{
    aggregate, audit, calendar, clock, connect, console, convert, dialog, documents, expiry,
    explain, help, indexes, lesson, listener, maintenance, reaper, schema, store, tabs, transfer,
    trash, view,
};

/// Every entry, in the order of the menu.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        store::ENTRIES,
        connect::ENTRIES,
        maintenance::ENTRIES,
        trash::ENTRIES,
        audit::ENTRIES,
        calendar::ENTRIES,
        listener::ENTRIES,
        transfer::ENTRIES,
        convert::ENTRIES,
        documents::ENTRIES,
        aggregate::ENTRIES,
        explain::ENTRIES,
        expiry::ENTRIES,
        schema::ENTRIES,
        indexes::ENTRIES,
        reaper::ENTRIES,
        clock::ENTRIES,
        tabs::ENTRIES,
        view::ENTRIES,
        console::ENTRIES,
        help::ENTRIES,
        dialog::ENTRIES,
        lesson::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_entries_share_keys_or_words() {
        let (mut keys, mut labels) = (BTreeSet::new(), BTreeSet::new());
        for entry in entries() {
            assert!(labels.insert(entry.label), "{} twice", entry.label);
            let text = entry.keys_text();
            assert!(text.is_empty() || keys.insert(text.clone()), "{text} twice");
            assert!(!entry.tooltip.ends_with('.'), "{}", entry.label);
        }
        assert!(keys.len() > 10);
    }
}
