//! From a filter to the documents that match it: index bounds, execution with re-check, explain.
//!
//! A plan may only narrow: every document is checked by the filter again, so an index can never change
//! an answer.

mod error;

pub use error::{PlanError, PlanErrorKind};
