//! The background deletion of expired documents: pass, sub-pass, batch, schedule, guard, and the
//! reports and forecasts that explain it.
//!
//! [`Reaper::run_pass`] is one whole pass, made of steps that are at most one write transaction
//! each; `thread` only decides when to call it. Whether a document is due is decided by the
//! document, inside the transaction that removes it: an index entry is a hint.

mod background;
mod batch;
mod counters;
mod drain;
mod forecast;
mod guard;
mod handle;
mod history;
mod monitor;
mod parameters;
mod pass;
mod replace;
mod schedule;
mod target;
#[cfg(test)]
mod tests;
pub(crate) mod thread;
mod trash;
mod ttl_range;
mod watchdog;

pub use counters::{Counter, TtlCounters};
pub use forecast::{
    Expiring, ForecastRequest, ForecastTally, Page, Steepest, ThresholdRange, Token, Verdict,
    Verdicts, WhatIfRule, WhatIfTally, count_due, expiring, forecast, is_any_due, told, verdict,
    what_if,
};
#[cfg(test)]
pub(crate) use guard::GUARD_META_NAME;
pub use guard::{
    Guard, Hold, HoldBeforeRestore, HoldReason, HoldStatus, IndexHold, IndexHoldReason, Reading,
    RuleId, SmallStep, simulated_now_ms,
};
pub use handle::{Reaper, THREAD_NAME};
pub use monitor::{Monitor, SleepEnd};
pub use parameters::{
    Limits, ParameterError, ParameterInfo, ParameterKind, TTL_PARAMETERS, TtlParameter,
    TtlParameters,
};
pub use target::{Target, targets, targets_of};
#[cfg(test)]
pub(crate) use trash::TRASH_SECS_META;
pub use ttl_range::TtlRange;
pub use watchdog::Stall;
