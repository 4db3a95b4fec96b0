//! Maintenance of the whole store: its dialogs, and what runs.

mod pages;
pub mod run;

pub use pages::{answer, apply, dropped, follow};
