//! The commands about archives.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::{catalog::Namespace, command::testing::Lab, event::Event};

/// A collection with a TTL of a minute, two documents that are due and one that is not.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {at: 1}, name: "ttl", expireAfterSeconds: 60}]}"#,
    );
    lab.ok(r#"{insert: "c", documents: [
            {_id: 1, at: ISODate("2023-12-31T23:00:00Z"), n: "one"},
            {_id: 2, at: ISODate("2023-12-31T23:30:00Z"), n: "two"},
            {_id: 3, at: ISODate("2024-01-01T00:00:00Z"), n: "three"}]}"#);
    lab
}

#[test]
fn an_archive_is_switched_on_listed_and_switched_off() {
    let lab = lab();
    lab.check("{mayflyArchives: 1}", "{archives: []}");
    lab.check(
        r#"{mayflyArchive: "c", maxBytes: 1000000, maxAgeSecs: 86400}"#,
        r#"{ok: 1, ns: "test.c", on: true, target: "", maxBytes: 1000000, maxAgeSecs: 86400, state: "ready"}"#,
    );
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    let listed = r#"{"archives.0.ns": "test.c", "archives.0.documents": 2, "archives.0.segments": 1,
        "archives.0.state": "ready", "archives.0.unreadableBytes": 0}"#;
    lab.check("{mayflyArchives: 1}", listed);
    let lab = lab.reopened();
    lab.check("{mayflyArchives: 1}", listed);
    lab.check(r#"{mayflyArchive: "c", off: true}"#, r#"{on: false, state: "off"}"#);
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.documents": 2, "archives.0.on": false}"#);
    lab.check(r#"{mayflyArchive: "c"}"#, "{on: true, maxBytes: null}");
}

#[test]
fn settings_are_checked() {
    let lab = lab();
    lab.ok(r#"{create: "v", viewOn: "c", pipeline: []}"#);
    lab.ok(r#"{create: "ts", timeseries: {timeField: "t"}}"#);
    let check = |command: &str, code: i32| lab.check(command, &format!("{{ok: 0, code: {code}}}"));
    check(r#"{mayflyArchive: "none"}"#, 26);
    check(r#"{mayflyArchive: "none", off: true}"#, 26);
    check(r#"{mayflyArchive: "v"}"#, 166);
    check(r#"{mayflyArchive: "ts"}"#, 115);
    check(r#"{mayflyArchive: "c", maxBytes: 10}"#, 2);
    check(r#"{mayflyArchive: "c", maxAgeSecs: -1}"#, 2);
    check(r#"{mayflyArchive: "c", target: "old"}"#, 2);
    check(r#"{mayflyArchive: "c", target: "gs://bucket/x"}"#, 238);
    check(r#"{mayflyArchive: "c", target: "s3://key:word@bucket/x"}"#, 2);
    check(r#"{mayflyArchive: "c", target: 5}"#, 14);
    check(r#"{mayflyArchive: "c", off: true, maxBytes: 1000000}"#, 2);
    check(r#"{mayflyArchive: "c", other: 1}"#, 40415);
    lab.check("{mayflyArchives: 1}", "{archives: []}");
}

#[test]
fn an_archive_follows_a_renamed_collection_and_outlives_a_dropped_one() {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c"}"#);
    lab.ok("{mayflyReap: 1}");
    lab.engine.run("admin", &bson::doc! { "renameCollection": "test.c", "to": "test.d" });
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.ns": "test.d", "archives.0.on": true}"#);
    lab.ok(r#"{drop: "d"}"#);
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.ns": "test.c", "archives.0.documents": 2}"#);
    lab.ok(r#"{create: "c"}"#);
    lab.ok(r#"{mayflyArchive: "c"}"#);
    let gone_on = r#"{"archives.0.ns": "test.c", "archives.0.documents": 2, "-archives.1": 1}"#;
    lab.check("{mayflyArchives: 1}", gone_on);
    lab.reopened().check("{mayflyArchives: 1}", gone_on);
}

/// A lab whose two documents that are due have been archived.
fn reaped() -> Lab {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c"}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    lab
}

#[test]
fn an_archive_is_browsed_newest_first() {
    let lab = reaped();
    lab.engine.simulated_clock().expect("simulated").advance_ms(120_000);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.0._id": 3, "batch.0.document": {_id: 3, at: ISODate("2024-01-01T00:00:00Z"), n: "three"},
            "batch.0.removed": ISODate("2024-01-01T00:02:00Z"), "batch.0.index": "ttl", "batch.0.ns": "test.c",
            "batch.0.expired": ISODate("2024-01-01T00:01:00Z"),
            "batch.1._id": 2, "batch.2._id": 1, "-batch.3": 1, next: null}"#,
    );
    let page = lab.ok(r#"{mayflyTrash: "c", archived: true, documents: true, limit: 2}"#);
    let next = page.get_document("next").expect("more").clone();
    let rest =
        lab.run_document(&bson::doc! { "mayflyTrash": "c", "archived": true, "after": next });
    assert_eq!(crate::command::testing::at(&rest, "batch.0._id"), Some(1.into()), "{rest}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true, filter: {n: /^t/}}"#,
        r#"{"batch.0._id": 3, "batch.1._id": 2, "-batch.2": 1}"#,
    );
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true, filter: {$expr: {$eq: ["$n", "one"]}}}"#,
        r#"{"batch.0._id": 1, "-batch.1": 1}"#,
    );
    lab.check(r#"{mayflyTrash: "d", archived: true}"#, "{batch: []}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true, filter: {$no: 1}}"#,
        "{ok: 0, code: 2}",
    );
    lab.check(r#"{mayflyTrash: "c", archived: true, documents: true, after: {trash: null, archives: {f: {segment: 1}}}}"#, "{ok: 0, code: 2}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true, limit: -1}"#,
        "{ok: 0, code: 2}",
    );
}

#[test]
fn the_rule_that_would_remove_it_again_is_held_before_a_restore() {
    let lab = reaped();
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, ids: [1, 9]}"#,
        r#"{restored: 1, notFound: 1, "held.0.ns": "test.c", "held.0.index": "ttl", more: false}"#,
    );
    lab.check(r#"{find: "c", filter: {_id: 1}}"#, r#"{"cursor.firstBatch.0.n": "one"}"#);
    lab.check(
        "{mayflyHeld: 1}",
        r#"{held: true, reason: "restoredDocuments", "holds.0.index": "ttl", due: 1}"#,
    );
    assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    // The archive keeps it.
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.0._id": 2, "batch.1._id": 1, "-batch.2": 1}"#,
    );
    lab.check(
        "{mayflyRelease: 1, ns: 'test.c', index: 'ttl', action: 'deleteNow'}",
        "{deletedDocuments: 1}",
    );
    for command in [
        r#"{mayflyRestoreTrash: "c", archived: true, ids: [2], force: true}"#,
        r#"{mayflyRestoreTrash: "c", archived: true, ids: [2], setDate: ISODate("2024-01-01")}"#,
    ] {
        lab.check(command, "{ok: 0, code: 40415}");
    }
}

#[test]
fn putting_back_never_overwrites() {
    let lab = reaped();
    lab.ok(r#"{createIndexes: "c", indexes: [{key: {n: 1}, name: "n", unique: true}]}"#);
    lab.ok(r#"{insert: "c", documents: [{_id: 1, n: "new"}, {_id: 7, n: "two"}]}"#);
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, filter: {}}"#,
        r#"{restored: 0, existing: 1, existingIds: [1], refused: 1, "refusals.0._id": 2, notFound: 0}"#,
    );
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, ids: [1]}"#,
        "{restored: 0, existing: 1, held: []}",
    );
    lab.check(r#"{find: "c", filter: {_id: 1}}"#, r#"{"cursor.firstBatch.0": {_id: 1, n: "new"}}"#);
    lab.ok(r#"{drop: "c"}"#);
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, filter: {n: "two"}}"#,
        "{restored: 1, existing: 0}",
    );
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, ids: [2.0]}"#,
        "{restored: 0, existing: 1}",
    );
    lab.check(r#"{mayflyRestoreTrash: "c", archived: true, ids: 1}"#, "{ok: 0, code: 14}");
    lab.check(r#"{mayflyRestoreTrash: "x", archived: true}"#, "{restored: 0}");
}

#[test]
fn a_damaged_document_keeps_its_place_and_no_other_in_the_archive() {
    let lab = reaped();
    lab.ok(r#"{insert: "c", documents: [{_id: 1, n: "needle"}]}"#);
    lab.spoil(b"needle");
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, filter: {}}"#,
        r#"{restored: 1, existing: 0, refused: 1, "refusals.0._id": 1}"#,
    );
}

#[test]
fn of_each_id_the_newest_is_restored() {
    let lab = reaped();
    lab.ok(
        r#"{insert: "c", documents: [{_id: 1, at: ISODate("2023-12-31T22:00:00Z"), n: "newer"}]}"#,
    );
    lab.engine.simulated_clock().expect("simulated").advance_ms(1_000);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true, filter: {_id: 1}}"#,
        r#"{"batch.0.document.n": "newer", "batch.1.document.n": "one"}"#,
    );
    lab.check(
        r#"{mayflyRestoreTrash: "c", archived: true, filter: {}}"#,
        "{restored: 2, existing: 0}",
    );
    lab.check(r#"{find: "c", filter: {_id: 1}}"#, r#"{"cursor.firstBatch.0.n": "newer"}"#);
    lab.ok(r#"{delete: "c", deletes: [{q: {_id: 1}, limit: 1}]}"#);
    lab.check(r#"{mayflyRestoreTrash: "c", archived: true, filter: {n: /^o/}}"#, "{restored: 1}");
    lab.check(r#"{find: "c", filter: {_id: 1}}"#, r#"{"cursor.firstBatch.0.n": "one"}"#);
}

#[test]
fn what_is_restored_follows_its_collection_to_another_name() {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c"}"#);
    let expired = |id| bson::doc! { "_id": id, "at": bson::DateTime::from_millis(0) };
    let documents: Vec<_> = (10..510).map(expired).collect();
    lab.run_document(&bson::doc! { "insert": "c", "documents": documents });
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 502}");
    let collections = Arc::downgrade(lab.engine.collections());
    let is_renamed = AtomicBool::new(false);
    lab.engine.collections().observe(move |change| {
        // When the first batch is there.
        if matches!(change, Event::DataChanged(_)) && !is_renamed.swap(true, Ordering::Relaxed) {
            let name = |name| Namespace::new("test", name);
            let collections = collections.upgrade().expect("open");
            collections.rename(&name("c"), &name("d")).expect("renamed");
        }
    });
    lab.check(r#"{mayflyRestoreTrash: "c", archived: true, filter: {}}"#, "{restored: 502}");
    lab.check(r#"{count: "d"}"#, "{n: 503}");
    lab.check(r#"{count: "c"}"#, "{n: 0}");
}

#[test]
fn a_failing_archive_is_told_everywhere() {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c"}"#);
    let folder = lab.engine.collections().store().folder().join("archive");
    std::fs::write(&folder, "a file in the way").expect("written");
    lab.check(
        "{mayflyReap: 1}",
        r#"{deletedDocuments: 2, "failing.0.ns": "test.c", "failing.0.reason": "archiveFailed"}"#,
    );
    lab.check(
        "{mayflyArchives: 1}",
        r#"{"archives.0.state": "failing", "archives.0.attempts": 1, "archives.0.waiting": 2}"#,
    );
    lab.check(
        "{mayflyTrash: 1}",
        r#"{"batch.1._id": 1, "batch.0.archive": "test.c", "trash.waiting": 2}"#,
    );
    lab.check("{mayflyHeld: 1}", r#"{held: false, "archives.0.ns": "test.c"}"#);
    lab.check(
        "{serverStatus: 1}",
        r#"{"mayfly.archives.on": 1, "mayfly.archives.failing.0.ns": "test.c"}"#,
    );
    let log = lab.ok(r#"{getLog: "global"}"#).to_string();
    assert!(log.contains("Can't write the archive of test.c"), "{log}");
    std::fs::remove_file(&folder).expect("removed");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 0, failing: []}");
    lab.check("{mayflyHeld: 1}", "{archives: []}");
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.documents": 2, "archives.0.waiting": 0}"#);
    lab.check("{serverStatus: 1}", r#"{"mayfly.archives.failing": []}"#);
}

/// A lab with a document that is hidden and not yet removed, and an archive.
fn hidden() -> Lab {
    let lab = Lab::new();
    lab.ok(
        r#"{createIndexes: "c", indexes: [{key: {_ts: 1}, name: "ts", expireAfterSeconds: 60}]}"#,
    );
    lab.ok(r#"{createIndexes: "c", indexes: [{key: {u: 1}, name: "u", unique: true}]}"#);
    lab.ok(r#"{mayflyArchive: "c"}"#);
    lab.ok(r#"{insert: "c", documents: [{_id: 1, u: 1, n: "old"}, {_id: 2, u: 2, n: "older"}]}"#);
    lab.engine.simulated_clock().expect("simulated").advance_ms(100_000);
    lab
}

#[test]
fn a_hidden_document_that_gives_way_waits_in_the_trash() {
    let lab = hidden();
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    lab.check(
        r#"{insert: "c", documents: [{_id: 1, u: 2, n: "new"}, {_id: 3, u: 3}], ordered: false}"#,
        "{ok: 1, n: 2, '-writeErrors': 1}",
    );
    lab.check(
        r#"{mayflyTrash: "c"}"#,
        r#"{"batch.0.pass": null, "batch.1.index": "ts", "batch.1.archive": "test.c", "-batch.2": 1}"#,
    );
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 0}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true}"#,
        r#"{"-batch.0.target": 1, "-batch.1.target": 1, "-batch.2": 1}"#,
    );
    lab.engine.simulated_clock().expect("simulated").advance_ms(600_000);
    lab.ok("{mayflyReap: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true, filter: {u: 1}}"#,
        r#"{"batch.0.document": {_id: 1, u: 1, n: "old"}, "batch.0.index": "ts", "-batch.1": 1,
            "batch.0.removed": ISODate("2024-01-01T00:01:40Z"),
            "batch.0.expired": ISODate("2024-01-01T00:01:00Z")}"#,
    );
    let report = lab.engine.collections().verify(&mut |_| true).expect("checked");
    assert_eq!(report.findings, []);
}

#[test]
fn a_hidden_document_gives_way_while_the_archive_fails() {
    let lab = hidden();
    let folder = lab.engine.collections().store().folder().join("archive");
    std::fs::write(&folder, "a file in the way").expect("written");
    lab.check(r#"{insert: "c", documents: [{_id: 1, u: 1, n: "new"}]}"#, "{ok: 1, n: 1}");
    assert_eq!(lab.engine.collections().verify(&mut |_| true).expect("checked").documents, 2);
    std::fs::remove_file(&folder).expect("removed");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.1.index": "ts", "-batch.2": 1}"#,
    );
}

/// A `$out` of all documents of `from` into `into`.
fn out(from: &str, into: &str) -> String {
    format!("{{aggregate: '{from}', pipeline: [{{$out: '{into}'}}], cursor: {{}}}}")
}

fn rename_over(lab: &Lab, from: &str, to: &str) {
    let command = bson::doc! {
        "renameCollection": format!("test.{from}"), "to": format!("test.{to}"), "dropTarget": true
    };
    let reply = lab.engine.run("admin", &command);
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply}");
}

#[test]
fn what_out_puts_in_the_place_of_a_collection_keeps_its_archive() {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c", maxBytes: 1000000}"#);
    lab.ok(&out("c", "c"));
    let on = r#"{"archives.0.ns": "test.c", "archives.0.on": true, "archives.0.maxBytes": 1000000,
        "-archives.1": 1}"#;
    lab.check("{mayflyArchives: 1}", on);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.0._id": 2, "batch.1._id": 1, "-batch.2": 1}"#,
    );
    // Also over a restart, and when the results come from elsewhere.
    let lab = lab.reopened();
    lab.ok(&out("c", "other"));
    lab.ok(&out("other", "c"));
    let lab = lab.reopened();
    lab.check("{mayflyArchives: 1}", on);
    lab.engine.simulated_clock().expect("simulated").advance_ms(120_000);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.0._id": 3, "batch.2._id": 1}"#,
    );
    // One that is off stays off, and a refused $out leaves everything as it was.
    lab.ok(r#"{mayflyArchive: "c", off: true}"#);
    lab.ok(&out("c", "c"));
    lab.check("{mayflyArchives: 1}", r#"{"archives.0.on": false, "-archives.1": 1}"#);
    lab.ok(r#"{mayflyArchive: "c"}"#);
    let twice = "{aggregate: 'other', pipeline: [{$set: {_id: {$literal: 1}}}, \
                 {$unionWith: {coll: 'other', pipeline: [{$set: {_id: 1}}]}}, {$out: 'c'}], cursor: {}}";
    lab.check(twice, "{ok: 0, code: 11000}");
    lab.reopened().check("{mayflyArchives: 1}", r#"{"archives.0.on": true, "-archives.1": 1}"#);
}

#[test]
fn a_collection_renamed_over_an_archived_one_takes_its_archive_over() {
    let lab = lab();
    lab.ok(r#"{mayflyArchive: "c"}"#);
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    let fill = |coll: &str, id: i32| {
        lab.ok(&format!(
            r#"{{createIndexes: "{coll}", indexes: [{{key: {{at: 1}}, name: "ttl", expireAfterSeconds: 60}}]}}"#
        ));
        lab.ok(&format!(
            r#"{{insert: "{coll}", documents: [{{_id: {id}, at: ISODate("2023-12-31T23:00:00Z")}}]}}"#
        ));
    };
    fill("d", 7);
    rename_over(&lab, "d", "c");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.0._id": 7, "batch.2._id": 1, "-batch.3": 1}"#,
    );
    // A collection keeps its own archive. The other archive then belongs to a dropped collection.
    fill("e", 8);
    lab.ok(r#"{mayflyArchive: "e", maxBytes: 2000000}"#);
    rename_over(&lab, "e", "c");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check(
        r#"{mayflyTrash: "c", archived: true, documents: true}"#,
        r#"{"batch.3._id": 8, "batch.3.archive": "test.e", "-batch.4": 1}"#,
    );
    let both = r#"{"archives.0.documents": 3, "archives.0.on": false, "archives.0.state": "off",
        "archives.1.documents": 1, "archives.1.on": true, "archives.1.maxBytes": 2000000}"#;
    lab.check("{mayflyArchives: 1}", both);
    lab.reopened().check("{mayflyArchives: 1}", both);
}

#[test]
fn the_archive_of_a_dropped_collection_is_not_shown_as_on() {
    let lab = reaped();
    lab.ok(r#"{drop: "c"}"#);
    lab.ok(r#"{create: "c"}"#);
    lab.check(
        "{mayflyArchives: 1}",
        r#"{"archives.0.on": false, "archives.0.state": "off", "archives.0.documents": 2}"#,
    );
    lab.check("{serverStatus: 1}", r#"{"mayfly.archives.on": 0}"#);
}
