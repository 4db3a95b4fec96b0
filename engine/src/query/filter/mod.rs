//! Filters: which documents match.

mod expr;
mod matching;
mod number;
mod parse;
mod pattern;
mod types;

#[cfg(test)]
mod tests;

pub use expr::{BitTest, CompareOp, Expr, Filter, Test};
pub use pattern::Pattern;
pub use types::TypeSet;
pub(crate) use types::type_name;
