//! The reply to `mayflyWhatIf`.

use std::{borrow::Cow, collections::BTreeMap};

use super::{
    DocCount,
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// The documents of a collection by what a TTL rule would do to them.
    pub struct WhatIf {
        /// Documents of the collection.
        "total" => total: DocCount,
        /// Documents that are damaged, or have a damaged entry. No pass removes them, and no other count
        /// has them.
        "damaged" => damaged: u64,
        /// Would be removed by the next pass.
        "overdueNow" => overdue_now: DocCount,
        /// Would expire within the next hour.
        "nextHour" => next_hour: DocCount,
        /// Would expire within the next 24 hours, those of the next hour included.
        "nextDay" => next_day: DocCount,
        /// Would never expire, by the code of the reason.
        "never" => never: BTreeMap<Cow<'static, str>, DocCount>,
        /// The minute in which most documents would expire, after now; `None` if none would.
        "busiest" as LeftOut => busiest: Option<BusyMinute>,
        /// All that would never expire, where they are counted apart from the reasons.
        "neverInAll" as LeftOut => never_in_all: Option<DocCount>,
        /// Documents with their threshold before the first of the edges that were asked for, between
        /// each of them and the next, and from the last one on.
        "counts" as LeftOut => counts: Option<Vec<u64>>,
    }

    /// A minute, and the documents that expire in it.
    pub struct BusyMinute {
        /// Its beginning, in milliseconds since 1970.
        "from" as Date => from_ms: i64,
        /// A lower bound, exact while they expire in a few thousand minutes.
        "documents" => documents: u64,
    }
}

impl WhatIf {
    /// Documents that would never expire.
    pub fn stays(&self) -> DocCount {
        let by_reason = || self.never.values().fold(DocCount::default(), |sum, n| sum.plus(*n));
        self.never_in_all.unwrap_or_else(by_reason)
    }

    /// Documents that would expire after more than an hour: with the other figures, all of the
    /// collection.
    pub fn later(&self) -> DocCount {
        let counted = [self.overdue_now, self.next_hour, self.stays(), self.damaged.into()];
        counted.iter().fold(self.total, |left, count| left.minus(*count))
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
                "counts": [4_i64, 3_i64],
            }
        );
    }
}
