//! BSON values in JavaScript: how they are made, printed, stored and read.

use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Document, JavaScriptCodeWithScope, Regex, Timestamp, doc};
use proptest::prelude::*;

use super::{run, shell};
use crate::shell::Shell;
use crate::shell::convert::{from_js, to_js};

/// `> input`, and below it what mongosh prints. `!!` begins the message of an exception.
const PRINTED: &str = include_str!("printed.txt");

fn cases() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRINTED
        .split("\n> ")
        .filter_map(|case| case.trim_start_matches("> ").split_once('\n'))
        .map(|(input, output)| (input, output.trim_end_matches('\n')))
}

#[test]
fn values_print_as_in_mongosh() {
    let mut shell = shell();
    let mut wrong = Vec::new();
    for (input, expected) in cases() {
        let script = format!(
            "try {{ print((\n{input}\n)) }} catch (e) {{ print(`!! ${{e.name}}: ${{e.message}}`) }}"
        );
        let printed = run(&mut shell, &script).join("\n");
        if printed.trim_end_matches('\n') != expected {
            wrong.push(format!("{input}\nexpected {expected}\nprinted  {printed}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// A document after a way to JavaScript and back.
fn round_trip(shell: &Shell, document: &Document) -> Document {
    shell.with(|ctx| {
        let value = to_js::document(ctx, document).expect("JavaScript takes it");
        from_js::document(&value).expect("BSON takes it")
    })
}

/// The document that JavaScript makes of an object, or the message of the exception.
fn stored(script: &str) -> Result<Document, String> {
    shell().with(|ctx| {
        let value = ctx.eval::<rquickjs::Value<'_>, _>(script).expect("the script is right");
        from_js::document(&value).map_err(|_| {
            let error = ctx.catch();
            let text = |name| error.as_object().and_then(|error| error.get::<_, String>(name).ok());
            format!("{}: {}", text("name").unwrap_or_default(), text("message").unwrap_or_default())
        })
    })
}

fn regex(pattern: &str, options: &str) -> Bson {
    let text = |text: &str| text.try_into().expect("no NUL");
    Bson::RegularExpression(Regex { pattern: text(pattern), options: text(options) })
}

#[test]
fn every_type_survives_the_way_to_javascript_and_back() {
    let id = bson::oid::ObjectId::from_bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    let scope = doc! {"x": 1_i64};
    let pointer = serde_json::json!({"$dbPointer": {"$ref": "a.b", "$id": {"$oid": id.to_hex()}}});
    let document = doc! {
        "id": id,
        "int": i32::MIN,
        "double": 1.5,
        "whole": 3_000_000_000.0,
        "negative zero": -0.0,
        "infinite": f64::NEG_INFINITY,
        "long": 5_i64,
        "longest": i64::MIN,
        "decimal": "1.50E-6000".parse::<bson::Decimal128>().expect("a decimal"),
        "text": "NUL \0, quotes '\"` and \u{1F600}",
        "date": DateTime::from_millis(-1),
        "far date": DateTime::from_millis(i64::MAX),
        "regex": regex("a/b", "ims"),
        "other regex": regex("(?x", "ix"),
        "stamp": Timestamp { time: u32::MAX, increment: u32::MAX },
        "bytes": Binary { subtype: BinarySubtype::UserDefined(200), bytes: (0..=255).collect() },
        "uuid": bson::Uuid::from_bytes([7; 16]),
        "code": Bson::JavaScriptCode("x()".to_owned()),
        "scoped": JavaScriptCodeWithScope { code: "x".to_owned(), scope },
        "symbol": Bson::Symbol("x".to_owned()),
        "least": Bson::MinKey,
        "most": Bson::MaxKey,
        "null": Bson::Null,
        "__proto__": {"__proto__": 1},
        "constructor": "toString",
        "_bsontype": "Double",
        "": [[], {}, [[1]]],
        "ref": {"$ref": "a.b", "$id": 1_i64, "$db": "c", "more": true},
        "no ref": {"$id": 1, "$ref": "a"},
        "pointer": Bson::try_from(pointer).expect("a pointer"),
    };
    assert_eq!(round_trip(&shell(), &document), document);
}

/// JavaScript has one number type, and keys that are whole numbers come first.
#[test]
fn whole_doubles_become_int32_and_number_keys_come_first() {
    let back = round_trip(&shell(), &doc! {"b": 2.0, "10": 1, "9": i32::MAX});
    let expected = doc! {"9": i32::MAX, "10": 1, "b": 2};
    assert_eq!(back, expected);
    assert_eq!(back.keys().collect::<Vec<_>>(), ["9", "10", "b"]);
}

fn code(text: &str) -> Bson {
    Bson::JavaScriptCode(text.to_owned())
}

#[test]
fn javascript_is_stored_as_mongosh_stores_it() {
    let cases = [
        ("({a: undefined, b: [undefined, , 1]})", doc! {"a": null, "b": [null, null, 1]}),
        (
            "({a() {}, b: [1, () => 1, Symbol(), 2], c: Symbol()})",
            doc! {"a": code("a() {}"), "b": [1, code("() => 1"), 2]},
        ),
        ("new Map([['x', 1n], ['1', 2]])", doc! {"x": 1_i64, "1": 2}),
        ("({a: new Map([['x', 1]]), b: new Set([1])})", doc! {"a": {"x": 1}, "b": {}}),
        ("({get a() { return 5 }})", doc! {"a": 5}),
        (
            "({a: {toBSON() { return 5 }}, b: MinKey, c: MaxKey()})",
            doc! {"a": 5, "b": Bson::MinKey, "c": Bson::MaxKey},
        ),
        ("({a: new Proxy({x: 1}, {}), b: new Proxy([1], {})})", doc! {"a": {"x": 1}, "b": [1]}),
        ("({a: '\\ud800', '\\udc00': 1})", doc! {"a": "\u{FFFD}", "\u{FFFD}": 1}),
        ("({['__proto__']: 5})", doc! {"__proto__": 5}),
        (
            "({a: new Date(NaN), b: new Date(5)})",
            doc! {"a": DateTime::from_millis(0), "b": DateTime::from_millis(5)},
        ),
        (
            "({a: NumberInt(5), b: Double(5), c: NumberLong('5'), d: -0, e: 2147483648})",
            doc! {"a": 5, "b": 5.0, "c": 5_i64, "d": -0.0, "e": 2_147_483_648.0},
        ),
        (
            "({a: Long.MAX_UNSIGNED_VALUE, b: {_bsontype: 'Long'}})",
            doc! {"a": -1_i64, "b": {"_bsontype": "Long"}},
        ),
        (
            "({a: new (class A { constructor() { this.x = 1 } })(), b: new Error('x')})",
            doc! {"a": {"x": 1}, "b": {}},
        ),
        (
            "({a: new Uint8Array([1, 255])})",
            doc! {"a": Binary { subtype: BinarySubtype::Generic, bytes: vec![1, 255] }},
        ),
        (
            "({a: DBRef('c', 1), b: /a\\/b/gi})",
            doc! {"a": {"$ref": "c", "$id": 1}, "b": regex("a\\/b", "is")},
        ),
    ];
    for (script, expected) in cases {
        assert_eq!(stored(script), Ok(expected), "{script}");
    }
}

#[test]
fn what_no_document_can_hold_is_refused_in_a_sentence() {
    let cases = [
        ("var a = {}; a.b = [a]; a", "BSONError: Cannot convert circular structure to BSON"),
        (
            "var a = {}; for (let i = 0; i < 500; i += 1) a = {a}; a",
            "BSONError: a document can have at most 100 levels",
        ),
        ("var a = []; a.length = 4e9; ({a})", "BSONError: an array is too long"),
        ("({a: 2n ** 63n})", "BSONError: a BigInt must fit into 64 bits"),
        ("({'a\\0b': 1})", "BSONError: key a\0b must not contain null bytes"),
        ("({a: new RegExp('a\\0b')})", "BSONError: value a\0b must not contain null bytes"),
        ("({get a() { throw new TypeError('no') }})", "TypeError: no"),
        ("[1]", "BSONError: a document must be an object"),
        ("new Date()", "BSONError: a document must be an object with fields"),
        ("({a: new Map([[1, 2]])})", "BSONError: the keys of a Map must be strings"),
        ("var a = Object.create(Date.prototype); ({a})", "TypeError: not a Date object"),
    ];
    for (script, expected) in cases {
        assert_eq!(stored(script).expect_err(script), expected, "{script}");
    }
}

fn scalar() -> impl Strategy<Value = Bson> {
    prop_oneof![
        any::<i32>().prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        any::<f64>()
            .prop_filter("NaN equals nothing", |number| !number.is_nan())
            .prop_map(Bson::Double),
        (-9_i32..9).prop_map(|int| Bson::Double(int.into())),
        ".*".prop_map(Bson::String),
        any::<bool>().prop_map(Bson::Boolean),
        any::<i64>().prop_map(|ms| Bson::DateTime(DateTime::from_millis(ms))),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(bytes.into())),
        any::<(u32, u32)>()
            .prop_map(|(time, increment)| Bson::Timestamp(Timestamp { time, increment })),
        any::<(u8, Vec<u8>)>().prop_map(|(subtype, bytes)| {
            Bson::Binary(Binary { subtype: subtype.into(), bytes })
        }),
        (any::<i128>(), -6000..6000).prop_filter_map(
            "more than 34 digits",
            |(digits, exponent)| {
                format!("{}E{exponent}", digits % 10_i128.pow(34))
                    .parse()
                    .ok()
                    .map(Bson::Decimal128)
            }
        ),
        "[^\0]*".prop_map(|pattern| regex(&pattern, "i")),
        Just(Bson::Null),
        Just(Bson::MinKey),
        Just(Bson::MaxKey),
    ]
}

fn document() -> impl Strategy<Value = Document> {
    let name = "[^\0]{0,3}|\\$[a-z]{1,3}|[0-9]{1,3}";
    let fields = move |inner: BoxedStrategy<Bson>| prop::collection::vec((name, inner), 0..6);
    let inner = scalar().prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Bson::Array),
            fields(inner.boxed()).prop_map(|fields| Bson::Document(fields.into_iter().collect())),
        ]
    });
    fields(inner.boxed()).prop_map(|fields| fields.into_iter().collect())
}

fn whole(number: f64) -> Option<i32> {
    #[expect(clippy::cast_possible_truncation, reason = "compared below")]
    let int = number as i32;
    (f64::from(int).to_bits() == number.to_bits()).then_some(int)
}

/// The value after a trip through JavaScript: whole doubles are int32, number keys come first.
fn in_javascript(bson: Bson) -> Bson {
    match bson {
        Bson::Double(number) => whole(number).map_or(Bson::Double(number), Bson::Int32),
        Bson::Array(items) => Bson::Array(items.into_iter().map(in_javascript).collect()),
        Bson::Document(document) => {
            let index = |name: &str| name.parse::<u32>().ok().filter(|int| int.to_string() == name);
            let mut fields: Vec<_> = document.into_iter().collect();
            fields.sort_by_key(|(name, _)| index(name).map_or(u64::MAX, u64::from));
            Bson::Document(
                fields.into_iter().map(|(name, item)| (name, in_javascript(item))).collect(),
            )
        }
        other => other,
    }
}

#[test]
fn random_documents_survive_the_way_to_javascript_and_back() {
    let shell = shell();
    proptest!(|(document in document())| {
        let back = Bson::Document(round_trip(&shell, &document));
        prop_assert_eq!(back.to_string(), in_javascript(Bson::Document(document)).to_string());
    });
}

/// Differences from mongosh that are made on purpose, or need more than an expression.
#[test]
fn types_and_digits_are_kept_where_mongosh_loses_them() {
    let cases = [
        (
            "EJSON.stringify({a: Long('9007199254740993')})",
            r#"{"a":{"$numberLong":"9007199254740993"}}"#,
        ),
        (
            r#"EJSON.parse('{"a": {"$numberLong": "9007199254740993"}}')"#,
            "{ a: Long('9007199254740993') }",
        ),
        (
            "EJSON.stringify({a: new Uint8Array(1)})",
            r#"{"a":{"$binary":{"base64":"AA==","subType":"00"}}}"#,
        ),
        ("[new Error('x'), db, db.c]", "[ [Error: x], test, test.c ]"),
        ("{a: 1, b: [[]]}", "{ a: 1, b: [ [] ] }"),
        ("tojson({a: [1, {}]})", "{\n  a: [\n    1,\n    {}\n  ]\n}"),
        ("tojson({a: [1, {}]}, '', true)", "{ a: [ 1, {} ] }"),
        ("bsonsize({a: 1})", "12"),
        ("UUID().toUUID().toHexString().length", "36"),
        ("new Date().getTime() - ISODate('2026-01-01').getTime() < 600000", "true"),
        ("Date.now() - ObjectId().getTimestamp() < 2000", "true"),
        ("new Set(Array.from({length: 1000}, () => String(ObjectId()))).size", "1000"),
    ];
    let mut shell = shell();
    for (input, expected) in cases {
        assert_eq!(run(&mut shell, &format!("print(({input}))")).join("\n"), expected, "{input}");
    }
}

#[test]
fn documents_with_as_many_levels_as_a_store_takes_pass() {
    let deep = (0..98).fold(doc! {"x": 1_i64}, |inner, _| doc! {"a": inner});
    assert_eq!(round_trip(&shell(), &deep), deep);
    let script =
        "var a = 1; for (let i = 0; i < 98; i += 1) a = {a}; print(EJSON.stringify(a).length)";
    assert_eq!(run(&mut shell(), script), ["589"]);
}

/// An example of each constructor that makes a value.
const CONSTRUCTORS: [&str; 24] = [
    "BinData(128, 'AA==')",
    "HexData(0, '00ff')",
    "MD5('00112233445566778899aabbccddeeff')",
    "UUID('00112233-4455-6677-8899-aabbccddeeff')",
    "LegacyJavaUUID('a12c7847-6038-4866-84b2-a62d90f679e5')",
    "LegacyCSharpUUID('{a12c7847-6038-4866-84b2-a62d90f679e5}')",
    "LegacyPythonUUID('a12c78476038486684b2a62d90f679e5')",
    "BSONSymbol('s')",
    "Code('f', {a: 1})",
    "DBRef('c', 5, 'd')",
    "Decimal128('1.50')",
    "NumberDecimal('1.50')",
    "Double(1)",
    "Int32(5)",
    "NumberInt(5)",
    "Long('9007199254740993')",
    "NumberLong('9007199254740993')",
    "MinKey()",
    "MaxKey()",
    "ObjectId('5d505646cf6d4fe581014ab2')",
    "ISODate('1968-02-18T12:00:00Z')",
    "Timestamp({ t: 1, i: 2 })",
    "BSONRegExp('a', 'x')",
    "new Date(5)",
];

#[test]
fn the_filter_reads_every_constructor_of_the_console() {
    for example in CONSTRUCTORS {
        let console = stored(&format!("({{ v: {example} }})")).expect(example);
        let filter = mayfly_engine::value::shell::read_value(example).expect(example);
        assert_eq!(console.get("v"), Some(&filter), "{example}");
    }
    // `Binary` has functions that make values, and makes none itself.
    let sources = [
        include_str!("../js/binary.js"),
        include_str!("../js/classes.js"),
        include_str!("../js/long.js"),
    ];
    let named = sources.iter().flat_map(|source| source.split("global(\"").skip(1));
    for name in named.filter_map(|rest| rest.split('"').next()).filter(|name| *name != "Binary") {
        let is_it = |example: &&str| example.starts_with(&format!("{name}("));
        assert!(CONSTRUCTORS.iter().any(is_it), "{name} has no example");
    }
}
