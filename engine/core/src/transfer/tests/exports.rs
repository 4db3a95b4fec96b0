//! Exports lose nothing silently, and refuse targets that they must not write to.

use std::{fs, path::Path};

use bson::{
    DateTime, RawDocumentBuf, doc,
    raw::{CStr, RawBsonRef},
};

use crate::store::{Scan, StoreError, rot};
use crate::transfer::{
    Compression, CsvOptions, ExportFormat, ExportQuery, ExportRequest, IMPORT_TEXT_BYTES_MAX,
    ImportRequest, Progress, TransferError, export, import, tests::Fixture,
};
use crate::value::{
    extjson::{Style, read_document, write_document},
    scan::DOCUMENT_BYTES_MAX,
    text::Layout,
};

const NDJSON: ExportFormat = ExportFormat::Ndjson(Style::Typed);

fn raw(document: &bson::Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).unwrap()
}

/// A document that may have duplicate fields.
fn fields(fields: &[(&str, RawBsonRef<'_>)]) -> RawDocumentBuf {
    let mut document = RawDocumentBuf::new();
    for (name, value) in fields {
        document.append(<&CStr>::try_from(*name).unwrap(), *value);
    }
    document
}

#[test]
fn csv_is_refused_where_a_field_stands_twice() {
    let check = |document: &RawDocumentBuf, chosen: &[&str], expected: Result<&str, &str>| {
        let fixture = Fixture::new();
        fixture.insert(document);
        let path = fixture.folder.path().join("out.csv");
        let fields = chosen.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let fields = (!fields.is_empty()).then_some(fields);
        let format = ExportFormat::Csv(CsvOptions { fields, ..CsvOptions::default() });
        let told = fixture.export_to(&path, format).map_err(|error| error.to_string());
        match (told, expected) {
            (Ok(_), Ok(text)) => assert_eq!(fs::read_to_string(&path).unwrap(), text),
            (Err(told), Err(column)) => {
                let words = format!("two fields would have the same column {column:?} in CSV");
                assert!(told.contains(&words), "{told}");
                assert!(!path.exists());
            }
            (told, expected) => panic!("{document:?}: {told:?}, not {expected:?}"),
        }
    };
    let (one, two) = (RawBsonRef::Int32(1), RawBsonRef::Int32(2));
    let id = ("_id", one);
    let twice = fields(&[id, ("a", one), ("a", two)]);
    check(&twice, &[], Err("a"));
    check(&twice, &["_id", "a"], Err("a"));
    check(&twice, &["_id"], Ok("_id\r\n1\r\n"));
    let inner = fields(&[("b", one), ("b", two)]);
    check(&fields(&[id, ("a", RawBsonRef::Document(&inner))]), &[], Err("a.b"));
    check(&fields(&[id, ("a", RawBsonRef::Document(&inner))]), &["a.b"], Err("a.b"));
    let inner = raw(&doc! { "b": 1 });
    let second = fields(&[id, ("a", one), ("a", RawBsonRef::Document(&inner))]);
    check(&second, &[], Err("a.b"));
    check(&second, &["a.b"], Err("a.b"));
    check(&raw(&doc! { "_id": 1, "a": { "b": 1 } }), &["a.b"], Ok("a.b\r\n1\r\n"));
}

#[test]
fn json_with_a_field_that_stands_twice_is_rejected_when_it_is_read() {
    let fixture = Fixture::new();
    let (one, two) = (RawBsonRef::Int32(1), RawBsonRef::Int32(2));
    fixture.insert(&fields(&[("_id", one), ("a", one), ("a", two)]));
    let path = fixture.folder.path().join("out.json");
    fixture.export_to(&path, NDJSON).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"_id\":1,\"a\":1,\"a\":2}\n");
    let again =
        ImportRequest { drop: true, ..ImportRequest::new(vec![path], fixture.namespace.clone()) };
    let refused = import(&fixture.collections, &again, &Progress::new()).unwrap_err().to_string();
    assert!(refused.contains("duplicate"), "{refused}");
    assert_eq!(fixture.documents().len(), 1, "it is not dropped for a file without another one");
}

#[test]
fn a_document_that_looks_like_a_value_is_told_when_it_is_exported() {
    let fixture = Fixture::new();
    let date = "2026-01-01T00:00:00Z";
    for document in [
        doc! { "_id": 1, "v": DateTime::from_millis(0) },
        doc! { "_id": "two", "v": { "$date": date } },
        doc! { "_id": 3, "v": [{ "$oid": "no id" }] },
        doc! { "_id": 4, "v": { "$x": 1 } },
    ] {
        fixture.insert(&raw(&document));
    }
    let path = fixture.folder.path().join("out.json");
    for format in [NDJSON, ExportFormat::Array(Style::Canonical)] {
        let told = fixture.export_to(&path, format).unwrap().lookalikes.unwrap();
        assert_eq!((told.count, &*told.first), (2, "'two'"));
        assert!(told.to_string().starts_with("2 documents have an embedded document"), "{told}");
    }
    let csv = ExportFormat::Csv(CsvOptions::default());
    assert_eq!(
        fixture.export_to(&fixture.folder.path().join("out.csv"), csv).unwrap().lookalikes,
        None
    );
    fixture.export_to(&path, NDJSON).unwrap();
    let again =
        ImportRequest { drop: true, ..ImportRequest::new(vec![path], fixture.namespace.clone()) };
    let report = fixture.import(&again);
    assert_eq!((report.imported, report.rejected), (3, 1), "{:?}", report.rejects);
    let read = fixture.documents();
    let day = DateTime::parse_rfc3339_str(date).unwrap();
    assert_eq!(read[1], raw(&doc! { "_id": "two", "v": day }), "a date now, as the export said");
    assert_eq!(read[2], raw(&doc! { "_id": 4, "v": { "$x": 1 } }));
    let path = fixture.folder.path().join("again.json");
    assert_eq!(fixture.export_to(&path, NDJSON).unwrap().lookalikes, None);
}

#[cfg(unix)]
#[test]
fn a_target_that_is_no_ordinary_file_stays_as_it_is() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};
    let fixture = Fixture::new();
    fixture.insert(&raw(&doc! { "_id": 1 }));
    let folder = fixture.folder.path();
    let check = |path: &Path, told: &str| match fixture.export_to(path, NDJSON) {
        Err(TransferError::Target { .. }) => {
            let error = fixture.export_to(path, NDJSON).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
        other => panic!("{}: {other:?}", path.display()),
    };
    let (file, link, dangling) =
        (folder.join("file"), folder.join("link"), folder.join("dangling"));
    fs::write(&file, "old").unwrap();
    symlink(&file, &link).unwrap();
    symlink(folder.join("nowhere"), &dangling).unwrap();
    check(&link, "it is a symbolic link");
    check(&dangling, "it is a symbolic link");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");
    assert!(fs::read_link(&link).is_ok() && !folder.join("nowhere").exists());

    let fifo = folder.join("fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    check(&fifo, "not a regular file");
    assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
    check(Path::new("/dev/null"), "not a regular file");
    check(&folder.join("none/out"), "its folder doesn't exist");
    check(&file.join("out"), "a part of its path is a file");
    check(Path::new("https://example.com/out"), "it is a URL");

    let mut permissions = fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).unwrap();
    check(&file, "the file is read-only");
    assert_eq!(fs::read_to_string(&file).unwrap(), "old");

    // A path with `..` is still inside the data folder.
    let inside = folder.join("inside");
    symlink(folder.join("data"), &inside).unwrap();
    check(&inside.join("data.mdb"), "inside the data folder");
    check(&folder.join("data/../data/out"), "inside the data folder");
}

#[test]
fn no_data_file_and_no_backup_is_replaced() {
    let fixture = Fixture::new();
    fixture.insert(&raw(&doc! { "_id": 1 }));
    let folder = fixture.folder.path();
    let data = folder.join("data/data.mdb");
    let (second, backup) = (folder.join("second.json"), folder.join("store.backup"));
    fs::hard_link(&data, &second).unwrap();
    fs::copy(&data, &backup).unwrap();
    let before = fs::read(&data).unwrap();
    for path in [&second, &backup] {
        let error = fixture.export_to(path, NDJSON).unwrap_err().to_string();
        assert!(error.contains("a store's data file or a backup; choose another name"), "{error}");
        assert!(fs::read(path).unwrap() == before, "{} is another file", path.display());
    }
    assert_eq!(fixture.documents().len(), 1);
}

/// The longest value of each type, as canonical Extended JSON.
const LONGEST: [&str; 22] = [
    r#"{"$numberDouble":"-2.2250738585072014e-308"}"#,
    r#""\u0001\u0001\u0001\u0001\u0001\u0001\u0001\u0001""#,
    r#"{"\u0001":null}"#,
    "[]",
    r#"{"$binary":{"base64":"","subType":"00"}}"#,
    r#"{"$undefined":true}"#,
    r#"{"$oid":"000000000000000000000000"}"#,
    "false",
    r#"{"$date":{"$numberLong":"-9223372036854775808"}}"#,
    "null",
    r#"{"$regularExpression":{"pattern":"","options":""}}"#,
    r#"{"$regularExpression":{"pattern":"\u0001\u0001","options":""}}"#,
    r#"{"$dbPointer":{"$ref":"","$id":{"$oid":"000000000000000000000000"}}}"#,
    r#"{"$code":""}"#,
    r#"{"$symbol":""}"#,
    r#"{"$code":"","$scope":{}}"#,
    r#"{"$numberInt":"-2147483648"}"#,
    r#"{"$timestamp":{"t":4294967295,"i":4294967295}}"#,
    r#"{"$numberLong":"-9223372036854775808"}"#,
    r#"{"$numberDecimal":"-1.234567890123456789012345678901234E-6143"}"#,
    r#"{"$minKey":1}"#,
    r#"{"$maxKey":1}"#,
];

#[test]
fn the_text_of_the_largest_document_is_short_enough_to_be_imported() {
    let mut most = (0, 1);
    for style in [Style::Relaxed, Style::Typed, Style::Canonical] {
        for value in LONGEST {
            let document = read_document(&format!("{{\"\":{value}}}")).unwrap();
            let text = write_document(&document, style, Layout::OneLine);
            // Each of many such fields has a comma, and none has a share of the braces and the
            // document's frame.
            let (text, bytes) = (text.len() - 1, document.as_bytes().len() - 5);
            if text * most.1 > most.0 * bytes {
                most = (text, bytes);
            }
        }
    }
    assert_eq!(most, (54, 4));
    assert!(DOCUMENT_BYTES_MAX / most.1 * most.0 < IMPORT_TEXT_BYTES_MAX);
}

#[test]
fn a_document_whose_text_is_six_times_as_long_comes_back() {
    let text = "\u{1}".repeat(11 << 20);
    for format in [NDJSON, ExportFormat::Array(Style::Canonical)] {
        let fixture = Fixture::new();
        fixture.insert(&raw(&doc! { "_id": 1, "text": &text }));
        fixture.insert(&raw(&doc! { "_id": 2 }));
        let before = fixture.documents();
        let path = fixture.folder.path().join("out.json");
        fixture.export_to(&path, format).unwrap();
        let request = ImportRequest::new(vec![path], fixture.namespace.clone());
        let report = fixture.import(&ImportRequest { drop: true, ..request });
        assert_eq!((report.imported, report.rejected), (2, 0));
        assert!(fixture.documents() == before, "they have changed");
    }
}

#[test]
fn damaged_documents_are_left_out_and_told_and_cost_no_older_file() {
    let fixture = Fixture::new();
    for (id, text) in [(1, "before"), (2, "needle"), (3, "behind")] {
        fixture.insert(&raw(&doc! { "_id": id, "text": text }));
    }
    let path = fixture.folder.path().join("out");
    fixture.export_to(&path, NDJSON).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    rot(&fixture.folder.path().join("data"), &[b"needle"]);
    let refused = fixture.export_to(&path, NDJSON).unwrap_err().to_string();
    assert!(refused.contains("The existing file may have them"), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    let csv = ExportFormat::Csv(CsvOptions::default());
    for (format, expected) in [
        (NDJSON, "{\"_id\":1,\"text\":\"before\"}\n{\"_id\":3,\"text\":\"behind\"}\n"),
        (csv, "_id,text\r\n1,before\r\n3,behind\r\n"),
    ] {
        fs::remove_file(&path).unwrap();
        let report = fixture.export_to(&path, format).unwrap();
        let told = "1 document is damaged and not exported; the first is document with _id 2";
        assert_eq!(report.left_out.unwrap().to_string(), told);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), report.exported), (expected, 2));
    }
}

/// A lost page hides documents from the scan of a query, but not from the counter.
#[test]
fn an_export_that_meets_fewer_documents_than_counted_keeps_the_older_file() {
    let fixture = Fixture::new();
    for number in 0..3 {
        fixture.insert(&raw(&doc! { "_id": number }));
    }
    let path = fixture.folder.path().join("out.ndjson");
    fixture.export_to(&path, NDJSON).unwrap();
    let complete = fs::read(&path).unwrap();
    let collection = fixture.collections.catalog().collection(&fixture.namespace);
    let collection = collection.unwrap().id;
    let lost = fixture.collections.store().write(|writer| {
        let first = writer.reader().documents(collection, 0, Scan::Forward)?.next();
        let record = first.map(|row| row.map(|row| row.record)).transpose()?;
        writer.delete_document(collection, record.unwrap_or_default())
    });
    let lost: Result<bool, StoreError> = lost;
    assert_eq!(lost, Ok(true));
    let error = fixture.export_to(&path, NDJSON).unwrap_err().to_string();
    assert!(error.contains("met 2 of its 3 documents"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), complete);
}

fn queried(fixture: &Fixture, query: ExportQuery, format: ExportFormat) -> Result<String, String> {
    let request = ExportRequest {
        namespace: fixture.namespace.clone(),
        path: fixture.folder.path().join("queried"),
        format,
        query,
        compression: Compression::None,
        indexes: false,
    };
    let report = export(&fixture.collections, &request, &Progress::new());
    let report = report.map_err(|error| error.to_string())?;
    let text = fs::read_to_string(&request.path).unwrap();
    let lines = text.lines().count() as u64;
    assert!([report.exported, report.exported + 1].contains(&lines), "{lines}");
    Ok(text)
}

#[test]
fn the_parts_of_a_find_decide_what_is_written() {
    let fixture = Fixture::new();
    for (id, n) in [(1, 30), (2, 10), (3, 20), (4, 10)] {
        fixture.insert(&raw(&doc! { "_id": id, "n": n, "tags": [{ "t": n }, { "t": id }] }));
    }
    let check = |filter, sort, projection, (skip, limit), expected: &str| {
        let query = ExportQuery::parse(&filter, &sort, &projection, None, &doc! {}).unwrap();
        let query = ExportQuery { skip, limit, ..query };
        assert_eq!(queried(&fixture, query, NDJSON).unwrap().replace('\n', " "), expected);
    };
    let id = || doc! { "_id": 1 };
    let all = "{\"_id\":2} {\"_id\":4} {\"_id\":3} {\"_id\":1} ";
    check(doc! {}, doc! { "n": 1, "_id": 1 }, id(), (0, None), all);
    check(doc! {}, doc! { "n": -1 }, id(), (0, Some(1)), "{\"_id\":1} ");
    check(doc! {}, doc! { "n": 1, "_id": 1 }, id(), (1, Some(2)), "{\"_id\":4} {\"_id\":3} ");
    check(doc! { "n": 10 }, doc! { "_id": -1 }, id(), (1, None), "{\"_id\":2} ");
    check(doc! {}, doc! { "$natural": -1 }, id(), (3, None), "{\"_id\":1} ");
    check(doc! { "n": 30 }, doc! {}, doc! { "_id": 0, "m": "$n" }, (0, None), "{\"m\":30} ");
    let first = doc! { "_id": 0, "tags.$": 1 };
    check(doc! { "tags.t": 3 }, doc! {}, first, (0, None), "{\"tags\":[{\"t\":3}]} ");
    check(doc! { "n": 99 }, doc! { "n": 1 }, id(), (0, None), "");
}

#[test]
fn a_query_that_find_refuses_leaves_no_file() {
    let fixture = Fixture::new();
    fixture.insert(&raw(&doc! { "_id": 1, "a": "x" }));
    let none = bson::Document::new();
    let parsed = |filter: &bson::Document, sort: &bson::Document, projection: &bson::Document| {
        ExportQuery::parse(filter, sort, projection, None, &doc! {})
    };
    assert!(parsed(&doc! { "a": { "$nope": 1 } }, &none, &none).is_err());
    assert!(parsed(&none, &doc! { "a": 7 }, &none).is_err());
    assert!(parsed(&none, &none, &doc! { "a": 1, "b": 0 }).is_err());
    assert!(ExportQuery::parse(&none, &none, &none, Some(&bson::Bson::Int32(1)), &none).is_err());
    let hint = bson::Bson::from("nope_1");
    let query = ExportQuery::parse(&none, &none, &none, Some(&hint), &none).unwrap();
    let error = queried(&fixture, query, NDJSON).unwrap_err();
    assert!(error.starts_with("Nothing was written: hint provided"), "{error}");
    let wrong = doc! { "b": { "$divide": ["$a", 1] } };
    let error = queried(&fixture, parsed(&none, &none, &wrong).unwrap(), NDJSON).unwrap_err();
    assert!(error.starts_with("Nothing was written: "), "{error}");
    assert!(!fixture.folder.path().join("queried").exists());
}

#[test]
fn a_search_is_read_in_steps_and_can_be_canceled() {
    let fixture = Fixture::new();
    let lines: Vec<String> = (0..25_000).map(|id| format!("{{\"_id\":{id},\"n\":1}}\n")).collect();
    fixture.import(&fixture.request(lines.concat().as_bytes()));
    let none = bson::Document::new();
    // One match in the last of three reads, and matches over three reads in an order.
    for (filter, sort, expected) in [
        (doc! { "n": 1, "_id": { "$mod": [24_000, 23_999] } }, none.clone(), 1),
        (none.clone(), doc! { "n": 1 }, 25_000),
    ] {
        let query = ExportQuery::parse(&filter, &sort, &none, None, &none).unwrap();
        let text = queried(&fixture, ExportQuery { limit: Some(30_000), ..query.clone() }, NDJSON);
        assert_eq!(text.unwrap().lines().count(), expected);
        let progress = Progress::new();
        progress.cancel_at(1);
        progress.cancel();
        let request = ExportRequest {
            namespace: fixture.namespace.clone(),
            path: fixture.folder.path().join("canceled"),
            format: NDJSON,
            query,
            compression: Compression::None,
            indexes: false,
        };
        let ended = export(&fixture.collections, &request, &progress);
        assert_eq!(ended, Err(TransferError::Cancelled));
        assert!(!request.path.exists());
    }
}

#[test]
fn hidden_columns_are_left_out_of_csv_with_all_that_is_inside_them() {
    let fixture = Fixture::new();
    fixture.insert(&raw(&doc! { "_id": 1, "a": { "b": 2, "c": { "d": 3 } }, "ab": 4 }));
    fixture.insert(&raw(&doc! { "_id": 2, "e": 5 }));
    let check = |hidden: &[&str], expected: &str| {
        let hidden = hidden.iter().map(|name| (*name).to_owned()).collect();
        let format = ExportFormat::Csv(CsvOptions { hidden, ..CsvOptions::default() });
        assert_eq!(queried(&fixture, ExportQuery::default(), format).unwrap(), expected);
    };
    check(&["a"], "_id,ab,e\r\n1,4,\r\n2,,5\r\n");
    check(&["a.c", "e"], "_id,a.b,ab\r\n1,2,4\r\n2,,\r\n");
    check(&["nothing"], "_id,a.b,a.c.d,ab,e\r\n1,2,3,4,\r\n2,,,,5\r\n");
}
