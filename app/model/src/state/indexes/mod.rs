//! The indexes of one tab, and what its dialogs hold.

mod age;
mod dialogs;
#[cfg(test)]
mod tests;
mod view;

pub use age::{AGE_SLICES, AgeCounts, slider_fraction, slider_next, slider_secs};
pub use dialogs::{ChangeTtl, CreateIndex, Dialog, DropIndex};
pub use view::{IndexRow, IndexesView, SampledField, TtlIndex, no_ttl_reason, ttl_words};
