//! A TTL that is rolled out in steps: planned, started, paused, stopped.

use bson::{Document, doc};

use bson::DateTime;
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::documentdb::{attached, changing_indexes};
use super::support::{Window, at};

const LAG: &str = "Wait while replication lag exceeds (s)";

/// A server with three old documents and an index, which may have a TTL that removes none.
fn server(habits: Habits, secs: Option<i32>) -> DocumentDb {
    let server = DocumentDb::start(habits);
    let old = DateTime::from_millis(server.now_ms() - 86_400_000);
    let documents: Vec<Document> = (0..3).map(|id| doc! { "_id": id, "at": old }).collect();
    server.prepare("shop", &doc! { "insert": "carts", "documents": documents });
    let mut index = doc! { "key": { "at": 1 }, "name": "at_1" };
    index.extend(secs.map(|secs| ("expireAfterSeconds".to_owned(), secs.into())));
    server.prepare("shop", &doc! { "createIndexes": "carts", "indexes": [index] });
    server
}

#[test]
fn a_rollout_waits_while_a_secondary_lags() {
    let server = server(Habits::mongodb(), Some(8_640_000));
    server.replicate(Some(60_000));
    let mut window = changing_indexes(&server);
    window.until_named("Change TTL… at_1");
    window.click("Change TTL… at_1");
    window.type_into("TTL", "0");
    window.until_named("Change and expire 3");
    window.click("Plan a rollout…");
    assert_eq!(window.value(LAG), "10");
    window.type_into(LAG, "soon");
    window.until_named("Enter a replication lag in seconds, from 1 to 86400");
    assert!(!window.is_enabled("Start, 3 documents go"));
    window.type_into(LAG, "30");
    assert!(!window.has("Script"));
    window.click("The same for mongosh");
    assert!(window.value("Script").contains("while (lag() > 30)"));
    window.click("Start, 3 documents go");
    window.click("Activity (1)");
    window.until_named("waits until the lag is at most 30 s; replication lag 1 min");
    assert_eq!(server.sent("collMod"), []);
    server.replicate(Some(29_000));
    window.until_named("replication lag 29 s");
    window.until_window("a step is made", |_| !server.sent("collMod").is_empty());
}

#[test]
fn a_rollout_makes_a_plain_index_again_where_a_server_adds_no_ttl_in_place() {
    for (habits, is_replaced) in [(Habits::documentdb(), true), (Habits::mongodb(), false)] {
        let server = server(habits, None);
        let mut window = changing_indexes(&server);
        window.until_named("Add TTL… at_1");
        window.click("Add TTL… at_1");
        window.type_into("TTL", "60");
        window.until_named("Add TTL and expire 3");
        window.click("Plan a rollout…");
        assert!(!window.has(LAG), "it has no secondaries");
        assert_eq!(window.has_part("dropped and created again first"), is_replaced);
        window.click("The same for mongosh");
        assert_eq!(window.value("Script").contains("coll.dropIndex(index)"), is_replaced);
        window.click("Start, 3 documents go");
        window.click("Activity (1)");
        let of = |server: &DocumentDb| {
            let listed = server.run("shop", &doc! { "listIndexes": "carts" }).to_string();
            listed.contains("\"expireAfterSeconds\": 60")
        };
        window.until_window("it has its TTL", |_| of(&server));
        assert_eq!(server.sent("dropIndexes").len(), usize::from(is_replaced));
    }
}

/// 40 documents, each a day older than the one before, and a TTL that removes none of them.
fn carts() -> Vec<Document> {
    let documents: Vec<Document> =
        (1..=40_i64).map(|n| doc! { "_id": n, "at": at(-n * 86_400) }).collect();
    vec![
        doc! { "insert": "carts", "documents": documents },
        doc! { "createIndexes": "carts", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 99 * 86_400},
        ] },
    ]
}

#[test]
fn a_rollout_is_planned_started_paused_and_stopped() {
    let mut window = Window::open_view(&carts(), "Indexes");
    window.click("Change TTL… at_1");
    window.until_named("Change TTL of at_1");
    window.type_into("TTL", "10");
    window.until_named("Change and expire 31");
    window.click("Plan a rollout…");
    window.until_named("At once, without a rollout: 31 documents");
    window.click("The same for mongosh");
    let script = window.value("Script");
    assert!(script.contains("target = 864000") && script.contains("collMod: 'carts'"), "{script}");
    window.type_into("Documents a second", "0");
    window.until_named("Enter how many documents may go in a second");
    assert!(!window.is_enabled("Start, 31 documents go"));
    window.type_into("Documents a second", "1");
    window.click("Start, 31 documents go");
    window.click("Activity (1)");
    window.until_named("Roll out a TTL on at of test.carts");
    // Fewer documents than a minute's worth: the first step is the last.
    window.until_named("0 of 31 removed");
    window.click("Pause");
    window.until_named("paused; the TTL stays as it is");
    window.click("Continue");
    window.click("Stop");
    window.until_named("0 of 31 documents of test.carts were removed. Its TTL is now 10 d");
    let listed = window.run("test", &doc! { "listIndexes": "carts" });
    assert!(listed.to_string().contains("864000"), "{listed}");
}

#[test]
fn a_rollout_on_a_locked_server_asks_before_it_begins() {
    for (habits, is_bounded) in [(Habits::documentdb(), true), (Habits::mongodb(), false)] {
        let server = server(habits, Some(8_640_000));
        let mut window = attached(&server);
        window.click("Indexes");
        window.until_named("Change TTL… at_1");
        window.click("Change TTL… at_1");
        window.type_into("TTL", "0");
        window.until_enabled("Plan a rollout…");
        window.click("Plan a rollout…");
        window.type_into("Documents a second", "500");
        let most = if is_bounded { "10,000 documents" } else { "30,000 documents" };
        window.until_named(most);
        window.click("Unlock…");
        window.until_enabled("Unlock");
        assert!(!window.has_part("The rollout runs"), "{}", window.on_screen());
        window.click("Unlock");
        window.until_enabled("Start, 3 documents go");
        assert_eq!(server.sent("collMod"), []);
        window.click("Start, 3 documents go");
        window.until_window("a step is made", |_| !server.sent("collMod").is_empty());
    }
}
