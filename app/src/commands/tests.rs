use bson::{Bson, Document, doc};
use mayfly_engine::value::shell::write_command;

use super::{clock, indexes, reaper, store};
use crate::job::Namespace;

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
        (
            indexes::create("c", doc! { "key": key.clone(), "name": "at_1" }),
            "c.createIndex({ at: 1 })",
        ),
        (
            indexes::set_ttl("c", &key, 60),
            "runCommand({ collMod: 'c', index: { keyPattern: { at: 1 }, expireAfterSeconds: 60 } })",
        ),
        (
            indexes::set_ttl("c", &key, 1 << 32),
            "runCommand({ collMod: 'c', index: { keyPattern: { at: 1 }, expireAfterSeconds: Long('4294967296') } })",
        ),
        (
            indexes::set_hidden("c", "at_1", true),
            "runCommand({ collMod: 'c', index: { name: 'at_1', hidden: true } })",
        ),
        (indexes::drop("c", "at_1"), "c.dropIndex('at_1')"),
        (
            indexes::count_by_date("c", "at", vec![Bson::Int32(1), Bson::Int32(2)], 0),
            "c.aggregate([ { $match: { at: { $lte: ISODate('1970-01-01T00:00:00Z') } } }, { $bucket: { groupBy: '$at', boundaries: [ 1, 2 ], default: 'other' } } ])",
        ),
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
