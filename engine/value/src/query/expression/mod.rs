//! Aggregation expressions: parsed once, then evaluated on raw documents.
//!
//! [`Expression::parse`] gives a tree; [`Expression::evaluate`] reads it for one document in a
//! [`Scope`]. Operators that need only the values of their arguments are grouped in families, one
//! file each with a table (`table.rs` lists the families). The few that decide which arguments they
//! evaluate, or that bind variables, are forms.
//!
//! Recursion follows the tree of the expression, whose depth `parse` bounds.

mod arguments;
mod arithmetic;
mod array;
mod binding;
mod boolean;
mod budget;
mod choose;
mod compare;
mod conditional;
mod convert;
mod date;
mod extremes;
mod field;
mod names;
mod node;
mod object;
mod operator;
mod parse;
mod path;
mod percentile;
mod regex;
mod replace;
mod scope;
mod set;
mod string;
mod substring;
mod table;
#[cfg(test)]
mod testing;
mod tree;
mod value;

pub use arithmetic::Total;
pub(super) use budget::{Budget, bytes_of};
pub use budget::{check_levels, check_made};
pub use names::VariableNames;
pub use percentile::{check_percentile_method, percentile_list, percentiles};
pub use scope::{Context, Scope};
pub use tree::Expression;
pub use value::Value;

#[cfg(test)]
mod tests;
