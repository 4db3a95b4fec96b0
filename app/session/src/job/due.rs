//! When the documents on the screen expire, computed from their fields and the collection's TTL
//! indexes. The inspector queries the store; this is for every row of a list.

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use mayfly_engine::query::Filter;
use mayfly_engine::ttl::{self, Expiry, Never, Rule};
use mayfly_engine::value::{Path, whole};

/// When a document expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// It may be removed from this instant on, in milliseconds since 1970.
    At {
        threshold_ms: i64,
        /// The date that it was counted from.
        base_ms: i64,
    },
    Never,
}

/// One TTL index on a date.
#[derive(Debug, Clone, PartialEq)]
pub struct TtlIndex {
    pub name: String,
    pub field: String,
    /// Whether queries can't use it; it removes documents all the same.
    pub is_hidden: bool,
    /// When it came or got its seconds, if that was noticed, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    rule: Rule,
    partial: Option<PartialFilter>,
}

/// A partial filter, parsed once for all rows. `None` if the engine's parser refuses it.
#[derive(Debug, Clone)]
struct PartialFilter {
    document: Document,
    parsed: Option<Filter>,
}

impl PartialFilter {
    fn new(document: &Document) -> Self {
        let raw = RawDocumentBuf::try_from(document).ok();
        let parsed = raw.and_then(|raw| Filter::parse(&raw).ok());
        Self { document: document.clone(), parsed }
    }
}

impl PartialEq for PartialFilter {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document
    }
}

impl TtlIndex {
    /// Reads an index of `listIndexes`; `None` when it isn't a TTL index whose verdict a document's
    /// own fields tell (an index on `_ts` needs the last modification).
    pub fn read(index: &Document) -> Option<Self> {
        let seconds = whole(index.get("expireAfterSeconds")?)?;
        let keys = index.get_document("key").ok()?;
        let (field, kind) = keys.iter().next().filter(|_| keys.len() == 1)?;
        let counts = matches!(kind, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_));
        if field == "_ts" || !counts || seconds < 0 {
            return None;
        }
        let rule = Rule::Date { field: Path::parse(field).ok()?, expire_after_secs: seconds };
        let partial = index.get_document("partialFilterExpression").ok();
        let partial = partial.map(PartialFilter::new);
        let name = index.get_str("name").ok()?.to_owned();
        let is_hidden = index.get_bool("hidden").unwrap_or(false);
        Some(Self { name, field: field.clone(), is_hidden, since_ms: None, rule, partial })
    }

    /// A rule that no index of the collection has, or not yet.
    pub fn of_rule(name: &str, field: &str, rule: Rule, partial: Option<&Document>) -> Self {
        Self {
            name: name.to_owned(),
            field: field.to_owned(),
            is_hidden: false,
            since_ms: None,
            rule,
            partial: partial.map(PartialFilter::new),
        }
    }

    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// The seconds that it adds to a date.
    pub fn expire_after_secs(&self) -> i64 {
        match &self.rule {
            Rule::Date { expire_after_secs, .. } | Rule::ClusteredId { expire_after_secs } => {
                *expire_after_secs
            }
            _ => 0,
        }
    }

    /// The earliest date that counts. A clustered collection ignores those before 1970.
    pub fn first_base_ms(&self) -> Option<i64> {
        matches!(self.rule, Rule::ClusteredId { .. }).then_some(0)
    }

    /// The partial filter, as the store lists it.
    pub fn partial(&self) -> Option<&Document> {
        self.partial.as_ref().map(|partial| &partial.document)
    }

    /// The partial filter, if the engine's parser knows it.
    pub fn parsed_partial(&self) -> Option<&Filter> {
        self.partial.as_ref().and_then(|partial| partial.parsed.as_ref())
    }

    /// Whether and when a document expires by it.
    pub fn verdict(&self, document: &RawDocument) -> Expiry {
        let filter = self.partial.as_ref().and_then(|partial| partial.parsed.as_ref());
        if filter.is_some_and(|filter| !filter.covers(document)) {
            return Expiry::Never(Never::OutsidePartialFilter);
        }
        ttl::expiry(&self.rule, document, 0)
    }
}

/// Whether an index of `listIndexes` is a TTL index whose verdict the store must be asked for: it
/// counts from the last modification, which isn't a field.
pub fn is_on_modification(index: &Document) -> bool {
    let keys = index.get_document("key").ok();
    index.contains_key("expireAfterSeconds")
        && keys.is_some_and(|keys| keys.len() == 1 && keys.contains_key("_ts"))
}

impl Due {
    /// When the store says that a document expires.
    pub fn new(base_ms: Option<i64>, threshold_ms: Option<i64>) -> Self {
        match (threshold_ms, base_ms) {
            (Some(threshold_ms), Some(base_ms)) => Self::At { threshold_ms, base_ms },
            _ => Self::Never,
        }
    }
}

/// When a whole document expires. `None` without a TTL index on a date.
pub fn due(indexes: &[TtlIndex], document: &Document) -> Option<Due> {
    if indexes.is_empty() {
        return None;
    }
    let raw = RawDocumentBuf::try_from(document).ok()?;
    let verdicts: Vec<Expiry> = indexes.iter().map(|index| index.verdict(&raw)).collect();
    let first = ttl::winner(&verdicts).and_then(|at| verdicts.get(at)?.deadline().copied());
    Some(first.map_or(Due::Never, |deadline| Due::At {
        threshold_ms: deadline.threshold_ms,
        base_ms: deadline.base_ms,
    }))
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;

    fn check(index: &Document, document: &Document, expected: Option<Due>) {
        let indexes: Vec<TtlIndex> = TtlIndex::read(index).into_iter().collect();
        assert_eq!(due(&indexes, document), expected, "{index} {document}");
    }

    #[test]
    fn rows_know_when_they_go() {
        let index = |extra: Document| {
            let mut index = doc! {"name": "at_1", "key": {"at": 1}, "expireAfterSeconds": 60};
            index.extend(extra);
            index
        };
        let at = |ms| doc! {"at": DateTime::from_millis(ms)};
        let goes = Some(Due::At { threshold_ms: 61_000, base_ms: 1_000 });
        check(&index(doc! {}), &at(1_000), goes);
        check(&index(doc! {"expireAfterSeconds": 60.0}), &at(1_000), goes);
        check(&index(doc! {}), &doc! {"at": "soon"}, Some(Due::Never));
        check(&index(doc! {"partialFilterExpression": {"x": 1}}), &at(1_000), Some(Due::Never));
        check(&index(doc! {"key": {"_ts": 1}}), &at(1_000), None);
        check(&index(doc! {"key": {"a": 1, "b": 1}}), &at(1_000), None);
        check(&doc! {"name": "_id_", "key": {"_id": 1}}, &at(1_000), None);
    }
}
