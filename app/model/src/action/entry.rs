//! An entry of menus, palette and shortcuts.

use mayfly_engine::value::named;

use super::Action;
use super::keys::Keys;
use crate::state::State;

named! {
    /// The section of an entry in the menu and the palette.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Group {
        Store => "Store",
        /// Care for the store as a whole.
        Maintenance => "Maintenance",
        Collection => "Collection",
        Documents => "Documents",
        Time => "Time",
        Tabs => "Tabs",
        View => "View",
        Help => "Help",
    }
    /// Its name.
    pub fn label;
}

/// One thing that can be asked for by name.
pub struct Entry {
    pub group: Group,
    /// Its words; `…` at the end when more is asked.
    pub label: &'static str,
    /// The effect, in one line.
    pub tooltip: &'static str,
    pub keys: Option<Keys>,
    /// The present action. `None` if it can't be done now.
    pub action: fn(&State) -> Option<Action>,
}

impl Entry {
    /// Its keys as text, such as `Ctrl+Shift+T`.
    pub fn keys_text(&self) -> String {
        self.keys.map(|keys| keys.to_string()).unwrap_or_default()
    }
}
