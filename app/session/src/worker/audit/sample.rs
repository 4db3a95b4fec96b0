//! A sample of a collection: its fields with dates, which rule wins, and documents' own `ttl`.

use std::collections::BTreeMap;

use bson::raw::RawBsonRef;
use bson::{Bson, DateTime, RawDocument, doc};
use mayfly_engine::reply::{DocCount, WhatIf};
use mayfly_engine::ttl::{self, Expiry, Rule};

use super::asker::{Asker, Stop, estimate, of, unread};
use super::listed::{Listed, ListedRule};
use crate::commands::{expiry, schema};
use crate::inspect::audit::facts::{
    CollectionFacts, FieldFacts, OwnTtlFacts, PastAtInsertion, RuleKind, SampleFacts,
};
use crate::inspect::audit::{has_dates, is_candidate};
use crate::inspect::schema::{Analysis, Schema};
use crate::job::due::TtlIndex;
use crate::job::reply::{batch, number};
use crate::limits::{AUDIT_SAMPLE_DOCS, AUDIT_WHOLE_DOCS};

const DAY_MS: i64 = 86_400_000;

/// How much later than its `_id` the time of insertion may be: an `_id` has whole seconds, and one more is between it
/// and `new Date()`.
const INSERTION_MS: i64 = 2_000;

/// Counts the documents of a sample.
struct Tally {
    analysis: Analysis,
    rules: Vec<TtlIndex>,
    winners: BTreeMap<String, u64>,
    past: Vec<PastAtInsertion>,
}

impl Tally {
    fn add(&mut self, document: &RawDocument) {
        self.analysis.add(document);
        let verdicts: Vec<Expiry> = self.rules.iter().map(|rule| rule.verdict(document)).collect();
        if let Some(rule) = ttl::winner(&verdicts).and_then(|at| self.rules.get(at)) {
            *self.winners.entry(rule.name.clone()).or_default() += 1;
        }
        let Ok(Some(RawBsonRef::ObjectId(id))) = document.get("_id") else { return };
        for (rule, verdict) in self.rules.iter().zip(&verdicts) {
            let is_zero = matches!(rule.rule(), Rule::Date { expire_after_secs: 0, .. });
            let Some(deadline) = verdict.deadline().filter(|_| is_zero) else { continue };
            let is_past = deadline.base_ms <= id.timestamp().timestamp_millis() + INSERTION_MS;
            if let Some(seen) = self.past.iter_mut().find(|seen| seen.index == rule.name) {
                seen.known += 1;
                seen.past += u64::from(is_past);
            }
        }
    }
}

/// Reads documents from both ends of a collection, or all of a small one.
pub(super) fn read(
    asker: &Asker<'_>,
    listed: &Listed,
    facts: &CollectionFacts,
    now_ms: i64,
) -> Result<SampleFacts, Stop> {
    let mut rules: Vec<TtlIndex> = listed.rules.iter().filter_map(clustered).collect();
    rules.extend(listed.indexes.iter().filter_map(TtlIndex::read));
    // Which rule wins is known from documents only if each rule counts from their fields.
    let is_known = listed.rules.iter().all(|rule| rule.kind != RuleKind::LastModified);
    let seen = |rule: &TtlIndex| PastAtInsertion { index: rule.name.clone(), known: 0, past: 0 };
    let past = rules.iter().filter(|rule| rule.expire_after_secs() == 0).map(seen).collect();
    let mut tally =
        Tally { analysis: Analysis::new(now_ms), rules, winners: BTreeMap::new(), past };
    let (half, collection) = (i64::from(AUDIT_SAMPLE_DOCS), &listed.namespace.collection);
    let is_small =
        facts.documents.most().is_some_and(|all| all <= 2 * u64::from(AUDIT_SAMPLE_DOCS));
    let samples = if is_small {
        vec![schema::sample(collection, 2 * half, false)]
    } else {
        [false, true].map(|from_end| schema::sample(collection, half, from_end)).to_vec()
    };
    for command in &samples {
        asker.each(&listed.namespace, command, &mut |document| tally.add(document))?;
    }
    let schema = tally.analysis.report();
    Ok(SampleFacts {
        documents: schema.documents,
        is_whole: facts.documents == DocCount::Exact(schema.documents),
        fields: fields(&schema, listed),
        winners: if tally.rules.len() > 1 && is_known {
            tally.winners.into_iter().collect()
        } else {
            Vec::new()
        },
        past_at_insertion: tally.past,
    })
}

/// The rule of a collection that is clustered by a date in `_id`, which has no index.
fn clustered(rule: &ListedRule) -> Option<TtlIndex> {
    let own = Rule::ClusteredId { expire_after_secs: rule.secs };
    (rule.kind == RuleKind::Clustered)
        .then(|| TtlIndex::of_rule(&rule.name, rule.field(), own, None))
}

fn fields(schema: &Schema, listed: &Listed) -> Vec<FieldFacts> {
    let range = |path: &str| {
        let mut fields = schema.fields.iter();
        let field = fields.find(|field| field.path.dotted().as_deref() == Some(path))?;
        Some(field.times.as_ref()?.range)
    };
    let facts = schema.candidates.iter().map(|one| FieldFacts {
        path: one.path.clone(),
        dates: one.dates,
        texts: one.texts,
        instants: one.instants(),
        range_ms: range(&one.path),
        index: listed.plain.iter().find(|index| index.field == one.path).cloned(),
        would_remove: None,
    });
    facts.collect()
}

/// Asks what a TTL of 30 and of 365 days would remove, if the collection has a candidate.
pub(super) fn would_remove(
    asker: &Asker<'_>,
    facts: &mut CollectionFacts,
    now_ms: i64,
) -> Result<(), Stop> {
    let CollectionFacts { namespace, documents, rules, sample, .. } = facts;
    let Some(sample) = sample.as_mut().filter(|_| rules.is_empty()) else { return Ok(()) };
    let sampled = sample.documents;
    let is_it = |field: &&mut FieldFacts| has_dates(field, sampled) && is_candidate(field, now_ms);
    let Some(field) = sample.fields.iter_mut().find(is_it) else { return Ok(()) };
    let is_long = !asker.is_server
        && field.index.is_none()
        && documents.most().is_none_or(|most| most > AUDIT_WHOLE_DOCS);
    if is_long {
        return Ok(());
    }
    let index = doc! { "keyPattern": { &field.path: 1 }, "expireAfterSeconds": 0 };
    let mut command = expiry::what_if(&namespace.collection, index);
    let before = |days: i64| Bson::DateTime(DateTime::from_millis(now_ms - days * DAY_MS));
    command.insert("edges", vec![before(365), before(30)]);
    let place = format!("{namespace}, documents that a TTL would remove");
    let Some(reply) = asker.try_ask(&place, &namespace.db, &command)? else { return Ok(()) };
    let found = WhatIf::from_document(&reply).ok_or_else(|| unread("mayflyWhatIf"))?;
    if let Some(&[year, month, _]) = found.counts.as_deref() {
        let counted = |count| estimate(count, found.never_in_all.is_none(), found.total);
        field.would_remove = Some([counted(year + month), counted(year)]);
    }
    Ok(())
}

/// Counts documents' own `ttl` by whether it counts, and by type.
pub(super) fn own_ttl(
    asker: &Asker<'_>,
    listed: &Listed,
    facts: &CollectionFacts,
) -> Result<Option<OwnTtlFacts>, Stop> {
    let has_index = listed.has_modification_index();
    // A field ttl means something else where another rule is at work.
    if !has_index && listed.has_rule() {
        return Ok(None);
    }
    let group = doc! {
        "_id": { "type": { "$type": "$ttl" }, "counts": expiry::own_ttl_counts() }, "n": { "$sum": 1 },
    };
    let pipeline =
        vec![doc! { "$match": { "ttl": { "$exists": true } } }, doc! { "$group": group }];
    let more = doc! { "pipeline": pipeline, "cursor": {} };
    let namespace = &listed.namespace;
    let reply = match asker.ask(&namespace.db, &of("aggregate", namespace, more)) {
        Ok(reply) => reply,
        Err(Stop::Refused(why) | Stop::Forbidden(why)) => {
            asker.note_unreadable(format!("{namespace}, ttl of documents"), &why);
            return Ok(None);
        }
        Err(stop) => return Err(stop),
    };
    let mut found = OwnTtlFacts { has_index, ..OwnTtlFacts::default() };
    for row in batch(&reply) {
        let count = DocCount::Exact(number(row, "n").unwrap_or(0));
        let Ok(id) = row.get_document("_id") else { continue };
        if id.get_bool("counts").unwrap_or(false) {
            found.counting = found.counting.plus(count);
        } else {
            found.ignored.push((id.get_str("type").unwrap_or("unknown").to_owned(), count));
        }
    }
    // A few documents with such a field are no use of it.
    let is_use = found.counting.likely() * 2 >= facts.documents.likely();
    Ok((has_index || is_use && found.counting.likely() > 0).then_some(found))
}
