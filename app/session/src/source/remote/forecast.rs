//! How many documents expire when, and what a TTL would do: counted along an index on a server, read
//! from all of its documents, or estimated from samples of them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};
use mayfly_engine::reaper::{ForecastRequest, ForecastTally, WhatIfTally};
use mayfly_engine::reply::{DocCount, Forecast, ForecastTotals, WhatIf};
use mayfly_engine::ttl::{self, Expiry, Rule};
use mayfly_engine::value::{Path, whole};

use super::asking::Asking;
use super::counting::{self, CountedRule, Thresholds};
use super::estimate::Draws;
use super::failure::failed;
use super::indexes::Indexes;
use super::read::all_of_few;
use super::rules;
use super::samples::{SampleSize, samples};
use crate::job::due::TtlIndex;
use crate::source::Source as _;

/// Documents of the sample that fills the buckets of a forecast.
const BUCKETS_SAMPLE: u32 = 2_500;

const HOUR_MS: i64 = 3_600_000;

const DAY_MS: i64 = 24 * HOUR_MS;

/// `BadValue`.
const BAD_VALUE: i32 = 2;

/// Buckets that may be asked for.
const BUCKETS_MAX: usize = 10_000;

/// The reply to `mayflyForecast`.
pub(super) fn forecast(asking: &Asking<'_>, command: &Document) -> Result<Document, Document> {
    let indexes = rules::indexes(asking)?;
    let rules = rules::chosen(indexes.rules.clone(), command.get("index"))?;
    let date = |name| command.get_datetime(name).map(|date| date.timestamp_millis());
    let (Ok(from_ms), Ok(to_ms)) = (date("from"), date("to")) else {
        return Err(failed(BAD_VALUE, "BadValue", "from and to must be dates"));
    };
    let buckets = command.get("buckets").and_then(whole).unwrap_or(0);
    let buckets = usize::try_from(buckets).unwrap_or(0);
    if from_ms >= to_ms || buckets == 0 || buckets > BUCKETS_MAX {
        let sentence = "from must be before to, and buckets must be between 1 and 10000";
        return Err(failed(BAD_VALUE, "BadValue", sentence));
    }
    let finds_steepest = command.get_bool("steepest").unwrap_or(false);
    let now_ms = asking.now_ms();
    let request = ForecastRequest { now_ms, from_ms, to_ms, buckets, finds_steepest };
    let counted = counting::with_indexes(&indexes, &rules);
    // The documents of one bucket can be counted, which is cheaper than to read few of them.
    if let Some(counted) = counted.as_deref().filter(|_| buckets == 1) {
        let within = Thresholds { after_ms: from_ms.saturating_sub(1), to_ms: to_ms - 1 };
        let found = counting::at(asking, counted, within)?;
        let counts = vec![found.least()];
        let found = Forecast { counts, exact: found.is_exact(), ..Forecast::default() };
        return Ok(done(found.to_document()));
    }
    let found = match all_of_few(asking, &rules)? {
        Some(documents) => of_all(request, &rules, &documents),
        None => of_many(asking, request, &rules, counted.as_deref())?,
    };
    Ok(done(found.to_document()))
}

/// The thresholds of documents, the earliest first.
fn thresholds(rules: &[TtlIndex], documents: &[RawDocumentBuf]) -> Vec<i64> {
    let found = documents.iter().filter_map(|found| first(rules, found)?.threshold_ms());
    let mut thresholds: Vec<i64> = found.collect();
    thresholds.sort_unstable();
    thresholds
}

/// The forecast of a collection whose documents were all read.
fn of_all(request: ForecastRequest, rules: &[TtlIndex], documents: &[RawDocumentBuf]) -> Forecast {
    let at_ms = request.now_ms;
    let thresholds = thresholds(rules, documents);
    let overdue = thresholds.partition_point(|threshold_ms| *threshold_ms <= at_ms);
    let waiting = thresholds.len() - overdue;
    let never = documents.len() - thresholds.len();
    let [overdue, waiting, never] = [overdue, waiting, never].map(|n| DocCount::Exact(n as u64));
    let totals = Some(ForecastTotals { at_ms, overdue, waiting, never });
    let (mut tally, mut steepest) = (ForecastTally::new(request), request.steepest());
    for threshold_ms in thresholds {
        tally.add(threshold_ms);
        steepest.add(threshold_ms, 1);
    }
    tally.note_steepest(steepest);
    Forecast { totals, ..tally.finish(documents.len() as u64) }
}

/// The forecast of a collection with more documents: the buckets are a picture of a sample, and the
/// totals are counted where each rule has an index.
fn of_many(
    asking: &Asking<'_>,
    request: ForecastRequest,
    rules: &[TtlIndex],
    counted: Option<&[CountedRule<'_>]>,
) -> Result<Forecast, Document> {
    let total = counting::total(asking)?;
    let at_ms = request.now_ms;
    let totals = if let Some(counted) = counted {
        let overdue = counting::at(asking, counted, Thresholds::up_to(at_ms))?;
        let never = counting::never(asking, counted, total)?;
        let rest = total.minus(overdue).minus(never);
        let waiting = if rest.is_exact() {
            rest
        } else {
            counting::at(asking, counted, Thresholds::after(at_ms))?
        };
        ForecastTotals { at_ms, overdue, waiting, never }
    } else {
        let draws = Draws::take(asking, rules, total)?;
        let threshold_ms = |found: &RawDocument| first(rules, found)?.threshold_ms();
        let is_due = |found: &RawDocument| threshold_ms(found).map(|ms| ms <= at_ms);
        ForecastTotals {
            at_ms,
            overdue: draws.estimate(|found| is_due(found) == Some(true)),
            waiting: draws.estimate(|found| is_due(found) == Some(false)),
            never: draws.estimate(|found| is_due(found).is_none()),
        }
    };
    let size = SampleSize { samples: 1, documents: BUCKETS_SAMPLE };
    let sample: Vec<_> = samples(asking, rules, total, size)?.into_iter().flatten().collect();
    // A minute is too short to be seen in a sample.
    let mut found = of_all(ForecastRequest { finds_steepest: false, ..request }, rules, &sample);
    let (all, seen) = (u128::from(total.likely()), sample.len().max(1) as u128);
    let scaled = |n: u64| u64::try_from(u128::from(n) * all / seen).unwrap_or(u64::MAX);
    for count in
        found.counts.iter_mut().chain([&mut found.overdue, &mut found.beyond, &mut found.never])
    {
        *count = scaled(*count);
    }
    Ok(Forecast { exact: false, totals: Some(totals), ..found })
}

/// The verdict of the rule that removes a document first.
fn first(rules: &[TtlIndex], document: &RawDocument) -> Option<Expiry> {
    let verdicts: Vec<Expiry> = rules.iter().map(|rule| rule.verdict(document)).collect();
    ttl::winner(&verdicts).and_then(|at| verdicts.get(at).copied())
}

/// The reply to `mayflyWhatIf`.
pub(super) fn what_if(asking: &Asking<'_>, command: &Document) -> Result<Document, Document> {
    let Ok(index) = command.get_document("index") else {
        return Err(failed(BAD_VALUE, "BadValue", "mayflyWhatIf needs an index"));
    };
    let Some(secs) = index.get("expireAfterSeconds").and_then(whole) else {
        return Err(failed(BAD_VALUE, "BadValue", "the index needs expireAfterSeconds"));
    };
    let indexes = rules::indexes(asking)?;
    let rule = if let Ok(keys) = index.get_document("keyPattern") {
        let partial = index.get_document("partialFilterExpression").ok();
        new_rule(&indexes, ("", keys), partial, secs)
    } else {
        named_rule(&indexes, index.get_str("name").unwrap_or_default(), secs)?
    };
    let Some(rule) = rule else {
        let sentence = "TTL indexes are single-field indexes; name one field with 1 or -1";
        return Err(failed(67, "CannotCreateIndex", sentence));
    };
    let due_ms = asking.removed_up_to_ms(asking.now_ms());
    let edges_ms = edges_ms(command);
    let rules = slice::from_ref(&rule);
    let found = match all_of_few(asking, rules)? {
        Some(documents) => {
            let mut tally = WhatIfTally::new(&edges_ms);
            for document in &documents {
                tally.add(rule.verdict(document), due_ms);
            }
            tally.finish()
        }
        None => {
            if let Some(counted) = counting::with_indexes(&indexes, rules) {
                what_if_counted(asking, &rule, &counted, (due_ms, &edges_ms))?
            } else {
                let draws = Draws::take(asking, rules, counting::total(asking)?)?;
                what_if_drawn(&draws, &rule, (due_ms, &edges_ms))
            }
        }
    };
    Ok(done(found.to_document()))
}

/// The effect of a rule on a collection with many documents, counted along an index on its field.
fn what_if_counted(
    asking: &Asking<'_>,
    rule: &TtlIndex,
    counted: &[CountedRule<'_>],
    (due_ms, edges_ms): (i64, &[i64]),
) -> Result<WhatIf, Document> {
    let total = counting::total(asking)?;
    let count = |thresholds| counting::at(asking, counted, thresholds);
    let stays = counting::never(asking, counted, total)?;
    let mut found = WhatIf {
        total,
        overdue_now: count(Thresholds::up_to(due_ms))?,
        next_hour: count(Thresholds::within(due_ms, HOUR_MS))?,
        next_day: count(Thresholds::within(due_ms, DAY_MS))?,
        never_in_all: Some(stays),
        ..WhatIf::default()
    };
    if !stays.is_zero() || !edges_ms.is_empty() {
        // Why documents stay, and how the others spread, is seen from documents alone.
        if let Ok(draws) = Draws::take(asking, slice::from_ref(rule), total) {
            found.never = reasons(&draws, rule);
            found.counts = spread(&draws, rule, edges_ms);
        }
    }
    Ok(found)
}

/// The effect of a rule, estimated from samples.
fn what_if_drawn(draws: &Draws, rule: &TtlIndex, (due_ms, edges_ms): (i64, &[i64])) -> WhatIf {
    let wait_ms = |found: &RawDocument| {
        let threshold_ms = rule.verdict(found).threshold_ms();
        threshold_ms.map(|threshold_ms| threshold_ms.saturating_sub(due_ms))
    };
    let within = |from: i64, to: i64| {
        draws.estimate(|found| wait_ms(found).is_some_and(|ms| from < ms && ms <= to))
    };
    WhatIf {
        total: draws.total,
        overdue_now: draws.estimate(|found| wait_ms(found).is_some_and(|ms| ms <= 0)),
        next_hour: within(0, HOUR_MS),
        next_day: within(0, DAY_MS),
        never: reasons(draws, rule),
        never_in_all: Some(draws.estimate(|found| wait_ms(found).is_none())),
        counts: spread(draws, rule, edges_ms),
        ..WhatIf::default()
    }
}

/// The edges between which thresholds are to be counted, in milliseconds since 1970.
fn edges_ms(command: &Document) -> Vec<i64> {
    let edges = command.get_array("edges").map(Vec::as_slice).unwrap_or_default();
    let dates = edges.iter().filter_map(Bson::as_datetime).take(BUCKETS_MAX);
    dates.map(|date| date.timestamp_millis()).collect()
}

/// Thresholds between edges, scaled from the documents that were seen.
fn spread(draws: &Draws, rule: &TtlIndex, edges_ms: &[i64]) -> Option<Vec<u64>> {
    let (mut tally, mut seen) = (WhatIfTally::new(edges_ms), 0_u128);
    for document in draws.documents() {
        tally.add(rule.verdict(document), 0);
        seen += 1;
    }
    let all = u128::from(draws.total.likely());
    let scaled = |count: u64| u64::try_from(u128::from(count) * all / seen.max(1));
    let mut counts = tally.finish().counts?;
    for count in &mut counts {
        *count = scaled(*count).unwrap_or(u64::MAX);
    }
    Some(counts)
}

/// Why documents would never expire.
fn reasons(draws: &Draws, rule: &TtlIndex) -> BTreeMap<Cow<'static, str>, DocCount> {
    let code = |found: &RawDocument| match rule.verdict(found) {
        Expiry::Never(reason) => Some(reason.code()),
        Expiry::At(_) => None,
    };
    let codes: BTreeSet<&str> = draws.documents().filter_map(&code).collect();
    let counts = codes
        .into_iter()
        .map(|reason| (reason.into(), draws.estimate(|found| code(found) == Some(reason))));
    counts.collect()
}

/// The rule of an index of this name with these seconds, be it a TTL index or a plain one.
fn named_rule(indexes: &Indexes, name: &str, secs: i64) -> Result<Option<TtlIndex>, Document> {
    if let Some(known) = indexes.rules.iter().find(|rule| rule.name == name) {
        return Ok(new_rule(indexes, (name, &doc! { &known.field: 1 }), known.partial(), secs));
    }
    let Some(index) = indexes.named(name) else {
        let sentence = format!("There is no index with the name {name:?}");
        return Err(failed(rules::INDEX_NOT_FOUND, "IndexNotFound", &sentence));
    };
    let partial = index.get_document("partialFilterExpression").ok();
    let keys = index.get_document("key").ok();
    Ok(keys.and_then(|keys| new_rule(indexes, (name, keys), partial, secs)))
}

/// The rule of an index on one field with these seconds.
fn new_rule(
    indexes: &Indexes,
    (name, keys): (&str, &Document),
    partial: Option<&Document>,
    secs: i64,
) -> Option<TtlIndex> {
    let is_order = |kind: &Bson| whole(kind).is_some();
    let (field, _) = keys.iter().next().filter(|(_, kind)| keys.len() == 1 && is_order(kind))?;
    let expire_after_secs = secs.clamp(0, i64::from(i32::MAX));
    let rule = if indexes.is_clustered && field == "_id" {
        Rule::ClusteredId { expire_after_secs }
    } else {
        Rule::Date { field: Path::parse(field).ok()?, expire_after_secs }
    };
    Some(TtlIndex::of_rule(name, field, rule, partial))
}

/// A reply of success.
pub(super) fn done(mut reply: Document) -> Document {
    reply.insert("ok", 1.0);
    reply
}
