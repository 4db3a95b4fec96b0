//! The reply to `mayflyClock`.

use super::{declare::replies, wire::Date};

replies! {
    /// How the store's clock runs.
    pub struct Clock {
        /// Its time, in milliseconds since 1970.
        "now" as Date => now_ms: i64,
        /// `system` or `simulated`.
        "mode" => mode: String,
        /// Simulated seconds per real second; 1 for the system clock.
        "rate" => rate: f64,
        /// Whether it stands still.
        "paused" => is_paused: bool,
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::{super::declare::check_round_trip, *};

    #[test]
    fn a_clock_reads_back() {
        let now = DateTime::from_millis(1);
        check_round_trip!(
            Clock,
            doc! {"now": now, "mode": "simulated", "rate": 60.0, "paused": true}
        );
    }
}
