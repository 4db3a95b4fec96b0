//! Time, passed in: the system's clock, a simulated one, and one that pretends to be the system's.
//!
//! Everything in the engine that needs the time is given a [`Clock`]. Two readings exist: the wall
//! clock, which people set and which may jump, and the monotonic clock, which only grows and counts
//! the time the machine was asleep. Rules compare documents with the wall clock; waiting is done on
//! the monotonic clock.

mod contract;
mod pretended;
mod simulated;
mod system;
mod wake;

pub use contract::{Clock, ClockMode, ClockStatus};
pub use pretended::PretendedClock;
pub use simulated::{RATE_MAX, RATE_MIN, SimulatedClock};
pub use system::{SystemClock, work_time};
pub use wake::{WaitEnd, WakeUp};
