//! The documents of a server that expire first.
//!
//! Each rule is one query along its index, in the order of its field; the thresholds are computed here.
//! A document that another rule removes first belongs to the query of that rule.

use std::collections::BTreeMap;

use bson::raw::RawBsonRef;
use bson::{Bson, DateTime, Document, RawDocumentBuf, doc};
use mayfly_engine::reply::{ExpiringPage, ExpiringRow};
use mayfly_engine::ttl::{self, Deadline, Expiry, Rule};
use mayfly_engine::value::whole;

use super::asking::Asking;
use super::dates::with_dates;
use super::failure::failed;
use super::forecast::done;
use super::known::Dates;
use super::read::{self, OWN_TIME_MS};
use super::rules;
use crate::job::due::TtlIndex;
use crate::source::Source as _;

/// Documents of a page when the command names no number.
const LIMIT_DEFAULT: i64 = 100;

/// Documents of a page at most.
const LIMIT_MAX: i64 = 1_000;

/// Dates of one field that a row shows.
const DATES_MAX: usize = 100;

/// Queries of one rule until a page is given as it is.
const ROUNDS_MAX: usize = 5;

const MS_PER_SEC: i64 = 1_000;

/// The beginning of a page: at this threshold, after this number of documents of each rule at
/// exactly that.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Token {
    threshold_ms: i64,
    seen: BTreeMap<String, i64>,
}

impl Token {
    fn read(document: &Document) -> Option<Self> {
        let threshold_ms = document.get_datetime("t").ok()?.timestamp_millis();
        let seen = document.get_document("seen").ok()?.iter();
        let seen = seen.map(|(name, count)| Some((name.clone(), whole(count)?)));
        Some(Self { threshold_ms, seen: seen.collect::<Option<_>>()? })
    }

    fn to_document(&self) -> Document {
        let seen: Document =
            self.seen.iter().map(|(name, count)| (name.clone(), Bson::Int64(*count))).collect();
        doc! { "t": DateTime::from_millis(self.threshold_ms), "seen": seen }
    }
}

/// A document that a rule's query gave, with the threshold by that rule.
struct Found {
    row: Option<ExpiringRow>,
    threshold_ms: i64,
}

/// The result of one rule's query.
struct Stream {
    found: Vec<Found>,
    /// Whether there may be more after the last of them.
    has_more: bool,
}

/// Thresholds from the first on and before the second, in milliseconds since 1970.
#[derive(Clone, Copy)]
struct Span {
    from_ms: i64,
    to_ms: i64,
}

/// The reply to `mayflyExpiring`.
pub(super) fn expiring(asking: &Asking<'_>, command: &Document) -> Result<Document, Document> {
    let rules = rules::of(asking)?;
    let rules = rules::chosen(rules, command.get("index"))?;
    let limit = command.get("limit").and_then(whole).unwrap_or(LIMIT_DEFAULT);
    let limit = limit.clamp(1, LIMIT_MAX);
    let date = |name| command.get_datetime(name).ok().map(|date| date.timestamp_millis());
    let span =
        Span { from_ms: date("from").unwrap_or(i64::MIN), to_ms: date("to").unwrap_or(i64::MAX) };
    if span.from_ms > span.to_ms {
        return Err(failed(2, "BadValue", "from must not be after to"));
    }
    let token = command.get_document("after").ok();
    let token = match token.map(Token::read) {
        Some(None) => return Err(failed(2, "BadValue", "after is not a token of this server")),
        Some(Some(token)) => Some(token),
        None => None,
    };
    let page = page(asking, &rules, span, token, limit)?;
    Ok(done(page.to_document()))
}

fn page(
    asking: &Asking<'_>,
    rules: &[TtlIndex],
    span: Span,
    token: Option<Token>,
    limit: i64,
) -> Result<ExpiringPage, Document> {
    let mut token = token.unwrap_or(Token { threshold_ms: span.from_ms, ..Token::default() });
    let first = token.clone();
    let now_ms = asking.now_ms();
    let mut batch: Vec<ExpiringRow> = Vec::new();
    let max = usize::try_from(limit).unwrap_or(usize::MAX);
    for _ in 0..ROUNDS_MAX {
        let mut streams = Vec::new();
        for rule in rules {
            let found = with_dates(asking, |dates| {
                let find = query(asking.collection, rule, rules, &token, span, limit, dates);
                in_order(asking, rule, find)
            })?;
            streams.push(stream(&found, rule, rules, span, limit, now_ms));
        }
        let (rows, next) = merge(rules, streams, &token, max - batch.len());
        batch.extend(rows);
        match next {
            Some(next) if batch.len() < max => token = next,
            next => {
                return Ok(ExpiringPage {
                    batch,
                    next: next.map(|next| next.to_document()),
                    rules: Some(rules.len() as u64),
                    ruled_by: Some(rules_in_words(rules)),
                });
            }
        }
    }
    if batch.is_empty() && token == first {
        let sentence =
            "the server gives other values for dates, so what expires first is not known";
        return Err(failed(2, "BadValue", sentence));
    }
    let next = Some(token.to_document());
    let ruled_by = Some(rules_in_words(rules));
    Ok(ExpiringPage { batch, next, rules: Some(rules.len() as u64), ruled_by })
}

/// Rules in words that differ when a rule does.
fn rules_in_words(rules: &[TtlIndex]) -> String {
    let words = rules.iter().map(|rule| {
        let partial = rule.partial().map(Document::to_string).unwrap_or_default();
        format!("{} {} {} {partial}", rule.name, rule.field, rule.expire_after_secs())
    });
    words.collect::<Vec<_>>().join("; ")
}

/// The dates whose thresholds are in a span, as a filter, and-ed with what the index holds.
fn filter(rule: &TtlIndex, from_ms: i64, to_ms: i64, dates: Dates) -> Document {
    let secs_ms = rule.expire_after_secs().saturating_mul(MS_PER_SEC);
    let date = |ms: i64| dates.within(ms.saturating_sub(secs_ms));
    let low = if from_ms == i64::MIN { dates.within(i64::MIN) } else { date(from_ms) };
    let low = rule.first_base_ms().map_or(low, |first_ms| low.max(dates.within(first_ms)));
    let mut range = doc! { "$gte": low };
    if to_ms == i64::MAX {
        range.insert("$lte", dates.within(i64::MAX));
    } else {
        range.insert("$lt", date(to_ms));
    }
    let mut all = vec![doc! { &rule.field: range }];
    if from_ms != i64::MIN {
        // Of several dates the earliest counts, and it must not be before them.
        all.push(doc! { &rule.field: { "$not": { "$lt": low } } });
    }
    all.extend(rule.partial().cloned());
    if all.len() == 1 {
        all.remove(0)
    } else {
        doc! { "$and": all }
    }
}

fn query(
    collection: &str,
    rule: &TtlIndex,
    rules: &[TtlIndex],
    token: &Token,
    span: Span,
    limit: i64,
    dates: Dates,
) -> Document {
    let mut find = doc! {
        "find": collection, "filter": filter(rule, token.threshold_ms, span.to_ms, dates),
        "sort": { &rule.field: 1 }, "limit": limit, "batchSize": limit, "maxTimeMS": OWN_TIME_MS,
    };
    if let Some(skip) = token.seen.get(&rule.name).filter(|skip| **skip > 0) {
        find.insert("skip", *skip);
    }
    if !rule.is_hidden {
        // Else the planner may sort the whole collection.
        find.insert("hint", rule.name.as_str());
    }
    find.extend(read::projection(rules).map(|fields| ("projection".to_owned(), fields.into())));
    find
}

/// The documents of a query in the order of their earliest dates.
///
/// A server sorts an array by its smallest element of any type, and numbers, text and null come before dates. So such
/// arrays come first, and where there is one, the server finds the earliest date of each document before it sorts.
fn in_order(
    asking: &Asking<'_>,
    rule: &TtlIndex,
    find: Document,
) -> Result<Vec<Document>, Document> {
    let limit = find.get("limit").and_then(whole).unwrap_or_default().unsigned_abs();
    let found = read::all(asking, find.clone(), limit)?;
    let mut is_mixed = found.iter().any(|document| has_other_values(rule, document));
    if !is_mixed && find.contains_key("skip") {
        let mut first = find.clone();
        first.remove("skip");
        first.extend(doc! { "limit": 1_i64, "batchSize": 1_i64 });
        is_mixed =
            read::all(asking, first, 1)?.iter().any(|document| has_other_values(rule, document));
    }
    // A pipeline doesn't know positions in arrays.
    let has_position = rule.field.split('.').any(|part| part.parse::<u32>().is_ok());
    if !is_mixed || has_position {
        return Ok(found);
    }
    read::all(asking, by_earliest_date(&rule.field, find), limit)
}

/// Whether the field of a rule is an array with dates and other values.
fn has_other_values(rule: &TtlIndex, document: &Document) -> bool {
    let (Rule::Date { field, .. }, Ok(raw)) = (rule.rule(), RawDocumentBuf::try_from(document))
    else {
        return false;
    };
    let (mut has_dates, mut has_others) = (false, false);
    field.index_values(&raw, &mut |value| match value {
        Some(RawBsonRef::DateTime(_)) => has_dates = true,
        _ => has_others = true,
    });
    has_dates && has_others
}

/// The same query, with the sort by the earliest date of a field.
fn by_earliest_date(field: &str, mut find: Document) -> Document {
    let mut stage = |name: &str, option: &str| {
        find.remove(option).map(|value| doc! { name: value }).into_iter()
    };
    let mut pipeline: Vec<Document> =
        stage("$match", "filter").chain(stage("$project", "projection")).collect();
    let page = stage("$skip", "skip").chain(stage("$limit", "limit")).collect::<Vec<_>>();
    let mut parts = field.split('.');
    let top = parts.next().unwrap_or_default();
    let unwound = |path: String| {
        [doc! { "$project": { "document": 1, "at": path } }, doc! { "$unwind": "$at" }]
    };
    pipeline.push(doc! { "$project": { "document": "$$ROOT" } });
    pipeline.extend(unwound(format!("$document.{top}")));
    for part in parts {
        // An array in an array is a value.
        pipeline.push(doc! { "$match": { "at": { "$not": { "$type": "array" } } } });
        pipeline.extend(unwound(format!("$at.{part}")));
    }
    let first = doc! {
        "_id": "$_id", "at": { "$min": "$at" }, "document": { "$first": "$document" },
    };
    pipeline.extend([
        doc! { "$match": { "at": { "$type": "date", "$not": { "$type": "array" } } } },
        doc! { "$group": first },
        doc! { "$sort": { "at": 1, "_id": 1 } },
    ]);
    pipeline.extend(page);
    pipeline.push(doc! { "$replaceRoot": { "newRoot": "$document" } });
    let mut command = doc! {
        "aggregate": find.remove("find"), "pipeline": pipeline,
        "cursor": { "batchSize": find.remove("batchSize") },
    };
    find.remove("sort");
    command.extend(find);
    command
}

fn stream(
    found: &[Document],
    rule: &TtlIndex,
    rules: &[TtlIndex],
    span: Span,
    limit: i64,
    now_ms: i64,
) -> Stream {
    let has_more = i64::try_from(found.len()).is_ok_and(|count| count >= limit);
    let found = found.iter().filter_map(|document| {
        let raw = RawDocumentBuf::try_from(document).ok()?;
        let verdicts: Vec<Expiry> = rules.iter().map(|rule| rule.verdict(&raw)).collect();
        let own = rules.iter().position(|other| other.name == rule.name)?;
        let threshold_ms = verdicts.get(own)?.threshold_ms()?;
        let is_first = ttl::winner(&verdicts) == Some(own);
        // The earliest of several dates may be before the span.
        let is_in =
            threshold_ms >= span.from_ms && (threshold_ms < span.to_ms || span.to_ms == i64::MAX);
        let deadline = verdicts.get(own)?.deadline().filter(|_| is_first && is_in);
        let row = deadline.map(|deadline| row(rule, document, &raw, deadline, now_ms));
        Some(Found { row, threshold_ms })
    });
    Stream { found: found.collect(), has_more }
}

/// The row of a document by the rule that removes it first, as it was at an instant.
pub(super) fn first_row(
    rules: &[TtlIndex],
    document: &Document,
    raw: &RawDocumentBuf,
    at_ms: i64,
) -> Option<ExpiringRow> {
    let verdicts: Vec<Expiry> = rules.iter().map(|rule| rule.verdict(raw)).collect();
    let first = ttl::winner(&verdicts)?;
    Some(row(rules.get(first)?, document, raw, verdicts.get(first)?.deadline()?, at_ms))
}

fn row(
    rule: &TtlIndex,
    document: &Document,
    raw: &RawDocumentBuf,
    deadline: &Deadline,
    now_ms: i64,
) -> ExpiringRow {
    let dates_ms =
        if deadline.dates > 1 { Some(ttl::dates_ms(rule.rule(), raw, DATES_MAX)) } else { None };
    let state = if deadline.threshold_ms <= now_ms { "overdue" } else { "waiting" };
    ExpiringRow {
        id: document.get("_id").cloned().unwrap_or(Bson::Null),
        index: rule.name.clone(),
        field: rule.field.clone(),
        base_ms: deadline.base_ms,
        threshold_ms: deadline.threshold_ms,
        source: deadline.source.as_str().to_owned(),
        dates_ms,
        removable_ms: rule.since_ms.filter(|since_ms| *since_ms > deadline.threshold_ms),
        state: state.to_owned(),
    }
}

/// The first rows of all streams in the order of their thresholds, and where the next page begins.
/// Nothing after the end of a stream that may have more is taken: a document of it may come first.
fn merge(
    rules: &[TtlIndex],
    streams: Vec<Stream>,
    token: &Token,
    max: usize,
) -> (Vec<ExpiringRow>, Option<Token>) {
    let end_ms = streams
        .iter()
        .filter(|stream| stream.has_more)
        .map(|stream| stream.found.last().map_or(token.threshold_ms, |last| last.threshold_ms))
        .min();
    let is_open = end_ms.is_some();
    let end_ms = end_ms.unwrap_or(i64::MAX);
    let mut all: Vec<(usize, Found)> = Vec::new();
    for (at, stream) in streams.into_iter().enumerate() {
        all.extend(stream.found.into_iter().map(|found| (at, found)));
    }
    all.sort_by_key(|(_, found)| found.threshold_ms);
    let (mut rows, mut next) = (Vec::new(), token.clone());
    let mut is_cut = false;
    for (at, found) in all {
        if rows.len() >= max || found.threshold_ms > end_ms {
            is_cut = true;
            break;
        }
        if found.threshold_ms != next.threshold_ms {
            next = Token { threshold_ms: found.threshold_ms, ..Token::default() };
        }
        if let Some(rule) = rules.get(at) {
            *next.seen.entry(rule.name.clone()).or_default() += 1;
        }
        rows.extend(found.row);
    }
    (rows, (is_cut || is_open).then_some(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(name: &str, secs: i64) -> TtlIndex {
        let index = doc! { "name": name, "key": { name: 1 }, "expireAfterSeconds": secs };
        TtlIndex::read(&index).expect("a rule")
    }

    #[test]
    fn a_rule_is_one_query_along_its_index() {
        let rules = [rule("at", 60)];
        let span = Span { from_ms: i64::MIN, to_ms: 100_000 };
        let token = Token { threshold_ms: 70_000, seen: BTreeMap::from([("at".to_owned(), 2)]) };
        let expected = doc! {
            "find": "c",
            "filter": { "$and": [
                { "at": { "$gte": DateTime::from_millis(10_000), "$lt": DateTime::from_millis(40_000) } },
                { "at": { "$not": { "$lt": DateTime::from_millis(10_000) } } },
            ] },
            "sort": { "at": 1 }, "limit": 5_i64, "batchSize": 5_i64, "maxTimeMS": OWN_TIME_MS,
            "skip": 2_i64, "hint": "at", "projection": { "_id": 1, "at": 1 },
        };
        assert_eq!(query("c", &rules[0], &rules, &token, span, 5, Dates::All), expected);
        assert_eq!(Token::read(&token.to_document()), Some(token));
    }

    #[test]
    fn nothing_is_taken_past_the_end_of_a_rule_with_more() {
        let rules = [rule("a", 0), rule("b", 0)];
        let found = |at: &[i64]| {
            let each = at.iter().map(|at| Found { row: None, threshold_ms: *at });
            each.collect::<Vec<_>>()
        };
        let streams = vec![
            Stream { found: found(&[1, 2, 2]), has_more: true },
            Stream { found: found(&[2, 9]), has_more: false },
        ];
        let (_, next) = merge(&rules, streams, &Token::default(), 10);
        let next = next.expect("there is more");
        assert_eq!(next.threshold_ms, 2);
        assert_eq!(next.seen, BTreeMap::from([("a".to_owned(), 2), ("b".to_owned(), 1)]));
    }
}
