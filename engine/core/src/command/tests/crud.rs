//! Reads and writes: results, refusals and error codes.

use bson::{Bson, Document, doc};

use crate::command::testing::{Lab, at};

fn with_three() -> Lab {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, v: 3}, {_id: 2, v: 1}, {_id: 3, v: 2}]}");
    lab
}

#[test]
fn a_damaged_document_keeps_what_is_its_own_and_no_other_document_out() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u_1', unique: true}]}");
    lab.ok("{insert: 'c', documents: [{_id: 1, u: 1}, {_id: 2, u: 2, a: 'needle'}, \
          {_id: 'x', u: 3, a: 'needle'}]}");
    lab.spoil(b"needle");
    lab.check(
        "{insert: 'c', ordered: false, documents: [{_id: 2, u: 7}, {_id: 'x', u: 8}, \
          {_id: 5, u: 2}, {_id: 6, u: 6}]}",
        "{ok: 1, n: 1, 'writeErrors.0.code': 11000, 'writeErrors.1.code': 11000, \
          'writeErrors.2.code': 11000, '-writeErrors.3': 1}",
    );
    lab.check("{find: 'c', filter: {_id: 6}}", "{'cursor.firstBatch': [{_id: 6, u: 6}]}");
}

mod bulk_write {
    use super::*;

    fn check(ops: &str, more: &str, expected: &str) {
        let lab = with_three();
        let command = format!(
            "{{bulkWrite: 1, ops: [{ops}], nsInfo: [{{ns: 'test.c'}}, {{ns: 'other.d'}}]{more}}}"
        );
        lab.check(&command, expected);
    }

    #[test]
    fn writes_several_collections() {
        check(
            "{insert: 0, document: {_id: 9}}, {insert: 1, document: {_id: 9}}, \
             {update: 0, filter: {}, updateMods: {$set: {x: 1}}, multi: true}, \
             {update: 1, filter: {_id: 7}, updateMods: {$inc: {x: 1}}, upsert: true}, \
             {delete: 0, filter: {_id: 1}}, {delete: 0, filter: {}, multi: true}",
            "",
            "{'cursor.id': 0, 'cursor.ns': 'admin.$cmd.bulkWrite', nErrors: 0, nInserted: 2, \
             nMatched: 4, nModified: 4, nUpserted: 1, nDeleted: 4, ok: 1, 'cursor.firstBatch': [\
             {ok: 1, idx: 0, n: 1}, {ok: 1, idx: 1, n: 1}, {ok: 1, idx: 2, n: 4, nModified: 4}, \
             {ok: 1, idx: 3, n: 1, nModified: 0, upserted: {_id: 7}}, {ok: 1, idx: 4, n: 1}, \
             {ok: 1, idx: 5, n: 3}]}",
        );
        check(
            "{update: 0, filter: {}, updateMods: [{$set: {y: '$$k', z: '$$l'}}], \
             constants: {k: 5}, sort: {v: 1}}, \
             {delete: 0, filter: {$expr: {$eq: ['$z', '$$l']}}}",
            ", let: {l: 6}",
            "{nErrors: 0, nModified: 1, nDeleted: 1}",
        );
        check("{insert: 0.0, document: {}}", ", errorsOnly: true", "{'cursor.firstBatch': []}");
        check("{insert: {$numberLong: '1'}, document: {}}", "", "{nInserted: 1}");
    }

    #[test]
    fn a_document_that_the_client_supplies_for_an_upsert_is_not_ignored() {
        let supplied = "updateMods: [{$set: {a: 1}}], upsert: true, upsertSupplied";
        let constants = "constants: {new: {_id: 7, b: 1}}";
        let update =
            |is: bool| format!("{{update: 0, filter: {{_id: 7}}, {supplied}: {is}, {constants}}}");
        check(&update(true), "", "{nErrors: 1, nUpserted: 0, 'cursor.firstBatch.0.code': 238}");
        check(&update(false), "", "{nErrors: 0, nUpserted: 1}");
    }

    #[test]
    fn the_place_of_a_collection_is_a_whole_number() {
        for place in ["NaN", "0.9", "-0.9", "-1", "NumberDecimal('0.5')", "NumberDecimal('1E+40')"]
        {
            check(&format!("{{delete: {place}, filter: {{}}, multi: true}}"), "", "{code: 2}");
        }
        check("{delete: NumberDecimal('0'), filter: {}, multi: true}", "", "{nDeleted: 3}");
    }

    #[test]
    fn an_error_belongs_to_its_operation() {
        let twice = "{insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 9}}, \
                     {insert: 0, document: {_id: 2}}";
        check(
            twice,
            "",
            "{nErrors: 1, nInserted: 0, ok: 1, 'cursor.firstBatch.0.code': 11000, \
             'cursor.firstBatch.0.ok': 0, 'cursor.firstBatch.0.n': 0, \
             'cursor.firstBatch.0.keyPattern': {_id: 1}, \
             'cursor.firstBatch.0.keyValue': {_id: 1}, '-cursor.firstBatch.1': 0}",
        );
        check(
            twice,
            ", ordered: false, errorsOnly: true",
            "{nErrors: 2, nInserted: 1, 'cursor.firstBatch.0.idx': 0, 'cursor.firstBatch.1.idx': 2}",
        );
        check(
            "{update: 0, filter: {}, updateMods: {$bad: 1}}, {delete: 0, filter: {$bad: 1}}, \
             {update: 0, filter: {}, updateMods: {a: 1}, multi: true}",
            ", ordered: false",
            "{nErrors: 3, 'cursor.firstBatch.0.code': 9, 'cursor.firstBatch.0.nModified': 0, \
             'cursor.firstBatch.1.code': 2, 'cursor.firstBatch.2.code': 9}",
        );
    }

    #[test]
    fn shapes_are_checked_before_anything_is_written() {
        let refused = |ops: &str, expected: &str| check(ops, "", expected);
        refused(
            "",
            "{code: 16, errmsg: 'Write batch sizes must be between 1 and 100000. Got 0 operations.'}",
        );
        refused("{insert: 5, document: {}}", "{code: 2}");
        refused(
            "{insert: -1, document: {}}",
            r#"{code: 2, errmsg: "BSON field 'insert' value must be >= 0, actual value '-1'"}"#,
        );
        refused(
            "{insert: '0', document: {}}",
            r#"{code: 14, errmsg: "BSON field 'bulkWrite.ops.insert' is the wrong type 'string', expected types '[long, int, decimal, double]'"}"#,
        );
        refused(
            "{insert: 0}",
            r#"{code: 40414, errmsg: "BSON field 'bulkWrite.ops.document' is missing but a required field"}"#,
        );
        refused("{update: 0, filter: {}}", "{code: 40414}");
        refused("{update: 0, updateMods: {}}", "{code: 40414}");
        refused("{delete: 0}", "{code: 40414}");
        refused("{insert: 0, document: 5}", "{code: 14}");
        refused(
            "{frobnicate: 0}",
            r#"{code: 40415, errmsg: "BSON field 'bulkWrite.frobnicate' is an unknown field."}"#,
        );
        refused("{delete: 0, filter: {}, upsert: true}", "{code: 40415}");
        refused("{update: 0, filter: {}, updateMods: 1}", "{code: 9}");
        refused("{delete: 0, filter: {}, hint: 1}", "{code: 9}");
        refused("{delete: 0, filter: {}, multi: 1}", "{code: 14}");
        refused("1", "{code: 14}");
        check("{insert: 0, document: {}}", ", cursor: {batchSize: -1}", "{code: 2}");
        check("{insert: 0, document: {}}", ", cursor: {size: 1}", "{code: 40415}");
        check("{insert: 0, document: {}}", ", ordered: 1", "{code: 14}");
        check("{insert: 0, document: {}}", ", nonsense: 1", "{code: 40415}");
    }

    #[test]
    fn namespaces_are_checked() {
        let lab = Lab::new();
        let refused = |info: &str, expected: &str| {
            let ops = "[{insert: 0, document: {}}]";
            lab.check(&format!("{{bulkWrite: 1, ops: {ops}, nsInfo: {info}}}"), expected);
        };
        refused(
            "5",
            r#"{code: 14, errmsg: "BSON field 'bulkWrite.nsInfo' is the wrong type 'int', expected type 'array'"}"#,
        );
        refused("null", "{code: 40414}");
        refused(
            "[5]",
            r#"{code: 14, errmsg: "BSON field 'bulkWrite.nsInfo.0' is the wrong type 'int', expected type 'object'"}"#,
        );
        refused(
            "[{x: 1}]",
            r#"{code: 40415, errmsg: "BSON field 'bulkWrite.nsInfo.x' is an unknown field."}"#,
        );
        refused(
            "[{ns: 'nodot'}]",
            "{code: 73, errmsg: \"Invalid namespace specified for bulkWrite: 'nodot'\"}",
        );
        refused(
            "[{ns: '.'}]",
            "{code: 73, errmsg: \"Invalid namespace specified for bulkWrite: ''\"}",
        );
        refused("[{ns: 'test.system.profile'}]", "{code: 73}");
        let reply = lab.engine.run("test", &doc! { "bulkWrite": 1, "ops": [], "nsInfo": [] });
        assert_eq!(reply.get_i32("code").ok(), Some(13), "{reply}");
    }

    #[test]
    fn results_come_in_batches() {
        let lab = Lab::new();
        let first = lab
            .ok("{bulkWrite: 1, ops: [{insert: 0, document: {}}, {insert: 0, document: {}}], \
             nsInfo: [{ns: 'test.c'}], cursor: {batchSize: 1}}");
        let id = at(&first, "cursor.id").expect("an id");
        assert_ne!(id, Bson::Int64(0), "{first}");
        assert_eq!(at(&first, "nInserted"), Some(Bson::Int32(2)));
        let next = doc! { "getMore": id, "collection": "$cmd.bulkWrite" };
        let next = lab.engine.run("admin", &next);
        assert_eq!(at(&next, "cursor.nextBatch.0.idx"), Some(Bson::Int32(1)), "{next}");
        assert_eq!(at(&next, "cursor.id"), Some(Bson::Int64(0)));
    }
}

mod find {
    use super::*;

    fn with_index() -> Lab {
        let lab = with_three();
        lab.ok("{createIndexes: 'c', indexes: [{key: {v: 1}, name: 'v_1'}, {key: {v: -1, _id: 1}, name: 'down'}]}");
        lab
    }

    fn ids(lab: &Lab, options: &str) -> Vec<i32> {
        let found = lab.ids(&format!("{{find: 'c', {options}}}"));
        found.iter().filter_map(Bson::as_i32).collect()
    }

    #[test]
    fn min_and_max_are_keys_of_the_hinted_index() {
        let lab = with_index();
        assert_eq!(ids(&lab, "hint: {v: 1}, min: {v: 2}"), [3, 1]);
        assert_eq!(ids(&lab, "hint: 'v_1', max: {v: 2}"), [2]);
        assert_eq!(ids(&lab, "hint: {v: 1}, min: {v: 1}, max: {v: 3}"), [2, 3]);
        assert_eq!(ids(&lab, "hint: {v: 1}, min: {v: 1}, max: {v: 3}, sort: {v: -1}"), [3, 2]);
        assert_eq!(ids(&lab, "hint: {v: 1}, min: {v: 1}, filter: {_id: {$gt: 2}}"), [3]);
        assert_eq!(ids(&lab, "hint: 'down', min: {v: 2, _id: 0}, max: {v: 1, _id: 9}"), [3, 2]);
        let refused = |options: &str, code: i32| {
            lab.check(&format!("{{find: 'c', {options}}}"), &format!("{{ok: 0, code: {code}}}"));
        };
        refused("min: {v: 1}", 51173);
        refused("hint: {v: 1}, min: {w: 1}", 51174);
        refused("hint: 'down', min: {v: 1}", 51174);
        refused("hint: {v: 1}, max: {v: 1, w: 1}", 51174);
        refused("hint: {v: 1}, min: {v: 3}, max: {v: 1}", 51175);
        refused("hint: {v: 1}, min: {v: 1}, max: {v: 1}", 51175);
        refused("hint: {v: 1}, min: {v: 1}, max: {w: 1}", 51176);
        refused("hint: {$natural: 1}, min: {v: 1}", 291);
        refused("hint: 'none', min: {v: 1}", 2);
        refused("hint: {v: 1}, min: 1", 14);
    }

    #[test]
    fn keys_and_records_are_shown() {
        let lab = with_index();
        let check = |options: &str, batch: &str| {
            lab.check(
                &format!("{{find: 'c', {options}}}"),
                &format!("{{'cursor.firstBatch': {batch}}}"),
            );
        };
        check("filter: {v: 2}, returnKey: true", "[{v: 2}]");
        check("filter: {v: 2}, hint: 'down', returnKey: true", "[{v: 2, _id: 3}]");
        check("filter: {v: 2}, hint: {$natural: 1}, returnKey: true", "[{}]");
        let found = lab.ok("{find: 'c', filter: {_id: 1}, showRecordId: true}");
        let record = at(&found, "cursor.firstBatch.0.$recordId");
        assert!(matches!(record, Some(Bson::Int64(_))), "{found}");
        let found = lab.ok("{find: 'c', projection: {_id: 1}, showRecordId: true, sort: {v: 1}}");
        assert!(at(&found, "cursor.firstBatch.2.$recordId").is_some(), "{found}");
    }

    #[test]
    fn hints_and_natural_order() {
        let lab = with_index();
        assert_eq!(ids(&lab, "hint: {$natural: -1}"), [3, 2, 1]);
        assert_eq!(ids(&lab, "hint: {$natural: 1}"), [1, 2, 3]);
        assert_eq!(ids(&lab, "sort: {$natural: -1}"), [3, 2, 1]);
        assert_eq!(ids(&lab, "hint: {v: 1.0}"), [2, 3, 1]);
        lab.check("{find: 'c', hint: {$natural: 2}}", "{code: 2}");
        lab.check("{find: 'c', hint: 1}", "{code: 9}");
        lab.check("{find: 'c', hint: {nope: 1}}", "{code: 2}");
    }

    #[test]
    fn sizes_of_batches() {
        let lab = with_three();
        assert_eq!(ids(&lab, "batchSize: 0"), [] as [i32; 0]);
        assert_eq!(ids(&lab, "batchSize: 2"), [1, 2]);
        lab.check("{find: 'c', batchSize: 2, singleBatch: true}", "{'cursor.id': 0}");
        assert_eq!(ids(&lab, "limit: 0"), [1, 2, 3]);
        let refused = |options: &str, expected: &str| {
            lab.check(&format!("{{find: 'c', {options}}}"), expected);
        };
        refused(
            "limit: -1",
            r#"{code: 2, errmsg: "BSON field 'limit' value must be >= 0, actual value '-1'"}"#,
        );
        refused("batchSize: -1", "{code: 2}");
        refused("skip: -1", "{code: 2}");
        refused("singleBatch: 1", "{code: 14}");
        refused("allowDiskUse: 'yes'", "{code: 14}");
        refused("returnKey: {}", "{code: 14}");
        refused(
            "allowDiskUse: true, noCursorTimeout: true, readOnce: true, allowPartialResults: true, oplogReplay: true, term: 1",
            "{ok: 1}",
        );
    }

    #[test]
    fn variables_of_let() {
        let lab = with_three();
        let two = "let: {two: 2}";
        let filter = "{$expr: {$eq: ['$v', '$$two']}}";
        assert_eq!(ids(&lab, &format!("filter: {filter}, {two}")), [3]);
        lab.check(
            &format!("{{find: 'c', filter: {{_id: 1}}, projection: {{x: '$$two'}}, {two}}}"),
            "{'cursor.firstBatch': [{_id: 1, x: 2}]}",
        );
        lab.check(
            &format!("{{update: 'c', updates: [{{q: {filter}, u: {{$set: {{hit: 1}}}}, multi: true}}], {two}}}"),
            "{n: 1, nModified: 1}",
        );
        lab.check(
            &format!("{{findAndModify: 'c', query: {filter}, update: [{{$set: {{y: '$$two'}}}}], new: true, fields: {{y: 1, z: '$$two'}}, {two}}}"),
            "{value: {_id: 3, y: 2, z: 2}}",
        );
        lab.check(
            &format!("{{delete: 'c', deletes: [{{q: {filter}, limit: 0}}], {two}}}"),
            "{n: 1}",
        );
        lab.ok("{create: 'w', viewOn: 'c', pipeline: []}");
        lab.check(
            "{find: 'w', filter: {$expr: {$eq: ['$v', '$$one']}}, let: {one: 1}}",
            "{'cursor.firstBatch': [{_id: 2, v: 1}]}",
        );
        lab.check(&format!("{{find: 'c', filter: {filter}}}"), "{code: 17276}");
        lab.check("{find: 'c', let: 1}", "{code: 14}");
    }
}

mod tailing {
    use super::*;

    fn capped() -> Lab {
        let lab = Lab::new();
        lab.ok("{create: 'log', capped: true, size: 100000, max: 3}");
        lab
    }

    fn more(lab: &Lab, id: &Bson, wait_ms: Option<i32>) -> Document {
        let mut command = doc! { "getMore": id.clone(), "collection": "log" };
        command.extend(wait_ms.map(|ms| ("maxTimeMS".to_owned(), Bson::Int32(ms))));
        lab.run_document(&command)
    }

    #[test]
    fn a_tailing_cursor_resumes_after_the_end() {
        let lab = capped();
        lab.check("{find: 'log', tailable: true}", "{'cursor.id': 0, 'cursor.firstBatch': []}");
        lab.ok("{insert: 'log', documents: [{_id: 1}]}");
        let first = lab.ok("{find: 'log', tailable: true}");
        let id = at(&first, "cursor.id").expect("an id");
        assert_ne!(id, Bson::Int64(0), "{first}");
        let none = more(&lab, &id, None);
        assert_eq!(at(&none, "cursor.nextBatch"), Some(Bson::Array(vec![])), "{none}");
        lab.ok("{insert: 'log', documents: [{_id: 2}, {_id: 3}]}");
        let next = more(&lab, &id, None);
        assert_eq!(at(&next, "cursor.nextBatch.1._id"), Some(Bson::Int32(3)), "{next}");
        assert_eq!(at(&next, "cursor.id"), Some(id.clone()));
        assert_eq!(at(&more(&lab, &id, Some(5)), "code"), Some(Bson::Int32(2)), "it does not wait");
        lab.ok("{insert: 'log', documents: [{_id: 4}, {_id: 5}, {_id: 6}, {_id: 7}]}");
        assert_eq!(at(&more(&lab, &id, None), "code"), Some(Bson::Int32(136)));
    }

    #[test]
    fn a_waiting_cursor_is_told_of_new_documents() {
        let lab = capped();
        lab.ok("{insert: 'log', documents: [{_id: 1}]}");
        let first = lab.ok("{find: 'log', tailable: true, awaitData: true}");
        let id = at(&first, "cursor.id").expect("an id");
        let none = more(&lab, &id, Some(1));
        assert_eq!(at(&none, "cursor.nextBatch"), Some(Bson::Array(vec![])), "{none}");
        let next = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| more(&lab, &id, Some(10_000)));
            lab.ok("{insert: 'log', documents: [{_id: 2}]}");
            waiting.join().expect("a reply")
        });
        assert_eq!(at(&next, "cursor.nextBatch.0._id"), Some(Bson::Int32(2)), "{next}");
    }

    #[test]
    fn what_tailing_does_not_go_with() {
        let lab = capped();
        lab.ok("{insert: 'log', documents: [{_id: 1}]}");
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        lab.check("{find: 'c', tailable: true}", "{code: 2}");
        lab.check("{find: 'none', tailable: true}", "{'cursor.id': 0}");
        lab.check("{find: 'log', awaitData: true}", "{code: 9}");
        lab.check("{find: 'log', tailable: true, sort: {_id: 1}}", "{code: 2}");
        lab.check("{find: 'log', tailable: true, sort: {$natural: 1}}", "{ok: 1}");
        lab.check("{find: 'log', tailable: true, sort: {$natural: -1}}", "{code: 2}");
        lab.check("{find: 'log', tailable: true, singleBatch: true}", "{code: 2}");
        lab.ok("{create: 'w', viewOn: 'log', pipeline: []}");
        for option in ["tailable: true", "returnKey: true", "showRecordId: true", "min: {_id: 1}"] {
            lab.check(&format!("{{find: 'w', {option}}}"), "{code: 168}");
        }
    }
}

mod cursors {
    use super::*;

    #[test]
    fn get_more_checks_what_it_is_given() {
        let lab = with_three();
        let first = lab.ok("{find: 'c', batchSize: 1}");
        let Some(Bson::Int64(id)) = at(&first, "cursor.id") else { panic!("{first}") };
        let check = |more: Document, code: i32| {
            let mut command = doc! { "getMore": id };
            command.extend(more);
            let reply = lab.run_document(&command);
            assert_eq!(at(&reply, "code"), Some(Bson::Int32(code)), "{command}: {reply}");
        };
        check(doc! {}, 40414);
        check(doc! { "collection": 1 }, 14);
        check(doc! { "collection": "" }, 73);
        check(doc! { "collection": "other" }, 13);
        check(doc! { "collection": "c", "batchSize": -1 }, 2);
        check(doc! { "collection": "c", "maxTimeMS": 5 }, 2);
        check(doc! { "collection": "c", "nonsense": 5 }, 40415);
        lab.check("{getMore: 1, collection: 'c'}", "{code: 14}");
        lab.check("{getMore: {$numberLong: '5'}, collection: 'c'}", "{code: 43}");
        let rest = lab.run_document(&doc! { "getMore": id, "collection": "c" });
        assert_eq!(at(&rest, "cursor.nextBatch.1._id"), Some(Bson::Int32(3)), "{rest}");
    }

    #[test]
    fn kill_cursors_tells_of_each() {
        let lab = with_three();
        let first = lab.ok("{find: 'c', batchSize: 1}");
        let Some(Bson::Int64(id)) = at(&first, "cursor.id") else { panic!("{first}") };
        let reply = lab.run_document(&doc! { "killCursors": "c", "cursors": [id, 7_i64] });
        let list = |ids: &[i64]| Some(Bson::from(ids.to_vec()));
        assert_eq!(at(&reply, "cursorsKilled"), list(&[id]), "{reply}");
        assert_eq!(at(&reply, "cursorsNotFound"), list(&[7]));
        assert_eq!(at(&reply, "cursorsAlive"), list(&[]));
        lab.check("{killCursors: 'c', cursors: [1]}", "{code: 14}");
        lab.check("{killCursors: 'c', cursors: 1}", "{code: 14}");
        lab.check("{killCursors: 'c', cursors: null}", "{code: 40414}");
        lab.check("{killCursors: 'c', cursors: [null]}", "{cursorsNotFound: []}");
        lab.check("{killCursors: 1, cursors: []}", "{code: 73}");
        lab.check("{getMore: null, collection: 'c'}", "{code: 40414}");
        lab.check("{killCursors: 'c'}", "{code: 40414}");
    }
}

mod update {
    use super::*;

    fn refused(statement: &str, code: i32, message: &str) {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, n: 1, s: 'x', l: [1, 5], big: {$numberLong: '9223372036854775807'}}]}");
        let reply = lab.run(&format!("{{update: 'c', updates: [{statement}]}}"));
        let found = at(&reply, "writeErrors.0.code").or_else(|| at(&reply, "code"));
        assert_eq!(found, Some(Bson::Int32(code)), "{statement}: {reply}");
        let found = at(&reply, "writeErrors.0.errmsg").or_else(|| at(&reply, "errmsg"));
        let found = found.as_ref().and_then(Bson::as_str).unwrap_or_default();
        assert!(found.contains(message), "{statement}: {found}");
    }

    #[test]
    fn statements_have_their_fields_and_types() {
        refused("{u: {}}", 40414, "'update.updates.q' is missing");
        refused("{q: {}}", 40414, "'update.updates.u' is missing");
        refused("{q: 1, u: {}}", 14, "wrong type 'int'");
        refused("{q: {}, u: 'x'}", 9, "Update argument must be either an object or an array");
        refused("{q: {}, u: null}", 9, "Update argument must be either an object or an array");
        refused(
            "{q: {}, u: {}, multi: 1}",
            14,
            "BSON field 'update.updates.multi' is the wrong type 'int', expected type 'bool'",
        );
        refused("{q: {}, u: {}, upsert: 'yes'}", 14, "update.updates.upsert");
        refused("{q: {}, u: {}, hint: 1}", 9, "Hint must be a string or an object");
        refused(
            "{q: {}, u: {}, hint: 'none'}",
            2,
            "hint provided does not correspond to an existing index",
        );
        refused("{q: {}, u: {}, nonsense: 1}", 40415, "update.updates.nonsense");
        refused(
            "{q: {}, u: {a: 1}, multi: true}",
            9,
            "multi update is not supported for replacement-style update",
        );
        refused(
            "{q: {}, u: {$set: {a: 1}}, multi: true, sort: {a: 1}}",
            9,
            "Cannot specify sort with multi=true",
        );
        refused(
            "{q: {}, u: {$set: {a: 1}}, c: {k: 1}}",
            51198,
            "Constant values may only be specified",
        );
        refused("{q: {}, u: {$nope: {a: 1}}}", 9, "Unknown modifier: $nope");
        let lab = Lab::new();
        lab.check("{update: 'c', updates: []}", "{code: 16}");
        lab.check("{update: 'c', updates: [1]}", "{code: 14}");
        lab.check("{update: 'c', updates: [], ordered: 1}", "{code: 14}");
        lab.check(
            "{update: 'c', updates: [{q: {}, u: {}}], bypassDocumentValidation: 'x'}",
            "{code: 14}",
        );
        lab.check("{update: 1, updates: []}", "{code: 73}");
        lab.check("{update: 'c', updates: [{q: {}, u: {}}], let: []}", "{code: 14}");
    }

    #[test]
    fn what_a_document_refuses() {
        refused(
            "{q: {}, u: {$inc: {s: 1}}}",
            14,
            "Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field 's' of non-numeric type string",
        );
        refused(
            "{q: {}, u: {$inc: {n: 'x'}}}",
            14,
            "Cannot increment with non-numeric argument: {n: ",
        );
        refused(
            "{q: {}, u: {$inc: {big: 1}}}",
            2,
            "Failed to apply $inc operations to current value ((NumberLong)9223372036854775807) for document {_id: 1}",
        );
        refused(
            "{q: {}, u: {$push: {s: 1}}}",
            2,
            "The field 's' must be an array but is of type string in document {_id: 1}",
        );
        refused(
            "{q: {}, u: {$addToSet: {s: 1}}}",
            2,
            "Cannot apply $addToSet to non-array field. Field named 's' has non-array type string",
        );
        refused("{q: {}, u: {$pull: {s: 1}}}", 2, "Cannot apply $pull to a non-array value");
        refused(
            "{q: {}, u: {$pop: {s: 1}}}",
            14,
            "Path 's' contains an element of non-array type 'string'",
        );
        refused("{q: {}, u: {$pop: {l: 2}}}", 9, "$pop expects 1 or -1, found: 2");
        refused("{q: {}, u: {$pop: {l: 'x'}}}", 9, "Expected a number in: l: ");
        refused(
            "{q: {}, u: {$bit: {s: {and: 1}}}}",
            2,
            "Cannot apply $bit to a value of non-integral type.{_id: 1} has the field s of non-integer type string",
        );
        refused(
            "{q: {}, u: {$currentDate: {a: 'x'}}}",
            2,
            "string is not valid type for $currentDate",
        );
        refused("{q: {}, u: {$set: {'s.a': 1}}}", 28, "Cannot create field 'a' in element {s: ");
        refused(
            "{q: {}, u: {$set: {_id: 2}}}",
            66,
            "Performing an update on the path '_id' would modify the immutable field '_id'",
        );
        refused(
            "{q: {}, u: {_id: 2}}",
            66,
            "After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2",
        );
        refused("{q: {}, u: {$set: {a: 1}, $inc: {'a.b': 1}}}", 40, "Updating the path 'a");
    }

    #[test]
    fn positions_and_array_filters() {
        refused(
            "{q: {}, u: {$set: {'l.$': 1}}}",
            2,
            "The positional operator did not find the match needed from the query.",
        );
        refused(
            "{q: {}, u: {$set: {'s.$[]': 1}}}",
            2,
            "Cannot apply array updates to non-array element s: ",
        );
        refused(
            "{q: {}, u: {$set: {'z.$[]': 1}}}",
            2,
            "The path 'z' must exist in the document in order to apply array updates.",
        );
        refused(
            "{q: {}, u: {$set: {'l.$[e]': 1}}}",
            2,
            "No array filter found for identifier 'e' in path 'l.$[e]'",
        );
        refused(
            "{q: {}, u: {$set: {a: 1}}, arrayFilters: [{e: 1}]}",
            9,
            "The array filter for identifier 'e' was not used in the update {",
        );
        refused(
            "{q: {}, u: {$set: {'l.$[e]': 1}}, arrayFilters: [{e: 1}, {e: 2}]}",
            9,
            "Found multiple array filters with the same top-level field name e",
        );
        refused(
            "{q: {}, u: {$set: {'l.$[e]': 1}}, arrayFilters: [{e: 1, f: 2}]}",
            9,
            "Error parsing array filter :: caused by :: Expected a single top-level field name, found 'e' and 'f'",
        );
        refused(
            "{q: {}, u: {$set: {'l.$[e]': 1}}, arrayFilters: [{}]}",
            9,
            "Cannot use an expression without a top-level field name in arrayFilters",
        );
        refused(
            "{q: {}, u: {$set: {'l.$[E]': 1}}, arrayFilters: [{E: 1}]}",
            2,
            "Error parsing array filter",
        );
        refused("{q: {}, u: {$set: {'l.$[e]': 1}}, arrayFilters: {e: 1}}", 14, "arrayFilters");
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, l: [1, 5]}]}");
        lab.check(
            "{update: 'c', updates: [{q: {l: 5}, u: {$set: {'l.$': 7}}}]}",
            "{n: 1, nModified: 1}",
        );
        lab.check("{update: 'c', updates: [{q: {}, u: {$inc: {'l.$[e]': 1}}, arrayFilters: [{e: {$gt: 6}}]}]}", "{n: 1, nModified: 1}");
        lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, l: [1, 8]}]}");
        // The position is looked for with the variables with which the document was found.
        let either = "{$or: [{$expr: {$gt: ['$_id', '$$n']}}, {l: 8}]}";
        let first =
            format!("{{find: 'c', filter: {either}, let: {{n: 5}}, projection: {{'l.$': 1}}}}");
        lab.check(&first, "{'cursor.firstBatch': [{_id: 1, l: [8]}]}");
        let change = format!(
            "{{update: 'c', let: {{n: 5}}, updates: [{{q: {either}, u: {{$set: {{'l.$': 9}}}}}}]}}"
        );
        lab.check(&change, "{n: 1, nModified: 1}");
        lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, l: [1, 9]}]}");
    }

    #[test]
    fn what_the_reply_counts() {
        let lab = with_three();
        let check = |statement: &str, expected: &str| {
            lab.check(&format!("{{update: 'c', updates: [{statement}]}}"), expected);
        };
        check(
            "{q: {}, u: {$set: {v: 3}}, multi: true}",
            "{n: 3, nModified: 2, -upserted: 0}".replace("-upserted", "'-upserted'").as_str(),
        );
        check("{q: {_id: 9}, u: {$set: {v: 3}}}", "{n: 0, nModified: 0}");
        check(
            "{q: {_id: 9, w: 1}, u: {$set: {v: 3}}, upsert: true}",
            "{n: 1, nModified: 0, upserted: [{index: 0, _id: 9}]}",
        );
        lab.check("{find: 'c', filter: {_id: 9}}", "{'cursor.firstBatch': [{_id: 9, w: 1, v: 3}]}");
        check("{q: {}, u: {$set: {hit: 1}}, sort: {_id: -1}}", "{n: 1, nModified: 1}");
        lab.check("{find: 'c', filter: {hit: 1}}", "{'cursor.firstBatch.0._id': 9}");
        check(
            "{q: {x: 1, $and: [{x: 2}]}, u: {$set: {v: 3}}, upsert: true}",
            "{n: 0, 'writeErrors.0.code': 54}",
        );
        lab.check(
            "{update: 'c', ordered: false, updates: [{q: {}, u: {$bad: 1}}, {q: {_id: 1}, u: {$set: {k: 1}}}]}",
            "{n: 1, nModified: 1, 'writeErrors.0.index': 0}",
        );
        lab.check(
            "{update: 'c', updates: [{q: {}, u: {$bad: 1}}, {q: {_id: 1}, u: {$set: {k: 2}}}]}",
            "{n: 0, nModified: 0, 'writeErrors.0.index': 0}",
        );
    }
}

mod delete {
    use super::*;

    #[test]
    fn limits_and_refusals() {
        let lab = with_three();
        let refused = |statement: &str, code: i32| {
            let reply = lab.run(&format!("{{delete: 'c', deletes: [{statement}]}}"));
            let found = at(&reply, "writeErrors.0.code").or_else(|| at(&reply, "code"));
            assert_eq!(found, Some(Bson::Int32(code)), "{statement}: {reply}");
        };
        refused("{limit: 1}", 40414);
        refused("{q: {}}", 40414);
        refused("{q: 'x', limit: 1}", 14);
        refused("{q: {}, limit: 2}", 9);
        refused("{q: {}, limit: -1}", 9);
        refused("{q: {}, limit: 0.5}", 9);
        refused("{q: {}, limit: NumberDecimal('0.4')}", 9);
        refused("{q: {}, limit: NumberDecimal('1E-400')}", 9);
        refused("{q: {}, limit: NumberDecimal('NaN')}", 9);
        refused("{q: {}, limit: NaN}", 9);
        refused("{q: {}, limit: true}", 9);
        refused("{q: {}, limit: 1, hint: {none: 1}}", 2);
        refused("{q: {}, limit: 1, hint: 1}", 9);
        refused("{q: {}, limit: 1, nonsense: 1}", 40415);
        let reply = lab.run("{delete: 'c', deletes: [{q: {}, limit: 2}]}");
        let message = at(&reply, "writeErrors.0.errmsg").or_else(|| at(&reply, "errmsg"));
        assert_eq!(
            message,
            Some("The limit field in delete objects must be 0 or 1. Got 2".into()),
            "{reply}"
        );
        lab.check("{delete: 'c', deletes: []}", "{code: 16}");
        lab.check("{delete: 'c'}", "{code: 40414}");
        lab.check("{delete: 'c', deletes: [], ordered: 'true'}", "{code: 14}");
        lab.check("{delete: 'c', deletes: [{q: {}, limit: 1}], let: 'x'}", "{code: 14}");
        lab.check("{delete: 'c', deletes: [{q: {v: {$gt: 1}}, limit: 1.0}]}", "{n: 1, ok: 1}");
        lab.check("{delete: 'c', deletes: [{q: {}, limit: 0}]}", "{n: 2, ok: 1}");
        lab.check("{delete: 'none', deletes: [{q: {}, limit: 0}]}", "{n: 0, ok: 1}");
    }
}

mod find_and_modify {
    use super::*;

    fn check(command: &str, expected: &str) {
        with_three().check(&format!("{{findAndModify: 'c', {command}}}"), expected);
    }

    #[test]
    fn what_is_given_back() {
        let set = "update: {$set: {v: 9}}";
        check(
            &format!("query: {{_id: 1}}, {set}"),
            "{lastErrorObject: {n: 1, updatedExisting: true}, value: {_id: 1, v: 3}}",
        );
        check(&format!("query: {{_id: 1}}, {set}, new: true"), "{value: {_id: 1, v: 9}}");
        check(
            &format!("query: {{_id: 8}}, {set}"),
            "{lastErrorObject: {n: 0, updatedExisting: false}, value: null}",
        );
        check(
            &format!("query: {{_id: 8}}, {set}, upsert: true"),
            "{lastErrorObject: {n: 1, updatedExisting: false, upserted: 8}, value: null}",
        );
        check(&format!("query: {{_id: 8}}, {set}, upsert: 1, new: 1"), "{value: {_id: 8, v: 9}}");
        check("query: {_id: 1}, remove: true", "{lastErrorObject: {n: 1}, value: {_id: 1, v: 3}}");
        check("query: {_id: 8}, remove: true", "{lastErrorObject: {n: 0}, value: null}");
        check(&format!("sort: {{v: 1}}, {set}, fields: {{_id: 1}}"), "{value: {_id: 2}}");
        check("query: {_id: 1}, update: {w: 1}, new: true", "{value: {_id: 1, w: 1}}");
        check("query: {_id: 1}, update: [{$set: {v: 5}}], new: true", "{value: {_id: 1, v: 5}}");
    }

    #[test]
    fn what_can_not_be_given_back_stays_as_it_was() {
        let lab = with_three();
        let before = lab.ids("{find: 'c', filter: {v: {$lt: 9}}}");
        assert_eq!(before.len(), 3);
        for command in [
            "query: {_id: 1}, remove: true",
            "query: {_id: 1}, update: {$set: {v: 9}}",
            "query: {_id: 1}, update: {$set: {v: 9}}, new: true",
            "query: {_id: 8}, update: {$set: {v: 9}}, upsert: true, new: true",
        ] {
            let command =
                format!("{{findAndModify: 'c', {command}, fields: {{a: {{$toInt: 'x'}}}}}}");
            lab.check(&command, "{ok: 0, code: 241}");
            assert_eq!(lab.ids("{find: 'c', filter: {v: {$lt: 9}}}"), before, "{command}");
            lab.check("{count: 'c'}", "{n: 3}");
        }
    }

    #[test]
    fn a_field_that_stands_twice_is_given_back_twice() {
        let lab = with_three();
        let mut twice = bson::rawdoc! { "_id": 9, "a": 1 };
        twice.append(bson::raw::cstr!("a"), 2);
        let mut documents = bson::RawArrayBuf::new();
        documents.push(twice.clone());
        lab.engine.run_raw("test", &bson::rawdoc! { "insert": "c", "documents": documents });
        let remove = bson::rawdoc! { "findAndModify": "c", "query": { "_id": 9 }, "remove": true };
        let reply = lab.engine.run_raw("test", &remove);
        assert_eq!(reply.get_document("value").ok(), Some(&*twice));
    }

    #[test]
    fn what_contradicts_itself() {
        let both = "remove: true";
        check(
            "query: {}",
            "{code: 9, errmsg: 'Either an update or remove=true must be specified'}",
        );
        check(
            &format!("{both}, update: {{}}"),
            "{code: 9, errmsg: 'Cannot specify both an update and remove=true'}",
        );
        check(
            &format!("{both}, upsert: true"),
            "{code: 9, errmsg: 'Cannot specify both upsert=true and remove=true '}",
        );
        check(&format!("{both}, new: true"), "{code: 9}");
        check(
            &format!("{both}, arrayFilters: []"),
            "{code: 9, errmsg: 'Cannot specify arrayFilters and remove=true'}",
        );
        check(
            "update: [], arrayFilters: [{e: 1}]",
            "{code: 9, errmsg: 'Cannot specify arrayFilters and a pipeline update'}",
        );
        check("update: 5", "{code: 9}");
        check("query: 1, update: {}", "{code: 14}");
        check("sort: 1, update: {}", "{code: 14}");
        check("fields: 1, update: {}", "{code: 14}");
        check("new: 'x', update: {}", "{code: 14}");
        check("hint: null, update: {}", "{code: 9}");
        check("bypassDocumentValidation: 'x', update: {}", "{code: 14}");
        check(
            "query: null, sort: null, fields: null, remove: null, update: {$set: {x: 1}}",
            "{ok: 1}",
        );
    }
}

mod counting {
    use super::*;

    #[test]
    fn count_and_distinct() {
        let lab = with_three();
        lab.check("{count: 'c'}", "{n: 3}");
        lab.check("{count: 'none'}", "{n: 0}");
        lab.check("{count: 'c', query: null}", "{n: 3}");
        lab.check("{count: 'c', query: {v: {$gt: 1}}, skip: 1}", "{n: 1}");
        lab.check("{count: 'c', limit: -2}", "{n: 2}");
        lab.check("{count: 'c', limit: 0}", "{n: 3}");
        lab.check("{count: 'c', skip: -1}", "{code: 2}");
        lab.check("{count: 'c', query: 1}", "{code: 14}");
        lab.check("{count: 'c', hint: 'none'}", "{code: 2}");
        lab.check("{count: 'c', let: {}}", "{code: 40415}");
        lab.check("{distinct: 'c', key: 'v'}", "{values: [1, 2, 3]}");
        lab.check("{distinct: 'none', key: 'v'}", "{values: []}");
        lab.check("{distinct: 'c', key: 'v', query: null}", "{values: [1, 2, 3]}");
        lab.check("{distinct: 'c', key: 'v', query: {v: {$gt: 1}}}", "{values: [2, 3]}");
        lab.check("{distinct: 'c', key: 'x\\u0000y'}", "{code: 31032}");
        lab.check("{distinct: 'c', key: null}", "{code: 40414}");
        lab.check("{distinct: 'c'}", "{code: 40414}");
        lab.check("{distinct: 'c', key: 1}", "{code: 14}");
        lab.check("{distinct: 'c', key: 'v', hint: null}", "{code: 9}");
        lab.check("{distinct: 'c', key: 'v', hint: {$natural: 2}}", "{code: 2}");
        lab.check("{distinct: 'c', key: 'v', hint: {$natural: 1, v: 1}}", "{code: 2}");
        lab.check("{distinct: 'none', key: 'v', query: {$foo: 1}}", "{code: 2}");
        lab.check("{distinct: 'c', key: 'v', collation: {locale: ''}}", "{code: 2}");
    }
}

mod insert {
    use super::*;

    fn refused(document: &str, code: i32, message: &str) {
        let reply = Lab::new().run(&format!("{{insert: 'c', documents: [{document}]}}"));
        let found = at(&reply, "writeErrors.0.code");
        assert_eq!(found, Some(Bson::Int32(code)), "{document}: {reply}");
        let found = at(&reply, "writeErrors.0.errmsg");
        let found = found.as_ref().and_then(Bson::as_str).unwrap_or_default();
        assert!(found.contains(message), "{document}: {found}");
    }

    #[test]
    fn what_an_id_may_be() {
        refused("{_id: [1]}", 53, "can't use an array for _id");
        refused("{_id: /x/}", 53, "can't use a regex for _id");
        refused("{a: 1, _id: {$undefined: true}}", 53, "can't use a undefined for _id");
        refused("{_id: {$x: 1}}", 52, "_id fields may not contain '$'-prefixed fields: $x");
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: null}, {_id: {a: [1]}}, {a: 1, _id: 7}, {}]}");
        lab.check("{find: 'c', filter: {_id: 7}}", "{'cursor.firstBatch': [{_id: 7, a: 1}]}");
    }

    #[test]
    fn what_the_batch_may_be() {
        let lab = Lab::new();
        let empty = "Write batch sizes must be between 1 and 100000. Got 0 operations.";
        lab.check(
            "{insert: 'c', documents: []}",
            &format!("{{code: 16, codeName: 'InvalidLength', errmsg: '{empty}'}}"),
        );
        lab.check("{insert: 'c', documents: [1]}", "{code: 14}");
        lab.check("{insert: 'c', documents: [], ordered: 1}", "{code: 14}");
        lab.check("{insert: 'c', documents: [{}], bypassDocumentValidation: 'x'}", "{code: 14}");
        lab.check("{insert: '', documents: [{}]}", "{code: 73}");
        lab.check("{insert: 'system.foo', documents: [{}]}", "{code: 73}");
        lab.check("{insert: 'system.profile', documents: [{}]}", "{code: 73}");
        lab.check("{update: 'system.foo', updates: [{q: {}, u: {}}]}", "{code: 73}");
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        lab.check(
            "{insert: 'c', documents: [{_id: 1}, {_id: 2}], ordered: false}",
            "{n: 1, 'writeErrors.0.code': 11000, 'writeErrors.0.keyPattern': {_id: 1}, \
             'writeErrors.0.keyValue': {_id: 1}}",
        );
        let large = doc! { "insert": "c", "documents": [{ "a": "x".repeat(16_777_216) }] };
        let reply = lab.run_document(&large);
        assert_eq!(at(&reply, "writeErrors.0.code"), Some(Bson::Int32(10334)), "{reply}");
    }

    #[test]
    fn empty_timestamps_become_the_servers() {
        let lab = Lab::new();
        let zero = "{$timestamp: {t: 0, i: 0}}";
        lab.ok(&format!(
            "{{insert: 'c', documents: [{{_id: 1, t: {zero}}}, {{_id: 2, t: {zero}}}, \
             {{_id: {zero}, in: {{t: {zero}}}}}]}}"
        ));
        lab.ok(&format!(
            "{{insert: 'c', bypassEmptyTsReplacement: true, documents: [{{_id: 4, t: {zero}}}]}}"
        ));
        let found = lab.ok("{find: 'c'}");
        let time = |place: &str| match at(&found, &format!("cursor.firstBatch.{place}")) {
            Some(Bson::Timestamp(stamp)) => (stamp.time, stamp.increment),
            other => panic!("{place}: {other:?}"),
        };
        assert_eq!(time("0.t"), (1_704_067_200, 1));
        assert_eq!(time("1.t"), (1_704_067_200, 2));
        assert_eq!((time("2._id"), time("2.in.t"), time("3.t")), ((0, 0), (0, 0), (0, 0)));
    }
}

#[test]
fn an_update_that_would_lose_a_field_is_refused() {
    let lab = Lab::new();
    let mut document = bson::rawdoc! { "_id": 1, "a": 1 };
    document.append(bson::raw::cstr!("a"), 2);
    let insert = bson::rawdoc! { "insert": "c", "documents": [document] };
    let reply = lab.engine.run_raw("test", &insert);
    assert_eq!(reply.get_i32("n").ok(), Some(1), "{reply:?}");
    for update in ["{$set: {b: 1}}", "[{$set: {b: 1}}]"] {
        lab.check(
            &format!("{{update: 'c', updates: [{{q: {{_id: 1}}, u: {update}}}]}}"),
            "{n: 0, 'writeErrors.0.code': 2}",
        );
    }
    lab.ok("{update: 'c', updates: [{q: {_id: 1}, u: {b: 1}}]}");
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, b: 1}]}");
}

#[test]
fn replacements_by_id_share_a_commit_and_fail_one_by_one() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {u: 1}, name: 'u_1', unique: true}]}");
    let documents: Vec<Document> = (0..100).map(|id| doc! { "_id": id, "u": id }).collect();
    lab.run_document(&doc! { "insert": "c", "documents": documents });
    let commits = || lab.engine.collections().store().commits();
    let replace = |id: i32, u: i32| doc! { "q": { "_id": { "$eq": id } }, "u": { "u": u } };
    let before = commits();
    let updates: Vec<Document> = (0..100).map(|id| replace(id, id + 1_000)).collect();
    let reply = lab.run_document(&doc! { "update": "c", "updates": updates });
    assert_eq!((reply.get_i32("n").ok(), reply.get_i32("nModified").ok()), (Some(100), Some(100)));
    assert!(commits() - before < 10, "{} commits", commits() - before);
    // The second one is refused, the fourth is not there, and the last one isn't a replacement.
    let updates = vec![
        replace(0, 2_000),
        replace(1, 1_002),
        replace(2, 2_002),
        replace(700, 2_700),
        doc! { "q": { "_id": 3 }, "u": { "$set": { "u": 2_003 } } },
    ];
    let mut command = doc! { "update": "c", "updates": updates, "ordered": false };
    let reply = lab.run_document(&command);
    assert_eq!((reply.get_i32("n").ok(), reply.get_i32("nModified").ok()), (Some(3), Some(3)));
    let index = at(&reply, "writeErrors.0.index");
    assert_eq!((index, at(&reply, "writeErrors.1")), (Some(Bson::Int32(1)), None), "{reply}");
    lab.check("{find: 'c', filter: {_id: 2}}", "{'cursor.firstBatch': [{_id: 2, u: 2002}]}");
    // In order, those after the refused one are not run.
    command.insert("ordered", true);
    command.insert("updates", vec![replace(0, 3_000), replace(1, 2_002), replace(2, 3_002)]);
    let reply = lab.run_document(&command);
    assert_eq!(reply.get_i32("n").ok(), Some(1), "{reply}");
    lab.check("{find: 'c', filter: {_id: 2}}", "{'cursor.firstBatch': [{_id: 2, u: 2002}]}");
}

/// The cases of MongoDB's `jstests/core/field_name_validation.js` and of the manual's "Field Names
/// with Periods and Dollar Signs".
#[test]
fn names_with_dollars_and_periods_are_stored_where_mongodb_stores_them() {
    let lab = Lab::new();
    let stored = |id: i32, expected: &str| {
        let reply = lab.ok(&format!("{{find: 'c', filter: {{_id: {id}}}}}"));
        let found = at(&reply, "cursor.firstBatch.0");
        let expected = crate::value::shell::read_document(expected).expect(expected);
        assert_eq!(found, Some(expected.into()), "{id}");
    };
    let refuses = |command: &str, code: i32| {
        let reply = lab.run(command);
        let found = at(&reply, "writeErrors.0.code").or_else(|| at(&reply, "code"));
        assert_eq!(found, Some(code.into()), "{command}: {reply}");
    };
    let update = |query: &str, change: &str, more: &str| {
        format!("{{update: 'c', updates: [{{q: {query}, u: {change}{more}}}]}}")
    };
    let upsert = ", upsert: true";
    let housing = "{_id: 1, 'a.b': 1, $price: 50.0, address: {$number: 123, $inc: true, 'x.y': [{$z: 1}]}, \
                   $id: 'h1961-01', $rooms: {br: 2}}";
    lab.ok(&format!("{{insert: 'c', documents: [{housing}]}}"));
    stored(1, housing);
    for id in ["{$b: 1}", "{a: {$b: 1}}", "{a: [{$b: 1}]}", "{$id: 1}", "{$ref: 'c', $db: 'd'}"] {
        refuses(&format!("{{insert: 'c', documents: [{{_id: {id}, x: 1}}]}}"), 52);
    }
    lab.ok("{insert: 'r', documents: [{_id: {$ref: 'c', $id: {$x: 1}, $db: 'd', e: 1}}]}");
    lab.ok(&update("{_id: 1}", "{$set: {'address.$street': 'Elm Ave', 'address.$number': 5}}", ""));
    lab.check(
        "{find: 'c', filter: {'address.$street': 'Elm Ave', 'address.$number': {$gt: 4}}}",
        "{'cursor.firstBatch.0._id': 1}",
    );
    refuses(&update("{_id: 1}", "{$set: {$rooms: {br: 3}}}", ""), 52);
    refuses(&update("{_id: 1}", "{$rooms: {br: 3}}", ""), 9);
    refuses(&update("{_id: 1}", "{a: 1, $rooms: {br: 3}}", ""), 52);
    refuses(&update("{_id: 1}", "{a: 1, $id: 3}", ""), 55);
    lab.check(&update("{_id: 99}", "{a: 1, $rooms: {br: 3}}", ""), "{ok: 1, n: 0}");
    refuses("{findAndModify: 'c', query: {_id: 1}, update: {a: 1, $rooms: 1}}", 52);
    lab.ok(&update("{_id: 1}", "{a: {$b: 1, 'c.d': 2}, 'e.f': 3}", ""));
    stored(1, "{_id: 1, a: {$b: 1, 'c.d': 2}, 'e.f': 3}");

    // Pipelines may add them, and reach them with $getField and $setField.
    let set =
        "[{$replaceWith: {$setField: {field: {$literal: '$rooms'}, input: '$$ROOT', value: 2}}}]";
    lab.ok(&update("{_id: 1}", set, ""));
    stored(1, "{_id: 1, a: {$b: 1, 'c.d': 2}, 'e.f': 3, $rooms: 2}");
    lab.check(
        "{find: 'c', filter: {$expr: {$eq: [{$getField: {$literal: '$rooms'}}, 2]}}}",
        "{'cursor.firstBatch.0._id': 1}",
    );
    lab.ok(&update("{_id: 1}", "[{$replaceWith: {$literal: {$a: 1}}}]", ""));
    stored(1, "{_id: 1, $a: 1}");

    // Upserts follow the rules of inserts.
    lab.ok(&update("{_id: 2}", "{$set: {phone: 25.17, $hotel: 320.1}}", upsert));
    stored(2, "{_id: 2, $hotel: 320.1, phone: 25.17}");
    refuses(&update("{_id: 2}", "{$set: {phone: 1, $hotel: 1}}", upsert), 52);
    lab.ok(&update("{_id: 3}", "{a: 1, $b: 2}", upsert));
    stored(3, "{_id: 3, a: 1, $b: 2}");
    lab.ok(&update("{_id: 4}", "[{$replaceWith: {$literal: {$b: 2}}}]", upsert));
    stored(4, "{_id: 4, $b: 2}");

    for (query, change, more, code) in [
        ("{'_id.a.$b': 1}", "{$set: {x: 1}}", upsert, 52),
        ("{x: 1}", "{$set: {_id: {a: {$b: 1}}}}", upsert, 52),
        ("{_id: 1}", "{_id: {a: {$b: 1}}}", "", 52),
        ("{'_id.a.$b': 1}", "{_id: {a: {$b: 1}}}", upsert, 111),
        ("{_id: {a: {$b: 1}}}", "{_id: {a: {$b: 1}}}", upsert, 52),
        ("{_id: 1}", "[{$replaceWith: {$literal: {_id: {a: {$b: 1}}}}}]", "", 52),
        ("{'_id.a.$b': 1}", "[{$replaceWith: {$literal: {a: {$a: 1}}}}]", upsert, 52),
    ] {
        refuses(&update(query, change, more), code);
        if !change.starts_with('[') || more.is_empty() {
            let command = format!("{{findAndModify: 'c', query: {query}, update: {change}{more}}}");
            refuses(&command, code);
        }
    }
    lab.check("{count: 'c'}", "{n: 4}");
    lab.check("{validate: 'c'}", "{valid: true}");
}
