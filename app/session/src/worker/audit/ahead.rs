//! The removals by all rules of a collection, and when.

use bson::Document;
use mayfly_engine::reply::{BusyMinute, DocCount, Forecast};

use super::asker::{Asker, Stop, estimate, unread};
use crate::commands::expiry;
use crate::inspect::audit::facts::{Ahead, CollectionFacts, DAYS, Days, Minute};
use crate::inspect::audit::is_cliff;
use crate::job::Namespace;
use crate::limits::AUDIT_HOURS_MAX;

const MINUTE_MS: i64 = 60_000;

const HOUR_MS: i64 = 60 * MINUTE_MS;

const HOURS_A_DAY: usize = 24;

/// The first instant that every server compares with: the year 1.
const YEAR_1_MS: i64 = -62_135_596_800_000;

fn forecast(
    asker: &Asker<'_>,
    namespace: &Namespace,
    (from_ms, to_ms): (i64, i64),
    buckets: usize,
) -> Result<Forecast, Stop> {
    let buckets = i32::try_from(buckets).unwrap_or(i32::MAX);
    let command = expiry::forecast(&namespace.collection, from_ms, to_ms, buckets, None);
    asked(asker, namespace, &command)
}

fn asked(asker: &Asker<'_>, namespace: &Namespace, command: &Document) -> Result<Forecast, Stop> {
    let reply = asker.ask(&namespace.db, command)?;
    Forecast::from_document(&reply).ok_or_else(|| unread("mayflyForecast"))
}

/// The documents with a threshold from an instant on and before another. A server counts up to a bound.
fn within(asker: &Asker<'_>, of: &CollectionFacts, range: (i64, i64)) -> Result<DocCount, Stop> {
    let found = forecast(asker, &of.namespace, range, 1)?;
    let count = found.counts.first().copied().unwrap_or(0);
    Ok(match found.totals {
        _ if found.exact => DocCount::Exact(count),
        // Scaled from a sample, or a document with several dates that was counted at each of them.
        Some(_) => estimate(count, false, of.documents),
        None if asker.is_server => DocCount::AtLeast(count),
        None => DocCount::About { count, low: 0, high: Some(count) },
    })
}

/// The documents that are overdue at an instant.
pub(super) fn overdue(
    asker: &Asker<'_>,
    namespace: &Namespace,
    at_ms: i64,
) -> Result<DocCount, Stop> {
    let range = (YEAR_1_MS, at_ms.saturating_add(1));
    within(asker, &CollectionFacts::new(namespace.clone()), range)
}

/// The documents whose threshold comes after an instant and up to another.
pub(super) fn between(
    asker: &Asker<'_>,
    namespace: &Namespace,
    (after_ms, to_ms): (i64, i64),
) -> Result<DocCount, Stop> {
    let range = (after_ms.saturating_add(1), to_ms.saturating_add(1));
    within(asker, &CollectionFacts::new(namespace.clone()), range)
}

pub(super) fn read(asker: &Asker<'_>, of: &CollectionFacts) -> Result<Ahead, Stop> {
    // A threshold at just this instant is overdue.
    let from_ms = asker.now_ms().saturating_add(1);
    let hours = DAYS * HOURS_A_DAY;
    let after = |hours: usize| {
        let hours = i64::try_from(hours).unwrap_or(i64::MAX);
        from_ms.saturating_add(hours.saturating_mul(HOUR_MS))
    };
    let mut command = expiry::forecast(
        &of.namespace.collection,
        from_ms,
        after(hours),
        i32::try_from(hours).unwrap_or(i32::MAX),
        None,
    );
    command.insert("steepest", true);
    let found = asked(asker, &of.namespace, &command)?;
    let sums = found.counts.chunks(HOURS_A_DAY).map(|day| day.iter().sum());
    let days = Days { counts: sums.collect(), is_exact: found.exact };
    let mut ahead = Ahead { days, ..Ahead::default() };
    let is_sampled = asker.is_server && !found.exact;
    let until = |hours: usize| {
        if is_sampled {
            return within(asker, of, (from_ms, after(hours)));
        }
        let count = found.counts.iter().take(hours).sum();
        Ok(if found.exact {
            DocCount::Exact(count)
        } else {
            DocCount::About { count, low: 0, high: Some(count) }
        })
    };
    ahead.hour = until(1)?;
    ahead.day = until(HOURS_A_DAY)?;
    ahead.week = until(7 * HOURS_A_DAY)?;
    ahead.month = until(hours)?;
    ahead.overdue = match &found.totals {
        Some(totals) => totals.overdue,
        None if found.exact => DocCount::Exact(found.overdue),
        None => overdue(asker, &of.namespace, from_ms.saturating_sub(1))?,
    };
    ahead.steepest = steepest(asker, of, &found, from_ms)?;
    Ok(ahead)
}

/// Reads the days of each rule. One that is alone has those of its collection.
pub(super) fn read_days(
    asker: &Asker<'_>,
    of: &mut CollectionFacts,
    ahead: &Ahead,
) -> Result<(), Stop> {
    let CollectionFacts { namespace, rules, .. } = of;
    if let [rule] = rules.as_mut_slice() {
        rule.days = Some(ahead.days.clone());
        return Ok(());
    }
    let from_ms = asker.now_ms().saturating_add(1);
    let length_ms = i64::try_from(DAYS * HOURS_A_DAY).unwrap_or(0).saturating_mul(HOUR_MS);
    let to_ms = from_ms.saturating_add(length_ms);
    for rule in rules.iter_mut().filter(|rule| rule.earliest_ms.is_some()) {
        let days = i32::try_from(DAYS).unwrap_or(i32::MAX);
        let index = Some(rule.name.clone().into());
        let command = expiry::forecast(&namespace.collection, from_ms, to_ms, days, index);
        let found = asked(asker, namespace, &command)?;
        rule.days = Some(Days { counts: found.counts, is_exact: found.exact });
    }
    Ok(())
}

/// The rule with most thresholds in the steepest minute. `None` if the collection has only one, or if the minute
/// isn't a cliff.
pub(super) fn steepest_rule(
    asker: &Asker<'_>,
    of: &CollectionFacts,
    ahead: &Ahead,
) -> Result<Option<String>, Stop> {
    let minute = ahead.steepest.filter(|minute| is_cliff(minute.documents, of.documents));
    let Some(minute) = minute.filter(|_| of.rules.len() > 1) else { return Ok(None) };
    let mut most: Option<(u64, &str)> = None;
    for rule in &of.rules {
        let to_ms = minute.from_ms.saturating_add(MINUTE_MS);
        let index = Some(rule.name.clone().into());
        let namespace = &of.namespace;
        let command = expiry::forecast(&namespace.collection, minute.from_ms, to_ms, 1, index);
        let count = asked(asker, namespace, &command)?.counts.first().copied().unwrap_or(0);
        most = most.max(Some((count, rule.name.as_str())));
    }
    Ok(most.map(|(_, name)| name.to_owned()))
}

/// The minute with most documents, as it was found with the hours. Otherwise few hours are looked into, because no
/// minute has more than its hour.
fn steepest(
    asker: &Asker<'_>,
    of: &CollectionFacts,
    found: &Forecast,
    from_ms: i64,
) -> Result<Option<Minute>, Stop> {
    if let Some(BusyMinute { from_ms, documents }) = found.steepest.clone().filter(|_| found.exact)
    {
        return Ok(Some(Minute { from_ms, documents: DocCount::Exact(documents) }));
    }
    let mut hours: Vec<(u64, i64)> = (0..)
        .map(|at: i64| from_ms.saturating_add(at.saturating_mul(HOUR_MS)))
        .zip(&found.counts)
        .map(|(from_ms, count)| (*count, from_ms))
        .filter(|(count, _)| *count > 0)
        .collect();
    hours.sort_unstable_by(|one, other| other.cmp(one));
    let mut best: Option<(u64, i64)> = None;
    let looks = AUDIT_HOURS_MAX[usize::from(asker.is_server)];
    for (count, hour_ms) in hours.iter().take(looks) {
        if best.is_some_and(|(most, _)| most >= *count) {
            break;
        }
        // In the minutes of a clock, as a program that writes one date for many documents has it.
        let first_ms = hour_ms.saturating_sub(hour_ms.rem_euclid(MINUTE_MS));
        let range = (first_ms, first_ms.saturating_add(HOUR_MS + MINUTE_MS));
        let minutes = forecast(asker, &of.namespace, range, 61)?;
        let starts = (0..).map(|at: i64| first_ms.saturating_add(at.saturating_mul(MINUTE_MS)));
        let most = minutes.counts.iter().copied().zip(starts).max_by_key(|(count, _)| *count);
        best = best.max(most);
    }
    let Some((count, from_ms)) = best.filter(|(count, _)| *count > 0) else { return Ok(None) };
    let is_whole = hours.get(looks).is_none_or(|(next, _)| *next <= count);
    let documents = within(asker, of, (from_ms, from_ms.saturating_add(MINUTE_MS)))?;
    let documents = match documents {
        DocCount::Exact(count) if !is_whole => DocCount::AtLeast(count),
        documents => documents,
    };
    Ok(Some(Minute { from_ms, documents }))
}
