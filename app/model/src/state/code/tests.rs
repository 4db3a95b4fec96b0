use bson::Document;
use bson::spec::BinarySubtype;
use bson::{Binary, Bson, DateTime, Timestamp, doc, oid::ObjectId};

use super::*;

fn id() -> ObjectId {
    ObjectId::from_bytes([7; 12])
}

fn query() -> Query {
    Query {
        filter: doc! {
            "status": { "$in": ["paid", "it's"] },
            "at": { "$gt": DateTime::from_millis(1_767_323_045_678) },
            "user": id(),
            "n": 5_i64,
        },
        projection: doc! { "status": 1 },
        sort: doc! { "at": -1 },
        skip: 10,
        limit: Some(20),
        hint: Some(Bson::String("at_1".to_owned())),
        max_time_ms: Some(2_500),
        collation: Document::new(),
    }
}

#[test]
fn every_language_writes_a_collation() {
    let collation = doc! { "locale": "de", "strength": 2, "numericOrdering": true };
    let query = Query { collation, ..Query::default() };
    let rust = "use mongodb::options::{Collation, CollationStrength};";
    for (language, parts) in [
        (
            Language::Shell,
            [".collation({ locale: 'de', strength: 2, numericOrdering: true })", "find({})"],
        ),
        (
            Language::Python,
            [
                "collation={ \"locale\": \"de\", \"strength\": 2, \"numericOrdering\": True },",
                "find(",
            ],
        ),
        (
            Language::Node,
            ["collation: { locale: \"de\", strength: 2, numericOrdering: true }", "find({}"],
        ),
        (
            Language::Java,
            [
                ".collation(Collation.builder().locale(\"de\")\
                 .collationStrength(CollationStrength.SECONDARY).numericOrdering(true).build())",
                "import com.mongodb.client.model.CollationStrength;",
            ],
        ),
        (
            Language::CSharp,
            [
                "Collation = new Collation(\"de\", strength: CollationStrength.Secondary, \
                 numericOrdering: true)",
                "FindOptions",
            ],
        ),
        (
            Language::Rust,
            [
                ".collation(Collation::builder().locale(\"de\")\
                 .strength(CollationStrength::Secondary).numeric_ordering(true).build())",
                rust,
            ],
        ),
    ] {
        let text = language.find(&Namespace::new("shop", "orders"), &query);
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}

fn find(language: Language) -> String {
    language.find(&Namespace::new("shop", "orders"), &query())
}

#[track_caller]
fn check(language: Language, table: &[(Bson, &str)]) {
    for (value, expected) in table {
        assert_eq!(language.value(value), *expected, "{language:?}");
    }
}

fn date() -> Bson {
    Bson::DateTime(DateTime::from_millis(0))
}

fn far() -> Bson {
    Bson::DateTime(DateTime::from_millis(i64::MAX))
}

fn bytes() -> Bson {
    Bson::Binary(Binary { subtype: BinarySubtype::Generic, bytes: vec![1, 255] })
}

fn regex() -> Bson {
    mayfly_engine::value::shell::read_value(r"/a\d/i").expect("it reads")
}

fn at() -> Bson {
    Bson::Timestamp(Timestamp { time: 1, increment: 2 })
}

#[test]
fn shell() {
    assert_eq!(
        find(Language::Shell),
        r#"db.getSiblingDB("shop").getCollection("orders").find({
  status: {
    $in: [
      'paid',
      'it\'s'
    ]
  },
  at: {
    $gt: ISODate('2026-01-02T03:04:05.678Z')
  },
  user: ObjectId('070707070707070707070707'),
  n: Long('5')
}, { status: 1 }).sort({ at: -1 }).skip(10).limit(20).hint('at_1').maxTimeMS(2500)"#
    );
}

#[test]
fn json() {
    let text = find(Language::Json);
    let read = mayfly_engine::value::extjson::read_document(&text).expect("it reads");
    // A filter matches numbers of every type alike.
    let mut expected = query().filter;
    expected.insert("n", 5);
    assert_eq!(Document::try_from(&*read).ok(), Some(expected));
    check(Language::Json, &[(Bson::Null, "null"), (bson::bson!([1, "x"]), "[1,\"x\"]")]);
}

#[test]
fn python() {
    let text = find(Language::Python);
    assert_eq!(
        text,
        r#"from datetime import datetime
from bson import ObjectId
from bson.int64 import Int64
from pymongo import MongoClient

client = MongoClient("mongodb://127.0.0.1:27017")
collection = client["shop"]["orders"]
documents = collection.find(
    {
        "status": { "$in": [ "paid", "it's" ] },
        "at": { "$gt": datetime.fromisoformat("2026-01-02T03:04:05.678+00:00") },
        "user": ObjectId("070707070707070707070707"),
        "n": Int64(5)
    },
    projection={ "status": 1 },
    sort=[ ("at", -1) ],
    skip=10,
    limit=20,
    hint="at_1",
    max_time_ms=2500,
)"#
    );
    check(
        Language::Python,
        &[
            (true.into(), "True"),
            (Bson::Null, "None"),
            (2.0.into(), "2.0"),
            (f64::INFINITY.into(), "float(\"inf\")"),
            ("a\"\\\n\u{1}ü".into(), "\"a\\\"\\\\\\n\\u0001ü\""),
            (far(), "DatetimeMS(9223372036854775807)"),
            (bytes(), "Binary(bytes.fromhex(\"01ff\"), 0)"),
            (regex(), "Regex(\"a\\\\d\", \"i\")"),
            (at(), "Timestamp(1, 2)"),
            (doc! {}.into(), "{}"),
        ],
    );
}

#[test]
fn node() {
    let text = find(Language::Node);
    assert!(
        text.starts_with("import { Long, ObjectId, MongoClient } from \"mongodb\";\n"),
        "{text}"
    );
    assert!(text.contains("new Date(\"2026-01-02T03:04:05.678Z\")"), "{text}");
    assert!(text.contains("maxTimeMS: 2500"), "{text}");
    check(
        Language::Node,
        &[
            (2.0.into(), "new Double(2.0)"),
            (2.5.into(), "2.5"),
            (
                doc! { "a b": 1, "$c": [], "__proto__": 1 }.into(),
                "{ \"a b\": 1, $c: [], [\"__proto__\"]: 1 }",
            ),
            (regex(), "new BSONRegExp(\"a\\\\d\", \"i\")"),
            (at(), "new Timestamp({ t: 1, i: 2 })"),
            (bytes(), "new Binary(Buffer.from(\"01ff\", \"hex\"), 0)"),
        ],
    );
}

#[test]
fn java() {
    let text = find(Language::Java);
    assert!(text.contains("import java.util.concurrent.TimeUnit;\n"), "{text}");
    assert!(text.contains(".hintString(\"at_1\")"), "{text}");
    assert!(text.ends_with(".maxTime(2500, TimeUnit.MILLISECONDS);"), "{text}");
    check(
        Language::Java,
        &[
            (5_i64.into(), "5L"),
            (date(), "Date.from(Instant.parse(\"1970-01-01T00:00:00.000Z\"))"),
            (
                doc! { "a": { "b": [1, null] } }.into(),
                "new Document(\"a\", new Document(\"b\", Arrays.asList(1, null)))",
            ),
            (doc! { "a": 1, "b": 2 }.into(), "new Document(\"a\", 1).append(\"b\", 2)"),
            (doc! { "a": [" ) "] }.into(), "new Document(\"a\", Arrays.asList(\" ) \"))"),
        ],
    );
}

#[test]
fn csharp() {
    let text = find(Language::CSharp);
    assert!(text.contains("Hint = \"at_1\", MaxTime = TimeSpan.FromMilliseconds(2500)"), "{text}");
    assert!(text.ends_with("\n    .Skip(10)\n    .Limit(20)\n    .ToList();"), "{text}");
    check(
        Language::CSharp,
        &[
            (Bson::Null, "BsonNull.Value"),
            (
                doc! { "a": [1, "x"] }.into(),
                "new BsonDocument { { \"a\", new BsonArray { 1, \"x\" } } }",
            ),
            (date(), "new BsonDateTime(0L /* 1970-01-01T00:00:00.000Z */)"),
        ],
    );
}

#[test]
fn rust() {
    let text = find(Language::Rust);
    assert!(text.starts_with("use std::time::Duration;\n\nuse mongodb::bson::{DateTime, Document, doc, oid::ObjectId};\nuse mongodb::options::Hint;\n"), "{text}");
    assert!(text.contains("\"status\": { \"$in\": [ \"paid\", \"it's\" ] },"), "{text}");
    check(
        Language::Rust,
        &[
            (doc! { "a": { "b": 1 } }.into(), "doc! { \"a\": { \"b\": 1 } }"),
            ("\u{1}".into(), "\"\\u{1}\""),
            (bytes(), "Binary { subtype: 0.into(), bytes: vec![1, 255] }"),
            (f64::NAN.into(), "f64::NAN"),
        ],
    );
}

#[test]
fn long_documents_take_several_lines() {
    let long = doc! { "text": "x".repeat(90), "n": 1 };
    for language in Language::ALL {
        let text = language.value(&Bson::Document(long.clone()));
        assert!(text.lines().count() > 1 || language == Language::Json, "{text}");
    }
}
