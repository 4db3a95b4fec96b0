//! mongosh literals and commands, as tables.

use bson::{Bson, DateTime, Regex, bson, doc, raw::RawBson};
use proptest::prelude::*;

use crate::value::{
    Layout,
    extjson::{self, Style},
    shell::{
        read_document, read_document_at, read_value, read_value_at, read_values_at, write_command,
        write_value,
    },
};

fn read(text: &str, canonical: &str) {
    let value = read_value(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let expected = extjson::read_value(canonical).unwrap();
    // Two NaN are not equal, so the texts are compared too.
    let same = format!("{value:?}") == format!("{expected:?}");
    assert!(same, "{text}: {value:?} is not {expected:?}");
}

fn refuse(text: &str, hint: &str) {
    let error = read_value(text).map(drop).unwrap_err();
    assert!(error.message.contains(hint), "{text}: {error}");
}

#[test]
fn literals() {
    read("{a: 1, 'b c': \"x\", $d: [1, 2,],}", r#"{"a":1,"b c":"x","$d":[1,2]}"#);
    read("// note\n{ /* one */ a: 1 } // end", r#"{"a":1}"#);
    read("'it\\'s \\x41 \\u{1f600}'", "\"it's A 😀\"");
    read("NaN", r#"{"$numberDouble":"NaN"}"#);
    read("-Infinity", r#"{"$numberDouble":"-Infinity"}"#);
    read("undefined", r#"{"$undefined":true}"#);
    read("1.0", "1.0");
    read(".5", "0.5");
    read("5000000000", r#"{"$numberLong":"5000000000"}"#);
    read("/a\\/[/]b/mi", r#"{"$regularExpression":{"pattern":"a\\/[/]b","options":"im"}}"#);
    read("{$oid: '0123456789abcdef01234567'}", r#"{"$oid":"0123456789abcdef01234567"}"#);
    read("{$timestamp: {t: 1, i: 2}}", r#"{"$timestamp":{"t":1,"i":2}}"#);
    read("{$code: 'f', $scope: {}}", r#"{"$code":"f","$scope":{}}"#);
    refuse("{a: b}", "b is not a value");
    refuse("{a: 1", "unexpected end of text");
    refuse("/* open", "unterminated comment");
    refuse("/open", "unterminated regular");
    refuse("{a: 1, a: 2}", "duplicate field");
}

#[test]
fn constructors() {
    let oid = r#"{"$oid":"0123456789abcdef01234567"}"#;
    let date = r#"{"$date":"2026-01-02T00:00:00Z"}"#;
    read("ObjectId('0123456789abcdef01234567')", oid);
    read("new ObjectId(\"0123456789ABCDEF01234567\")", oid);
    read("ISODate('2026-01-02T00:00:00Z')", date);
    read("ISODate('2026-01-02')", date);
    read("ISODate('2026-01-02T00:00:00')", date);
    read("new Date('2026-01-02')", date);
    read("new Date(1767312000000)", date);
    for number in ["1.767312e12", "1767312E+6", "1767312000000.0", "1.767311e12 + 1e6"] {
        read(&format!("new Date({number})"), date);
    }
    read("NumberLong(20)", r#"{"$numberLong":"20"}"#);
    read("NumberLong('9223372036854775807')", r#"{"$numberLong":"9223372036854775807"}"#);
    read("NumberInt(20)", "20");
    read("Int32('20')", "20");
    read("Double(1)", "1.0");
    read("NumberDecimal('1.50')", r#"{"$numberDecimal":"1.50"}"#);
    read("Decimal128(5)", r#"{"$numberDecimal":"5"}"#);
    read(
        "UUID('00112233-4455-6677-8899-aabbccddeeff')",
        r#"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
    );
    read("BinData(128, 'AA==')", r#"{"$binary":{"base64":"AA==","subType":"80"}}"#);
    read("HexData(0, '00')", r#"{"$binary":{"base64":"AA==","subType":"00"}}"#);
    read("Timestamp(1, 2)", r#"{"$timestamp":{"t":1,"i":2}}"#);
    read("Timestamp({ t: 1, i: 2 })", r#"{"$timestamp":{"t":1,"i":2}}"#);
    read("[MinKey, MaxKey()]", r#"[{"$minKey":1},{"$maxKey":1}]"#);
    read("Code('f', {a: 1})", r#"{"$code":"f","$scope":{"a":1}}"#);
    read("Symbol('s')", r#"{"$symbol":"s"}"#);
    read("RegExp('a', 'i')", r#"{"$regularExpression":{"pattern":"a","options":"i"}}"#);
    read("DBRef('c', 5, 'd')", r#"{"$ref":"c","$id":5,"$db":"d"}"#);
    refuse("ObjectId()", "24 hexadecimal");
    for now in ["new Date()", "ISODate()", "Date.now()", "new Date(Date.now() - 5)"] {
        refuse(now, "write the date");
    }
    refuse("new Date('2026-01-02T00:00:00')", "write the date");
    refuse("Long('x')", "64-bit");
    refuse("Int32(2147483648)", "32-bit");
    refuse("eval('x')", "not supported");
    refuse("new new Date(0)", "a name such as Date");
    refuse("ObjectId('0123456789abcdef01234567'", "unexpected end of text");
    refuse("99999999999999999999", "Decimal128('99999999999999999999')");
}

#[test]
fn writing() {
    let check = |ejson: &str, expected: &str| {
        assert_eq!(write_value(&extjson::read_value(ejson).unwrap(), Layout::OneLine), expected);
    };
    check(
        r#"{"a":1,"b c":[1,"it's"],"e":{},"f":[]}"#,
        "{ a: 1, 'b c': [ 1, 'it\\'s' ], e: {}, f: [] }",
    );
    check(r#"{"$numberLong":"5"}"#, "Long('5')");
    check("1.0", "Double(1.0)");
    check("1.5", "1.5");
    check(r#"{"$date":"2026-01-02T03:04:05.006Z"}"#, "ISODate('2026-01-02T03:04:05.006Z')");
    check(r#"{"$regularExpression":{"pattern":"^[a-z]\\d","options":"i"}}"#, "/^[a-z]\\d/i");
    check(r#"{"$regularExpression":{"pattern":"a/b","options":""}}"#, "BSONRegExp('a/b', '')");
    check(
        r#"{"$uuid":"00112233-4455-6677-8899-aabbccddeeff"}"#,
        "UUID('00112233-4455-6677-8899-aabbccddeeff')",
    );
}

#[test]
fn every_date_of_javascript_is_shown_as_one() {
    let check = |ms: i64, expected: &str| {
        let date = Bson::DateTime(DateTime::from_millis(ms));
        assert_eq!(write_value(&date, Layout::OneLine), expected, "{ms}");
        assert_eq!(read_value(expected), Ok(date), "{expected}");
    };
    check(-575_769_600_000, "ISODate('1951-10-04T00:00:00.000Z')");
    check(0, "ISODate('1970-01-01T00:00:00.000Z')");
    check(-1, "ISODate('1969-12-31T23:59:59.999Z')");
    check(-62_167_219_200_000, "ISODate('0000-01-01T00:00:00.000Z')");
    check(-62_167_219_200_001, "ISODate('-000001-12-31T23:59:59.999Z')");
    check(253_402_300_799_999, "ISODate('9999-12-31T23:59:59.999Z')");
    check(253_402_300_800_000, "ISODate('+010000-01-01T00:00:00.000Z')");
    check(8_640_000_000_000_000, "ISODate('+275760-09-13T00:00:00.000Z')");
    check(-8_640_000_000_000_000, "ISODate('-271821-04-20T00:00:00.000Z')");
    check(8_640_000_000_000_001, "new Date(8640000000000001)");
    check(i64::MAX, "new Date(9223372036854775807)");
    check(i64::MIN, "new Date(-9223372036854775808)");
    read("new Date('+012345-01-02')", r#"{"$date":{"$numberLong":"327403468800000"}}"#);
    refuse("ISODate('+275760-09-13T00:00:00.001Z')", "write the date");
    refuse("ISODate('-000000-01-01')", "write the date");
}

proptest! {
    #[test]
    fn what_is_shown_of_a_date_is_that_date(
        ms in prop_oneof![
            any::<i64>(),
            -8_640_000_000_000_010_i64..8_640_000_000_000_010,
            -62_167_219_200_010_i64..253_402_300_800_010,
        ],
    ) {
        let date = Bson::DateTime(DateTime::from_millis(ms));
        let shown = write_value(&date, Layout::OneLine);
        prop_assert_eq!(shown.starts_with("ISODate("), ms.unsigned_abs() <= 8_640_000_000_000_000);
        prop_assert_eq!(read_value(&shown), Ok(date.clone()));
        let raw = RawBson::DateTime(DateTime::from_millis(ms));
        for style in [Style::Relaxed, Style::Typed, Style::Canonical] {
            let text = extjson::write_value(raw.as_raw_bson_ref(), style, Layout::OneLine);
            prop_assert_eq!(extjson::read_value(&text), Ok(date.clone()));
        }
    }
}

#[test]
fn control_characters_are_escapes() {
    let check = |value: Bson, expected: &str| {
        let text = write_value(&value, Layout::OneLine);
        assert_eq!(text, expected);
        assert_eq!(read_value(&text).unwrap(), value);
    };
    for code in (0..=u8::MAX).map(char::from).filter(|code| code.is_control()) {
        let text = write_value(&Bson::String(format!("a{code}b")), Layout::OneLine);
        assert!(!text.contains(char::is_control), "{text:?}");
        assert_eq!(read_value(&text).unwrap(), Bson::String(format!("a{code}b")));
    }
    check(
        bson!({ "\u{9b}2J": "\u{7f}\u{80}\u{9f}\u{a0}\u{e9}" }),
        "{ '\\u009b2J': '\\u007f\\u0080\\u009f\u{a0}\u{e9}' }",
    );
    let pattern =
        Regex { pattern: "\u{9b}2J".try_into().unwrap(), options: "i".try_into().unwrap() };
    check(Bson::RegularExpression(pattern), "BSONRegExp('\\u009b2J', 'i')");
}

#[test]
fn commands() {
    let check = |db: &str, command: &str, expected: &str| {
        let command = read_document(command).unwrap();
        assert_eq!(write_command(db, &command), expected);
    };
    let on = "db.getSiblingDB('d').c";
    let line = |call: &str| format!("{on}.{call}");
    check(
        "d",
        "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at_1', expireAfterSeconds: 60}]}",
        &line("createIndex({ at: 1 }, { expireAfterSeconds: 60 })"),
    );
    check(
        "d",
        "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'mine'}]}",
        &line("createIndex({ at: 1 }, { name: 'mine' })"),
    );
    check(
        "d",
        "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at_1'}], commitQuorum: 1}",
        "db.getSiblingDB('d').runCommand({ createIndexes: 'c', indexes: [ { key: { at: 1 }, name: 'at_1' } ], commitQuorum: 1 })",
    );
    check(
        "d",
        "{collMod: 'c', index: {name: 'x', expireAfterSeconds: 1}}",
        "db.getSiblingDB('d').runCommand({ collMod: 'c', index: { name: 'x', expireAfterSeconds: 1 } })",
    );
    check(
        "admin",
        "{setParameter: 1, ttlMonitorSleepSecs: 1}",
        "db.adminCommand({ setParameter: 1, ttlMonitorSleepSecs: 1 })",
    );
    check(
        "d",
        "{find: 'c', filter: {a: 1}, sort: {a: -1}, limit: 5}",
        &line("find({ a: 1 }).sort({ a: -1 }).limit(5)"),
    );
    check("d", "{find: 'c'}", &line("find()"));
    check("d", "{find: 'get x'}", "db.getSiblingDB('d').getCollection('get x').find()");
    check("d", "{find: 'stats'}", "db.getSiblingDB('d').getCollection('stats').find()");
    check("d", "{insert: 'c', documents: [{a: 1}]}", &line("insertOne({ a: 1 })"));
    check(
        "d",
        "{insert: 'c', documents: [{a: 1}, {a: 2}], ordered: false}",
        &line("insertMany([ { a: 1 }, { a: 2 } ], { ordered: false })"),
    );
    check("d", "{delete: 'c', deletes: [{q: {}, limit: 0}]}", &line("deleteMany({})"));
    check(
        "d",
        "{update: 'c', updates: [{q: {a: 1}, u: {$set: {b: 1}}, upsert: true}]}",
        &line("updateOne({ a: 1 }, { $set: { b: 1 } }, { upsert: true })"),
    );
    check(
        "d",
        "{update: 'c', updates: [{q: {a: 1}, u: {b: 1}}]}",
        &line("replaceOne({ a: 1 }, { b: 1 })"),
    );
    check("d", "{drop: 'c'}", &line("drop()"));
    check("d", "{dropDatabase: 1}", "db.getSiblingDB('d').dropDatabase()");
    check("d", "{dropIndexes: 'c', index: 'x'}", &line("dropIndex('x')"));
    check("d", "{listIndexes: 'c'}", &line("getIndexes()"));
    check("d", "{aggregate: 'c', pipeline: [], cursor: {}}", &line("aggregate([])"));
    check("d", "{count: 'c', query: {a: 1}}", &line("countDocuments({ a: 1 })"));
    check(
        "d",
        "{create: 'c', capped: true}",
        "db.getSiblingDB('d').createCollection('c', { capped: true })",
    );
}

#[test]
fn styles_are_independent() {
    let value = read_value("Long('5')").unwrap();
    let raw = RawBson::try_from(value).unwrap();
    let text = extjson::write_value(raw.as_raw_bson_ref(), Style::Canonical, Layout::OneLine);
    assert_eq!(text, r#"{"$numberLong":"5"}"#);
}

#[test]
fn constructors_within_constructors_have_a_bound() {
    let refs = |levels: usize| format!("{}1{}", "DBRef('c', ".repeat(levels), ")".repeat(levels));
    assert!(read_value(&refs(99)).is_ok());
    refuse(&refs(100), "100 levels");
    refuse(&refs(1_000_000), "100 levels");
    refuse(&"DBRef('c', [{ a: ".repeat(100_000), "100 levels");
    refuse(&"Code('', { a: ".repeat(100_000), "100 levels");
    refuse(&"{ $code: '', $scope: { a: ".repeat(100_000), "100 levels");
    refuse(&"{ $scope: { a: ".repeat(100_000), "100 levels");
    refuse(&"new ".repeat(100_000), "a name such as Date");
}

#[test]
fn the_present_time_is_the_callers() {
    let date = Bson::DateTime(DateTime::from_millis(1_767_312_000_000));
    let check = |value: &str, expected: Bson| {
        let text = format!("{{a: {{$lt: {value}}}}}");
        let found = read_document_at(&text, 1_767_312_000_000).expect(value);
        assert_eq!(found, doc! { "a": { "$lt": expected } }, "{value}");
        assert!(read_document(&text).is_err(), "without a time: {value}");
    };
    check("new Date()", date.clone());
    check("new Date( )", date.clone());
    check("ISODate()", date.clone());
    check("Date.now()", Bson::Int64(1_767_312_000_000));
    check("Date.now() - 2 * 1000", Bson::Int64(1_767_311_998_000));
    let past = Bson::DateTime(DateTime::from_millis(1_767_225_600_000));
    check("new Date(Date.now() - 24 * 60 * 60 * 1000)", past);
    let now_ms = 1_767_312_000_000;
    for id in ["ObjectId()", "new ObjectId()"] {
        let first = read_value_at(id, now_ms).expect(id);
        assert_ne!(read_value_at(id, now_ms), Ok(first.clone()), "each is new");
        let made = first.as_object_id().expect("an id").timestamp();
        assert_eq!(made, DateTime::from_millis(now_ms));
        assert!(read_value(id).is_err());
    }
    let uuid = read_value_at("UUID()", now_ms).expect("a UUID");
    assert_eq!(write_value(&uuid, Layout::OneLine).as_bytes()[20], b'4', "{uuid}");
    let several = read_values_at("{a: new Date()}\n{a: ISODate()}", now_ms);
    assert_eq!(several, Ok(vec![bson!({"a": date.clone()}), bson!({"a": date})]));
    for other in ["new Date('x')", "Date.then()", "Date.now", "new Long()", "new Date(5 * )"] {
        assert!(read_document_at(&format!("{{a: {other}}}"), 0).is_err(), "{other}");
    }
    let zero = Bson::DateTime(DateTime::from_millis(0));
    assert_eq!(read_document_at("{a: new Date(0)}", 5), Ok(doc! { "a": zero }));
}

/// mongosh shows a date outside of the years 0 to 9999 with `ISODate`, and does not read it again.
#[test]
fn a_command_has_no_date_that_mongosh_refuses() {
    let check = |ms: i64, expected: &str| {
        let date = DateTime::from_millis(ms);
        let command = write_command("d", &doc! { "find": "c", "filter": { "at": date } });
        assert!(command.contains(expected), "{command}");
        let value = expected.trim_start_matches("at: ");
        let back = read_value(value).expect("it reads back");
        assert_eq!(back, Bson::DateTime(date), "{value}");
    };
    check(8_640_000_000_000_000, "at: new Date(8640000000000000)");
    check(253_402_300_800_000, "at: new Date(253402300800000)");
    check(253_402_300_799_999, "at: ISODate('9999-12-31T23:59:59.999Z')");
    check(-62_167_219_200_000, "at: ISODate('0000-01-01T00:00:00.000Z')");
    check(-62_167_219_200_001, "at: new Date(-62167219200001)");
}
