//! Values of every type for the tests of this room, and the properties that join its parts.

mod extjson_text;
mod keys;
mod nonstandard;
mod ordering;
mod paths;
mod same_text;
mod scanning;
mod shell_text;
mod stream;

use std::cmp::Ordering;

use bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, RawDocumentBuf, Regex,
    Timestamp,
    oid::ObjectId,
    raw::{RawBsonRef, RawDocument},
    spec::BinarySubtype,
};
use proptest::{prelude::*, test_runner::Config};

use super::{Direction, Layout, compare, extjson, key, scan, shell};

fn config() -> Config {
    Config { failure_persistence: None, cases: 512, ..Config::default() }
}

fn decimal() -> impl Strategy<Value = Decimal128> {
    let usual =
        ("-?[0-9]{1,34}", -6_176_i32..=6_077).prop_map(|(digits, e)| format!("{digits}E{e}"));
    let near = ("-?[0-9]{1,18}", -20_i32..20).prop_map(|(digits, e)| format!("{digits}E{e}"));
    let named = prop::sample::select(vec!["NaN", "Infinity", "-Infinity", "0.1", "1", "1.0", "-0"]);
    prop_oneof![usual, near, named.prop_map(str::to_owned)]
        .prop_filter_map("out of range", |text| text.parse().ok())
}

fn double() -> impl Strategy<Value = f64> {
    let edges = vec![0.0, -0.0, 0.1, 1.0, 1e300, 5e-324, 9_007_199_254_740_993.0, f64::MAX];
    // One NaN: its other bit patterns have no text of their own.
    let any = prop::num::f64::ANY.prop_map(|d| if d.is_nan() { f64::NAN } else { d });
    prop_oneof![any, prop::sample::select(edges), (-1000_i32..1000).prop_map(f64::from)]
}

fn number() -> impl Strategy<Value = Bson> {
    prop_oneof![
        any::<i32>().prop_map(Bson::Int32),
        (-9_i32..9).prop_map(Bson::Int32),
        any::<i64>().prop_map(Bson::Int64),
        (-9_i64..9).prop_map(Bson::Int64),
        prop::sample::select(vec![i64::MIN, i64::MAX, (1 << 53) + 1, (1 << 53) - 1])
            .prop_map(Bson::Int64),
        double().prop_map(Bson::Double),
        decimal().prop_map(Bson::Decimal128),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[\u{0}\u{1}\u{2}a\\\\'\"\n]{0,4}", "\\PC{0,6}", "a{430,450}"]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]|_id", "[a-z.$ '\"\u{1}é]{0,4}"]
        .prop_filter("a wrapper's name", |name| !name.starts_with('$'))
}

fn other_scalar() -> impl Strategy<Value = Bson> {
    let regex = ("[a-z/\\[\\]\\\\\n]{0,4}", "(i)?(m)?(s)?(x)?");
    prop_oneof![
        prop::sample::select(vec![Bson::MinKey, Bson::MaxKey, Bson::Null, Bson::Undefined]),
        text().prop_map(Bson::String),
        text().prop_map(Bson::Symbol),
        text().prop_map(Bson::JavaScriptCode),
        any::<bool>().prop_map(Bson::Boolean),
        prop_oneof![any::<i64>(), -5_i64..5, 253_402_300_799_998_i64..253_402_300_800_002]
            .prop_map(|ms| Bson::DateTime(DateTime::from_millis(ms))),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(ObjectId::from_bytes(bytes))),
        (any::<u32>(), any::<u32>())
            .prop_map(|(time, increment)| Bson::Timestamp(Timestamp { time, increment })),
        (0_u8..10, prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(subtype, bytes)| {
            Bson::Binary(Binary { subtype: BinarySubtype::from(subtype), bytes })
        }),
        any::<[u8; 16]>().prop_map(|bytes| {
            Bson::Binary(Binary { subtype: BinarySubtype::Uuid, bytes: bytes.to_vec() })
        }),
        regex.prop_map(|(pattern, options)| Bson::RegularExpression(Regex {
            pattern: pattern.try_into().unwrap(),
            options: options.try_into().unwrap(),
        })),
        (text(), any::<[u8; 12]>()).prop_map(|(text, id)| db_pointer(&text, id)),
    ]
}

fn db_pointer(namespace: &str, id: [u8; 12]) -> Bson {
    let hex = ObjectId::from_bytes(id).to_hex();
    let namespace = serde_json::to_string(namespace).unwrap();
    let text =
        format!("{{\"$dbPointer\": {{\"$ref\": {namespace}, \"$id\": {{\"$oid\": \"{hex}\"}}}}}}");
    extjson::read_value(&text).unwrap()
}

fn document_of(value: impl Strategy<Value = Bson>) -> impl Strategy<Value = Document> {
    prop::collection::vec((name(), value), 0..4).prop_map(|fields| fields.into_iter().collect())
}

fn value() -> impl Strategy<Value = Bson> {
    prop_oneof![number(), other_scalar()].prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            document_of(inner.clone()).prop_map(Bson::Document),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Bson::Array),
            (text(), document_of(inner)).prop_map(|(code, scope)| {
                Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code, scope })
            }),
        ]
    })
}

/// A document that holds the value in the field `v`.
fn holder(value: &Bson) -> RawDocumentBuf {
    RawDocumentBuf::try_from(&Document::from_iter([("v".to_owned(), value.clone())])).unwrap()
}

fn check_key_order(a: &Bson, b: &Bson) -> Result<(), TestCaseError> {
    let (a, b) = (holder(a), holder(b));
    let (a, b) = (a.get("v").unwrap().unwrap(), b.get("v").unwrap().unwrap());
    for (direction, expected) in
        [(Direction::Ascending, compare(a, b)), (Direction::Descending, compare(b, a))]
    {
        let (a_key, b_key) = (key::encode(Some(a), direction), key::encode(Some(b), direction));
        if a_key.exact || b_key.exact {
            prop_assert_eq!(a_key.bytes.cmp(&b_key.bytes), expected, "{:?} {:?}", a, b);
        } else if expected == Ordering::Equal {
            prop_assert_eq!(&a_key, &b_key);
        }
        let mut both = key::KeyEncoder::new();
        both.push(Some(a), direction);
        both.push(Some(RawBsonRef::Int32(1)), Direction::Ascending);
        prop_assert!(both.finish().bytes.len() <= key::KEY_BYTES_MAX);
    }
    Ok(())
}

/// The expected facts, by the library's own walk.
fn met_in(value: RawBsonRef<'_>) -> scan::DocumentFacts {
    let inside = |met: scan::DocumentFacts, value: RawBsonRef<'_>, late_id| {
        let inner = met_in(value);
        met.with(scan::DocumentFacts {
            levels: inner.levels + 1,
            late_id: inner.late_id || late_id,
            ..inner
        })
    };
    let met = scan::DocumentFacts { levels: 1, ..scan::DocumentFacts::default() };
    let of_document = |document: &RawDocument| {
        let fields = document.iter().map(|field| field.expect("sound")).enumerate();
        fields.fold(met, |met, (at, (name, value))| {
            inside(met, value, at > 0 && name.as_str() == "_id")
        })
    };
    match value {
        RawBsonRef::Document(document) => of_document(document),
        RawBsonRef::JavaScriptCodeWithScope(code) => of_document(code.scope),
        RawBsonRef::Array(array) => {
            array.into_iter().fold(met, |met, value| inside(met, value.expect("sound"), false))
        }
        RawBsonRef::Timestamp(_) => {
            scan::DocumentFacts { timestamp: true, ..scan::DocumentFacts::default() }
        }
        _ => scan::DocumentFacts::default(),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn key_bytes_sort_as_numbers_do(a in number(), b in number()) {
        check_key_order(&a, &b)?;
    }

    #[test]
    fn key_bytes_sort_as_values_do(a in value(), b in value()) {
        check_key_order(&a, &b)?;
    }

    #[test]
    fn order_is_transitive(mut values in prop::collection::vec(number(), 3)) {
        let order = |a: &Bson, b: &Bson| {
            let (a, b) = (holder(a), holder(b));
            compare(a.get("v").unwrap().unwrap(), b.get("v").unwrap().unwrap())
        };
        values.sort_by(order);
        prop_assert_ne!(order(&values[0], &values[2]), Ordering::Greater);
    }

    #[test]
    fn canonical_text_keeps_every_byte(value in value()) {
        let document = holder(&value);
        for layout in [Layout::OneLine, Layout::Indented] {
            let text = extjson::write_document(&document, extjson::Style::Canonical, layout);
            let back = extjson::read_document(&text).map_err(|e| TestCaseError::fail(format!("{e}: {text}")))?;
            prop_assert_eq!(document.as_bytes(), back.as_bytes(), "{}", text);
        }
    }

    #[test]
    fn other_styles_keep_the_value(value in value()) {
        let document = holder(&value);
        for style in [extjson::Style::Typed, extjson::Style::Relaxed] {
            let text = extjson::write_document(&document, style, Layout::OneLine);
            let back = extjson::read_document(&text).map_err(|e| TestCaseError::fail(format!("{e}: {text}")))?;
            prop_assert_eq!(super::compare_documents(&document, &back), Ordering::Equal, "{}", text);
            prop_assert!(!text.contains('\n'));
        }
    }

    #[test]
    fn shell_text_keeps_every_byte(value in value()) {
        let document = holder(&value);
        for layout in [Layout::OneLine, Layout::Indented] {
            let text = shell::write_document(&document, layout);
            let back = shell::read_document(&text).map_err(|e| TestCaseError::fail(format!("{e}: {text}")))?;
            let back = RawDocumentBuf::try_from(&back).unwrap();
            prop_assert_eq!(document.as_bytes(), back.as_bytes(), "{}", text);
        }
    }

    #[test]
    fn scan_accepts_what_is_good_and_never_panics(value in value(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = holder(&value).into_bytes();
        prop_assert!(scan::check(&bytes).is_ok());
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(document) = scan::check(&bytes) {
            // Bytes that pass the scan must be safe for everything else.
            let value = RawBsonRef::Document(document);
            prop_assert_eq!(compare(value, value), Ordering::Equal);
            let _ = key::encode(Some(value), Direction::Ascending);
            prop_assert!(Document::try_from(document).is_ok());
            let _ = extjson::write_document(document, extjson::Style::Canonical, Layout::OneLine);
        }
    }

    #[test]
    fn the_scan_finds_the_same_on_its_short_ways(value in value(), at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = holder(&value).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        // With names that have to be compared, each element goes the long way.
        let long = scan::Limits { allow_duplicate_names: false, ..scan::Limits::default() };
        let long = scan::check_with(&bytes, &long).map(drop);
        let is_about_names = long.as_ref().is_err_and(|e| matches!(e.kind, scan::ScanErrorKind::DuplicateName { .. }));
        let short = scan::check_telling(&bytes, &scan::Limits::default());
        prop_assert!(is_about_names || long == short.clone().map(drop));
        if let Ok((document, met)) = short {
            prop_assert_eq!(met, met_in(RawBsonRef::Document(document)));
        }
    }

    #[test]
    fn reading_any_text_never_panics(text in "[\\[\\]{}:,\"'$a-z0-9.\\\\/ -]{0,40}") {
        let _ = (extjson::read_value(&text), shell::read_value(&text));
    }
}
