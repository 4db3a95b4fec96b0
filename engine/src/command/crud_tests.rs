//! What clients may ask of reads and writes, and what they are told.

use bson::{Bson, doc};

use super::testing::{Lab, at};

fn with_three() -> Lab {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, v: 3}, {_id: 2, v: 1}, {_id: 3, v: 2}]}");
    lab
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
