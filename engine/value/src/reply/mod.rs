//! The replies of Mayfly's own commands as types: a command writes them, the window and the command
//! line read them.
//!
//! A field that a reply lacks, or that has another type, reads as 0, false or empty. A type without
//! such a value, as a name or a date, makes `from_document` return `None`. Lists skip such
//! elements.

mod clock;
mod damaged;
mod declare;
mod doc_count;
mod expiring;
mod forecast;
mod held;
mod passes;
mod trash;
mod verdict;
mod what_if;
mod wire;

pub use clock::Clock;
pub use damaged::{DamagedPage, DamagedRemoval, DamagedRow};
pub use doc_count::DocCount;
pub use expiring::{ExpiringPage, ExpiringRow};
pub use forecast::{Forecast, ForecastTotals};
pub use held::{Held, HeldRule, Hold};
pub use passes::{PassSpan, Passes};
pub use trash::{TrashPage, TrashRow, TrashStatus};
pub use verdict::{DocumentDue, RuleVerdict, Verdict, Verdicts};
pub use what_if::{BusyMinute, WhatIf};
