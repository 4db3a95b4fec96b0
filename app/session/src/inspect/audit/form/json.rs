//! The JSON form. The guide has its JSON Schema; a change that a reader could trip over raises the version.

use bson::{Bson, Document};
use mayfly_engine::reply::DocCount;
use serde_json::{Value, json};

use super::super::facts::{Ahead, CollectionFacts, Facts, RuleFacts};
use super::super::pace::Pace;
use super::super::samples::Sample;
use super::{Audit, Finding};

/// The version of the form.
const VERSION: u32 = 1;

/// The whole audit as one JSON object.
pub fn json(audit: &Audit) -> Value {
    let facts = &audit.facts;
    let unfinished = facts.collections.iter().filter_map(|found| {
        let why = found.unfinished.as_deref()?;
        Some(json!({ "namespace": found.namespace.to_string(), "why": why }))
    });
    let unreadable =
        facts.unreadable.iter().map(|one| json!({ "place": one.place, "why": one.why }));
    json!({
        "audit": VERSION,
        "name": facts.name,
        "server": facts.is_server,
        "at": instant(Some(facts.now_ms)),
        "effort": effort(facts),
        "monitor": monitor(facts),
        "pace": facts.pace().map(pace),
        "samples": facts.samples.iter().map(sample).collect::<Vec<_>>(),
        "clock": facts.clock.map(|clock| json!({
            "aheadMillis": clock.ahead_ms, "uncertainMillis": clock.uncertain_ms,
        })),
        "findings": audit.findings.iter().map(finding).collect::<Vec<_>>(),
        "collections": facts.collections.iter().map(collection).collect::<Vec<_>>(),
        "notFinished": unfinished.collect::<Vec<_>>(),
        "unreadable": unreadable.collect::<Vec<_>>(),
    })
}

fn effort(facts: &Facts) -> Value {
    let effort = facts.effort;
    json!({
        "end": effort.end.word(),
        "millis": u64::try_from(effort.took.as_millis()).unwrap_or(u64::MAX),
        "timeLimitMillis": u64::try_from(effort.time_limit.as_millis()).unwrap_or(u64::MAX),
        "commands": effort.reads,
        "sampledDocuments": effort.documents,
    })
}

fn monitor(facts: &Facts) -> Value {
    let monitor = &facts.monitor;
    json!({
        "state": monitor.state.word(),
        "sleepSeconds": monitor.sleep_secs,
        "lastPassMillis": monitor.last_pass_ms,
        "holds": monitor.holds,
    })
}

fn pace(pace: Pace) -> Value {
    let (state, growth) = match pace {
        Pace::KeepsUp => ("keeps up", None),
        Pace::FallingBehind { a_minute, doubles_in } => {
            ("falling behind", Some((a_minute, doubles_in)))
        }
        Pace::NotKnown(_) => ("not known", None),
    };
    json!({
        "state": state,
        "sentence": pace.to_string(),
        "documentsPerMinute": growth.map(|(a_minute, _)| a_minute),
        "doublesInMinutes": growth.and_then(|(_, minutes)| minutes),
    })
}

fn sample(sample: &Sample) -> Value {
    let collections = sample.collections.iter().map(|found| {
        json!({
            "namespace": found.namespace.to_string(),
            "overdue": count(found.overdue),
            "overdueSince": instant(found.since_ms),
        })
    });
    json!({
        "at": instant(Some(sample.at_ms)),
        "passes": sample.passes,
        "removed": sample.removed,
        "collections": collections.collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let examples =
        finding.examples.iter().map(|one| json!({ "cause": one.cause, "id": value(&one.id) }));
    json!({
        "id": finding.id.code(),
        "severity": finding.severity.word(),
        "namespace": finding.place.namespace.as_ref().map(ToString::to_string),
        "index": finding.place.index,
        "sentence": finding.sentence,
        "evidence": finding.evidence,
        "documents": finding.documents.map(count),
        "sample": finding.sample,
        "examples": examples.collect::<Vec<_>>(),
        "mend": { "sentence": finding.mend.sentence, "command": finding.mend.command },
        "lesson": finding.id.lesson(),
        "guide": finding.id.guide(),
    })
}

fn collection(collection: &CollectionFacts) -> Value {
    json!({
        "namespace": collection.namespace.to_string(),
        "documents": count(collection.documents),
        "averageBytes": collection.bytes_each,
        "rules": collection.rules.iter().map(rule).collect::<Vec<_>>(),
        "ahead": collection.ahead.as_ref().map(ahead),
        "notFinished": collection.unfinished,
    })
}

fn rule(rule: &RuleFacts) -> Value {
    let never = rule.never.iter().map(|never| {
        json!({
            "reason": never.code,
            "documents": count(never.documents),
            "example": never.example.as_ref().map(value),
        })
    });
    json!({
        "index": rule.name,
        "kind": rule.kind.word(),
        "field": rule.field,
        "expireAfterSeconds": rule.secs,
        "hidden": rule.is_hidden,
        "partialFilter": rule.partial.as_ref().map(document),
        "overdue": count(rule.overdue),
        "earliest": instant(rule.earliest_ms),
        "never": never.collect::<Vec<_>>(),
    })
}

fn ahead(ahead: &Ahead) -> Value {
    let steepest = ahead.steepest.map(|minute| {
        json!({ "from": instant(Some(minute.from_ms)), "documents": count(minute.documents) })
    });
    json!({
        "overdue": count(ahead.overdue),
        "hour": count(ahead.hour),
        "day": count(ahead.day),
        "week": count(ahead.week),
        "month": count(ahead.month),
        "days": ahead.days.counts,
        "daysExact": ahead.days.is_exact,
        "steepest": steepest,
    })
}

/// A number of documents, and how far it is known.
fn count(count: DocCount) -> Value {
    let is = match count {
        DocCount::Exact(_) => "exact",
        DocCount::AtLeast(_) => "at least",
        DocCount::About { .. } => "about",
    };
    json!({ "count": count.likely(), "is": is, "low": count.least(), "high": count.most() })
}

/// An instant in RFC 3339; one that has no such form is its milliseconds since 1970.
fn instant(ms: Option<i64>) -> Value {
    ms.map_or(Value::Null, |ms| {
        let text = bson::DateTime::from_millis(ms).try_to_rfc3339_string();
        text.map_or_else(|_| json!(ms), Value::String)
    })
}

/// Relaxed Extended JSON.
fn value(value: &Bson) -> Value {
    value.clone().into_relaxed_extjson()
}

fn document(document: &Document) -> Value {
    value(&Bson::Document(document.clone()))
}
