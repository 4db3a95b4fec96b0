//! The replies to `mayflyVerdict`.

use bson::Bson;

use super::{
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// The verdicts of the TTL rules on one document. Instants are milliseconds since 1970.
    pub struct Verdict {
        /// One for each rule.
        "verdicts" => rules: Vec<RuleVerdict>,
        /// The rule that removes it first.
        "winner" => winner: Option<String>,
        /// It stays at least until then.
        "earliest" as LeftOut<Date> => earliest_ms: Option<i64>,
        /// It is usually removed by then.
        "latest" as LeftOut<Date> => latest_ms: Option<i64>,
    }

    /// The verdict of one rule.
    pub struct RuleVerdict {
        /// The index's name.
        "index" => index: String,
        /// The path that the rule looks at.
        "field" => field: String,
        /// Whether it ever removes the document; if not, the next four are `None`.
        "expires" => expires: bool,
        /// The date that counts.
        "base" as LeftOut<Date> => base_ms: Option<i64>,
        /// A pass removes it from then on.
        "threshold" as LeftOut<Date> => threshold_ms: Option<i64>,
        /// The seconds between the two.
        "expireAfterSeconds" as LeftOut => expire_after_secs: Option<i64>,
        /// Where the seconds come from.
        "source" as LeftOut => source: Option<String>,
        /// `expires`, or the code of the reason why not.
        "reason" => reason: String,
        /// The reason in one sentence.
        "sentence" => sentence: String,
    }

    /// When several documents expire; those that are not there are left out.
    pub struct Verdicts {
        /// One for each document.
        "documents" => documents: Vec<DocumentDue>,
    }

    /// When a document expires; never without the two dates.
    pub struct DocumentDue {
        /// Its `_id`.
        "_id" => id: Bson,
        /// The date that counts.
        "base" as LeftOut<Date> => base_ms: Option<i64>,
        /// A pass removes it from then on.
        "threshold" as LeftOut<Date> => threshold_ms: Option<i64>,
    }
}

impl Verdict {
    /// The verdict of the rule that removes the document first.
    pub fn first(&self) -> Option<&RuleVerdict> {
        let winner = self.winner.as_deref()?;
        self.rules.iter().find(|rule| rule.index == winner)
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::{super::declare::check_round_trip, *};

    #[test]
    fn a_verdict_reads_back() {
        let at = DateTime::from_millis(61_000);
        check_round_trip!(
            Verdict,
            doc! {
                "verdicts": [
                    {
                        "index": "a_1", "field": "a", "expires": false, "reason": "fieldMissing",
                        "sentence": "Field a is missing",
                    },
                    {
                        "index": "b_1", "field": "b", "expires": true,
                        "base": DateTime::from_millis(1_000), "threshold": at,
                        "expireAfterSeconds": 60_i64, "source": "index", "reason": "expires",
                        "sentence": "60 s after b",
                    },
                ],
                "winner": "b_1", "earliest": at, "latest": DateTime::from_millis(121_000),
            }
        );
        check_round_trip!(Verdict, doc! {"verdicts": [], "winner": null});
    }

    #[test]
    fn verdicts_read_back() {
        let at = DateTime::from_millis(1_000);
        let due = doc! {"_id": 1, "base": at, "threshold": at};
        check_round_trip!(Verdicts, doc! {"documents": [due, {"_id": null}]});
    }
}
