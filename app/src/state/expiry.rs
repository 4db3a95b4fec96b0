//! The expiry view of one tab.

use serde::{Deserialize, Serialize};

/// What the Expiry view of one tab shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpiryView {
    /// Whether the timeline was asked for since the view was opened or the data changed.
    pub asked: bool,
}

/// What is restored at the next start.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedExpiry {
    /// The chosen index.
    pub index: Option<String>,
}

/// What a person is typing in the Expiry view.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExpiryDraft {}

/// What an answer is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The soonest documents.
    Expiring,
}

/// A dialog of this view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {}
