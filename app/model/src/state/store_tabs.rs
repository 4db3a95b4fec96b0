//! The tabs of each store: a store opens with its own, not with those of the store before it.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::tabs::{SavedTab, Tabs};
use crate::limits::RECENT_STORES_MAX;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreTabs {
    folder: String,
    pub tabs: Vec<SavedTab>,
    /// The position of the one that was shown.
    pub active: Option<usize>,
    /// Closed tabs, the one that was closed last at the end.
    pub closed: Vec<SavedTab>,
    /// Databases whose collections are folded away in the sidebar.
    pub folded: BTreeSet<String>,
}

impl StoreTabs {
    fn is_empty(&self) -> bool {
        self.tabs.is_empty() && self.closed.is_empty() && self.folded.is_empty()
    }
}

/// The tabs of stores, the latest first: at most [`RECENT_STORES_MAX`] stores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownTabs(Vec<StoreTabs>);

impl KnownTabs {
    /// Keeps the tabs of the store in a folder, and which databases are folded in it.
    pub fn note(&mut self, folder: &Path, tabs: &Tabs, folded: &BTreeSet<String>) {
        let folder = folder.to_string_lossy().into_owned();
        self.0.retain(|known| known.folder != folder);
        let (open, active) = tabs.save();
        let closed = tabs.closed().to_vec();
        let noted = StoreTabs { folder, tabs: open, active, closed, folded: folded.clone() };
        if !noted.is_empty() {
            self.0.insert(0, noted);
        }
        self.0.truncate(RECENT_STORES_MAX);
    }

    /// The tabs that the store in a folder had.
    pub fn of(&self, folder: &Path) -> StoreTabs {
        let folder = folder.to_string_lossy();
        self.0.iter().find(|known| known.folder == folder).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Namespace;

    #[test]
    fn each_store_has_its_own_tabs() {
        let mut known = KnownTabs::default();
        let mut tabs = Tabs::default();
        tabs.show(&Namespace::new("d", "a"));
        known.note(Path::new("/one"), &tabs, &BTreeSet::new());
        tabs.show(&Namespace::new("d", "b"));
        known.note(Path::new("/two"), &tabs, &BTreeSet::new());
        let names = |folder: &str| {
            let found = known.of(Path::new(folder)).tabs;
            found.into_iter().map(|tab| tab.namespace.collection).collect::<Vec<_>>()
        };
        assert_eq!(names("/one"), ["a"]);
        assert_eq!(names("/two"), ["a", "b"]);
        assert!(names("/three").is_empty());
    }

    #[test]
    fn closed_tabs_and_folds_are_kept_without_an_open_tab() {
        let mut known = KnownTabs::default();
        let mut tabs = Tabs::default();
        let opened = tabs.show(&Namespace::new("d", "a"));
        tabs.close(opened.expect("a tab"));
        known.note(Path::new("/one"), &tabs, &BTreeSet::from(["d".to_owned()]));
        let found = known.of(Path::new("/one"));
        assert_eq!((found.tabs.len(), found.closed.len(), found.folded.len()), (0, 1, 1));
        known.note(Path::new("/one"), &Tabs::default(), &BTreeSet::new());
        assert_eq!(known.of(Path::new("/one")), StoreTabs::default());
    }

    #[test]
    fn a_bounded_number_of_stores_is_known() {
        let mut known = KnownTabs::default();
        let mut tabs = Tabs::default();
        tabs.show(&Namespace::new("d", "a"));
        for number in 0..RECENT_STORES_MAX + 5 {
            known.note(Path::new(&format!("/{number}")), &tabs, &BTreeSet::new());
        }
        assert_eq!(known.0.len(), RECENT_STORES_MAX);
    }
}
