//! Plans queries and runs them: index bounds, scans with re-check, explain.
//!
//! A plan may only narrow: the filter checks every document again, so an index can never change an
//! answer. A [`Search`] keeps a key between two calls, never a transaction.

mod bounds;
mod bucket_scan;
mod by_id;
mod choose;
mod collection_scan;
mod count;
mod error;
mod explain;
mod implicit_id;
mod implies;
mod index_scan;
mod min_max;
mod operation;
mod parsed;
mod range;
mod search;
mod source;
mod summary;
mod target;
#[cfg(test)]
mod tests;

pub use bounds::Bounds;
pub use by_id::{ById, document_with_id, find_by_id, has_document_with_id};
pub use choose::{Access, Hint, Plan, choose};
pub use count::CountedBy;
pub use error::{PlanError, PlanErrorKind};
pub use explain::{ExecutionSummary, PlanExplanation, Purpose};
pub use min_max::{KeyRange, choose_min_max};
pub use operation::{Operation, StatementRecord, check_interrupt};
pub use range::Interval;
pub use search::Search;
pub use source::Step;
pub use summary::index_summary;
pub use target::Target;
