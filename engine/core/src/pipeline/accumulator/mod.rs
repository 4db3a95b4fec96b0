//! Accumulators: how `$group`, the bucket stages and windows combine many documents.

mod parse;
mod state;

pub(super) use parse::{Accumulator, Accumulators, accumulator};
pub(super) use state::{State, value_bytes};
