//! Definitions: creating, renaming, bounding and measuring collections and indexes.

use std::{ops::ControlFlow, sync::Arc};

use bson::{Bson, doc};

use crate::{
    clock::{Clock, FakeSystemClock},
    command::testing::{Lab, at},
    engine::{Engine, EngineOptions, maintenance},
};

fn refuses(lab: &Lab, command: &str, code: i32) {
    lab.check(command, &format!("{{ok: 0, code: {code}}}"));
}

#[test]
fn create_checks_its_options() {
    let lab = Lab::new();
    refuses(&lab, "{create: 'c', capped: true}", 72);
    refuses(&lab, "{create: 'c', size: 100}", 72);
    refuses(&lab, "{create: 'c', max: 100}", 72);
    refuses(&lab, "{create: 'c', capped: true, size: 'x'}", 14);
    refuses(&lab, "{create: 'c', capped: 'x', size: 100}", 14);
    refuses(&lab, "{create: 'c', capped: true, size: -1}", 2);
    refuses(&lab, "{create: 'c', unknown: 1}", 40415);
    refuses(&lab, "{create: ''}", 73);
    refuses(&lab, "{create: 'a$b'}", 73);
    refuses(&lab, "{create: '.a'}", 73);
    refuses(&lab, "{create: 1}", 73);
    lab.ok("{create: 'c', capped: true, size: 4096, max: 3}");
    lab.ok("{create: 'c', capped: true, size: 4096, max: 3}");
    refuses(&lab, "{create: 'c', capped: true, size: 4096}", 48);
    refuses(&lab, "{create: 'c'}", 48);
}

#[test]
fn what_narrows_a_change_is_not_passed_over() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    let other = bson::Binary { subtype: bson::spec::BinarySubtype::Uuid, bytes: vec![7; 16] };
    for mut command in [
        doc! { "drop": "c" },
        doc! { "collMod": "c", "validator": { "a": 1 } },
        doc! {
            "bulkWrite": 1, "ops": [{ "delete": 0, "filter": {}, "multi": true }],
            "nsInfo": [{ "ns": "test.c" }],
        },
    ] {
        if let Ok([Bson::Document(entry)]) = command.get_array_mut("nsInfo").map(Vec::as_mut_slice)
        {
            entry.insert("collectionUUID", other.clone());
        } else {
            command.insert("collectionUUID", other.clone());
        }
        let reply = lab.run_document(&command);
        assert_eq!(reply.get_i32("code").ok(), Some(238), "{command}: {reply}");
    }
    lab.check("{count: 'c'}", "{n: 1}");
}

#[test]
fn a_database_is_dropped_only_by_the_number_1() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    for other in ["0", "2", "-1", "NumberLong(3)", "1.5e300"] {
        refuses(&lab, &format!("{{dropDatabase: {other}}}"), 5_255_100);
    }
    for other in ["'elsewhere'", "true", "null", "{}"] {
        refuses(&lab, &format!("{{dropDatabase: {other}}}"), 14);
    }
    lab.check("{count: 'c'}", "{n: 1}");
    let refused = lab.engine.run("admin", &bson::doc! { "dropDatabase": 1 });
    assert_eq!(refused.get_i32("code").ok(), Some(20), "{refused}");
    lab.check("{dropDatabase: 1.0}", "{dropped: 'test'}");
}

#[test]
fn a_capped_collection_keeps_the_newest_and_takes_a_ttl() {
    let lab = Lab::new();
    lab.ok("{create: 'c', capped: true, size: 4096, max: 3}");
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}]}");
    assert_eq!(lab.ids("{find: 'c'}"), bson::bson!([2, 3, 4]).as_array().expect("ids").clone());
    lab.ok("{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't_1', expireAfterSeconds: 0}]}");
    lab.ok("{insert: 'c', documents: [{_id: 5, t: new Date(0)}]}");
    lab.ok("{mayflyReap: 1}");
    assert_eq!(lab.ids("{find: 'c'}"), bson::bson!([3, 4]).as_array().expect("ids").clone());
}

#[test]
fn a_document_larger_than_its_capped_collection_is_the_only_one() {
    let lab = Lab::new();
    lab.ok("{create: 'c', capped: true, size: 4096}");
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
    let large = "x".repeat(5_000);
    lab.ok(&format!("{{insert: 'c', documents: [{{_id: 3, large: '{large}'}}]}}"));
    assert_eq!(lab.ids("{find: 'c'}"), [Bson::Int32(3)]);
    lab.ok("{insert: 'c', documents: [{_id: 4}]}");
    assert_eq!(lab.ids("{find: 'c'}"), [Bson::Int32(4)]);
}

#[test]
fn a_damaged_document_keeps_no_other_out_of_a_capped_collection() {
    let lab = Lab::new();
    lab.ok("{create: 'c', capped: true, size: 4096, max: 2}");
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 'needle'}]}");
    lab.ok("{insert: 'd', documents: [{_id: 1, a: 'needle'}, {_id: 2}]}");
    lab.spoil(b"needle");
    for id in 2..5 {
        lab.ok(&format!("{{insert: 'c', documents: [{{_id: {id}}}]}}"));
    }
    lab.ok("{convertToCapped: 'd', size: 20}");
    lab.check("{find: 'c', filter: {_id: 3}}", "{'cursor.firstBatch': []}");
    lab.check("{find: 'c', filter: {_id: 4}}", "{'cursor.firstBatch': [{_id: 4}]}");
    lab.check("{collStats: 'c'}", "{count: 2}");
    lab.check("{collStats: 'd'}", "{count: 1}");
}

#[test]
fn convert_to_capped_bounds_in_place() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 'xxxxxxxxxx'}, {_id: 2, a: 'xxxxxxxxxx'}, {_id: 3}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    refuses(&lab, "{convertToCapped: 'c'}", 72);
    refuses(&lab, "{convertToCapped: 'c', size: 0}", 72);
    refuses(&lab, "{convertToCapped: 'c', size: 'x'}", 72);
    refuses(&lab, "{convertToCapped: 'c', size: NumberLong(1125899906842625)}", 2);
    refuses(&lab, "{convertToCapped: 'c', size: NumberDecimal('0.5')}", 72);
    refuses(&lab, "{convertToCapped: 'none', size: 10}", 26);
    for too_small in ["1", "13", "NumberDecimal('0.6')"] {
        refuses(&lab, &format!("{{convertToCapped: 'c', size: {too_small}}}"), 2);
    }
    lab.check("{collStats: 'c'}", "{capped: false, count: 3, nindexes: 2}");
    lab.ok("{convertToCapped: 'c', size: 60}");
    assert_eq!(lab.ids("{find: 'c'}"), bson::bson!([2, 3]).as_array().expect("ids").clone());
    lab.check("{listIndexes: 'c'}", "{'cursor.firstBatch': [{v: 2, key: {_id: 1}, name: '_id_'}]}");
    lab.check("{collStats: 'c'}", "{capped: true, maxSize: 60, max: 0, count: 2}");
    lab.check("{validate: 'c'}", "{valid: true, 'indexDetails._id_.valid': true}");
}

#[test]
fn rename_has_a_code_for_every_refusal() {
    let lab = Lab::new();
    lab.ok("{insert: 'a', documents: [{_id: 1}]}");
    lab.ok("{create: 'b'}");
    refuses(&lab, "{renameCollection: 'test.none', to: 'test.x'}", 26);
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.b'}", 48);
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.a'}", 20);
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.'}", 73);
    refuses(&lab, "{renameCollection: 'test.a', to: 1}", 14);
    refuses(&lab, "{renameCollection: 'test.a', to: null}", 40414);
    refuses(&lab, "{renameCollection: null, to: 'test.x'}", 40414);
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.x', dropTarget: 1}", 14);
    refuses(&lab, "{renameCollection: 'test.system.js', to: 'test.x'}", 20);
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.system.profile'}", 20);
    refuses(&lab, "{renameCollection: 'test.a', to: 'local.oplog.rs'}", 20);
    lab.ok("{create: 't', timeseries: {timeField: 'at'}}");
    refuses(&lab, "{renameCollection: 'test.t', to: 'test.x'}", 166);
    lab.ok("{create: 'v', viewOn: 'b', pipeline: []}");
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.v'}", 48);
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.v', dropTarget: true}", 48);
    lab.check("{count: 'v'}", "{n: 0}");
    lab.ok("{insert: 't', documents: [{at: ISODate('2024-01-01')}]}");
    refuses(&lab, "{renameCollection: 'test.a', to: 'test.t', dropTarget: true}", 48);
    lab.check("{count: 't'}", "{n: 1}");
    lab.ok("{renameCollection: 'test.a', to: 'test.b', dropTarget: true}");
    lab.check("{count: 'b'}", "{n: 1}");
    lab.check("{drop: 'b'}", "{nIndexesWas: 1, ns: 'test.b', ok: 1}");
    lab.check("{drop: 'b'}", "{ok: 1, '-ns': 1}");
}

#[test]
fn options_of_indexes_have_types() {
    let lab = Lab::new();
    let check = |spec: &str, code: i32| {
        refuses(&lab, &format!("{{createIndexes: 'c', indexes: [{spec}]}}"), code);
    };
    check("{key: {a: 1}, name: 'x', storageEngine: 1}", 14);
    check("{key: {a: 1}, name: 'x', storageEngine: {other: {}}}", 72);
    check("{key: {a: 1}, name: 'x', weights: {a: 1}}", 67);
    check("{key: {a: 'text'}, name: 'x', weights: 1}", 14);
    check("{key: {a: 'text'}, name: 'x', default_language: 1}", 14);
    check("{key: {a: '2d'}, name: 'x', bits: 'x'}", 14);
    check("{key: {'$**': 1}, name: 'x', wildcardProjection: {}}", 9);
    check("{key: {a: 1}, name: 'x', wildcardProjection: {a: 1}}", 2);
    check("{key: {a: true}, name: 'x'}", 67);
    check("{key: {a: 'unknown'}, name: 'x'}", 67);
    check("{key: {a: 1}, name: 'x', partialFilterExpression: {a: {$ne: 1}}}", 67);
    check("{key: {a: 1}, name: 'x', sparse: true, partialFilterExpression: {a: 1}}", 67);
    refuses(&lab, "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'x'}], commitQuorum: 1}", 2);
    lab.ok(
        "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'x', ns: 'test.c', background: true, \
            storageEngine: {}}]}",
    );
    for special in ["{a: 'text'}", "{b: '2dsphere'}", "{c: 'hashed'}", "{'$**': 1}", "{d: '2d'}"] {
        let name = special.replace(['{', '}', '\'', ' ', ':', '*'], "");
        lab.ok(&format!("{{createIndexes: 'c', indexes: [{{key: {special}, name: '{name}'}}]}}"));
    }
}

#[test]
fn background_is_kept_as_given_and_never_compared() {
    let lab = Lab::new();
    let create = |name: &str, options: &str| {
        lab.ok(&format!(
            "{{createIndexes: 'c', indexes: [{{key: {{{name}: 1}}, name: '{name}'{options}}}]}}"
        ))
    };
    create("on", ", background: true, unique: true");
    create("off", ", background: false");
    create("number", ", background: 2.5, expireAfterSeconds: 9");
    create("none", "");
    for options in ["", ", background: false", ", background: 1"] {
        let reply = create("on", &format!("{options}, unique: true"));
        assert_eq!(reply.get_str("note").ok(), Some("all indexes already exist"), "{reply}");
    }
    for option in ["background", "dropDups", "hidden"] {
        let index = format!("{{key: {{x: 1}}, name: 'x', {option}: 'yes'}}");
        refuses(&lab, &format!("{{createIndexes: 'c', indexes: [{index}]}}"), 14);
    }
    refuses(&lab, "{createIndexes: 'c', indexes: [{key: {x: 1}, name: 'x', hidden: 1}]}", 14);
    lab.ok("{collMod: 'c', index: {name: 'number', expireAfterSeconds: 10}}");
    lab.ok("{collMod: 'c', index: {name: 'on', hidden: true}}");
    let backups = tempfile::tempdir().expect("a folder");
    let backup = backups.path().join("backup");
    lab.run_document(&doc! { "mayflyBackup": 1, "to": backup.to_str().expect("text") });
    let data = backups.path().join("restored");
    let clock: Arc<dyn Clock> = Arc::new(FakeSystemClock::new(1_800_000_000_000));
    let mut go_on = |_: _| ControlFlow::Continue(());
    maintenance::restore(&backup, &data, false, &clock, None, &mut go_on).expect("restored");
    let copy = Engine::open(&data, EngineOptions::default()).expect("the backup opens");
    for (engine, what) in [(&lab.reopened().engine, "reopened"), (&copy, "backup")] {
        let reply = engine.run("test", &doc! { "listIndexes": "c" });
        let listed = at(&reply, "cursor.firstBatch").expect("a batch");
        let expected = bson::bson!([
            { "v": 2, "key": { "_id": 1 }, "name": "_id_" },
            { "v": 2, "key": { "on": 1 }, "name": "on", "background": true, "unique": true,
              "hidden": true },
            { "v": 2, "key": { "off": 1 }, "name": "off", "background": false },
            { "v": 2, "key": { "number": 1 }, "name": "number", "background": true,
              "expireAfterSeconds": 10 },
            { "v": 2, "key": { "none": 1 }, "name": "none" },
        ]);
        assert_eq!(listed, expected, "{what}");
    }
}

#[test]
fn a_conversion_to_unique_names_the_violations() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3, a: 2}, \
            {_id: 4, a: 3}, {_id: 5, a: 3}, {_id: 6, a: 3}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    lab.ok("{collMod: 'c', index: {name: 'a_1', prepareUnique: true}}");
    lab.check(
        "{collMod: 'c', index: {name: 'a_1', unique: true}}",
        "{code: 359, violations: [{ids: [1, 2]}, {ids: [4, 5, 6]}]}",
    );
    lab.ok("{delete: 'c', deletes: [{q: {_id: {$in: [2, 5, 6]}}, limit: 0}]}");
    lab.ok("{collMod: 'c', index: {name: 'a_1', unique: true}, dryRun: true}");
    lab.check("{collMod: 'c', index: {name: 'a_1', unique: true}}", "{unique_new: true}");
}

#[test]
fn sizes_have_the_fields_that_tools_read() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
    lab.check(
        "{collStats: 'c', scale: 2}",
        "{ns: 'test.c', count: 2, nindexes: 1, scaleFactor: 2, capped: false, freeStorageSize: 0, \
          indexBuilds: [], '-maxSize': 1}",
    );
    refuses(&lab, "{collStats: 'c', scale: 0}", 2);
    refuses(&lab, "{dbStats: 1, scale: 'x'}", 14);
    let stats = lab.ok("{dbStats: 1, freeStorage: 1}");
    for field in ["dataSize", "indexSize", "totalSize", "fsTotalSize", "totalFreeStorageSize"] {
        assert!(at(&stats, field).is_some(), "{field} in {stats}");
    }
    refuses(&lab, "{validate: 'none'}", 26);
}

#[test]
fn a_text_index_is_made_again_from_what_lists_it() {
    let lab = Lab::new();
    lab.ok(
        "{createIndexes: 'c', indexes: [{key: {title: 'text'}, name: 't', weights: {title: 7}}]}",
    );
    let listed = lab.ok("{listIndexes: 'c'}");
    let Some(Bson::Document(index)) = at(&listed, "cursor.firstBatch.1") else {
        panic!("{listed}")
    };
    let again = doc! { "createIndexes": "c", "indexes": [index.clone()] };
    let reply = lab.run_document(&again);
    assert_eq!(reply.get_str("note").ok(), Some("all indexes already exist"), "{reply}");
    lab.ok("{dropIndexes: 'c', index: 't'}");
    lab.run_document(&again);
    assert_eq!(at(&lab.ok("{listIndexes: 'c'}"), "cursor.firstBatch.1"), Some(index.into()));
}
