//! Import and export: what is drafted, what runs, and what was left unfinished.

mod draft;
pub mod resume;
pub mod run;

pub(in crate::apply) use draft::work;
pub use draft::{apply, done, give_up_chooser};
