//! The store's clock, on `admin`.

use bson::{Document, doc};

pub fn read() -> Document {
    doc! { "mayflyClock": 1 }
}

/// Pauses a simulated clock, or starts it.
pub fn set_paused(paused: bool) -> Document {
    doc! { "mayflyClock": 1, "paused": paused }
}

/// Sets the speed of a simulated clock and starts it.
pub fn set_rate(rate: f64) -> Document {
    doc! { "mayflyClock": 1, "rate": rate, "paused": false }
}

/// Moves a simulated clock to the next `pass` or the next `event`.
pub fn advance_to(what: &str) -> Document {
    doc! { "mayflyClock": 1, "advanceTo": what }
}

/// Moves a simulated clock forward.
pub fn advance(ms: i64) -> Document {
    doc! { "mayflyClock": 1, "advanceMS": ms }
}
