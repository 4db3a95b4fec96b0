//! The indexes of a tab.

use super::entry::Entry;

/// What can be asked of the view.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexesAction {
    /// Asks for everything again.
    Refresh,
}

/// The region's entries.
pub const ENTRIES: &[Entry] = &[];
