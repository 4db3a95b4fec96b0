//! Reads that may take long, and which of them are canceled together.

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
