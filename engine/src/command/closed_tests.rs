//! A collection whose definition this version can't read.

use bson::{Document, doc};

use super::testing::Lab;
use crate::{
    collection::WriteError,
    store::{StoreError, Writer},
};

fn record(lab: &Lab) -> Document {
    let read = lab.engine.collections().store().read(|reader| {
        for entry in reader.catalog()? {
            let (_, name, bytes) = entry?;
            if name == "c" {
                return Ok::<_, StoreError>(Document::from_reader(bytes).expect("a document"));
            }
        }
        panic!("no record");
    });
    read.expect("read")
}

fn put(lab: &Lab, record: &Document) {
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

#[test]
fn no_command_and_no_pass_touches_it() {
    let (lab, known, newer) = closed();
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
    lab.ok("{create: 'new'}");
    let lab = lab.reopened();
    assert_eq!(record(&lab), newer);
    // As a version does that can read it.
    put(&lab, &known);
    let lab = lab.reopened();
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, at: new Date(0)}]}");
    let report = lab.engine.collections().verify(&mut |_| true).expect("read");
    assert_eq!(report.findings, [], "{report:?}");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
}
