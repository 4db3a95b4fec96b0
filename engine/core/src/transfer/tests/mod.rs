//! Import and export.

mod between;
mod broken_off;
mod bson_files;
mod containers;
mod csv;
mod damaged;
mod dump;
mod dump_faults;
mod exports;
mod leniency;
mod losses;
mod manifest;
mod resume;
mod round_trip;
#[cfg(feature = "tables")]
mod sheets;
#[cfg(feature = "tables")]
mod tables;
mod types;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use bson::{Document, RawDocument, RawDocumentBuf, doc, rawdoc};
use flate2::write::GzEncoder;
use tempfile::TempDir;

use crate::transfer::read::item::Item;
use crate::transfer::read::records::Records;
use crate::transfer::{
    Compression, CsvForm, CsvOptions, ExportFormat, ExportQuery, ExportReport, ExportRequest,
    IMPORT_REJECTS_MAX, ImportEnd, ImportMode, ImportReport, ImportRequest, Progress, ReadOptions,
    RecordFormat, TransferError, export, import, indexes_path, preview, rehearse,
};
use crate::{
    catalog::{
        Dialect, Namespace,
        rules::{CreateIndexesRequest, CreateRequest},
    },
    clock::{SimulatedClock, work_time},
    collection::{Collections, WriteError},
    command::testing::spoil,
    query::{Filter, VariableNames},
    store::{Scan, Store, StoreError, StoreOptions},
    value::extjson::{Layout, Style, write_document},
};

const NOW_MS: i64 = 1_700_000_000_000;

/// A store and a folder for files next to it.
pub(super) struct Fixture {
    pub(super) folder: TempDir,
    pub(super) collections: Collections,
    pub(super) namespace: Namespace,
}

impl Fixture {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions { map_size_bytes: 1 << 30, ..StoreOptions::default() };
        let (store, _) = Store::open(&folder.path().join("data"), &options).unwrap();
        let clock = Arc::new(SimulatedClock::new(NOW_MS));
        let collections = Collections::new(Arc::new(store), clock).unwrap();
        let namespace = Namespace::new("d", "c");
        Self { folder, collections, namespace }
    }

    pub(super) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(super) fn request(&self, bytes: &[u8]) -> ImportRequest {
        ImportRequest::new(vec![self.file("in.json", bytes)], self.namespace.clone())
    }

    pub(super) fn import(&self, request: &ImportRequest) -> ImportReport {
        import(&self.collections, request, &Progress::new()).unwrap()
    }

    pub(super) fn documents(&self) -> Vec<RawDocumentBuf> {
        self.documents_of(&self.namespace)
    }

    pub(super) fn documents_of(&self, namespace: &Namespace) -> Vec<RawDocumentBuf> {
        let Some(collection) = self.collections.catalog().collection(namespace) else {
            return Vec::new();
        };
        let read = self.collections.store().read(|reader| {
            let documents = reader.documents(collection.id, 0, Scan::Forward)?;
            documents.map(|stored| Ok(stored?.document()?.to_owned())).collect()
        });
        let read: Result<Vec<RawDocumentBuf>, StoreError> = read;
        read.unwrap()
    }

    pub(super) fn insert(&self, document: &RawDocument) {
        let inserted: Result<_, WriteError> = self.collections.write(|writer| {
            let collection = writer.create_if_missing(&self.namespace)?;
            writer.insert(&collection, document)
        });
        inserted.unwrap();
    }

    pub(super) fn export_to(
        &self,
        path: &Path,
        format: ExportFormat,
    ) -> Result<ExportReport, TransferError> {
        let request = ExportRequest {
            namespace: self.namespace.clone(),
            path: path.to_owned(),
            format,
            query: ExportQuery::default(),
            compression: Compression::None,
            indexes: false,
        };
        export(&self.collections, &request, &Progress::new())
    }

    fn export(&self, format: ExportFormat, gzip: bool) -> PathBuf {
        let path = self.folder.path().join("out");
        let request = ExportRequest {
            namespace: self.namespace.clone(),
            path: path.clone(),
            format,
            query: ExportQuery::default(),
            compression: if gzip { Compression::Gzip } else { Compression::None },
            indexes: true,
        };
        export(&self.collections, &request, &Progress::new()).unwrap();
        path
    }
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), flate2::Compression::default());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// The format, the documents, and the errors as `line:column:document from start_line fatal`.
fn read(bytes: &[u8]) -> (Option<RecordFormat>, Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    let mut records = match Records::open(&path, &ReadOptions::default(), None) {
        Ok(records) => records,
        Err(error) => return (None, Vec::new(), vec![error.to_string()]),
    };
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    loop {
        match records.next() {
            Item::End => break,
            Item::Document(_) => documents.push(write_document(
                records.document(),
                Style::Canonical,
                Layout::OneLine,
            )),
            Item::Bad(bad) => {
                let (position, end) = (bad.position, if bad.fatal { " fatal" } else { "" });
                let from = match bad.start_line {
                    line if line == position.line => String::new(),
                    line => format!(" from {line}"),
                };
                let at = format!("{}:{}:{}", position.line, position.column, position.document);
                errors.push(format!("{at}{from}{end}"));
                if bad.fatal {
                    break;
                }
            }
        }
    }
    (Some(records.detected().form), documents, errors)
}

#[test]
fn forms_counts_and_errors() {
    const COMMA: RecordFormat = RecordFormat::Csv { separator: b',', escapes: false };
    const TAB: RecordFormat = RecordFormat::Csv { separator: b'\t', escapes: false };
    let cases: &[(&[u8], RecordFormat, usize, &[&str])] = &[
        (b"", RecordFormat::Empty, 0, &[]),
        (b" \r\n\n", RecordFormat::Empty, 0, &[]),
        (b"{}", RecordFormat::Lines, 1, &[]),
        (b"{\"a\":1}\n{\"a\":2}", RecordFormat::Lines, 2, &[]),
        (b"{\"a\":1}\r\n\r\n\n{\"a\":2}\r\n", RecordFormat::Lines, 2, &[]),
        (b"\xef\xbb\xbf{\"a\":1}\n", RecordFormat::Lines, 1, &[]),
        (b"{\"a\":1}{\"a\":2} {\"a\":3}\n{\"a\":4}", RecordFormat::Lines, 4, &[]),
        (b"{\n \"a\": 1\n}\n{\n \"a\": 2\n}\n", RecordFormat::Objects, 2, &[]),
        (b"[]", RecordFormat::Array, 0, &[]),
        (b"[ ]\n", RecordFormat::Array, 0, &[]),
        (b"[{\"a\":1},\n{\"a\":2}]\n", RecordFormat::Array, 2, &[]),
        (b"[{\"a\":1},\n{\"a\":2},]", RecordFormat::Array, 2, &[]),
        (b"[{\"a\":1}\n{\"a\":2}]", RecordFormat::Array, 1, &["2:1:2 fatal"]),
        (b"[{\"a\":1},{\"b\":\"", RecordFormat::Array, 1, &["1:16:2 fatal"]),
        (b"[{\"_id\":{\"$oid\":\"xyz\"}},{\"a\":2}]", RecordFormat::Array, 1, &["1:17:1"]),
        (b"[{\"a\":1}] x", RecordFormat::Array, 1, &["1:11:2 fatal"]),
        (b"[1,2]", RecordFormat::Array, 0, &["1:2:1 fatal"]),
        (b"{\"a\":1}\n{\"a\":\n{\"a\":3}\n", RecordFormat::Lines, 2, &["2:6:2"]),
        (b"{\"a\":1}\n{\"a\":2\r\n{\"a\":3}\n", RecordFormat::Lines, 2, &["2:7:2"]),
        (b"{\"a\":1}\n{\"a\":2\n\n", RecordFormat::Lines, 1, &["2:7:2"]),
        (b"{\n\"a\":1\n}\n{\n\"a\":2\n{\n", RecordFormat::Objects, 1, &["6:1:2 from 4 fatal"]),
        (b"[{\"a\":1},\n{\n\"a\":\ntru}]", RecordFormat::Array, 1, &["4:1:2 from 2"]),
        (b"{\"a\":1}\n{\"a\":tru}\n{\"a\":3}\n", RecordFormat::Lines, 2, &["2:6:2"]),
        (b"{\"a\":1}\n{\"a\":\"\xff\"}\n{\"a\":3}\n", RecordFormat::Lines, 2, &["2:7:2"]),
        (b"{\"a\":1,\"a\":2}\n{\"a\":3}", RecordFormat::Lines, 1, &["1:8:1"]),
        (b"{\"a\":\"\\ud800\"}\n{\"a\":3}", RecordFormat::Lines, 1, &["1:7:1"]),
        (b"a,b\n1,x\n2\n", COMMA, 2, &[]),
        (b"a,b\r\n\"x\ny\",\"\"\"q\"\"\"\r\n", COMMA, 1, &[]),
        (b"a,b\n\"x\"y,1\n2,3\n", COMMA, 1, &["2:4:1"]),
        (b"a,b\n\"x\n\"y,1\n2,3\n", COMMA, 1, &["3:2:1 from 2"]),
        (b"a,a\n1,2\n", COMMA, 1, &[]),
        (b"a,b\n1,\"x", COMMA, 0, &["2:3:1 fatal"]),
        (b"a;b\n1;2\n", RecordFormat::Csv { separator: b';', escapes: false }, 1, &[]),
        (b"\ta\tb\n\t\t\n1\t2\n", TAB, 2, &[]),
        (b"\t\t\na\tb\n\t\n1\t2\n\n \n", TAB, 2, &[]),
        (b"a,b\n,\n\n1,2\n", COMMA, 2, &[]),
        (b"a,b\r1,2\r3,4\n", COMMA, 0, &["1:4:1 fatal"]),
    ];
    let mut failures = Vec::new();
    for (bytes, form, documents, errors) in cases {
        let (found, read, wrong) = read(bytes);
        if (found, read.len()) != (Some(*form), *documents) || wrong != *errors {
            let text = String::from_utf8_lossy(bytes);
            failures.push(format!("{text:?}: {found:?}, {} documents, {wrong:?}", read.len()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn files_that_are_refused() {
    let cases: &[(&[u8], &str)] = &[
        (b"\xff\xfe\0\0{\0\0\0}\0\0\0", "UTF-32"),
        (b"{\0}\0", "--encoding UTF-16LE"),
        (b"a\0,\0b\0\n\0", "--encoding UTF-16LE"),
        (b"\0a\0,\0b\0\n", "--encoding UTF-16BE"),
        (b"PK\x03\x04", "zip"),
        (b"42", "line 1, column 1"),
        (b"\n  \"text\"", "line 2, column 3"),
    ];
    for (bytes, words) in cases {
        let (form, _, errors) = read(bytes);
        assert_eq!(form, None);
        assert!(errors.iter().all(|error| error.contains(words)), "{errors:?} lacks {words}");
    }
}

#[test]
fn csv_types_are_those_of_mongoimport() {
    let (_, documents, _) = read(b"i,l,d,s,x.y\n7,5000000000,1.5,true,-3\n");
    let expected = concat!(
        r#"{"i":{"$numberInt":"7"},"l":{"$numberLong":"5000000000"},"#,
        r#""d":{"$numberDouble":"1.5"},"s":true,"x":{"y":{"$numberInt":"-3"}}}"#
    );
    assert_eq!(documents, [expected]);
    let (_, documents, errors) =
        read(b"n.string(),b.boolean(),t.date()\n007,true,2026-01-02T03:04:05Z\n1,maybe,\n");
    let expected = r#"{"n":"007","b":true,"t":{"$date":{"$numberLong":"1767323045000"}}}"#;
    assert_eq!(documents, [expected]);
    assert_eq!(errors, ["3:3:2"]);
    let (_, documents, errors) =
        read(b"d.double(),b.binary(hex)\n-Infinity,0f\n1e400,00\n1,+f\n1,0\n");
    let expected = concat!(
        r#"{"d":{"$numberDouble":"-Infinity"},"#,
        r#""b":{"$binary":{"base64":"Dw==","subType":"00"}}}"#
    );
    assert_eq!(documents, [expected]);
    assert_eq!(errors, ["3:1:2", "4:3:3", "5:3:4"]);
}

#[test]
fn csv_text_with_leading_zeros_stays_text() {
    for text in ["01234", "007", "00", "-01", "+01", "00.5", "01e3"] {
        let (_, documents, _) = read(format!("a,b\n{text},x\n").as_bytes());
        assert_eq!(documents, [format!("{{\"a\":\"{text}\",\"b\":\"x\"}}")]);
    }
    for (text, value) in [
        ("0", r#"{"$numberInt":"0"}"#),
        ("-0.5", r#"{"$numberDouble":"-0.5"}"#),
        ("0.0", r#"{"$numberDouble":"0.0"}"#),
        ("10", r#"{"$numberInt":"10"}"#),
    ] {
        let (_, documents, _) = read(format!("a,b\n{text},x\n").as_bytes());
        assert_eq!(documents, [format!("{{\"a\":{value},\"b\":\"x\"}}")]);
    }
    let (_, documents, _) = read(b"a.int32(),b.auto()\n007,007\n");
    assert_eq!(documents, [r#"{"a":{"$numberInt":"7"},"b":"007"}"#]);
}

/// As in mongoimport, white space may precede a quoted cell.
#[test]
fn csv_cells_in_quotes_may_have_space_around_them() {
    let expected = [r#"{"a":{"$numberInt":"1"},"b":"x,\"y","c":{"$numberInt":"3"}}"#];
    for text in [
        "a, \"b\" ,c\n1, \"x,\"\"y\", 3\n",
        "a,b,c\r\n 1,\t\"x,\"\"y\" \t,3\r\n",
        " \"a\" ,b,c\n1,  \"x,\"\"y\",3",
        "a;b; \"c\"\n\"1\";\"x,\"\"y\";  \"3\"  \n",
    ] {
        let (_, documents, errors) = read(text.as_bytes());
        assert_eq!(
            (documents.as_slice(), errors.len()),
            (&expected.map(str::to_owned)[..], 0),
            "{text:?}"
        );
    }
    // A tab that separates is not white space, and not every quote starts a quoted cell.
    let (_, documents, _) = read(b"a\tb\n\t\"x\"\n");
    assert_eq!(documents, [r#"{"b":"x"}"#]);
    let (_, documents, errors) = read(b"a,b\n1, \"x\" y\n2, x \"y\"\n");
    assert_eq!(documents, [r#"{"a":{"$numberInt":"2"},"b":" x \"y\""}"#]);
    assert_eq!(errors, ["2:7:1"]);
}

/// A type that can't be read is not a field name: `b.date(YYYY)` is not `b` with a field in it.
#[test]
fn a_csv_header_with_types_has_one_that_is_known_for_each_column() {
    for (header, error) in [
        ("a.int32(),b.date_go(YYYY)", "1:11:1"),
        ("a.int32(),b.date_oracle(YYYY)", "1:11:1"),
        ("a.binary(gzip),b.int32()", "1:1:1"),
        ("a.int32(),b", "1:11:1"),
        ("a,b.string()", "1:1:1"),
    ] {
        let (_, documents, errors) = read(format!("{header}\n1,2\n").as_bytes());
        assert!(documents.is_empty(), "{header}: {documents:?}");
        assert!(errors.len() == 1 && errors[0].starts_with(error), "{header}: {errors:?}");
        assert!(errors[0].ends_with("fatal"), "{header}: {errors:?}");
    }
    let (_, documents, errors) = read(b"a,f(x),g.h(1)\n1,2,3\n");
    assert_eq!((documents.len(), errors.len()), (1, 0), "{errors:?}");
}

#[test]
fn csv_headers_with_layouts_give_dates_and_binary() {
    let (_, documents, errors) = read(
        b"go.date(Jan 2 2006),\"ms.date_ms(M/d/yyyy h:mm tt)\",o.date_oracle(DD-MON-RR),\
          b.binary(base32),d.decimal(),i.date()\n\
          Feb 1 2024,2/1/2024 10:20 PM,01-FEB-24,MZXQ====,1.50,2024-02-01\n\
          Feb 30 2024,2/1/2024 10:20 PM,01-FEB-24,MZXQ====,1.50,2024-02-01\n",
    );
    let day = r#"{"$date":{"$numberLong":"1706745600000"}}"#;
    let expected = format!(
        concat!(
            r#"{{"go":{day},"ms":{{"$date":{{"$numberLong":"1706826000000"}}}},"o":{day},"#,
            r#""b":{{"$binary":{{"base64":"Zm8=","subType":"00"}}}},"#,
            r#""d":{{"$numberDecimal":"1.50"}},"i":{day}}}"#
        ),
        day = day
    );
    assert_eq!(documents, [expected]);
    assert_eq!(errors, ["3:1:2"]);
}

#[test]
fn values_that_would_be_kept_as_something_else_are_rejected() {
    for value in [
        "1e400",
        "NaN",
        "99999999999999999999",
        r#"{"$numberDouble":"1e400"}"#,
        r#"{"$numberDouble":"nan"}"#,
        r#"{"$numberLong":"9223372036854775808"}"#,
        r#"{"$numberInt":"2147483648"}"#,
        r#"{"$numberDecimal":"1E+7000"}"#,
        r#"{"$date":"2020-02-30T00:00:00Z"}"#,
        r#"{"$date":"2020-13-01T00:00:00Z"}"#,
        r#"{"$oid":"0123"}"#,
        r#"{"$oid":"0123456789abcdef01234567","x":1}"#,
        r#"1,"a":2"#,
        r#"1,"b\u0000c":2"#,
        r#""\ud800""#,
    ] {
        let lines = format!("{{\"a\":0}}\n{{\"a\":{value}}}\n{{\"a\":3}}\n");
        let (_, documents, errors) = read(lines.as_bytes());
        assert_eq!((documents.len(), errors.len()), (2, 1), "{value}: {documents:?}");
        assert!(errors[0].starts_with("2:"), "{value}: {errors:?}");
    }
}

#[test]
fn what_unpacks_to_far_more_than_its_size_ends_the_import() {
    let fixture = Fixture::new();
    let mut text = b"{\"_id\":1}\n".to_vec();
    text.resize(120 << 20, b'\n');
    let report = fixture.import(&fixture.request(&gzip(&text)));
    assert_eq!(report.imported, 1);
    assert!(
        matches!(&report.end, ImportEnd::Broken(bad) if bad.reason.contains("200 times")),
        "{report:?}"
    );
}

#[test]
fn deep_documents_are_rejected_and_the_rest_is_read() {
    let deep = format!("{}1{}", "{\"a\":".repeat(101), "}".repeat(101));
    let (_, documents, errors) = read(format!("{{\"a\":1}}\n{deep}\n{{\"a\":2}}\n").as_bytes());
    assert_eq!((documents.len(), errors.len()), (2, 1));
    let (_, documents, errors) = read(format!("[{{\"a\":1}},{deep},{{\"a\":2}}]").as_bytes());
    assert_eq!((documents.len(), errors.len()), (2, 1));
}

#[test]
fn a_document_over_16_mib_is_rejected() {
    let fixture = Fixture::new();
    let text = "x".repeat(16 << 20);
    let report =
        fixture.import(&fixture.request(format!("{{\"a\":\"{text}\"}}\n{{}}\n").as_bytes()));
    assert_eq!((report.imported, report.rejected), (1, 1));
    assert!(report.rejects[0].reason.contains("16777216"), "{}", report.rejects[0]);
}

/// Concatenated documents may start with a short one. A broken line does not affect the lines after
/// it.
#[test]
fn a_document_over_several_lines_may_follow_one_in_a_line() {
    let check = |text: &str, documents: usize, error: Option<&str>| {
        for end in ["\n", "\r\n"] {
            let (_, found, errors) = read(text.replace('\n', end).as_bytes());
            let first = errors.first().map(String::as_str);
            assert_eq!((found.len(), first), (documents, error), "{text:?}: {found:?}");
            assert!(errors.len() < 2, "{text:?}: {errors:?}");
        }
    };
    check("{}\n{\n  \"b\": [\n    2\n  ]\n}\n{\"c\":3}\n", 3, None);
    check("{\"a\":1}\n{\n\"b\":2\n} {\"c\":\n3}", 3, None);
    check("{\"a\":1}\n{\"a\":2,\"b\":\n{\"a\":3}\n{\"a\":4}\n", 3, Some("2:12:2"));
    check("{\"a\":1}\n{\"a\":2,\n{\"a\":3}\n", 2, Some("2:8:2"));
    check("{\"a\":1}\n{\"a\":\"x\n{\"a\":3}\n", 2, Some("2:8:2"));
    check("{\"a\":1}\n{\"a\":[\n{\"a\":3}\n", 2, Some("2:7:2"));
}

/// The same rule as for every other write.
#[test]
fn an_id_with_fields_that_look_like_operators_is_rejected() {
    let fixture = Fixture::new();
    let report = fixture.import(&fixture.request(
        b"{\"_id\":{\"$a\":1}}\n{\"x\":1,\"_id\":{\"b\":1,\"$gt\":2}}\n{\"_id\":{\"a\":{\"b\":1}}}\n\
          {\"_id\":{\"$ref\":\"c\",\"$id\":7}}\n",
    ));
    assert_eq!((report.imported, report.rejected), (2, 2), "{report:?}");
    assert!(report.rejects[1].reason.contains("$gt"), "{report:?}");
}

/// Nothing is dropped for an import that the store could not remember.
#[test]
fn a_store_full_of_unfinished_imports_keeps_what_an_import_would_drop() {
    let fixture = Fixture::new();
    fixture.import(&fixture.request(b"{\"_id\":1}\n"));
    let lines: Vec<String> = (2..3_000).map(|id| format!("{{\"_id\":{id}}}")).collect();
    let lines = lines.join("\n");
    for number in 0..crate::transfer::limits::UNFINISHED_MAX {
        let namespace = Namespace::new("d", format!("other{number}"));
        let file = fixture.file("lines.json", lines.as_bytes());
        let progress = Progress::new();
        progress.cancel_at(1);
        let request = ImportRequest::new(vec![file], namespace);
        import(&fixture.collections, &request, &progress).unwrap();
    }
    let drop = ImportRequest { drop: true, ..fixture.request(b"{\"_id\":2}\n") };
    let error = import(&fixture.collections, &drop, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("100 unfinished imports"), "{error}");
    assert_eq!(fixture.documents(), [rawdoc! { "_id": 1 }]);
}

#[test]
fn documents_are_not_dropped_for_files_without_any() {
    let fixture = Fixture::new();
    let drop = |text: &[u8]| {
        let request = ImportRequest { drop: true, ..fixture.request(text) };
        import(&fixture.collections, &request, &Progress::new())
    };
    assert!(drop(b"").is_ok(), "there is nothing to drop");
    fixture.import(&fixture.request(b"{\"_id\":1}\n"));
    for empty in [b"".as_slice(), b" \n\t\n"] {
        let error = drop(empty).expect_err("refused").to_string();
        assert!(error.contains("the file is empty, so "), "{error}");
        assert_eq!(fixture.documents(), [rawdoc! { "_id": 1 }]);
    }
    let unclosed = b"a,b\n1,\"abc\n2,x\n".as_slice();
    for unreadable in [unclosed, b"{\"a\":", b"{\"a\":NaN}\n", b"a.int32(),b.odd()\n1,2\n"] {
        let error = drop(unreadable).expect_err("refused").to_string();
        assert!(error.contains("so d.c was not dropped"), "{error}");
        assert_eq!(fixture.documents(), [rawdoc! { "_id": 1 }]);
    }
    assert!(drop(b"[]").is_ok(), "somebody wrote that there are none");
    assert_eq!(fixture.documents(), [] as [RawDocumentBuf; 0]);
}

#[test]
fn a_failure_is_told_as_a_sentence() {
    let fixture = Fixture::new();
    let namespace = Namespace::new("d", "system.x");
    let request = ImportRequest { namespace, ..fixture.request(b"{}\n") };
    let sentence = fixture.import(&request).sentence().unwrap();
    assert!(sentence.starts_with("the name d.system.x"), "{sentence}");
    assert!(sentence.contains("choose another. Nothing was imported."), "{sentence}");
}

#[test]
fn modes() {
    let old = b"{\"_id\":1,\"a\":1,\"b\":1}\n";
    let new = b"{\"_id\":1,\"b\":2,\"c\":3}\n{\"_id\":2}\n";
    for (mode, counts, first) in [
        (ImportMode::Insert, (1, 0, 1), doc! { "_id": 1, "a": 1, "b": 1 }),
        (ImportMode::Skip, (1, 1, 0), doc! { "_id": 1, "a": 1, "b": 1 }),
        (ImportMode::Replace, (2, 0, 0), doc! { "_id": 1, "b": 2, "c": 3 }),
        (ImportMode::Merge, (2, 0, 0), doc! { "_id": 1, "a": 1, "b": 2, "c": 3 }),
    ] {
        for clustered in [None, Some("a name of its own")] {
            let fixture = Fixture::new();
            if let Some(name) = clustered {
                let index = doc! { "key": { "_id": 1 }, "unique": true, "name": name };
                let (namespace, options) =
                    (fixture.namespace.clone(), doc! { "clusteredIndex": index });
                fixture.collections.create(&CreateRequest { namespace, options }).unwrap();
            }
            fixture.import(&fixture.request(old));
            let report = fixture.import(&ImportRequest { mode, ..fixture.request(new) });
            assert_eq!((report.imported, report.skipped, report.rejected), counts, "{mode:?}");
            let documents = fixture.documents();
            assert_eq!(documents.len(), 2, "{mode:?}");
            assert_eq!(Document::try_from(&documents[0]).unwrap(), first, "{mode:?}");
        }
    }
}

#[test]
fn a_damaged_document_is_not_replaced_and_ends_no_import() {
    for mode in [ImportMode::Insert, ImportMode::Skip, ImportMode::Replace, ImportMode::Merge] {
        let fixture = Fixture::new();
        fixture.import(&fixture.request(b"{\"_id\":1,\"a\":\"NEEDLE\"}\n"));
        spoil(&fixture.folder.path().join("data"), b"NEEDLE");
        let new = b"{\"_id\":1}\n{\"_id\":2}\n";
        let report = fixture.import(&ImportRequest { mode, ..fixture.request(new) });
        assert_eq!((report.imported, report.skipped, report.rejected), (1, 0, 1), "{mode:?}");
        let why = fs::read_to_string(&report.rejects_files[0]).unwrap();
        assert!(why.contains("mayflyDamaged"), "{mode:?}: {why}");
    }
}

#[test]
fn drop_happens_only_when_every_file_is_readable() {
    let fixture = Fixture::new();
    fixture.import(&fixture.request(b"{\"_id\":1}"));
    let mut request = ImportRequest { drop: true, ..fixture.request(b"{\"_id\":2}") };
    request.files.push(fixture.folder.path().join("missing"));
    assert!(import(&fixture.collections, &request, &Progress::new()).is_err());
    assert_eq!(fixture.documents().len(), 1);
    request.files.pop();
    assert_eq!(fixture.import(&request).imported, 1);
    assert_eq!(fixture.documents()[0].get_i32("_id").unwrap(), 2);
}

#[test]
fn rejects_are_kept_with_their_text() {
    let fixture = Fixture::new();
    let request = fixture.request(b"{\"_id\":1}\n{\"_id\":tru}\n{\"_id\":1}\n");
    let report = fixture.import(&request);
    assert_eq!((report.imported, report.rejected), (1, 2));
    let text = fs::read_to_string(&report.rejects_files[0]).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains(r#""line":2"#) && lines[0].contains("tru}"), "{text}");
    assert!(lines[1].contains(r#""line":3"#) && lines[1].contains("_id"), "{text}");
    let again = fixture.import(&request);
    assert_ne!(again.rejects_files, report.rejects_files);
}

#[test]
fn stops() {
    let fixture = Fixture::new();
    let bad = b"{\"_id\":1}\nx\n{\"_id\":2}\n";
    let report = fixture.import(&ImportRequest { stop_on_error: true, ..fixture.request(bad) });
    assert_eq!((report.end, report.imported), (ImportEnd::StoppedOnError, 1));
    let many = "{\"a\":x}\n".repeat(3_000);
    let report = fixture.import(&fixture.request(many.as_bytes()));
    assert_eq!((report.end, report.rejected), (ImportEnd::TooManyRejects, IMPORT_REJECTS_MAX));
    let progress = Progress::new();
    progress.cancel();
    let report = import(&fixture.collections, &fixture.request(b"{}\n"), &progress).unwrap();
    assert_eq!((report.imported, report.end), (0, ImportEnd::Cancelled));
    let report = fixture.import(&fixture.request(b"[{\"_id\":7},{\"_id\":8},"));
    assert!(matches!(report.end, ImportEnd::Broken(_)) && report.imported == 2, "{report:?}");
}

#[test]
fn gzip_whole_in_parts_and_cut_short() {
    let fixture = Fixture::new();
    let mut parts = gzip(b"{\"_id\":1}\n");
    parts.extend(gzip(b"{\"_id\":2}\n"));
    let report = fixture.import(&fixture.request(&parts));
    assert_eq!((report.imported, report.rejected, &report.end), (2, 0, &ImportEnd::Complete));
    let lines: String =
        (10..50_000).fold(String::new(), |all, id| all + &format!("{{\"_id\":{id}}}\n"));
    let whole = gzip(lines.as_bytes());
    let report = fixture.import(&fixture.request(&whole[..whole.len() - 4]));
    assert!(matches!(report.end, ImportEnd::Broken(_)), "{:?}", report.end);
    assert!(report.sentence().unwrap().contains("truncated"));
    let small = gzip(b"{\"_id\":1}\n");
    let request = fixture.request(&small[..small.len() - 4]);
    let report = fixture.import(&ImportRequest { mode: ImportMode::Skip, ..request });
    assert_eq!((report.skipped, report.rejected), (1, 1), "its document is whole");
    assert!(matches!(report.end, ImportEnd::Broken(_)), "{:?}", report.end);
    let refused = import(&fixture.collections, &fixture.request(&small[..9]), &Progress::new());
    assert!(matches!(refused, Err(TransferError::NotReadable { .. })), "{refused:?}");
}

#[test]
fn every_type_comes_back() {
    let lines = concat!(
        r#"{"_id":{"$oid":"0123456789abcdef01234567"},"d":{"$numberDouble":"-0.0"},"#,
        r#""n":{"$numberDouble":"NaN"},"i":{"$numberInt":"1"},"l":{"$numberLong":"9007199254740993"},"#,
        r#""t":{"$timestamp":{"t":1,"i":2}},"b":{"$binary":{"base64":"AQI=","subType":"80"}},"#,
        r#""r":{"$regularExpression":{"pattern":"a","options":"i"}},"m":{"$minKey":1},"#,
        r#""e":{"$date":{"$numberLong":"-1"}},"z":{"$numberDecimal":"1.50"},"u":null,"#,
        r#""f":{"$date":{"$numberLong":"253402300800000"}},"a":[1,[2]],"o":{},"":1,"x.y":2}"#,
        "\n{\"_id\":null}\n{\"_id\":{\"a\":1}}\n"
    );
    let fixture = Fixture::new();
    assert_eq!(fixture.import(&fixture.request(lines.as_bytes())).imported, 3);
    let before = fixture.documents();
    for (format, packed) in [
        (ExportFormat::Ndjson(Style::Canonical), true),
        (ExportFormat::Ndjson(Style::Typed), false),
        (ExportFormat::Array(Style::Canonical), false),
    ] {
        let path = fixture.export(format.clone(), packed);
        let again = ImportRequest {
            drop: true,
            ..ImportRequest::new(vec![path], fixture.namespace.clone())
        };
        assert_eq!(fixture.import(&again).imported, 3, "{format:?}");
        assert_eq!(fixture.documents(), before, "{format:?}");
    }
}

#[test]
fn an_export_takes_the_filters_that_find_takes() {
    let fixture = Fixture::new();
    fixture.import(
        &fixture.request(b"{\"_id\":1,\"a\":2}\n{\"_id\":2,\"a\":2}\n{\"_id\":3,\"a\":2}\n"),
    );
    let now = bson::DateTime::from_millis(NOW_MS);
    for (filter, expected) in [
        (doc! { "$expr": { "$lt": ["$_id", "$a"] } }, "{\"_id\":1,\"a\":2}\n"),
        (doc! { "_id": { "$gt": 2 }, "$expr": { "$eq": ["$$NOW", now] } }, "{\"_id\":3,\"a\":2}\n"),
    ] {
        let filter = RawDocumentBuf::try_from(&filter).unwrap();
        let request = ExportRequest {
            namespace: fixture.namespace.clone(),
            path: fixture.folder.path().join("out"),
            format: ExportFormat::Ndjson(Style::Typed),
            query: ExportQuery {
                filter: Some(Filter::parse_query(&filter, &VariableNames::default()).unwrap()),
                ..ExportQuery::default()
            },
            compression: Compression::None,
            indexes: false,
        };
        export(&fixture.collections, &request, &Progress::new()).unwrap();
        assert_eq!(fs::read_to_string(&request.path).unwrap(), expected);
    }
}

#[test]
fn odd_targets_are_refused_and_an_old_file_stays() {
    let fixture = Fixture::new();
    fixture.import(&fixture.request(b"{\"_id\":1}"));
    let out = fixture.file("out", b"old");
    let request = |path: PathBuf| ExportRequest {
        namespace: fixture.namespace.clone(),
        path,
        format: ExportFormat::Ndjson(Style::Typed),
        query: ExportQuery::default(),
        compression: Compression::None,
        indexes: false,
    };
    for path in [fixture.folder.path().join("data/out"), fixture.folder.path().to_owned()] {
        let refused = export(&fixture.collections, &request(path), &Progress::new());
        assert!(matches!(refused, Err(TransferError::Target { .. })), "{refused:?}");
    }
    let progress = Progress::new();
    progress.cancel();
    assert!(export(&fixture.collections, &request(out.clone()), &progress).is_err());
    assert_eq!(fs::read(&out).unwrap(), b"old");
    export(&fixture.collections, &request(out.clone()), &Progress::new()).unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"{\"_id\":1}\n");
}

#[test]
fn csv_for_spreadsheets_and_exact() {
    let fixture = Fixture::new();
    fixture.import(&fixture.request(
        br#"{"_id":1,"a":{"b":"=1+1"},"n":-5}
{"_id":2,"c":"x,y","n":null}
{"_id":3,"n":{"$numberDouble":"-Infinity"},"c":{"$numberDouble":"NaN"},"a":{"b":[null,-1]}}
{"_id":4,"n":{"$numberDecimal":"-1.50"},"c":{"$date":{"$numberLong":"253402300800000"}}}"#,
    ));
    for (form, expected) in [
        (
            CsvForm::Exact,
            "_id,a.b,n,c\r\n1,=1+1,-5,\r\n2,,null,\"x,y\"\r\n3,\"[null,-1]\",\
             -Infinity,NaN\r\n4,,-1.50,+010000-01-01T00:00:00.000Z\r\n",
        ),
        (
            CsvForm::Spreadsheet,
            "_id,a.b,n,c\r\n1,'=1+1,-5,\r\n2,,,\"x,y\"\r\n3,\"[null,-1]\",'-Infinity,NaN\r\n\
             4,,-1.50,'+010000-01-01T00:00:00.000Z\r\n",
        ),
    ] {
        let options = CsvOptions { form, ..CsvOptions::default() };
        let path = fixture.export(ExportFormat::Csv(options), false);
        assert_eq!(fs::read_to_string(path).unwrap(), expected);
    }
}

#[test]
fn no_text_begins_like_a_formula_in_csv_for_spreadsheets() {
    let check = |text: &str, is_marked: bool| {
        let fixture = Fixture::new();
        let document = rawdoc! { "a": text };
        fixture.import(
            &fixture
                .request(write_document(&document, Style::Canonical, Layout::OneLine).as_bytes()),
        );
        let fields = Some(vec!["a".to_owned()]);
        let form = CsvForm::Spreadsheet;
        let options = CsvOptions { fields, form, ..CsvOptions::default() };
        let path = fixture.export(ExportFormat::Csv(options), false);
        let written = fs::read_to_string(path).unwrap().replace('"', "");
        let mark = if is_marked { "'" } else { "" };
        assert_eq!(written, format!("a\r\n{mark}{text}\r\n"), "{text:?}");
    };
    for start in ['=', '+', '-', '@', '\t', '\r', '\0'] {
        check(&format!("{start}1"), true);
    }
    check("1=\0", false);
}

#[cfg(unix)]
#[test]
fn who_could_read_a_file_can_read_the_one_that_replaces_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let fixture = Fixture::new();
    fixture.import(&fixture.request(b"{\"_id\":1}"));
    let check = |old: Option<u32>, expected: u32| {
        let path = fixture.folder.path().join("out");
        for path in [&path, &indexes_path(&path)] {
            let _ = fs::remove_file(path);
            if let Some(mode) = old {
                fs::write(path, "old").unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        fixture.export(ExportFormat::Ndjson(Style::Typed), false);
        for path in [&path, &indexes_path(&path)] {
            let mode = fs::metadata(path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(format!("{mode:o}"), format!("{expected:o}"), "{}", path.display());
        }
    };
    check(None, 0o600);
    check(Some(0o600), 0o600);
    check(Some(0o640), 0o640);
    check(Some(0o4755), 0o644);
    check(Some(0o666), 0o666);
}

#[test]
fn csv_keeps_the_space_that_a_text_begins_with() {
    let fixture = Fixture::new();
    fixture.import(&fixture.request("{\"_id\":1,\"a\":\" x\",\"b\":\"\u{3000}y\"}".as_bytes()));
    let format = ExportFormat::Csv(CsvOptions::default());
    let text = fs::read_to_string(fixture.export(format, false)).unwrap();
    assert_eq!(text, "_id,a,b\r\n1,\" x\",\"\u{3000}y\"\r\n");
    let again = Fixture::new();
    again.import(&again.request(text.as_bytes()));
    assert_eq!(again.documents(), fixture.documents());
}

#[test]
fn csv_of_one_column_has_a_row_for_each_document() {
    let fixture = Fixture::new();
    fixture.import(
        &fixture.request(b"{\"_id\":1,\"a\":\"x\"}\n{\"_id\":2}\n{\"_id\":3,\"a\":\" \"}\n"),
    );
    let fields = Some(vec!["a".to_owned()]);
    let format = ExportFormat::Csv(CsvOptions { fields, ..CsvOptions::default() });
    let text = fs::read_to_string(fixture.export(format, false)).unwrap();
    assert_eq!(text, "a\r\nx\r\n\"\"\r\n\" \"\r\n");
    let again = Fixture::new();
    let path = again.file("a.csv", text.as_bytes());
    let request = ImportRequest::new(vec![path], again.namespace.clone());
    assert_eq!(again.import(&request).imported, 3);
}

#[test]
fn csv_is_refused_where_two_fields_would_have_one_column() {
    let check = |document: &str, expected: Option<&str>| {
        let fixture = Fixture::new();
        fixture.import(&fixture.request(document.as_bytes()));
        let path = fixture.folder.path().join("out.csv");
        let request = ExportRequest {
            namespace: fixture.namespace.clone(),
            path: path.clone(),
            format: ExportFormat::Csv(CsvOptions::default()),
            query: ExportQuery::default(),
            compression: Compression::None,
            indexes: false,
        };
        let done = export(&fixture.collections, &request, &Progress::new());
        if let Some(text) = expected {
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "{document}");
        } else {
            assert!(done.unwrap_err().to_string().contains("the same column"), "{document}");
            assert!(!path.exists(), "{document}");
        }
    };
    check(r#"{"_id":1,"a.b":2,"c":{"d.e":3}}"#, Some("_id,a.b,c.d.e\r\n1,2,3\r\n"));
    check(r#"{"_id":1,"a.b":2,"a":{"b":2}}"#, Some("_id,a.b\r\n1,2\r\n"));
    check(r#"{"_id":1,"a.b":2,"a":{"b":3}}"#, None);
    check(r#"{"_id":1,"x":2,"":{"x":3}}"#, None);
    check(r#"{"_id":1,"":{"x":3}}"#, None);
}

#[test]
fn a_csv_column_lies_no_deeper_than_a_document_may() {
    let header = |levels: usize| format!("x,{}a\n1,2\n", "a.".repeat(levels - 1));
    let (_, documents, errors) = read(header(100).as_bytes());
    assert_eq!((documents.len(), errors.len()), (1, 0), "{errors:?}");
    let flat = vec!["a"; 101].join("_");
    let (_, documents, errors) = read(header(101).as_bytes());
    assert_eq!((documents.len(), errors.len()), (1, 0), "{errors:?}");
    assert!(documents[0].contains(&format!("\"{flat}\":")), "{documents:?}");
    let fixture = Fixture::new();
    let path = fixture.file("a.csv", header(500_000).as_bytes());
    let found = preview(&path, &ReadOptions::default()).unwrap();
    assert_eq!((found.documents.len(), found.rejects.len()), (1, 0));
}

#[test]
fn csv_keeps_all_digits_of_a_whole_number() {
    let (_, documents, _) = read(b"a,b\n9223372036854775807,12345678901234567890\n");
    assert_eq!(
        documents,
        [r#"{"a":{"$numberLong":"9223372036854775807"},"b":"12345678901234567890"}"#]
    );
}

#[test]
fn a_preview_of_documents_with_many_fields_takes_no_time() {
    let fixture = Fixture::new();
    let fields = |from: usize| (from..from + 200_000).map(|n| format!("\"f{n}\":1"));
    let document = |from| format!("{{{}}}\n", fields(from).collect::<Vec<_>>().join(","));
    let lines: String = (0..4).map(|n| document(n * 200_000)).collect();
    let began = work_time();
    let preview = preview(&fixture.file("p", lines.as_bytes()), &ReadOptions::default()).unwrap();
    assert_eq!(preview.fields.len(), 800_000);
    let took = work_time().saturating_sub(began);
    assert!(took.as_secs() < 30, "{took:?}");
}

#[test]
fn a_rehearsal_counts_what_would_be_rejected() {
    let fixture = Fixture::new();
    fixture.import(&fixture.request(b"{\"_id\":1}\n{\"_id\":2}\n"));
    let check = |text: &str, documents_max, expected: (u64, u64, u64, u64)| {
        let path = fixture.file("r", text.as_bytes());
        let (into, progress) = (&fixture.namespace, Progress::new());
        let found = rehearse(
            &fixture.collections,
            into,
            &path,
            &ReadOptions::default(),
            documents_max,
            &progress,
        );
        let found = found.unwrap();
        let counted = (found.documents, found.rejected, found.taken, found.repeated);
        assert_eq!(counted, expected, "{text}");
    };
    check("{\"_id\":3}\n{\"a\":1}\n", 9, (2, 0, 0, 0));
    check("{\"_id\":1}\n{\"_id\":2.0}\n{\"_id\":5}\n", 9, (3, 0, 2, 0));
    check("{\"_id\":3}\nx\n{\"_id\":[1]}\n{\"_id\":1}\n", 9, (2, 2, 1, 0));
    check("{\"_id\":3}\nx\n{\"_id\":[1]}\n{\"_id\":1}\n", 3, (1, 2, 0, 0));
    check("[{\"_id\":3},{\"_id\":", 9, (1, 1, 0, 0));
    check("{\"_id\":3}\n{\"_id\":3.0}\n{\"_id\":4}\n{\"_id\":3}\n", 9, (4, 0, 0, 2));
    check("{\"_id\":1}\n{\"_id\":1}\n", 9, (2, 0, 2, 0));
    check("{\"_id\":null}\n{\"a\":1}\n{\"a\":1}\n{\"_id\":null}\n", 9, (4, 0, 0, 1));
    assert_eq!(fixture.documents().len(), 2);
}

#[test]
fn a_preview_shows_fields_and_types() {
    let fixture = Fixture::new();
    let lines: String =
        (0..30).fold(String::new(), |all, id| all + &format!("{{\"_id\":{id},\"a\":\"x\"}}\n"));
    let preview = preview(&fixture.file("p", lines.as_bytes()), &ReadOptions::default()).unwrap();
    assert_eq!((preview.documents.len(), preview.more), (20, true));
    assert_eq!(preview.fields[0].types, [("int", 20)]);
    assert_eq!(preview.fields[1].types, [("string", 20)]);
}

impl Fixture {
    /// A cosmos database whose collection expires after 10 seconds, and its clock.
    fn cosmos() -> (Self, Arc<SimulatedClock>) {
        let mut fixture = Self::new();
        let clock = Arc::new(SimulatedClock::new(NOW_MS));
        let store = Arc::clone(fixture.collections.store());
        fixture.collections = Collections::new(store, Arc::clone(&clock) as _).unwrap();
        fixture.collections.set_dialect("d", Dialect::Cosmos).unwrap();
        let request = CreateIndexesRequest {
            namespace: fixture.namespace.clone(),
            indexes: vec![doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 10 }],
            ignore_unknown_options: false,
        };
        fixture.collections.create_indexes(&request, &mut |_| {}).unwrap();
        (fixture, clock)
    }
}

#[test]
fn files_of_a_cosmos_database_have_no_ts_and_nothing_hidden() {
    let (fixture, clock) = Fixture::cosmos();
    fixture.import(
        &fixture.request(b"{\"_id\":1,\"a\":1,\"_ts\":5}\n{\"_id\":2,\"ttl\":-1,\"_ts\":6}\n"),
    );
    assert_eq!(fixture.documents().len(), 2);
    let lines = |fixture: &Fixture| {
        let path = fixture.export(ExportFormat::Ndjson(Style::Relaxed), false);
        fs::read_to_string(path).unwrap()
    };
    let csv = |fixture: &Fixture| {
        let format = ExportFormat::Csv(CsvOptions::default());
        fs::read_to_string(fixture.export(format, false)).unwrap().replace('\r', "")
    };
    assert_eq!(lines(&fixture), "{\"_id\":1,\"a\":1}\n{\"_id\":2,\"ttl\":-1}\n");
    assert_eq!(csv(&fixture), "_id,a,ttl\n1,1,\n2,,-1\n");
    clock.advance_ms(9_999);
    assert_eq!(lines(&fixture).lines().count(), 2);
    clock.advance_ms(1);
    assert_eq!(lines(&fixture), "{\"_id\":2,\"ttl\":-1}\n");
    // Hidden documents add no columns.
    assert_eq!(csv(&fixture), "_id,ttl\n2,-1\n");
}

#[test]
fn an_import_meets_no_hidden_document() {
    for mode in [ImportMode::Insert, ImportMode::Skip, ImportMode::Replace, ImportMode::Merge] {
        let (fixture, clock) = Fixture::cosmos();
        fixture.import(&fixture.request(b"{\"_id\":1,\"old\":1}"));
        clock.advance_ms(10_000);
        let mut request = fixture.request(b"{\"_id\":1,\"new\":1}");
        request.mode = mode;
        let report = fixture.import(&request);
        assert_eq!((report.imported, report.skipped, report.rejected), (1, 0, 0), "{mode:?}");
        let documents = fixture.documents();
        assert_eq!(documents.len(), 1, "{mode:?}");
        assert!(documents[0].get("old").unwrap().is_none(), "{mode:?}: {:?}", documents[0]);
    }
}

#[test]
fn a_broken_csv_row_longer_than_the_buffer_is_one_row() {
    let long = "long,".repeat(80_000);
    for end in ["\n2,3\n", "\n2,3", "\n\n2,3\n"] {
        let (_, documents, errors) = read(format!("a,b\n\"x\"y,{long}{end}").as_bytes());
        assert_eq!((documents.len(), errors.as_slice()), (1, &["2:4:1".to_owned()][..]), "{end:?}");
    }
    let (_, documents, errors) = read(format!("a,b\n\"x\"y,{long}").as_bytes());
    assert_eq!((documents.len(), errors.as_slice()), (0, &["2:4:1".to_owned()][..]));
}

#[test]
fn a_csv_row_has_as_many_cells_as_a_header_may() {
    let cells = |count: usize| vec!["1"; count].join(",");
    let (_, documents, errors) = read(format!("a,b\n{}\n2,3\n", cells(10_000)).as_bytes());
    assert_eq!((documents.len(), errors.len()), (2, 0));
    // A line break in quotes after the excess cells still belongs to the row.
    for wide in [cells(10_001), format!("{},\"x\ny\",4", cells(300_000))] {
        let (_, documents, errors) = read(format!("a,b\n{wide}\n2,3\n").as_bytes());
        assert_eq!((documents.len(), errors.as_slice()), (1, &["2:20001:1".to_owned()][..]));
    }
    let header = (0..10_001).map(|number| format!("f{number}")).collect::<Vec<_>>().join(",");
    let (_, documents, errors) = read(format!("{header}\n2,3\n").as_bytes());
    assert_eq!((documents.len(), errors.len()), (0, 1));
    assert!(errors[0].ends_with("fatal"), "{errors:?}");
}
