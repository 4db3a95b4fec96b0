//! Databases of servers to folders and back.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Decimal128, Document, Timestamp, doc};
use mayfly_engine::transfer::{
    Compression, Dump, DumpChoice, DumpExport, DumpImport, DumpOutcome, DumpReport, ImportMode,
    Progress, TransferError, read_dump,
};
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::open;
use crate::job::Namespace;
use crate::source::{Source, Transfers};

/// A collection whose name no file has.
const ODD: &str = "odd / näme";

fn connect(server: &DocumentDb) -> Arc<dyn Source> {
    open(&server.uri()).expect("it connects").0
}

fn transfers(source: &Arc<dyn Source>) -> &dyn Transfers {
    source.transfers().expect("a server has them")
}

/// A server with `shop`: documents of many types, a TTL index, an empty collection, an odd name and a
/// view.
fn filled(habits: Habits) -> DocumentDb {
    let server = DocumentDb::start(habits);
    let decimal: Decimal128 = "1.10".parse().expect("a decimal");
    let documents: Vec<Document> = (0..1_500)
        .map(|id| {
            doc! {
                "_id": id, "z": 1_i64, "a": 1.0, "negative zero": -0.0, "decimal": decimal,
                "oid": ObjectId::from_bytes([3; 12]), "null": null, "text": "a\u{0}b",
                "timestamp": Timestamp { time: 9, increment: 8 }, "least": Bson::MinKey,
            }
        })
        .collect();
    server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
    let ann = doc! { "_id": "ann", "at": bson::DateTime::from_millis(server.now_ms()) };
    server.prepare("shop", &doc! { "insert": "users", "documents": [ann] });
    let at = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 10_000_000 };
    let name = doc! { "key": { "name": 1 }, "name": "name_1", "unique": true, "sparse": true };
    server.prepare("shop", &doc! { "createIndexes": "users", "indexes": [at, name] });
    server.prepare("shop", &doc! { "create": "empty" });
    server.prepare("shop", &doc! { "insert": ODD, "documents": [{ "_id": 1 }] });
    server.prepare("shop", &doc! { "create": "late", "viewOn": "orders", "pipeline": [] });
    server
}

fn export(
    source: &Arc<dyn Source>,
    folder: &Path,
    change: impl FnOnce(&mut DumpExport),
    progress: &Progress,
) -> Result<DumpReport, TransferError> {
    let mut request = DumpExport {
        db: Some("shop".to_owned()),
        collections: None,
        folder: folder.to_owned(),
        compression: Compression::None,
    };
    change(&mut request);
    transfers(source).export_dump(&request, progress)
}

/// All collections of a folder into `db`, with their indexes.
fn request(dump: &Dump, db: &str, mode: ImportMode) -> DumpImport {
    let choice = |found: &mayfly_engine::transfer::DumpCollection| DumpChoice {
        into: Namespace::new(db, &found.name),
        collection: found.clone(),
        indexes: true,
        ttl: true,
    };
    let choices = dump.collections.iter().map(choice).collect();
    DumpImport { choices, mode, ..DumpImport::default() }
}

fn import(source: &Arc<dyn Source>, folder: &Path, db: &str, mode: ImportMode) -> Vec<DumpOutcome> {
    let dump = transfers(source).read_dump(folder, &Progress::new()).expect("a dump");
    let request = request(&dump, db, mode);
    transfers(source).import_dump(&request, &Progress::new()).expect("it starts")
}

/// The definitions of a collection's indexes, without version.
fn indexes(server: &DocumentDb, db: &str, collection: &str) -> Vec<Document> {
    let reply = server.run(db, &doc! { "listIndexes": collection });
    let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let mut found: Vec<Document> =
        batch.expect("a batch").iter().filter_map(Bson::as_document).cloned().collect();
    for index in &mut found {
        index.remove("v");
        if let Some(secs) = index.get("expireAfterSeconds").and_then(mayfly_engine::value::whole) {
            index.insert("expireAfterSeconds", secs);
        }
    }
    found.sort_by_key(|index| index.get_str("name").unwrap_or_default().to_owned());
    found
}

#[test]
fn a_database_of_a_server_goes_to_a_folder_and_comes_back_with_every_byte() {
    let kinds = [Habits::documentdb(), Habits::mongodb()];
    for (at, compression) in
        [Compression::None, Compression::Gzip, Compression::Zstd].into_iter().enumerate()
    {
        let (from, to) = (kinds[at % 2], kinds[(at + 1) % 2]);
        let server = filled(from);
        let source = connect(&server);
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let report = export(&source, &out, |it| it.compression = compression, &Progress::new())
            .expect("a folder");
        assert_eq!((report.documents(), report.collections.len()), (1_502, 4));
        assert_eq!(report.views, [Namespace::new("shop", "late")]);
        assert_eq!(server.writes(), [""; 0]);
        assert!(out.join("manifest.json").is_file());
        assert!(read_dump(&out).is_ok(), "the manifest agrees");
        let other = DocumentDb::start(to);
        let target = connect(&other);
        target.set_locked(false);
        let outcomes = import(&target, &out, "copy", ImportMode::Insert);
        assert_eq!(outcomes.len(), 5);
        for outcome in &outcomes {
            assert!(outcome.is_complete(), "{outcome:?}");
        }
        for name in ["orders", "users", ODD, "empty"] {
            assert_eq!(other.stored("copy", name), server.stored("shop", name), "{name}");
            assert_eq!(indexes(&other, "copy", name), indexes(&server, "shop", name), "{name}");
        }
        let listed =
            other.run("copy", &doc! { "listCollections": 1, "filter": { "name": "late" } });
        assert!(listed.to_string().contains("viewOn"), "{listed}");
    }
}

#[test]
fn a_folder_that_is_not_complete_is_not_left() {
    let server = filled(Habits::documentdb());
    let source = connect(&server);
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let canceled = Progress::new();
    canceled.cancel();
    let ended = export(&source, &out, |_| (), &canceled);
    assert_eq!(ended, Err(TransferError::Cancelled));
    let only = |it: &mut DumpExport| it.collections = Some(vec!["none".to_owned()]);
    let missing = export(&source, &out, only, &Progress::new());
    assert!(missing.is_err_and(|error| error.to_string().contains("shop.none")));
    assert!(!out.exists());
    fs::create_dir(&out).expect("a folder");
    fs::write(out.join("a file"), b"").expect("a file");
    let used = export(&source, &out, |_| (), &Progress::new());
    assert!(used.is_err_and(|error| error.to_string().contains("the folder has files")));
    let other = folder.path().join("other");
    server.stop();
    let gone = export(&source, &other, |_| (), &Progress::new());
    assert!(matches!(gone, Err(TransferError::Elsewhere { .. })), "{gone:?}");
    assert!(!other.exists());
}

#[test]
fn what_a_server_refuses_is_named_and_the_rest_is_imported() {
    let folder = tempfile::tempdir().expect("a folder");
    let shop = folder.path().join("shop");
    fs::create_dir(&shop).expect("a folder");
    let metadata = r#"{"indexes": [
        {"v": 2, "key": {"_id": 1}, "name": "_id_"},
        {"v": 2, "key": {"n": 1}, "name": "n_1"},
        {"v": 2, "key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        {"v": 2, "key": {"x": 1}, "name": "x_1", "collation": {"locale": "se"}}],
        "collectionName": "carts", "type": "collection",
        "options": {"validationLevel": "moderate", "odd option": 1}}"#;
    fs::write(shop.join("carts.metadata.json"), metadata).expect("written");
    let one = bson::RawDocumentBuf::try_from(&doc! { "_id": 1, "n": 5 }).expect("bytes");
    fs::write(shop.join("carts.bson"), one.as_bytes()).expect("written");
    let server = DocumentDb::start(Habits::mongodb());
    let source = connect(&server);
    let dump = transfers(&source).read_dump(folder.path(), &Progress::new()).expect("a dump");
    assert_eq!(dump.collections[0].notes, [""; 0], "a server may have that index");
    let locked = transfers(&source)
        .import_dump(&request(&dump, "shop", ImportMode::Insert), &Progress::new());
    assert!(locked.is_err_and(|error| error.to_string().contains("read-only")));
    source.set_locked(false);
    let outcomes = import(&source, folder.path(), "shop", ImportMode::Insert);
    let [outcome] = outcomes.as_slice() else { panic!("{outcomes:?}") };
    let report = outcome.documents.as_ref().expect("imported");
    assert_eq!(report.imported, 1);
    assert_eq!(outcome.indexes, ["at_1", "n_1"]);
    let [option, index] = outcome.notes.as_slice() else { panic!("{:?}", outcome.notes) };
    assert!(option.starts_with("The option odd option is left out: "), "{option}");
    assert!(index.starts_with("The index x_1 was not created: "), "{index}");
    let options = server.run("shop", &doc! { "listCollections": 1 }).to_string();
    assert!(options.contains("moderate"), "{options}");
    // It exists now, and so does the document.
    for (mode, imported, skipped, rejected) in [
        (ImportMode::Insert, 0, 0, 1),
        (ImportMode::Skip, 0, 1, 0),
        (ImportMode::Replace, 1, 0, 0),
        (ImportMode::Merge, 1, 0, 0),
    ] {
        let outcomes = import(&source, folder.path(), "shop", mode);
        let report = outcomes[0].documents.as_ref().expect("imported");
        let counts = (report.imported, report.skipped, report.rejected);
        assert_eq!(counts, (imported, skipped, rejected), "{mode:?}");
        let note = "shop.carts exists, so it keeps its own options.";
        assert!(outcomes[0].notes.iter().any(|known| known == note), "{outcomes:?}");
    }
    server.stop();
    let outcomes = import(&source, folder.path(), "other", ImportMode::Insert);
    assert!(outcomes[0].documents.is_err(), "{outcomes:?}");
}
