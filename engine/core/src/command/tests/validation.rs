//! Validators: what they refuse, what they tell, and who may pass.

use bson::{Document, doc};

use crate::command::testing::{Lab, at};

fn lab(options: &str) -> Lab {
    let lab = Lab::new();
    lab.ok(&format!("{{create: 'c', {options}}}"));
    lab
}

#[test]
fn a_validator_refuses_inserts_and_updates() {
    let lab = lab("validator: {a: {$gt: 5}}");
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 6}]}");
    lab.check(
        "{insert: 'c', documents: [{_id: 2, a: 5}]}",
        "{n: 0, 'writeErrors.0.code': 121, 'writeErrors.0.errmsg': 'Document failed validation', \
          'writeErrors.0.errInfo': {failingDocumentId: 2, details: {operatorName: '$gt', \
           specifiedAs: {a: {$gt: 5}}, reason: 'comparison failed', consideredValue: 5}}}",
    );
    lab.check(
        "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 1}}}]}",
        "{'writeErrors.0.code': 121, 'writeErrors.0.errInfo.failingDocumentId': 1}",
    );
    lab.check(
        "{update: 'c', updates: [{q: {_id: 9}, u: {$set: {a: 1}}, upsert: true}]}",
        "{'writeErrors.0.code': 121}",
    );
    lab.check(
        "{findAndModify: 'c', query: {_id: 1}, update: {$unset: {a: 1}}}",
        "{ok: 0, code: 121, codeName: 'DocumentValidationFailure', \
          'errInfo.details.reason': 'field was missing'}",
    );
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, a: 6}]}");
}

#[test]
fn who_says_so_bypasses_it() {
    let lab = lab("validator: {a: 1}");
    lab.ok("{insert: 'c', documents: [{_id: 1}], bypassDocumentValidation: true}");
    lab.ok("{update: 'c', updates: [{q: {_id: 1}, u: {b: 1}}], bypassDocumentValidation: true}");
    lab.check("{insert: 'c', documents: [{_id: 2}]}", "{'writeErrors.0.code': 121}");
    lab.ok("{insert: 'source', documents: [{_id: 5}]}");
    let merge = "aggregate: 'source', pipeline: [{$merge: 'c'}], cursor: {}";
    lab.check(&format!("{{{merge}}}"), "{code: 121}");
    lab.ok(&format!("{{{merge}, bypassDocumentValidation: true}}"));
    lab.check("{count: 'c'}", "{n: 2}");
}

#[test]
fn level_and_action_say_what_is_checked_and_what_happens() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2, a: 1}]}");
    lab.ok("{collMod: 'c', validator: {a: 1}, validationLevel: 'moderate'}");
    lab.ok("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 1}}}]}");
    lab.check(
        "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {a: 2}}}]}",
        "{'writeErrors.0.code': 121}",
    );
    lab.ok("{collMod: 'c', validationLevel: 'strict'}");
    lab.check(
        "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {b: 2}}}]}",
        "{'writeErrors.0.code': 121}",
    );
    lab.ok("{collMod: 'c', validationAction: 'warn'}");
    lab.ok("{insert: 'c', documents: [{_id: 3}]}");
    let log = lab.ok("{getLog: 'global'}");
    assert!(log.to_string().contains("Document would fail validation"), "{log}");
    lab.ok("{collMod: 'c', validationAction: 'error', validationLevel: 'off'}");
    lab.ok("{insert: 'c', documents: [{_id: 4}]}");
    lab.ok("{collMod: 'c', validationLevel: 'strict', validator: {}}");
    lab.ok("{insert: 'c', documents: [{_id: 5}]}");
}

#[test]
fn expressions_and_schemas_validate_too() {
    let lab = lab("validator: {$expr: {$lt: ['$a', '$b']}}");
    lab.ok("{insert: 'c', documents: [{a: 1, b: 2}]}");
    lab.check(
        "{insert: 'c', documents: [{a: 3, b: 2}]}",
        "{'writeErrors.0.errInfo.details.operatorName': '$expr'}",
    );
    let schema = "{bsonType: 'object', required: ['a', 'b'], \
                   properties: {a: {bsonType: 'int', minimum: 3}}}";
    lab.ok(&format!("{{collMod: 'c', validator: {{$jsonSchema: {schema}}}}}"));
    lab.ok("{insert: 'c', documents: [{a: 3, b: 2}]}");
    let rules = "writeErrors.0.errInfo.details.schemaRulesNotSatisfied";
    lab.check(
        "{insert: 'c', documents: [{a: 'x'}]}",
        &format!(
            "{{'writeErrors.0.errInfo.details.operatorName': '$jsonSchema', \
               '{rules}': [{{operatorName: 'required', specifiedAs: {{required: ['a', 'b']}}, \
                 missingProperties: ['b']}}, {{operatorName: 'properties', propertiesNotSatisfied: [{{\
                 propertyName: 'a', details: [{{operatorName: 'bsonType', \
                 specifiedAs: {{bsonType: 'int'}}, reason: 'type did not match', \
                 consideredValue: 'x', consideredType: 'string'}}]}}]}}]}}"
        ),
    );
    lab.check(
        "{insert: 'c', documents: [{a: NumberInt(1), b: 1}]}",
        &format!("{{'{rules}.0.propertiesNotSatisfied.0.details.0.operatorName': 'minimum'}}"),
    );
    lab.ok("{collMod: 'c', validator: {$or: [{a: 1}, {b: {$exists: true}}], c: 1}}");
    lab.check(
        "{insert: 'c', documents: [{_id: 1}]}",
        "{'writeErrors.0.errInfo.details.operatorName': '$and', \
          'writeErrors.0.errInfo.details.clausesNotSatisfied.0.details.operatorName': '$or', \
          'writeErrors.0.errInfo.details.clausesNotSatisfied.1.details.reason': 'field was missing'}",
    );
}

#[test]
fn options_are_shown_checked_and_kept() {
    let lab = lab("validator: {a: 1}, validationAction: 'error'");
    let reply = lab.ok("{listCollections: 1}");
    let options = at(&reply, "cursor.firstBatch.0.options").expect("options");
    assert_eq!(
        options,
        bson::bson!({ "validator": { "a": 1 }, "validationAction": "error" }),
        "{reply}"
    );
    lab.ok("{create: 'c', validator: {a: 1}, validationAction: 'error'}");
    lab.check("{create: 'c', validator: {a: 2}, validationAction: 'error'}", "{code: 48}");
    let check = |command: &str, code: i32| lab.check(command, &format!("{{code: {code}}}"));
    check("{create: 'd', validator: 1}", 14);
    check("{create: 'd', validator: {$bad: 1}}", 2);
    check("{create: 'd', validator: {$where: '1'}}", 2);
    check("{create: 'd', viewOn: 'c', pipeline: [{$nope: 1}]}", 40324);
    check("{create: 'd', viewOn: 'c', pipeline: [{}]}", 40323);
    check("{create: 'd', viewOn: 'c', pipeline: [{$out: 'e'}]}", 167);
    check("{create: 'd', viewOn: 'c', pipeline: [{$currentOp: {}}]}", 73);
    check("{create: 'd', viewOn: 'd', pipeline: []}", 5);
    check("{create: 'd', validator: {$text: {$search: 'x'}}}", 2);
    check("{create: 'd', validator: {a: {$near: [0, 0]}}}", 5_626_500);
    check("{create: 'd', validationLevel: 'other'}", 2);
    check("{create: 'd', validationAction: 'other'}", 2);
    check("{create: 'd', validationLevel: 1}", 14);
    check("{collMod: 'c', validator: {a: {$bad: 1}}}", 2);
    check("{collMod: 'c', validationLevel: 'other'}", 2);
    check("{collMod: 'none', validator: {}}", 26);
    let reserved = bson::doc! { "create": "c", "validator": { "a": 1 } };
    let reply = lab.engine.run("admin", &reserved);
    assert_eq!(at(&reply, "code"), Some(bson::Bson::Int32(72)), "{reply}");
    lab.ok("{create: 'v', viewOn: 'c', pipeline: []}");
    check("{collMod: 'v', validator: {}}", 72);
    check("{collMod: 'c', viewOn: 'c', pipeline: []}", 72);
    check("{collMod: 'v', viewOn: 'v'}", 5);
    lab.ok("{collMod: 'v', viewOn: 'd'}");
    lab.ok("{collMod: 'v', pipeline: [{$match: {a: 1}}, null]}");
    lab.ok("{collMod: 'v', viewOn: 'd', pipeline: []}");
    check("{collMod: 'c', cappedSize: 4096}", 72);
}

#[test]
fn a_capped_collection_changes_its_bounds() {
    let lab = lab("capped: true, size: 100000, max: 5");
    let fill = "{insert: 'c', documents: [{}, {}, {}, {}, {}, {}]}";
    lab.ok(fill);
    lab.check("{count: 'c'}", "{n: 5}");
    lab.ok("{collMod: 'c', cappedMax: 3}");
    lab.ok("{insert: 'c', documents: [{}]}");
    lab.check("{count: 'c'}", "{n: 3}");
    lab.ok("{collMod: 'c', cappedMax: 0, cappedSize: 100}");
    lab.ok(fill);
    lab.check("{count: 'c'}", "{n: 4}");
    let check = |command: &str, code: i32| lab.check(command, &format!("{{code: {code}}}"));
    check("{collMod: 'c', cappedSize: 0}", 2);
    check("{collMod: 'c', cappedSize: 'x'}", 14);
    check("{collMod: 'c', cappedMax: 2147483647}", 2);
}

/// `levels` documents around a value.
fn nested(levels: usize) -> Document {
    (1..levels).fold(doc! { "a": 1 }, |inner, _| doc! { "a": inner })
}

#[test]
fn what_could_not_be_read_again_is_not_stored() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}]}");
    let refused = |command: Document| {
        let reply = lab.run_document(&command);
        let message = reply.get_str("errmsg").unwrap_or_default();
        assert_eq!(reply.get_i32("code").ok(), Some(2), "{message}");
        assert!(message.contains("too large or too deeply nested"), "{message}");
    };
    let deep = nested(120);
    refused(doc! { "collMod": "c", "validator": &deep });
    refused(doc! { "create": "d", "validator": &deep });
    refused(doc! { "create": "v", "viewOn": "c", "pipeline": [{ "$match": &deep }] });
    let index = |name: &str, filter: Document| {
        let index = doc! { "key": { name: 1 }, "name": name, "partialFilterExpression": filter };
        doc! { "createIndexes": "c", "indexes": [index] }
    };
    refused(index("deep", deep.clone()));
    let long = |name: &str| doc! { "b": format!("{name}{}", "x".repeat(5_000_000)) };
    for name in ["x", "y", "z"] {
        let reply = lab.run_document(&index(name, long(name)));
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0));
    }
    refused(index("w", long("w")));
    let reply = lab.run_document(&doc! { "create": "e", "validator": nested(90) });
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0));
    let lab = lab.reopened();
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1}]}");
    let listed = lab.ok("{listIndexes: 'c'}");
    assert_eq!(at(&listed, "cursor.firstBatch.3.name"), Some("z".into()));
    assert_eq!(at(&listed, "cursor.firstBatch.4"), None);
    let listed = lab.ok("{listCollections: 1, nameOnly: true}");
    assert_eq!(at(&listed, "cursor.firstBatch.2"), None);
}

#[test]
fn long_values_are_not_shown_again_for_every_clause() {
    let clauses: Vec<String> = (0..200).map(|bound| format!("{{a: {{$gt: {bound}}}}}")).collect();
    let lab = lab(&format!("validator: {{$and: [{}]}}", clauses.join(", ")));
    let document = format!("{{_id: 1, a: '{}', b: [1]}}", "x".repeat(1_000_000));
    let reply = lab.run(&format!("{{insert: 'c', documents: [{document}]}}"));
    let failed = "writeErrors.0.errInfo.details.clausesNotSatisfied.199.details";
    let reason = at(&reply, &format!("{failed}.reason"));
    assert_eq!(reason, Some("comparison failed".into()));
    assert_eq!(at(&reply, &format!("{failed}.consideredValue")), None);
    let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let document = format!("{{_id: 1, a: [{}]}}", many.join(", "));
    lab.ok("{collMod: 'c', validator: {a: {$gt: 500}}}");
    let reply = lab.run(&format!("{{insert: 'c', documents: [{document}]}}"));
    let shown = at(&reply, "writeErrors.0.errInfo.details.consideredValues");
    assert_eq!(shown.and_then(|shown| shown.as_array().map(Vec::len)), Some(16));
}

/// A search of a regular expression that took too many steps says neither yes nor no.
const UNDECIDED: &str = "^(?:(?=a)a|a)+$";

#[test]
fn what_a_validator_cannot_decide_is_not_stored() {
    let lab = lab(&format!("validator: {{a: {{$not: {{$regex: '{UNDECIDED}'}}}}}}"));
    let text = format!("{}c", "a".repeat(40));
    lab.check(
        &format!("{{insert: 'c', documents: [{{_id: 1, a: '{text}'}}, {{_id: 2, a: 'b'}}], ordered: false}}"),
        "{n: 1, 'writeErrors.0.code': 51156, 'writeErrors.0.index': 0}",
    );
    lab.ok("{collMod: 'c', validationAction: 'warn'}");
    lab.ok(&format!("{{insert: 'c', documents: [{{_id: 3, a: '{text}'}}]}}"));
    lab.check("{find: 'c', projection: {_id: 1}}", "{'cursor.firstBatch': [{_id: 2}, {_id: 3}]}");
}

#[test]
fn what_a_filter_cannot_decide_is_not_removed() {
    let lab = Lab::new();
    let text = format!("{}c", "a".repeat(40));
    lab.ok(&format!("{{insert: 'c', documents: [{{_id: 1, a: '{text}'}}]}}"));
    let undecided = format!("{{$regex: '{UNDECIDED}'}}");
    for filter in
        [format!("{{a: {{$not: {undecided}}}}}"), format!("{{$nor: [{{a: {undecided}}}]}}")]
    {
        lab.check(
            &format!("{{delete: 'c', deletes: [{{q: {filter}, limit: 0}}]}}"),
            "{n: 0, 'writeErrors.0.code': 51156}",
        );
        lab.check(&format!("{{find: 'c', filter: {filter}}}"), "{ok: 0, code: 51156}");
        lab.check(&format!("{{count: 'c', query: {filter}}}"), "{ok: 0, code: 51156}");
        lab.check(
            &format!("{{aggregate: 'c', pipeline: [{{$match: {filter}}}], cursor: {{}}}}"),
            "{ok: 0, code: 51156, codeName: 'Location51156'}",
        );
        lab.check(
            &format!("{{findAndModify: 'c', query: {filter}, remove: true}}"),
            "{ok: 0, code: 51156}",
        );
    }
    let pull =
        format!("{{update: 'c', updates: [{{q: {{_id: 1}}, u: {{$pull: {{b: {undecided}}}}}}}]}}");
    lab.ok(&format!(
        "{{update: 'c', updates: [{{q: {{_id: 1}}, u: {{$set: {{b: ['{text}']}}}}}}]}}"
    ));
    lab.check(&pull, "{n: 0, nModified: 0, 'writeErrors.0.code': 51156}");
    lab.check("{count: 'c'}", "{n: 1}");
}
