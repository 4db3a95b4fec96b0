//! `CongoDB` removes nothing by itself, and fails with MongoDB's codes.

use bson::{Bson, DateTime, Document, doc, oid::ObjectId};

use super::nx_27017::at;
use super::peer::{Peer, batch, ok, refused, rows};

#[test]
fn what_expires_is_listed_and_stays_overdue() {
    let peer = Peer::congodb();
    let source = peer.unlocked();
    let source = source.as_ref();
    let ids: Vec<ObjectId> = (0..5).map(|_| ObjectId::new()).collect();
    let dates: [DateTime; 5] = [-30, -26, -1, 0, 1].map(at);
    let documents: Vec<Document> =
        ids.iter().zip(dates).map(|(id, at)| doc! { "_id": id, "at": at }).collect();
    ok(source, doc! { "insert": "c", "documents": documents });
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 86_400 };
    ok(source, doc! { "createIndexes": "c", "indexes": [index] });
    source.set_locked(true);
    let databases = source.run("admin", &doc! { "listDatabases": 1, "nameOnly": true });
    assert_eq!(
        databases.get_array("databases").ok(),
        Some(&vec![Bson::from(doc! { "name": "shop" })])
    );
    let collections = batch(&ok(source, doc! { "listCollections": 1, "nameOnly": true }));
    assert_eq!(collections[0].get_str("name").ok(), Some("c"));

    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let mut page = doc! { "mayflyExpiring": "c", "limit": 2 };
        page.extend(after.map(|after| ("after".to_owned(), after)));
        let reply = ok(source, page);
        let found = rows(&reply);
        seen.extend(found.iter().map(|row| {
            (
                row.get_object_id("_id").expect("an id"),
                row.get_str("state").expect("a state").to_owned(),
            )
        }));
        match reply.get("next") {
            Some(next @ Bson::Document(_)) => after = Some(next.clone()),
            _ => break,
        }
    }
    let states = ["overdue", "overdue", "waiting", "waiting", "waiting"].map(str::to_owned);
    assert_eq!(seen, ids.iter().copied().zip(states).collect::<Vec<_>>());
    let (from, to) = (at(0), at(24));
    let forecast = ok(source, doc! { "mayflyForecast": "c", "from": from, "to": to, "buckets": 2 });
    let number = |name: &str| forecast.get(name).map(ToString::to_string).unwrap_or_default();
    assert_eq!(
        (number("overdue"), number("beyond"), number("never")),
        ("2".into(), "1".into(), "0".into())
    );
    let rule = doc! { "keyPattern": { "at": 1 }, "expireAfterSeconds": 3_000 };
    let what_if = ok(source, doc! { "mayflyWhatIf": "c", "index": rule });
    let number = |name: &str| what_if.get(name).map(ToString::to_string).unwrap_or_default();
    assert_eq!(
        (number("total"), number("overdueNow"), number("nextHour")),
        ("5".into(), "3".into(), "1".into())
    );
    assert_eq!(ok(source, doc! { "count": "c" }).get_i32("n").ok(), Some(5));
}

#[test]
fn the_servers_own_failures_are_passed_on() {
    let peer = Peer::congodb();
    let source = peer.unlocked();
    let source = source.as_ref();
    for (command, code, said) in [
        (doc! { "listIndexes": "none" }, 26, "ns not found shop.none"),
        (doc! { "mayflyExpiring": "none" }, 26, "ns not found shop.none"),
        (doc! { "noSuchCommand": 1 }, 59, "no such command: 'noSuchCommand'"),
        (doc! { "getParameter": 1, "ttlMonitorEnabled": 1 }, 59, "no such command: 'getParameter'"),
    ] {
        let reply = source.run("shop", &command);
        assert_eq!(
            (reply.get_i32("code").ok(), reply.get_str("errmsg").ok()),
            (Some(code), Some(said)),
            "{command}"
        );
    }
    let own = "mayflyReap is not supported on a server; it works on Mayfly's own stores";
    assert_eq!(refused(source, doc! { "mayflyReap": 1 }), own);
}

/// It takes an `ObjectId`, or a text of 24 digits, which it changes to one.
#[test]
fn an_id_is_what_the_server_stored() {
    let peer = Peer::congodb();
    let source = peer.unlocked();
    let source = source.as_ref();
    let (text, id) = ("65f0c0ffee65f0c0ffee65f0", "65f0c0ffee65f0c0ffee65f0".parse::<ObjectId>());
    let id = id.expect("an id");
    let reply = ok(source, doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    assert_eq!(reply.get_i32("n").ok(), Some(0), "{reply}");
    assert_eq!(reply.get_array("writeErrors").map(Vec::len).ok(), Some(1), "{reply}");
    let reply = ok(source, doc! { "insert": "c", "documents": [{ "_id": text, "at": at(0) }] });
    assert_eq!(reply.get_i32("n").ok(), Some(1), "{reply}");
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 };
    ok(source, doc! { "createIndexes": "c", "indexes": [index] });
    let found = rows(&ok(source, doc! { "mayflyExpiring": "c" }));
    assert_eq!(found[0].get_object_id("_id").ok(), Some(id));
    let verdict = ok(source, doc! { "mayflyVerdict": "c", "id": id });
    assert_eq!(verdict.get_str("winner").ok(), Some("at_1"));
    let none = refused(source, doc! { "mayflyVerdict": "c", "id": 1 });
    assert_eq!(none, "There is no document with this _id");
}
