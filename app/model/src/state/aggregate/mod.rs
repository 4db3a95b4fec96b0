//! The Aggregate view of a tab: a pipeline, the documents after each stage, its results.
//!
//! `state/aggregate/` is the Aggregate view. What is typed is a draft: cards with a stage each (`draft.rs`),
//! or the whole as text, in which a stage that is off is a comment. A run (`apply/aggregate/running.rs`)
//! reads the draft, and asks for the first results, then for the number of documents after each stage: one
//! command a stage, cut off at `STAGE_COUNT_MAX` documents and `STAGE_TIME`. These are queries of the tab, so
//! they take one reader, and *Stop* ends them. A stage that writes is taken out of every one of these
//! commands; it is sent only by the dialog that names its target. Changed data never runs a pipeline by
//! itself. `worker/result_file.rs` writes results to a file through the source, in batches.

pub mod chart;
pub mod dialogs;
pub mod draft;
pub mod kept;
pub mod stages;
pub mod view;

pub use dialogs::Dialog;
pub use draft::{AggregateDraft, Card, PipelineText, StageError};
pub use kept::{KeptPipeline, KeptPipelines};
pub use view::{AggregateView, Output, ResultsMode, SavedAggregate, Shown, StageCount, WritesTo};
