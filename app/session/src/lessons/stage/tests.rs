//! A stage without its scripts.

use std::sync::Arc;

use bson::{Document, doc};

use super::*;
use crate::lessons::audience::NoAudience;
use crate::lessons::tests::{START_MS, lesson};

pub(in crate::lessons) fn pacer() -> Arc<Pacer> {
    Arc::new(Pacer::new(Arc::new(NoAudience), true, 1.0, Box::new(|_| {})))
}

fn stage(front: &str) -> Stage {
    let lesson = lesson(front, "## A card\n\nText.\n");
    Stage::open(&lesson, pacer(), Arc::new(|_: &Event| {})).expect("a stage")
}

fn run(stage: &Stage, command: &Document) {
    let reply = stage.store().run(DATABASE, command, &Cancel::default());
    assert!(!reply.contains_key("errmsg"), "{reply}");
}

fn fill(stage: &Stage, seconds: impl IntoIterator<Item = i64>) {
    let date = |secs| bson::DateTime::from_millis(START_MS + secs * 1_000);
    let documents = seconds.into_iter().map(|secs| doc! {"at": date(secs)});
    let documents: Vec<Document> = documents.collect();
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0};
    run(stage, &doc! {"createIndexes": "c", "indexes": [index]});
    run(stage, &doc! {"insert": "c", "documents": documents});
}

/// The seconds from the start to each removal.
fn removals(stage: &Stage) -> Vec<i64> {
    let rows = stage.ledger().of(DATABASE, "c");
    rows.iter().map(|row| (row.removed_ms - START_MS) / 1_000).collect()
}

#[test]
fn a_pass_at_an_instant_comes_at_the_end_of_a_play() {
    let stage = stage("");
    fill(&stage, [60]);
    assert!(stage.advance(START_MS + 60_000, false));
    assert_eq!((stage.clock().now_ms(), removals(&stage)), (START_MS + 60_000, vec![]));
    assert!(!stage.advance(START_MS + 60_000, true), "a pass ran");
    assert!(stage.advance(START_MS + 60_000, true));
    assert_eq!(removals(&stage), [60]);
    assert_eq!(stage.events(), [START_MS + 60_000]);
    assert_eq!(stage.schedule(), (START_MS + 120_000, true));
}

/// Lesson 35: each removal takes a second, so the next sleep begins at the end of the pass.
#[test]
fn removing_takes_time() {
    let stage = stage("[reaper]\nload = \"1s\"\n");
    fill(&stage, (0..250).map(|_| 60).chain([65]));
    while !stage.advance(START_MS + 400_000, true) {}
    assert_eq!((removals(&stage).len(), removals(&stage).last()), (251, Some(&370)));
    assert_eq!(stage.schedule().0, START_MS + 431_000);
}

#[test]
fn a_run_stops_where_a_replay_goes() {
    let stage = stage("");
    let cancel = Cancel::default();
    stage.begin_run(&cancel);
    stage.pacer().set_halt(Some(START_MS + 30_000));
    assert!(stage.advance(START_MS + 30_000, true), "it is not beyond");
    assert!(!cancel.is_cancelled());
    stage.advance(START_MS + 90_000, true);
    assert_eq!(stage.clock().now_ms(), START_MS + 30_000);
    assert_eq!(stage.pacer().end(), Some(PlayEnd::Halted));
    assert!(cancel.is_cancelled());
}

#[test]
fn a_store_holds_no_more_than_a_lesson_may() {
    let stage = stage("");
    for batch in 0..11 {
        let documents: Vec<Document> =
            (0..10_000).map(|id| doc! {"_id": batch * 10_000 + id}).collect();
        let reply = stage.store().run(
            DATABASE,
            &doc! {"insert": "c", "documents": documents},
            &Cancel::default(),
        );
        assert_eq!(reply.contains_key("errmsg"), batch == 10, "{reply}");
    }
}

#[test]
fn the_folder_goes_with_the_store() {
    let stage = stage("");
    let folder = stage.store().folder().to_owned();
    assert!(folder.exists());
    drop(stage);
    assert!(!folder.exists());
}
