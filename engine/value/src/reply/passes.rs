//! The reply to `mayflyPasses`.

use super::{
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// The history of passes.
    pub struct Passes {
        /// In order. A span without a pass and without overdue documents is left out.
        "spans" => spans: Vec<PassSpan>,
        /// The beginning of the history, in milliseconds since 1970; `None` before the first pass.
        "first" as LeftOut<Date> => first_ms: Option<i64>,
    }

    /// The passes of one minute, or of several.
    #[derive(Copy)]
    pub struct PassSpan {
        /// Its beginning, in milliseconds since 1970.
        "at" as Date => at_ms: i64,
        /// Its length.
        "secs" => secs: i64,
        /// Passes that ended in it. 0 while removals were on hold.
        "passes" => passes: u64,
        /// Documents removed.
        "removed" => removed: u64,
        /// Overdue documents that were left after a pass or kept by a hold, at the worst moment. At
        /// most a bound for each rule.
        "left" => left: u64,
        /// The median lag from threshold to removal. Of several passes the mean, weighted by what they
        /// removed.
        "lagP50Millis" => lag_p50_ms: u64,
        /// The lag that 99 of 100 removed documents did not exceed, in the pass with the longest.
        "lagP99Millis" => lag_p99_ms: u64,
        /// How long the passes took together.
        "durationMicros" => duration_micros: u64,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::declare::check_round_trip, *};

    #[test]
    fn the_history_reads_back() {
        let at = bson::DateTime::from_millis(60_000);
        check_round_trip!(
            Passes,
            bson::doc! {
                "spans": [{
                    "at": at, "secs": 60_i64, "passes": 1_i64, "removed": 2_i64, "left": 3_i64,
                    "lagP50Millis": 4_i64, "lagP99Millis": 5_i64, "durationMicros": 6_i64,
                }],
                "first": at,
            }
        );
    }
}
