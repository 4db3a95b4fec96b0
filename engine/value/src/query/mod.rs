//! Filter, projection, sort and update operators, pure.
//!
//! Filters, projections and sorts read raw BSON without decoding whole documents; updates decode
//! the one document that they change. Input is expected to have passed
//! [`crate::value::scan::check`]. Nothing here knows a collection or an index.

#![allow(clippy::unreadable_literal, reason = "error numbers as MongoDB's users search for them")]

/// [`error::refused`] with the message as `format!` takes it.
macro_rules! refused {
    ($code:expr, $($message:tt)+) => { $crate::query::error::refused($code, format!($($message)+)) };
}

mod code;
pub(crate) mod document;
mod error;
pub(crate) mod expression;
pub mod filter;
mod named_list;
pub(crate) mod projection;
pub(crate) mod reshape;
pub mod sort;
#[cfg(test)]
mod testing;
pub(crate) mod update;

pub use code::Code;
pub use error::QueryError;
pub use expression::{
    Context, Expression, Scope, Total, Value, VariableNames, check_levels, check_made,
    check_percentile_method, percentile_list, percentiles,
};
pub use filter::{CompareOp, Expr, Filter, Test};
pub use projection::Projection;
pub use reshape::Reshape;
pub use sort::{Sort, SortKey};
pub use update::{Update, UpdateContext};
