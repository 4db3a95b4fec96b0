//! A collection whose definition is damaged or unknown to this version, and a database of an
//! unknown dialect.

use std::time::Duration;

use bson::{Document, doc};

use crate::{
    catalog::snapshot::DIALECTS_META,
    collection::WriteError,
    command::testing::Lab,
    event::Event,
    store::{CatalogRow, StoreError, Writer},
};

pub fn record(lab: &Lab) -> Document {
    let read = lab.engine.collections().store().read(|reader| {
        for entry in reader.catalog()? {
            let CatalogRow { names, record } = entry?;
            if names == Some(("test", "c")) {
                let bytes = record.expect("sound");
                return Ok::<_, StoreError>(Document::from_reader(bytes).expect("a document"));
            }
        }
        panic!("no record");
    });
    read.expect("read")
}

pub fn put(lab: &Lab, record: &Document) {
    let bytes = record.to_vec().expect("a document");
    let put =
        |writer: &mut Writer<'_>| writer.put_catalog("test", "c", &bytes).map_err(WriteError::from);
    lab.engine.collections().store().write(put).expect("written");
}

/// A store with a due document in `c`, whose definition a later version has changed.
fn closed() -> (Lab, Document, Document) {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, at: new Date(0)}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 0}]}");
    lab.ok("{insert: 'other', documents: [{_id: 2, c: 1}]}");
    let known = record(&lab);
    let mut newer = known.clone();
    let indexes = newer.get_array_mut("indexes").expect("indexes");
    indexes[1].as_document_mut().expect("an index").insert("form", "quantum");
    newer.insert("spin", doc! { "up": true });
    put(&lab, &newer);
    (lab.reopened(), known, newer)
}

#[test]
fn it_is_listed_with_the_reason_and_everything_else_opens() {
    let (lab, ..) = closed();
    lab.check(
        "{listCollections: 1, filter: {name: 'c'}}",
        "{'cursor.firstBatch.0.type': 'collection', 'cursor.firstBatch.0.info.mayflyClosed': \
          'this version can\\'t read the index \"at\" of its definition'}",
    );
    lab.check("{find: 'other'}", "{'cursor.firstBatch': [{_id: 2, c: 1}]}");
    lab.ok("{insert: 'new', documents: [{_id: 1}]}");
    let report = lab.engine.collections().verify(&mut |_| true).expect("read");
    assert_eq!(report.findings.len(), 1, "{report:?}");
}

/// A store with a due document in `c`, whose definition has rotted.
fn damaged() -> (Lab, Document) {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, at: new Date(0)}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'rots', expireAfterSeconds: 0}]}");
    lab.ok("{insert: 'other', documents: [{_id: 2, c: 1}]}");
    let known = record(&lab);
    lab.spoil(b"rots");
    (lab.reopened(), known)
}

/// The report of the opening has this warning.
fn check_told(lab: &Lab, sentence: &str) {
    let warnings = &lab.engine.open_report().warnings;
    assert!(warnings.iter().any(|warning| warning == sentence), "{warnings:?}");
}

/// Every command on `c` is refused.
fn check_refused(lab: &Lab) {
    for command in [
        "{find: 'c'}",
        "{count: 'c'}",
        "{aggregate: 'c', pipeline: [], cursor: {}}",
        "{aggregate: 'other', pipeline: [{$lookup: {from: 'c', localField: 'c', \
          foreignField: '_id', as: 'x'}}], cursor: {}}",
        "{aggregate: 'other', pipeline: [{$unionWith: 'c'}], cursor: {}}",
        "{aggregate: 'other', pipeline: [{$out: 'c'}], cursor: {}}",
        "{aggregate: 'other', pipeline: [{$merge: 'c'}], cursor: {}}",
        "{explain: {find: 'c'}}",
        "{insert: 'c', documents: [{_id: 5}]}",
        "{update: 'c', updates: [{q: {_id: 5}, u: {a: 1}, upsert: true}]}",
        "{delete: 'c', deletes: [{q: {}, limit: 0}]}",
        "{create: 'c'}",
        "{drop: 'c'}",
        "{dropDatabase: 1}",
        "{createIndexes: 'c', indexes: [{key: {b: 1}, name: 'b'}]}",
        "{dropIndexes: 'c', index: '*'}",
        "{collMod: 'c', index: {name: 'at', expireAfterSeconds: 5}}",
        "{mayflyVerdict: 'c', id: 1}",
        "{mayflyDialect: 'cosmos'}",
    ] {
        lab.check(command, "{ok: 0, code: 115, codeName: 'CommandNotSupported'}");
    }
    let admin = [
        "{renameCollection: 'test.c', to: 'test.d'}",
        "{renameCollection: 'test.other', to: 'test.c'}",
        "{renameCollection: 'test.other', to: 'test.c', dropTarget: true}",
        "{bulkWrite: 1, ops: [{delete: 0, filter: {}}], nsInfo: [{ns: 'test.c'}]}",
    ];
    for command in admin {
        lab.check(command, "{ok: 0, code: 115}");
    }
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 0}");
}

#[test]
fn no_command_and_no_pass_touches_it() {
    let (lab, known, newer) = closed();
    check_refused(&lab);
    lab.ok("{create: 'new'}");
    let lab = lab.reopened();
    assert_eq!(record(&lab), newer);
    // As a version does that can read it.
    put(&lab, &known);
    check_healed(lab);
}

fn check_healed(lab: Lab) {
    let lab = lab.reopened();
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, at: new Date(0)}]}");
    let report = lab.engine.collections().verify(&mut |_| true).expect("read");
    assert_eq!(report.findings, [], "{report:?}");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
}

#[test]
fn one_that_is_damaged_is_told_and_nothing_of_it_is_removed_or_used_again() {
    let (lab, known) = damaged();
    check_told(
        &lab,
        "test.c can't be used: its definition is damaged: it does not match its checksum.",
    );
    check_refused(&lab);
    lab.check("{find: 'other'}", "{'cursor.firstBatch': [{_id: 2, c: 1}]}");
    let reply = lab.run("{validate: 'c'}");
    let message = reply.get_str("errmsg").expect("refused");
    assert!(message.starts_with("test.c is unavailable: its definition is damaged"), "{message}");
    let collections = lab.engine.collections();
    let report = collections.verify(&mut |_| true).expect("read");
    let names: Vec<_> = report.findings.iter().map(|it| it.namespace.to_string()).collect();
    assert_eq!(names, ["test.c"], "{report:?}");
    let sentence = &report.findings[0].sentence;
    assert!(sentence.contains("its definition is damaged"), "{sentence}");
    let events = lab.engine.subscribe();
    collections.start_scrub().expect("begun");
    let found = loop {
        let event = events.recv_timeout(Duration::from_secs(30)).expect("in time");
        if let Event::DamageFound(found) = event {
            break found;
        }
    };
    assert_eq!(found.namespace.to_string(), "test.c", "{found:?}");
    assert!(found.sentence.contains("the definition of test.c"), "{found:?}");
    lab.ok("{drop: 'other'}");
    lab.ok("{createIndexes: 'new', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 0}]}");
    lab.ok("{insert: 'new', documents: [{_id: 1, at: new Date(0)}, {_id: 2, at: new Date(0)}]}");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 2}");
    lab.ok("{drop: 'new'}");
    while lab.engine.collections().reclaim_step().expect("reclaimed").pending > 0 {}
    put(&lab, &known);
    check_healed(lab);
}

#[test]
fn one_whose_name_is_damaged_too_is_told() {
    let lab = Lab::new();
    lab.ok("{create: 'zebra'}");
    lab.ok("{insert: 'other', documents: [{_id: 2}]}");
    // The byte between the names.
    lab.spoil(b"\0zebra");
    let lab = lab.reopened();
    let told = "A collection can't be used: its definition and its name are damaged.";
    check_told(&lab, told);
    lab.check("{find: 'other'}", "{'cursor.firstBatch': [{_id: 2}]}");
    lab.check("{find: 'zebra'}", "{ok: 1, 'cursor.firstBatch': []}");
    let report = lab.engine.collections().verify(&mut |_| true).expect("read");
    let [finding] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!(finding.namespace.to_string(), "admin.store");
    assert!(finding.sentence.contains("collection names are unknown: 1."), "{finding:?}");
}

#[test]
fn an_unknown_dialect_closes_its_database_and_stays_in_the_list() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, at: new Date(0)}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 0}]}");
    let run = |lab: &Lab, command| lab.engine.run("shop", &command).get_f64("ok").ok();
    assert_eq!(run(&lab, doc! { "insert": "c", "documents": [{ "_id": 1 }] }), Some(1.0));
    let list = doc! { "empty": "quantum", "test": "quantum" };
    let bytes = list.to_vec().expect("a document");
    let put =
        |writer: &mut Writer<'_>| writer.put_meta(DIALECTS_META, &bytes).map_err(WriteError::from);
    lab.engine.collections().store().write(put).expect("written");
    let lab = lab.reopened();
    check_refused(&lab);
    let refused = "{ok: 0, code: 115, codeName: 'CommandNotSupported'}";
    for command in ["{create: 'new'}", "{mayflyDialect: 1}", "{mayflyDialect: 'open'}"] {
        lab.check(command, refused);
    }
    lab.check(
        "{listCollections: 1}",
        "{'cursor.firstBatch.0.name': 'c', 'cursor.firstBatch.0.info.mayflyClosed': \
          'this version does not know the dialect \"quantum\" of the database'}",
    );
    let report = lab.engine.collections().verify(&mut |_| true).expect("read");
    let names: Vec<_> = report.findings.iter().map(|it| it.namespace.to_string()).collect();
    assert_eq!(names, ["test.c"], "{report:?}");
    let empty = lab.engine.run("empty", &doc! { "create": "c" });
    assert_eq!(empty.get_i32("code").ok(), Some(115), "{empty}");
    assert_eq!(run(&lab, doc! { "count": "c" }), Some(1.0));
    assert_eq!(run(&lab, doc! { "mayflyDialect": "mongodb" }), Some(1.0));
    let stored = lab.engine.collections().store().read(|reader| {
        let bytes = reader.meta(DIALECTS_META)?.expect("a list");
        Ok::<_, StoreError>(Document::from_reader(bytes).expect("a document"))
    });
    assert_eq!(stored, Ok(doc! { "empty": "quantum", "shop": "mongodb", "test": "quantum" }));
}
