//! The window without drawing: its state, everything the user can ask for, and what that changes.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]
#![expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "the library serves only the program and its tests, and precise names need no doc"
)]

pub mod action;
pub mod apply;
pub mod state;

use mayfly_session::{commands, guide, inspect, job, limits, quoted, source, worker};
