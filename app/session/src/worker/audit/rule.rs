//! One rule: its documents by threshold, and those that never expire.

use std::borrow::Cow;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::reply::{DocCount, ExpiringPage, WhatIf};

use super::asker::{Asker, Stop, estimate, of, unread};
use super::listed::ListedRule;
use crate::commands::expiry;
use crate::inspect::audit::facts::{NeverFacts, RuleFacts, RuleKind};
use crate::inspect::schema::ttl::NUMBERS_MS;
use crate::job::Namespace;
use crate::job::reasons::{UNKNOWN_REASON, reason_filter};
use crate::job::reply::{batch, number};

const MS_PER_SEC: i64 = 1_000;

pub(super) fn read(
    asker: &Asker<'_>,
    namespace: &Namespace,
    rule: &ListedRule,
) -> Result<RuleFacts, Stop> {
    let mut facts = RuleFacts {
        kind: rule.kind,
        name: rule.name.clone(),
        field: rule.field().to_owned(),
        key: rule.key.clone(),
        secs: rule.secs,
        is_hidden: rule.is_hidden,
        partial: rule.partial.clone(),
        total: DocCount::AtLeast(0),
        overdue: DocCount::Exact(0),
        earliest_ms: None,
        removable_ms: None,
        days: None,
        never: Vec::new(),
        never_in_all: None,
        seconds_as_millis: DocCount::Exact(0),
        millis_as_seconds: DocCount::Exact(0),
    };
    if let Some(reason) = rule.inert {
        let reply = asker.ask(&namespace.db, &of("count", namespace, doc! { "query": {} }))?;
        facts.total = DocCount::Exact(number(&reply, "n").ok_or_else(|| unread("count"))?);
        let code = reason.code().to_owned();
        facts.never.push(NeverFacts { code, documents: facts.total, example: None });
        return Ok(facts);
    }
    counts(asker, namespace, rule, &mut facts)?;
    let first = expiry::expiring(&namespace.collection, 1.into(), Some(rule.name.clone().into()));
    match asker.ask(&namespace.db, &first) {
        Ok(reply) => {
            let page = ExpiringPage::from_document(&reply);
            let page = page.ok_or_else(|| unread("mayflyExpiring"))?;
            if let Some(row) = page.batch.into_iter().next() {
                (facts.earliest_ms, facts.removable_ms) =
                    (Some(row.threshold_ms), row.removable_ms);
            }
        }
        // The counts are known without it.
        Err(Stop::Refused(why)) => {
            let place = format!("{namespace}, which document goes first by {}", rule.name);
            asker.note_unreadable(place, &why);
        }
        Err(stop) => return Err(stop),
    }
    for never in &mut facts.never {
        if never.documents != DocCount::Exact(0) {
            never.example = example(asker, namespace, rule, &never.code)?;
        }
    }
    Ok(facts)
}

/// Asks what the rule would do if it came now: the same as it does.
fn counts(
    asker: &Asker<'_>,
    namespace: &Namespace,
    rule: &ListedRule,
    facts: &mut RuleFacts,
) -> Result<(), Stop> {
    let mut index = if rule.kind == RuleKind::Clustered {
        doc! { "keyPattern": { "_id": 1 } }
    } else {
        doc! { "name": &rule.name }
    };
    index.insert("expireAfterSeconds", rule.secs);
    let mut command = expiry::what_if(&namespace.collection, index);
    let edges = [
        NUMBERS_MS.start / MS_PER_SEC,
        NUMBERS_MS.end / MS_PER_SEC,
        NUMBERS_MS.start * MS_PER_SEC,
        NUMBERS_MS.end * MS_PER_SEC,
    ];
    let added_ms = rule.secs.saturating_mul(MS_PER_SEC);
    let edge = |ms: i64| Bson::DateTime(DateTime::from_millis(ms.saturating_add(added_ms)));
    if rule.kind != RuleKind::LastModified {
        command.insert("edges", edges.map(edge).to_vec());
    }
    let reply = asker.ask(&namespace.db, &command)?;
    let Some(found) = WhatIf::from_document(&reply) else { return Err(unread("mayflyWhatIf")) };
    (facts.total, facts.overdue) = (found.total, found.overdue_now);
    if let Some(&[_, seconds, _, millis, _]) = found.counts.as_deref() {
        let counted = |count| estimate(count, found.never_in_all.is_none(), found.total);
        (facts.seconds_as_millis, facts.millis_as_seconds) = (counted(seconds), counted(millis));
    }
    facts.never_in_all = found.never_in_all;
    facts.never = never(found);
    Ok(())
}

/// The reasons that were seen. If more documents never expire than these have, the rest has an unknown cause.
fn never(found: WhatIf) -> Vec<NeverFacts> {
    let stays = found.stays();
    let within = |documents: DocCount| match stays.most() {
        Some(most) => documents.at_most(most),
        None => documents,
    };
    let facts = |(code, documents): (Cow<'static, str>, DocCount)| NeverFacts {
        code: code.into_owned(),
        documents: within(documents),
        example: None,
    };
    let mut never: Vec<NeverFacts> = found.never.into_iter().map(facts).collect();
    let seen = never.iter().fold(DocCount::default(), |sum, it| sum.plus(it.documents));
    let unseen = stays.minus(seen);
    if unseen.least() > 0 {
        let code = UNKNOWN_REASON.to_owned();
        never.push(NeverFacts { code, documents: unseen, example: None });
    }
    never
}

/// The `_id` of a document that never expires for a reason. `None` where no filter finds one in time.
fn example(
    asker: &Asker<'_>,
    namespace: &Namespace,
    rule: &ListedRule,
    code: &str,
) -> Result<Option<Bson>, Stop> {
    let Some(filter) = reason_filter(code, rule.field(), rule.partial.as_ref()) else {
        return Ok(None);
    };
    let more: Document = doc! {
        "filter": filter, "projection": { "_id": 1 }, "limit": 1, "singleBatch": true,
    };
    let place = format!("{namespace}, examples");
    let reply = asker.try_ask(&place, &namespace.db, &of("find", namespace, more))?;
    Ok(reply.and_then(|reply| batch(&reply).next()?.get("_id").cloned()))
}

#[cfg(test)]
mod tests {
    use mayfly_engine::reply::DocCount::{About, Exact};

    use super::*;

    #[test]
    fn documents_that_a_sample_missed_have_an_unknown_cause() {
        let check = |seen: &[(&'static str, DocCount)], stays, expected: &[(&str, DocCount)]| {
            let seen = seen.iter().map(|(code, count)| (Cow::Borrowed(*code), *count));
            let found = WhatIf { never: seen.collect(), never_in_all: stays, ..WhatIf::default() };
            let found = never(found);
            let found: Vec<_> = found.iter().map(|it| (it.code.as_str(), it.documents)).collect();
            assert_eq!(found, expected);
        };
        let about = |count, low, high| About { count, low, high: Some(high) };
        check(&[], Some(Exact(5)), &[("unknown", Exact(5))]);
        check(&[], Some(Exact(0)), &[]);
        check(&[], Some(DocCount::AtLeast(0)), &[]);
        check(&[("null", Exact(4))], None, &[("null", Exact(4))]);
        check(&[("null", Exact(4))], Some(Exact(9)), &[("null", Exact(4)), ("unknown", Exact(5))]);
        // No cause has more documents than never expire.
        let seen = [("null", about(877, 22, 14_864))];
        check(&seen, Some(Exact(1_000)), &[("null", about(877, 22, 1_000))]);
    }
}
