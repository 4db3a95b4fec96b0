//! The reply to `mayflyHeld`.

use bson::Document;

use super::{
    declare::replies,
    wire::{Date, LeftOut},
};

replies! {
    /// The removals on hold. Instants are milliseconds since 1970.
    pub struct Held {
        /// Whether any are. The first hold is repeated here, in the next five fields.
        "held" => is_held: bool,
        /// Why, as a code.
        "reason" as LeftOut => reason: Option<String>,
        /// Why, in one or two sentences.
        "sentence" as LeftOut => sentence: Option<String>,
        /// Whether the user chose to keep the hold.
        "kept" as LeftOut => kept: Option<bool>,
        /// The clock when the hold began.
        "noticed" as LeftOut<Date> => noticed_ms: Option<i64>,
        /// The expected clock when the hold began.
        "expected" as LeftOut<Date> => expected_ms: Option<i64>,
        /// The clock now. Always given.
        "now" as Date => now_ms: Option<i64>,
        /// The expected clock now, by the time since boot.
        "expectedNow" as Date => expected_now_ms: Option<i64>,
        /// When the last pass was made.
        "lastPass" as Date => last_pass_ms: Option<i64>,
        /// How many documents wait.
        "due" => due: u64,
        /// The rules that wait.
        "rules" => rules: Vec<HeldRule>,
        /// Each hold, that of everything first.
        "holds" => holds: Vec<Hold>,
        /// The archives that can't be written. They hold nothing: removed documents stay in the trash.
        "archives" => archives: Vec<Document>,
    }

    /// A rule whose removals wait.
    pub struct HeldRule {
        /// The collection.
        "ns" => ns: String,
        /// The name of the index.
        "index" => index: String,
        /// How many documents a pass would remove now.
        "due" => due: u64,
        /// Whether there are more, which are not counted.
        "atLeast" as LeftOut => is_at_least: Option<bool>,
    }

    /// A hold.
    pub struct Hold {
        /// `all` or `index`.
        "scope" => scope: String,
        /// The collection of the index.
        "ns" as LeftOut => ns: Option<String>,
        /// The name of the index.
        "index" as LeftOut => index: Option<String>,
        /// Why, as a code.
        "reason" => reason: String,
        /// Why, in one or two sentences.
        "sentence" => sentence: String,
        /// Whether the user chose to keep it.
        "kept" => kept: bool,
        /// The clock when it began.
        "noticed" as Date => noticed_ms: i64,
        /// The expected clock when it began.
        "expected" as Date => expected_ms: i64,
        /// How many documents wait.
        "due" => due: u64,
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::{super::declare::check_round_trip, *};

    #[test]
    fn holds_read_back() {
        let at = DateTime::from_millis(1);
        let why = doc! {
            "reason": "clockJumped", "sentence": "The clock jumped", "kept": false, "noticed": at,
            "expected": at,
        };
        let with_why = |before: Document, after: Document| {
            before.into_iter().chain(why.clone()).chain(after).collect::<Document>()
        };
        let due = doc! {"due": 3_i64};
        check_round_trip!(
            Held,
            with_why(
                doc! {"held": true},
                doc! {
                    "now": at, "expectedNow": at, "lastPass": null, "due": 3_i64,
                    "rules": [{"ns": "a.b", "index": "c", "due": 3_i64, "atLeast": true}],
                    "holds": [
                        with_why(doc! {"scope": "all"}, due.clone()),
                        with_why(doc! {"scope": "index", "ns": "a.b", "index": "c"}, due),
                    ],
                    "archives": [{"ns": "a.b"}],
                }
            )
        );
        check_round_trip!(
            Held,
            doc! {
                "held": false, "now": at, "expectedNow": null, "lastPass": at, "due": 0_i64,
                "rules": [], "holds": [], "archives": [],
            }
        );
    }
}
