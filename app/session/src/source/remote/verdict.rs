//! When documents of a server expire and why, told from the documents themselves.

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::reaper;
use mayfly_engine::reply::{self, DocumentDue};
use mayfly_engine::ttl::{self, Expiry, removal_window};

use super::asking::Asking;
use super::failure::failed;
use super::forecast::done;
use super::{read, rules};
use crate::job::due::TtlIndex;

/// Documents that one command may ask about.
const IDS_MAX: usize = 1_000;

/// The reply to `mayflyVerdict`.
pub(super) fn verdict(asking: &Asking<'_>, command: &Document) -> Result<Document, Document> {
    let rules = rules::of(asking)?;
    let rules = rules::chosen(rules, command.get("index"))?;
    let ids: Vec<Bson> = match (command.get("id"), command.get_array("ids")) {
        (Some(id), _) => vec![id.clone()],
        (None, Ok(ids)) if ids.len() <= IDS_MAX => ids.clone(),
        _ => return Err(failed(2, "BadValue", "ids must be an array of at most 1000 values")),
    };
    let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let mut find = doc! {
        "find": asking.collection, "filter": { "_id": { "$in": ids.clone() } }, "limit": count.max(1),
    };
    find.extend(read::projection(&rules).map(|fields| ("projection".to_owned(), fields.into())));
    let found = read::all(asking, find, u64::MAX)?;
    if command.contains_key("id") {
        let Some(document) = found.first() else {
            return Err(failed(48, "NoMatchingDocument", "There is no document with this _id"));
        };
        return Ok(one(asking, &rules, document));
    }
    // In the order of the question.
    let by_id = |id: &Bson| found.iter().find(|document| document.get("_id") == Some(id));
    let documents = ids.iter().filter_map(|id| Some(due(&rules, id, by_id(id)?))).collect();
    Ok(done(reply::Verdicts { documents }.to_document()))
}

fn verdicts(rules: &[TtlIndex], document: &Document) -> Vec<Expiry> {
    let Ok(raw) = RawDocumentBuf::try_from(document) else { return Vec::new() };
    rules.iter().map(|rule| rule.verdict(&raw)).collect()
}

fn due(rules: &[TtlIndex], id: &Bson, document: &Document) -> DocumentDue {
    let verdicts = verdicts(rules, document);
    let first = ttl::winner(&verdicts).and_then(|at| verdicts.get(at)?.deadline());
    DocumentDue {
        id: id.clone(),
        base_ms: first.map(|deadline| deadline.base_ms),
        threshold_ms: first.map(|deadline| deadline.threshold_ms),
    }
}

fn one(asking: &Asking<'_>, rules: &[TtlIndex], document: &Document) -> Document {
    let verdicts = verdicts(rules, document);
    let winner = ttl::winner(&verdicts);
    let threshold_ms = winner.and_then(|at| verdicts.get(at)?.threshold_ms());
    // Only a server that tells how long its monitor sleeps has a latest instant.
    let window = threshold_ms.zip(asking.monitor.sleep_secs(asking));
    let window = window.map(|(threshold_ms, secs)| removal_window(threshold_ms, secs, 0));
    let told = rules.iter().zip(&verdicts);
    let told = told.map(|(rule, verdict)| reaper::told(&rule.name, &rule.field, verdict));
    let reply = reply::Verdict {
        rules: told.collect(),
        winner: winner.and_then(|at| Some(rules.get(at)?.name.clone())),
        earliest_ms: threshold_ms,
        latest_ms: window.map(|window| window.latest_ms),
    };
    done(reply.to_document())
}
