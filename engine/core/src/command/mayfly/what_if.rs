//! `mayflyWhatIf`: the effect of a TTL rule before it exists. Writes nothing.

use std::sync::Arc;

use bson::{Document, raw::RawBsonRef};

use super::ttl_targets::collection_of;
use crate::{
    catalog::{CollectionMeta, Dialect, IndexKey, IndexMeta, rules::partial_filter},
    command::core::{
        Answer, Code, Command, CommandError, Context, Request, missing_field, optional, raw,
        required,
    },
    limits::FORECAST_BUCKETS_MAX,
    reaper::{WhatIfRule, what_if},
    ttl::Rule,
};

/// `{mayflyWhatIf: coll, index: {keyPattern | name, expireAfterSeconds, partialFilterExpression?},
/// edges?: [Date]}`
///
/// A name is of an index that there is, whose seconds `collMod` would change. A key is of one, or
/// of a new one; with a filter it is of a new one.
///
/// `busiest` is the minute after now in which most documents would expire.
///
/// With `edges`, which rise, `counts` has the documents with a threshold between them.
///
/// `damaged` of the `total` are in none of the other counts.
pub static COMMAND: Command =
    Command::any("mayflyWhatIf", &[required("index"), optional("edges")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    let collection = collection_of(context, request)?;
    let Some(index) = request.document("index")? else {
        return Err(missing_field(request.name, "index"));
    };
    let index = request.within(index);
    let Some(secs) = index.integer("expireAfterSeconds")? else {
        return Err(missing_field("mayflyWhatIf.index", "expireAfterSeconds"));
    };
    let dialect = context.collections.catalog().dialect(request.db);
    let rule = rule(&collection, dialect, &index, secs)?;
    let edges_ms = edges_ms(request)?;
    let (store, now_ms) = (context.collections.store(), context.now_ms());
    let found = what_if(store, &collection, &rule, now_ms, &edges_ms)?;
    raw(&found.to_document())
}

/// The `edges`, in milliseconds since 1970. Empty without any.
fn edges_ms(request: &Request<'_>) -> Result<Vec<i64>, CommandError> {
    let wrong = || {
        CommandError::bad_value(format!(
            "edges must be an array of at most {FORECAST_BUCKETS_MAX} dates, each later than the \
             one before"
        ))
    };
    let mut edges_ms = Vec::new();
    let given = match request.get("edges")? {
        None => return Ok(edges_ms),
        Some(RawBsonRef::Array(given)) => given,
        Some(_) => return Err(wrong()),
    };
    for edge in given {
        let RawBsonRef::DateTime(edge) = edge? else { return Err(wrong()) };
        let edge_ms = edge.timestamp_millis();
        let rises = edges_ms.last().is_none_or(|last| *last < edge_ms);
        if !rises || edges_ms.len() >= FORECAST_BUCKETS_MAX {
            return Err(wrong());
        }
        edges_ms.push(edge_ms);
    }
    Ok(edges_ms)
}

/// The rule of the named index with these seconds, or of an index that does not exist yet.
fn rule(
    collection: &CollectionMeta,
    dialect: Dialect,
    index: &Request<'_>,
    secs: i64,
) -> Result<WhatIfRule, CommandError> {
    let (found, pattern) = match (index.text("name")?, index.document("keyPattern")?) {
        (Some(name), None) => (collection.index(name), None),
        (None, Some(pattern)) => {
            let pattern = Document::try_from(pattern)?;
            (by_pattern(collection, &pattern), Some(pattern))
        }
        _ => {
            return Err(CommandError::invalid_options("index must have either name or keyPattern"));
        }
    };
    let partial = partial_filter(
        &Document::try_from(index.document)?,
        collection.options.collation.as_ref(),
    )?;
    match (found.filter(|_| partial.is_none()), pattern) {
        // As collMod has it.
        (Some(index), _) => Ok(WhatIfRule::of_index(index, secs.min(i64::from(i32::MAX)))),
        (None, Some(_)) if index.get("expireAfterSeconds")?.is_some_and(is_nan) => {
            Err(CommandError::new(
                Code::CANNOT_CREATE_INDEX,
                "TTL index 'expireAfterSeconds' option must not be NaN",
            ))
        }
        (None, Some(pattern)) => {
            Ok(WhatIfRule { rule: new_rule(&pattern, dialect, secs)?, partial })
        }
        (None, None) if partial.is_some() => Err(CommandError::invalid_options(
            "a partialFilterExpression is of a new index; give its keyPattern and not a name",
        )),
        (None, None) => Err(CommandError::new(
            Code::INDEX_NOT_FOUND,
            format!("{} has no such index", collection.namespace),
        )),
    }
}

fn is_nan(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Double(number) => number.is_nan(),
        RawBsonRef::Decimal128(number) => number.to_string().contains("NaN"),
        _ => false,
    }
}

/// The index with this key that has every document.
fn by_pattern<'c>(
    collection: &'c CollectionMeta,
    pattern: &Document,
) -> Option<&'c Arc<IndexMeta>> {
    let is_it =
        |index: &&Arc<IndexMeta>| index.partial.is_none() && index.key.same_pattern(pattern);
    collection.indexes.iter().find(is_it)
}

/// The rule of a new index on one field.
fn new_rule(pattern: &Document, dialect: Dialect, secs: i64) -> Result<Rule, CommandError> {
    let key = IndexKey::read(pattern);
    let part =
        key.as_ref().and_then(|key| key.single()).filter(|part| part.kind.direction().is_some());
    let Some(part) = part else {
        return Err(CommandError::new(
            Code::CANNOT_CREATE_INDEX,
            "TTL indexes are single-field indexes; name one field with 1 or -1",
        ));
    };
    let is_last_modified = part.path.as_str() == "_ts" && dialect.has_last_modified_index();
    if dialect == Dialect::Cosmos && (!is_last_modified || secs == 0) {
        return Err(CommandError::bad_value(
            "The 'expireAfterSeconds' option is supported on '_ts' field only, as -1 or from 1 to \
             2147483647",
        ));
    }
    let lowest = if is_last_modified { -1 } else { 0 };
    if !(lowest..=i64::from(i32::MAX)).contains(&secs) {
        return Err(CommandError::new(
            Code::CANNOT_CREATE_INDEX,
            format!("expireAfterSeconds must be from {lowest} to {}", i32::MAX),
        ));
    }
    if is_last_modified {
        return Ok(Rule::LastModified { default_secs: (secs >= 0).then_some(secs) });
    }
    Ok(Rule::Date { field: part.path.clone(), expire_after_secs: secs })
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;

    #[test]
    fn what_a_partial_index_leaves_out_does_not_count() {
        let lab = Lab::new();
        let documents =
            "{_id: 1, f: ISODate('2020-01-01'), p: 1}, {_id: 2, f: ISODate('2020-01-01')}";
        lab.ok(&format!("{{insert: 'c', documents: [{documents}]}}"));
        let ask = "{mayflyWhatIf: 'c', index: {keyPattern: {f: 1}, expireAfterSeconds: 0, \
                   partialFilterExpression: {p: 1}}}";
        let answer = "{total: 2, overdueNow: 1, never: {outsidePartialFilter: 1}}";
        lab.check(ask, answer);
        // The same with another index on this key that has every document.
        lab.ok("{createIndexes: 'c', indexes: [{key: {f: 1}, name: 'f'}]}");
        lab.check(ask, answer);
        lab.check(&ask.replace("keyPattern: {f: 1}", "name: 'f'"), "{ok: 0, code: 72}");
        let wrong = "{mayflyWhatIf: 'c', index: {keyPattern: {f: 1}, expireAfterSeconds: 0, \
                     partialFilterExpression: {p: {$mod: [2, 0]}}}}";
        lab.check(wrong, "{ok: 0, code: 67}");
    }

    #[test]
    fn the_busiest_minute_is_after_now_with_an_index_and_without() {
        let lab = Lab::new();
        let date = |ms: i64| bson::DateTime::from_millis(1_704_067_200_000 + ms);
        let waits = [-5, -4, -3, -2, 90_000, 119_999, 61_000, 120_000, 7_200_000];
        let documents: Vec<_> = waits.map(|ms| bson::doc! { "f": date(ms) }).into();
        lab.run_document(&bson::doc! { "insert": "c", "documents": documents });
        let ask = |secs: i64| {
            let index = bson::doc! { "keyPattern": { "f": 1 }, "expireAfterSeconds": secs };
            lab.run_document(&bson::doc! { "mayflyWhatIf": "c", "index": index })
        };
        let busiest = |secs| ask(secs).get_document("busiest").ok().cloned();
        let check = || {
            let three = |ms| Some(bson::doc! { "from": date(ms), "documents": 3_i64 });
            assert_eq!(busiest(0), three(60_000));
            let four = bson::doc! { "from": date(3_540_000), "documents": 4_i64 };
            assert_eq!(busiest(3_600), Some(four), "the overdue ones wait by then");
        };
        check();
        lab.ok("{createIndexes: 'c', indexes: [{key: {f: -1}, name: 'f'}]}");
        check();
        lab.ok("{delete: 'c', deletes: [{q: {f: {$gt: ISODate('2024-01-01')}}, limit: 0}]}");
        assert_eq!(busiest(0), None);
    }

    #[test]
    fn an_hour_and_a_day_have_their_last_millisecond() {
        let lab = Lab::new();
        let (hour, day) = (3_600_000_i64, 86_400_000_i64);
        let waits = [-1, 0, 1, hour, hour + 1, day, day + 1];
        let date = |wait| bson::DateTime::from_millis(1_704_067_200_000 + wait);
        let documents: Vec<_> = waits.map(|wait| bson::doc! { "f": date(wait) }).into();
        lab.run_document(&bson::doc! { "insert": "c", "documents": documents });
        lab.check(
            "{mayflyWhatIf: 'c', index: {keyPattern: {f: 1}, expireAfterSeconds: 0}}",
            "{total: 7, overdueNow: 2, nextHour: 2, nextDay: 4}",
        );
    }

    #[test]
    fn thresholds_are_counted_between_edges_with_an_index_and_without() {
        let lab = Lab::new();
        let date = |ms: i64| bson::DateTime::from_millis(1_704_067_200_000 + ms);
        let mut documents: Vec<_> =
            [-9, 0, 0, 4, 5, 60].map(|ms| bson::doc! { "f": date(ms) }).into();
        documents.push(bson::doc! { "f": "never" });
        lab.run_document(&bson::doc! { "insert": "c", "documents": documents });
        let ask = |edges: &[i64]| {
            let edges: Vec<_> = edges.iter().map(|ms| date(1_000 + ms)).collect();
            let index = bson::doc! { "keyPattern": { "f": 1 }, "expireAfterSeconds": 1 };
            lab.run_document(&bson::doc! { "mayflyWhatIf": "c", "index": index, "edges": edges })
        };
        let counts = |edges: &[i64]| {
            let found = crate::reply::WhatIf::from_document(&ask(edges)).expect("a reply");
            found.counts
        };
        let check = || {
            assert_eq!(counts(&[0, 5]), Some(vec![1, 3, 2]));
            assert_eq!(counts(&[-10, -9, 61]), Some(vec![0, 0, 6, 0]));
            assert_eq!(counts(&[]), None);
        };
        check();
        lab.ok("{createIndexes: 'c', indexes: [{key: {f: -1}, name: 'f'}]}");
        check();
        assert_eq!(ask(&[5, 5]).get_i32("code").ok(), Some(2), "they rise");
    }

    #[test]
    fn seconds_are_read_as_the_command_reads_them_that_makes_the_rule() {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {f: 1}, name: 'f'}]}");
        lab.ok("{insert: 'c', documents: [{_id: 1, f: ISODate('2020-01-01')}, {_id: 2, f: ISODate('1900-01-01')}]}");
        let ask = |index: &str, secs: &str, answer: &str| {
            let index = format!("{{{index}, expireAfterSeconds: {secs}}}");
            lab.check(&format!("{{mayflyWhatIf: 'c', index: {index}}}"), answer);
        };
        // collMod reads NaN as 0, and caps longer times at the maximum.
        ask("name: 'f'", "NaN", "{overdueNow: 2}");
        ask("name: 'f'", "1e300", "{overdueNow: 1}");
        ask("name: 'f'", "NumberLong(2147483648)", "{overdueNow: 1}");
        ask("name: 'f'", "-0.5", "{overdueNow: 2}");
        // createIndexes refuses both.
        for secs in ["NaN", "1e300", "NumberLong(2147483648)", "-1"] {
            ask("keyPattern: {g: 1}", secs, "{ok: 0, code: 67}");
        }
        ask("keyPattern: {g: 1}", "NumberDecimal('NaN')", "{ok: 0, code: 67}");
        ask("keyPattern: {g: 1}", "-0.5", "{ok: 1, never: {fieldMissing: 2}}");
    }
}
