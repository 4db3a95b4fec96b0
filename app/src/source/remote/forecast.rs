//! How many documents expire when, and what a TTL would do: counted from the documents of a server,
//! or from a sample of them.

use bson::{Bson, Document};
use mayfly_engine::reaper::{ForecastRequest, ForecastTally, WhatIfTally};
use mayfly_engine::reply::BusyMinute;
use mayfly_engine::ttl::{self, Expiry, Rule};
use mayfly_engine::value::{Path, whole};

use super::asking::Asking;
use super::failure::failed;
use super::read::{Scan, scan};
use super::rules;
use crate::job::due::TtlIndex;
use crate::source::Source as _;

/// `BadValue`.
const BAD_VALUE: i32 = 2;

/// Buckets that may be asked for.
const BUCKETS_MAX: usize = 10_000;

/// The reply to `mayflyForecast`.
pub(super) fn forecast(asking: &Asking<'_>, command: &Document) -> Result<Document, Document> {
    let rules = rules::of(asking)?;
    let rules = rules::chosen(rules, command.get("index"))?;
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
    let request = ForecastRequest { now_ms: asking.now_ms(), from_ms, to_ms, buckets };
    let scan = scan(asking, &rules)?;
    let mut tally = ForecastTally::new(request);
    let mut thresholds: Vec<i64> =
        scan.documents.iter().filter_map(|found| first(&rules, found)?.threshold_ms()).collect();
    thresholds.sort_unstable();
    for threshold_ms in thresholds {
        tally.add(threshold_ms);
    }
    let mut found = tally.finish(scan.documents.len() as u64);
    for count in
        found.counts.iter_mut().chain([&mut found.overdue, &mut found.beyond, &mut found.never])
    {
        *count = scan.scaled(*count);
    }
    found.sample = scan.sample();
    found.exact = found.sample.is_none();
    Ok(done(found.to_document()))
}

/// What the rule says that removes a document first.
fn first(rules: &[TtlIndex], document: &bson::RawDocument) -> Option<Expiry> {
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
    let rule = if let Ok(keys) = index.get_document("keyPattern") {
        new_rule(keys, index.get_document("partialFilterExpression").ok(), secs)
    } else {
        let known = rules::of(asking)?;
        let chosen = rules::chosen(known, Some(index.get("name").unwrap_or(&Bson::Null)))?;
        chosen.into_iter().next().and_then(|rule| {
            let keys = bson::doc! { &rule.field: 1 };
            new_rule(&keys, rule.partial(), secs)
        })
    };
    let Some(rule) = rule else {
        let sentence = "TTL indexes are single-field indexes; name one field with 1 or -1";
        return Err(failed(67, "CannotCreateIndex", sentence));
    };
    let now_ms = asking.now_ms();
    let scan = scan(asking, std::slice::from_ref(&rule))?;
    let mut tally = WhatIfTally::default();
    for document in &scan.documents {
        tally.add(rule.verdict(document), now_ms);
    }
    let mut found = tally.finish();
    found.total = scan.total;
    let counts = [&mut found.overdue_now, &mut found.next_hour, &mut found.next_day];
    for count in counts.into_iter().chain(found.never.values_mut()) {
        *count = scan.scaled(*count);
    }
    found.busiest = found.busiest.map(|busiest| scaled(&busiest, &scan));
    found.sample = scan.sample();
    Ok(done(found.to_document()))
}

fn scaled(busiest: &BusyMinute, scan: &Scan) -> BusyMinute {
    let documents = scan.scaled(busiest.documents);
    BusyMinute { documents, ..busiest.clone() }
}

/// The rule of an index on one field with these seconds.
fn new_rule(keys: &Document, partial: Option<&Document>, secs: i64) -> Option<TtlIndex> {
    let (field, _) = keys.iter().next().filter(|_| keys.len() == 1)?;
    let expire_after_secs = secs.clamp(0, i64::from(i32::MAX));
    let rule = Rule::Date { field: Path::parse(field).ok()?, expire_after_secs };
    Some(TtlIndex::of_rule("", field, rule, partial))
}

/// A reply of success.
pub(super) fn done(mut reply: Document) -> Document {
    reply.insert("ok", 1.0);
    reply
}
