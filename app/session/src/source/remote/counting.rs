//! Bounded counts along the indexes of dates: exact, or *at least*, whatever the collection's size.
//!
//! `mayflyWhatIf` and `mayflyForecast` of several buckets read a collection of up to 10,000 documents whole. Else
//! `source/remote/counting.rs` counts along an index of the field, with the index's name as hint and a limit;
//! without such an index `estimate.rs` compares 32 samples. The type `DocCount`
//! (`engine/value/src/reply/doc_count.rs`) carries how far a number is known, from the reply to the words on a
//! button (`job/number.rs`). No number on a button comes from one `$sample`: a server may sample neighbors.
//! `apply/recount.rs` counts the documents of open collections again after passes and changes.

use bson::{Bson, Document, doc};
use mayfly_engine::reply::DocCount;

use super::asking::Asking;
use super::dates::with_dates;
use super::indexes::{FieldIndex, Indexes};
use super::known::Dates;
use super::read::{OWN_TIME_MS, counted, is_late};
use crate::job::due::TtlIndex;
use crate::job::reply::is_ok;

/// Documents that are counted where the server has no time for more.
const COUNTED_LATE_MAX: u64 = 10_000;

const MS_PER_SEC: i64 = 1_000;

/// A rule, and an index by which its documents are counted.
pub(super) struct CountedRule<'r> {
    rule: &'r TtlIndex,
    index: FieldIndex,
}

/// The rules with their indexes; `None` where one has none that queries may use.
pub(super) fn with_indexes<'r>(
    indexes: &Indexes,
    rules: &'r [TtlIndex],
) -> Option<Vec<CountedRule<'r>>> {
    let with_index = |rule| Some(CountedRule { rule, index: indexes.counting(rule)? });
    rules.iter().map(with_index).collect()
}

/// Thresholds after the first instant and up to the second, in milliseconds since 1970.
#[derive(Clone, Copy)]
pub(super) struct Thresholds {
    pub after_ms: i64,
    pub to_ms: i64,
}

impl Thresholds {
    /// All up to an instant.
    pub const fn up_to(to_ms: i64) -> Self {
        Self { after_ms: i64::MIN, to_ms }
    }

    /// All after an instant.
    pub const fn after(after_ms: i64) -> Self {
        Self { after_ms, to_ms: i64::MAX }
    }

    /// All after an instant, for so long.
    pub const fn within(after_ms: i64, length_ms: i64) -> Self {
        Self { after_ms, to_ms: after_ms.saturating_add(length_ms) }
    }
}

impl CountedRule<'_> {
    /// The date whose threshold is at an instant.
    fn date(&self, ms: i64, dates: Dates) -> bson::DateTime {
        let secs_ms = self.rule.expire_after_secs().saturating_mul(MS_PER_SEC);
        dates.within(ms.saturating_sub(secs_ms))
    }

    /// The documents that the rule removes at one of these thresholds. Of several dates in a field the
    /// earliest counts, so none may be before the first.
    fn filter(&self, thresholds: Thresholds, dates: Dates) -> Vec<Document> {
        let field = &self.rule.field;
        let mut range = doc! { "$lte": self.date(thresholds.to_ms, dates) };
        range.extend(self.from(dates));
        let mut all = Vec::new();
        if thresholds.after_ms == i64::MIN {
            all.push(doc! { field: range });
        } else {
            let first = self.date(thresholds.after_ms, dates);
            range.insert("$gt", first);
            all.push(doc! { field: range });
            all.push(doc! { field: { "$not": { "$lte": first } } });
        }
        all.extend(self.rule.partial().cloned());
        all
    }

    /// The documents that the rule never removes, where each document is in the index.
    fn never(&self, dates: Dates) -> Option<Document> {
        let is_whole = self.index.partial.is_none() && !self.index.is_sparse;
        let mut range = doc! { "$lte": self.date(i64::MAX, dates) };
        range.extend(self.from(dates));
        let field = &self.rule.field;
        (is_whole && self.rule.partial().is_none()).then(|| doc! { field: { "$not": range } })
    }

    /// The bound of dates that are too early to count.
    fn from(&self, dates: Dates) -> Option<(String, Bson)> {
        let first_ms = self.rule.first_base_ms()?;
        Some(("$gte".to_owned(), dates.within(first_ms).into()))
    }
}

fn all_of(mut all: Vec<Document>) -> Document {
    if all.len() == 1 {
        all.remove(0)
    } else {
        doc! { "$and": all }
    }
}

/// Counts what matches along an index, up to a bound.
fn bounded(asking: &Asking<'_>, query: &Document, hint: &str) -> Result<DocCount, Document> {
    let most = asking.read_limits.counted_max;
    for limit in [most, COUNTED_LATE_MAX.min(most)] {
        let reply = asking.run(doc! {
            "count": asking.collection, "query": query.clone(), "hint": hint,
            "limit": i64::try_from(limit).unwrap_or(i64::MAX), "maxTimeMS": OWN_TIME_MS,
        });
        if is_ok(&reply) {
            let counted = counted(&reply);
            // A count that has reached its limit says nothing of what comes after it.
            let is_whole = counted < limit;
            return Ok(if is_whole { counted.into() } else { DocCount::AtLeast(counted) });
        }
        if !is_late(&reply) {
            return Err(reply);
        }
    }
    // The server has no time even for that, so not one document is known, which doesn't mean none.
    Ok(DocCount::AtLeast(0))
}

/// Documents that the first of these rules to remove them removes at one of these thresholds.
pub(super) fn at(
    asking: &Asking<'_>,
    rules: &[CountedRule<'_>],
    thresholds: Thresholds,
) -> Result<DocCount, Document> {
    let mut sum = DocCount::default();
    for (at, counted) in rules.iter().enumerate() {
        let found = with_dates(asking, |dates| {
            let mut all = counted.filter(thresholds, dates);
            let mut others: Vec<Document> = Vec::new();
            for (other_at, other) in rules.iter().enumerate().filter(|(other, _)| *other != at) {
                // Each document is counted by one rule, and not if another removes it earlier.
                if other_at < at {
                    others.push(all_of(other.filter(Thresholds::up_to(thresholds.to_ms), dates)));
                } else if thresholds.after_ms != i64::MIN {
                    let before = Thresholds::up_to(thresholds.after_ms);
                    others.push(all_of(other.filter(before, dates)));
                }
            }
            if !others.is_empty() {
                all.push(doc! { "$nor": others });
            }
            bounded(asking, &all_of(all), &counted.index.name)
        })?;
        sum = sum.plus(found);
    }
    Ok(sum)
}

/// Documents of a collection with this total that the rules never remove.
pub(super) fn never(
    asking: &Asking<'_>,
    rules: &[CountedRule<'_>],
    total: DocCount,
) -> Result<DocCount, Document> {
    if let [counted] = rules {
        let found = with_dates(asking, |dates| {
            let query = counted.never(dates);
            query.map(|query| bounded(asking, &query, &counted.index.name)).transpose()
        })?;
        if let Some(found) = found.filter(|found| found.is_exact()) {
            return Ok(found);
        }
    }
    Ok(total.minus(at(asking, rules, Thresholds::up_to(i64::MAX))?))
}

/// The documents of the collection. A count with a query is right on servers whose other counts are
/// estimates.
pub(super) fn total(asking: &Asking<'_>) -> Result<DocCount, Document> {
    let whole = doc! { "count": asking.collection, "query": {}, "maxTimeMS": OWN_TIME_MS };
    let reply = asking.run(whole);
    if is_ok(&reply) {
        return Ok(counted(&reply).into());
    }
    if !is_late(&reply) {
        return Err(reply);
    }
    let estimate = asking.run(doc! { "count": asking.collection, "maxTimeMS": OWN_TIME_MS });
    if is_ok(&estimate) || is_late(&estimate) {
        return Ok(DocCount::About { count: counted(&estimate), low: 0, high: None });
    }
    Err(estimate)
}
