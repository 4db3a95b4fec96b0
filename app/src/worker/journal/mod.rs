//! Journals: what is needed to continue, stop or undo an operation that is cut short. Each
//! operation in steps has one file, which is written before its first step, before and after each
//! step, and removed at its end.

pub mod cut;
pub mod file;
pub mod header;
