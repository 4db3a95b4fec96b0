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

/// The meaning of a document's field `ttl`, by the rules of its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnTtl {
    /// None: it is a field like any other.
    Ordinary,
    /// It counts in a collection with an index on `_ts`. Without one, it may be anything.
    WithIndex,
    /// Seconds to live, as in Azure Cosmos DB, though an index on `_ts` must make them count.
    Meant,
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
    pub own_ttl: OwnTtl,
    /// Why it can't be read.
    pub problem: Option<String>,
}

impl Listed {
    pub fn has_rule(&self) -> bool {
        !self.rules.is_empty()
    }

    /// Whether the index on `_ts` is there, from which on documents' own `ttl` counts.
    pub fn has_modification_index(&self) -> bool {
        self.rules.iter().any(|rule| rule.kind == RuleKind::LastModified)
    }

    /// Whether a field `ttl` of documents means seconds to live. Elsewhere it is a field like any other.
    pub fn may_have_own_ttl(&self) -> bool {
        match self.own_ttl {
            OwnTtl::Ordinary => false,
            OwnTtl::WithIndex => self.has_modification_index(),
            OwnTtl::Meant => true,
        }
    }
}
