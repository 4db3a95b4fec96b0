//! Operations that were cut short, in the window: they are offered after the next start.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bson::{Bson, Document, doc};
use mayfly::job::bulk::{BulkChange, BulkWork, Target};
use mayfly::job::{Cancel, Gauge, TrashScope};
use mayfly::source::embedded::opener;
use mayfly::source::{OpenRequest, Source};
use mayfly::state::Namespace;
use mayfly::worker::bulk;
use tempfile::TempDir;

use super::support::{START_MS, Window, at};

/// The title of the change, as the window names it.
const TITLE: &str = "Update documents of test.notes";

/// A new store, and its folder.
fn store() -> (TempDir, Arc<dyn Source>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = OpenRequest {
        folder: Some(folder.path().join("store")),
        simulated_start_ms: Some(START_MS),
        ..OpenRequest::default()
    };
    let source = opener()(&request).map_err(|error| error.message).expect("a store").source;
    (folder, source)
}

/// A window on this store, in which the program died in a change, after its second step.
fn cut(
    folder: TempDir,
    source: Arc<dyn Source>,
    namespace: Namespace,
    change: BulkChange,
) -> Window {
    let gauge = Arc::new(Gauge::default());
    let work = BulkWork { namespace, change, journal: None, gauge };
    let mut left = 2;
    let died = catch_unwind(AssertUnwindSafe(|| {
        bulk::run(source.as_ref(), &work, &Cancel::default(), &mut |_| {
            left -= 1;
            assert!(left > 0, "the program dies");
        })
    }));
    assert!(died.is_err());
    source.close();
    drop(source);
    let mut window = Window::open_in(folder, &[]);
    window.until_named("Unfinished operations");
    window
}

/// A window on a store in which the program died in an update, after its second step.
fn window() -> Window {
    let (folder, source) = store();
    for from in 0..3 {
        let all: Vec<Document> =
            (0..1_000).map(|id| doc! {"_id": from * 1_000 + id, "n": 0}).collect();
        source.run("test", &doc! {"insert": "notes", "documents": all});
    }
    let update = Bson::Document(doc! {"$inc": {"n": 1}});
    let change = BulkChange::Update { target: Target::Matching(doc! {}), update };
    let mut window = cut(folder, source, Namespace::new("test", "notes"), change);
    window.until_named("Cut short after 2,000 of 3,000 documents");
    assert_eq!(counts(&window), [1_000, 2_000, 0]);
    window
}

/// How many documents were not changed, were changed once, and twice.
fn counts(window: &Window) -> [i32; 3] {
    [0, 1, 2].map(|n| {
        let reply = window.run("test", &doc! {"count": "notes", "query": {"n": n}});
        reply.get_i32("n").expect("a number")
    })
}

#[test]
fn an_update_continues_where_it_was_cut_short() {
    let mut window = window();
    window.click(&format!("Continue: {TITLE}"));
    window.until_named("Dismiss: Updated 3,000 documents");
    assert_eq!(counts(&window), [0, 3_000, 0]);
    window.until("nothing is left", |state| state.transfer.cut.is_empty());
    // All of it is one change.
    window.click("Undo");
    window.until_named("Dismiss: Undone: restored 3,000 documents");
    assert_eq!(counts(&window), [3_000, 0, 0]);
    let window = window.restart();
    assert!(window.state().transfer.cut.is_empty() && !window.has("Unfinished operations"));
}

#[test]
fn an_update_that_was_cut_short_is_undone() {
    let mut window = window();
    window.click(&format!("Undo: {TITLE}"));
    window.until_named("Dismiss: Undone: restored 2,000 documents");
    assert_eq!(counts(&window), [3_000, 0, 0]);
    window.until("nothing is left", |state| state.transfer.cut.is_empty());
}

#[test]
fn an_update_that_was_cut_short_is_listed_until_it_is_stopped() {
    let mut window = window();
    window.click("Decide later");
    window.until_gone("Unfinished operations");
    window.click("Activity");
    window.until_named("Unfinished");
    window.click(&format!("Decide: {TITLE}"));
    window.until_named("Unfinished operations");
    window.click(&format!("Stop: {TITLE}"));
    window.until_gone("Unfinished operations");
    assert_eq!(counts(&window), [1_000, 2_000, 0]);
    let window = window.restart();
    assert!(window.state().transfer.cut.is_empty());
}

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

fn secs(window: &Window) -> String {
    let reply = window.run("test", &doc! {"listIndexes": "carts"}).to_string();
    let (_, secs) = reply.split_once("expireAfterSeconds").expect("a TTL");
    let digits = secs.chars().skip_while(|c| !c.is_ascii_digit());
    digits.take_while(char::is_ascii_digit).collect()
}

/// A window that was closed while a rollout ran, and opened again.
fn rolled() -> Window {
    let mut window = Window::open_view(&carts(), "Indexes");
    window.click("Change TTL… at_1");
    window.until_named("Change TTL of at_1");
    window.type_into("TTL", "10");
    window.until_named("Change and expire 31");
    window.click("Plan a rollout…");
    window.until_named("At once, without a rollout: 31 documents");
    window.type_into("Documents a second", "1");
    window.click("Start, 31 documents go");
    window.click("Activity (1)");
    window.until_named("0 of 31 removed");
    let mut window = window.restart();
    window.until_named("Unfinished operations");
    window.until_named("The TTL is at 864000 s on its way to 864000 s");
    window
}

const ROLLOUT: &str = "Roll out a TTL on at of test.carts";

#[test]
fn a_rollout_that_was_cut_short_continues() {
    let mut window = rolled();
    window.click(&format!("Continue: {ROLLOUT}"));
    window.until("it runs", |state| state.rollouts.len() == 1);
    window.click("Activity (1)");
    window.click("Stop");
    window.until("it ended", |state| state.rollouts.is_empty());
    let window = window.restart();
    assert!(window.state().transfer.cut.is_empty(), "you stopped it");
}

#[test]
fn a_rollout_that_was_cut_short_keeps_its_ttl_or_gets_the_old_one_back() {
    let mut window = rolled();
    window.until_named("Sets the TTL back to 8553600 s; documents that expired stay removed");
    window.click(&format!("Undo: {ROLLOUT}"));
    window.until_gone("Unfinished operations");
    assert_eq!(secs(&window), "8553600");
    let mut window = rolled();
    window.click(&format!("Stop: {ROLLOUT}"));
    window.until_gone("Unfinished operations");
    assert_eq!(secs(&window), "864000");
}

/// A window on a store in which the program died in a restore from the trash, after two steps.
fn cut_restore() -> Window {
    let (folder, source) = store();
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    source.run("test", &doc! {"createIndexes": "carts", "indexes": [index]});
    source.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    for from in 0..3 {
        let all: Vec<Document> =
            (0..1_000).map(|id| doc! {"_id": from * 1_000 + id, "at": at(-90)}).collect();
        source.run("test", &doc! {"insert": "carts", "documents": all});
    }
    source.run("admin", &doc! {"mayflyReap": 1});
    let change = BulkChange::Restore(TrashScope::default());
    cut(folder, source, Namespace::new("admin", ""), change)
}

#[test]
fn a_restore_that_was_cut_short_continues() {
    let mut window = cut_restore();
    let count = |window: &Window| {
        let reply = window.run("test", &doc! {"count": "carts"});
        reply.get_i32("n").expect("a number")
    };
    assert_eq!(count(&window), 2_000);
    window.click("Continue: Restore everything removed");
    window.until_named("Dismiss: Restored 1,000 documents");
    assert_eq!(count(&window), 3_000);
    let window = window.restart();
    assert!(window.state().transfer.cut.is_empty() && !window.has("Unfinished operations"));
}
