//! The audit of a store or a server: whether each TTL rule works, what will go and when, what never will,
//! and what is wrong or risky, worst first.
//!
//! `worker/audit` gathers [`Facts`] with reads only; [`Audit::of`] makes the findings from them, purely, so
//! that each has a table of cases. The forms are in [`form`]: text for a terminal, JSON, Markdown and HTML.
//! `findings/` has one file a subject. A number is a [`DocCount`](mayfly_engine::reply::DocCount), so each
//! says whether it is exact, at least or about.

pub mod facts;
mod finding;
mod findings;
pub mod form;
pub mod pace;
mod report;
pub mod samples;
mod words;

pub use facts::Facts;
pub use finding::{Example, Finding, FindingId, Mend, Place, Severity};
pub use findings::{has_dates, is_candidate, is_cliff};
pub use report::{Audit, AuditProgress};
