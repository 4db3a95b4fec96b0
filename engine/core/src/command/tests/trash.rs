//! The commands about the trash.

use bson::{Bson, Document, doc};

use crate::{
    collection::Trim,
    command::testing::{Lab, at},
    event::{Event, Subscription},
};

/// A collection with a TTL of a minute, two documents that are due and one that is not, and the
/// net.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {at: 1}, name: "ttl", expireAfterSeconds: 60}]}"#,
    );
    lab.ok(r#"{insert: "c", documents: [
            {_id: 1, at: ISODate("2023-12-31T23:00:00Z"), n: NumberDecimal("1.50")},
            {_id: 2, at: ISODate("2023-12-31T23:30:00Z"), n: NumberLong(2), u: "two"},
            {_id: 3, at: ISODate("2024-01-01T00:00:00Z")}]}"#);
    lab.check("{setParameter: 1, mayflyTrashSecs: 600}", "{was: 0}");
    lab
}

fn reaped() -> Lab {
    let lab = lab();
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    lab
}

fn advance(lab: &Lab, secs: i64) {
    lab.engine.simulated_clock().expect("simulated").advance_ms(secs * 1_000);
}

fn verified(lab: &Lab) {
    let report = lab.engine.collections().verify(&mut |_| true).expect("checked");
    assert_eq!(report.findings, []);
}

#[test]
fn what_was_removed_is_listed_newest_first() {
    let lab = reaped();
    lab.check(
        r#"{mayflyTrash: "c"}"#,
        r#"{"batch.0._id": 2, "batch.0.ns": "test.c", "batch.0.index": "ttl", "batch.0.pass": 1,
            "batch.0.removed": ISODate("2024-01-01T00:00:00Z"),
            "batch.0.expired": ISODate("2023-12-31T23:31:00Z"),
            "batch.0.until": ISODate("2024-01-01T00:10:00Z"),
            "batch.1._id": 1, "-batch.2": 1, next: null, "trash.documents": 2, "trash.secs": 600}"#,
    );
    let page = lab.ok("{mayflyTrash: 1, limit: 1}");
    let next = page.get_i64("next").expect("more");
    let rest = lab.run_document(&doc! { "mayflyTrash": 1, "after": next });
    assert_eq!(at(&rest, "batch.0._id"), Some(1.into()), "{rest}");
    lab.check("{mayflyTrash: 1, pass: 1}", r#"{"batch.1._id": 1}"#);
    lab.check("{mayflyTrash: 1, pass: 2}", "{batch: []}");
    lab.check(r#"{mayflyTrash: "d"}"#, "{batch: []}");
    lab.check(
        "{serverStatus: 1}",
        r#"{"mayfly.trash.documents": 2, "mayfly.trash.trashed": 2, "mayfly.trash.withoutTrash": 0}"#,
    );
    verified(&lab);
}

#[test]
fn without_the_net_nothing_is_kept() {
    let lab = lab();
    lab.check("{setParameter: 1, mayflyTrashSecs: 0}", "{was: 600}");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    lab.check("{mayflyTrash: 1}", r#"{batch: [], "trash.documents": 0, "trash.secs": 0}"#);
    lab.check("{mayflyRestoreTrash: 1}", "{restored: 0, held: []}");
}

#[test]
fn documents_are_restored_as_they_were_and_their_rule_is_held() {
    let lab = reaped();
    lab.check(
        r#"{mayflyRestoreTrash: "c", ids: [1, 9]}"#,
        r#"{restored: 1, notFound: 1, "held.0.ns": "test.c", "held.0.index": "ttl", more: false}"#,
    );
    let found = lab.ok(r#"{find: "c", filter: {_id: 1}}"#);
    let n = at(&found, "cursor.firstBatch.0.n").expect("there");
    assert!(matches!(&n, Bson::Decimal128(n) if n.to_string() == "1.50"), "{n}");
    lab.check(
        "{mayflyHeld: 1}",
        r#"{held: true, reason: "restoredDocuments", "holds.0.index": "ttl", due: 1}"#,
    );
    assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    lab.check(r#"{mayflyTrash: "c"}"#, r#"{"batch.0._id": 2, "-batch.1": 1}"#);
    lab.check("{mayflyRestoreTrash: 1}", r#"{restored: 1, "held.0.index": "ttl"}"#);
    lab.check(r#"{mayflyTrash: "c"}"#, r#"{batch: [], "trash.bytes": 0, "trash.restored": 2}"#);
    verified(&lab);
    lab.check(
        "{mayflyRelease: 1, ns: 'test.c', index: 'ttl', action: 'deleteNow'}",
        "{deletedDocuments: 2}",
    );
    lab.check(r#"{mayflyTrash: "c"}"#, r#"{"batch.1._id": 1}"#);
}

#[test]
fn nothing_is_overwritten_and_what_is_refused_stays() {
    let lab = reaped();
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {u: 1}, name: "u", unique: true, sparse: true}]}"#,
    );
    lab.ok(r#"{insert: "c", documents: [{_id: 1, n: "new"}, {_id: 7, u: "two"}]}"#);
    lab.check(
        r#"{mayflyRestoreTrash: "c"}"#,
        r#"{restored: 0, existing: 1, existingIds: [1], refused: 1, "refusals.0._id": 2, held: []}"#,
    );
    lab.check("{mayflyHeld: 1}", "{held: false}");
    lab.check(r#"{find: "c", filter: {_id: 1}}"#, r#"{"cursor.firstBatch.0": {_id: 1, n: "new"}}"#);
    lab.check("{mayflyTrash: 1}", r#"{"batch.1._id": 1, "trash.documents": 2}"#);
    lab.ok(r#"{delete: "c", deletes: [{q: {_id: {$in: [1, 7]}}, limit: 0}]}"#);
    lab.check(r#"{mayflyRestoreTrash: "c", ids: [1.0, 2]}"#, "{restored: 2, notFound: 0}");
    verified(&lab);
}

#[test]
fn a_damaged_document_keeps_its_place_and_no_other_in_the_trash() {
    let lab = reaped();
    lab.ok(r#"{insert: "c", documents: [{_id: 1, n: "needle"}]}"#);
    lab.spoil(b"needle");
    lab.check(
        r#"{mayflyRestoreTrash: "c"}"#,
        r#"{restored: 1, existing: 0, refused: 1, "refusals.0._id": 1}"#,
    );
}

#[test]
fn rows_leave_when_their_time_is_over() {
    let lab = reaped();
    advance(&lab, 300);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check("{mayflyTrash: 1}", r#"{"trash.documents": 3}"#);
    advance(&lab, 300);
    lab.ok("{mayflyReap: 1}");
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 3, "-batch.1": 1, "trash.documents": 1}"#);
    verified(&lab);
}

#[test]
fn the_net_and_what_it_holds_outlive_a_restart() {
    let lab = reaped().reopened();
    lab.check("{getParameter: 1, mayflyTrashSecs: 1}", "{mayflyTrashSecs: 600}");
    lab.check("{mayflyTrash: 1}", r#"{"batch.1._id": 1, "batch.1.pass": null}"#);
    lab.check("{mayflyTrash: 1, pass: 1}", "{batch: []}");
    verified(&lab);
    lab.check("{mayflyRestoreTrash: 1}", "{restored: 2}");
    verified(&lab.reopened());
}

#[test]
fn a_renamed_collection_gets_its_own_back_and_a_dropped_one_comes_back() {
    let lab = reaped();
    lab.engine.run("admin", &doc! { "renameCollection": "test.c", "to": "test.d" });
    lab.check("{mayflyTrash: 1}", r#"{"batch.0.ns": "test.d"}"#);
    lab.check(r#"{mayflyRestoreTrash: "d", ids: [1]}"#, "{restored: 1}");
    lab.ok(r#"{drop: "d"}"#);
    lab.check(r#"{mayflyRestoreTrash: "d"}"#, "{restored: 0}");
    lab.check(r#"{mayflyRestoreTrash: "c"}"#, "{restored: 1, held: []}");
    assert_eq!(lab.ids(r#"{find: "c", filter: {}}"#), [Bson::Int32(2)]);
}

#[test]
fn measurements_go_back_only_into_their_collection() {
    let lab = Lab::new();
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    lab.ok(r#"{create: "ts", timeseries: {timeField: "t"}, expireAfterSeconds: 60}"#);
    lab.ok(r#"{insert: "ts", documents: [{t: ISODate("2023-01-01T00:00:00Z"), v: 1}, {t: ISODate("2023-01-01T00:00:01Z"), v: 2}]}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(r#"{mayflyRestoreTrash: "ts"}"#, "{restored: 1}");
    lab.check(
        r#"{find: "ts", filter: {}}"#,
        r#"{"cursor.firstBatch.0.v": 1, "cursor.firstBatch.1.v": 2}"#,
    );
    verified(&lab);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.ok(r#"{drop: "ts"}"#);
    lab.check(r#"{mayflyRestoreTrash: "ts"}"#, "{restored: 0, refused: 1}");
}

#[test]
fn a_document_without_a_hold_lives_on_by_its_last_write() {
    let lab = Lab::new();
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {_ts: 1}, name: "ts", expireAfterSeconds: 60}]}"#,
    );
    lab.ok(r#"{insert: "c", documents: [{_id: 1}]}"#);
    advance(&lab, 100);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(r#"{mayflyRestoreTrash: "c"}"#, "{restored: 1, held: []}");
    advance(&lab, 50);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 0}");
    advance(&lab, 10);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
}

#[test]
fn the_trash_is_never_larger_than_it_may_be() {
    let lab = lab();
    let text = "x".repeat(1_000_000);
    for id in 100..180 {
        let document = doc! { "_id": id, "at": bson::DateTime::from_millis(0), "text": &text };
        lab.run_document(&doc! { "insert": "c", "documents": [document] });
    }
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 82}");
    let status = lab.engine.reaper().trash_status().expect("read");
    assert!((60_000_000..=crate::limits::TRASH_BYTES_MAX).contains(&status.bytes), "{status:?}");
    lab.check("{mayflyTrash: 1, limit: 1}", r#"{"batch.0._id": 2}"#);
    let listed: Document = lab.ok("{mayflyTrash: 1, limit: 1000}");
    assert_eq!(listed.get_array("batch").expect("rows").len() as u64, status.documents);
    verified(&lab);
}

/// Damage events since the subscription.
fn damage_told(events: &Subscription) -> Vec<String> {
    let told = events.try_iter().filter_map(|event| match event {
        Event::DamageFound(finding) => Some(finding.sentence),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_damaged_row_leaves_alone_and_is_told() {
    let lab = lab();
    lab.ok(r#"{update: "c", updates: [{q: {_id: 1}, u: {$set: {mark: "SPOIL-ME"}}}]}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    advance(&lab, 300);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    let events = lab.engine.subscribe();
    lab.spoil(b"SPOIL-ME");
    // No time is over yet.
    lab.ok("{mayflyReap: 1}");
    let told = damage_told(&events);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("The trash: 1 removed document can't be restored"), "{told:?}");
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 3, "batch.1._id": 2, "trash.documents": 2}"#);
    verified(&lab);
    lab.ok("{mayflyReap: 1}");
    assert_eq!(damage_told(&events), [] as [&str; 0], "once");
    lab.check(r#"{mayflyRestoreTrash: "c", ids: [2]}"#, "{restored: 1}");
    advance(&lab, 300);
    lab.ok("{mayflyRelease: 1}");
    lab.ok("{mayflyReap: 1}");
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 2, "batch.1._id": 3, "trash.documents": 2}"#);
    advance(&lab, 300);
    lab.ok("{mayflyReap: 1}");
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 2, "-batch.1": 1, "trash.documents": 1}"#);
    verified(&lab);
}

#[test]
fn many_damaged_rows_leave_in_bounded_steps() {
    let lab = Lab::new();
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {at: 1}, name: "ttl", expireAfterSeconds: 60}]}"#,
    );
    let documents: Vec<Bson> = (100..6_100)
        .map(|id| {
            let at = bson::DateTime::from_millis(0);
            Bson::Document(doc! { "_id": id, "at": at, "mark": "SPOIL-ME" })
        })
        .collect();
    lab.run_document(&doc! { "insert": "c", "documents": documents });
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 6000}");
    lab.ok(r#"{insert: "c", documents: [{_id: 1, at: ISODate("2020-01-01T00:00:00Z")}]}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.spoil(b"SPOIL-ME");
    let collections = lab.engine.collections();
    let (mut removed, mut damaged, mut steps) = (0, 0, 0);
    loop {
        let step = collections.trim_trash_step(Trim::Age(0)).expect("trimmed");
        (removed, damaged, steps) = (removed + step.removed, damaged + step.damaged, steps + 1);
        if !step.more {
            break;
        }
    }
    println!("{removed} rows left in {steps} steps");
    assert_eq!((removed, damaged), (6_000, 6_000));
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 1, "-batch.1": 1, "trash.documents": 1}"#);
    verified(&lab);
}

#[test]
fn many_damaged_rows_hide_none_that_came_before() {
    let lab = Lab::new();
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {at: 1}, name: "ttl", expireAfterSeconds: 60}]}"#,
    );
    lab.ok(r#"{insert: "c", documents: [{_id: 1, at: ISODate("2020-01-01T00:00:00Z")}]}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    let documents: Vec<Bson> = (100..6_100)
        .map(|id| {
            let at = bson::DateTime::from_millis(0);
            Bson::Document(doc! { "_id": id, "at": at, "mark": "SPOIL-ME" })
        })
        .collect();
    lab.run_document(&doc! { "insert": "c", "documents": documents });
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 6000}");
    lab.spoil(b"SPOIL-ME");
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 1, "-batch.1": 1, "trash.documents": 6001}"#);
    lab.check(r#"{mayflyRestoreTrash: "c"}"#, "{restored: 1}");
}

#[test]
fn what_is_asked_is_checked() {
    let lab = reaped();
    let check = |command: &str, code: i32| lab.check(command, &format!("{{ok: 0, code: {code}}}"));
    check("{mayflyTrash: 1, limit: -1}", 2);
    check("{mayflyTrash: 1, pass: 0}", 2);
    check("{mayflyTrash: {}}", 73);
    check("{mayflyTrash: 1, other: 1}", 40415);
    check("{mayflyRestoreTrash: 1, ids: [1]}", 2);
    check(r#"{mayflyRestoreTrash: "c", ids: 1}"#, 14);
}

#[test]
fn what_is_held_stays_held_when_out_replaces_the_collection() {
    let lab = reaped();
    lab.check(r#"{mayflyRestoreTrash: "c"}"#, r#"{restored: 2, "held.0.index": "ttl"}"#);
    lab.ok("{aggregate: 'c', pipeline: [{$set: {more: 1}}, {$out: 'c'}], cursor: {}}");
    let held = r#"{held: true, reason: "restoredDocuments", "holds.0.ns": "test.c", "holds.0.index": "ttl",
        "-holds.1": 1, due: 2}"#;
    lab.check("{mayflyHeld: 1}", held);
    assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    let lab = lab.reopened();
    lab.check("{mayflyHeld: 1}", held);
    assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    lab.check("{mayflyRelease: 1, ns: 'test.c', index: 'ttl'}", "{ok: 1}");
    lab.check("{mayflyHeld: 1}", "{held: false}");
    assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 2));
}

#[test]
fn what_one_of_several_commands_has_restored_stays_held() {
    for _ in 0..25 {
        let lab = reaped();
        let restored: i64 = std::thread::scope(|scope| {
            let restore =
                || lab.ok("{mayflyRestoreTrash: 'c'}").get_i64("restored").expect("a number");
            let all: Vec<_> = (0..4).map(|_| scope.spawn(restore)).collect();
            all.into_iter().map(|one| one.join().expect("ended")).sum()
        });
        assert_eq!(restored, 2);
        lab.check("{mayflyHeld: 1}", "{held: true, reason: 'restoredDocuments', due: 2}");
        assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    }
}

#[test]
fn damaged_counters_of_the_net_are_made_anew_at_the_next_opening() {
    let lab = reaped();
    let status = lab.engine.reaper().trash_status().expect("read");
    lab.spoil_counters(0);
    let report = lab.engine.collections().verify(&mut |_| true).expect("checked");
    let sentences: Vec<_> = report.findings.iter().map(|it| it.sentence.as_str()).collect();
    assert_eq!(sentences, ["The trash: Its counters are damaged."]);
    let lab = lab.reopened();
    let warnings = &lab.engine.open_report().warnings;
    assert!(
        warnings.iter().any(|it| it.contains("the counters of the trash were damaged")),
        "{warnings:?}"
    );
    assert_eq!(lab.engine.reaper().trash_status(), Ok(status));
    verified(&lab);
    lab.check(r#"{mayflyRestoreTrash: "c"}"#, "{restored: 2}");
}

#[test]
fn a_restore_in_steps_reaches_every_row_and_meets_none_twice() {
    let lab = reaped();
    lab.ok(r#"{insert: "c", documents: [{_id: 4, at: ISODate("2023-12-31T23:00:00Z")}]}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    // The newest row stays in the trash: its `_id` is taken.
    lab.ok(r#"{insert: "c", documents: [{_id: 4, n: "new"}]}"#);
    lab.check("{mayflyTrash: 1, limit: 1, count: true}", "{matching: 3}");
    lab.check("{mayflyTrash: 1, limit: 1, count: true, pass: 1}", "{matching: 2}");
    let mut step = doc! { "mayflyRestoreTrash": 1, "limit": 1 };
    let (mut restored, mut steps) = (0, 0);
    loop {
        let reply = lab.run_document(&step);
        restored += reply.get_i64("restored").expect("a count");
        steps += 1;
        // A pass between two steps removes nothing that is restored.
        assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
        let Ok(next) = reply.get_i64("next") else {
            assert_eq!(reply.get_bool("more").ok(), Some(false), "{reply}");
            break;
        };
        assert_eq!(reply.get_bool("more").ok(), Some(true), "{reply}");
        step.insert("after", next);
    }
    assert_eq!((restored, steps), (2, 3));
    lab.check("{mayflyTrash: 1}", r#"{"batch.0._id": 4, "-batch.1": 1}"#);
    lab.check(r#"{count: "c"}"#, "{n: 4}");
}

#[test]
fn what_is_restored_is_reported_with_the_version_that_came_back() {
    let lab = reaped();
    let events = lab.engine.subscribe();
    lab.ok(r#"{insert: "c", documents: [{_id: 2, n: "new"}]}"#);
    lab.ok(r#"{mayflyRestoreTrash: "c"}"#);
    let restored = events.try_iter().find_map(|event| match event {
        Event::Restored(documents) => Some(documents),
        _ => None,
    });
    let restored = restored.expect("reported");
    assert_eq!(restored.len(), 1, "{restored:?}");
    let removed_ms = 1_704_067_200_000;
    assert_eq!((&restored[0].id, restored[0].removed_ms), (&Bson::Int32(1), removed_ms));
    assert_eq!(restored[0].namespace.to_string(), "test.c");
}

#[test]
fn what_waits_for_an_archive_that_is_not_known_can_be_discarded() {
    let lab = lab();
    lab.ok("{mayflyArchive: 'c'}");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    lab.check("{mayflyDiscardTrash: 1}", "{discarded: 0}");
    lab.check("{mayflyHeld: 1}", "{archives: []}");
    lab.spoil_meta("archives");
    let lab = lab.reopened().reopened();
    let unknown = "{'archives.0.ns': 'test.c', 'archives.0.reason': 'archiveUnknown'}";
    lab.check("{mayflyHeld: 1}", unknown);
    lab.check("{mayflyTrash: 1}", "{'trash.unclaimed': 2, 'trash.waiting': 2}");
    let words = "2 removed documents wait for an archive that the store no longer knows (test.c).";
    let warnings = &lab.engine.open_report().warnings;
    assert!(warnings.iter().any(|warning| warning.starts_with(words)), "{warnings:?}");
    lab.check("{mayflyDiscardTrash: 'd'}", "{discarded: 0}");
    lab.check("{mayflyRestoreTrash: 'c', ids: [1]}", "{restored: 1}");
    lab.check("{mayflyDiscardTrash: 'c'}", "{discarded: 1}");
    lab.check("{mayflyTrash: 1}", "{batch: []}");
    lab.check("{mayflyHeld: 1}", "{archives: []}");
    verified(&lab);
}

#[test]
fn the_counts_of_waiting_rows_outlive_damage() {
    let waiting = |lab: &Lab, expected: i64| {
        lab.check("{mayflyTrash: 1}", &format!("{{'trash.waiting': {expected}}}"));
        verified(lab);
    };
    let archived = || {
        let lab = lab();
        lab.ok("{mayflyArchive: 'c'}");
        lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
        lab
    };
    // The counts themselves, with and without a change before the next opening.
    for changes in [false, true] {
        let lab = archived();
        lab.spoil_meta("trashWaiting");
        lab.check("{mayflyTrash: 1}", "{'trash.waiting': 2}");
        if changes {
            lab.check("{mayflyRestoreTrash: 'c', ids: [1]}", "{restored: 1}");
        }
        let lab = lab.reopened();
        let repaired = "Repaired: the counts of removed documents that wait for archives";
        let warnings = &lab.engine.open_report().warnings;
        let is_told = warnings.iter().any(|warning| warning.starts_with(repaired));
        assert_eq!(is_told, !changes, "{warnings:?}");
        waiting(&lab, if changes { 1 } else { 2 });
    }
    // A row that waited.
    let lab = archived();
    lab.spoil(b"two");
    while lab.engine.collections().trim_trash_step(Trim::Room).expect("trimmed").more {}
    while lab.engine.collections().trim_trash_step(Trim::Everything).expect("trimmed").more {}
    waiting(&lab, 1);
}
