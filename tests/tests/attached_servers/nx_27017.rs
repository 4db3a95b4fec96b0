//! nx-27017 answers `ok: 1` to what it does not do.

use bson::{DateTime, Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::peer::{Peer, batch, ok, refused, rows};

/// A date this many hours from now.
pub fn at(hours: i64) -> DateTime {
    DateTime::from_millis(SystemClock.now_ms() + hours * 3_600_000)
}

/// Three documents that are 23, 1 and 0 hours old, and a TTL of a day.
pub fn fill(source: &dyn mayfly::source::Source) -> [DateTime; 3] {
    let dates = [at(-23), at(-1), at(0)];
    let documents: Vec<Document> =
        (1..).zip(dates).map(|(id, date)| doc! { "_id": id, "n": id * 10, "at": date }).collect();
    ok(source, doc! { "insert": "c", "documents": documents });
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 86_400 };
    ok(source, doc! { "createIndexes": "c", "indexes": [index] });
    dates
}

#[test]
fn documents_are_read_always_and_changed_without_the_lock() {
    let peer = Peer::nx_27017();
    let source = peer.unlocked();
    let source = source.as_ref();
    fill(source);
    source.set_locked(true);
    let found = batch(&ok(source, doc! { "find": "c", "filter": { "n": { "$gte": 20 } } }));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(ok(source, doc! { "count": "c", "query": { "n": 20 } }).get_i32("n").ok(), Some(1));
    let group = doc! { "$group": { "_id": null, "all": { "$sum": "$n" } } };
    let sum = ok(source, doc! { "aggregate": "c", "pipeline": [group], "cursor": {} });
    assert_eq!(batch(&sum)[0].get_i32("all").ok(), Some(60));

    let insert = doc! { "insert": "c", "documents": [{ "_id": 4 }] };
    let update =
        doc! { "update": "c", "updates": [{ "q": { "_id": 1 }, "u": { "$set": { "n": 11 } } }] };
    let delete = doc! { "delete": "c", "deletes": [{ "q": { "_id": 2 }, "limit": 1 }] };
    let changes = [insert, update, delete];
    for (change, name) in changes.iter().zip(["insert", "update", "delete"]) {
        let expected = format!("This connection is read-only; {name} may change data");
        assert_eq!(refused(source, change.clone()), expected);
    }
    assert_eq!(ok(source, doc! { "count": "c" }).get_i32("n").ok(), Some(3));
    source.set_locked(false);
    for change in changes {
        assert_eq!(ok(source, change).get_i32("n").ok(), Some(1));
    }
    let found = batch(&ok(source, doc! { "find": "c", "sort": { "_id": 1 } }));
    let ids: Vec<_> = found.iter().map(|found| found.get_i32("_id").ok()).collect();
    assert_eq!(ids, [Some(1), Some(3), Some(4)]);
    assert_eq!(found[0].get_i32("n").ok(), Some(11));
}

#[test]
fn a_changed_ttl_is_believed_once_it_is_listed() {
    let peer = Peer::nx_27017();
    let source = peer.unlocked();
    let source = source.as_ref();
    let dates = fill(source);
    let day_ms = 86_400_000;
    let thresholds = |source| {
        let found = rows(&ok(source, doc! { "mayflyExpiring": "c", "limit": 10 }));
        let thresholds =
            found.iter().map(|row| *row.get_datetime("threshold").expect("a threshold"));
        thresholds.map(DateTime::timestamp_millis).collect::<Vec<_>>()
    };
    let expected = dates.map(|date| date.timestamp_millis() + day_ms);
    assert_eq!(thresholds(source), expected);
    // It answers `ok: 1` and changes nothing.
    let change = doc! {
        "collMod": "c", "index": { "keyPattern": { "at": 1.0 }, "expireAfterSeconds": 60 },
    };
    assert_eq!(
        refused(source, change),
        "The server answers that it changed the index, but its list of indexes still shows 86400 s; it \
         may not support collMod"
    );
    assert_eq!(thresholds(source), expected);
    let unknown = doc! {
        "collMod": "c", "index": { "keyPattern": { "b": 1 }, "expireAfterSeconds": 60 },
    };
    assert_eq!(
        refused(source, unknown),
        "The server answers that it changed the index, but its list of indexes does not have this one"
    );
}

#[test]
fn an_answer_without_the_field_that_was_asked_for_is_none() {
    let peer = Peer::nx_27017();
    let source = peer.unlocked();
    let source = source.as_ref();
    let dates = fill(source);
    source.set_locked(true);
    // The verdict reads this parameter, which the server doesn't know.
    let asked = ok(source, doc! { "getParameter": 1, "ttlMonitorSleepSecs": 1 });
    assert!(!asked.contains_key("ttlMonitorSleepSecs"), "{asked}");
    let verdict = ok(source, doc! { "mayflyVerdict": "c", "id": 1 });
    let earliest = verdict.get_datetime("earliest").expect("a threshold").timestamp_millis();
    assert_eq!(earliest, dates[0].timestamp_millis() + 86_400_000);
    assert!(!verdict.contains_key("latest"), "{verdict}");
    let sent = verdict.get_array("sent").expect("what was sent");
    assert!(sent.iter().any(|sent| sent.to_string().contains("ttlMonitorSleepSecs")), "{verdict}");
}

#[test]
fn text_among_dates_is_not_taken_for_the_end() {
    let peer = Peer::nx_27017();
    let source = peer.unlocked();
    let source = source.as_ref();
    let soon = at(1).try_to_rfc3339_string().expect("a date");
    let text = |id: i32| doc! { "_id": id, "at": &soon };
    let documents = vec![text(1), text(2), doc! { "_id": 3, "at": at(2) }];
    ok(source, doc! { "insert": "c", "documents": documents });
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 86_400 };
    ok(source, doc! { "createIndexes": "c", "indexes": [index] });
    let said = refused(source, doc! { "mayflyExpiring": "c", "limit": 1 });
    assert!(said.contains("gives other values for dates"), "{said}");
}
