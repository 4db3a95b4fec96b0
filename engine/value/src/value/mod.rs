//! BSON semantics, pure: cross-type order, dotted paths, order-preserving key bytes, Extended JSON
//! and shell text, the calendar and its zones, counts as people read them, and the scan of
//! untrusted bytes.
//!
//! Nothing here does I/O, reads a clock or recurses without a bound. Untrusted bytes pass
//! [`scan::check`] first; every other function expects BSON that passed it, and answers something
//! harmless (never a panic) for bytes that did not.

pub mod bucket;
pub(crate) mod calendar;
pub mod collation;
mod combinations;
mod count;
pub mod date_text;
mod db_pointer;
pub(crate) mod decimal;
mod duration;
pub mod error_text;
pub mod extjson;
pub mod field;
pub mod id_number;
mod integer;
pub mod key;
mod named;
mod nesting;
mod number;
pub mod order;
pub(crate) mod path;
pub mod scan;
pub mod shell;
pub mod text;
pub mod type_name;
pub mod zone;

#[cfg(test)]
mod tests;

pub use collation::Collation;
pub use combinations::{ParallelArrays, combinations};
pub use count::{count, counted};
pub use decimal::Decimal;
pub use duration::{duration, duration_step_ms};
pub use integer::{integer, shortest, whole};
pub use key::{Direction, KEY_BYTES_MAX, KeyBytes, KeyEncoder};
pub use named::named;
pub use nesting::is_deeper_than;
pub use order::{compare, compare_documents, compare_in, same_value, same_value_in, type_rank};
pub use path::{Candidate, Path, PathError, PathPart, is_reserved_name};
pub use scan::{Limits, ScanError};
pub use text::{JAVASCRIPT_MS_MAX, Layout, TextError, iso_ms, iso_text};
