//! Runs a plan over any number of calls. Between two calls it keeps a key, never a transaction.

use std::{collections::BinaryHeap, sync::Arc};

use bson::raw::{RawBson, RawDocument, RawDocumentBuf};

use super::{
    PlanError, PlanErrorKind,
    bounds::bounds,
    bucket_scan,
    choose::{Access, Plan},
    collection_scan,
    count::{CountedBy, Counting},
    index_scan::{IndexScan, IndexScanPosition},
    operation::Operation,
    source::{ScanSource, Stats, Step, Visit, memory_full, too_large},
    target::Target,
};
use crate::{
    catalog::CollectionMeta,
    held_bytes::{HeldBytes, MemoryFull},
    interrupt::{Limit, sort_by},
    limits::SORT_BYTES_MAX,
    query::{Context, Filter, Sort, sort::SortKey},
    store::{Reader, RecordNumber, StoredDocument, WholeScan},
    value::Collation,
};

/// A query in progress.
#[derive(Debug)]
pub struct Search {
    source: ScanSource,
    filter: Filter,
    sort: Option<Sort>,
    plan: Plan,
    /// The way to the documents: the plan's, or the index on `_id` where its order is the natural
    /// one.
    access: Access,
    skip: u64,
    limit: Option<u64>,
    variables: Vec<(String, Option<RawBson>)>,
    collation: Option<Collation>,
    position: Position,
    /// Counts the rows of a scan over the whole collection or the whole index.
    whole: Option<WholeScan>,
    /// Whether the search stays open at the end of the collection.
    tails: bool,
    /// Whether its operation has counted the use of the index.
    is_noted: bool,
    /// Documents that one call may pass over.
    passes_max: u64,
    stats: Stats,
}

#[derive(Debug)]
enum Position {
    /// In the collection, after this record.
    Records(Option<RecordNumber>),
    Entries(IndexScanPosition),
    /// Sorted in memory: the remaining records, the next one last.
    Sorted(Vec<RecordNumber>),
    Unsorted,
    End,
}

impl Search {
    /// A search that has not started.
    pub fn new(collection: &CollectionMeta, target: Target, plan: Plan) -> Self {
        let access = natural_access(collection, &plan);
        let position = if plan.sort_in_memory { Position::Unsorted } else { start(&access) };
        let Target { filter, sort, skip, limit, leaves_out_damaged, variables, collation } = target;
        Self {
            source: ScanSource {
                collection: collection.id,
                is_bucketed: collection.options.time_series.is_some(),
                is_multikey: false,
                leaves_out_damaged,
            },
            filter,
            sort,
            plan,
            access,
            skip,
            limit,
            variables,
            collation,
            position,
            whole: None,
            tails: false,
            is_noted: false,
            passes_max: u64::MAX,
            stats: Stats::default(),
        }
    }

    /// Keeps the search open at the end of the collection, for documents inserted later. Only a
    /// collection scan can do this.
    #[must_use]
    pub fn tailing(self) -> Self {
        Self { tails: true, ..self }
    }

    /// Ends a call after it has passed over this many documents that are not for the visitor, so
    /// that its read transaction is short. A sort in memory still reads all matches at once.
    #[must_use]
    pub fn pausing_after(self, passes_max: u64) -> Self {
        Self { passes_max, ..self }
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The counts so far.
    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Whether no more documents can follow.
    pub fn is_done(&self) -> bool {
        // No second document has the same `_id`.
        let has_found_it = self.stats.returned > 0 && self.finds_one();
        has_found_it || matches!(self.position, Position::End) || self.limit == Some(0)
    }

    /// Continues and passes matching documents to `visit` until it stops or nothing is left. Skips
    /// documents that the collection hides at this time.
    ///
    /// # Errors
    /// Those of `visit`; `PlanKilled` when the collection or the index was dropped or hidden;
    /// `SortTooLarge`; the store's failure.
    pub fn advance<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        now_ms: i64,
        visit: Visit<'_, E>,
    ) -> Result<(), E> {
        let operation = self.enter(collection)?;
        self.check_position(reader)?;
        let before = self.stats;
        let hides = collection.hides_expired();
        let filter = self.filter.clone();
        let seen = self.seen(now_ms);
        let accept =
            |stored: &StoredDocument<'_>, document: &RawDocument| -> Result<bool, PlanError> {
                // Checked first, so that no expression sees a hidden document.
                let is_hidden = hides && collection.hides(document, stored.modified_ms, now_ms);
                Ok(!is_hidden && filter.matches_in(document, &seen)?)
            };
        if matches!(self.position, Position::Unsorted) {
            self.position = Position::Sorted(self.sorted(reader, &accept)?);
        }
        let (mut skip, mut limit) = (self.skip, self.limit);
        let (mut matched, mut returned, mut passes) = (0, 0, self.passes_max);
        let mut counted =
            |stored: &StoredDocument<'_>, document: &RawDocument| -> Result<Step, E> {
                operation.as_deref().map_or(Ok(()), Limit::tick).map_err(PlanError::from)?;
                if !accept(stored, document)? {
                    return Ok(pass(&mut passes));
                }
                if skip > 0 {
                    matched += 1;
                    skip -= 1;
                    return Ok(pass(&mut passes));
                }
                // The document is left for a next call, so it isn't counted as returned.
                if limit == Some(0) {
                    return Ok(Step::LeaveAndStop);
                }
                let step = visit(stored, document)?;
                if step != Step::LeaveAndStop {
                    matched += 1;
                    returned += 1;
                    limit = limit.map(|limit| limit - 1);
                }
                Ok(if step == Step::Take && limit == Some(0) { Step::TakeAndStop } else { step })
            };
        // A sort in memory does not need the order of the index.
        let is_provided = |sort: &&Sort| !self.plan.sort_in_memory && sort.natural().is_none();
        let way = (&self.access, self.sort.as_ref().filter(is_provided));
        let at = (&mut self.position, &mut self.whole);
        let walked = walk(reader, self.source, way, at, &mut self.stats, &mut counted);
        if let Ok(ended) = walked
            && ended
            && !(self.tails && matches!(self.position, Position::Records(_)))
        {
            self.position = Position::End;
        }
        // Counted even if the walk has failed: the profile shows what an error has cost.
        if let Some(operation) = &operation {
            operation.note_stats(before, self.stats);
        }
        walked?;
        (self.skip, self.limit) = (skip, limit);
        // The sort has already counted the matches.
        self.stats.matched += if self.plan.sort_in_memory { 0 } else { matched };
        self.stats.returned += returned;
        Ok(())
    }

    /// Whether it looks for one value of `_id`.
    fn finds_one(&self) -> bool {
        match &self.plan.access {
            Access::Index { index, bounds, .. } => index.is_id() && bounds.fixed_fields > 0,
            Access::Nothing | Access::Collection(_) => false,
        }
    }

    /// The source that [`Search::count`] reads.
    pub fn counted_by(&self, collection: &CollectionMeta) -> CountedBy {
        if self.source.leaves_out_damaged {
            // Counters and entries don't tell what is damaged.
            return CountedBy::Documents;
        }
        CountedBy::of(collection, &self.filter, &self.plan)
    }

    /// How many documents a search that has not started returns, read as cheaply as possible.
    ///
    /// # Errors
    /// As [`Search::advance`].
    pub fn count(
        &mut self,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        now_ms: i64,
    ) -> Result<u64, PlanError> {
        let counted_by = self.counted_by(collection);
        if counted_by == CountedBy::Documents {
            self.advance::<PlanError>(reader, collection, now_ms, &mut |_, _| Ok(Step::Take))?;
            return Ok(self.stats.returned);
        }
        // The counter or the index may belong to another collection by now.
        self.check_still_valid(collection)?;
        let operation = Operation::current();
        if let Some(operation) = &operation {
            operation.check()?;
            operation.note_plan(|| counted_by.to_summary(&self.plan));
            if let Access::Index { index, .. } = &self.plan.access {
                operation.note_index(index.id);
            }
        }
        // A count needs no more than `skip` and `limit` together, so it can stop early.
        let enough = self.limit.map_or(u64::MAX, |limit| limit.saturating_add(self.skip));
        let before = self.stats;
        self.stats.matched = match &self.plan.access {
            Access::Index { index, bounds, .. } => {
                let (filter, seen) = (&self.filter, &self.seen(now_ms));
                let counting = Counting { collection, index, filter, seen, enough };
                counting.run(reader, &bounds.intervals, &mut self.stats)?
            }
            _ => reader.counters(collection.id.0)?.documents,
        };
        if let Some(operation) = &operation {
            operation.note_stats(before, self.stats);
        }
        let left = self.stats.matched.saturating_sub(self.skip);
        self.stats.returned = self.limit.map_or(left, |limit| left.min(limit));
        self.position = Position::End;
        Ok(self.stats.returned)
    }

    /// Capped collections remove their oldest documents; a tailing cursor on a removed one has
    /// missed others.
    fn check_position(&self, reader: &Reader<'_>) -> Result<(), PlanError> {
        let Position::Records(Some(record)) = self.position else { return Ok(()) };
        if !self.tails || reader.has_document(self.source.collection, record)? {
            return Ok(());
        }
        Err(PlanError::new(
            PlanErrorKind::PositionLost,
            format!(
                "CollectionScan died due to position in capped collection being deleted. Last seen \
                 record id: RecordId({record})"
            ),
        ))
    }

    /// The document with this record number, if it matches and is visible at this time.
    ///
    /// # Errors
    /// `PlanKilled` for another collection; errors of the filter's expressions; the store's
    /// failure.
    pub fn record(
        &self,
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        record: RecordNumber,
        now_ms: i64,
    ) -> Result<Option<RawDocumentBuf>, PlanError> {
        self.check_still_valid(collection)?;
        if self.source.is_bucketed {
            let found = bucket_scan::document(reader, self.source.collection, record)?;
            let Some(document) = found else { return Ok(None) };
            let matches = self.filter.matches_in(&document, &self.seen(now_ms))?;
            return Ok(matches.then_some(document));
        }
        let Some(stored) = reader.document(self.source.collection, record)? else {
            return Ok(None);
        };
        let document = stored.document()?;
        let is_shown = !collection.hides(document, stored.modified_ms, now_ms)
            && self.filter.matches_in(document, &self.seen(now_ms))?;
        Ok(is_shown.then(|| document.to_owned()))
    }

    /// The context of the filter's expressions.
    fn seen(&self, now_ms: i64) -> Context {
        // The time is the only source of randomness that a pure layer has.
        let mut seen = Context::at(now_ms).with_seed(now_ms.unsigned_abs());
        seen.variables.clone_from(&self.variables);
        seen.collation.clone_from(&self.collation);
        seen
    }

    /// Checks whether the search may continue, as part of this thread's operation.
    fn enter(&mut self, collection: &CollectionMeta) -> Result<Option<Arc<Operation>>, PlanError> {
        self.check_still_valid(collection)?;
        let index = self.plan.access.index_now(collection);
        // An array inserted since the plan was made gives documents more than one entry.
        self.source.is_multikey |= index.is_some_and(|index| index.multikey);
        let operation = Operation::current();
        if let Some(operation) = &operation {
            operation.check()?;
            operation.note_plan(|| self.plan.to_summary());
            if let Access::Index { index, .. } = &self.plan.access
                // The use of an index is counted once for each query, not for each batch.
                && !std::mem::replace(&mut self.is_noted, true)
            {
                operation.note_index(index.id);
            }
        }
        Ok(operation)
    }

    fn check_still_valid(&self, collection: &CollectionMeta) -> Result<(), PlanError> {
        let now = self.plan.access.index_now(collection);
        let index_is_there = match &self.plan.access {
            Access::Index { .. } => now.is_some_and(|now| now.answers_queries()),
            _ => true,
        };
        if collection.id == self.source.collection && index_is_there {
            return Ok(());
        }
        Err(PlanError::new(
            PlanErrorKind::PlanKilled,
            "the collection or the index of this cursor was dropped or hidden; run the query again",
        ))
    }

    /// The records of all matches in order, the first one last.
    fn sorted(
        &mut self,
        reader: &Reader<'_>,
        accept: &dyn Fn(&StoredDocument<'_>, &RawDocument) -> Result<bool, PlanError>,
    ) -> Result<Vec<RecordNumber>, PlanError> {
        let Some(sort) = self.sort.clone() else { return Ok(Vec::new()) };
        let keep = self
            .limit
            .map(|limit| usize::try_from(limit.saturating_add(self.skip)).unwrap_or(usize::MAX));
        let mut best: BinaryHeap<(SortKey, RecordNumber)> = BinaryHeap::new();
        let mut held = HeldBytes::default();
        let mut position = start(&self.access);
        let operation = Operation::current();
        let mut matched = 0;
        let mut collect = |stored: &StoredDocument<'_>, document: &RawDocument| {
            operation.as_deref().map_or(Ok(()), Limit::tick).map_err(PlanError::from)?;
            if !accept(stored, document)? {
                return Ok(Step::Take);
            }
            matched += 1;
            let key = sort.key(document)?;
            held.add(key.size_bytes()).map_err(|MemoryFull| memory_full())?;
            best.push((key, stored.record));
            // The worst match is on top of the heap, so a sort with a limit holds no more than it
            // returns.
            if keep.is_some_and(|keep| best.len() > keep)
                && let Some((dropped, _)) = best.pop()
            {
                held.remove(dropped.size_bytes());
            }
            if held.bytes() > SORT_BYTES_MAX {
                return Err(too_large());
            }
            Ok(Step::Take)
        };
        let at = (&mut position, &mut self.whole);
        walk(reader, self.source, (&self.access, None), at, &mut self.stats, &mut collect)?;
        // In reverse, because records are taken from the end of the list.
        let sorted = sort_by(best.into_vec(), |a, b| b.cmp(a)).map_err(PlanError::from)?;
        Ok(sorted.into_iter().map(|(_, record)| record).collect())
    }
}

/// Passes over a document; stops after the last one that a call may pass over.
fn pass(left: &mut u64) -> Step {
    *left = left.saturating_sub(1);
    if *left == 0 { Step::TakeAndStop } else { Step::Take }
}

/// The documents of a clustered collection come in the order of `_id`, and the buckets of a time
/// series in the order of time. That is not the order of their records here.
fn natural_access(collection: &CollectionMeta, plan: &Plan) -> Access {
    let options = &collection.options;
    // A tailing search of a capped collection continues at a record.
    let is_in_id_order =
        options.clustered.is_some() && options.capped.is_none() && !plan.sort_in_memory;
    let is_by_index = is_in_id_order || options.time_series.is_some();
    match (&plan.access, collection.id_index()) {
        (Access::Collection(direction), Some(index)) if is_by_index => {
            let (index, bounds) = (Arc::clone(index), bounds(index, &[]));
            Access::Index { index, bounds, direction: *direction }
        }
        (access, _) => access.clone(),
    }
}

fn start(access: &Access) -> Position {
    match access {
        Access::Nothing => Position::End,
        Access::Collection(_) => Position::Records(None),
        Access::Index { .. } => Position::Entries(IndexScanPosition::default()),
    }
}

/// Visits documents from a position on and advances it; returns whether the end was reached. With
/// `sort`, the index must provide that order.
fn walk<E: From<PlanError>>(
    reader: &Reader<'_>,
    source: ScanSource,
    (access, sort): (&Access, Option<&Sort>),
    (position, whole): (&mut Position, &mut Option<WholeScan>),
    stats: &mut Stats,
    visit: Visit<'_, E>,
) -> Result<bool, E> {
    match (position, access) {
        (Position::Records(after), Access::Collection(direction)) => {
            collection_scan::walk(reader, source, *direction, after, whole, stats, visit)
        }
        (Position::Entries(position), Access::Index { index, bounds, direction }) => {
            let (intervals, direction) = (&bounds.intervals, *direction);
            let mut entries = IndexScan { index, source, intervals, direction, sort, stats };
            entries.walk(reader, (position, whole), visit)
        }
        (Position::Sorted(places), _) => {
            collection_scan::walk_sorted(reader, source, places, stats, visit)
        }
        _ => Ok(true),
    }
}
