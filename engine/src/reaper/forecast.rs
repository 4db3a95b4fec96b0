//! How many documents expire when: counted from index entries, without reading a document.

use std::collections::HashMap;

use super::{lane::Lane, target::Target};
use crate::{
    limits::FORECAST_DISTINCT_DOCS_MAX,
    store::{CollectionId, IndexId, Reader, Store, StoreError},
};

/// What to count. Instants are milliseconds since 1970.
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
}

/// Each document of the collection is counted in exactly one place, at its earliest threshold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forecast {
    /// Documents with their threshold in each bucket.
    pub counts: Vec<u64>,
    /// Documents outside the buckets that are due now.
    pub overdue: u64,
    /// Documents outside the buckets that are not due yet.
    pub beyond: u64,
    /// Documents that never expire.
    pub never: u64,
    /// Whether every number is right. If not, a document with several dates may count several times.
    pub exact: bool,
}

/// Counts the documents of a collection by threshold under these rules.
///
/// # Errors
/// When the store can't be read.
pub fn forecast(
    store: &Store,
    collection: CollectionId,
    targets: &[Target],
    request: ForecastRequest,
) -> Result<Forecast, StoreError> {
    store.read(|reader| {
        let mut tally = Tally::new(request);
        let needs_distinct = targets.iter().filter(|target| !target.lanes.is_empty()).count() > 1
            || targets.iter().any(|target| target.index.multikey);
        let mut earliest = needs_distinct.then(HashMap::new);
        for target in targets {
            for lane in &target.lanes {
                count_lane(reader, target.index.id, *lane, &mut tally, &mut earliest)?;
            }
        }
        for threshold_ms in earliest.into_iter().flat_map(HashMap::into_values) {
            tally.add(threshold_ms);
        }
        let documents = reader.counters(collection.0)?.documents;
        tally.forecast.never = documents.saturating_sub(tally.counted);
        Ok(tally.forecast)
    })
}

/// Counts the entries of one lane, or notes their thresholds when a document may have several.
fn count_lane(
    reader: &Reader<'_>,
    index: IndexId,
    lane: Lane,
    tally: &mut Tally,
    earliest: &mut Option<HashMap<u64, i64>>,
) -> Result<(), StoreError> {
    for entry in lane.entries(reader, index, i64::MIN, i64::MAX)? {
        let entry = entry?;
        let instant = lane.instant_ms(entry.key);
        let Some(threshold_ms) = instant.and_then(|instant| lane.threshold_ms(instant)) else {
            continue;
        };
        match earliest {
            None => tally.add(threshold_ms),
            Some(earliest) => {
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
    }
    Ok(())
}

struct Tally {
    request: ForecastRequest,
    forecast: Forecast,
    counted: u64,
}

impl Tally {
    fn new(request: ForecastRequest) -> Self {
        let counts = vec![0; request.buckets];
        Self {
            request,
            forecast: Forecast { counts, exact: true, ..Forecast::default() },
            counted: 0,
        }
    }

    fn add(&mut self, threshold_ms: i64) {
        self.counted += 1;
        let ForecastRequest { now_ms, from_ms, to_ms, buckets } = self.request;
        if threshold_ms >= from_ms && threshold_ms < to_ms {
            let offset = i128::from(threshold_ms) - i128::from(from_ms);
            let length = i128::from(to_ms) - i128::from(from_ms);
            let bucket = offset * buckets as i128 / length;
            let bucket = usize::try_from(bucket).ok();
            if let Some(count) = bucket.and_then(|bucket| self.forecast.counts.get_mut(bucket)) {
                *count += 1;
            }
        } else if threshold_ms <= now_ms {
            self.forecast.overdue += 1;
        } else {
            self.forecast.beyond += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(thresholds: &[i64], counts: &[u64], overdue: u64, beyond: u64) {
        let request = ForecastRequest { now_ms: 100, from_ms: 100, to_ms: 200, buckets: 4 };
        let mut tally = Tally::new(request);
        for threshold in thresholds {
            tally.add(*threshold);
        }
        assert_eq!(tally.forecast.counts, counts);
        assert_eq!((tally.forecast.overdue, tally.forecast.beyond), (overdue, beyond));
        assert_eq!(tally.counted, thresholds.len() as u64);
    }

    #[test]
    fn buckets_have_their_beginning_and_not_their_end() {
        check(&[99, i64::MIN], &[0, 0, 0, 0], 2, 0);
        check(&[100, 124, 125, 199], &[2, 1, 0, 1], 0, 0);
        check(&[200, i64::MAX], &[0, 0, 0, 0], 0, 2);
    }

    #[test]
    fn all_of_time_does_not_overflow() {
        let request = ForecastRequest { now_ms: 0, from_ms: i64::MIN, to_ms: i64::MAX, buckets: 2 };
        let mut tally = Tally::new(request);
        for threshold in [i64::MIN, -2, 1, i64::MAX - 1] {
            tally.add(threshold);
        }
        assert_eq!(tally.forecast.counts, [2, 2]);
    }
}
