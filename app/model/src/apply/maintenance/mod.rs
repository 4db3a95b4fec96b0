//! Maintenance of the whole store: its dialogs, and what runs.

mod backups;
mod ended;
mod jobs;
mod pages;
pub mod run;

pub use pages::{apply, follow};
