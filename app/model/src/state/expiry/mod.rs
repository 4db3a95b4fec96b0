//! The Expiry view of one collection: which documents wait, which are overdue, which were just
//! removed.
//!
//! Every lane keeps its absolute threshold; whatever depends on *now* is computed on demand.

mod cliff;
mod figures;
mod lag;
mod lane;
mod ledger;
mod marks;
mod range;
mod removals;
mod totals;
mod view;
mod what_if;

pub use self::cliff::{first_pass, in_passes, is_cliff, one_minute};
pub use self::figures::{Brush, Cliff, InRange, Kept, ShownPass, Summary, Totals};
pub use self::lag::{PassLag, Promise};
pub use self::lane::{Lane, Phase};
pub use self::ledger::Pick;
pub use self::marks::{IndexMark, mark};
pub use self::removals::{Look, Row};
pub use self::view::{Density, ExpiryView, Mode, SavedExpiry};
pub use self::what_if::{Fate, Trial, WhatIfStrip};

#[cfg(test)]
mod tests;
