//! Exported documents are imported again and compared byte by byte, in every format that has types.

use bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, RawDocumentBuf, Regex,
    Timestamp, doc, oid::ObjectId, spec::BinarySubtype,
};
use proptest::{prelude::*, test_runner::TestCaseError};

use crate::transfer::{
    Compression, DumpChoice, DumpExport, DumpImport, ExportFormat, ExportQuery, ExportRequest,
    ImportEnd, ImportRequest, Progress, export, export_dump, export_losses, import_dump, read_dump,
    tests::Fixture,
};
use crate::value::extjson::{self, Style};

pub(super) fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[\u{0}\u{1}\u{7f}a\\\\'\"\n\r\t/]{0,5}", "\\PC{0,6}", "[0-9.eE+-]{1,20}"]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]|_id", "[a-z. '\"\u{1}é]{0,4}", "x\\$[a-z]"]
}

fn db_pointer() -> Bson {
    let text = r#"{"$dbPointer": {"$ref": "d.c", "$id": {"$oid": "0123456789abcdef01234567"}}}"#;
    extjson::read_value(text).unwrap()
}

fn scalar() -> impl Strategy<Value = Bson> {
    let edges = vec![i64::MIN, i64::MAX, (1 << 53) + 1, -(1 << 53), 1 << 31, -5, 7];
    let doubles = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1.0, 1e300, 5e-324, 0.1];
    let decimals = vec!["1.50", "-0", "NaN", "1E-6176", "9999999999999999999999999999999999"];
    let dates = vec![-58_968_000_000, -1, 0, 1, 253_402_300_799_999, 253_402_300_800_000];
    let regex = ("[a-z/\\[\\]\\\\]{0,4}", "(i)?(m)?(s)?(x)?");
    prop_oneof![
        prop::sample::select(vec![Bson::MinKey, Bson::MaxKey, Bson::Null, Bson::Undefined]),
        Just(db_pointer()),
        any::<bool>().prop_map(Bson::Boolean),
        any::<i32>().prop_map(Bson::Int32),
        prop_oneof![any::<i64>(), prop::sample::select(edges)].prop_map(Bson::Int64),
        prop_oneof![
            any::<f64>().prop_filter("one NaN", |it| !it.is_nan()),
            prop::sample::select(doubles)
        ]
        .prop_map(Bson::Double),
        prop::sample::select(decimals)
            .prop_map(|text| Bson::Decimal128(text.parse::<Decimal128>().unwrap())),
        text().prop_map(Bson::String),
        text().prop_map(Bson::Symbol),
        text().prop_map(Bson::JavaScriptCode),
        prop_oneof![any::<i64>(), prop::sample::select(dates)]
            .prop_map(|ms| Bson::DateTime(DateTime::from_millis(ms))),
        any::<[u8; 12]>().prop_map(|bytes| Bson::ObjectId(ObjectId::from_bytes(bytes))),
        (any::<u32>(), any::<u32>())
            .prop_map(|(time, increment)| Bson::Timestamp(Timestamp { time, increment })),
        (0_u8..10, prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(subtype, bytes)| {
            Bson::Binary(Binary { subtype: BinarySubtype::from(subtype), bytes })
        }),
        regex.prop_map(|(pattern, options)| Bson::RegularExpression(Regex {
            pattern: pattern.try_into().unwrap(),
            options: options.try_into().unwrap(),
        })),
    ]
}

pub(super) fn fields(value: impl Strategy<Value = Bson>) -> impl Strategy<Value = Document> {
    prop::collection::vec((name(), value), 0..4).prop_map(|fields| fields.into_iter().collect())
}

pub(super) fn value() -> impl Strategy<Value = Bson> {
    scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            fields(inner.clone()).prop_map(Bson::Document),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Bson::Array),
            (text(), fields(inner)).prop_map(|(code, scope)| {
                Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code, scope })
            }),
        ]
    })
}

/// The guide's only loss: a long that fits in an int becomes one in JSON that isn't canonical.
fn without_short_longs(value: Bson) -> Bson {
    match value {
        Bson::Int64(long) => i32::try_from(long).map_or(Bson::Int64(long), Bson::Int32),
        Bson::Array(all) => Bson::Array(all.into_iter().map(without_short_longs).collect()),
        Bson::Document(fields) => Bson::Document(each_field(fields)),
        Bson::JavaScriptCodeWithScope(code) => {
            let scope = each_field(code.scope);
            Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { scope, ..code })
        }
        other => other,
    }
}

/// How many longs that changes.
fn short_longs(fields: &Document) -> u64 {
    fn of(value: &Bson) -> u64 {
        match value {
            Bson::Int64(long) => u64::from(i32::try_from(*long).is_ok()),
            Bson::Array(all) => all.iter().map(of).sum(),
            Bson::Document(fields) => short_longs(fields),
            Bson::JavaScriptCodeWithScope(code) => short_longs(&code.scope),
            _ => 0,
        }
    }
    fields.values().map(of).sum()
}

fn each_field(fields: Document) -> Document {
    fields.into_iter().map(|(name, value)| (name, without_short_longs(value))).collect()
}

pub(super) fn raw(document: &Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).unwrap()
}

fn formats() -> Vec<(ExportFormat, bool)> {
    let styles = [Style::Relaxed, Style::Typed, Style::Canonical];
    let json = styles.into_iter().flat_map(|style| {
        let keeps_all = style == Style::Canonical;
        [(ExportFormat::Ndjson(style), keeps_all), (ExportFormat::Array(style), keeps_all)]
    });
    json.chain([(ExportFormat::Bson, true)]).collect()
}

fn check(values: Vec<Bson>) -> Result<(), TestCaseError> {
    let fixture = Fixture::new();
    let documents: Vec<Document> =
        (0_i32..).zip(values).map(|(id, value)| doc! { "_id": id, "v": value }).collect();
    for document in &documents {
        fixture.insert(&raw(document));
    }
    for compression in Compression::ALL {
        for (format, keeps_all) in formats() {
            let path = fixture.folder.path().join("out.any");
            let request = ExportRequest {
                namespace: fixture.namespace.clone(),
                path: path.clone(),
                format: format.clone(),
                query: ExportQuery::default(),
                compression,
                indexes: false,
            };
            let said = export_losses(&fixture.collections, &request, &Progress::new()).unwrap();
            let report = export(&fixture.collections, &request, &Progress::new()).unwrap();
            prop_assert_eq!(&report.lookalikes, &None);
            let short: u64 = documents.iter().map(short_longs).sum();
            prop_assert_eq!(said.count(), if keeps_all { 0 } else { short });
            prop_assert_eq!(&said, &report.losses);
            let again = Fixture::new();
            let request = ImportRequest::new(vec![path.clone()], again.namespace.clone());
            let report = again.import(&request);
            prop_assert_eq!((&report.end, report.rejected), (&ImportEnd::Complete, 0));
            prop_assert_eq!(report.tally.sentences(), Vec::<String>::new(), "{:?}", format);
            let expected: Vec<_> = documents
                .iter()
                .cloned()
                .map(|it| raw(&if keeps_all { it } else { each_field(it) }))
                .collect();
            prop_assert_eq!(again.documents(), expected, "{:?} {:?}", format, compression);
            std::fs::remove_file(path).unwrap();
        }
        check_folder(&fixture, compression)?;
    }
    Ok(())
}

fn check_folder(fixture: &Fixture, compression: Compression) -> Result<(), TestCaseError> {
    let folder = fixture.folder.path().join(format!("dump{}", compression.ending()));
    let request = DumpExport { db: None, collections: None, folder: folder.clone(), compression };
    export_dump(&fixture.collections, &request, &Progress::new()).unwrap();
    let dump = read_dump(&folder).unwrap();
    let choices = dump.collections.iter().map(|found| DumpChoice {
        into: fixture.namespace.clone(),
        collection: found.clone(),
        indexes: true,
        ttl: true,
    });
    let again = Fixture::new();
    let request = DumpImport { choices: choices.collect(), ..DumpImport::default() };
    let outcomes = import_dump(&again.collections, &request, &Progress::new()).unwrap();
    prop_assert!(outcomes.iter().all(crate::transfer::DumpOutcome::is_complete), "{:?}", outcomes);
    prop_assert_eq!(again.documents(), fixture.documents(), "{:?}", compression);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn an_export_is_imported_with_every_byte(values in prop::collection::vec(value(), 1..30)) {
        check(values)?;
    }
}

#[test]
fn an_export_names_documents_that_extended_json_would_change() {
    let fixture = Fixture::new();
    for (id, name) in (0..).zip(["$date", "$oid", "$numberLong", "$binary"]) {
        fixture.insert(&raw(&doc! { "_id": id, "v": { name: "2024-01-01T00:00:00Z" } }));
    }
    for (format, _) in formats() {
        let path = fixture.folder.path().join("out.any");
        let report = fixture.export_to(&path, format.clone()).unwrap();
        let is_named = report.lookalikes.is_some_and(|found| found.count == 4);
        assert_eq!(is_named, format != ExportFormat::Bson, "{format:?}");
    }
}
