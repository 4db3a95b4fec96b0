use bson::{Bson, Document, doc};
use mayfly_engine::command::ListenAt;
use mayfly_engine::value::shell::write_command;

use super::{
    archive, clock, documents, expiry, indexes, listener, maintenance, query, reaper, store, trash,
};
use crate::commands::query::Query;
use crate::job::{Namespace, TrashScope};

/// Each command with its text in mongosh, without the database in front.
#[track_caller]
fn check<const N: usize>(table: [(Document, &str); N]) {
    for (command, expected) in table {
        let text = write_command("d", &command);
        let text = text.trim_start_matches("db.getSiblingDB('d').");
        assert_eq!(text, expected);
    }
}

#[test]
fn clocks() {
    check([
        (clock::read(), "runCommand({ mayflyClock: 1 })"),
        (clock::set_paused(true), "runCommand({ mayflyClock: 1, paused: true })"),
        (
            clock::set_rate(60.0),
            "runCommand({ mayflyClock: 1, rate: Double(60.0), paused: false })",
        ),
        (clock::advance(1_000), "runCommand({ mayflyClock: 1, advanceMS: Long('1000') })"),
        (clock::advance_to("pass"), "runCommand({ mayflyClock: 1, advanceTo: 'pass' })"),
    ]);
}

#[test]
fn indexes_of_a_collection() {
    let key = doc! { "at": 1 };
    check([
        (indexes::list("c"), "c.getIndexes()"),
        (indexes::uses("c"), "c.aggregate([ { $indexStats: {} } ])"),
        (indexes::create("c", doc! { "key": key, "name": "at_1" }), "c.createIndex({ at: 1 })"),
        (
            indexes::set_ttl("c", "at_1", 60),
            "runCommand({ collMod: 'c', index: { name: 'at_1', expireAfterSeconds: 60 } })",
        ),
        (
            indexes::set_ttl("c", "at_1", 1 << 32),
            "runCommand({ collMod: 'c', index: { name: 'at_1', expireAfterSeconds: \
             Long('4294967296') } })",
        ),
        (
            indexes::set_hidden("c", "at_1", true),
            "runCommand({ collMod: 'c', index: { name: 'at_1', hidden: true } })",
        ),
        (indexes::drop("c", "at_1"), "c.dropIndex('at_1')"),
    ]);
}

#[test]
fn the_ttl_monitor() {
    check([
        (reaper::run_pass(), "runCommand({ mayflyReap: 1 })"),
        (reaper::set_enabled(true), "runCommand({ setParameter: 1, ttlMonitorEnabled: true })"),
        (
            reaper::set_period(60),
            "runCommand({ setParameter: 1, ttlMonitorSleepSecs: Long('60') })",
        ),
        (
            reaper::set_at_threshold(false),
            "runCommand({ setParameter: 1, mayflyReapAtThreshold: false })",
        ),
        (reaper::status(), "runCommand({ serverStatus: 1 })"),
        (reaper::held(), "runCommand({ mayflyHeld: 1 })"),
        (reaper::release("deleteNow"), "runCommand({ mayflyRelease: 1, action: 'deleteNow' })"),
    ]);
}

#[test]
fn databases_and_collections() {
    let (a, b) = (Namespace::new("d", "a"), Namespace::new("d", "b"));
    check([
        (store::databases(), "runCommand({ listDatabases: 1 })"),
        (store::rename(&a, &b), "runCommand({ renameCollection: 'd.a', to: 'd.b' })"),
        (
            store::collections(10),
            "runCommand({ listCollections: 1, nameOnly: true, cursor: { batchSize: 10 } })",
        ),
        (store::stats("c"), "runCommand({ collStats: 'c' })"),
        (store::dialect(), "runCommand({ mayflyDialect: 1 })"),
        (store::set_dialect("mongodb"), "runCommand({ mayflyDialect: 'mongodb' })"),
        (store::create("c"), "createCollection('c')"),
        (store::create_capped("c", None), "createCollection('c', { capped: true })"),
        (
            store::create_capped("c", Some(5)),
            "createCollection('c', { capped: true, size: Long('5') })",
        ),
        (store::drop_database(), "dropDatabase()"),
        (store::drop_collection("c"), "c.drop()"),
    ]);
}

#[test]
fn what_was_removed() {
    let of = Some(Namespace::new("d", "c"));
    let of_collection = TrashScope { of, ..TrashScope::default() };
    let of_pass = TrashScope { pass: Some(2), ..TrashScope::default() };
    let filtered = TrashScope { filter: Some(doc! { "a": 1 }), ..TrashScope::default() };
    let after = || Some(Bson::Int64(7));
    check([
        (trash::keep(600), "runCommand({ setParameter: 1, mayflyTrashSecs: 600 })"),
        (
            trash::page(&filtered, 10, true, None),
            "runCommand({ mayflyTrash: 1, filter: { a: 1 }, archived: true, limit: 10, documents: \
             true })",
        ),
        (
            trash::page(&of_collection, 10, false, after()),
            "runCommand({ mayflyTrash: 'c', archived: true, limit: 10, after: Long('7') })",
        ),
        (
            trash::restore_step(&of_collection, None),
            "runCommand({ mayflyRestoreTrash: 'c', archived: true, limit: 1000 })",
        ),
        (
            trash::restore_step(&of_pass, after()),
            "runCommand({ mayflyRestoreTrash: 1, pass: Long('2'), archived: true, limit: 1000, \
             after: Long('7') })",
        ),
        (
            trash::count(&of_pass),
            "runCommand({ mayflyTrash: 1, pass: Long('2'), archived: true, limit: 1, count: true })",
        ),
        (
            trash::restore_ids("c", vec![Bson::Int32(1)], filtered.filter.as_ref()),
            "runCommand({ mayflyRestoreTrash: 'c', ids: [ 1 ], filter: { a: 1 }, archived: true })",
        ),
        (trash::discard(&of_collection), "runCommand({ mayflyDiscardTrash: 'c' })"),
    ]);
}

#[test]
fn archives() {
    check([
        (archive::status(), "runCommand({ mayflyArchives: 1 })"),
        (archive::turn_on("c", "", None, None), "runCommand({ mayflyArchive: 'c' })"),
        (
            archive::turn_on("c", "/x", Some(1), Some(60)),
            "runCommand({ mayflyArchive: 'c', target: '/x', maxBytes: Long('1'), maxAgeSecs: \
             Long('60') })",
        ),
        (archive::turn_off("c"), "runCommand({ mayflyArchive: 'c', off: true })"),
    ]);
}

#[test]
fn the_listener() {
    check([
        (listener::status(), "runCommand({ mayflyListen: 1 })"),
        (
            listener::turn_on(&ListenAt::Port(27_017)),
            "runCommand({ mayflyListen: 1, on: true, port: 27017 })",
        ),
        (
            listener::turn_on(&ListenAt::Socket("/a.sock".into())),
            "runCommand({ mayflyListen: 1, on: true, socket: '/a.sock' })",
        ),
        (listener::turn_off(), "runCommand({ mayflyListen: 1, on: false })"),
    ]);
}

#[test]
fn the_maintenance() {
    check([
        (maintenance::status(), "runCommand({ serverStatus: 1, none: 1, mayfly: 1 })"),
        (maintenance::scrub(true), "runCommand({ mayflyScrub: 'start' })"),
        (maintenance::scrub(false), "runCommand({ mayflyScrub: 'stop' })"),
        (
            maintenance::backup("/b.mayfly".as_ref()),
            "runCommand({ mayflyBackup: 1, to: '/b.mayfly' })",
        ),
    ]);
}

#[test]
fn documents_of_a_collection() {
    let id = |id: i32| doc! { "_id": { "$eq": id } };
    check([
        (documents::insert("c", &[doc! { "_id": 1 }]), "c.insertOne({ _id: 1 })"),
        (
            documents::replace("c", id(1), &doc! { "_id": 1, "a": 2 }),
            "c.replaceOne({ _id: { $eq: 1 } }, { _id: 1, a: 2 })",
        ),
        (
            documents::delete("c", [id(1), id(2)].into_iter()),
            "runCommand({ delete: 'c', deletes: [ { q: { _id: { $eq: 1 } }, limit: 1 }, { q: { \
             _id: { $eq: 2 } }, limit: 1 } ], ordered: false })",
        ),
        (
            documents::read("c", id(1), 1),
            "runCommand({ find: 'c', filter: { _id: { $eq: 1 } }, limit: Long('1'), batchSize: \
             Long('1'), singleBatch: true })",
        ),
        (
            documents::sample("c", 50),
            "runCommand({ find: 'c', limit: Long('50'), allowPartialResults: true })",
        ),
        (documents::damaged("c"), "runCommand({ mayflyDamaged: 'c' })"),
        (
            documents::remove_damaged("c", ["7"].into_iter()),
            "runCommand({ mayflyDamaged: 'c', remove: [ '7' ] })",
        ),
        (
            documents::close_cursor("c", 5),
            "runCommand({ killCursors: 'c', cursors: [ Long('5') ] })",
        ),
    ]);
}

#[test]
fn expirations() {
    check([
        (expiry::expiring("c", 1.into(), None), "runCommand({ mayflyExpiring: 'c', limit: 1 })"),
        (
            expiry::expiring("c", 200_i64.into(), Some("at_1".into())),
            "runCommand({ mayflyExpiring: 'c', limit: Long('200'), index: 'at_1' })",
        ),
        (
            expiry::between(expiry::expiring("c", 1.into(), None), 0, 1_000),
            "runCommand({ mayflyExpiring: 'c', limit: 1, from: ISODate('1970-01-01T00:00:00.000Z'), \
             to: ISODate('1970-01-01T00:00:01.000Z') })",
        ),
        (
            expiry::forecast("c", 0, 1_000, 4, None),
            "runCommand({ mayflyForecast: 'c', from: ISODate('1970-01-01T00:00:00.000Z'), to: \
             ISODate('1970-01-01T00:00:01.000Z'), buckets: 4 })",
        ),
        (
            expiry::forecast("c", 0, 1_000, 4, Some("at_1".into())),
            "runCommand({ mayflyForecast: 'c', from: ISODate('1970-01-01T00:00:00.000Z'), to: \
             ISODate('1970-01-01T00:00:01.000Z'), buckets: 4, index: 'at_1' })",
        ),
        (
            expiry::rows(vec![doc! { "_id": "$a" }]),
            "runCommand({ aggregate: 1, pipeline: [ { $documents: { $literal: [ { _id: '$a' } ] } } \
             ], cursor: {} })",
        ),
        (
            expiry::what_if("c", doc! { "name": "at_1", "expireAfterSeconds": 60 }),
            "runCommand({ mayflyWhatIf: 'c', index: { name: 'at_1', expireAfterSeconds: 60 } })",
        ),
        (expiry::verdict("c", Bson::Int32(1)), "runCommand({ mayflyVerdict: 'c', id: 1 })"),
        (
            expiry::verdicts("c", vec![Bson::Int32(1), Bson::Int32(2)]),
            "runCommand({ mayflyVerdict: 'c', ids: [ 1, 2 ] })",
        ),
        (
            expiry::set_date("c", Bson::Int32(1), "at", 0),
            "c.updateOne({ _id: 1, at: { $not: { $type: 'array' } } }, { $set: \
             { at: ISODate('1970-01-01T00:00:00.000Z') } })",
        ),
    ]);
}

#[test]
fn queries() {
    let part = Query { skip: 10, limit: Some(120), ..Query::default() };
    let every = Query {
        filter: doc! { "a": 1 },
        projection: doc! { "b": 1 },
        sort: doc! { "c": -1 },
        hint: Some("a_1".into()),
        ..part.clone()
    };
    let all = Query::default();
    let bounded = Query { max_time_ms: Some(2_500), ..Query::default() };
    check([
        (all.find("c", 0, 50), "c.find().limit(50).batchSize(50)"),
        (part.find("c", 100, 50), "c.find().skip(110).limit(20).batchSize(20)"),
        (
            every.find("c", 0, 50),
            "c.find({ a: 1 }, { b: 1 }).sort({ c: -1 })\
             .skip(10).limit(50).batchSize(50).hint('a_1')",
        ),
        (all.count("c"), "c.countDocuments({})"),
        (
            bounded.find("c", 0, 50),
            "runCommand({ find: 'c', filter: {}, limit: \
             Long('50'), batchSize: Long('50'), maxTimeMS: Long('2500') })",
        ),
        (
            every.count("c"),
            "c.countDocuments({ a: 1 }, { skip: Long('10'), limit: Long('120'), \
             hint: 'a_1' })",
        ),
        (
            query::allow_partial(all.find("c", 0, 50)),
            "runCommand({ find: 'c', filter: {}, limit: \
             Long('50'), batchSize: Long('50'), allowPartialResults: true })",
        ),
        (
            query::ids_only(all.find("c", 0, 50)),
            "runCommand({ find: 'c', filter: {}, limit: \
             Long('50'), batchSize: Long('50'), projection: { _id: 1 }, singleBatch: true })",
        ),
    ]);
}
