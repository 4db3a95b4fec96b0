//! Accumulators: what `$group` and the bucket stages make of many documents.

mod decimal;
mod parse;
mod state;
mod sum;

pub(super) use parse::Accumulators;
pub(super) use state::{State, number};
