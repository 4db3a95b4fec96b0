//! The reply to `mayflyWhatIf`.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// The documents of a collection by what a TTL rule would do to them.
    pub struct WhatIf {
        /// Documents of the collection.
        "total" => total: u64,
        /// Documents that are damaged, or whose entry is. No pass removes them, and no other count
        /// has them.
        "damaged" => damaged: u64,
        /// Would be removed by the next pass.
        "overdueNow" => overdue_now: u64,
        /// Would expire within the next hour.
        "nextHour" => next_hour: u64,
        /// Would expire within the next 24 hours, those of the next hour included.
        "nextDay" => next_day: u64,
        /// Would never expire, by the code of the reason.
        "never" => never: BTreeMap<Cow<'static, str>, u64>,
        /// The minute in which most documents would expire, after now; `None` if none would.
        "busiest" as LeftOut => busiest: Option<BusyMinute>,
        /// Documents that were looked at, where a server has too many to count: the numbers are about
        /// right, scaled from these.
        "sample" as LeftOut => sample: Option<u64>,
    }

    /// A minute, and the documents that expire in it.
    pub struct BusyMinute {
        /// Its beginning, in milliseconds since 1970.
        "from" as Date => from_ms: i64,
        /// At least so many documents; exact while they expire in a few thousand minutes.
        "documents" => documents: u64,
    }
}

impl WhatIf {
    /// Documents that would never expire.
    #[must_use]
    pub fn stays(&self) -> u64 {
        self.never.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Documents that would expire after more than an hour: with the other figures, all of the
    /// collection.
    #[must_use]
    pub fn later(&self) -> u64 {
        let counted = [self.overdue_now, self.next_hour, self.stays(), self.damaged];
        counted.iter().fold(self.total, |left, count| left.saturating_sub(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::declare::check_round_trip, *};

    #[test]
    fn what_a_rule_would_do_reads_back() {
        check_round_trip!(
            WhatIf,
            bson::doc! {
                "total": 9_i64, "damaged": 1_i64, "overdueNow": 2_i64, "nextHour": 3_i64,
                "nextDay": 4_i64, "never": {"fieldMissing": 1_i64, "null": 1_i64},
                "busiest": {"from": bson::DateTime::from_millis(60_000), "documents": 3_i64},
            }
        );
    }
}
