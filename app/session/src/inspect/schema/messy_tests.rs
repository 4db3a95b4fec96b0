//! Documents as they come from real feeds: nulls, mixed types, points on a map, emoji, deep arrays, names with
//! dots, without characters, and those that only look alike.

use bson::RawDocumentBuf;
use mayfly_engine::value::extjson;

use super::{Analysis, Field, Kind, Schema};

/// 2024-03-10, in milliseconds since 1970.
const NOW_MS: i64 = 1_710_028_800_000;

fn documents() -> Vec<RawDocumentBuf> {
    let lines = include_str!("messy.ndjson").lines();
    lines.map(|line| extjson::read_document(line).expect("a document")).collect()
}

fn schema() -> Schema {
    let mut analysis = Analysis::new(NOW_MS);
    for document in documents() {
        analysis.add(&document);
    }
    analysis.report()
}

/// A field in one line: its path, how often it is there, its types, and how many values it has.
fn line(field: &Field) -> String {
    let kinds: Vec<String> =
        field.kinds.iter().map(|(kind, count)| format!("{} {count}", kind.label())).collect();
    let kinds = kinds.join(", ");
    format!("{} | {} of {} | {kinds} | {}", field.path, field.seen, field.of, field.distinct)
}

#[test]
fn every_path_type_and_count_of_messy_documents() {
    let schema = schema();
    let lines: Vec<String> = schema.fields.iter().map(line).collect();
    let expected = [
        "_id | 6 of 6 | Int32 4, String 1, ObjectId 1 | 6",
        "name | 6 of 6 | String 3, Object 1, Array 1, null 1 | 4",
        "name.first | 1 of 6 | String 1 | 1",
        "name[] | 1 of 1 | String 1 | 1",
        "🦊 | 2 of 6 | String 1, Array 1 | 1",
        "🦊[] | 3 of 3 | String 1, Int32 1, null 1 | 3",
        "a.b | 2 of 6 | Int32 2 | 2",
        "a | 4 of 6 | Object 3, Array 1 | 0",
        "a.b | 2 of 6 | String 1, Int32 1 | 2",
        "a. | 1 of 6 | String 1 | 1",
        "a[] | 3 of 3 | Object 3 | 0",
        "a[].b | 2 of 3 | Boolean 1, null 1 | 2",
        "a[].c.d | 1 of 3 | Int32 1 | 1",
        " | 1 of 6 | Int32 1 | 1",
        "when | 6 of 6 | String 3, Int32 1, Long 1, null 1 | 6",
        "geo | 5 of 6 | Object 4, null 1 | 1",
        "geo.type | 4 of 6 | String 4 | 3",
        "geo.coordinates | 3 of 6 | Array 3 | 0",
        "geo.coordinates[] | 5 of 5 | String 2, Double 2, Array 1 | 4",
        "geo.coordinates[][] | 4 of 4 | Array 4 | 0",
        "geo.coordinates[][][] | 8 of 8 | Int32 8 | 2",
        "geo.geometries | 1 of 6 | Array 1 | 0",
        "geo.geometries[] | 1 of 1 | Object 1 | 0",
        "geo.geometries[].type | 1 of 1 | String 1 | 1",
        "geo.geometries[].coordinates | 1 of 1 | Array 1 | 0",
        "geo.geometries[].coordinates[] | 2 of 2 | Int32 2 | 2",
        "seen | 6 of 6 | Int32 5, Date 1 | 6",
        "deep | 2 of 6 | Array 2 | 0",
        "deep[] | 2 of 2 | Array 2 | 0",
        "deep[][] | 1 of 1 | Array 1 | 0",
        "deep[][][] | 1 of 1 | Array 1 | 0",
        "deep[][][][] | 1 of 1 | String 1 | 1",
        "n | 3 of 6 | String 1, Int32 1, Double 1 | 3",
        "$odd | 1 of 6 | Int32 1 | 1",
        "\u{e9} | 1 of 6 | Int32 1 | 1",
        "e\u{301} | 1 of 6 | Int32 1 | 1",
        "N | 1 of 6 | Decimal128 1 | 1",
        "👩‍👩‍👧 | 1 of 6 | Object 1 | 0",
        "👩‍👩‍👧.👍🏽 | 1 of 6 | Object 1 | 0",
        "👩‍👩‍👧.👍🏽. | 1 of 6 | Object 1 | 0",
        "👩‍👩‍👧.👍🏽.. | 1 of 6 | Int32 1 | 1",
    ];
    assert_eq!(lines, expected);
    assert!(!schema.is_cut);
    let n = schema.fields.iter().find(|field| field.path.to_string() == "n").expect("n");
    assert_eq!(n.number_range, Some((-1.0, -1.0)), "NaN has no place on an axis");
}

#[test]
fn paths_that_look_alike_are_told_apart_and_only_some_can_be_queried() {
    let schema = schema();
    let alike: Vec<_> = schema
        .fields
        .iter()
        .filter(|field| field.path.to_string() == "a.b")
        .map(|field| (field.path.steps().len(), field.path.dotted()))
        .collect();
    assert_eq!(alike, [(1, None), (2, Some("a.b".to_owned()))]);
    let of = |path: &str| {
        let found = schema.fields.iter().find(|field| field.path.to_string() == path);
        found.unwrap_or_else(|| panic!("no {path}")).path.dotted()
    };
    assert_eq!(of(""), None);
    assert_eq!(of("a."), None);
    assert_eq!(of("$odd"), None);
    assert_eq!(of("👩‍👩‍👧.👍🏽").as_deref(), Some("👩‍👩‍👧.👍🏽"));
    assert_eq!(of("geo.geometries[].coordinates[]").as_deref(), Some("geo.geometries.coordinates"));
}

#[test]
fn candidates_of_messy_documents() {
    let schema = schema();
    let found: Vec<_> = schema
        .candidates
        .iter()
        .map(|one| (one.path.as_str(), one.dates, one.expired, one.texts, one.instants()))
        .collect();
    // Of the numbers of `seen`, 0 is one of five: that is too many. `when` mixes the units.
    let expected = [("seen", 1, [1, 0, 0], 0, None), ("when", 0, [0, 0, 0], 2, None)];
    assert_eq!(found, expected);
    assert!(schema.can_become_dates("when") && schema.can_become_dates("seen"));
    assert!(schema.looks_like_dates("when") && !schema.looks_like_dates("seen"));
    for other in ["_id", "a", "geo.coordinates", "🦊[]", ""] {
        assert!(!schema.can_become_dates(other), "{other}");
    }
    let kinds = [Kind::Date, Kind::Int32].map(|kind| {
        let seen = schema.fields.iter().find(|field| field.path.to_string() == "seen");
        seen.map(|field| field.count_of(kind))
    });
    assert_eq!(kinds, [Some(1), Some(5)]);
}
