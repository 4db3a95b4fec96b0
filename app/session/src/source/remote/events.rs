//! The deletions of a collection, from a change stream where the server has one.
//!
//! A deletion says nothing about its cause. With pre-images it comes with the document, whose threshold
//! is computed here. Pre-images are used where they are on and are never turned on.

use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::value::whole;
use mongodb::Collection;
use mongodb::options::FullDocumentBeforeChangeType;

use super::asking::Asking;
use super::runtime::{Met, Outlet, within};
use super::{Remote, expiring, failure, read, rules};
use crate::job::due::TtlIndex;
use crate::job::reply::batch;
use crate::job::{Cancel, DeletedDocument, Namespace, WatchEnd, WatchReport};
use crate::limits::{WATCH_AWAIT, WATCH_EVENTS_MAX};

/// `$changeStream` on a server that is not a replica set.
const NOT_REPLICATED: i32 = 40573;

/// `Unauthorized`.
const UNAUTHORIZED: i32 = 13;

/// Codes of servers that don't know the stage, or not on this collection: `CommandNotFound`,
/// `CommandNotSupported`, `NotImplemented`, `CommandNotSupportedOnView`, unknown stage, `Location304`.
const UNKNOWN: [i32; 6] = [59, 115, 238, 166, 40324, 304];

/// Said of a server that neither sends an event nor that there is none.
const STALLED: &str = "its change stream stopped in the middle of a reply";

/// An item of a task.
enum Heard {
    Begun,
    Event(Document),
}

/// Reports deletions until `cancel` is set.
pub(super) fn watch(
    remote: &Remote,
    namespace: &Namespace,
    cancel: &Cancel,
    report: &dyn Fn(WatchReport),
) -> WatchEnd {
    let asking = Asking::new(remote, &namespace.db, &namespace.collection, cancel);
    let known = match rules::of(&asking) {
        Ok(rules) => rules,
        Err(refusal) => return end_of(&refusal),
    };
    let has_pre_images = has_pre_images(&asking);
    let database = remote.client.database(&namespace.db);
    let collection: Collection<Document> = database.collection(&namespace.collection);
    let pipeline = pipeline(&known, has_pre_images);
    let limit = remote.reply_limits.event;
    let task = move |outlet| follow(collection, pipeline, has_pre_images, limit, outlet);
    let Ok(running) = remote.runtime.start_task(WATCH_EVENTS_MAX, task) else {
        return WatchEnd::Left;
    };
    loop {
        match remote.runtime.next(&running, cancel) {
            Met::Left => return WatchEnd::Left,
            Met::End(end) => return end,
            Met::Items(heard, missed) => {
                let has_begun = heard.iter().any(|heard| matches!(heard, Heard::Begun));
                if has_begun {
                    report(WatchReport::Begun { has_pre_images });
                }
                let events = heard.into_iter().filter_map(|heard| match heard {
                    Heard::Event(event) => deleted(&event, &known),
                    Heard::Begun => None,
                });
                let documents: Vec<DeletedDocument> = events.collect();
                if !documents.is_empty() || missed > 0 {
                    report(WatchReport::Deleted { documents, missed });
                }
            }
        }
    }
}

/// Whether the collection keeps documents as they were before a change.
fn has_pre_images(asking: &Asking<'_>) -> bool {
    let filter = doc! { "name": asking.collection };
    let reply = asking.run(doc! { "listCollections": 1, "filter": filter });
    let found = batch(&reply).next().and_then(|found| found.get_document("options").ok());
    let images =
        found.and_then(|options| options.get_document("changeStreamPreAndPostImages").ok());
    images.is_some_and(|images| images.get_bool("enabled").unwrap_or(false))
}

/// Deletions only; of pre-images only what rules look at.
fn pipeline(rules: &[TtlIndex], has_pre_images: bool) -> Vec<Document> {
    let mut pipeline = vec![doc! { "$match": { "operationType": "delete" } }];
    // A document may have 16 MiB, and the rules look at a few of its fields.
    let fields = read::projection(rules).filter(|_| has_pre_images);
    if let Some(fields) = fields {
        let mut kept =
            doc! { "operationType": 1, "documentKey": 1, "clusterTime": 1, "wallTime": 1 };
        kept.extend(
            fields
                .keys()
                .map(|field| (format!("fullDocumentBeforeChange.{field}"), Bson::Int32(1))),
        );
        pipeline.push(doc! { "$project": kept });
    }
    pipeline
}

async fn follow(
    collection: Collection<Document>,
    pipeline: Vec<Document>,
    has_pre_images: bool,
    limit: Duration,
    outlet: Outlet<Heard>,
) -> WatchEnd {
    let mut watch = collection
        .watch()
        .pipeline(pipeline)
        .max_await_time(WATCH_AWAIT)
        .comment(Bson::String("mayfly".to_owned()));
    if has_pre_images {
        watch = watch.full_document_before_change(FullDocumentBeforeChangeType::WhenAvailable);
    }
    let mut stream = match within(limit, watch.into_future()).await {
        // The driver waits without a limit for a server that stops in the middle of a reply.
        Err(_) => return WatchEnd::Broken(STALLED.to_owned()),
        Ok(Ok(stream)) => stream.with_type::<Document>(),
        Ok(Err(error)) => return end_of(&failure::reply(&error, false)),
    };
    // A server without change streams may answer with a cursor that is closed.
    if !stream.is_alive() {
        let words = "this server's change stream ended at once";
        return WatchEnd::Unsupported(words.to_owned());
    }
    outlet.put(Heard::Begun);
    while stream.is_alive() {
        let Ok(next) = within(limit, stream.next_if_any()).await else {
            return WatchEnd::Broken(STALLED.to_owned());
        };
        match next {
            Ok(Some(event)) => outlet.put(Heard::Event(event)),
            Ok(None) => {}
            Err(error) => {
                let reply = failure::reply(&error, false);
                let why = reply.get_str("errmsg").unwrap_or("the server gave no reason");
                return WatchEnd::Broken(format!("its change stream broke: {why}"));
            }
        }
    }
    WatchEnd::Broken("its change stream ended: the collection was dropped or renamed".to_owned())
}

/// Why a server opens no change stream.
fn end_of(reply: &Document) -> WatchEnd {
    let code = reply.get("code").and_then(whole).and_then(|code| i32::try_from(code).ok());
    let why = reply.get_str("errmsg").unwrap_or("no reason given");
    match code {
        Some(NOT_REPLICATED) => WatchEnd::Unsupported(
            "this server has no change streams (it is not a replica set)".to_owned(),
        ),
        Some(UNAUTHORIZED) => {
            WatchEnd::Unsupported("this login may not open a change stream".to_owned())
        }
        Some(code) if UNKNOWN.contains(&code) => {
            WatchEnd::Unsupported("this server has no change streams".to_owned())
        }
        _ => WatchEnd::Broken(format!("the server opened no change stream: {why}")),
    }
}

/// The deletion that an event reports.
fn deleted(event: &Document, rules: &[TtlIndex]) -> Option<DeletedDocument> {
    if event.get_str("operationType").is_ok_and(|kind| kind != "delete") {
        return None;
    }
    let id = event.get_document("documentKey").ok()?.get("_id")?.clone();
    let (from_ms, to_ms) = match (event.get("wallTime"), event.get("clusterTime")) {
        (Some(Bson::DateTime(at)), _) => (at.timestamp_millis(), at.timestamp_millis()),
        // `clusterTime` counts whole seconds, so the removal was somewhere within this one.
        (_, Some(Bson::Timestamp(at))) => {
            let from_ms = i64::from(at.time) * 1_000;
            (from_ms, from_ms + 999)
        }
        _ => return None,
    };
    let before = event.get_document("fullDocumentBeforeChange").ok();
    let row = before.and_then(|document| {
        let raw = RawDocumentBuf::try_from(document).ok()?;
        // Whether the document was overdue depends on when it was removed, not on when the event
        // arrived.
        expiring::first_row(rules, document, &raw, to_ms)
    });
    Some(DeletedDocument { id, from_ms, to_ms, row })
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, Timestamp};

    use super::*;

    fn rules() -> Vec<TtlIndex> {
        let index = doc! { "name": "at_1", "key": { "at": 1 }, "expireAfterSeconds": 60 };
        vec![TtlIndex::read(&index).expect("a rule")]
    }

    #[test]
    fn a_deletion_has_its_instant_and_with_a_pre_image_its_threshold() {
        let wall = doc! {
            "operationType": "delete", "documentKey": { "_id": 7 },
            "wallTime": DateTime::from_millis(90_250),
            "fullDocumentBeforeChange": { "_id": 7, "at": DateTime::from_millis(20_000) },
        };
        let found = deleted(&wall, &rules()).expect("a deletion");
        assert_eq!((found.id, found.from_ms, found.to_ms), (Bson::Int32(7), 90_250, 90_250));
        assert_eq!(found.row.map(|row| row.threshold_ms), Some(80_000));
        let second = doc! {
            "operationType": "delete", "documentKey": { "_id": 7 },
            "clusterTime": Timestamp { time: 90, increment: 3 }, "fullDocumentBeforeChange": null,
        };
        let found = deleted(&second, &rules()).expect("a deletion");
        assert_eq!((found.from_ms, found.to_ms, found.row), (90_000, 90_999, None));
        let insert = doc! { "operationType": "insert", "documentKey": { "_id": 7 } };
        assert_eq!(deleted(&insert, &rules()), None);
    }

    #[test]
    fn only_what_rules_look_at_is_read_of_a_pre_image() {
        let only = doc! { "$match": { "operationType": "delete" } };
        assert_eq!(pipeline(&rules(), false), std::slice::from_ref(&only));
        let fields = doc! {
            "operationType": 1, "documentKey": 1, "clusterTime": 1, "wallTime": 1,
            "fullDocumentBeforeChange._id": 1, "fullDocumentBeforeChange.at": 1,
        };
        assert_eq!(pipeline(&rules(), true), [only, doc! { "$project": fields }]);
    }

    #[test]
    fn a_refusal_says_whether_to_ask_again() {
        let check = |code: i32, expected: &str| match end_of(&doc! { "code": code, "errmsg": "x" })
        {
            WatchEnd::Unsupported(words) => assert_eq!(words, expected),
            WatchEnd::Broken(words) => assert_eq!(format!("again: {words}"), expected),
            WatchEnd::Left => panic!("left"),
        };
        check(40573, "this server has no change streams (it is not a replica set)");
        check(13, "this login may not open a change stream");
        check(115, "this server has no change streams");
        check(6, "again: the server opened no change stream: x");
    }
}
