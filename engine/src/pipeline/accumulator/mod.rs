//! Accumulators: what `$group` and the bucket stages make of many documents.

mod parse;
mod state;

pub(super) use parse::Accumulators;
pub(super) use state::{State, number, value_bytes};
