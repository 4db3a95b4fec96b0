//! Import and export: what is drafted, what runs, and what was left unfinished.

mod choose_path;
mod copying;
mod draft;
mod dump;
mod dump_export;
mod export;
mod import;
mod imported;
mod job;
mod losses;
mod open_draft;
mod opened;
mod preview;
mod rehearsal;
pub mod resume;
pub mod run;
#[cfg(test)]
mod tests;

pub use choose_path::give_up_chooser;
pub use draft::apply;
pub(super) use export::show as show_export;
