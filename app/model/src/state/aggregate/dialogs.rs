//! The dialogs of the Aggregate view.

use bson::Document;

use super::view::{StageCount, WritesTo};
use crate::state::sent::Sent;

/// A dialog of the Aggregate view.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    Save(SavePipeline),
    View(CreateView),
    /// The results are to be written to a collection.
    Write(WriteResults),
}

/// A name for the pipeline.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SavePipeline {
    pub name: String,
}

/// A view of the results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CreateView {
    pub name: String,
    pub pipeline: Vec<Document>,
    pub sent: Sent,
}

/// The results are to be written to a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteResults {
    /// The stages, with the one that writes.
    pub pipeline: Vec<Document>,
    pub to: WritesTo,
    /// How many results there are, if it is known.
    pub count: Option<StageCount>,
    pub sent: Sent,
}

impl Dialog {
    /// The command that the dialog sent.
    pub fn sent_mut(&mut self) -> Option<&mut Sent> {
        match self {
            Self::Save(_) => None,
            Self::View(view) => Some(&mut view.sent),
            Self::Write(write) => Some(&mut write.sent),
        }
    }
}
