//! The Aggregate view of a tab: a pipeline, the documents after each stage, its results.

pub mod chart;
pub mod completion;
pub mod dialogs;
pub mod draft;
pub mod kept;
mod operators;
pub mod stages;
pub mod view;

pub use crate::job::purpose::AggregatePurpose as Purpose;
pub use dialogs::Dialog;
pub use draft::{AggregateDraft, Card, PipelineText, StageError};
pub use kept::{KeptPipeline, KeptPipelines};
pub use view::{AggregateView, Output, ResultsMode, SavedAggregate, Shown, StageCount, WritesTo};
