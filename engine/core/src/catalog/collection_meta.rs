//! The definition of one collection.

use std::sync::Arc;

use bson::{RawDocument, Uuid};

use super::{
    CatalogError, CatalogErrorKind, CollectionOptions, EntryForm, IndexMeta, IndexState, Namespace,
};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    store::{CollectionId, IndexId},
    ttl::{self, InertReason, Rule},
    value::bucket::TimeSeries,
};

/// The definition of one collection, view or time-series collection, as in the catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct CollectionMeta {
    /// The number of its documents in the store. Renaming keeps it.
    pub id: CollectionId,
    /// MongoDB's identity of a collection. Renaming keeps it.
    pub uuid: Uuid,
    /// Its name.
    pub namespace: Namespace,
    /// The options given at creation or changed by `collMod`.
    pub options: CollectionOptions,
    /// `_id_` first, then in order of creation. Empty for views.
    pub indexes: Vec<Arc<IndexMeta>>,
}

impl CollectionMeta {
    /// The index with this name.
    pub fn index(&self, name: &str) -> Option<&Arc<IndexMeta>> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The index with this number.
    pub fn index_by_id(&self, id: IndexId) -> Option<&Arc<IndexMeta>> {
        self.indexes.iter().find(|index| index.id == id)
    }

    /// The index on `_id`.
    pub fn id_index(&self) -> Option<&Arc<IndexMeta>> {
        self.indexes.iter().find(|index| index.is_id())
    }

    /// Whether this is a view.
    pub fn is_view(&self) -> bool {
        self.options.view.is_some()
    }

    /// Whether this is a time-series collection.
    pub fn is_time_series(&self) -> bool {
        self.options.time_series.is_some()
    }

    /// The options of a time-series collection.
    pub fn time_series(&self) -> Option<TimeSeries> {
        TimeSeries::of(self.options.time_series.as_ref()?)
    }

    /// The indexes that clients see: without the one on the `_id` of a time series' buckets.
    pub fn shown_indexes(&self) -> impl Iterator<Item = &Arc<IndexMeta>> {
        let is_hidden = |index: &IndexMeta| index.is_id() && index.form == EntryForm::Buckets;
        self.indexes.iter().filter(move |index| !is_hidden(index))
    }

    /// Refuses a view.
    ///
    /// # Errors
    /// `CommandNotSupportedOnView`.
    pub fn check_is_no_view(&self) -> Result<(), CatalogError> {
        if self.is_view() {
            return Err(CatalogError::new(
                CatalogErrorKind::CommandNotSupportedOnView,
                format!("{} is a view; name the collection under it instead", self.namespace),
            ));
        }
        Ok(())
    }

    /// Refuses anything but an ordinary collection with documents.
    ///
    /// # Errors
    /// `CommandNotSupportedOnView` for a view, `CommandNotSupported` for a time-series collection.
    pub fn check_holds_documents(&self) -> Result<(), CatalogError> {
        self.check_is_no_view()?;
        if self.options.time_series.is_some() {
            return Err(CatalogError::new(
                CatalogErrorKind::CommandNotSupported,
                format!(
                    "{} is a time-series collection, for which this is not supported; use an \
                     ordinary collection",
                    self.namespace
                ),
            ));
        }
        Ok(())
    }

    /// The rule of a clustered or time-series collection with its own `expireAfterSeconds`.
    pub fn own_rule(&self) -> Option<Rule> {
        let expire_after_secs = self.options.expire_after_secs?;
        if self.options.time_series.is_some() {
            return Some(self.bucket_rule(expire_after_secs));
        }
        self.options.clustered.as_ref()?;
        Some(Rule::ClusteredId { expire_after_secs })
    }

    /// Every rule that may remove its documents, including inert ones, with the index to scan: its
    /// own rule, and those of ready TTL indexes.
    pub fn ttl_rules(&self) -> impl Iterator<Item = (Rule, &Arc<IndexMeta>)> {
        let own = self.own_rule().zip(self.id_index());
        let indexes = self
            .indexes
            .iter()
            .filter(|index| index.state == IndexState::Ready && index.expire_after_secs.is_some())
            .filter(|index| !(index.hidden && is_broken(BrokenRule::HiddenIndexes)));
        own.into_iter().chain(indexes.filter_map(|index| Some((self.rule_of(index)?, index))))
    }

    /// The TTL rule of one of its indexes.
    pub fn rule_of(&self, index: &IndexMeta) -> Option<Rule> {
        match (index.form, index.expire_after_secs) {
            (EntryForm::Buckets, Some(secs)) if secs >= 0 => Some(self.bucket_rule(secs)),
            _ => index.ttl_rule(),
        }
    }

    fn bucket_rule(&self, expire_after_secs: i64) -> Rule {
        self.time_series().map_or(Rule::Inert(InertReason::TimeSeries), |options| Rule::Bucket {
            expire_after_secs,
            span_secs: options.span.secs(),
        })
    }

    /// Whether reads hide this document: it is past its threshold under a TTL index on `_ts`.
    /// Collections with other rules show documents until they are removed.
    pub fn hides(&self, document: &RawDocument, modified_ms: i64, now_ms: i64) -> bool {
        self.hidden_from_ms(document, modified_ms).is_some_and(|from_ms| from_ms <= now_ms)
    }

    /// The instant from which reads hide this document; `None` if never.
    pub fn hidden_from_ms(&self, document: &RawDocument, modified_ms: i64) -> Option<i64> {
        self.hidden_by(document, modified_ms).map(|(_, from_ms)| from_ms)
    }

    /// The index whose rule hides this document first, and from which instant.
    pub fn hidden_by(
        &self,
        document: &RawDocument,
        modified_ms: i64,
    ) -> Option<(&Arc<IndexMeta>, i64)> {
        let covers =
            |index: &IndexMeta| index.partial.as_ref().is_none_or(|part| part.covers(document));
        self.hiding_indexes()
            .filter(|index| covers(index))
            .filter_map(|index| {
                let expiry = ttl::expiry(&index.ttl_rule()?, document, modified_ms);
                Some((index, expiry.threshold_ms()?))
            })
            .min_by_key(|(_, from_ms)| *from_ms)
    }

    /// Whether the counter of stored documents equals the number that reads show: nothing is
    /// hidden, and records are not buckets.
    pub fn counts_documents(&self) -> bool {
        self.options.time_series.is_none() && !self.hides_expired()
    }

    /// Whether [`CollectionMeta::hides`] can ever be true.
    pub fn hides_expired(&self) -> bool {
        self.hiding_indexes().next().is_some()
    }

    fn hiding_indexes(&self) -> impl Iterator<Item = &Arc<IndexMeta>> {
        let is_hiding = |rule: &Rule| match rule {
            Rule::LastModified { .. } => !is_broken(BrokenRule::CosmosShows),
            Rule::Date { .. } => is_broken(BrokenRule::MongodbHides),
            _ => false,
        };
        self.indexes.iter().filter(move |index| {
            index.state == IndexState::Ready
                && index.ttl_rule().as_ref().is_some_and(is_hiding)
                && !self.namespace.is_unfinished_output()
        })
    }
}
