//! The collections and rules of a store, as it lists them.

use bson::Document;
use mayfly_engine::ttl::InertReason;
use mayfly_engine::value::bucket::TimeSeries;

use crate::inspect::audit::facts::{PlainIndex, RuleKind};
use crate::job::Namespace;

/// A TTL rule, as the store lists it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedRule {
    pub kind: RuleKind,
    pub name: String,
    pub key: Document,
    pub secs: i64,
    pub is_hidden: bool,
    pub partial: Option<Document>,
    /// Why the index never removes anything.
    pub inert: Option<InertReason>,
}

impl ListedRule {
    pub fn field(&self) -> &str {
        self.key.keys().next().map_or("", String::as_str)
    }
}

/// A collection with its indexes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    pub namespace: Namespace,
    pub rules: Vec<ListedRule>,
    pub plain: Vec<PlainIndex>,
    /// All of its indexes, as the store lists them.
    pub indexes: Vec<Document>,
    /// Of a time series: its time field and the length of its buckets.
    pub series: Option<TimeSeries>,
    /// Whether an index on `_ts` makes documents' own `ttl` count, by the rules of the database.
    pub may_have_own_ttl: bool,
    /// Why it can't be read.
    pub problem: Option<String>,
}

impl Listed {
    pub fn has_rule(&self) -> bool {
        !self.rules.is_empty()
    }
}
