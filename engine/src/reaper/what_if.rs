//! What a TTL rule would do, before it is made. Writes nothing.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    catalog::{CollectionMeta, IndexMeta},
    clock::work_time,
    limits::{READ_DOCS_MAX, READ_MS_MAX},
    query::Filter,
    store::{Reader, Scan, Store, StoreError},
    ttl::{self, Expiry, Never, Rule},
};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The documents of a collection by what the rule would do to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WhatIf {
    /// Documents of the collection.
    pub total: u64,
    /// Would go with the next pass.
    pub overdue_now: u64,
    /// Would expire within the next hour.
    pub next_hour: u64,
    /// Would expire within the next 24 hours, those of the next hour included.
    pub next_day: u64,
    /// Would never expire, by [`Never::code`].
    pub never: BTreeMap<&'static str, u64>,
}

/// A rule that is asked about.
#[derive(Debug, Clone)]
pub struct WhatIfRule {
    /// The rule.
    pub rule: Rule,
    /// Documents that do not match would not be in the index.
    pub partial: Option<Filter>,
}

impl WhatIfRule {
    /// The rule of an existing index with these seconds.
    #[must_use]
    pub fn of_index(index: &Arc<IndexMeta>, expire_after_secs: i64) -> Self {
        let mut changed = IndexMeta::clone(index);
        changed.expire_after_secs = Some(expire_after_secs);
        let rule = changed.ttl_rule();
        let rule = rule.unwrap_or(Rule::Inert(ttl::InertReason::InvalidValue));
        Self { rule, partial: changed.partial }
    }
}

/// Reads every document in short steps and asks what the rule says. Documents that come or go
/// meanwhile may or may not be counted.
///
/// # Errors
/// When the store can't be read.
pub fn what_if(
    store: &Store,
    collection: &CollectionMeta,
    rule: &WhatIfRule,
    now_ms: i64,
) -> Result<WhatIf, StoreError> {
    let mut counts = WhatIf::default();
    let mut from = Some(0);
    while let Some(record) = from {
        from = store.read(|reader| step(reader, collection, rule, now_ms, record, &mut counts))?;
    }
    Ok(counts)
}

/// Counts the next documents; where to go on.
fn step(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    rule: &WhatIfRule,
    now_ms: i64,
    from: u64,
    counts: &mut WhatIf,
) -> Result<Option<u64>, StoreError> {
    let began = work_time();
    let documents = reader.documents(collection.id, from, Scan::Forward)?;
    for (number, stored) in documents.enumerate() {
        let stored = stored?;
        let spent = work_time().saturating_sub(began).as_millis();
        if number >= READ_DOCS_MAX || spent >= u128::from(READ_MS_MAX) && number > 0 {
            return Ok(Some(stored.record));
        }
        let document = stored.document()?;
        let is_outside = rule.partial.as_ref().is_some_and(|filter| !filter.matches(document));
        counts.add(
            if is_outside {
                Expiry::Never(Never::OutsidePartialFilter)
            } else {
                ttl::expiry(&rule.rule, document, stored.modified_ms)
            },
            now_ms,
        );
    }
    Ok(None)
}

impl WhatIf {
    fn add(&mut self, expiry: Expiry, now_ms: i64) {
        self.total += 1;
        match expiry {
            Expiry::Never(reason) => *self.never.entry(reason.code()).or_default() += 1,
            Expiry::At(deadline) => {
                let wait_ms = deadline.threshold_ms.saturating_sub(now_ms);
                self.overdue_now += u64::from(wait_ms <= 0);
                self.next_hour += u64::from(wait_ms > 0 && wait_ms <= HOUR_MS);
                self.next_day += u64::from(wait_ms > 0 && wait_ms <= DAY_MS);
            }
        }
    }
}
