use bson::doc;

use super::*;
use crate::{
    command::testing::Lab,
    engine::{Engine, EngineOptions},
    event::Event,
    store::rot,
};

/// Steps until nothing is left. The engine's own thread may take some of the steps.
fn finish(lab: &Lab) -> ScrubStatus {
    let collections = lab.engine.collections();
    while collections.scrub_step().expect("readable") != ScrubStep::Idle {}
    collections.scrub_status().expect("readable")
}

#[test]
fn reads_everything_and_finds_damage() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
    lab.ok("{insert: 'c', documents: [{_id: 1, a: [1, 2]}, {_id: 2, a: 3}]}");
    lab.ok("{insert: 'd', documents: [{_id: 1}]}");
    let collections = lab.engine.collections();
    collections.start_scrub().expect("begun");
    let status = finish(&lab);
    assert_eq!((status.documents, status.entries, status.findings), (3, 3, 0), "{status:?}");
    let namespace = Namespace::new("test", "c");
    let id = collections.catalog().collection(&namespace).expect("a collection").id;
    let damage = collections.store().write(|writer| writer.put_document(id, 77, 0, b"no BSON"));
    damage.expect("written");
    collections.start_scrub().expect("begun");
    let status = finish(&lab);
    assert_eq!((status.documents, status.findings), (4, 1), "{status:?}");
    assert!(status.finished_ms.is_some() && !status.is_running);
}

#[test]
fn a_damaged_state_only_starts_a_scrub_early() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    lab.engine.collections().start_scrub().expect("begun");
    assert!(finish(&lab).finished_ms.is_some());
    lab.spoil_meta(SCRUB_META);
    let lab = lab.reopened();
    // The walk of the opening has found the damaged row.
    assert_eq!(finish(&lab).documents, 1);
}

#[test]
fn rotten_rows_are_reported_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || {
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        Engine::open(folder.path(), options).expect("it opens")
    };
    let engine = open();
    let index = doc! { "key": { "s": 1 }, "name": "by_s" };
    engine.run("db", &doc! { "createIndexes": "c", "indexes": [index] });
    let documents = [doc! { "_id": 1, "s": "needle" }, doc! { "_id": 2, "s": "other" }];
    engine.run("db", &doc! { "insert": "c", "documents": documents.to_vec() });
    engine.close().expect("closed");
    rot(folder.path(), &[b"needle"]);
    let engine = open();
    let warnings = &engine.open_report().warnings;
    assert!(warnings.iter().any(|it| it.contains("(document with _id 1 of")), "{warnings:?}");
    let collections = engine.collections();
    assert!(collections.scrub_status().expect("readable").started_ms.is_some());
    // Saving its position would move the row that is to be damaged.
    collections.stop_scrub().expect("stopped");
    let written: Result<(), StoreError> = collections.store().write(|writer| {
        writer.put_meta("note", b"a note")?;
        writer.put_document(CollectionId(0), 7, 0, b"a removed row")
    });
    written.expect("written");
    rot(folder.path(), &[b"a note", b"a removed row", b"by_s"]);
    let events = engine.subscribe();
    collections.start_scrub().expect("begun");
    let mut found = std::collections::BTreeSet::new();
    while found.len() < 5 {
        let event = events.recv_timeout(Duration::from_secs(30)).expect("in time");
        if let Event::DamageFound(Finding { namespace, index, sentence, .. }) = event {
            let index = index.map(|index| format!(" {index}")).unwrap_or_default();
            found.insert(format!("{namespace}{index}: {sentence}"));
        }
    }
    let check = |place: &str, words: &str| {
        let is_it = |one: &String| one.starts_with(place) && one.contains(words);
        assert!(found.iter().any(is_it), "{place} {words}: {found:?}");
    };
    check("db.c: ", "document with _id 1 does not");
    check("db.c by_s: ", "index entry of document with _id 1 ");
    check("db.c: ", "the definition of db.c does not match its checksum");
    check("admin.store: ", "the store's value \"note\" does not match its checksum");
    check("admin.trash: ", "document 7 does not match its checksum");
}

#[test]
fn the_state_survives_storing() {
    let mut state = ScrubState {
        position: ScrubPosition { collection: 3, index: 4, key: vec![1, 2], record: 9 },
        ..ScrubState::default()
    };
    state.status = ScrubStatus {
        is_running: true,
        started_ms: Some(5),
        finished_ms: None,
        documents: 7,
        entries: 8,
        findings: 1,
    };
    let again = ScrubState::from_document(&state.to_document());
    assert_eq!((again.position, again.status), (state.position, state.status));
}

#[test]
fn resumes_at_its_position() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 'a'}, {_id: 'b'}, {_id: 'c'}]}");
    let collections = lab.engine.collections();
    let (catalog, mut state, mut steps) = (collections.catalog(), ScrubState::default(), 0);
    let mut findings = Vec::new();
    // Every step ends at once, after one row.
    let mut step = || {
        collections.store().read(|reader| {
            let (state, findings) = (&mut state, &mut findings);
            ScrubRead { reader, until: Duration::ZERO, state, findings }.take(&catalog)
        })
    };
    while !step().expect("readable") {
        steps += 1;
    }
    assert_eq!((state.status.documents, state.status.entries), (3, 3));
    let rows = collections.store().read(|reader| {
        let counts = SMALL_TABLES.map(|table| Ok(reader.check_rows(table, &[])?.count()));
        counts.into_iter().sum::<Result<usize, StoreError>>()
    });
    assert_eq!(Ok(steps), rows.map(|rows| rows + 6), "each row ends one");
}

#[test]
fn is_due_after_a_month_and_after_a_clock_that_was_wrong() {
    let now_ms = 1_704_067_200_000;
    assert!(!is_due(now_ms, now_ms));
    assert!(!is_due(now_ms - SCRUB_EVERY_MS + 1, now_ms));
    assert!(is_due(now_ms - SCRUB_EVERY_MS, now_ms));
    assert!(is_due(now_ms + 1, now_ms), "it ended in the future");
    assert!(is_due(i64::MIN, now_ms) && is_due(i64::MAX, now_ms) && is_due(i64::MAX, -2));
}

#[test]
fn a_simulated_month_makes_none_due() {
    let lab = Lab::new();
    lab.ok("{mayflyClock: 1, advanceMS: NumberLong(31536000000)}");
    assert_eq!(lab.engine.collections().scrub_step(), Ok(ScrubStep::Idle));
}
