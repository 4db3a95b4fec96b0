//! The storage core: transactions, tables and walks over an LMDB file, and the clocks. The one crate that knows LMDB.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]

pub mod clock;
pub mod store;
pub mod supervised;

use mayfly_value::{interrupt, limits, value};
