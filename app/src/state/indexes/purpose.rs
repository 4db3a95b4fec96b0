//! What the Indexes view asks for.

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The list of indexes.
    List,
    /// Sizes and entries.
    Stats,
    /// How often each index was used.
    Uses,
    /// A sample of documents, for the field picker.
    Sample,
    /// What the TTL in the open dialog would remove.
    WhatIf,
    /// Documents by age, for the picture in the open dialog.
    Ages,
    /// A change of an index; what to say when it is done.
    Change(String),
}
