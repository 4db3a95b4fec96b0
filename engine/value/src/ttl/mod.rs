//! When a document expires and why, as a pure function of a rule and a document.
//!
//! Neither clock nor store is known here. All times are milliseconds since 1970 (UTC).

mod expiry;
mod item;
mod minutes;
mod never;
mod rule;
mod verdict;

#[cfg(test)]
mod tests;

pub use expiry::{Deadline, Expiry, Source, cutoff_ms, dates_ms, expiry, modified_base_ms};
pub use item::{ItemTtl, item_ttl};
pub use minutes::Minutes;
pub use never::{InertReason, Never};
pub use rule::Rule;
pub use verdict::{RemovalWindow, removal_window, winner};
