//! Filters: which documents match.

mod backtracking;
mod bits;
mod canonical;
mod collated;
mod dialect;
mod expr;
pub mod failure;
pub(crate) mod integer;
mod matching;
pub mod number;
mod operators;
mod parse;
mod parsed;
mod pattern;
mod position;
pub(crate) mod schema;
mod types;

#[cfg(test)]
mod tests;

pub use crate::value::type_name::{name_of_type, type_name};
pub use expr::{CompareOp, Expr, Test};
pub use matching::is_equal;
pub(crate) use parse::{is_expression, is_operators};
pub use parsed::Filter;
pub(crate) use pattern::Groups;
pub use pattern::Pattern;
pub use types::TypeSet;
pub(crate) use types::{type_by_name, type_by_number};
