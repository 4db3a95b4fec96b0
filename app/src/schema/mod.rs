//! The shape of a collection's documents, from reading them: paths, types, values, and which fields
//! could carry a TTL. Pure: documents in, a report out.

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
