//! The documents of one tab.

use serde::{Deserialize, Serialize};

/// What the Documents view of one tab shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DocumentsView {
    /// Whether the documents were asked for since the view was opened or the data changed.
    pub asked: bool,
}

/// What is restored at the next start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedDocuments {
    /// The filter as typed.
    pub filter: String,
}

/// What a person is typing in the Documents view.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DocumentsDraft {
    /// The filter line.
    pub filter: String,
}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A page of documents.
    Page,
}

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {}
