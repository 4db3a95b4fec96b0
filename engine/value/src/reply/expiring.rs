//! The reply to `mayflyExpiring`.

use bson::{Bson, Document};

use super::{
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// A page of documents, those that expire first.
    pub struct ExpiringPage {
        /// The documents, soonest first.
        "batch" => batch: Vec<ExpiringRow>,
        /// Where the next page begins, for `after`; `None` at the end.
        "next" => next: Option<Document>,
        /// How many TTL rules the collection has, or 1 with `index`; `None` from an older server.
        "rules" => rules: Option<u64>,
        /// The rules themselves, in words that differ when a rule does; only of a server, which tells no changes.
        "ruledBy" as LeftOut => ruled_by: Option<String>,
    }

    /// A document with a threshold. Instants are milliseconds since 1970.
    pub struct ExpiringRow {
        /// Its `_id`.
        "_id" => id: Bson,
        /// The rule that removes it first.
        "index" => index: String,
        /// The path that the rule looks at; `_ts` for the last modification.
        "field" => field: String,
        /// The date that the seconds are added to.
        "base" as Date => base_ms: i64,
        /// A pass removes it from then on.
        "threshold" as Date => threshold_ms: i64,
        /// Where the seconds come from; `item` is the document's own `ttl`.
        "source" => source: String,
        /// The dates in the field, the earliest first, if there are several; not all of very many.
        "dates" as LeftOut<Date> => dates_ms: Option<Vec<i64>>,
        /// When its index came or got its seconds, if that was after the threshold: no pass could remove it before.
        "removable" as LeftOut<Date> => removable_ms: Option<i64>,
        /// `waiting`, or `overdue` from its threshold on.
        "state" => state: String,
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::{super::declare::check_round_trip, *};

    #[test]
    fn a_page_reads_back() {
        check_round_trip!(
            ExpiringPage,
            doc! {
                "batch": [{
                    "_id": {"a": 1}, "index": "at_1", "field": "at",
                    "base": DateTime::from_millis(1), "threshold": DateTime::from_millis(2), "source": "index",
                    "dates": [DateTime::from_millis(1), DateTime::from_millis(5)],
                    "removable": DateTime::from_millis(3), "state": "overdue",
                }],
                "next": {"t": DateTime::from_millis(2)}, "rules": 1_i64, "ruledBy": "at_1 60",
            }
        );
        check_round_trip!(ExpiringPage, doc! {"batch": [], "next": null, "rules": 0_i64});
    }
}
