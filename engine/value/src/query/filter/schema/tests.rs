use bson::raw::RawBsonRef;

use super::Schema;
use crate::query::{Code, testing::raw};

#[test]
fn documents_keep_a_schema_or_not() {
    let check = |schema: &str, document: &str, expected: bool| {
        let parsed = Schema::parse(RawBsonRef::Document(&raw(schema))).expect(schema);
        assert_eq!(parsed.matches(&raw(document)), Ok(expected), "{schema} of {document}");
    };
    check("{}", "{a: 1}", true);
    check("{required: ['a', 'b']}", "{a: 1}", false);
    check("{required: ['a']}", "{a: null}", true);
    check("{properties: {a: {bsonType: 'int'}}}", "{a: 1}", true);
    check("{properties: {a: {bsonType: 'int'}}}", "{a: 'x'}", false);
    check("{properties: {a: {bsonType: 'int'}}}", "{b: 'x'}", true);
    check("{properties: {a: {type: 'number'}}}", "{a: 1.5}", true);
    check("{properties: {a: {type: ['boolean', 'null']}}}", "{a: null}", true);
    check("{type: 'array'}", "{a: 1}", false);
    check("{properties: {a: {minimum: 5}}}", "{a: 5}", true);
    check("{properties: {a: {minimum: 5, exclusiveMinimum: true}}}", "{a: 5}", false);
    check("{properties: {a: {minimum: 5}}}", "{a: 'text'}", true);
    check("{properties: {a: {maximum: 5}}}", "{a: 5.5}", false);
    check("{properties: {a: {multipleOf: 0.5}}}", "{a: 1.5}", true);
    check("{properties: {a: {multipleOf: 2}}}", "{a: 3}", false);
    check("{properties: {a: {multipleOf: 2}}}", "{a: 1e40}", true);
    check("{properties: {a: {multipleOf: 3}}}", "{a: 1e40}", false);
    check("{properties: {a: {multipleOf: 0.1}}}", "{a: 0.3}", true);
    check("{properties: {a: {multipleOf: 0.01}}}", "{a: 19.99}", true);
    check("{properties: {a: {multipleOf: 0.01}}}", "{a: 19.995}", false);
    check("{properties: {a: {multipleOf: 0.01}}}", "{a: {$numberDecimal: '19.99'}}", true);
    check(
        "{properties: {a: {multipleOf: {$numberDecimal: '0.1'}}}}",
        "{a: {$numberDecimal: '0.3'}}",
        true,
    );
    check("{properties: {a: {multipleOf: 2}}}", "{a: {$numberDouble: 'Infinity'}}", false);
    check("{properties: {a: {minLength: 2, maxLength: 3}}}", "{a: 'été'}", true);
    check("{properties: {a: {maxLength: 2}}}", "{a: 'abc'}", false);
    check("{properties: {a: {pattern: '^a'}}}", "{a: 'ba'}", false);
    check("{properties: {a: {enum: [1, 'x']}}}", "{a: 1.0}", true);
    check("{properties: {a: {enum: [1, 'x']}}}", "{a: 2}", false);
    check("{properties: {a: {}}, additionalProperties: false}", "{a: 1, b: 1}", false);
    check("{patternProperties: {'^n_': {type: 'number'}}}", "{n_a: 'x'}", false);
    check(
        "{patternProperties: {'^n': {}}, additionalProperties: {type: 'string'}}",
        "{n: 1, b: 's'}",
        true,
    );
    check("{minProperties: 2}", "{a: 1}", false);
    check("{maxProperties: 1}", "{a: 1}", true);
    check("{dependencies: {a: ['b']}}", "{a: 1}", false);
    check("{dependencies: {a: {required: ['c']}}}", "{a: 1, c: 1}", true);
    check("{properties: {a: {items: {type: 'string'}}}}", "{a: ['x', 1]}", false);
    check(
        "{properties: {a: {items: [{type: 'string'}], additionalItems: false}}}",
        "{a: ['x']}",
        true,
    );
    check(
        "{properties: {a: {items: [{type: 'string'}], additionalItems: false}}}",
        "{a: ['x', 1]}",
        false,
    );
    check("{properties: {a: {minItems: 2}}}", "{a: [1]}", false);
    check("{properties: {a: {maxItems: 1}}}", "{a: [1]}", true);
    check("{properties: {a: {uniqueItems: true}}}", "{a: [1, 2, 1.0]}", false);
    check("{properties: {a: {uniqueItems: true}}}", "{a: [{x: 1, y: 2}, {y: 2, x: 1}]}", false);
    check("{properties: {a: {uniqueItems: true}}}", "{a: [{x: 1, y: 2}, {y: 1, x: 2}]}", true);
    check(
        "{properties: {a: {enum: [{x: 1, y: [{v: 1, w: 2}]}]}}}",
        "{a: {y: [{w: 2, v: 1}], x: 1}}",
        true,
    );
    check("{properties: {a: {enum: [[1, 2]]}}}", "{a: [2, 1]}", false);
    check("{properties: {a: {minimum: {$numberDouble: 'NaN'}}}}", "{a: 5}", false);
    check(
        "{properties: {a: {minimum: {$numberDouble: 'NaN'}}}}",
        "{a: {$numberDouble: 'NaN'}}",
        true,
    );
    check("{properties: {a: {minimum: 5}}}", "{a: {$numberDouble: 'NaN'}}", false);
    check(
        "{properties: {a: {multipleOf: {$numberDecimal: '1E-400'}}}}",
        "{a: {$numberDecimal: '3E-400'}}",
        true,
    );
    check("{allOf: [{required: ['a']}, {required: ['b']}]}", "{a: 1}", false);
    check("{anyOf: [{required: ['a']}, {required: ['b']}]}", "{a: 1}", true);
    check("{oneOf: [{required: ['a']}, {required: ['b']}]}", "{a: 1, b: 1}", false);
    check("{not: {required: ['a']}}", "{b: 1}", true);
}

#[test]
fn schemas_with_mistakes_are_refused() {
    let refused = |schema: &str, code: Code| {
        let found = Schema::parse(RawBsonRef::Document(&raw(schema))).expect_err(schema);
        assert_eq!(found.code, code, "{schema}: {found}");
    };
    refused("{unknown: 1}", Code::FAILED_TO_PARSE);
    refused("{format: 'x'}", Code::FAILED_TO_PARSE);
    refused("{type: 'integer'}", Code::FAILED_TO_PARSE);
    refused("{type: 'x'}", Code::BAD_VALUE);
    refused("{type: 1}", Code::TYPE_MISMATCH);
    refused("{type: 'object', bsonType: 'object'}", Code::FAILED_TO_PARSE);
    refused("{properties: 1}", Code::TYPE_MISMATCH);
    refused("{properties: {a: 1}}", Code::TYPE_MISMATCH);
    refused("{minimum: 'a'}", Code::TYPE_MISMATCH);
    refused("{exclusiveMinimum: true}", Code::FAILED_TO_PARSE);
    refused("{minimum: 1, exclusiveMinimum: 1}", Code::TYPE_MISMATCH);
    refused("{minLength: -1}", Code::FAILED_TO_PARSE);
    refused("{minLength: 1.5}", Code::FAILED_TO_PARSE);
    for keyword in
        ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"]
    {
        refused(&format!("{{{keyword}: 'x'}}"), Code::FAILED_TO_PARSE);
    }
    refused("{multipleOf: 0}", Code::FAILED_TO_PARSE);
    refused("{required: []}", Code::FAILED_TO_PARSE);
    refused("{required: ['a', 'a']}", Code::FAILED_TO_PARSE);
    refused("{required: 'a'}", Code::TYPE_MISMATCH);
    refused("{enum: [1, 2, 1.0]}", Code::FAILED_TO_PARSE);
    refused("{enum: [{a: 1, b: 2}, {b: 2, a: 1}]}", Code::FAILED_TO_PARSE);
    refused("{bsonType: ['int', 'int']}", Code::FAILED_TO_PARSE);
    refused("{multipleOf: {$numberDecimal: '-1'}}", Code::FAILED_TO_PARSE);
    refused("{additionalItems: 1}", Code::TYPE_MISMATCH);
    refused("{additionalItems: {type: 1}}", Code::TYPE_MISMATCH);
    refused("{enum: []}", Code::FAILED_TO_PARSE);
    refused("{allOf: []}", Code::BAD_VALUE);
    refused("{not: 1}", Code::TYPE_MISMATCH);
    refused("{title: 1}", Code::TYPE_MISMATCH);
    refused("{additionalProperties: 1}", Code::TYPE_MISMATCH);
    refused("{dependencies: {a: 1}}", Code::TYPE_MISMATCH);
}

#[test]
fn a_keyword_stands_once() {
    let mut twice = raw("{minLength: 1}");
    twice.append(bson::raw::cstr!("minLength"), 2);
    let refused = Schema::parse(RawBsonRef::Document(&twice)).expect_err("twice");
    assert_eq!(refused.code, Code::FAILED_TO_PARSE);
    assert!(refused.message.contains("Duplicate $jsonSchema keyword: minLength"), "{refused}");
}

/// Read once more at each level, sixty levels would take longer than the world is old.
#[test]
fn a_schema_of_other_items_is_read_once() {
    let nested = (0..60)
        .fold("{}".to_owned(), |inner, _| format!("{{items: [], additionalItems: {inner}}}"));
    let schema = Schema::parse(RawBsonRef::Document(&raw(&nested))).expect("a schema");
    assert_eq!(schema.matches(&raw("{a: 1}")), Ok(true));
}

/// Compared each with each, two hundred thousand names would take minutes.
#[test]
fn many_names_and_values_are_read_in_one_pass() {
    let mut names = bson::RawArrayBuf::new();
    let mut values = bson::RawArrayBuf::new();
    for number in 0..200_000 {
        names.push(format!("n{number}"));
        values.push(number);
    }
    let schema = bson::rawdoc! { "required": names, "enum": values };
    let schema = Schema::parse(RawBsonRef::Document(&schema)).expect("a schema");
    assert_eq!(schema.matches(&raw("{a: 1}")), Ok(false));
}
