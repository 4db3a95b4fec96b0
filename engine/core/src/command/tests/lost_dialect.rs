//! A damaged list of dialects: everything is still read, nothing is written or expires under rules
//! that may be others, and setting a dialect again ends that. And a damaged version of the catalog,
//! which ends nothing.

use bson::{Document, doc};

use crate::{catalog::snapshot::VERSION_META, command::testing::Lab, store::StoreError};

const SENTENCE: &str = "The dialect list was damaged, so the dialect of the databases cloud, test \
 is unknown. You can read and export, but not write, and nothing expires. Set each dialect again \
 with mayflyDialect, or restore a backup from before the damage. Databases without collections \
 now use \"open\".";

fn run(lab: &Lab, db: &str, command: &Document) -> Document {
    lab.engine.run(db, command)
}

fn ok(lab: &Lab, db: &str, command: &Document) {
    let reply = run(lab, db, command);
    let is_ok = reply.get_f64("ok").is_ok_and(|ok| ok >= 1.0) && !reply.contains_key("writeErrors");
    assert!(is_ok, "{command}: {reply}");
}

fn refused(lab: &Lab, db: &str, command: &Document) {
    let reply = run(lab, db, command).to_string();
    assert!(reply.contains("the dialect list was damaged"), "{command}: {reply}");
    assert!(reply.contains("115"), "{command}: {reply}");
}

fn ttl(on: &str) -> Document {
    doc! { "createIndexes": "c", "indexes": [{ "key": { on: 1 }, "name": on, "expireAfterSeconds": 60 }] }
}

/// Two databases with a due document each, and a list of dialects with a flipped bit.
fn lost() -> Lab {
    let lab = Lab::new();
    let at = bson::DateTime::from_millis(0);
    ok(&lab, "cloud", &doc! { "mayflyDialect": "cosmos" });
    for (db, on) in [("test", "at"), ("cloud", "_ts")] {
        ok(&lab, db, &ttl(on));
        ok(&lab, db, &doc! { "insert": "c", "documents": [{ "_id": 1, "at": at }] });
    }
    ok(&lab, "admin", &doc! { "insert": "own", "documents": [{ "_id": 1 }] });
    lab.spoil(b"cosmos\0");
    lab.reopened()
}

fn count(lab: &Lab, db: &str) -> usize {
    let reply = run(lab, db, &doc! { "find": "c" });
    let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    batch.unwrap_or_else(|_| panic!("{db}: {reply}")).len()
}

fn sentences(lab: &Lab) -> Vec<String> {
    let report = lab.engine.collections().verify(&mut |_| true).expect("read");
    report.findings.into_iter().map(|finding| finding.sentence).collect()
}

fn check_lost(lab: &Lab, db: &str) {
    assert_eq!(count(lab, db), 1);
    let namespace = format!("{db}.c");
    for command in [
        doc! { "insert": "c", "documents": [{ "_id": 2 }] },
        doc! { "insert": "new", "documents": [{ "_id": 2 }] },
        doc! { "update": "c", "updates": [{ "q": { "_id": 1 }, "u": { "$set": { "a": 1 } } }] },
        doc! { "delete": "c", "deletes": [{ "q": {}, "limit": 0 }] },
        doc! { "findAndModify": "c", "query": { "_id": 1 }, "remove": true },
        doc! { "aggregate": "c", "pipeline": [{ "$out": "new" }], "cursor": {} },
        doc! { "aggregate": "c", "pipeline": [{ "$set": { "a": 1 } }, { "$merge": "c" }], "cursor": {} },
        doc! { "create": "new" },
        doc! { "drop": "c" },
        doc! { "dropDatabase": 1 },
        doc! { "createIndexes": "c", "indexes": [{ "key": { "b": 1 }, "name": "b" }] },
        doc! { "dropIndexes": "c", "index": "*" },
        doc! { "collMod": "c", "validator": { "a": 1 } },
        doc! { "convertToCapped": "c", "size": 4096 },
        doc! { "mayflyDialect": 1 },
    ] {
        refused(lab, db, &command);
    }
    for command in [
        doc! { "renameCollection": &namespace, "to": "another.c" },
        doc! { "renameCollection": "admin.own", "to": format!("{db}.own") },
        doc! { "bulkWrite": 1, "ops": [{ "delete": 0, "filter": {} }], "nsInfo": [{ "ns": &namespace }] },
    ] {
        refused(lab, "admin", &command);
    }
    assert_eq!(count(lab, db), 1);
}

#[test]
fn what_follows_lost_rules_is_read_and_not_changed() {
    let lab = lost();
    assert!(lab.engine.open_report().warnings.iter().any(|it| it == SENTENCE));
    assert_eq!(sentences(&lab), [SENTENCE]);
    check_lost(&lab, "test");
    check_lost(&lab, "cloud");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 0}");
    assert_eq!((count(&lab, "test"), count(&lab, "cloud")), (1, 1));
    ok(&lab, "admin", &doc! { "insert": "own", "documents": [{ "_id": 2 }] });
}

#[test]
fn databases_that_are_made_meanwhile_are_as_any() {
    let lab = lost();
    let at = bson::DateTime::from_millis(0);
    ok(&lab, "fresh", &ttl("at"));
    ok(&lab, "fresh", &doc! { "insert": "c", "documents": [{ "_id": 1, "at": at }] });
    // That rewrote the list, which keeps what is known of the other databases.
    let lab = lab.reopened();
    assert!(lab.engine.open_report().warnings.iter().any(|it| it == SENTENCE));
    check_lost(&lab, "test");
    check_lost(&lab, "cloud");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    assert_eq!((count(&lab, "test"), count(&lab, "fresh")), (1, 0));
}

#[test]
fn a_dialect_that_is_set_again_mends_its_database() {
    let lab = lost();
    for (db, wrong) in [("test", "cosmos"), ("cloud", "mongodb")] {
        let reply = run(&lab, db, &doc! { "mayflyDialect": wrong });
        let message = reply.get_str("errmsg").expect("refused");
        assert!(message.contains("so this was not its dialect"), "{message}");
    }
    ok(&lab, "test", &doc! { "mayflyDialect": "open" });
    let lab = lab.reopened();
    check_lost(&lab, "cloud");
    ok(&lab, "test", &doc! { "insert": "c", "documents": [{ "_id": 2 }] });
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    ok(&lab, "cloud", &doc! { "mayflyDialect": "cosmos" });
    let lab = lab.reopened();
    assert!(!lab.engine.open_report().warnings.iter().any(|it| it.contains("dialect")));
    assert_eq!(sentences(&lab), Vec::<String>::new());
    ok(&lab, "cloud", &doc! { "insert": "c", "documents": [{ "_id": 2 }] });
    let reply = run(&lab, "cloud", &doc! { "mayflyDialect": 1 });
    assert_eq!(reply.get_str("dialect").ok(), Some("cosmos"));
}

#[test]
fn a_damaged_version_of_the_catalog_is_made_again() {
    let lab = Lab::new();
    ok(&lab, "test", &ttl("at"));
    ok(&lab, "test", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    let shows = |lab: &Lab, name: &str| {
        let listed = doc! { "listCollections": 1, "filter": { "name": name } };
        run(lab, "test", &listed).to_string().contains("\"uuid\"")
    };
    lab.spoil_meta(VERSION_META);
    assert_eq!(count(&lab, "test"), 1, "while it is open");
    ok(&lab, "test", &doc! { "create": "a" });
    assert!(shows(&lab, "a"));
    lab.spoil_meta(VERSION_META);
    let lab = lab.reopened();
    assert_eq!(count(&lab, "test"), 1);
    ok(&lab, "test", &doc! { "insert": "c", "documents": [{ "_id": 2 }] });
    ok(&lab, "test", &doc! { "create": "b" });
    assert!(shows(&lab, "a") && shows(&lab, "b"));
    let stored = lab
        .engine
        .collections()
        .store()
        .read(|reader| Ok::<_, StoreError>(reader.meta(VERSION_META)?.map(<[u8]>::to_vec)));
    assert_eq!(stored, Ok(Some(1_u64.to_be_bytes().to_vec())));
    let lab = lab.reopened();
    assert!(shows(&lab, "a") && shows(&lab, "b"));
}
