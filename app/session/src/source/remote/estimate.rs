//! Numbers from samples, for fields without an index.
//!
//! A server may sample by pages of its disk, which gives runs of neighbors, and these are often alike:
//! of 2,500 documents a few dozen runs are independent. So there are several small samples, and how
//! far a number may be off comes from how much they differ.

use std::collections::HashMap;

use bson::{Document, RawDocument, RawDocumentBuf};
use mayfly_engine::reply::DocCount;

use super::asking::Asking;
use super::samples::{SampleSize, samples};
use crate::job::due::TtlIndex;

/// Standard errors on both sides of the mean: Student's t for 30 samples and one miss in a thousand.
const STANDARD_ERRORS: f64 = 3.7;

/// Several samples of a collection.
pub(super) struct Draws {
    samples: Vec<Vec<RawDocumentBuf>>,
    /// Each document once.
    distinct: Vec<RawDocumentBuf>,
    /// Documents of the collection.
    pub total: DocCount,
}

impl Draws {
    /// Takes the samples.
    pub fn take(
        asking: &Asking<'_>,
        rules: &[TtlIndex],
        total: DocCount,
    ) -> Result<Self, Document> {
        let limits = asking.read_limits;
        let size = SampleSize { samples: limits.draws, documents: limits.draw_docs };
        let draws = samples(asking, rules, total, size)?;
        let by_id = |found: &RawDocumentBuf| {
            let id = found.get("_id").ok().flatten().map(|id| format!("{id:?}"));
            (id.unwrap_or_default(), found.clone())
        };
        let distinct: HashMap<String, RawDocumentBuf> = draws.iter().flatten().map(by_id).collect();
        Ok(Self { samples: draws, distinct: distinct.into_values().collect(), total })
    }

    /// The documents that were seen.
    pub fn documents(&self) -> impl Iterator<Item = &RawDocument> {
        self.distinct.iter().map(AsRef::as_ref)
    }

    /// How many documents of the collection are of a kind.
    pub fn estimate(&self, is_it: impl Fn(&RawDocument) -> bool) -> DocCount {
        let count =
            |found: &[RawDocumentBuf]| found.iter().filter(|found| is_it(found)).count() as u64;
        let hits = self.samples.iter().map(|draw| (count(draw), draw.len() as u64));
        let seen = Seen { hits: count(&self.distinct), documents: self.distinct.len() as u64 };
        estimate(&hits.collect::<Vec<_>>(), seen, self.total)
    }
}

/// The documents that were seen, each once.
#[derive(Clone, Copy)]
struct Seen {
    hits: u64,
    documents: u64,
}

/// How many of `total` are of a kind, from the hits and documents of each sample.
fn estimate(draws: &[(u64, u64)], seen: Seen, total: DocCount) -> DocCount {
    // The total may itself be an estimate, and lower than the number of documents that were seen.
    let all = total.likely().max(seen.documents);
    let drawn: u64 = draws.iter().map(|(_, documents)| documents).sum();
    let hits: u64 = draws.iter().map(|(hits, _)| hits).sum();
    // The documents that were seen are certain.
    let least = seen.hits;
    let most = all - (seen.documents - seen.hits);
    let mean = if drawn == 0 { 0.5 } else { ratio(hits, drawn) };
    let (low, high) = bounds(draws);
    // Samples that repeat each other are no independent ones.
    let (low, high) = if seen.documents * 2 < drawn.min(all) { (0.0, 1.0) } else { (low, high) };
    let (low, high) = (scaled(low, all).clamp(least, most), scaled(high, all).clamp(least, most));
    match total {
        DocCount::Exact(_) if low == high => DocCount::Exact(low),
        DocCount::Exact(_) => {
            DocCount::About { count: scaled(mean, all).clamp(low, high), low, high: Some(high) }
        }
        // Of how many is not known, so what was seen is all that is certain.
        _ => DocCount::About { count: scaled(mean, all).max(least), low: least, high: None },
    }
}

/// The shares between which that of the collection is.
///
/// Two samples are added, one of hits only and one without any: samples that are all alike say nothing
/// about the runs that none of them met.
fn bounds(draws: &[(u64, u64)]) -> (f64, f64) {
    let shares = draws.iter().map(|(hits, documents)| ratio(*hits, *documents));
    let shares: Vec<f64> = shares.chain([0.0, 1.0]).collect();
    let count = ratio(shares.len() as u64, 1);
    let mean = shares.iter().sum::<f64>() / count;
    let squares = shares.iter().map(|share| (share - mean) * (share - mean)).sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt() * STANDARD_ERRORS;
    ((mean - error).max(0.0), (mean + error).min(1.0))
}

#[expect(clippy::cast_precision_loss, reason = "a share needs few digits")]
fn ratio(part: u64, of: u64) -> f64 {
    part as f64 / (of as f64).max(1.0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a share of a count is a count"
)]
fn scaled(share: f64, of: u64) -> u64 {
    (share * of as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(draws: &[(u64, u64)], total: u64, low: u64, high: u64) {
        let seen = Seen {
            hits: draws.iter().map(|(hits, _)| hits).sum(),
            documents: draws.iter().map(|(_, documents)| documents).sum(),
        };
        let found = estimate(draws, seen, total.into());
        assert_eq!((found.least(), found.most()), (low, Some(high)), "{found:?}");
    }

    #[test]
    fn samples_that_differ_give_wide_bounds() {
        // A quarter of each, or all of each fourth one.
        check(&[(20, 80); 32], 20_000, 3_558, 7_030);
        let runs: Vec<_> = (0..32).map(|at| (if at % 4 == 0 { 80 } else { 0 }, 80)).collect();
        check(&runs, 20_000, 640, 10_977);
        // A run that none of them met may be there.
        check(&[(0, 80); 32], 20_000, 0, 2_765);
        check(&[(80, 80); 32], 20_000, 17_235, 20_000);
    }

    #[test]
    fn samples_of_the_same_documents_say_what_was_seen() {
        let seen = Seen { hits: 60, documents: 80 };
        let found = estimate(&[(60, 80); 32], seen, DocCount::Exact(20_000));
        assert_eq!((found.least(), found.most()), (60, Some(19_980)));
        let all = Seen { hits: 60, documents: 80 };
        let found = estimate(&[(60, 80); 32], all, DocCount::Exact(80));
        assert_eq!(found, DocCount::Exact(60), "each was seen");
    }

    #[test]
    fn without_a_total_only_what_was_seen_is_certain() {
        let total = DocCount::About { count: 20_000, low: 0, high: None };
        let seen = Seen { hits: 640, documents: 2_560 };
        let found = estimate(&[(20, 80); 32], seen, total);
        assert_eq!(found, DocCount::About { count: 5_000, low: 640, high: None });
    }
}
