//! The TTL rules of a pass, each with its index ranges.

use std::sync::Arc;

use super::ttl_range::{TtlRange, sound};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    catalog::{CatalogSnapshot, CollectionMeta, Dialect, IndexMeta, TtlTarget},
    store::{CollectionId, IndexId, Reader, StoreError, StoredDocument},
    ttl::{self, Deadline, Expiry, Never, Rule},
    value::Direction,
};

/// One TTL rule of one collection: of an index, or the own rule of a clustered or time-series
/// collection.
#[derive(Debug, Clone)]
pub struct Target {
    /// The collection as it was when the list was made.
    pub collection: Arc<CollectionMeta>,
    /// The index whose entries hold the instants.
    pub index: Arc<IndexMeta>,
    /// The rule.
    pub rule: Rule,
    /// Its ranges in the index; empty for an inert rule.
    pub ranges: Vec<TtlRange>,
    /// Whether its database follows Cosmos DB, whose removals come later (`background.rs`).
    pub in_background: bool,
}

/// All rules of all collections, inert ones included.
pub fn targets(catalog: &CatalogSnapshot) -> Vec<Target> {
    catalog.ttl_indexes().map(|found| Target::new(found, catalog)).collect()
}

/// The rules by which documents are removed now.
pub(super) fn targets_at_work(catalog: &CatalogSnapshot) -> Vec<Target> {
    let mut all = targets(catalog);
    // A `$out` that still runs writes there. Its target's rules apply once it has replaced that.
    all.retain(|target| !target.collection.namespace.is_unfinished_output());
    all
}

/// All rules of one collection, in the order in which they were made.
pub fn targets_of(catalog: &CatalogSnapshot, collection: CollectionId) -> Vec<Target> {
    let of_it = catalog.collection_by_id(collection).into_iter();
    let found = of_it.flat_map(|collection| catalog.ttl_indexes_of(collection));
    found.map(|found| Target::new(found, catalog)).collect()
}

impl Target {
    fn new(TtlTarget { collection, index, rule }: TtlTarget, catalog: &CatalogSnapshot) -> Self {
        let direction = index.field().map_or(Direction::Ascending, |(_, direction)| direction);
        let is_spared =
            direction == Direction::Descending && is_broken(BrokenRule::DescendingIndexes);
        let ranges = if is_spared { Vec::new() } else { TtlRange::of(&rule, direction) };
        let in_background = catalog.dialect(&collection.namespace.db) == Dialect::Cosmos;
        Self { collection, index, rule, ranges, in_background }
    }

    /// The rule's name in replies and reports.
    pub fn name(&self) -> &str {
        &self.index.name
    }

    /// The path the rule looks at.
    pub fn field(&self) -> &str {
        self.index.key.parts.first().map_or("", |part| part.path.as_str())
    }

    /// From when on a pass could remove a document with this threshold: from then, or since the rule
    /// removes documents as early as it does, if that is later.
    pub fn removable_ms(&self, threshold_ms: i64) -> i64 {
        self.index.ttl_since_ms.map_or(threshold_ms, |since_ms| threshold_ms.max(since_ms))
    }

    /// Identifies the rule within a pass.
    pub fn identity(&self) -> (CollectionId, IndexId, bool) {
        let is_own = self.index.is_id();
        (self.collection.id, self.index.id, is_own)
    }

    /// Whether the collection, as it is now, still has this rule.
    pub fn is_in_force(&self, current: &CollectionMeta) -> bool {
        let is_this =
            // The rule is compared and not only its index, because `collMod` may have changed the
            // seconds.
            |(rule, index): (Rule, &Arc<IndexMeta>)| index.id == self.index.id && rule == self.rule;
        current.id == self.collection.id && current.ttl_rules().any(is_this)
    }

    /// When and why a document expires under this rule, its partial filter included.
    ///
    /// # Errors
    /// When the stored bytes are not a document.
    pub fn expiry(&self, stored: &StoredDocument<'_>) -> Result<Expiry, StoreError> {
        let document = stored.document()?;
        if !self.index.covers(document) {
            return Ok(Expiry::Never(Never::OutsidePartialFilter));
        }
        Ok(ttl::expiry(&self.rule, document, stored.modified_ms))
    }

    /// The deadline of a document that is due.
    ///
    /// # Errors
    /// When the stored bytes are not a document.
    pub fn due(
        &self,
        stored: &StoredDocument<'_>,
        now_ms: i64,
    ) -> Result<Option<Deadline>, StoreError> {
        let expiry = self.expiry(stored)?;
        if is_broken(BrokenRule::AllRulesMustAgree) {
            let document = stored.document()?;
            let is_due = |(rule, _): (Rule, _)| {
                ttl::expiry(&rule, document, stored.modified_ms).is_due(now_ms)
            };
            if !self.collection.ttl_rules().all(is_due) {
                return Ok(None);
            }
        }
        Ok(expiry.deadline().filter(|deadline| deadline.is_due(now_ms)).copied())
    }

    /// The earliest threshold in the index not before `from_ms`, ignoring damaged entries.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn first_threshold_ms(
        &self,
        reader: &Reader<'_>,
        from_ms: i64,
    ) -> Result<Option<i64>, StoreError> {
        let mut first: Option<i64> = None;
        for range in &self.ranges {
            let from = range.first_from_ms(from_ms);
            let entries = range.entries(reader, self.index.id, from, i64::MAX)?;
            if let Some(entry) = sound(entries).next() {
                let instant = range.instant_ms(entry?.key);
                // A rule may have two ranges, and each knows only its own earliest threshold.
                let threshold = instant.and_then(|instant| range.threshold_ms(instant));
                first = first.into_iter().chain(threshold).min();
            }
        }
        Ok(first)
    }
}
