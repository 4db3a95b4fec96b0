//! The effect of a TTL rule before it exists. Writes nothing.

use std::{borrow::Cow, collections::BTreeMap, ops::Bound, sync::Arc};

use crate::{
    catalog::{CollectionMeta, EntryForm, IndexMeta, IndexState},
    clock::work_time,
    limits::{COUNT_ENTRIES_PER_CHECK, READ_DOCS_MAX, READ_MS_MAX},
    plan::{PlanError, check_interrupt},
    query::Filter,
    reaper::ttl_range::TtlRange,
    reply::{BusyMinute, WhatIf},
    store::{Reader, RecordNumber, Scan, Store, StoreError, StoredDocument},
    ttl::{self, Expiry, Minutes, Never, Rule},
};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The rule in question.
#[derive(Debug, Clone)]
pub struct WhatIfRule {
    /// The rule.
    pub rule: Rule,
    /// Documents that do not match would not be in the index.
    pub partial: Option<Filter>,
}

impl WhatIfRule {
    /// The rule of an existing index with these seconds.
    pub fn of_index(index: &Arc<IndexMeta>, expire_after_secs: i64) -> Self {
        let mut changed = IndexMeta::clone(index);
        changed.expire_after_secs = Some(expire_after_secs);
        let rule = changed.ttl_rule();
        let rule = rule.unwrap_or(Rule::Inert(ttl::InertReason::InvalidValue));
        Self { rule, partial: changed.partial }
    }
}

/// Applies the rule to all documents in short steps: through an index on its field if there is one,
/// else through the documents. Documents written during the scan may or may not be counted. The edges
/// are instants that rise, between which thresholds are counted.
///
/// # Errors
/// The operation was stopped, or the store can't be read.
pub fn what_if(
    store: &Store,
    collection: &CollectionMeta,
    rule: &WhatIfRule,
    now_ms: i64,
    edges_ms: &[i64],
) -> Result<WhatIf, PlanError> {
    let counts = WhatIfTally::new(edges_ms);
    match ByEntries::of(collection, rule, now_ms) {
        Some(entries) => entries.run(store, counts),
        None => by_documents(store, collection, rule, now_ms, counts),
    }
}

fn by_documents(
    store: &Store,
    collection: &CollectionMeta,
    rule: &WhatIfRule,
    now_ms: i64,
    mut counts: WhatIfTally,
) -> Result<WhatIf, PlanError> {
    let mut from = Some(0);
    while let Some(record) = from {
        check_interrupt()?;
        from = store.read(|reader| step(reader, collection, rule, now_ms, record, &mut counts))?;
    }
    Ok(counts.finish())
}

/// Counts the next documents; returns where to resume.
fn step(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    rule: &WhatIfRule,
    now_ms: i64,
    from: RecordNumber,
    counts: &mut WhatIfTally,
) -> Result<Option<RecordNumber>, StoreError> {
    let began = work_time();
    let mut documents = reader.documents(collection.id, from, Scan::Forward)?;
    for number in 0.. {
        let Some(unread) = documents.next_unverified().transpose()? else { break };
        let spent = work_time().saturating_sub(began).as_millis();
        if number >= READ_DOCS_MAX || spent >= u128::from(READ_MS_MAX) && number > 0 {
            return Ok(Some(unread.record));
        }
        let read = unread.read().and_then(|stored| Ok((stored, stored.document()?)));
        let Some((stored, document)) = StoreError::unless_damaged(read)? else {
            counts.add_damaged();
            continue;
        };
        let is_outside = rule.partial.as_ref().is_some_and(|filter| !filter.covers(document));
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

/// An index with one entry per document that holds its date.
struct ByEntries<'c> {
    collection: &'c CollectionMeta,
    index: &'c IndexMeta,
    rule: &'c Rule,
    range: TtlRange,
    now_ms: i64,
}

impl<'c> ByEntries<'c> {
    fn of(collection: &'c CollectionMeta, rule: &'c WhatIfRule, now_ms: i64) -> Option<Self> {
        let Rule::Date { field, .. } = &rule.rule else { return None };
        let fits = |index: &&Arc<IndexMeta>| {
            let is_whole = index.state == IndexState::Ready
                && index.form == EntryForm::Values
                && !index.has_implicit_ids;
            // A document without an entry needs a reason why it has none.
            let is_clear = !(index.sparse && index.partial.is_some());
            let is_on_field = index.field().is_some_and(|(path, _)| path == field);
            is_whole && is_clear && is_on_field && !index.multikey && index.partial == rule.partial
        };
        let index = collection.indexes.iter().find(fits)?;
        let (_, direction) = index.field()?;
        let range = *TtlRange::of(&rule.rule, direction).first()?;
        Some(Self { collection, index, rule: &rule.rule, range, now_ms })
    }

    fn run(&self, store: &Store, mut counts: WhatIfTally) -> Result<WhatIf, PlanError> {
        let mut after = None;
        loop {
            after = store.read(|reader| self.step(reader, after.as_ref(), &mut counts))?;
            if after.is_none() {
                break;
            }
        }
        let documents = store.read(|reader| reader.counters(self.collection.id.0))?.documents;
        let without_entry = documents.saturating_sub(counts.total);
        let reason = match (&self.index.partial, self.index.sparse) {
            (Some(_), _) => Never::OutsidePartialFilter,
            (None, true) => Never::FieldMissing,
            // Inserted during the scan.
            (None, false) => return Ok(counts.finish()),
        };
        if without_entry > 0 {
            counts.add_never(reason, without_entry);
        }
        Ok(counts.finish())
    }

    /// Counts the next entries; the last of them if there may be more.
    fn step(
        &self,
        reader: &Reader<'_>,
        after: Option<&(Vec<u8>, RecordNumber)>,
        counts: &mut WhatIfTally,
    ) -> Result<Option<(Vec<u8>, RecordNumber)>, PlanError> {
        let began = work_time();
        let (id, end) = (self.index.id, Bound::Unbounded);
        let entries = match after {
            None => reader.entries(id, Bound::Unbounded, end, Scan::Forward)?,
            Some((key, record)) => reader.entries_after(id, (key, *record), end, Scan::Forward)?,
        };
        let mut unchecked = 0;
        for entry in entries {
            let Some(entry) = StoreError::unless_damaged(entry)? else {
                counts.add_damaged();
                continue;
            };
            match self.range.instant_ms(entry.key) {
                Some(instant_ms) => match self.range.threshold_ms(instant_ms) {
                    Some(threshold_ms) => counts.add_threshold(threshold_ms, self.now_ms),
                    None => counts.add(Expiry::Never(Never::BeyondTime), self.now_ms),
                },
                // A missing field and null have the same entry, so the document decides.
                None => self.add_document(reader, entry.record, counts)?,
            }
            unchecked += 1;
            if unchecked == COUNT_ENTRIES_PER_CHECK {
                unchecked = 0;
                check_interrupt()?;
                let spent = work_time().saturating_sub(began).as_millis();
                if spent >= u128::from(READ_MS_MAX) {
                    return Ok(Some((entry.key.to_vec(), entry.record)));
                }
            }
        }
        Ok(None)
    }
}

impl ByEntries<'_> {
    fn add_document(
        &self,
        reader: &Reader<'_>,
        record: RecordNumber,
        counts: &mut WhatIfTally,
    ) -> Result<(), StoreError> {
        let found = reader.document(self.collection.id, record).transpose();
        let read = |stored: StoredDocument<'_>| {
            Ok(ttl::expiry(self.rule, stored.document()?, stored.modified_ms))
        };
        match found.map(|stored| StoreError::unless_damaged(stored.and_then(read))) {
            Some(Ok(Some(expiry))) => counts.add(expiry, self.now_ms),
            Some(Ok(None)) => counts.add_damaged(),
            Some(Err(error)) => return Err(error),
            None => {}
        }
        Ok(())
    }
}

/// Counts documents by what a rule would do to them.
#[derive(Default)]
pub struct WhatIfTally {
    total: u64,
    damaged: u64,
    overdue_now: u64,
    next_hour: u64,
    next_day: u64,
    never: BTreeMap<Cow<'static, str>, u64>,
    ahead: Minutes,
    edges: Edges,
}

/// Thresholds between instants that rise.
#[derive(Default)]
struct Edges {
    edges_ms: Vec<i64>,
    counts: Vec<u64>,
}

impl Edges {
    fn add(&mut self, threshold_ms: i64) {
        let at = self.edges_ms.partition_point(|edge_ms| *edge_ms <= threshold_ms);
        if let Some(count) = self.counts.get_mut(at) {
            *count += 1;
        }
    }
}

impl WhatIfTally {
    /// Nothing is counted yet. Thresholds between `edges_ms`, which rise, are counted if there are any.
    #[must_use]
    pub fn new(edges_ms: &[i64]) -> Self {
        let slices = if edges_ms.is_empty() { 0 } else { edges_ms.len() + 1 };
        let edges = Edges { edges_ms: edges_ms.to_vec(), counts: vec![0; slices] };
        Self { edges, ..Self::default() }
    }

    /// The documents that were counted.
    #[must_use]
    pub fn finish(self) -> WhatIf {
        let busiest = self.ahead.busiest();
        let busiest = busiest.map(|(from_ms, documents)| BusyMinute { from_ms, documents });
        WhatIf {
            total: self.total.into(),
            damaged: self.damaged,
            overdue_now: self.overdue_now.into(),
            next_hour: self.next_hour.into(),
            next_day: self.next_day.into(),
            never: self.never.into_iter().map(|(code, count)| (code, count.into())).collect(),
            busiest,
            never_in_all: None,
            counts: Some(self.edges.counts).filter(|counts| !counts.is_empty()),
        }
    }

    fn add_damaged(&mut self) {
        self.total += 1;
        self.damaged += 1;
    }

    fn add_never(&mut self, reason: Never, count: u64) {
        self.total += count;
        *self.never.entry(reason.code().into()).or_default() += count;
    }

    /// Counts a document.
    pub fn add(&mut self, expiry: Expiry, now_ms: i64) {
        match expiry {
            Expiry::Never(reason) => self.add_never(reason, 1),
            Expiry::At(deadline) => self.add_threshold(deadline.threshold_ms, now_ms),
        }
    }

    fn add_threshold(&mut self, threshold_ms: i64, now_ms: i64) {
        self.total += 1;
        let wait_ms = threshold_ms.saturating_sub(now_ms);
        self.overdue_now += u64::from(wait_ms <= 0);
        self.next_hour += u64::from(wait_ms > 0 && wait_ms <= HOUR_MS);
        self.next_day += u64::from(wait_ms > 0 && wait_ms <= DAY_MS);
        if wait_ms > 0 {
            self.ahead.add(threshold_ms);
        }
        self.edges.add(threshold_ms);
    }
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, Document, doc};
    use proptest::prelude::*;

    use super::*;
    use crate::{catalog::Namespace, command::testing::Lab};

    const NOW_MS: i64 = 1_704_067_200_000;

    fn value() -> impl Strategy<Value = Option<Bson>> {
        let instant = prop_oneof![
            4 => -2 * DAY_MS..2 * DAY_MS,
            1 => prop_oneof![Just(-HOUR_MS), Just(0), Just(1), Just(HOUR_MS)],
        ];
        let date = |ms| Some(Bson::DateTime(DateTime::from_millis(ms)));
        prop_oneof![
            6 => instant.prop_map(move |ms: i64| date(NOW_MS + ms)),
            1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)].prop_map(date),
            1 => Just(None),
            1 => Just(Some(Bson::Null)),
            1 => prop_oneof![
                Just(Bson::Int32(1)),
                Just(Bson::from("x".repeat(600))),
                Just(Bson::Boolean(true)),
                Just(Bson::MaxKey),
                Just(doc! { "f": DateTime::from_millis(NOW_MS) }.into()),
            ]
            .prop_map(Some),
        ]
    }

    const INDEXES: [&str; 4] = [
        "{key: {f: 1}, name: 'f'}",
        "{key: {f: -1}, name: 'f'}",
        "{key: {f: 1}, name: 'f', sparse: true}",
        "{key: {f: 1}, name: 'f', partialFilterExpression: {p: {$gt: 0}}}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

        #[test]
        fn entries_and_documents_tell_the_same(
            values in proptest::collection::vec((value(), 0..2_i32), 0..40),
            secs in prop_oneof![Just(0_i64), Just(3_600), Just(i64::from(i32::MAX))],
        ) {
            for index in INDEXES {
                let lab = Lab::new();
                lab.ok(&format!("{{createIndexes: 'c', indexes: [{index}]}}"));
                for (f, p) in &values {
                    let mut document = Document::new();
                    document.extend(f.clone().map(|f| ("f".to_owned(), f)));
                    document.insert("p", *p);
                    lab.run_document(&doc! { "insert": "c", "documents": [document] });
                }
                let collections = lab.engine.collections();
                let namespace = Namespace::new("test", "c");
                let collection = collections.catalog().collection(&namespace).expect("there");
                let rule = WhatIfRule::of_index(collection.index("f").expect("an index"), secs);
                let store = collections.store();
                let entries = ByEntries::of(&collection, &rule, NOW_MS).expect("an index tells");
                let edges = [NOW_MS - HOUR_MS, NOW_MS, NOW_MS + 1];
                let slow = by_documents(store, &collection, &rule, NOW_MS, WhatIfTally::new(&edges));
                let slow = slow.expect("read");
                prop_assert_eq!(slow.total, (values.len() as u64).into());
                prop_assert_eq!(entries.run(store, WhatIfTally::new(&edges)).expect("read"), slow, "{}", index);
            }
        }
    }

    #[test]
    fn arrays_and_other_rules_are_read_from_documents() {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {f: 1}, name: 'f'}]}");
        lab.ok("{insert: 'c', documents: [{f: [ISODate('2020-01-01'), ISODate('2030-01-01')]}]}");
        let what_if = "{mayflyWhatIf: 'c', index: {name: 'f', expireAfterSeconds: 0}}";
        lab.check(what_if, "{total: 1, overdueNow: 1}");
        let collections = lab.engine.collections();
        let namespace = Namespace::new("test", "c");
        let collection = collections.catalog().collection(&namespace).expect("there");
        let index = collection.index("f").expect("an index");
        let rule = WhatIfRule::of_index(index, 0);
        assert!(ByEntries::of(&collection, &rule, NOW_MS).is_none(), "it has several entries");
        let rule = WhatIfRule { rule: Rule::LastModified { default_secs: None }, partial: None };
        assert!(ByEntries::of(&collection, &rule, NOW_MS).is_none());
    }
}
