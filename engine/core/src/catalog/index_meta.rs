//! The definition of one index.

use bson::{Document, RawDocument, RawDocumentBuf, doc, raw::RawBsonRef};

use super::{IndexKey, KeyKind};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    query::Filter,
    store::{IndexId, RecordNumber},
    ttl::{InertReason, Rule},
    value::{Collation, bucket, id_number},
};

/// The definition of one index, as in the catalog.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "MongoDB's options, each its own yes or no")]
pub struct IndexMeta {
    /// The number of its entries in the store.
    pub id: IndexId,
    /// The name; unique in the collection.
    pub name: String,
    /// The key pattern.
    pub key: IndexKey,
    /// The form of its entries.
    pub form: EntryForm,
    /// No two documents may have the same key.
    pub unique: bool,
    /// New duplicates are refused, existing ones may remain.
    pub prepare_unique: bool,
    /// Documents without any of the fields have no entry.
    pub sparse: bool,
    /// Queries ignore it; TTL still uses it.
    pub hidden: bool,
    /// How text compares; `None` is by bytes.
    pub collation: Option<Collation>,
    /// Only matching documents have entries.
    pub partial: Option<Filter>,
    /// 0 to 2147483647; -1 on a last-modified index means on, without a default.
    pub expire_after_secs: Option<i64>,
    /// Since when its TTL rule, or the collection's own one in the case of the `_id` index, has
    /// removed documents as early as it does now, in milliseconds since 1970. Before that, no pass
    /// could remove them. `None` if an earlier version made the rule.
    pub ttl_since_ms: Option<i64>,
    /// Whether the index holds every document yet.
    pub state: IndexState,
    /// A document had an array in an indexed field. Never set back to false.
    pub multikey: bool,
    /// The key of a clustered collection.
    pub clustered: bool,
    /// Only for the index on `_id`: documents whose record number comes from their `_id`, see
    /// `value::id_number`, have no entry.
    pub has_implicit_ids: bool,
    /// Other options as MongoDB shows them: `weights`, `wildcardProjection`, `bits` and so on.
    pub extra: Document,
}

/// The contents of an index's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryForm {
    /// Values of the fields: the ordinary form.
    Values,
    /// Last modification and the document's `ttl`, with keys of `value::key::ts`: an index
    /// on `_ts`. It does not answer queries.
    LastModified,
    /// Hashed, text, geographic and wildcard indexes are defined, but neither answer queries nor
    /// expire anything.
    Nothing,
    /// The start of each bucket of a time-series collection, after its metadata if the index has
    /// two fields. It does not answer queries.
    Buckets,
}

/// Whether an index can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexState {
    /// Entries of older documents are still being added. Not used by queries and TTL.
    Building,
    /// Every document has its entries.
    Ready,
}

impl IndexMeta {
    /// Whether queries may use it: ready, visible, and with values in its entries.
    pub fn answers_queries(&self) -> bool {
        self.state == IndexState::Ready && !self.hidden && self.form == EntryForm::Values
    }

    /// Whether writers must refuse a key that another document has.
    pub fn refuses_duplicates(&self) -> bool {
        self.unique || self.prepare_unique
    }

    /// Whether the partial filter accepts a stored document. Of a bucket it sees the metadata.
    pub fn covers(&self, document: &RawDocument) -> bool {
        let Some(filter) = &self.partial else { return true };
        if is_broken(BrokenRule::PartialFilters) {
            return true;
        }
        match self.form {
            EntryForm::Buckets => match bucket::meta_of(document) {
                Some(meta) => filter.covers(meta),
                None => filter.covers(&RawDocumentBuf::new()),
            },
            _ => filter.covers(document),
        }
    }

    /// Whether the ready index has entries for the document with this record number.
    pub fn has_entries_of(&self, record: RecordNumber) -> bool {
        !(self.has_implicit_ids && id_number::is_made(record))
    }

    /// How many keys it holds for a collection of this many documents, including documents that
    /// need no entry.
    pub fn keys(&self, entries: u64, documents: u64) -> u64 {
        // Each document has one `_id`.
        if self.has_implicit_ids { documents } else { entries }
    }

    /// The record number of a document with this value that has no entry here.
    pub fn record_of(&self, value: RawBsonRef<'_>) -> Option<RecordNumber> {
        if self.has_implicit_ids { id_number::number_of(value) } else { None }
    }

    /// Whether this is the index on `_id`.
    pub fn is_id(&self) -> bool {
        self.key.is_id()
    }

    /// The path and direction of a single plain field: what a TTL index scans.
    pub fn field(&self) -> Option<(&crate::value::Path, crate::value::Direction)> {
        let part = self.key.single()?;
        Some((&part.path, part.kind.direction()?))
    }

    /// The TTL rule, if the index has `expireAfterSeconds`. Rules that never remove anything are
    /// [`Rule::Inert`]. For an index of buckets see [`super::CollectionMeta::rule_of`].
    pub fn ttl_rule(&self) -> Option<Rule> {
        let secs = self.expire_after_secs?;
        Some(self.inert_reason(secs).map_or_else(|| self.live_rule(secs), Rule::Inert))
    }

    fn live_rule(&self, secs: i64) -> Rule {
        match (self.form, self.field()) {
            (EntryForm::LastModified, _) => {
                Rule::LastModified { default_secs: (secs >= 0).then_some(secs) }
            }
            _ if self.clustered => Rule::ClusteredId { expire_after_secs: secs },
            (_, Some((path, _))) => Rule::Date { field: path.clone(), expire_after_secs: secs },
            (_, None) => Rule::Inert(InertReason::Compound),
        }
    }

    fn inert_reason(&self, secs: i64) -> Option<InertReason> {
        if self.form == EntryForm::Buckets {
            return Some(InertReason::TimeSeries);
        }
        if self.key.has(KeyKind::Text) {
            return Some(InertReason::Text);
        }
        let Some(part) = self.key.single() else { return Some(InertReason::Compound) };
        match part.kind {
            KeyKind::Hashed => return Some(InertReason::Hashed),
            KeyKind::Text => return Some(InertReason::Text),
            KeyKind::Geo2d | KeyKind::Geo2dSphere => return Some(InertReason::Geo),
            KeyKind::Wildcard => return Some(InertReason::Wildcard),
            KeyKind::Ascending | KeyKind::Descending => {}
        }
        if secs == -1 && self.form != EntryForm::LastModified {
            return Some(InertReason::NotOnTs);
        }
        if secs < -1 || secs > i64::from(i32::MAX) {
            return Some(InertReason::InvalidValue);
        }
        (self.state == IndexState::Building).then_some(InertReason::Building)
    }

    /// As `listIndexes` shows it. Like MongoDB, the index on `_id` does not report `unique`, unless
    /// it is the key of a clustered collection. `background` has no effect and is shown as it was
    /// given, as a bool (`list_indexes.idl`).
    pub fn to_spec(&self) -> Document {
        let shows_unique = self.unique && (self.clustered || !self.is_id());
        let mut spec = doc! { "v": 2, "key": self.key.source.clone(), "name": self.name.clone() };
        if let Some(background) = self.extra.get("background") {
            spec.insert("background", background.clone());
        }
        for (option, on) in [
            ("unique", shows_unique),
            ("prepareUnique", self.prepare_unique),
            ("sparse", self.sparse),
            ("hidden", self.hidden),
            ("clustered", self.clustered),
        ] {
            if on {
                spec.insert(option, true);
            }
        }
        if let Some(filter) = &self.partial
            && let Ok(filter) = Document::try_from(filter.source())
        {
            spec.insert("partialFilterExpression", filter);
        }
        if let Some(secs) = self.expire_after_secs {
            spec.insert("expireAfterSeconds", i32::try_from(secs).unwrap_or(i32::MAX));
        }
        spec.extend(self.extra.clone());
        if let Some(collation) = &self.collation {
            spec.insert("collation", collation.spec().clone());
        }
        spec
    }
}
