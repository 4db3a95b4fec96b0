//! The shape of a collection's documents, from reading them: paths, types, values, and which fields
//! could carry a TTL. Pure: documents in, a report out.
//!
//! `apply/schema.rs` sends one job for the lane `Schema`, which has its own thread: a sample first, then
//! everything that the filter of the Documents view matches, in batches of raw bytes (`Source::run_raw`,
//! `worker/schema.rs`). `analysis.rs` counts; each report is a whole `Schema` in an `Arc`, and the
//! window shows the newest. Counts of bars are exact, because intervals only ever join
//! (`histogram.rs`). Many different values are estimated (`values.rs`).
//! `SchemaView::known_paths` and `frequent_values` are for completion. A click joins its condition with the
//! filter (`state/schema/filter.rs`), and the documents that match are read.

pub mod analysis;
pub mod histogram;
pub mod json;
pub mod kind;
#[cfg(test)]
mod messy_tests;
pub mod path;
pub mod report;
pub mod ttl;
pub mod values;

pub use analysis::Analysis;
pub use histogram::Bar;
pub use kind::Kind;
pub use path::{Path, Step};
pub use report::{Extent, Field, Schema, Times};
pub use ttl::{Candidate, Instants, Unit};
pub use values::{Frequent, whole};
