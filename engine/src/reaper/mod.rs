//! The background deletion of expired documents: pass, sub-pass, batch, schedule, guard, and the
//! reports and forecasts that explain it.
//!
//! [`Reaper::run_pass`] is one whole pass, made of steps that are at most one write transaction
//! each; [`thread`] only decides when to call it. Whether a document is due is decided by the
//! document, inside the transaction that removes it: an index entry is a hint.

#[cfg(test)]
mod agree_tests;
#[cfg(test)]
mod ahead_tests;
mod archiving;
#[cfg(test)]
mod archiving_tests;
mod batch;
#[cfg(test)]
mod clock_tests;
#[cfg(test)]
mod copy_tests;
mod counters;
mod due;
mod event;
mod expiring;
mod forecast;
mod guard;
mod guard_state;
mod guarded;
mod handle;
mod held;
mod keeper;
mod lane;
mod late;
#[cfg(test)]
mod meanwhile_tests;
mod meeting;
mod parameters;
mod pass;
mod replace;
mod schedule;
mod target;
#[cfg(test)]
mod tests;
pub mod thread;
#[cfg(test)]
mod thread_tests;
mod undo;
mod verdict;
mod what_if;

pub use counters::{Counter, TtlCounters};
pub use due::{count_due, is_any_due};
pub use event::{EngineEvent, EventHub, IndexReport, PassReport, Removed, Subscription};
pub use expiring::{Expiring, Page, Token, expiring};
pub use forecast::{Forecast, ForecastRequest, forecast};
pub use guard::{BeforePutBack, Guard, SmallStep};
#[cfg(test)]
pub(crate) use guard_state::GUARD_META_NAME;
pub use guarded::HeldStatus;
pub use handle::{Reaper, THREAD_NAME};
pub use held::{Held, HeldIndex, HeldReason, IndexReason, Reading, RuleId};
pub use lane::Lane;
pub use late::Late;
pub use parameters::{
    Limits, ParameterError, ParameterInfo, ParameterKind, TTL_PARAMETERS, TtlParameter,
    TtlParameters,
};
pub use target::{Target, targets, targets_of};
#[cfg(test)]
pub(crate) use undo::UNDO_META;
pub use verdict::{Verdict, Verdicts, verdict};
pub use what_if::{WhatIf, WhatIfRule, what_if};
