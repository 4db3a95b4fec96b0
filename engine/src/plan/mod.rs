//! From a filter to the documents that match it: index bounds, execution with re-check, explain.
//!
//! A plan may only narrow: every document is checked by the filter again, so an index can never change
//! an answer. A [`Search`] keeps a key between two calls, never a transaction.

mod between;
mod bounds;
mod by_id;
mod by_record;
mod choose;
mod count;
mod entries;
mod error;
mod explain;
mod implies;
mod operation;
mod packed;
mod parsed;
mod range;
mod records;
mod search;
mod target;
#[cfg(test)]
mod tests;

pub use between::{KeyRange, choose_between};
pub use bounds::Bounds;
pub use by_id::{document_with_id, find_by_id, has_document_with_id};
pub use choose::{Access, Hint, Plan, choose, index_summary};
pub use count::CountedBy;
pub use error::{PlanError, PlanErrorKind};
pub use explain::{Executed, Explained, Purpose};
pub use operation::{Operation, check_interrupt};
pub use parsed::{parsed_query, shape_hash};
pub use range::Interval;
pub use search::{Search, Stats, Step};
pub use target::Target;
