//! Samples of a collection that stay the same while it does.
//!
//! A new sample at each look makes estimates tremble: 2,000, 1,900, 1,700 documents while nothing changes.
//! As long as the collection has as many documents as before, the same ones are read again, with what
//! their fields hold now.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::reply::DocCount;

use super::asking::Asking;
use super::read::{OWN_TIME_MS, all, is_late, projection, raw, sample};
use crate::job::due::TtlIndex;
use crate::limits::SERVER_SAMPLES_KEPT_MAX;

/// Samples from which on an estimate is made, where the server has no time for all.
const SAMPLES_MIN: usize = 8;

/// How many samples are taken, and how large each is, in documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SampleSize {
    pub samples: u32,
    pub documents: u32,
}

/// The `_id`s of the samples of one collection.
struct KeptSample {
    db: String,
    collection: String,
    size: SampleSize,
    /// Documents that the collection had.
    total: u64,
    ids: Vec<Vec<Bson>>,
}

/// The samples of a server's collections that were taken last.
#[derive(Default)]
pub(super) struct KeptSamples(Mutex<VecDeque<KeptSample>>);

impl KeptSamples {
    fn lock(&self) -> MutexGuard<'_, VecDeque<KeptSample>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptSample {
    fn is_of(&self, asking: &Asking<'_>, size: SampleSize) -> bool {
        self.db == asking.db && self.collection == asking.collection && self.size == size
    }
}

/// Samples of a collection with this many documents; the last ones, if it had as many then.
pub(super) fn samples(
    asking: &Asking<'_>,
    rules: &[TtlIndex],
    total: DocCount,
    size: SampleSize,
) -> Result<Vec<Vec<RawDocumentBuf>>, Document> {
    if let DocCount::Exact(total) = total
        && let Some(found) = again(asking, rules, total, size)
    {
        return Ok(found);
    }
    let mut taken = Vec::new();
    for _ in 0..size.samples {
        match sample(asking, rules, size.documents) {
            Ok(found) if found.is_empty() => {}
            Ok(found) => taken.push(found),
            Err(refusal) if is_late(&refusal) && taken.len() >= SAMPLES_MIN => break,
            Err(refusal) => return Err(refusal),
        }
    }
    if let DocCount::Exact(total) = total {
        keep(asking, total, size, &taken);
    }
    Ok(taken)
}

fn keep(asking: &Asking<'_>, total: u64, size: SampleSize, taken: &[Vec<RawDocumentBuf>]) {
    let ids = taken.iter().map(|sample| sample.iter().filter_map(id).collect());
    let kept = KeptSample {
        db: asking.db.to_owned(),
        collection: asking.collection.to_owned(),
        size,
        total,
        ids: ids.collect(),
    };
    let mut all = asking.samples.lock();
    all.retain(|kept| !kept.is_of(asking, size));
    all.push_back(kept);
    if all.len() > SERVER_SAMPLES_KEPT_MAX {
        all.pop_front();
    }
}

/// The last samples as they are now; `None` where one of their documents is gone.
fn again(
    asking: &Asking<'_>,
    rules: &[TtlIndex],
    total: u64,
    size: SampleSize,
) -> Option<Vec<Vec<RawDocumentBuf>>> {
    let ids = {
        let all = asking.samples.lock();
        let kept = all.iter().find(|kept| kept.is_of(asking, size) && kept.total == total)?;
        kept.ids.clone()
    };
    let distinct: HashMap<String, Bson> =
        ids.iter().flatten().map(|id| (key(id), id.clone())).collect();
    let count = i64::try_from(distinct.len()).ok()?;
    let wanted: Vec<Bson> = distinct.into_values().collect();
    let mut find = doc! {
        "find": asking.collection, "filter": { "_id": { "$in": wanted } },
        "batchSize": count.saturating_add(1), "maxTimeMS": OWN_TIME_MS,
    };
    find.extend(projection(rules).map(|fields| ("projection".to_owned(), Bson::from(fields))));
    let found = raw(&all(asking, find, u64::try_from(count).ok()?.saturating_add(1)).ok()?);
    let found: HashMap<String, RawDocumentBuf> =
        found.into_iter().filter_map(|found| Some((key(&id(&found)?), found))).collect();
    let sample = |ids: &Vec<Bson>| ids.iter().map(|id| found.get(&key(id)).cloned()).collect();
    ids.iter().map(sample).collect()
}

fn id(found: &RawDocumentBuf) -> Option<Bson> {
    found.get("_id").ok().flatten()?.try_into().ok()
}

fn key(id: &Bson) -> String {
    format!("{id:?}")
}
