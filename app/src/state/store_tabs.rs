//! The tabs of each store: a store opens with its own, not with those of the store before it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::tabs::{SavedTab, Tabs};
use crate::limits::RECENT_STORES_MAX;

/// The tabs of one store.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StoreTabs {
    folder: String,
    /// From left to right.
    pub tabs: Vec<SavedTab>,
    /// The position of the one that was shown.
    pub active: Option<usize>,
}

/// The tabs of stores, the latest first: at most [`RECENT_STORES_MAX`] stores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KnownTabs(Vec<StoreTabs>);

impl KnownTabs {
    /// Keeps the tabs of the store in a folder.
    pub fn note(&mut self, folder: &Path, tabs: &Tabs) {
        let folder = folder.to_string_lossy().into_owned();
        let (tabs, active) = tabs.save();
        self.0.retain(|known| known.folder != folder);
        if !tabs.is_empty() {
            self.0.insert(0, StoreTabs { folder, tabs, active });
        }
        self.0.truncate(RECENT_STORES_MAX);
    }

    /// The tabs that the store in a folder had.
    #[must_use]
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
        known.note(Path::new("/one"), &tabs);
        tabs.show(&Namespace::new("d", "b"));
        known.note(Path::new("/two"), &tabs);
        let names = |folder: &str| {
            let found = known.of(Path::new(folder)).tabs;
            found.into_iter().map(|tab| tab.namespace.collection).collect::<Vec<_>>()
        };
        assert_eq!(names("/one"), ["a"]);
        assert_eq!(names("/two"), ["a", "b"]);
        assert!(names("/three").is_empty());
    }

    #[test]
    fn a_bounded_number_of_stores_is_known() {
        let mut known = KnownTabs::default();
        let mut tabs = Tabs::default();
        tabs.show(&Namespace::new("d", "a"));
        for number in 0..RECENT_STORES_MAX + 5 {
            known.note(Path::new(&format!("/{number}")), &tabs);
        }
        assert_eq!(known.0.len(), RECENT_STORES_MAX);
    }
}
