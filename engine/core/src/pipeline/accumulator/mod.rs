//! Accumulators: how `$group` and the bucket stages combine many documents.

mod parse;
mod state;

pub(super) use parse::Accumulators;
pub(super) use state::{State, value_bytes};
