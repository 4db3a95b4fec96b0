//! The document in the inspector, whole, with what the TTL indexes say about it.

use bson::{Bson, Document};

/// The document in the inspector.
#[derive(Debug, Clone, PartialEq)]
pub struct Focused {
    /// Its `_id`.
    pub id: Bson,
    /// All of it; `None` until it was read.
    pub document: Option<Document>,
    /// It was removed; its last known contents are shown.
    pub gone: bool,
    /// When it goes, and why.
    pub verdict: Option<Verdict>,
}

/// What the TTL indexes say about one document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// One line for each TTL index.
    pub rules: Vec<RuleVerdict>,
    /// The index that removes it first.
    pub winner: Option<String>,
    /// It stays at least until then, in milliseconds since 1970.
    pub earliest_ms: Option<i64>,
    /// It is usually gone then, in milliseconds since 1970.
    pub latest_ms: Option<i64>,
}

/// What one TTL index says.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleVerdict {
    /// The index.
    pub index: String,
    /// The date that counts, in milliseconds since 1970.
    pub base_ms: Option<i64>,
    /// The threshold, in milliseconds since 1970; `None`: never.
    pub threshold_ms: Option<i64>,
    /// Why, in one sentence.
    pub sentence: String,
}

impl Focused {
    /// A document that is still to be read.
    #[must_use]
    pub fn new(id: Bson) -> Self {
        Self { id, document: None, gone: false, verdict: None }
    }
}

impl Verdict {
    /// Reads the reply to `mayflyVerdict`.
    pub fn read(reply: &Document) -> Self {
        let rules = reply.get_array("verdicts").map(Vec::as_slice).unwrap_or_default();
        Self {
            rules: rules.iter().filter_map(Bson::as_document).map(RuleVerdict::read).collect(),
            winner: reply.get_str("winner").ok().map(ToOwned::to_owned),
            earliest_ms: instant(reply, "earliest"),
            latest_ms: instant(reply, "latest"),
        }
    }

    /// What the index says that removes the document first.
    #[must_use]
    pub fn first(&self) -> Option<&RuleVerdict> {
        let winner = self.winner.as_deref()?;
        self.rules.iter().find(|rule| rule.index == winner)
    }
}

impl RuleVerdict {
    fn read(rule: &Document) -> Self {
        Self {
            index: rule.get_str("index").unwrap_or_default().to_owned(),
            base_ms: instant(rule, "base"),
            threshold_ms: instant(rule, "threshold"),
            sentence: rule.get_str("sentence").unwrap_or_default().to_owned(),
        }
    }
}

fn instant(document: &Document, name: &str) -> Option<i64> {
    document.get_datetime(name).ok().map(|at| at.timestamp_millis())
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;

    #[test]
    fn a_verdict_is_read() {
        let at = DateTime::from_millis(61_000);
        let reply = doc! {
            "verdicts": [
                {"index": "a_1", "expires": false, "sentence": "Field a is missing"},
                {"index": "b_1", "expires": true, "threshold": at, "sentence": "60 s after b"},
            ],
            "winner": "b_1", "earliest": at, "latest": DateTime::from_millis(121_000), "ok": 1.0,
        };
        let verdict = Verdict::read(&reply);
        assert_eq!(verdict.first().and_then(|rule| rule.threshold_ms), Some(61_000));
        assert_eq!((verdict.earliest_ms, verdict.latest_ms), (Some(61_000), Some(121_000)));
        assert_eq!(Verdict::read(&doc! {}), Verdict::default());
    }
}
