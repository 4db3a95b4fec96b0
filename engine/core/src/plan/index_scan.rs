//! Scans the entries of an index.

use std::{
    collections::HashSet,
    iter::{self, Peekable},
    mem,
};

use super::{
    Interval, PlanError, PlanErrorKind, bucket_scan,
    implicit_id::{IndexHit, IndexHits},
    source::{ScanSource, Stats, Step, Visit, too_large},
};
use crate::{
    catalog::IndexMeta,
    interrupt::{sort_by, tick},
    limits::{SEEN_RECORDS_MAX, SORT_BYTES_MAX},
    query::{Sort, sort::SortKey},
    store::{Reader, RecordNumber, Scan, StoreError, UnverifiedDocument, WholeScan},
    value::{bucket, key::KEY_BYTES_KEPT},
};

#[derive(Debug, Default)]
pub(super) struct IndexScanPosition {
    /// The current interval, counted in scan direction.
    interval: usize,
    after: Option<(Vec<u8>, RecordNumber)>,
    /// Records of entries that were read but not returned yet, the next one last.
    pending: Vec<RecordNumber>,
    /// The last measurement taken from the bucket of the entry, if the scan stopped within it.
    within: Option<RecordNumber>,
    seen: HashSet<RecordNumber>,
}

enum FoundBy<'t> {
    /// By its entry; with the document, if it was read on the way.
    Entry(Option<UnverifiedDocument<'t>>),
    /// By sorting a run of entries earlier. It may have been removed since.
    Order,
}

pub(super) struct IndexScan<'e> {
    pub(super) index: &'e IndexMeta,
    pub(super) source: ScanSource,
    pub(super) intervals: &'e [Interval],
    pub(super) direction: Scan,
    /// The order the index must provide. Entries whose keys were truncated at the same bytes are in
    /// no order; their documents decide.
    pub(super) sort: Option<&'e Sort>,
    pub(super) stats: &'e mut Stats,
}

impl IndexScan<'_> {
    /// Visits documents from a position on and advances it. Returns whether the end was reached. `whole` counts the
    /// entries of a scan over all of the index; a lost page is then an error, not a short answer.
    pub(super) fn walk<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        (position, whole): (&mut IndexScanPosition, &mut Option<WholeScan>),
        visit: Visit<'_, E>,
    ) -> Result<bool, E> {
        if position.is_at_begin() && self.is_over_all() {
            *whole = Some(self.begin_whole(reader).map_err(PlanError::from)?);
        }
        let examined = self.stats.keys_examined;
        let (is_at_end, left) = self.walk_on(reader, position, visit)?;
        if let Some(whole) = whole {
            whole.add(self.stats.keys_examined - examined - left);
            if is_at_end {
                whole.end(reader).map_err(PlanError::from)?;
            }
        }
        Ok(is_at_end)
    }

    /// Whether no entry is left out.
    fn is_over_all(&self) -> bool {
        matches!(self.intervals, [range] if range.lower.is_empty() && range.upper.is_none())
    }

    fn begin_whole(&self, reader: &Reader<'_>) -> Result<WholeScan, StoreError> {
        // With implicit ids, each document has one hit.
        if self.index.has_implicit_ids {
            return WholeScan::of_documents(reader, self.source.collection);
        }
        WholeScan::of_entries(reader, self.index.id)
    }

    /// Visits documents. Returns whether the end was reached, and how many entries were examined that the position has
    /// not passed.
    fn walk_on<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        position: &mut IndexScanPosition,
        visit: Visit<'_, E>,
    ) -> Result<(bool, u64), E> {
        if !self.give_pending(reader, position, visit)?
            || !self.finish_bucket(reader, &mut position.within, visit)?
        {
            return Ok((false, 0));
        }
        loop {
            let at = match self.direction {
                Scan::Forward => Some(position.interval),
                Scan::Backward => self.intervals.len().checked_sub(1 + position.interval),
            };
            let Some(range) = at.and_then(|at| self.intervals.get(at)) else {
                return Ok((true, 0));
            };
            let index = (self.source.collection, self.index);
            let after = position.after.as_ref();
            let places = IndexHits::open(reader, index, range, after, self.direction);
            let mut entries = places.map_err(PlanError::from)?.peekable();
            // Damaged entries after the position; counted once the position moves past them.
            let mut passed = 0;
            while let Some(entry) = entries.next() {
                self.stats.keys_examined += 1;
                let Some(entry) = self.source.sound(entry).map_err(PlanError::from)? else {
                    passed += 1;
                    continue;
                };
                if let Some(run) = self.run_of(&entry, &mut entries, &mut passed)? {
                    position.pending = self.in_order(reader, &entry, &run)?;
                    position.move_to(run.last().unwrap_or(&entry));
                    if !self.give_pending(reader, position, visit)? {
                        return Ok((false, passed));
                    }
                    continue;
                }
                if self.source.is_bucketed {
                    let mut within = None;
                    let ends = self.visit_bucket(reader, entry.record, &mut within, visit)?;
                    if !ends && within.is_none() {
                        return Ok((false, passed + 1));
                    }
                    self.stats.damaged += mem::take(&mut passed);
                    position.move_to(&entry);
                    if !ends {
                        position.within = within;
                        return Ok((false, 0));
                    }
                    continue;
                }
                let met = (entry.record, FoundBy::Entry(entry.unread));
                let step = self.visit_record(reader, met, &mut position.seen, visit)?;
                if step == Step::LeaveAndStop {
                    return Ok((false, passed + 1));
                }
                self.stats.damaged += mem::take(&mut passed);
                position.move_to(&entry);
                if step == Step::TakeAndStop {
                    return Ok((false, 0));
                }
            }
            self.stats.damaged += passed;
            position.interval += 1;
            position.after = None;
        }
    }

    /// The entries after this one that were truncated at the same bytes, if an order is required
    /// and there are any. Damaged entries up to the last of them are counted; those after it are
    /// `passed`.
    fn run_of<'t>(
        &mut self,
        first: &IndexHit<'t>,
        entries: &mut Peekable<IndexHits<'t>>,
        passed: &mut u64,
    ) -> Result<Option<Vec<IndexHit<'t>>>, PlanError> {
        if self.sort.is_none() || first.exact {
            return Ok(None);
        }
        let source = self.source;
        let in_run = |next: &Result<IndexHit<'_>, StoreError>| match next {
            Ok(next) => are_cut_alike(first, next),
            Err(StoreError::Damaged { .. }) => source.leaves_out_damaged,
            Err(_) => false,
        };
        if !entries.peek().is_some_and(in_run) {
            return Ok(None);
        }
        self.stats.damaged += mem::take(passed);
        let mut run = Vec::new();
        while let Some(next) = entries.next_if(in_run) {
            self.stats.keys_examined += 1;
            match source.sound(next)? {
                Some(next) => {
                    self.stats.damaged += mem::take(passed);
                    run.push(next);
                }
                None => *passed += 1,
            }
        }
        Ok(Some(run))
    }

    /// Visits records that were sorted earlier. True when none is left.
    fn give_pending<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        position: &mut IndexScanPosition,
        visit: Visit<'_, E>,
    ) -> Result<bool, E> {
        while let Some(record) = position.pending.last().copied() {
            let step =
                self.visit_record(reader, (record, FoundBy::Order), &mut position.seen, visit)?;
            if step == Step::LeaveAndStop {
                return Ok(false);
            }
            position.pending.pop();
            if step == Step::TakeAndStop {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The records of these entries in the order of their documents, the first one last.
    fn in_order(
        &mut self,
        reader: &Reader<'_>,
        first: &IndexHit<'_>,
        behind: &[IndexHit<'_>],
    ) -> Result<Vec<RecordNumber>, PlanError> {
        let Some(sort) = self.sort else { return Ok(Vec::new()) };
        let mut keys: Vec<(SortKey, RecordNumber)> = Vec::with_capacity(1 + behind.len());
        let mut bytes = 0;
        for entry in iter::once(first).chain(behind) {
            tick().map_err(PlanError::from)?;
            let found = self.source.behind_entry(reader, entry.record, self.stats)?;
            let Some((_, document)) = found else { continue };
            let key = sort.key(document)?;
            bytes += key.size_bytes();
            if bytes > SORT_BYTES_MAX {
                return Err(too_large());
            }
            keys.push((key, entry.record));
        }
        // A stable sort: equal documents keep the index order.
        let keys = sort_by(keys, |(a, _), (b, _)| a.cmp(b)).map_err(PlanError::from)?;
        Ok(keys.into_iter().rev().map(|(_, record)| record).collect())
    }

    /// Continues in the bucket that the scan stopped in, if it is still there. A bucket made since,
    /// in front of it, must not come first: the rest of this one would be visited again.
    fn finish_bucket<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        within: &mut Option<RecordNumber>,
        visit: Visit<'_, E>,
    ) -> Result<bool, E> {
        let Some(place) = *within else { return Ok(true) };
        let found = self.source.document(reader, bucket::split(place).0, self.stats);
        if let Some((stored, packed)) = found.map_err(PlanError::from)? {
            let (direction, stats) = (self.direction, &mut *self.stats);
            if !bucket_scan::visit_bucket(&stored, packed, direction, within, stats, visit)? {
                return Ok(false);
            }
        }
        *within = None;
        Ok(true)
    }

    /// Visits the measurements of a bucket. False when the scan stops within it.
    fn visit_bucket<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        record: RecordNumber,
        within: &mut Option<RecordNumber>,
        visit: Visit<'_, E>,
    ) -> Result<bool, E> {
        let found = self.source.behind_entry(reader, record, self.stats);
        let Some((stored, packed)) = found.map_err(PlanError::from)? else { return Ok(true) };
        bucket_scan::visit_bucket(&stored, packed, self.direction, within, self.stats, visit)
    }

    /// Visits a document once, even if it has several entries or moves in the index under a cursor.
    fn visit_record<E: From<PlanError>>(
        &mut self,
        reader: &Reader<'_>,
        (record, way): (RecordNumber, FoundBy<'_>),
        seen: &mut HashSet<RecordNumber>,
        visit: Visit<'_, E>,
    ) -> Result<Step, E> {
        let is_multikey = self.source.is_multikey;
        let remembers = is_multikey || self.intervals.len() > 1;
        if remembers && seen.contains(&record) {
            // `visit` is not called here, so the time limit is checked here: an array may have a
            // million entries.
            tick().map_err(PlanError::from)?;
            return Ok(Step::Take);
        }
        let found = match way {
            FoundBy::Entry(Some(unread)) => self.source.whole(unread.read(), self.stats),
            FoundBy::Entry(None) => self.source.behind_entry(reader, record, self.stats),
            FoundBy::Order => self.source.document(reader, record, self.stats),
        };
        let step = match found.map_err(PlanError::from)? {
            Some((stored, document)) => {
                self.stats.docs_examined += 1;
                visit(&stored, document)?
            }
            None => Step::Take,
        };
        if remembers && step != Step::LeaveAndStop {
            remember(self.index, is_multikey, record, seen, SEEN_RECORDS_MAX)?;
        }
        Ok(step)
    }
}

/// Remembers a returned record.
fn remember(
    index: &IndexMeta,
    is_multikey: bool,
    record: RecordNumber,
    seen: &mut HashSet<RecordNumber>,
    max: usize,
) -> Result<(), PlanError> {
    if seen.len() < max {
        seen.insert(record);
        return Ok(());
    }
    // In an index without arrays only documents that move under a cursor could repeat. That does
    // not justify failing a search that outgrows the memory.
    if !is_multikey {
        return Ok(());
    }
    Err(PlanError::new(
        PlanErrorKind::TooManyRecords,
        format!(
            "the index {} is multikey, and the query examined more than {max} documents; narrow \
             the filter or hint {{$natural: 1}}",
            index.name
        ),
    ))
}

impl IndexScanPosition {
    fn is_at_begin(&self) -> bool {
        self.interval == 0 && self.after.is_none() && self.pending.is_empty()
    }

    fn move_to(&mut self, entry: &IndexHit<'_>) {
        match &mut self.after {
            Some((key, record)) => {
                entry.key.as_ref().clone_into(key);
                *record = entry.record;
            }
            None => self.after = Some((entry.key.to_vec(), entry.record)),
        }
    }
}

/// Whether both keys were truncated at the same bytes.
fn are_cut_alike(a: &IndexHit<'_>, b: &IndexHit<'_>) -> bool {
    !a.exact && !b.exact && a.key.get(..KEY_BYTES_KEPT) == b.key.get(..KEY_BYTES_KEPT)
}

#[cfg(test)]
mod tests {
    use std::ops::Bound;

    use super::*;
    use crate::{catalog::Namespace, command::testing::Lab};

    #[test]
    fn only_arrays_need_every_record_to_be_remembered() {
        let lab = Lab::new();
        lab.ok(
            "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}]}",
        );
        lab.ok("{insert: 'c', documents: [{_id: 1, a: [1, 2], b: 1}]}");
        let catalog = lab.engine.collections().catalog();
        let namespace = Namespace::new("test", "c");
        let collection = catalog.collection(&namespace).expect("a collection");
        for (name, has_end) in [("a", true), ("b", false)] {
            let index = collection.index(name).expect("an index");
            let mut seen = HashSet::new();
            for record in 0..4 {
                let remembered = remember(index, index.multikey, record, &mut seen, 3);
                let kind = remembered.err().map(|error| error.kind);
                let expected = (has_end && record == 3).then_some(PlanErrorKind::TooManyRecords);
                assert_eq!(kind, expected, "{name} {record}");
            }
            assert_eq!(seen.len(), 3);
        }
    }

    /// A lost page of an index would hide documents from a scan, but not from the counter.
    #[test]
    fn a_scan_that_meets_fewer_entries_than_counted_is_an_error() {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
        lab.ok("{insert: 'c', documents: [{_id: 'x', a: 1}, {_id: 7, a: [2, 3]}, {_id: 8, a: 4}]}");
        let collections = lab.engine.collections();
        let catalog = collections.catalog();
        let collection = catalog.collection(&Namespace::new("test", "c")).expect("a collection");
        let all = [
            "{find: 'c', hint: 'a', sort: {a: 1}}",
            "{find: 'c', hint: 'a', sort: {a: -1}}",
            "{find: 'c', hint: 'a'}",
        ];
        let by_id = [
            "{find: 'c', hint: '_id_', sort: {_id: 1}}",
            "{find: 'c', hint: '_id_', sort: {_id: -1}}",
        ];
        let part = "{find: 'c', filter: {a: {$gt: 1}}}";
        all.iter().chain(&by_id).for_each(|command| _ = lab.ok(command));

        let first_of = |command: &str| {
            let reply = lab.ok(command);
            reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("a cursor")
        };
        let next_of = |cursor: i64| lab.run(&format!("{{getMore: {cursor}, collection: 'c'}}"));
        let moved = first_of("{find: 'c', hint: 'a', batchSize: 1}");
        lab.ok("{update: 'c', updates: [{q: {_id: 8}, u: {$set: {a: 0}}}]}");
        assert!(!next_of(moved).to_string().contains("met"), "an entry has moved past the scan");

        for (name, commands) in [("a", &all[..]), ("_id_", &by_id)] {
            let index = collection.index(name).expect("an index").id;
            let lost: Result<bool, StoreError> = collections.store().write(|writer| {
                let (any, forward) = (Bound::Unbounded, Scan::Forward);
                let entry =
                    writer.reader().entries(index, any, any, forward)?.next().transpose()?;
                let entry = entry.map(|entry| (entry.key.to_vec(), entry.record));
                let (key, record) = entry.unwrap_or_default();
                writer.delete_entry(index, &key, record)
            });
            assert_eq!(lost, Ok(true), "{name}");
            for command in commands {
                let said = lab.run(command).to_string();
                assert!(said.contains("met ") && said.contains(" of its "), "{command}: {said}");
            }
        }
        let cursor = first_of("{find: 'c', hint: 'a', batchSize: 1}");
        let more = next_of(cursor).to_string();
        assert!(more.contains("met 3 of its 4 entries"), "{more}");
        // These have nothing to compare.
        lab.ok(part);
        lab.ok("{find: 'c', hint: 'a', limit: 1}");
    }
}
