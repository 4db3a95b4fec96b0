//! A time series, whose measurements expire by the bucket.
//!
//! A bucket goes as a whole: at its beginning, plus the seconds of the rule, plus its length. A server doesn't
//! show buckets, so the bucket of a measurement isn't known. It begins at most its length before the measurement,
//! though, so each threshold is known to within that length. Counts have these bounds, and the likely number is
//! that of the latest threshold: what it calls overdue is overdue for certain.

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::reply::DocCount;
use mayfly_engine::value::bucket::TimeSeries;
use mayfly_engine::value::whole;

use super::asker::{Asker, Stop, counted, of, unread};
use super::listed::{Listed, ListedRule};
use crate::inspect::audit::facts::{
    Ahead, CollectionFacts, DAYS, Days, FieldFacts, NeverFacts, RuleFacts, SampleFacts,
};
use crate::job::Namespace;
use crate::job::reply::{batch, number};

const MS_PER_SEC: i64 = 1_000;

const HOUR_MS: i64 = 3_600_000;

const HOURS_A_DAY: i64 = 24;

/// Hours of the next 30 days.
const HOURS: i64 = 30 * HOURS_A_DAY;

/// Hours with measurements that are read at most. More than 30 days and the longest bucket have, a year.
const HOURS_MAX: usize = 20_000;

const DAY_SECS: i64 = 86_400;

/// A time series of a store.
#[derive(Clone, Copy)]
struct Place<'s> {
    namespace: &'s Namespace,
    series: &'s TimeSeries,
}

/// Reads the rules of a time series, or what a TTL would remove if there is none.
pub(super) fn read(
    asker: &Asker<'_>,
    listed: &Listed,
    (series, size_bytes): (&TimeSeries, Option<u64>),
    facts: &mut CollectionFacts,
) -> Result<(), Stop> {
    let place = Place { namespace: &listed.namespace, series };
    facts.is_time_series = true;
    // Servers have the number of buckets in their statistics.
    facts.documents = counted(asker, place.namespace, doc! {})?;
    facts.bytes_each = size_bytes.and_then(|size| size.checked_div(facts.documents.likely()));
    for rule in &listed.rules {
        let hours = Hours::read(asker, place, rule.secs, rule.partial.as_ref())?;
        facts.rules.push(rule_facts(asker, place, rule, (facts.documents, &hours))?);
        facts.ahead = Some(hours.ahead());
    }
    if listed.rules.len() > 1 {
        let why = "it has several rules, and what they remove together is not counted";
        asker.note_unreadable(place.namespace.to_string(), why);
        facts.ahead = None;
    }
    if listed.rules.is_empty() {
        facts.sample = without_a_rule(asker, place, facts.documents)?;
    }
    Ok(())
}

fn rule_facts(
    asker: &Asker<'_>,
    place: Place<'_>,
    rule: &ListedRule,
    (total, hours): (DocCount, &Hours),
) -> Result<RuleFacts, Stop> {
    let never = match &rule.partial {
        Some(partial) => {
            let outside = doc! { "$nor": [partial.clone()] };
            let documents = counted(asker, place.namespace, outside)?;
            let code = "outsidePartialFilter".to_owned();
            vec![NeverFacts { code, documents, example: None }]
        }
        None => Vec::new(),
    };
    Ok(RuleFacts {
        kind: rule.kind,
        name: rule.name.clone(),
        field: place.series.time_field.clone(),
        key: rule.key.clone(),
        secs: rule.secs,
        is_hidden: rule.is_hidden,
        partial: rule.partial.clone(),
        total,
        overdue: hours.overdue(),
        earliest_ms: hours.first_ms.map(|ms| ms.saturating_add(hours.added_ms)),
        removable_ms: None,
        days: Some(hours.days()),
        never,
        never_in_all: None,
        seconds_as_millis: DocCount::Exact(0),
        millis_as_seconds: DocCount::Exact(0),
    })
}

/// The time field as one that could carry a rule, with what 30 and 365 days would remove.
fn without_a_rule(
    asker: &Asker<'_>,
    place: Place<'_>,
    documents: DocCount,
) -> Result<Option<SampleFacts>, Stop> {
    let field = &place.series.time_field;
    let edge = |order: i32| {
        let more = doc! {
            "sort": { field: order }, "limit": 1, "singleBatch": true, "projection": { field: 1 },
        };
        let reply = asker.ask(&place.namespace.db, &of("find", place.namespace, more))?;
        let time = batch(&reply).next().and_then(|found| found.get_datetime(field).ok());
        Ok::<_, Stop>(time.map(|time| time.timestamp_millis()))
    };
    let Some(range_ms) = edge(1)?.zip(edge(-1)?) else { return Ok(None) };
    let removed =
        |days: i64| Ok::<_, Stop>(Hours::read(asker, place, days * DAY_SECS, None)?.overdue());
    let field = FieldFacts {
        path: field.clone(),
        dates: documents.likely(),
        range_ms: Some(range_ms),
        would_remove: Some([removed(30)?, removed(365)?]),
        ..FieldFacts::default()
    };
    let (documents, fields) = (documents.likely(), vec![field]);
    Ok(Some(SampleFacts { documents, fields, ..SampleFacts::default() }))
}

/// Measurements by the hour in which their latest threshold is, from now on.
struct Hours {
    /// From the time of a measurement to its latest threshold.
    added_ms: i64,
    /// Hours by which a threshold may be earlier.
    span: i64,
    /// Those of the hour before the first one are overdue.
    counts: BTreeMap<i64, u64>,
    /// The earliest time of all.
    first_ms: Option<i64>,
}

impl Hours {
    fn read(
        asker: &Asker<'_>,
        Place { namespace, series }: Place<'_>,
        secs: i64,
        partial: Option<&Document>,
    ) -> Result<Self, Stop> {
        let now_ms = asker.now_ms();
        let span_ms = series.span.secs().saturating_mul(MS_PER_SEC);
        let added_ms = secs.saturating_mul(MS_PER_SEC).saturating_add(span_ms);
        let span = span_ms.div_euclid(HOUR_MS) + i64::from(span_ms.rem_euclid(HOUR_MS) > 0);
        // A threshold at just this instant is overdue.
        let from_ms = now_ms.saturating_sub(added_ms).saturating_add(1);
        let end_ms = from_ms.saturating_add((HOURS + span).saturating_mul(HOUR_MS));
        let (field, time) = (&series.time_field, format!("${}", series.time_field));
        let date = |ms: i64| Bson::DateTime(DateTime::from_millis(ms));
        let mut wanted = vec![doc! { field: { "$lt": date(end_ms) } }];
        wanted.extend(partial.cloned());
        let after = doc! { "$divide": [{ "$subtract": [&time, date(from_ms)] }, HOUR_MS] };
        let hour = doc! { "$cond": [{ "$lt": [&time, date(from_ms)] }, -1, { "$floor": after }] };
        let group = doc! { "_id": hour, "n": { "$sum": 1 }, "first": { "$min": &time } };
        let pipeline = vec![doc! { "$match": { "$and": wanted } }, doc! { "$group": group }];
        let cursor = doc! { "batchSize": i64::try_from(HOURS_MAX).unwrap_or_default() };
        let command = of("aggregate", namespace, doc! { "pipeline": pipeline, "cursor": cursor });
        let mut hours = Self { added_ms, span, counts: BTreeMap::new(), first_ms: None };
        for row in asker.all(&namespace.db, &command, HOURS_MAX)? {
            let (hour, count) = (row.get("_id").and_then(whole), number(&row, "n"));
            let first = row.get_datetime("first").ok().map(|first| first.timestamp_millis());
            let (Some(hour), Some(count)) = (hour, count) else { return Err(unread("aggregate")) };
            hours.counts.insert(hour, count);
            hours.first_ms = hours.first_ms.into_iter().chain(first).min();
        }
        Ok(hours)
    }

    /// Measurements that certainly expire within these hours, with the overdue ones, and those that may.
    fn until(&self, hours: i64) -> (u64, u64) {
        let sum = |end: i64| self.counts.range(..end).map(|(_, count)| count).sum();
        (sum(hours), sum(hours.saturating_add(self.span)))
    }

    fn overdue(&self) -> DocCount {
        let (least, most) = self.until(0);
        between(least, least, most)
    }

    fn within(&self, hours: i64) -> DocCount {
        let ((overdue, may_be_overdue), (least, most)) = (self.until(0), self.until(hours));
        between(least - overdue, least.saturating_sub(may_be_overdue), most - overdue)
    }

    fn days(&self) -> Days {
        let days = 0..i64::try_from(DAYS).unwrap_or_default();
        let day =
            |day: i64| self.until((day + 1) * HOURS_A_DAY).0 - self.until(day * HOURS_A_DAY).0;
        Days { counts: days.map(day).collect(), is_exact: false }
    }

    fn ahead(&self) -> Ahead {
        Ahead {
            overdue: self.overdue(),
            hour: self.within(1),
            day: self.within(HOURS_A_DAY),
            week: self.within(7 * HOURS_A_DAY),
            month: self.within(HOURS),
            days: self.days(),
            // The minute of a threshold isn't known.
            steepest: None,
            steepest_rule: None,
        }
    }
}

fn between(count: u64, low: u64, high: u64) -> DocCount {
    if low == high {
        return DocCount::Exact(low);
    }
    DocCount::About { count, low, high: Some(high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_is_known_to_within_the_length_of_a_bucket() {
        let counts = BTreeMap::from([(-1, 10), (0, 5), (1, 4), (2, 3), (30, 2)]);
        let hours = Hours { added_ms: 0, span: 1, counts, first_ms: None };
        let about = |count, low, high| DocCount::About { count, low, high: Some(high) };
        // The five may be in a bucket that is overdue.
        assert_eq!(hours.overdue(), about(10, 10, 15));
        assert_eq!(hours.within(1), about(5, 0, 9));
        assert_eq!(hours.within(24), about(12, 7, 12));
        assert_eq!(hours.within(HOURS), about(14, 9, 14));
        assert_eq!(hours.days().counts[..3], [12, 2, 0]);
        let none = Hours { counts: BTreeMap::from([(5, 3)]), ..hours };
        assert_eq!(none.overdue(), DocCount::Exact(0));
        assert_eq!(none.within(1), DocCount::Exact(0));
        assert_eq!(none.within(24), DocCount::Exact(3));
    }
}
