//! A TTL that is rolled out in steps: planned, started, paused, stopped.

use bson::{Document, doc};

use super::support::{Window, at};

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
    let script = window.value("Script");
    assert!(script.contains("target = 864000") && script.contains("collMod: 'carts'"), "{script}");
    window.type_into("Documents a second", "0");
    window.until_named("Enter how many documents may go in a second");
    assert!(!window.is_enabled("Start, 31 documents go"));
    window.type_into("Documents a second", "1");
    window.click("Start, 31 documents go");
    window.click("Operations (1)");
    window.until_named("Roll out a TTL on at of test.carts");
    // Fewer documents than a minute's worth: the first step is the last.
    window.until_named("0 of 31 gone");
    window.click("Pause");
    window.until_named("paused; the TTL stays as it is");
    window.click("Continue");
    window.click("Stop");
    window.until_named("0 of 31 documents of test.carts are gone. Its TTL is now 864000 s");
    let listed = window.run("test", &doc! { "listIndexes": "carts" });
    assert!(listed.to_string().contains("864000"), "{listed}");
}
