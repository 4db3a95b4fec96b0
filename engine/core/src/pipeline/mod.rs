//! Aggregation pipelines: stages over streams of documents.
//!
//! A parsed [`Pipeline`] is a list of [`Stage`]s that have not begun. [`Run`] is one execution: a
//! `Source` and the stages' own states. Documents are pulled from the end: each stage asks the one
//! before it. What a run keeps between two calls are keys and documents in memory, never a
//! transaction. The first `$match`, `$sort`, `$skip` and `$limit` become part of the search, so
//! that indexes are used and expired documents are hidden as in `find`.
//!
//! A stage that must see all documents first holds at most
//! [`PIPELINE_BYTES_MAX`](crate::limits::PIPELINE_BYTES_MAX) bytes.

#![allow(clippy::unreadable_literal, reason = "error numbers as MongoDB's users search for them")]

/// [`PipelineError::stage`] with the message as `format!` takes it.
macro_rules! refused {
    ($code:expr, $($message:tt)+) => { $crate::pipeline::PipelineError::stage($code, format!($($message)+)) };
}

mod accumulator;
mod edit;
pub(crate) mod environment;
mod error;
mod flow;
mod memory;
mod origin;
mod output;
mod parse;
mod parse_context;
mod run;
mod source;
mod stage;
mod text;
mod views;

pub use environment::{Environment, Rows, ServerRows};
pub use error::PipelineError;
pub use flow::{Input, Stage};
pub use origin::Origin;
pub use output::{Merge, Out, Output, WhenMatched, WhenNotMatched};
pub use parse::Pipeline;
pub use parse_context::ParseContext;
pub use run::Run;
pub use views::resolve;
