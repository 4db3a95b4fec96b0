//! The purpose of an answer. A newer job with an equal purpose replaces a waiting one.

pub use super::field_task::{FieldTask, FieldTaskKind};

/// The purpose of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// An order to the worker itself: a store is opened, shown, locked or closed.
    Store,
    /// The traffic of the demo store.
    Traffic,
}

/// Read of a tab that may go through a whole collection, so that it can be canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SlowRead {
    /// Pages and the count of the Documents view.
    Rows,
    /// Other queries of the Documents view.
    Documents,
    Pipeline,
    Explain,
    /// The documents that a TTL would remove.
    WhatIf,
    /// Documents by age, in the dialog of an index.
    Ages,
    Schema,
    /// Canceled with the tab alone.
    OfTab,
}

impl SlowRead {
    /// Every kind: the tab was closed.
    pub const ALL: &[Self] = &[
        Self::Rows,
        Self::Documents,
        Self::Pipeline,
        Self::Explain,
        Self::WhatIf,
        Self::Ages,
        Self::Schema,
        Self::OfTab,
    ];
    /// The queries of the Documents view: it has another filter, or the user stops it.
    pub const QUERIES: &[Self] = &[Self::Rows, Self::Documents];
    /// The questions of the dialog of an index: it was closed.
    pub const INDEX_DIALOG: &[Self] = &[Self::WhatIf, Self::Ages];

    /// The view whose queries take turns.
    #[must_use]
    pub fn turn(self) -> Option<Self> {
        match self {
            // These take turns, so that they keep one reader busy, and the others stay free for
            // what the user opens next.
            Self::Rows | Self::Documents => Some(Self::Documents),
            Self::Pipeline | Self::Explain => Some(self),
            Self::WhatIf | Self::Ages | Self::Schema | Self::OfTab => None,
        }
    }
}

/// How documents are written to the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyForm {
    /// A line for each, with tabs between the columns that are shown.
    Table,
    /// Extended JSON.
    Json,
    /// As typed in mongosh.
    Shell,
    /// A line for each and one with the names, with commas between the columns that are shown.
    Csv,
}
