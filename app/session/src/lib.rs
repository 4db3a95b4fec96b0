//! The side of the window that draws nothing: the stores and servers under it, the questions to them, the
//! console and the lessons.

#![cfg_attr(test, allow(clippy::too_many_lines, reason = "a table of cases is as long as it is"))]
#![expect(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "the library serves only the program and its tests, and precise names need no doc"
)]

pub mod commands;
pub mod demo;
pub mod guide;
pub mod inspect;
pub mod job;
pub mod lessons;
pub mod limits;
pub mod near;
pub mod pace;
pub mod quoted;
pub mod shell;
pub mod shutdown;
pub mod source;
pub mod worker;
