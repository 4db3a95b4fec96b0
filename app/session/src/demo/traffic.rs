//! Documents that keep arriving in the demo store, so that it always has one that waits, one that is
//! overdue and one that was just removed.

use bson::{Bson, Document, doc};

use super::arrivals::{Arrivals, LIFE_MAX_MS, arrivals, date};
use super::{Run, SampleData};
use crate::job::TRAFFIC_DATABASE as DB;
use crate::job::reply::{batch, number};
use crate::limits::{TRAFFIC_DOCUMENTS_MAX, TRAFFIC_GAP_MAX_MS};

/// A collection that traffic writes to, with the date field of its TTL index.
#[derive(Debug, Clone, Copy)]
struct Target {
    name: &'static str,
    field: &'static str,
}

const SESSIONS: Target = Target { name: "sessions", field: "lastModifiedDate" };
const CARTS: Target = Target { name: "carts", field: "_ts" };
const EVENTS: Target = Target { name: "events", field: "expireAt" };

const TARGETS: [Target; 3] = [SESSIONS, CARTS, EVENTS];

/// A command that changed the store, and its reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Sent {
    pub db: &'static str,
    pub command: Document,
    pub reply: Document,
}

/// The traffic of one demo store.
#[derive(Debug, Clone)]
pub struct Traffic {
    made: SampleData,
    /// Until when everything arrived, in milliseconds since 1970.
    last_ms: Option<i64>,
}

impl Traffic {
    /// Traffic that writes to these collections and to no others.
    pub fn new(made: SampleData) -> Self {
        Self { made, last_ms: None }
    }

    /// Sends the arrivals since the last call. The first call, and one after a pause, also sends
    /// the documents that would have arrived before.
    pub fn tick(&mut self, now_ms: i64, run: Run<'_>) -> Vec<Sent> {
        let is_next = |last: &i64| (0..=TRAFFIC_GAP_MAX_MS).contains(&(now_ms - *last));
        let last_ms = self.last_ms.filter(is_next);
        self.last_ms = Some(now_ms);
        let found = arrivals(last_ms.unwrap_or(now_ms - LIFE_MAX_MS), now_ms);
        if found == Arrivals::default() {
            return Vec::new();
        }
        let Arrivals { sessions, carts, events, heartbeats } = found;
        let present = SampleData::of(run);
        let mut room = room(run);
        let mut sent = Vec::new();
        for (target, mut documents, active) in [
            (SESSIONS, sessions, heartbeats),
            (CARTS, carts, Vec::new()),
            (EVENTS, events, Vec::new()),
        ] {
            let is_due = !documents.is_empty() || !active.is_empty();
            // Dropped, made by the user, or no longer expiring: it is the user's now.
            if !is_due || !self.made.shares(&present, target.name) || !expires(target, run) {
                continue;
            }
            if last_ms.is_none() {
                leave_out_stored(target, &mut documents, run);
            }
            documents.truncate(room);
            room -= documents.len();
            if !documents.is_empty() {
                let insert = doc! {"insert": target.name, "documents": documents, "ordered": false};
                sent.push(send(insert, run));
            }
            if !active.is_empty() {
                sent.push(send(refresh(target, &active, now_ms), run));
            }
        }
        sent
    }
}

fn send(command: Document, run: Run<'_>) -> Sent {
    let reply = run(DB, &command);
    Sent { db: DB, command, reply }
}

/// The heartbeat of these documents, unless the user took their date away.
fn refresh(target: Target, ids: &[String], now_ms: i64) -> Document {
    doc! {
        "update": target.name,
        "updates": [{
            "q": {"_id": {"$in": ids}, target.field: {"$type": "date"}},
            "u": {"$set": {target.field: date(now_ms)}, "$inc": {"pages": 1}},
            "multi": true,
        }],
    }
}

/// How many documents may be added.
fn room(run: Run<'_>) -> usize {
    let stored = TARGETS.iter().map(|target| {
        // Unlike `count`, this counts documents that are expired and hidden. Without a figure no
        // document is added.
        let found = run(DB, &doc! {"collStats": target.name});
        let count = number(&found, "count").and_then(|count| usize::try_from(count).ok());
        count.unwrap_or(TRAFFIC_DOCUMENTS_MAX)
    });
    TRAFFIC_DOCUMENTS_MAX.saturating_sub(stored.sum())
}

/// Whether the TTL index that the sample data made is still there. Its TTL may be another one.
fn expires(target: Target, run: Run<'_>) -> bool {
    let found = run(DB, &doc! {"listIndexes": target.name});
    batch(&found).any(|index| {
        let is_on_field = index
            .get_document("key")
            .is_ok_and(|key| key.len() == 1 && key.contains_key(target.field));
        is_on_field
            && index.contains_key("expireAfterSeconds")
            && !index.contains_key("partialFilterExpression")
    })
}

/// A window that was closed for a moment left most of them in the store.
fn leave_out_stored(target: Target, documents: &mut Vec<Document>, run: Run<'_>) {
    let ids: Vec<Bson> =
        documents.iter().filter_map(|document| document.get("_id")).cloned().collect();
    let find = doc! {
        "find": target.name,
        "filter": {"_id": {"$in": ids}},
        "projection": {"_id": 1},
        "singleBatch": true,
        "batchSize": i32::try_from(documents.len()).unwrap_or(i32::MAX),
    };
    let found = run(DB, &find);
    let stored: Vec<&Bson> = batch(&found).filter_map(|found| found.get("_id")).collect();
    documents.retain(|document| document.get("_id").is_none_or(|id| !stored.contains(&id)));
}

#[cfg(test)]
#[path = "traffic_tests.rs"]
mod tests;
