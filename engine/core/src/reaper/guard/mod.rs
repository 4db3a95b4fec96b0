//! The clock guard: stops removals while the clock may be wrong, because a wrong clock removes everything.
//!
//! [`policy`] decides from pairs of clock readings and nothing else, so tables test it. [`runtime`]
//! feeds it the real readings, stores its [`state`], and tells the reaper which removals are on hold.

mod hold;
mod policy;
mod runtime;
mod state;

pub use hold::{Hold, HoldReason, IndexHold, IndexHoldReason, Reading, RuleId};
pub(super) use policy::millis;
pub use policy::{Guard, HoldBeforeRestore, SmallStep};
pub(super) use runtime::{GuardRuntime, Permit};
pub use runtime::{HoldStatus, simulated_now_ms};
pub(crate) use state::GUARD_META_NAME;
pub(super) use state::UnsavedState;
