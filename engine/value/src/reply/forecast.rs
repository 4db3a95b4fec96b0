//! The reply to `mayflyForecast`.

use super::{
    BusyMinute, DocCount,
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// Each document of the collection is counted in exactly one place, at its earliest threshold.
    pub struct Forecast {
        /// Documents with their threshold in each bucket.
        "counts" => counts: Vec<u64>,
        /// Documents outside the buckets that are due now.
        "overdue" => overdue: u64,
        /// Documents outside the buckets that are not due yet.
        "beyond" => beyond: u64,
        /// Documents that never expire.
        "never" => never: u64,
        /// Damaged index entries, whose documents' thresholds are unknown.
        "damaged" => damaged: u64,
        /// Whether every number is right. If not, a document with several dates may count several
        /// times.
        "exact" => exact: bool,
        /// The whole collection, where a server has too many documents to put each into a bucket:
        /// the numbers above are then about right, scaled from a sample.
        "totals" as LeftOut => totals: Option<ForecastTotals>,
        /// The minute in the buckets in which most documents expire, the earliest of several. `None` if that was
        /// not asked for, if none expires, or if a document may count several times.
        "steepest" as LeftOut => steepest: Option<BusyMinute>,
    }

    /// The documents of a collection on a server, counted apart from the buckets.
    pub struct ForecastTotals {
        /// When the server counted, in milliseconds since 1970.
        "at" as Date => at_ms: i64,
        /// Past their threshold.
        "overdue" => overdue: DocCount,
        /// Before it.
        "waiting" => waiting: DocCount,
        /// Without one.
        "never" => never: DocCount,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::declare::check_round_trip, *};

    #[test]
    fn a_forecast_reads_back() {
        check_round_trip!(
            Forecast,
            bson::doc! {
                "counts": [1_i64, 0_i64], "overdue": 2_i64, "beyond": 3_i64, "never": 4_i64,
                "damaged": 5_i64, "exact": true,
                "steepest": {"from": bson::DateTime::from_millis(60_000), "documents": 1_i64},
            }
        );
    }
}
