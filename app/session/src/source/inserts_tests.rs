//! Imports and copies into both kinds of server.

use std::path::Path;
use std::sync::Arc;

use bson::{RawDocumentBuf, doc};
use mayfly_engine::transfer::{ImportEnd, ImportReport, ImportRequest};
use mayfly_tests::documentdb::{DocumentDb, Habit, Habits};

use super::*;
use crate::job::{Cancel, ConnectionString, CopyPart, CopyPlan, End};
use crate::source::Source;
use crate::source::copying::copy;
use crate::source::remote::open_string;

const BOTH: [fn() -> Habits; 2] = [Habits::documentdb, Habits::mongodb];

fn connected(server: &DocumentDb) -> Arc<dyn Source> {
    let string = ConnectionString::read(&server.uri()).expect("a string");
    let source = open_string(&string, None).expect("it connects");
    source.set_locked(false);
    source
}

fn import(source: &dyn Source, lines: &[Document], mode: ImportMode) -> ImportReport {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c.ndjson");
    let lines: Vec<String> = lines
        .iter()
        .map(|one| Bson::from(one.clone()).into_relaxed_extjson().to_string())
        .collect();
    std::fs::write(&path, lines.join("\n")).expect("written");
    import_file(source, &path, mode)
}

fn import_file(source: &dyn Source, path: &Path, mode: ImportMode) -> ImportReport {
    let request = ImportRequest {
        mode,
        rejects: None,
        ..ImportRequest::new(vec![path.to_owned()], Namespace::new("shop", "c"))
    };
    let transfers = source.transfers().expect("transfers");
    transfers.import(&request, &Progress::default()).expect("an import")
}

/// The documents that a server has, as bytes.
fn check_stored(server: &DocumentDb, expected: &[Document]) {
    let stored = server.stored("shop", "c");
    assert_eq!(stored.len(), expected.len());
    for (stored, expected) in stored.iter().zip(expected) {
        let expected = RawDocumentBuf::try_from(expected).expect("bytes");
        assert_eq!(*stored, expected);
    }
}

fn some(more: &Document) -> Vec<Document> {
    let document = |id: i32| {
        let mut document = doc! { "_id": id, "zone": "a", "n": id };
        document.extend(more.clone());
        document
    };
    (0..300).map(document).collect()
}

#[test]
fn a_merge_keeps_every_document_whole() {
    for habits in BOTH {
        let server = DocumentDb::start(habits());
        let source = connected(&server);
        let first = import(source.as_ref(), &some(&doc! { "old": 1 }), ImportMode::Merge);
        assert_eq!((first.imported, first.rejected, &first.end), (300, 0, &ImportEnd::Complete));
        check_stored(&server, &some(&doc! { "old": 1 }));
        let mut lines = some(&doc! { "zone": "b", "a": { "deep": [1, 2] } });
        lines.push(doc! { "_id": 300, "z": 1, "a": 2 });
        // Names that a plain `$set` can't have.
        lines.push(doc! { "_id": 0, "a.b": 1, "old": 2 });
        lines.push(doc! { "_id": 1 });
        let second = import(source.as_ref(), &lines, ImportMode::Merge);
        assert_eq!((second.imported, second.rejected), (303, 0), "{second:?}");
        let mut expected = some(&doc! { "zone": "b", "old": 1, "a": { "deep": [1, 2] } });
        expected[0].extend(doc! { "old": 2, "a.b": 1 });
        expected.push(doc! { "_id": 300, "z": 1, "a": 2 });
        check_stored(&server, &expected);
    }
}

#[test]
fn a_document_that_is_there_is_skipped() {
    for habits in BOTH {
        let server = DocumentDb::start(habits());
        let source = connected(&server);
        let unique = doc! { "key": { "n": 1 }, "name": "n_1", "unique": true };
        server.prepare("shop", &doc! { "createIndexes": "c", "indexes": [unique] });
        let first = import(source.as_ref(), &some(&doc! {}), ImportMode::Skip);
        assert_eq!((first.imported, first.skipped, first.rejected), (300, 0, 0));
        let mut lines = some(&doc! {});
        lines.push(doc! { "_id": 300, "n": 300 });
        // Another index has this value.
        lines.push(doc! { "_id": 301, "n": 7 });
        let second = import(source.as_ref(), &lines, ImportMode::Skip);
        assert_eq!((second.imported, second.skipped, second.rejected), (1, 300, 1), "{second:?}");
        let insert = import(source.as_ref(), &lines[..1], ImportMode::Insert);
        assert_eq!((insert.imported, insert.rejected), (0, 1));
        let reason = &insert.rejects[0];
        assert!(format!("{reason:?}").contains("this _id already exists"), "{reason:?}");
    }
}

#[test]
fn a_second_copy_finds_what_is_there() {
    for habits in BOTH {
        let (from, to) = (DocumentDb::start(Habits::mongodb()), DocumentDb::start(habits()));
        from.prepare("shop", &doc! { "insert": "c", "documents": some(&doc! {}) });
        let [source, target] = [&from, &to].map(connected);
        let plan = CopyPlan {
            from: Namespace::new("shop", "c"),
            part: CopyPart::Matching(Document::new()),
            into: Namespace::new("shop", "c"),
            past_validators: false,
            indexes: Vec::new(),
        };
        for (copied, skipped) in [(300, 0), (0, 300)] {
            let (progress, cancel) = (Progress::default(), Cancel::default());
            let (report, _) = copy(source.as_ref(), target.as_ref(), &plan, &progress, &cancel);
            assert_eq!((report.copied, report.skipped, report.refused), (copied, skipped, 0));
            assert_eq!(report.end, End::Complete);
        }
    }
}

#[test]
fn a_server_that_stores_documents_otherwise_stops_the_import() {
    let server = DocumentDb::start(Habits::documentdb().with(Habit::Garbling));
    let source = connected(&server);
    let lines: Vec<Document> = (0..2_500).map(|id| doc! { "_id": id, "n": id }).collect();
    for mode in [ImportMode::Insert, ImportMode::Replace] {
        let report = import(source.as_ref(), &lines, mode);
        let ImportEnd::Failed(reason) = &report.end else { panic!("{report:?}") };
        assert!(
            reason.contains("stored the document with _id 0 with its field _id twice"),
            "{reason}"
        );
        assert!(report.imported < 2_500, "the first batch");
    }
}

#[test]
fn no_write_has_a_pipeline_or_variables() {
    for habits in BOTH {
        let server = DocumentDb::start(habits());
        let source = connected(&server);
        for mode in [ImportMode::Insert, ImportMode::Skip, ImportMode::Replace, ImportMode::Merge] {
            import(source.as_ref(), &some(&doc! {}), mode);
        }
        for update in server.sent("update") {
            assert!(!update.contains_key("let"), "{update}");
            for statement in update.get_array("updates").expect("statements") {
                let statement = statement.as_document().expect("a statement");
                assert!(statement.get_document("u").is_ok(), "{statement}");
            }
        }
    }
}
