//! `_ts`: the system's own value is never seen, and a client's own field of that name.

use super::{ALL, HIDING, advance, check_value, lab, lab_with_ttl};

/// Every way of looking at a document that has no `_ts`.
const LOOKS: &[(&str, &str, &str)] = &[
    ("{find: 'c'}", "cursor.firstBatch", "[{_id: 1, a: 1}]"),
    ("{find: 'c', projection: {_ts: 1}}", "cursor.firstBatch", "[{_id: 1}]"),
    ("{find: 'c', projection: {t: '$_ts'}}", "cursor.firstBatch", "[{_id: 1}]"),
    ("{find: 'c', filter: {_ts: {$exists: true}}}", "cursor.firstBatch", "[]"),
    ("{find: 'c', filter: {_ts: {$gte: 0}}}", "cursor.firstBatch", "[]"),
    ("{find: 'c', filter: {_ts: null}}", "cursor.firstBatch.0._id", "1"),
    ("{find: 'c', filter: {$expr: {$gt: ['$_ts', null]}}}", "cursor.firstBatch", "[]"),
    ("{find: 'c', sort: {_ts: -1}}", "cursor.firstBatch", "[{_id: 1, a: 1}]"),
    ("{count: 'c', query: {_ts: {$exists: true}}}", "n", "0"),
    ("{distinct: 'c', key: '_ts'}", "values", "[]"),
    ("{findAndModify: 'c', query: {_ts: {$exists: true}}, remove: true}", "value", "null"),
    (
        "{aggregate: 'c', pipeline: [{$match: {_ts: {$exists: 1}}}], cursor: {}}",
        "cursor.firstBatch",
        "[]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$project: {_ts: 1}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$sort: {_ts: 1}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1, a: 1}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$group: {_id: '$_ts', n: {$sum: 1}}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: null, n: 1}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$group: {_id: 1, t: {$max: '$_ts'}}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1, t: null}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$facet: {all: [{$project: {_ts: 1}}]}}], cursor: {}}",
        "cursor.firstBatch",
        "[{all: [{_id: 1}]}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$lookup: {from: 'c', localField: 'a', foreignField: '_id', as: 'l'}}, {$unwind: '$l'}, {$replaceRoot: {newRoot: '$l'}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1, a: 1}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$addFields: {t: {$type: '$_ts'}}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1, a: 1, t: 'missing'}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$project: {_id: 0, f: {$objectToArray: '$$ROOT'}}}], cursor: {}}",
        "cursor.firstBatch",
        "[{f: [{k: '_id', v: 1}, {k: 'a', v: 1}]}]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$unionWith: 'c'}, {$match: {_ts: {$exists: true}}}], cursor: {}}",
        "cursor.firstBatch",
        "[]",
    ),
    (
        "{aggregate: 'c', pipeline: [{$sample: {size: 5}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1, a: 1}]",
    ),
    ("{aggregate: 'c', pipeline: [{$out: 'o'}], cursor: {}}", "ok", "1"),
    ("{find: 'o'}", "cursor.firstBatch", "[{_id: 1, a: 1}]"),
    ("{aggregate: 'c', pipeline: [{$merge: 'm'}], cursor: {}}", "ok", "1"),
    ("{find: 'm'}", "cursor.firstBatch", "[{_id: 1, a: 1}]"),
    ("{update: 'c', updates: [{q: {_ts: {$exists: true}}, u: {$set: {a: 2}}}]}", "n", "0"),
    ("{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {b: '$_ts'}}]}]}", "nModified", "0"),
    ("{delete: 'c', deletes: [{q: {_ts: {$exists: true}}, limit: 0}]}", "n", "0"),
];

#[test]
fn the_systems_ts_is_invisible() {
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 1_000);
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}]}");
        for (command, path, wanted) in LOOKS {
            check_value(&lab, dialect, command, path, wanted);
        }
    }
}

/// Ways in which a client may write a field `_ts` into the document 1 of `c`.
const WRITES: &[&str] = &[
    "{insert: 'c', documents: [{_id: 1, a: 1, _ts: 5}]}",
    "{insert: 'c', documents: [{_ts: 5, _id: 1, a: 1}]}",
    "{update: 'c', updates: [{q: {_id: 1}, u: {a: 1, _ts: 5}, upsert: true}]}",
    "{update: 'c', updates: [{q: {_id: 1, _ts: 5}, u: {$set: {a: 1}}, upsert: true}]}",
    "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}, $setOnInsert: {_ts: 5}}, upsert: true}]}",
    "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {a: 1, _ts: 5}}], upsert: true}]}",
    "{findAndModify: 'c', query: {_id: 1}, update: {a: 1, _ts: 5}, upsert: true}",
    "{aggregate: 1, pipeline: [{$documents: [{_id: 1, a: 1, _ts: 5}]}, {$out: 'c'}], cursor: {}}",
    "{aggregate: 1, pipeline: [{$documents: [{_id: 1, a: 1, _ts: 5}]}, {$merge: 'c'}], cursor: {}}",
];

#[test]
fn a_clients_own_ts_is_a_field_but_in_cosmos() {
    for write in WRITES {
        for dialect in ALL {
            let lab = lab(dialect);
            lab.ok("{create: 'c'}");
            lab.ok(write);
            let is_kept = dialect != "cosmos";
            let (n, value) = if is_kept { ("1", "5") } else { ("0", "absent") };
            let about = format!("{dialect}: {write}");
            check_value(&lab, &about, "{find: 'c'}", "cursor.firstBatch.0.a", "1");
            check_value(&lab, &about, "{find: 'c'}", "cursor.firstBatch.0._ts", value);
            check_value(&lab, &about, "{count: 'c', query: {_ts: 5}}", "n", n);
            check_value(&lab, &about, "{count: 'c', query: {_ts: {$exists: true}}}", "n", n);
        }
    }
}

#[test]
fn a_ts_inside_is_an_ordinary_field_everywhere() {
    for dialect in ALL {
        let lab = lab(dialect);
        lab.ok("{insert: 'c', documents: [{_id: 1, a: {_ts: 5}}]}");
        lab.check(
            "{find: 'c', filter: {'a._ts': 5}}",
            "{'cursor.firstBatch': [{_id: 1, a: {_ts: 5}}]}",
        );
    }
}

#[test]
fn writing_ts_in_cosmos_is_a_write_whose_value_is_lost() {
    let lab = lab_with_ttl("cosmos", 10);
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    advance(&lab, 8_000);
    lab.check(
        "{findAndModify: 'c', query: {_id: 1}, update: {$set: {_ts: 5}}, new: true}",
        "{value: {_id: 1}}",
    );
    advance(&lab, 9_999);
    lab.check("{count: 'c'}", "{n: 1}");
    advance(&lab, 1);
    lab.check("{count: 'c'}", "{n: 0}");
    lab.check(
        "{findAndModify: 'c', query: {_id: 1}, update: {$set: {_ts: 5}}, new: true, upsert: true}",
        "{value: {_id: 1}, 'lastErrorObject.upserted': 1}",
    );
}

#[test]
fn in_open_the_countdown_is_about_the_write_whatever_the_field_says() {
    let lab = lab_with_ttl("open", 10);
    lab.ok("{insert: 'c', documents: [{_id: 1, _ts: ISODate('2001-01-01T00:00:00Z')}]}");
    lab.check("{count: 'c', query: {_ts: {$lt: ISODate('2002-01-01T00:00:00Z')}}}", "{n: 1}");
    advance(&lab, 9_999);
    lab.check("{count: 'c'}", "{n: 1}");
    advance(&lab, 1);
    lab.check("{count: 'c'}", "{n: 0}");
}

#[test]
fn in_mongodb_ts_is_a_date_as_any() {
    let lab = lab_with_ttl("mongodb", 10);
    lab.ok("{insert: 'c', documents: [{_id: 1, _ts: ISODate('2024-01-01T00:00:00Z'), ttl: 99}, {_id: 2}]}");
    lab.check(
        "{explain: {find: 'c', filter: {_ts: ISODate('2024-01-01T00:00:00Z')}}}",
        "{'queryPlanner.winningPlan.inputStage.indexName': '_ts_1'}",
    );
    advance(&lab, 10_000);
    lab.check("{count: 'c'}", "{n: 2}");
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 2}]}");
    lab.check(
        "{collMod: 'c', index: {name: '_ts_1', expireAfterSeconds: 20}}",
        "{ok: 1, '-_t': 1}",
    );
    lab.check("{dropIndexes: 'c', index: '_ts_1'}", "{ok: 1, '-_t': 1}");
    lab.check(&crate::command::tests::dialect::create_ts(-1), "{code: 67}");
}

#[test]
fn cosmos_is_not_for_a_database_that_has_such_fields_already() {
    let lab = lab("open");
    lab.ok("{insert: 'a', documents: [{_id: 1}]}");
    lab.ok("{insert: 'c', documents: [{_id: 1, _ts: 5}]}");
    lab.check("{mayflyDialect: 'cosmos'}", "{code: 20}");
    lab.check("{mayflyDialect: 1}", "{dialect: 'open'}");
    lab.ok("{mayflyDialect: 'mongodb'}");
    lab.ok("{update: 'c', updates: [{q: {}, u: {$rename: {_ts: 'seen'}}, multi: true}]}");
    lab.check("{mayflyDialect: 'cosmos'}", "{dialect: 'cosmos'}");
}
