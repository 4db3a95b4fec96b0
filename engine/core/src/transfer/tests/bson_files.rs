//! BSON files and compressed ones, in and out.

use std::{fs, io::Write as _, path::PathBuf};

use bson::{
    Binary, Bson, DateTime, Decimal128, JavaScriptCodeWithScope, RawDocument, RawDocumentBuf,
    Regex, Timestamp, doc, oid::ObjectId, spec::BinarySubtype,
};

use crate::transfer::{
    Compression, CsvOptions, ExportFormat, ExportQuery, ExportRequest, ImportEnd, ImportFormat,
    ImportReport, ImportRequest, Progress, ReadOptions, RecordFormat, export, preview,
    tests::{Fixture, gzip},
};
use crate::value::extjson::{Style, read_document};

fn raw(document: &bson::Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut out = zstd::Encoder::new(Vec::new(), 0).unwrap();
    // As the zstd program and an export do.
    out.include_checksum(true).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Documents with every type of BSON, and with values that Extended JSON can't keep.
fn every_type() -> Vec<RawDocumentBuf> {
    let old = read_document(
        r#"{"_id": 2, "undefined": {"$undefined": true}, "symbol": {"$symbol": "s"},
            "pointer": {"$dbPointer": {"$ref": "a.b", "$id": {"$oid": "000102030405060708090a0b"}}},
            "max": {"$maxKey": 1}, "min": {"$minKey": 1}, "code": {"$code": "f()"}}"#,
    );
    let decimals =
        ["1.50", "-0", "0E-6176", "NaN", "-Infinity", "9.999999999999999999999999999999999E+6144"];
    let decimals = decimals.map(|text| Bson::Decimal128(text.parse::<Decimal128>().unwrap()));
    let doubles = [1.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, 0.1 + 0.2];
    let subtypes = [
        BinarySubtype::Generic,
        BinarySubtype::BinaryOld,
        BinarySubtype::Uuid,
        BinarySubtype::UuidOld,
        BinarySubtype::UserDefined(0x80),
    ];
    let binaries = subtypes.map(|subtype| Bson::Binary(Binary { subtype, bytes: vec![7; 16] }));
    let dates = [0, -1, i64::MIN, i64::MAX, 253_402_300_800_000].map(DateTime::from_millis);
    vec![
        raw(&doc! {
            "_id": ObjectId::from_bytes([1; 12]),
            "int": [i32::MIN, 0, i32::MAX],
            "long": [i64::MIN, 0_i64, i64::MAX],
            "double": doubles.to_vec(),
            "decimal": decimals.to_vec(),
            "date": dates.to_vec(),
            "binary": binaries.to_vec(),
            "text": ["", "\u{0}", "𝄞 ü", "\u{202e}"],
            "bool": [true, false, Bson::Null],
            "regex": Regex { pattern: "a".try_into().unwrap(), options: "im".try_into().unwrap() },
            "stamp": Timestamp { time: u32::MAX, increment: 1 },
            "code": JavaScriptCodeWithScope { code: "x".to_owned(), scope: doc! { "y": 1_i64 } },
            "empty": [Bson::Array(Vec::new()), Bson::Document(doc! {})],
            "odd names": { "": 1, "a.b": 2, "$date": "no date", "ü": 3 },
        }),
        old.unwrap(),
        raw(
            &doc! { "_id": { "a": 1, "b": [1, "x"] }, "nested": { "a": { "b": { "c": [[[1]]] } } } },
        ),
        raw(&doc! { "_id": Bson::Null }),
    ]
}

fn joined(documents: &[RawDocumentBuf]) -> Vec<u8> {
    documents.iter().flat_map(|document| document.as_bytes()).copied().collect()
}

fn exported(fixture: &Fixture, format: ExportFormat, compression: Compression) -> PathBuf {
    let request = ExportRequest {
        namespace: fixture.namespace.clone(),
        path: fixture.folder.path().join("exported"),
        format,
        query: ExportQuery::default(),
        compression,
        indexes: false,
    };
    export(&fixture.collections, &request, &Progress::new()).unwrap();
    request.path
}

fn imported(bytes: &[u8]) -> (Fixture, ImportReport) {
    let fixture = Fixture::new();
    let request = fixture.request(bytes);
    let report = fixture.import(&request);
    (fixture, report)
}

#[test]
fn every_type_comes_back_byte_for_byte() {
    let before = every_type();
    let file = joined(&before);
    for (compression, packed) in [
        (Compression::None, file.clone()),
        (Compression::Gzip, gzip(&file)),
        (Compression::Zstd, zstd(&file)),
    ] {
        let (fixture, report) = imported(&packed);
        assert_eq!((report.imported, report.rejected, report.end), (4, 0, ImportEnd::Complete));
        let detected = report.files[0].1;
        assert_eq!((detected.form, detected.compression), (RecordFormat::Bson, compression));
        assert!(fixture.documents() == before, "{:?}", fixture.documents());
        let path = exported(&fixture, ExportFormat::Bson, compression);
        let written = fs::read(&path).unwrap();
        assert_eq!(Compression::of(&written), compression);
        let (again, _) = imported(&written);
        assert!(again.documents() == before);
        if compression == Compression::None {
            assert!(written == file);
        }
    }
}

#[test]
fn zstd_holds_json_and_csv_too() {
    let lines = b"{\"_id\":1,\"a\":\"x\"}\n{\"_id\":2,\"a\":\"y\"}\n";
    // A file of two frames is one file.
    let packed = [zstd(&lines[..18]), zstd(&lines[18..])].concat();
    let (fixture, report) = imported(&packed);
    assert_eq!((report.imported, report.rejected), (2, 0), "{:?}", report.rejects);
    assert_eq!(report.files[0].1.words(), "one JSON document per line, zstd-compressed");
    for format in [
        ExportFormat::Ndjson(Style::Typed),
        ExportFormat::Array(Style::Canonical),
        ExportFormat::Csv(CsvOptions::default()),
    ] {
        let written = fs::read(exported(&fixture, format, Compression::Zstd)).unwrap();
        let (again, _) = imported(&written);
        assert_eq!(again.documents(), fixture.documents());
    }
}

#[test]
fn a_compressed_file_that_is_damaged_is_one_sentence() {
    let lines: Vec<String> = (0..20_000_u64)
        .map(|id| {
            let text = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            format!("{{\"_id\":{id},\"text\":\"{text:032x}\"}}\n")
        })
        .collect();
    let packed = zstd(lines.concat().as_bytes());
    let (_, report) = imported(&packed[..packed.len() / 2]);
    let ImportEnd::Broken(broken) = report.end else { panic!("{:?}", report.end) };
    assert_eq!(broken.reason, "the zstd file is truncated; get a new copy");
    let mut damaged = packed;
    let checksum = damaged.len() - 1;
    damaged[checksum] ^= 1;
    let (_, report) = imported(&damaged);
    let ImportEnd::Broken(broken) = report.end else { panic!("{:?}", report.end) };
    assert_eq!(broken.reason, "the zstd file is damaged; get a new copy");
}

/// Two sound documents of 14 bytes, then these bytes.
fn after_two(rest: &[u8]) -> Vec<u8> {
    let sound = [raw(&doc! { "_id": 1 }), raw(&doc! { "_id": 2 })];
    [joined(&sound).as_slice(), rest].concat()
}

#[test]
fn where_a_bson_file_breaks_is_told_by_document_and_byte() {
    let third = raw(&doc! { "_id": 3, "text": "abc" });
    let third = third.as_bytes();
    let cut = "the file is cut short: 10 bytes are left of a document of 28; get a new copy";
    let check = |rest: &[u8], expected: &str| {
        let (fixture, report) = imported(&after_two(rest));
        let ImportEnd::Broken(broken) = &report.end else { panic!("{:?}", report.end) };
        assert_eq!(broken.reason, expected);
        assert!(broken.to_string().contains(": document 3, byte 28: "), "{broken}");
        assert_eq!((report.imported, fixture.documents().len()), (2, 2));
        let request = fixture.request(&after_two(rest));
        let request = ImportRequest { stop_on_error: true, drop: true, ..request };
        let report = fixture.import(&request);
        assert_eq!((report.imported, fixture.documents().len()), (2, 2));
    };
    check(&third[..10], cut);
    check(&third[..3], "the file is cut short: 3 bytes are left of a document; get a new copy");
    check(&[4, 0, 0, 0, 0], "no document starts here; the file is damaged, or is not BSON");
    check(&[0xff; 9], "no document starts here; the file is damaged, or is not BSON");
    check(
        &[1, 0, 0, 1, 0],
        "the document claims 16,777,217 bytes, more than the 16 MiB that one may have; the file is \
         damaged here, or is not BSON",
    );
    let mut open = third.to_vec();
    open[27] = 1;
    check(&open, "the document does not end where its length says; the file is damaged here");
}

#[test]
fn a_damaged_document_between_sound_ones_is_rejected_alone() {
    let mut wrong = raw(&doc! { "_id": 3, "text": "abc" }).as_bytes().to_vec();
    wrong[13] = 0x2a;
    let fourth = raw(&doc! { "_id": 4 });
    let file = after_two(&[&wrong[..], fourth.as_bytes()].concat());
    let (fixture, report) = imported(&file);
    assert_eq!((report.imported, report.rejected, report.end), (3, 1, ImportEnd::Complete));
    let told = report.rejects[0].to_string();
    assert!(told.contains(": document 3, byte 28: the document is damaged: 0x2a"), "{told}");
    assert_eq!(fixture.documents().len(), 3);
    let request = ImportRequest { stop_on_error: true, drop: true, ..fixture.request(&file) };
    let report = fixture.import(&request);
    assert_eq!((report.imported, report.end), (2, ImportEnd::StoppedOnError));
}

#[test]
fn bson_is_known_by_its_content() {
    let fixture = Fixture::new();
    let form = |name: &str, bytes: &[u8], format: ImportFormat| {
        let path = fixture.file(name, bytes);
        let options = ReadOptions { format, ..ReadOptions::default() };
        preview(&path, &options).map(|found| found.detected.form).map_err(|error| error.to_string())
    };
    let sound = joined(&every_type());
    assert_eq!(form("any.json", &sound, ImportFormat::Auto), Ok(RecordFormat::Bson));
    let large = raw(&doc! { "_id": 1, "text": "x".repeat(1 << 20) });
    assert_eq!(form("large", large.as_bytes(), ImportFormat::Auto), Ok(RecordFormat::Bson));
    assert_eq!(form("none.bson", b"", ImportFormat::Auto), Ok(RecordFormat::Empty));
    // Its name says what a damaged file should be.
    assert_eq!(form("cut.bson.gz", &gzip(&sound[..9]), ImportFormat::Auto), Ok(RecordFormat::Bson));
    assert!(form("cut", &sound[..9], ImportFormat::Auto).is_err());
    assert_eq!(form("x.json", b"{\"_id\":1}\n", ImportFormat::Auto), Ok(RecordFormat::Lines));
    let wide: Vec<u8> = "{\"a\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(form("wide", &wide, ImportFormat::Auto).is_err_and(|told| told.contains("UTF-16")));
    let forced = form("sound", &sound, ImportFormat::Json);
    assert!(forced.is_err_and(|told| told.contains("BSON, not JSON")));
}

#[test]
fn an_import_of_bson_resumes_where_it_stopped() {
    let documents: Vec<RawDocumentBuf> =
        (0..5_000).map(|id| raw(&doc! { "_id": id, "text": "x".repeat(50) })).collect();
    let fixture = Fixture::new();
    let request = fixture.request(&zstd(&joined(&documents)));
    let progress = Progress::new();
    progress.cancel_at(1);
    let report = crate::transfer::import(&fixture.collections, &request, &progress).unwrap();
    let id = report.unfinished.expect("it stopped early");
    assert!(report.imported > 0 && report.imported < 5_000, "{}", report.imported);
    let report =
        crate::transfer::resume_import(&fixture.collections, id, &Progress::new()).unwrap();
    assert_eq!((report.imported, report.rejected, report.end), (5_000, 0, ImportEnd::Complete));
    let stored = fixture.documents();
    assert!(
        stored.iter().map(|one| -> &RawDocument { one }).eq(documents.iter().map(|one| &**one))
    );
}
