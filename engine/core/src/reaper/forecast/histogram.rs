//! How many documents expire when: counted from index entries, without reading a document.

use std::{collections::HashMap, ops::RangeInclusive, panic::resume_unwind, thread};

use super::{
    steepest::Steepest,
    two_ended_scan::{Claim, ScanSplit, is_before},
};
use crate::{
    interrupt::{current_limit, run_within, sort_by},
    limits::{
        COUNT_ENTRIES_PER_CHECK, FORECAST_DISTINCT_DOCS_MAX, FORECAST_ENTRIES_PER_LOOK,
        FORECAST_SHARED_ENTRIES_MIN,
    },
    plan::{PlanError, PlanErrorKind, check_interrupt},
    reaper::{target::Target, ttl_range::TtlRange},
    reply::Forecast,
    store::{
        CollectionId, Entry, IndexId, Reader, RecordNumber, Scan, SnapshotNumber, Store, StoreError,
    },
};

/// A request for counts by bucket. Instants are milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForecastRequest {
    /// Now: what is due before the first bucket is overdue.
    pub now_ms: i64,
    /// Beginning of the first bucket.
    pub from_ms: i64,
    /// End of the last bucket; later than `from_ms`.
    pub to_ms: i64,
    /// How many buckets of equal length; at least 1.
    pub buckets: usize,
    /// Whether the minute with the most documents is looked for, too.
    pub finds_steepest: bool,
}

/// Counts a collection's documents by threshold under these rules. Large collections use two
/// threads, each with a transaction of the same commit. A damaged entry falls back to the slower
/// count by document.
///
/// # Errors
/// The operation was stopped, or the store can't be read.
pub fn forecast(
    store: &Store,
    collection: CollectionId,
    targets: &[Target],
    request: ForecastRequest,
) -> Result<Forecast, PlanError> {
    let ranges: usize = targets.iter().map(|target| target.ranges.len()).sum();
    let needs_distinct = targets.iter().filter(|target| !target.ranges.is_empty()).count() > 1
        || targets.iter().any(|target| target.index.multikey)
        // Each range has its own order.
        || request.finds_steepest && ranges > 1;
    if !needs_distinct
        && let Some(found) = unless_damaged(count_entries(store, collection, targets, request))?
    {
        return Ok(found);
    }
    store.read(|reader| {
        let mut tally = ForecastTally::new(request);
        count_distinct(reader, targets, &mut tally)?;
        Ok(tally.finish(reader.counters(collection.0)?.documents))
    })
}

/// `None` for a count that met damage.
fn unless_damaged(counted: Result<Forecast, PlanError>) -> Result<Option<Forecast>, PlanError> {
    match counted {
        Err(error) if error.kind == PlanErrorKind::Damaged => Ok(None),
        counted => counted.map(Some),
    }
}

/// The forecast where each document has at most one entry.
fn count_entries(
    store: &Store,
    collection: CollectionId,
    targets: &[Target],
    request: ForecastRequest,
) -> Result<Forecast, PlanError> {
    let limit = current_limit();
    let parts: Vec<Part> = targets.iter().flat_map(Part::of_all).collect();
    thread::scope(|scope| {
        let mut second = None;
        let (first, documents) = store.read(|reader| {
            if is_large(reader, &parts)? {
                let (parts, snapshot) = (&parts, reader.snapshot());
                let count = move || count_second(store, snapshot, parts, request);
                second = Some(scope.spawn(move || run_within(limit, count)));
            }
            let counted = count(reader, &parts, Scan::Forward, request)?;
            Ok::<_, PlanError>((counted, reader.counters(collection.0)?.documents))
        })?;
        let second =
            second.map(|second| second.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let (mut tally, mut steepest) = first;
        if let Some((second, later)) = second.transpose()? {
            tally.add_all(second);
            steepest.meet(later);
        }
        tally.note_steepest(steepest);
        Ok(tally.finish(documents))
    })
}

/// The entries of one range and how far they are counted.
struct Part {
    index: IndexId,
    range: TtlRange,
    split: ScanSplit,
}

impl Part {
    fn of_all(target: &Target) -> impl Iterator<Item = Self> {
        let ranges = target.ranges.iter();
        ranges.map(|range| Self {
            index: target.index.id,
            range: *range,
            split: ScanSplit::default(),
        })
    }
}

fn is_large(reader: &Reader<'_>, parts: &[Part]) -> Result<bool, StoreError> {
    let Some(part) = parts.first() else { return Ok(false) };
    Ok(reader.counters(part.index.0)?.entries >= FORECAST_SHARED_ENTRIES_MIN)
}

/// Counts from the end until it meets the first thread. If it finds a later commit or no free
/// reader slot, it counts nothing, and the first thread counts everything.
fn count_second(
    store: &Store,
    snapshot: Option<SnapshotNumber>,
    parts: &[Part],
    request: ForecastRequest,
) -> Result<Counted, PlanError> {
    let nothing = || (ForecastTally::new(request), request.steepest());
    let counted = store.read(|reader| {
        if reader.snapshot() != snapshot {
            return Ok(Ok(nothing()));
        }
        Ok(count(reader, parts, Scan::Backward, request))
    });
    match counted {
        Err(StoreError::Busy { .. }) => Ok(nothing()),
        counted => counted?,
    }
}

/// The counts of one scan.
type Counted = (ForecastTally, Steepest);

/// Counts the entries of all ranges from one end until another count from the other end is met.
fn count(
    reader: &Reader<'_>,
    parts: &[Part],
    scan: Scan,
    request: ForecastRequest,
) -> Result<Counted, PlanError> {
    let (mut total, mut steepest) = (ForecastTally::new(request), request.steepest());
    // The thresholds of a piece, each with the documents that follow one another with it.
    let mut runs: Vec<(i64, u64)> = Vec::new();
    for Part { index, range, split } in parts {
        let mut after: Option<Entry<'_>> = None;
        loop {
            check_interrupt()?;
            let behind = after.map(|entry| (entry.key, entry.record));
            let piece = || range.entries_towards(reader, *index, behind, scan);
            let (mut tally, mut last) = (ForecastTally::new(request), None);
            runs.clear();
            for entry in piece()?.take(FORECAST_ENTRIES_PER_LOOK) {
                let entry = entry?;
                if let Some(threshold_ms) = threshold_of(*range, &entry) {
                    tally.add(threshold_ms);
                    if request.finds_steepest {
                        add_run(&mut runs, threshold_ms);
                    }
                }
                last = Some(entry);
            }
            let Some(last) = last else { break };
            match split.claim(scan, &last) {
                Claim::Whole => {
                    total.add_all(tally);
                    for (threshold_ms, count) in &runs {
                        steepest.add(*threshold_ms, *count);
                    }
                }
                Claim::Before(end) => {
                    for entry in piece()? {
                        let entry = entry?;
                        if !is_before(&entry, &end, scan) {
                            break;
                        }
                        if let Some(threshold_ms) = threshold_of(*range, &entry) {
                            total.add(threshold_ms);
                            steepest.add(threshold_ms, 1);
                        }
                    }
                    break;
                }
                Claim::Nothing => break,
            }
            after = Some(last);
        }
    }
    Ok((total, steepest))
}

fn add_run(runs: &mut Vec<(i64, u64)>, threshold_ms: i64) {
    match runs.last_mut() {
        Some((last_ms, count)) if *last_ms == threshold_ms => *count += 1,
        _ => runs.push((threshold_ms, 1)),
    }
}

/// Counts each document at its earliest threshold, where it may have several.
fn count_distinct(
    reader: &Reader<'_>,
    targets: &[Target],
    tally: &mut ForecastTally,
) -> Result<(), PlanError> {
    let mut earliest: HashMap<RecordNumber, i64> = HashMap::new();
    let mut unchecked = 0;
    for (target, range) in
        targets.iter().flat_map(|target| target.ranges.iter().map(move |range| (target, *range)))
    {
        for entry in range.entries_towards(reader, target.index.id, None, Scan::Forward)? {
            unchecked += 1;
            if unchecked == COUNT_ENTRIES_PER_CHECK {
                unchecked = 0;
                check_interrupt()?;
            }
            let Some(entry) = StoreError::unless_damaged(entry)? else {
                tally.forecast.damaged += 1;
                tally.forecast.exact = false;
                continue;
            };
            let Some(threshold_ms) = threshold_of(range, &entry) else { continue };
            if let Some(known) = earliest.get_mut(&entry.record) {
                *known = threshold_ms.min(*known);
            } else if earliest.len() < FORECAST_DISTINCT_DOCS_MAX {
                earliest.insert(entry.record, threshold_ms);
            } else {
                tally.forecast.exact = false;
                tally.add(threshold_ms);
            }
        }
    }
    let mut thresholds: Vec<i64> = earliest.into_values().collect();
    for threshold_ms in &thresholds {
        tally.add(*threshold_ms);
    }
    if tally.request.finds_steepest && tally.forecast.exact {
        thresholds = sort_by(thresholds, i64::cmp)?;
        let mut steepest = tally.request.steepest();
        for threshold_ms in &thresholds {
            steepest.add(*threshold_ms, 1);
        }
        tally.note_steepest(steepest);
    }
    Ok(())
}

fn threshold_of(range: TtlRange, entry: &Entry<'_>) -> Option<i64> {
    range.threshold_ms(range.instant_ms(entry.key)?)
}

/// Counts thresholds for a forecast.
pub struct ForecastTally {
    request: ForecastRequest,
    forecast: Forecast,
    counted: u64,
    /// The place of the last threshold. Thresholds come in order of time, so the next one nearly
    /// always has the same.
    run: Run,
}

/// Thresholds in a row with the same place.
struct Run {
    place: Place,
    /// From the first threshold with this place to the last.
    thresholds: RangeInclusive<i64>,
    count: u64,
}

/// Where a threshold is counted.
#[derive(Clone, Copy)]
enum Place {
    Bucket(usize),
    Overdue,
    Beyond,
}

impl ForecastTally {
    /// Nothing is counted yet.
    pub fn new(request: ForecastRequest) -> Self {
        let counts = vec![0; request.buckets];
        Self {
            request,
            forecast: Forecast { counts, exact: true, ..Forecast::default() },
            counted: 0,
            run: Run { place: Place::Beyond, thresholds: RangeInclusive::new(1, 0), count: 0 },
        }
    }

    /// Counts a document that expires at this threshold.
    pub fn add(&mut self, threshold_ms: i64) {
        if !self.run.thresholds.contains(&threshold_ms) {
            self.end_run();
            let (place, thresholds) = self.request.place_of(threshold_ms);
            self.run = Run { place, thresholds, count: 0 };
        }
        self.run.count += 1;
    }

    /// Takes the minute that was looked for.
    pub fn note_steepest(&mut self, steepest: Steepest) {
        if self.request.finds_steepest {
            self.forecast.steepest = steepest.minute();
        }
    }

    /// Adds another tally.
    fn add_all(&mut self, mut other: Self) {
        other.end_run();
        self.counted += other.counted;
        let Forecast { counts, overdue, beyond, .. } = other.forecast;
        self.forecast.overdue += overdue;
        self.forecast.beyond += beyond;
        self.forecast.counts.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }

    fn end_run(&mut self) {
        let count = std::mem::take(&mut self.run.count);
        self.counted += count;
        let total = match self.run.place {
            Place::Bucket(bucket) => self.forecast.counts.get_mut(bucket),
            Place::Overdue => Some(&mut self.forecast.overdue),
            Place::Beyond => Some(&mut self.forecast.beyond),
        };
        if let Some(total) = total {
            *total += count;
        }
    }

    /// The forecast for a collection of this many documents.
    #[must_use]
    pub fn finish(mut self, documents: u64) -> Forecast {
        self.end_run();
        self.forecast.never = documents.saturating_sub(self.counted + self.forecast.damaged);
        self.forecast
    }
}

impl ForecastRequest {
    /// Looks for the minute with the most documents, which is in a bucket.
    #[must_use]
    pub fn steepest(&self) -> Steepest {
        Steepest::new(self.from_ms..self.to_ms)
    }

    /// The place of a threshold, and all thresholds around it with the same place.
    fn place_of(&self, threshold_ms: i64) -> (Place, RangeInclusive<i64>) {
        let Self { now_ms, from_ms, to_ms, buckets, .. } = *self;
        if threshold_ms < from_ms || threshold_ms >= to_ms {
            let side = if threshold_ms < from_ms {
                i64::MIN..=from_ms.saturating_sub(1)
            } else {
                to_ms..=i64::MAX
            };
            return if threshold_ms <= now_ms {
                (Place::Overdue, *side.start()..=now_ms.min(*side.end()))
            } else {
                (Place::Beyond, now_ms.saturating_add(1).max(*side.start())..=*side.end())
            };
        }
        // In 128 bits: the buckets may span all of time.
        let (from, to) = (i128::from(from_ms), i128::from(to_ms));
        let (length, buckets) = (to - from, buckets as i128);
        let bucket = (i128::from(threshold_ms) - from) * buckets / length;
        let begin = |bucket: i128| from + (bucket * length + buckets - 1) / buckets;
        let instant = |ms: i128| i64::try_from(ms).unwrap_or(threshold_ms);
        let thresholds = instant(begin(bucket))..=instant(begin(bucket + 1) - 1);
        (usize::try_from(bucket).map_or(Place::Beyond, Place::Bucket), thresholds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(thresholds: &[i64], counts: &[u64], overdue: u64, beyond: u64) {
        let request = ForecastRequest {
            now_ms: 100,
            from_ms: 100,
            to_ms: 200,
            buckets: 4,
            finds_steepest: false,
        };
        let mut tally = ForecastTally::new(request);
        for threshold in thresholds {
            tally.add(*threshold);
        }
        let forecast = tally.finish(thresholds.len() as u64 + 1);
        assert_eq!(forecast.counts, counts);
        assert_eq!((forecast.overdue, forecast.beyond, forecast.never), (overdue, beyond, 1));
    }

    #[test]
    fn buckets_have_their_beginning_and_not_their_end() {
        check(&[99, i64::MIN], &[0, 0, 0, 0], 2, 0);
        check(&[100, 124, 125, 199], &[2, 1, 0, 1], 0, 0);
        check(&[200, i64::MAX], &[0, 0, 0, 0], 0, 2);
    }

    #[test]
    fn all_of_time_does_not_overflow() {
        let request = ForecastRequest {
            now_ms: 0,
            from_ms: i64::MIN,
            to_ms: i64::MAX,
            buckets: 2,
            finds_steepest: false,
        };
        let mut tally = ForecastTally::new(request);
        for threshold in [i64::MIN, -2, 1, i64::MAX - 1] {
            tally.add(threshold);
        }
        assert_eq!(tally.finish(4).counts, [2, 2]);
    }

    #[test]
    fn a_run_is_exactly_one_bucket() {
        for (from_ms, to_ms, buckets) in [(0, 10, 3), (-7, 100, 9), (5, 8, 20), (0, 1, 1)] {
            let request =
                ForecastRequest { now_ms: 0, from_ms, to_ms, buckets, finds_steepest: false };
            for threshold in from_ms - 3..to_ms + 3 {
                let exactly = (i128::from(threshold) - i128::from(from_ms)) * buckets as i128
                    / i128::from(to_ms - from_ms);
                let (place, run) = request.place_of(threshold);
                assert!(run.contains(&threshold));
                if let Place::Bucket(bucket) = place {
                    assert_eq!(bucket as i128, exactly);
                    assert!(run.clone().all(|other| {
                        matches!(request.place_of(other).0, Place::Bucket(at) if at == bucket)
                    }));
                } else {
                    assert!(threshold < from_ms || threshold >= to_ms);
                    let is_overdue = |ms| matches!(request.place_of(ms).0, Place::Overdue);
                    assert_eq!(is_overdue(threshold), threshold <= request.now_ms);
                    let (start, end) = run.into_inner();
                    assert!(end < from_ms || start >= to_ms);
                    assert!(is_overdue(start) == is_overdue(end));
                }
            }
        }
    }
}
