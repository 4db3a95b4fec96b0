//! Counts matching documents from index entries alone, where the bounds say everything the filter
//! says. Documents are read only for truncated keys.

use std::{ops::Bound, sync::Arc};

use bson::raw::RawBson;

use super::{
    Bounds, Interval, Operation, PlanError,
    choose::{Access, Plan},
    implicit_id::{self, ImplicitDocuments},
    source::Stats,
    summary::PlanSummary,
};
use crate::{
    catalog::{CollectionMeta, IndexMeta},
    limits::COUNT_ENTRIES_PER_CHECK,
    query::{CompareOp, Context, Expr, Filter, Test, filter::number::is_nan},
    store::{Entry, Reader, Scan},
    value::{Path, key::KEY_BYTES_KEPT, type_rank},
};

/// The cheapest source that a count can be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedBy {
    Counter,
    Entries,
    Documents,
}

impl CountedBy {
    /// The cheapest way that is exact.
    pub(super) fn of(collection: &CollectionMeta, filter: &Filter, plan: &Plan) -> Self {
        match &plan.access {
            Access::Collection(_)
                if matches!(filter.root(), Expr::True) && collection.counts_documents() =>
            {
                Self::Counter
            }
            Access::Index { index, bounds, .. } if says_all(collection, index, bounds, filter) => {
                Self::Entries
            }
            _ => Self::Documents,
        }
    }

    /// The plan summary, as MongoDB writes it: `COUNT_SCAN { a: 1 }`.
    pub(super) fn to_summary(self, plan: &Plan) -> PlanSummary {
        match (self, &plan.access) {
            (Self::Counter, _) => PlanSummary::Stage("RECORD_STORE_FAST_COUNT"),
            (Self::Entries, Access::Index { index, bounds, .. }) => {
                PlanSummary::Index(counting_stage(bounds), Arc::clone(index))
            }
            _ => plan.to_summary(),
        }
    }
}

/// The stage that counts entries; MongoDB has a separate one for a single interval.
pub(super) fn counting_stage(bounds: &Bounds) -> &'static str {
    if bounds.intervals.len() <= 1 { "COUNT_SCAN" } else { "IXSCAN" }
}

/// Whether the entries within the bounds are exactly the matching documents: each document has one
/// entry, and its key decides every test.
fn says_all(
    collection: &CollectionMeta,
    index: &IndexMeta,
    bounds: &Bounds,
    filter: &Filter,
) -> bool {
    // As of this read: an array may have been inserted after planning.
    let is_single = collection.index_by_id(index.id).is_some_and(|now| !now.multikey);
    if !is_single || !collection.counts_documents() || !bounds.intervals.iter().all(is_whole) {
        return false;
    }
    let mut tests = Vec::new();
    if !add_tests(filter.root(), &mut tests) {
        return false;
    }
    let bounded = bounds.equal_fields + usize::from(bounds.has_range);
    let Some(bounded) = index.key.parts.get(..bounded) else { return false };
    let is_said = |path: &Path| {
        let on_path = tests.iter().filter(|(tested, _)| *tested == path).map(|(_, test)| *test);
        are_one_range(&on_path.collect::<Vec<_>>())
    };
    bounded.iter().all(|part| is_said(&part.path))
        // A test on a field outside the bounds could exclude some of their entries.
        && tests.iter().all(|(tested, _)| bounded.iter().any(|part| part.path == **tested))
}

/// Whether neither end was truncated.
fn is_whole(interval: &Interval) -> bool {
    let fits = |key: &Vec<u8>| key.len() < KEY_BYTES_KEPT;
    fits(&interval.lower) && interval.upper.as_ref().is_none_or(fits)
}

/// Collects the tests of a filter; false when it is not a plain conjunction of tests.
fn add_tests<'f>(expr: &'f Expr, tests: &mut Vec<(&'f Path, &'f Test)>) -> bool {
    match expr {
        Expr::True => true,
        Expr::And(parts) => parts.iter().all(|part| add_tests(part, tests)),
        Expr::Field { path, test } => {
            tests.push((path, test.collated().0));
            true
        }
        _ => false,
    }
}

/// Whether the bounds express all tests of one field: values, one end, or two ends of one type.
fn are_one_range(tests: &[&Test]) -> bool {
    match tests {
        [Test::In { values, patterns }] => patterns.is_empty() && values.iter().all(is_plain),
        [Test::Compare { value, .. }] => is_plain(value),
        [Test::Compare { op: a, value: first }, Test::Compare { op: b, value: second }] => {
            let is_low = |op: &CompareOp| matches!(op, CompareOp::Gt | CompareOp::Gte);
            let is_high = |op: &CompareOp| matches!(op, CompareOp::Lt | CompareOp::Lte);
            (is_low(a) && is_high(b) || is_high(a) && is_low(b))
                && is_plain(first)
                && is_plain(second)
                // Bounds of two types match no value, while the interval between them has entries.
                && type_rank(first.as_raw_bson_ref()) == type_rank(second.as_raw_bson_ref())
        }
        _ => false,
    }
}

/// Whether two values are equal exactly when their keys are, without special matching rules.
fn is_plain(value: &RawBson) -> bool {
    match value {
        RawBson::Double(_) | RawBson::Decimal128(_) => !is_nan(value.as_raw_bson_ref()),
        RawBson::Int32(_)
        | RawBson::Int64(_)
        | RawBson::String(_)
        | RawBson::ObjectId(_)
        | RawBson::Boolean(_)
        | RawBson::Binary(_)
        | RawBson::DateTime(_)
        | RawBson::Timestamp(_) => true,
        _ => false,
    }
}

pub(super) struct Counting<'c> {
    pub(super) collection: &'c CollectionMeta,
    pub(super) index: &'c IndexMeta,
    pub(super) filter: &'c Filter,
    pub(super) seen: &'c Context,
    pub(super) enough: u64,
}

impl Counting<'_> {
    /// How many documents have an entry in these intervals.
    ///
    /// # Errors
    /// The operation was stopped, or the store failed.
    pub(super) fn run(
        &self,
        reader: &Reader<'_>,
        intervals: &[Interval],
        stats: &mut Stats,
    ) -> Result<u64, PlanError> {
        let operation = Operation::current();
        let mut count = 0;
        for range in intervals {
            if self.index.has_implicit_ids {
                count += self.made(reader, range, self.enough.saturating_sub(count), stats)?;
            }
            let lower = Bound::Included(range.lower.as_slice());
            let upper = range.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
            let mut entries = reader.entries(self.index.id, lower, upper, Scan::Forward)?;
            let mut unchecked = 0;
            while count < self.enough
                && let Some(entry) = entries.next()
            {
                let entry = entry?;
                stats.keys_examined += 1;
                count += u64::from(entry.exact || self.is_match(reader, &entry, stats)?);
                unchecked += 1;
                // A count may take millions of entries without a document, whose visit would look
                // for a stop.
                if unchecked == COUNT_ENTRIES_PER_CHECK {
                    unchecked = 0;
                    operation.as_deref().map_or(Ok(()), Operation::check)?;
                }
            }
        }
        Ok(count)
    }

    /// How many documents have no entry because their record number comes from their `_id`.
    fn made(
        &self,
        reader: &Reader<'_>,
        range: &Interval,
        enough: u64,
        stats: &mut Stats,
    ) -> Result<u64, PlanError> {
        let operation = Operation::current();
        let records = implicit_id::records_in(range);
        let made = ImplicitDocuments::open(*reader, self.collection.id, records, Scan::Forward)?;
        let mut count = 0_u64;
        for unread in made.take(usize::try_from(enough).unwrap_or(usize::MAX)) {
            unread?;
            count += 1;
            if count.is_multiple_of(COUNT_ENTRIES_PER_CHECK.into()) {
                operation.as_deref().map_or(Ok(()), Operation::check)?;
            }
        }
        stats.keys_examined += count;
        Ok(count)
    }

    fn is_match(
        &self,
        reader: &Reader<'_>,
        entry: &Entry<'_>,
        stats: &mut Stats,
    ) -> Result<bool, PlanError> {
        // A truncated key does not hold the whole value, so the document decides.
        let Some(stored) = reader.document(self.collection.id, entry.record)? else {
            return Ok(false);
        };
        stats.docs_examined += 1;
        Ok(self.filter.matches_in(stored.document()?, self.seen)?)
    }
}
