//! Each command once as it should be used, and its refusals.

mod archive;
mod closed;
mod collation;
mod crud;
mod ddl;
mod dialect;
mod explain;
mod implicit_id;
mod long_reads;
mod lost_dialect;
mod partial_results;
mod removed;
mod server;
mod time_series;
mod trash;
mod validation;

use bson::{Bson, doc};

use crate::command::{
    table::COMMANDS,
    testing::{Lab, at},
};

fn ints(ids: &[i32]) -> Vec<Bson> {
    ids.iter().copied().map(Bson::Int32).collect()
}

fn with_five() -> Lab {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 5}, {_id: 2, a: 4}, {_id: 3, a: 3}, {_id: 4, a: 2}, {_id: 5, a: 1}]}");
    lab
}

#[test]
fn what_the_server_is() {
    let lab = Lab::new();
    lab.check("{ping: 1}", "{ok: 1}");
    lab.check("{hello: 1}", "{isWritablePrimary: true, helloOk: true, ok: 1}");
    lab.check("{isMaster: 1, client: {}}", "{ismaster: true, ok: 1}");
    lab.check("{buildInfo: 1}", "{version: '8.2.0', ok: 1}");
    lab.check("{endSessions: []}", "{ok: 1}");
}

#[test]
fn fields_are_declared() {
    let lab = with_five();
    lab.check("{nonsense: 1}", "{ok: 0, code: 59, codeName: 'CommandNotFound'}");
    lab.check("{find: 'c', filtr: {}}", "{code: 40415, codeName: 'IDLUnknownField'}");
    lab.check("{insert: 'c'}", "{code: 40414}");
    lab.check("{find: 'c', collation: {locale: 'se'}}", "{code: 238}");
    lab.check("{find: 'c', limit: 'x'}", "{code: 14, codeName: 'TypeMismatch'}");
    lab.check("{find: 'c', skip: -1}", "{code: 2}");
    lab.check("{find: 1}", "{code: 73, codeName: 'InvalidNamespace'}");
    lab.check("{find: 'c', lsid: {}, $db: 'test', comment: 'x', maxTimeMS: 600000}", "{ok: 1}");
    assert_eq!(lab.engine.run("admin", &doc! {}).get_i32("code").ok(), Some(59));
    let reply = lab.engine.run("test", &doc! { "listDatabases": 1 });
    assert_eq!(reply.get_i32("code").ok(), Some(13), "{reply}");
}

#[test]
fn names_are_there_once() {
    let names: Vec<_> =
        COMMANDS.iter().flat_map(|c| std::iter::once(&c.name).chain(c.aliases)).collect();
    let mut once = names.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), names.len());
}

#[test]
fn find_filters_sorts_skips_limits_projects() {
    let lab = with_five();
    assert_eq!(lab.ids("{find: 'c'}"), ints(&[1, 2, 3, 4, 5]));
    assert_eq!(lab.ids("{find: 'c', filter: {a: {$gt: 3}}}"), ints(&[1, 2]));
    assert_eq!(lab.ids("{find: 'c', sort: {a: 1}, limit: 2}"), ints(&[5, 4]));
    assert_eq!(lab.ids("{find: 'c', sort: {a: 1}, skip: 3}"), ints(&[2, 1]));
    assert_eq!(lab.ids("{find: 'c', sort: {a: 1}, skip: 1, limit: 2}"), ints(&[4, 3]));
    assert_eq!(lab.ids("{find: 'c', sort: {$natural: -1}, limit: 1}"), ints(&[5]));
    assert_eq!(lab.ids("{find: 'none'}"), ints(&[]));
    lab.check(
        "{find: 'c', filter: {_id: 1}, projection: {a: 1, _id: 0}}",
        "{'cursor.firstBatch': [{a: 5}], 'cursor.id': 0, 'cursor.ns': 'test.c'}",
    );
    lab.check("{find: 'c', filter: {a: {$bad: 1}}}", "{code: 2}");
    lab.check("{find: 'c', hint: 'none'}", "{code: 2}");
    lab.check("{find: 'c', sort: {a: 3}}", "{code: 15975}");
}

#[test]
fn a_cursor_continues_while_others_write() {
    for (hint, sort) in
        [("{$natural: 1}", "{}"), ("{_id: 1}", "{_id: 1}"), ("{$natural: 1}", "{a: -1}")]
    {
        let lab = with_five();
        let first = lab.ok(&format!("{{find: 'c', hint: {hint}, sort: {sort}, batchSize: 2}}"));
        let Some(Bson::Int64(id)) = at(&first, "cursor.id") else { panic!("{first}") };
        assert_ne!(id, 0);
        lab.ok("{delete: 'c', deletes: [{q: {_id: 3}, limit: 1}]}");
        lab.ok("{insert: 'c', documents: [{_id: 0, a: 9}]}");
        let next = lab.run_document(&doc! { "getMore": id, "collection": "c" });
        let Some(Bson::Array(batch)) = at(&next, "cursor.nextBatch") else { panic!("{next}") };
        let mut ids: Vec<_> = batch
            .iter()
            .filter_map(|d| d.as_document()?.get_i32("_id").ok())
            .filter(|id| *id != 0)
            .collect();
        ids.sort_unstable();
        assert_eq!(ids, [4, 5], "{hint} {sort}");
        assert_eq!(at(&next, "cursor.id"), Some(Bson::Int64(0)));
        let gone = lab.run_document(&doc! { "getMore": id, "collection": "c" });
        assert_eq!(gone.get_i32("code").ok(), Some(43), "{gone}");
    }
}

#[test]
fn cursors_end() {
    let open = |lab: &Lab| match at(&lab.ok("{find: 'c', batchSize: 1}"), "cursor.id") {
        Some(Bson::Int64(id)) => id,
        other => panic!("{other:?}"),
    };
    let code = |lab: &Lab, id: i64, collection: &str| {
        lab.run_document(&doc! { "getMore": id, "collection": collection }).get_i32("code").ok()
    };
    let lab = with_five();
    let killed = open(&lab);
    let reply = lab.run_document(&doc! { "killCursors": "c", "cursors": [killed, 77_i64] });
    assert_eq!(at(&reply, "cursorsKilled.0"), Some(Bson::Int64(killed)));
    assert_eq!(at(&reply, "cursorsNotFound.0"), Some(Bson::Int64(77)));
    let idle = open(&lab);
    assert_eq!(code(&lab, idle, "other"), Some(13));
    // A simulated day does not time out a cursor.
    lab.run("{mayflyClock: 1, advanceMS: Long('86400000')}");
    assert_eq!(code(&lab, idle, "c"), None);
    let dropped = open(&lab);
    lab.ok("{drop: 'c'}");
    assert_eq!(code(&lab, dropped, "c"), Some(175));
}

#[test]
fn insert_puts_the_id_first_and_tells_each_error() {
    let lab = Lab::new();
    lab.check("{insert: 'c', documents: [{a: 1, _id: 7}, {b: 1}]}", "{n: 2, '-writeErrors': 1}");
    let reply = lab.ok("{find: 'c'}");
    for at_ in ["0", "1"] {
        let document = at(&reply, &format!("cursor.firstBatch.{at_}")).expect("a document");
        let first = document.as_document().and_then(|d| d.keys().next().cloned());
        assert_eq!(first.as_deref(), Some("_id"));
    }
    lab.check(
        "{insert: 'c', documents: [{_id: 8}, {_id: 7}, {_id: 9}]}",
        "{ok: 1, n: 1, 'writeErrors.0.index': 1, 'writeErrors.0.code': 11000, \
          'writeErrors.0.keyPattern': {_id: 1}, 'writeErrors.0.keyValue': {_id: 7}, '-writeErrors.1': 1}",
    );
    lab.check(
        "{insert: 'c', ordered: false, documents: [{_id: 7}, {_id: 9}, {_id: [1]}]}",
        "{n: 1, 'writeErrors.0.index': 0, 'writeErrors.1.index': 2, 'writeErrors.1.code': 53}",
    );
    lab.check("{insert: 'c', documents: []}", "{code: 16}");
    let huge = doc! { "insert": "c", "documents": [{ "_id": 20, "x": "x".repeat(16_777_216) }] };
    let reply = lab.run_document(&huge);
    assert_eq!(at(&reply, "writeErrors.0.code"), Some(Bson::Int32(10334)));
}

#[test]
fn a_long_batch_is_cut_into_transactions() {
    let lab = Lab::new();
    let documents: Vec<_> = (0..2_500).map(|id| doc! { "_id": id, "a": 1 }).collect();
    let reply = lab.run_document(&doc! { "insert": "c", "documents": documents });
    assert_eq!(reply.get_i32("n").ok(), Some(2_500));
    lab.check("{count: 'c'}", "{n: 2500}");
    lab.check(
        "{update: 'c', updates: [{q: {}, u: {$inc: {a: 1}}, multi: true}]}",
        "{n: 2500, nModified: 2500}",
    );
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    lab.check(
        "{update: 'c', updates: [{q: {a: {$gt: 0}}, u: {$inc: {a: 1}}, multi: true, hint: 'a_1'}]}",
        "{n: 2500, nModified: 2500}",
    );
    lab.check("{count: 'c', query: {a: 3}}", "{n: 2500}");
    lab.check("{delete: 'c', deletes: [{q: {_id: {$lt: 2000}}, limit: 0}]}", "{n: 2000}");
    lab.check("{validate: 'c'}", "{valid: true, nrecords: 500}");
}

#[test]
fn update_changes_upserts_and_refuses() {
    let lab = with_five();
    lab.check("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 5}}}]}", "{n: 1, nModified: 0}");
    lab.check("{update: 'c', updates: [{q: {_id: 1}, u: {b: 1}}]}", "{n: 1, nModified: 1}");
    lab.check("{find: 'c', filter: {b: 1}}", "{'cursor.firstBatch': [{_id: 1, b: 1}]}");
    lab.check(
        "{update: 'c', updates: [{q: {_id: 9}, u: {$set: {a: 1}, $setOnInsert: {b: 2}}, upsert: true}]}",
        "{n: 1, nModified: 0, upserted: [{index: 0, _id: 9}]}",
    );
    lab.check("{find: 'c', filter: {_id: 9}}", "{'cursor.firstBatch': [{_id: 9, a: 1, b: 2}]}");
    lab.check(
        "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {_id: 3}}}]}",
        "{ok: 1, n: 0, 'writeErrors.0.code': 66}",
    );
    lab.check(
        "{update: 'c', updates: [{q: {}, u: {x: 1}, multi: true}]}",
        "{'writeErrors.0.code': 9}",
    );
    lab.check("{update: 'c', updates: [{q: {}, u: {}, nonsense: 1}]}", "{code: 40415}");
    lab.check("{update: 'c', updates: [{q: {_id: 77}, u: {a: 1}}]}", "{n: 0, nModified: 0}");
}

#[test]
fn delete_one_or_all() {
    let lab = with_five();
    lab.check("{delete: 'c', deletes: [{q: {a: {$gt: 2}}, limit: 1}]}", "{n: 1}");
    lab.check("{delete: 'c', deletes: [{q: {a: {$gt: 2}}, limit: 0}]}", "{n: 2}");
    lab.check("{delete: 'c', deletes: [{q: {}, limit: 3}]}", "{code: 9}");
    lab.check("{delete: 'none', deletes: [{q: {}, limit: 0}]}", "{n: 0}");
    assert_eq!(lab.ids("{find: 'c'}"), ints(&[4, 5]));
}

#[test]
fn find_and_modify_gives_the_document_before_or_after() {
    let lab = with_five();
    lab.check(
        "{findAndModify: 'c', query: {}, sort: {a: 1}, update: {$inc: {a: 10}}}",
        "{value: {_id: 5, a: 1}, 'lastErrorObject.n': 1, 'lastErrorObject.updatedExisting': true}",
    );
    lab.check(
        "{findAndModify: 'c', query: {_id: 5}, update: {$inc: {a: 1}}, new: true, fields: {_id: 0}}",
        "{value: {a: 12}}",
    );
    lab.check(
        "{findAndModify: 'c', query: {_id: 6}, update: {$set: {a: 1}}, upsert: true, new: true}",
        "{value: {_id: 6, a: 1}, 'lastErrorObject.upserted': 6, 'lastErrorObject.updatedExisting': false}",
    );
    lab.check("{findAndModify: 'c', query: {_id: 6}, remove: true}", "{value: {_id: 6, a: 1}}");
    lab.check("{findAndModify: 'c', query: {_id: 6}, remove: true}", "{value: null, ok: 1}");
    lab.check("{findAndModify: 'c', query: {}}", "{code: 9}");
}

#[test]
fn counting() {
    let lab = with_five();
    lab.check("{count: 'c'}", "{n: 5}");
    lab.check("{count: 'c', limit: -2}", "{n: 2}");
    lab.check("{count: 'c', skip: 4}", "{n: 1}");
    lab.check("{count: 'c', query: {a: {$gte: 4}}}", "{n: 2}");
    lab.check("{count: 'none'}", "{n: 0}");
    lab.check("{distinct: 'c', key: 'a', query: {a: {$lt: 3}}}", "{values: [1, 2]}");
    lab.ok("{insert: 'c', documents: [{_id: 6, a: [1, 7, 1.0]}, {_id: 7, a: []}]}");
    lab.check("{distinct: 'c', key: 'a'}", "{values: [1, 2, 3, 4, 5, 7]}");
}

#[test]
fn the_few_pipelines() {
    let lab = with_five();
    lab.check(
        "{aggregate: 'c', pipeline: [{$match: {a: {$gt: 1}}}, {$group: {_id: 1, n: {$sum: 1}}}], cursor: {}}",
        "{'cursor.firstBatch': [{_id: 1, n: 4}]}",
    );
    lab.check(
        "{aggregate: 'c', pipeline: [{$count: 'n'}], cursor: {}}",
        "{'cursor.firstBatch': [{n: 5}]}",
    );
    let ids = lab
        .ids("{aggregate: 'c', pipeline: [{$sort: {a: 1}}, {$limit: 3}, {$skip: 1}], cursor: {}}");
    assert_eq!(ids, ints(&[4, 3]));
    lab.check(
        "{aggregate: 'c', pipeline: [{$collStats: {storageStats: {}}}], cursor: {}}",
        "{'cursor.firstBatch.0.storageStats.count': 5}",
    );
    lab.check("{aggregate: 'c', pipeline: [{$densify: {}}], cursor: {}}", "{code: 238}");
    lab.check("{aggregate: 'c', pipeline: [{$nonsense: {}}], cursor: {}}", "{code: 40324}");
    lab.check("{aggregate: 'c', pipeline: [{}], cursor: {}}", "{code: 40323}");
}

#[test]
fn collections_come_and_go() {
    let lab = with_five();
    lab.ok("{create: 'd'}");
    lab.check("{create: 'd', nonsense: 1}", "{ok: 0}");
    lab.check(
        "{listCollections: 1, filter: {name: 'd'}}",
        "{'cursor.firstBatch.0.name': 'd', 'cursor.firstBatch.0.type': 'collection', \
          'cursor.firstBatch.0.idIndex.name': '_id_', '-cursor.firstBatch.1': 1}",
    );
    lab.ok("{renameCollection: 'test.d', to: 'test.e'}");
    lab.check("{renameCollection: 'test.e', to: 'test.c'}", "{code: 48}");
    lab.check("{drop: 'e'}", "{nIndexesWas: 1, ns: 'test.e'}");
    lab.check("{drop: 'e'}", "{ok: 1, '-ns': 1}");
    lab.check("{listDatabases: 1, nameOnly: true}", "{databases: [{name: 'test'}]}");
    lab.check("{dbStats: 1}", "{collections: 1, objects: 5, indexes: 1}");
    lab.check("{collStats: 'c'}", "{count: 5, nindexes: 1, ns: 'test.c'}");
    lab.check("{validate: 'none'}", "{code: 26}");
    lab.check("{dropDatabase: 1}", "{dropped: 'test'}");
    lab.check("{listDatabases: 1}", "{databases: [], totalSize: 0}");
}

#[test]
fn indexes_come_change_and_go() {
    let lab = with_five();
    lab.check(
        "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}",
        "{numIndexesBefore: 1, numIndexesAfter: 2, createdCollectionAutomatically: false, '-_t': 1}",
    );
    lab.check(
        "{collMod: 'c', index: {keyPattern: {a: 1}, expireAfterSeconds: 60}}",
        "{expireAfterSeconds_new: 60, '-expireAfterSeconds_old': 1}",
    );
    lab.check("{collMod: 'c', index: {name: 'a_1', expireAfterSeconds: true}}", "{code: 14}");
    lab.check("{collMod: 'c', timeseries: {}}", "{code: 72}");
    lab.check("{listIndexes: 'c'}", "{'cursor.firstBatch.1.expireAfterSeconds': 60}");
    lab.check("{listIndexes: 'c', cursor: {batchSize: 0}}", "{'cursor.firstBatch': []}");
    lab.check("{listIndexes: 'none'}", "{code: 26}");
    let wrapped = "{'cursor.firstBatch.0.spec.name': '_id_'}";
    lab.check("{listIndexes: 'c', includeIndexBuildInfo: true}", wrapped);
    lab.check("{listIndexes: 'c', includeIndexBuildInfo: 1}", "{code: 14}");
    let both = "{listIndexes: 'c', includeIndexBuildInfo: true, includeBuildUUIDs: true}";
    lab.check(both, "{code: 72}");
    lab.check("{listIndexes: 'c', cursor: {x: 1}}", "{code: 40415}");
    lab.check("{listCollections: 1, nameOnly: 1}", "{code: 14}");
    lab.check("{dropIndexes: 'c', index: null}", "{code: 14}");
    lab.check("{dropIndexes: 'c'}", "{code: 40414}");
    lab.check("{dropIndexes: 'c', index: 'none'}", "{code: 27}");
    lab.check("{dropIndexes: 'c'}", "{code: 40414}");
    lab.check(
        "{dropIndexes: 'c', index: '*'}",
        "{nIndexesWas: 2, msg: 'non-_id indexes dropped for collection'}",
    );
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}]}");
    lab.check(
        "{dropIndexes: 'c', index: ['*']}",
        "{nIndexesWas: 3, msg: 'non-_id indexes dropped for collection'}",
    );
    let messages = [
        ("{dropIndexes: 'c', index: 'none'}", "index not found with name [none]"),
        ("{dropIndexes: 'c', index: {z: 1}}", "can't find index with key: { \"z\": 1 }"),
        ("{dropIndexes: 'c', index: '_id_'}", "cannot drop _id index"),
        ("{dropIndexes: 'none', index: '*'}", "ns not found test.none"),
        ("{create: 'c', capped: true, size: 4096}", "Collection test.c already exists."),
    ];
    for (command, message) in messages {
        assert_eq!(lab.run(command).get_str("errmsg").ok(), Some(message), "{command}");
    }
}

#[test]
fn sparse_and_partial_indexes_only_when_safe() {
    let uses = |index: &str, filter: &str, used: bool| {
        let lab = with_five();
        lab.ok(&format!("{{createIndexes: 'c', indexes: [{index}]}}"));
        let reply = lab.ok(&format!("{{explain: {{find: 'c', filter: {filter}}}}}"));
        let name = at(&reply, "queryPlanner.winningPlan.inputStage.indexName");
        assert_eq!(name.is_some(), used, "{index} {filter}");
    };
    let sparse = "{key: {a: 1}, name: 'x', sparse: true}";
    uses(sparse, "{a: 1}", true);
    uses(sparse, "{a: null}", false);
    uses(sparse, "{a: {$in: [1, null]}}", false);
    let partial = "{key: {a: 1}, name: 'x', partialFilterExpression: {b: {$gt: 5}}}";
    uses(partial, "{a: 1}", false);
    uses(partial, "{a: 1, b: {$gt: 5}}", true);
    uses(partial, "{a: 1, b: {$gte: 5}}", false);
    uses(partial, "{a: 1, b: 6}", true);
    uses(partial, "{a: 1, b: 5}", false);
    uses(partial, "{a: 1, b: 'x'}", false);
}

#[test]
fn cosmos_hides_at_the_threshold_and_refuses_what_it_lacks() {
    let lab = Lab::new();
    lab.ok("{mayflyDialect: 'cosmos'}");
    lab.check(
        "{createIndexes: 'c', indexes: [{key: {_ts: 1}, name: '_ts_1', expireAfterSeconds: 10}]}",
        "{_t: 'CreateIndexesResponse', createdCollectionAutomatically: true}",
    );
    lab.check(
        "{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't_1', expireAfterSeconds: 10}]}",
        "{code: 2}",
    );
    lab.check("{collMod: 'c', index: {name: '_ts_1', expireAfterSeconds: 20}}", "{code: 115}");
    lab.check("{renameCollection: 'test.c', to: 'test.d'}", "{code: 115}");
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2, ttl: -1}, {_id: 3, ttl: 100}]}");
    lab.ok("{mayflyClock: 1, advanceMS: Long('10000')}");
    assert_eq!(lab.ids("{find: 'c'}"), ints(&[2, 3]));
    assert_eq!(lab.ids("{find: 'c', filter: {_id: 1}}"), ints(&[]));
    lab.check("{count: 'c'}", "{n: 2}");
    lab.check("{distinct: 'c', key: '_id'}", "{values: [2, 3]}");
    lab.check(
        "{aggregate: 'c', pipeline: [{$count: 'n'}], cursor: {}}",
        "{'cursor.firstBatch': [{n: 2}]}",
    );
    lab.check("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}}}]}", "{n: 0}");
    lab.check("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}", "{n: 0}");
    lab.check("{insert: 'c', documents: [{_id: 1, again: true}]}", "{n: 1, '-writeErrors': 1}");
    lab.check("{insert: 'c', documents: [{_id: 1}]}", "{n: 0, 'writeErrors.0.code': 11000}");
    lab.check("{validate: 'c'}", "{valid: true, nrecords: 3}");
    lab.check("{dropIndexes: 'c', index: '_ts_1'}", "{_t: 'DropIndexesResponse', nIndexesWas: 2}");
}

#[test]
fn bytes_that_are_no_bson_are_refused() {
    let lab = Lab::new();
    let mut bytes =
        bson::RawDocumentBuf::try_from(&doc! { "ping": "text" }).expect("raw").into_bytes();
    let at_text = bytes.len() - 6;
    bytes[at_text] = 0xff;
    let broken = bson::RawDocumentBuf::from_bytes(bytes).expect("the frame is whole");
    let reply = lab.engine.run_raw("test", &broken);
    assert_eq!(reply.get_i32("code").ok(), Some(22), "{reply:?}");
    let deep = (0..150).fold(doc! {}, |inner, _| doc! { "a": inner });
    let reply = lab.run_document(&doc! { "insert": "c", "documents": [deep] });
    assert_eq!(at(&reply, "writeErrors.0.code"), Some(Bson::Int32(15)), "{reply}");
    let deeper = (0..250).fold(doc! {}, |inner, _| doc! { "a": inner });
    let reply = lab.run_document(&doc! { "find": "c", "filter": deeper });
    assert_eq!(reply.get_i32("code").ok(), Some(15), "{reply}");
}

#[test]
fn a_key_that_is_there_is_told_as_programs_read_it() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', unique: true}]}");
    let check = |value: &str, expected: &str| {
        lab.ok(&format!("{{insert: 'c', documents: [{{a: {value}}}]}}"));
        let reply = lab.run(&format!("{{insert: 'c', documents: [{{a: {value}}}]}}"));
        let told = at(&reply, "writeErrors.0.errmsg");
        let expected = format!(
            "E11000 duplicate key error collection: test.c index: a_1 dup key: {{ a: {expected} }}"
        );
        assert_eq!(told, Some(Bson::String(expected)), "{value}");
    };
    check("'x@y.z'", "\"x@y.z\"");
    check("Double(1)", "1.0");
    check("2", "2");
    check("Long('3')", "3");
    check("Decimal128('4.50')", "4.50");
    check("ISODate('1970-01-01T00:00:05Z')", "new Date(5000)");
    check("Timestamp({t: 1, i: 2})", "Timestamp(1, 2)");
    check("ObjectId('0123456789abcdef01234567')", "ObjectId('0123456789abcdef01234567')");
    check("{b: 'x', c: {}}", "{ b: \"x\", c: {} }");
    check("[[]]", "[]");
    check("null", "null");
}
