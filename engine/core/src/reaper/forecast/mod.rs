//! Forecasts of what a pass would do, and when: counts, lists and explanations. Removes nothing.

mod due;
mod expiring;
mod histogram;
mod steepest;
mod two_ended_scan;
mod verdict;
mod what_if;

pub use due::{count_due, is_any_due};
pub use expiring::{Expiring, Page, ThresholdRange, Token, expiring};
pub use histogram::{ForecastRequest, ForecastTally, forecast};
pub use steepest::Steepest;
pub use verdict::{Verdict, Verdicts, told, verdict};
pub use what_if::{WhatIfRule, WhatIfTally, what_if};
