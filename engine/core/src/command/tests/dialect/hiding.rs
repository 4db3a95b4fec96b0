//! A document is hidden from its threshold on, in every way of reading and writing.

use bson::{Bson, doc};

use super::{HIDING, advance, check_value, lab, lab_with_ttl, stored};
use crate::command::testing::{Lab, at};

/// The documents 1 and 2, of which 1 expires after 10 seconds; `d` refers to both.
fn two(dialect: &str) -> Lab {
    let lab = lab_with_ttl(dialect, 10);
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2, ttl: -1}]}");
    lab.ok("{insert: 'd', documents: [{_id: 7, r: 1}, {_id: 8, r: 2}]}");
    lab.ok("{create: 'v', viewOn: 'c', pipeline: [{$project: {a: 1}}]}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    lab
}

/// A command, a path of its reply, the value a millisecond before the threshold, and at it. Each
/// runs on a new engine.
const CASES: &[(&str, &str, &str, &str)] = &[
    (
        "{find: 'c', projection: {_id: 1}}",
        "cursor.firstBatch",
        "[{_id: 1}, {_id: 2}]",
        "[{_id: 2}]",
    ),
    ("{find: 'c', filter: {_id: 1}}", "cursor.firstBatch.0.a", "1", "absent"),
    (
        "{find: 'c', filter: {a: {$lt: 9}}, hint: 'a_1', projection: {_id: 1}}",
        "cursor.firstBatch",
        "[{_id: 1}, {_id: 2}]",
        "[{_id: 2}]",
    ),
    (
        "{find: 'c', sort: {a: 1}, limit: 1, projection: {_id: 1}}",
        "cursor.firstBatch",
        "[{_id: 1}]",
        "[{_id: 2}]",
    ),
    (
        "{find: 'c', sort: {b: 1, a: 1}, limit: 1, projection: {_id: 1}}",
        "cursor.firstBatch",
        "[{_id: 1}]",
        "[{_id: 2}]",
    ),
    ("{find: 'c', skip: 1, projection: {_id: 1}}", "cursor.firstBatch", "[{_id: 2}]", "[]"),
    (
        "{find: 'c', filter: {$expr: {$gt: [{$divide: [1, {$subtract: ['$a', 1]}]}, 0]}}}",
        "code",
        "2",
        "absent",
    ),
    (
        "{find: 'v', projection: {_id: 1}}",
        "cursor.firstBatch",
        "[{_id: 1}, {_id: 2}]",
        "[{_id: 2}]",
    ),
    ("{count: 'c'}", "n", "2", "1"),
    ("{count: 'c', query: {}}", "n", "2", "1"),
    ("{count: 'c', query: {a: {$gte: 1}}}", "n", "2", "1"),
    ("{count: 'c', limit: 5}", "n", "2", "1"),
    ("{count: 'c', skip: 1}", "n", "1", "0"),
    ("{count: 'c', query: {_id: 1}, hint: '_id_'}", "n", "1", "0"),
    ("{count: 'v'}", "n", "2", "1"),
    ("{distinct: 'c', key: 'a'}", "values", "[1, 2]", "[2]"),
    ("{distinct: 'c', key: 'a', query: {a: {$lt: 2}}}", "values", "[1]", "[]"),
    ("{distinct: 'v', key: 'a'}", "values", "[1, 2]", "[2]"),
    ("{explain: {find: 'c'}, verbosity: 'executionStats'}", "executionStats.nReturned", "2", "1"),
    (
        "{explain: {count: 'c', query: {}}, verbosity: 'executionStats'}",
        "executionStats.executionStages.nCounted",
        "2",
        "1",
    ),
    (
        "{explain: {find: 'c', filter: {a: 1}}, verbosity: 'executionStats'}",
        "executionStats.nReturned",
        "1",
        "0",
    ),
    (
        "{aggregate: 'c', pipeline: [{$project: {_id: 1}}], cursor: {}}",
        "cursor.firstBatch",
        "[{_id: 1}, {_id: 2}]",
        "[{_id: 2}]",
    ),
    ("{aggregate: 'c', pipeline: [{$count: 'n'}], cursor: {}}", "cursor.firstBatch.0.n", "2", "1"),
    (
        "{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$count: 'n'}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "1",
        "absent",
    ),
    ("{aggregate: 'v', pipeline: [{$count: 'n'}], cursor: {}}", "cursor.firstBatch.0.n", "2", "1"),
    (
        "{aggregate: 'c', pipeline: [{$match: {}}, {$group: {_id: 1, n: {$sum: 1}}}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "2",
        "1",
    ),
    (
        "{aggregate: 'c', pipeline: [{$group: {_id: null, s: {$sum: '$a'}}}], cursor: {}}",
        "cursor.firstBatch.0.s",
        "3",
        "2",
    ),
    (
        "{aggregate: 'c', pipeline: [{$sortByCount: '$a'}, {$count: 'n'}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "2",
        "1",
    ),
    (
        "{aggregate: 'c', pipeline: [{$bucket: {groupBy: '$a', boundaries: [0, 9]}}], cursor: {}}",
        "cursor.firstBatch.0.count",
        "2",
        "1",
    ),
    (
        "{aggregate: 'c', pipeline: [{$facet: {n: [{$count: 'n'}]}}], cursor: {}}",
        "cursor.firstBatch.0.n.0.n",
        "2",
        "1",
    ),
    (
        "{aggregate: 'c', pipeline: [{$sample: {size: 9}}, {$count: 'n'}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "2",
        "1",
    ),
    (
        "{aggregate: 'd', pipeline: [{$lookup: {from: 'c', localField: 'r', foreignField: '_id', as: 'c'}}, {$unwind: '$c'}, {$count: 'n'}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "2",
        "1",
    ),
    (
        "{aggregate: 'd', pipeline: [{$lookup: {from: 'c', pipeline: [{$count: 'n'}], as: 'c'}}], cursor: {}}",
        "cursor.firstBatch.0.c.0.n",
        "2",
        "1",
    ),
    (
        "{aggregate: 'd', pipeline: [{$unionWith: 'c'}, {$count: 'n'}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "4",
        "3",
    ),
    (
        "{aggregate: 'd', pipeline: [{$unionWith: {coll: 'v', pipeline: [{$match: {a: 1}}]}}, {$count: 'n'}], cursor: {}}",
        "cursor.firstBatch.0.n",
        "3",
        "2",
    ),
    ("{findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 5}}}", "value.a", "1", "absent"),
    ("{findAndModify: 'c', query: {}, sort: {a: 1}, remove: true}", "value._id", "1", "2"),
    ("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 1}}}]}", "n", "1", "0"),
    ("{update: 'c', updates: [{q: {}, u: {$set: {b: 1}}, multi: true}]}", "n", "2", "1"),
    ("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}", "n", "1", "0"),
    ("{delete: 'c', deletes: [{q: {}, limit: 0}]}", "n", "2", "1"),
    ("{insert: 'c', documents: [{_id: 1}]}", "n", "0", "1"),
    (
        "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 1}}, upsert: true}]}",
        "upserted.0._id",
        "absent",
        "1",
    ),
    (
        "{findAndModify: 'c', query: {_id: 1}, update: {$set: {b: 1}}, upsert: true, new: true}",
        "value",
        "{_id: 1, a: 1, b: 1}",
        "{_id: 1, b: 1}",
    ),
    // Sizes are of what is stored: what is hidden takes its room until the reaper removes it.
    ("{collStats: 'c'}", "count", "2", "2"),
    ("{dbStats: 1}", "objects", "4", "4"),
    ("{dataSize: 'test.c'}", "numObjects", "2", "2"),
    ("{validate: 'c'}", "nrecords", "2", "2"),
    (
        "{aggregate: 'c', pipeline: [{$collStats: {count: {}}}], cursor: {}}",
        "cursor.firstBatch.0.count",
        "2",
        "2",
    ),
    // These commands exist to show overdue documents.
    ("{mayflyExpiring: 'c', limit: 9}", "batch.0.state", "'waiting'", "'overdue'"),
    ("{mayflyExpiring: 'c', limit: 9}", "batch.0._id", "1", "1"),
    ("{mayflyVerdict: 'c', id: 1}", "verdicts.0.expires", "true", "true"),
    ("{mayflyReap: 1}", "deletedDocuments", "0", "1"),
];

#[test]
fn every_way_in_a_millisecond_before_and_at_the_threshold() {
    for dialect in HIDING {
        for (command, path, before, after) in CASES {
            let lab = two(dialect);
            advance(&lab, 9_999);
            check_value(&lab, &format!("{dialect}, before"), command, path, before);
            let lab = two(dialect);
            advance(&lab, 10_000);
            check_value(&lab, &format!("{dialect}, at"), command, path, after);
            check_value(&lab, command, "{validate: 'c'}", "valid", "true");
        }
    }
}

#[test]
fn bulk_writes_meet_no_hidden_document() {
    for dialect in HIDING {
        let lab = two(dialect);
        advance(&lab, 10_000);
        lab.check(
            "{bulkWrite: 1, nsInfo: [{ns: 'test.c'}], ops: [\
              {update: 0, filter: {_id: 1}, updateMods: {$set: {b: 1}}}, \
              {delete: 0, filter: {_id: 1}}, \
              {insert: 0, document: {_id: 1, fresh: true}}]}",
            "{ok: 1, nMatched: 0, nDeleted: 0, nInserted: 1, nErrors: 0}",
        );
        lab.check(
            "{find: 'c', filter: {_id: 1}}",
            "{'cursor.firstBatch': [{_id: 1, fresh: true}]}",
        );
    }
}

#[test]
fn out_and_merge_take_what_is_shown() {
    for dialect in HIDING {
        let lab = two(dialect);
        advance(&lab, 10_000);
        lab.ok("{aggregate: 'c', pipeline: [{$out: 'o'}], cursor: {}}");
        lab.ok("{aggregate: 'c', pipeline: [{$merge: 'm'}], cursor: {}}");
        lab.check("{count: 'o'}", "{n: 1}");
        lab.check("{count: 'm'}", "{n: 1}");
        // Into the collection: a hidden document doesn't match.
        let fresh =
            "{aggregate: 1, cursor: {}, pipeline: [{$documents: [{_id: 1, b: 1}]}, {$merge: ";
        let into = "{into: 'c', whenMatched: 'merge', whenNotMatched: 'fail'}}]}";
        check_value(&lab, dialect, &format!("{fresh}{into}"), "ok", "0");
        lab.ok(&format!("{fresh}{{into: 'c', whenMatched: 'fail'}}}}]}}"));
        lab.check("{find: 'c', filter: {_id: 1}}", "{'cursor.firstBatch': [{_id: 1, b: 1}]}");
    }
}

#[test]
fn a_cursor_opened_before_gives_nothing_hidden_after() {
    let opened = [
        "{find: 'c', batchSize: 1}",
        "{find: 'c', batchSize: 1, sort: {b: -1}}",
        "{find: 'c', batchSize: 1, hint: '_id_'}",
        "{find: 'v', batchSize: 1}",
        "{aggregate: 'c', pipeline: [], cursor: {batchSize: 1}}",
        "{aggregate: 'c', pipeline: [{$match: {b: {$exists: true}}}, {$addFields: {x: 1}}], cursor: {batchSize: 1}}",
    ];
    for dialect in HIDING {
        for command in opened {
            let lab = lab_with_ttl(dialect, 10);
            lab.ok("{insert: 'c', documents: [{_id: 0, ttl: -1, b: 9}, {_id: 1, b: 5}, {_id: 2, b: 4}, {_id: 3, b: 3, ttl: 50}]}");
            lab.ok("{create: 'v', viewOn: 'c', pipeline: [{$match: {b: {$gt: 0}}}]}");
            let reply = lab.ok(command);
            let id = at(&reply, "cursor.id").expect("an id");
            assert_ne!(id, Bson::Int64(0), "{command}");
            let name = if command.contains("'v'") { "v" } else { "c" };
            advance(&lab, 5_000);
            lab.ok("{update: 'c', updates: [{q: {_id: 2}, u: {$set: {b: 4.5}}}]}");
            advance(&lab, 5_000);
            let next = lab.run_document(&doc! { "getMore": id, "collection": name });
            let ids: Vec<_> = (0..3)
                .filter_map(|place| at(&next, &format!("cursor.nextBatch.{place}._id")))
                .collect();
            // The write put 2 off; 1 is past its threshold.
            assert_eq!(ids, [Bson::Int32(2), Bson::Int32(3)], "{dialect}: {command}: {next}");
        }
    }
}

#[test]
fn what_is_hidden_stands_in_nobodys_way() {
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u_1', unique: true}]}");
        lab.ok("{insert: 'c', documents: [{_id: 1, u: 1, w: 1}, {_id: 2, u: 2, w: 1, ttl: -1}]}");
        lab.check(
            "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {u: 1}}}]}",
            "{'writeErrors.0.code': 11000}",
        );
        lab.check(
            "{createIndexes: 'c', indexes: [{key: {w: 1}, name: 'w_1', unique: true}]}",
            "{code: 11000}",
        );
        advance(&lab, 10_000);
        lab.check(
            "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {u: 1}}}]}",
            "{n: 1, nModified: 1}",
        );
        lab.check("{validate: 'c'}", "{valid: true, nrecords: 1}");
    }
}

#[test]
fn an_index_that_is_built_unique_is_so_also_when_the_hidden_are_shown_again() {
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{mayflyArchive: 'c'}");
        lab.ok(
            "{insert: 'c', documents: [{_id: 1, w: 1}, {_id: 2, w: 1, ttl: -1}, {_id: 3, w: 1}, \
              {_id: 4, w: [2, 3]}, {_id: 5, w: [3, 4]}, {_id: 6, w: 6}]}",
        );
        advance(&lab, 10_000);
        lab.ok("{createIndexes: 'c', indexes: [{key: {w: 1}, name: 'w_1', unique: true}]}");
        // One of each two that have the same value went as it would have gone with the pass.
        lab.check("{validate: 'c'}", "{valid: true, nrecords: 3, 'keysPerIndex.w_1': 4}");
        for archived in [false, true] {
            let reply = lab.ok(&format!("{{mayflyTrash: 'c', archived: {archived}}}"));
            let ids = [0, 1, 2, 3].map(|row| at(&reply, &format!("batch.{row}._id")));
            assert_eq!(ids, [Some(4.into()), Some(3.into()), Some(1.into()), None], "{reply}");
            lab.engine.reaper().drain_now();
        }
        lab.ok("{dropIndexes: 'c', index: '_ts_1'}");
        assert_eq!(lab.ids("{find: 'c'}"), [2, 5, 6].map(Bson::from));
        lab.check("{validate: 'c'}", "{valid: true}");
    }
}

#[test]
fn a_clock_set_back_shows_again_what_is_still_stored() {
    for dialect in HIDING {
        let lab = two(dialect);
        advance(&lab, 10_000);
        lab.check("{count: 'c'}", "{n: 1}");
        advance(&lab, -1);
        lab.check("{count: 'c'}", "{n: 2}");
        advance(&lab, 1);
        lab.check("{mayflyReap: 1}", "{deletedDocuments: 1}");
        advance(&lab, -5_000);
        lab.check("{count: 'c'}", "{n: 1}");
        // Written before the clock goes back: its threshold stays where it was.
        lab.ok("{insert: 'c', documents: [{_id: 3}]}");
        advance(&lab, -5_000);
        advance(&lab, 14_999);
        lab.check("{count: 'c'}", "{n: 2}");
        advance(&lab, 1);
        lab.check("{count: 'c'}", "{n: 1}");
    }
}

#[test]
fn without_a_ttl_on_ts_nothing_hides() {
    let lab = lab("open");
    lab.ok("{createIndexes: 'c', indexes: [{key: {t: 1}, name: 't_1', expireAfterSeconds: 10}]}");
    lab.ok("{insert: 'c', documents: [{_id: 1, t: ISODate('2024-01-01T00:00:00Z'), ttl: 1}]}");
    advance(&lab, 100_000);
    lab.check("{count: 'c'}", "{n: 1}");
    lab.check("{insert: 'c', documents: [{_id: 1}]}", "{'writeErrors.0.code': 11000}");
    // A plain index on _ts switches nothing on.
    lab.ok("{createIndexes: 'd', indexes: [{key: {_ts: 1}, name: '_ts_1'}]}");
    lab.ok("{insert: 'd', documents: [{_id: 1, ttl: 1}]}");
    advance(&lab, 100_000);
    lab.check("{count: 'd'}", "{n: 1}");
    // One rule that hides and one that does not, on one collection.
    lab.ok("{createIndexes: 'e', indexes: [{key: {_ts: 1}, name: '_ts_1', expireAfterSeconds: 50}, {key: {t: 1}, name: 't_1', expireAfterSeconds: 1}]}");
    lab.ok("{insert: 'e', documents: [{_id: 1, t: ISODate('2024-01-01T00:00:00Z')}]}");
    lab.check("{count: 'e'}", "{n: 1}");
    advance(&lab, 50_000);
    lab.check("{count: 'e'}", "{n: 0}");
}

#[test]
fn a_change_of_the_rule_counts_at_once() {
    let lab = lab_with_ttl("open", 10);
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    advance(&lab, 15_000);
    lab.check("{count: 'c'}", "{n: 0}");
    lab.ok("{collMod: 'c', index: {name: '_ts_1', expireAfterSeconds: 20}}");
    lab.check("{count: 'c'}", "{n: 1}");
    lab.ok("{collMod: 'c', index: {name: '_ts_1', expireAfterSeconds: -1}}");
    advance(&lab, 1_000_000);
    lab.check("{count: 'c'}", "{n: 1}");
    for dialect in HIDING {
        let lab = lab_with_ttl(dialect, 10);
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        advance(&lab, 15_000);
        lab.check("{dropIndexes: 'c', index: '_ts_1'}", "{_t: 'DropIndexesResponse'}");
        lab.check("{count: 'c'}", "{n: 1}");
        // The hidden document is still stored, so it shows again. A new rule counts from its last
        // write.
        lab.ok(&crate::command::tests::dialect::create_ts(20));
        lab.check("{count: 'c'}", "{n: 1}");
        advance(&lab, 5_000);
        lab.check("{count: 'c'}", "{n: 0}");
        assert_eq!(stored(&lab), Some(Bson::Int32(1)));
    }
}
