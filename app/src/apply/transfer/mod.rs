//! Import and export: what is drafted, what runs, and what was left unfinished.

mod copying;
mod draft;
mod dump;
mod dump_export;
mod imported;
mod look_ahead;
mod open_draft;
mod opened;
pub mod resume;
pub mod run;

pub use draft::{apply, done, give_up_chooser};
