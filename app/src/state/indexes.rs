//! The indexes of one tab.

/// What the Indexes view of one tab shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexesView {
    /// Whether the indexes were asked for since the view was opened or the catalog changed.
    pub asked: bool,
}

/// What a person is typing in the Indexes view.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexesDraft {}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The list of indexes.
    List,
}

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {}
