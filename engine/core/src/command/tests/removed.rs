//! The trash and the archives as one list, and one restore from both.

use bson::{Bson, Document, doc};

use crate::command::testing::{Lab, at};

/// Expired documents of `collection`, removed a second after what was removed before.
fn remove(lab: &Lab, collection: &str, ids: &[i32]) {
    lab.engine.simulated_clock().expect("simulated").advance_ms(1_000);
    let expired = |id: &i32| doc! { "_id": *id, "at": bson::DateTime::from_millis(0), "n": *id };
    let documents: Vec<Document> = ids.iter().map(expired).collect();
    lab.run_document(&doc! { "insert": collection, "documents": documents });
    lab.check("{mayflyReap: 1}", &format!("{{deletedDocuments: {}}}", ids.len()));
}

/// In the order of their removal: 1, 2 and 4 are in the archive of `a`, 3 in that of `b`, 5 of `b` and
/// 6 of `c` in the trash.
fn lab() -> Lab {
    let lab = Lab::new();
    for name in ["a", "b", "c"] {
        lab.ok(&format!(
            "{{createIndexes: '{name}', indexes: [{{key: {{at: 1}}, name: 'ttl', \
             expireAfterSeconds: 60}}]}}"
        ));
    }
    lab.ok("{mayflyArchive: 'a'}");
    lab.ok("{mayflyArchive: 'b'}");
    remove(&lab, "a", &[1, 2]);
    remove(&lab, "b", &[3]);
    remove(&lab, "a", &[4]);
    lab.ok("{setParameter: 1, mayflyTrashSecs: 600}");
    remove(&lab, "b", &[5]);
    remove(&lab, "c", &[6]);
    lab
}

/// The `_id`s on each page.
fn pages(lab: &Lab, command: &Document) -> Vec<Vec<i32>> {
    let (mut pages, mut command) = (Vec::new(), command.clone());
    loop {
        let page = lab.run_document(&command);
        let batch = page.get_array("batch").expect("a page");
        let id = |row: &Bson| row.as_document().expect("a row").get_i32("_id").expect("an id");
        pages.push(batch.iter().map(id).collect());
        match page.get("next").expect("a place") {
            Bson::Null => return pages,
            next => drop(command.insert("after", next.clone())),
        }
    }
}

#[test]
fn what_was_removed_is_one_list_newest_first() {
    let lab = lab();
    lab.check(
        "{mayflyTrash: 1, archived: true, documents: true}",
        r#"{"batch.0._id": 6, "batch.0.document.n": 6, "-batch.0.target": 1, "-batch.0.archive": 1,
            "batch.1._id": 5, "batch.1.archive": "test.b", "-batch.1.target": 1,
            "batch.2._id": 4, "batch.2.document.n": 4, "batch.2.target": "", "batch.2.until": null,
            "batch.2.ns": "test.a", "batch.2.index": "ttl", "batch.2.number": 0,
            "batch.3._id": 3, "batch.3.ns": "test.b",
            "batch.4._id": 2, "batch.5._id": 1, "-batch.6": 1, next: null}"#,
    );
    lab.check("{mayflyTrash: 1}", r#"{"batch.1._id": 5, "-batch.0.document": 1, "-batch.2": 1}"#);
    lab.check(
        "{mayflyTrash: 'b', archived: true}",
        r#"{"batch.0._id": 5, "batch.1._id": 3, "-batch.1.document": 1, "-batch.2": 1}"#,
    );
    lab.check("{mayflyTrash: 1, archived: true, pass: 5}", r#"{"batch.0._id": 6, "-batch.1": 1}"#);
    lab.check("{mayflyTrash: 1, archived: true, count: true}", "{matching: 6}");
}

#[test]
fn pages_of_any_size_have_each_document_once() {
    let lab = lab();
    for limit in 1..=7 {
        let found = pages(&lab, &doc! { "mayflyTrash": 1, "archived": true, "limit": limit });
        assert_eq!(found.concat(), [6, 5, 4, 3, 2, 1], "{limit}: {found:?}");
    }
    let trash = pages(&lab, &doc! { "mayflyTrash": 1, "limit": 1 });
    assert_eq!(trash.concat(), [6, 5]);
    for after in ["'x'", "{trash: 1}", "{trash: 1, archives: {a: 1}}"] {
        lab.check(&format!("{{mayflyTrash: 1, archived: true, after: {after}}}"), "{ok: 0}");
    }
}

#[test]
fn a_filter_is_of_both() {
    let lab = lab();
    lab.check(
        "{mayflyTrash: 1, archived: true, filter: {n: {$in: [2, 3, 6]}}, count: true}",
        r#"{"batch.0._id": 6, "batch.1._id": 3, "batch.2._id": 2, "-batch.3": 1, matching: 3}"#,
    );
    lab.check("{mayflyTrash: 1, filter: {n: 5}}", r#"{"batch.0._id": 5, "-batch.1": 1}"#);
    lab.check("{mayflyTrash: 1, filter: {$no: 1}}", "{ok: 0, code: 2}");
    lab.check(
        "{mayflyRestoreTrash: 1, archived: true, filter: {n: {$gte: 4}}}",
        "{restored: 3, more: false, next: null}",
    );
    lab.check("{count: 'a'}", "{n: 1}");
}

#[test]
fn one_restore_takes_from_both_and_holds_the_rule_first() {
    let lab = lab();
    lab.check(
        "{mayflyRestoreTrash: 'b', archived: true, ids: [5, 3, 9]}",
        r#"{restored: 2, notFound: 1, "held.0.ns": "test.b", "held.0.index": "ttl"}"#,
    );
    lab.check("{count: 'b'}", "{n: 2}");
    assert!(lab.engine.reaper().run_scheduled_pass().is_some_and(|pass| pass.deleted == 0));
    // The archive keeps its copy.
    lab.check("{mayflyTrash: 'b', archived: true}", r#"{"batch.0._id": 3, "-batch.1": 1}"#);
    lab.check("{mayflyRestoreTrash: 'b', archived: true, ids: [3]}", "{restored: 0, existing: 1}");
    lab.check("{mayflyRestoreTrash: 'a', ids: [1]}", "{restored: 0, notFound: 1}");
}

#[test]
fn steps_of_any_size_restore_each_document_once() {
    for limit in 1..=7 {
        let lab = lab();
        // These stay where they are.
        lab.ok("{insert: 'a', documents: [{_id: 2}]}");
        lab.ok("{insert: 'c', documents: [{_id: 6}]}");
        let mut step = doc! { "mayflyRestoreTrash": 1, "archived": true, "limit": limit };
        let (mut restored, mut existing) = (0, 0);
        loop {
            let reply = lab.run_document(&step);
            restored += reply.get_i64("restored").expect("a count");
            existing += reply.get_i64("existing").expect("a count");
            match reply.get("next").expect("a place") {
                Bson::Null => break,
                next => drop(step.insert("after", next.clone())),
            }
        }
        assert_eq!((restored, existing), (4, 2), "{limit}");
    }
}

#[test]
fn of_each_id_the_newest_comes_back() {
    let lab = lab();
    remove(&lab, "a", &[1]);
    lab.check(
        "{mayflyTrash: 'a', archived: true, filter: {_id: 1}}",
        r#"{"batch.0.until": ISODate("2024-01-01T00:10:06Z"), "batch.1.until": null}"#,
    );
    lab.check("{mayflyRestoreTrash: 'a', archived: true, ids: [1]}", "{restored: 1, existing: 0}");
    let listed = lab.ok("{mayflyTrash: 'a', archived: true, filter: {_id: 1}}");
    assert_eq!(at(&listed, "batch.1._id"), None, "the newest was in the trash: {listed}");
}

#[test]
fn an_archive_that_cannot_be_read_hides_nothing_else() {
    let lab = lab();
    let folder = lab.engine.collections().store().folder().join("archive/test.b");
    std::fs::remove_dir_all(&folder).expect("removed");
    std::fs::write(&folder, "a file in the way").expect("written");
    let found = pages(&lab, &doc! { "mayflyTrash": 1, "archived": true });
    assert_eq!(found.concat(), [6, 5, 4, 2, 1]);
}
