//! Folders of mongodump, in and out.

use std::{fs, path::Path};

use bson::{RawDocumentBuf, doc};

use crate::catalog::Namespace;
use crate::transfer::{
    DumpChoice, DumpImport, FieldType, ImportEnd, Progress, ReadOptions, TransferError,
    import_dump, looks_like_dump, read_dump, rehearse_dump, tests::Fixture, tests::gzip,
};

/// Documents of a time before the fixture's, one after it, and one that never expires.
fn carts() -> Vec<u8> {
    let old = bson::DateTime::from_millis(1_000);
    let new = bson::DateTime::from_millis(1_800_000_000_000);
    let carts = [doc! { "_id": 1, "at": old }, doc! { "_id": 2, "at": new }, doc! { "_id": 3 }];
    let raw = |document| RawDocumentBuf::try_from(&document).unwrap().as_bytes().to_vec();
    carts.into_iter().flat_map(raw).collect()
}

const METADATA: &str = r#"{"indexes":[
    {"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"},
    {"v":{"$numberInt":"2"},"key":{"n":{"$numberInt":"1"}},"name":"n_1","ns":"shop.carts"},
    {"v":{"$numberInt":"2"},"key":{"at":{"$numberInt":"1"}},"name":"at_1",
     "expireAfterSeconds":{"$numberInt":"60"}},
    {"v":{"$numberInt":"2"},"key":{"x":{"$numberInt":"1"}},"name":"x_1",
     "collation":{"locale":"se","strength":{"$numberInt":"1"}}}],
  "uuid":"0123","collectionName":"carts","type":"collection",
  "options":{"capped":false,"collation":{"locale":"se"},
             "validationLevel":"moderate"},"more":{"$numberInt":"1"}}"#;

/// A dump as mongodump writes it.
fn write_dump(folder: &Path) {
    let shop = folder.join("shop");
    fs::create_dir_all(&shop).unwrap();
    fs::write(shop.join("carts.bson.gz"), gzip(&carts())).unwrap();
    fs::write(shop.join("carts.metadata.json.gz"), gzip(METADATA.as_bytes())).unwrap();
    fs::write(shop.join("a%2Fb.bson"), b"").unwrap();
    fs::write(shop.join("a%2Fb.metadata.json"), r#"{"options":{},"indexes":[]}"#).unwrap();
    fs::write(
        shop.join("late.metadata.json"),
        r#"{"options":{"viewOn":"carts","pipeline":[]},"type":"view"}"#,
    )
    .unwrap();
    fs::write(shop.join("system.js.bson"), b"").unwrap();
    fs::write(folder.join("oplog.bson"), b"").unwrap();
    fs::write(folder.join("prelude.json"), b"{}").unwrap();
}

fn choice(
    of: &crate::transfer::DumpCollection,
    db: &str,
    (indexes, ttl): (bool, bool),
) -> DumpChoice {
    let into = Namespace::new(db, &of.name);
    DumpChoice { collection: of.clone(), into, indexes, ttl }
}

#[test]
fn what_a_dump_holds_is_told() {
    let fixture = Fixture::new();
    let folder = fixture.folder.path().join("dump");
    write_dump(&folder);
    for path in [folder.clone(), folder.join("shop")] {
        assert!(looks_like_dump(&path));
        let dump = read_dump(&path).unwrap();
        let names: Vec<_> = dump.collections.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, ["a/b", "carts", "late", "system.js"]);
        assert!(dump.collections.iter().all(|found| found.db.as_deref() == Some("shop")));
        let refused: Vec<_> =
            dump.collections.iter().map(|found| found.refused.is_some()).collect();
        assert_eq!(refused, [false, false, false, true]);
        assert!(dump.collections[2].is_view());
        assert!(dump.collections.iter().all(|found| found.listed.is_none()), "no manifest");
        let carts = &dump.collections[1];
        let indexes: Vec<_> =
            carts.indexes.iter().map(|index| (index.name.as_str(), index.is_ttl)).collect();
        assert_eq!(indexes, [("at_1", true), ("n_1", false)]);
        assert!(carts.bytes > 0 && carts.has_ttl());
        assert_eq!(carts.notes.len(), 2, "{:?}", carts.notes);
        assert!(carts.notes[0].starts_with("The index x_1 is left out: "), "{:?}", carts.notes);
        assert!(carts.notes[1].contains("more"), "{:?}", carts.notes);
        let (options, now_ms) = (ReadOptions::default(), fixture.collections.clock().now_ms());
        let found = rehearse_dump(carts, &options, now_ms, 100, &Progress::new()).unwrap();
        assert_eq!((found.documents, found.overdue, found.indexes[0].waiting), (3, 1, 1));
    }
    let one = read_dump(&folder.join("shop/carts.bson.gz")).unwrap();
    assert_eq!((one.collections[0].db.as_deref(), one.collections[0].indexes.len()), (None, 2));
    assert!(!looks_like_dump(&folder.join("prelude.json")));
    let empty = fixture.folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(matches!(read_dump(&empty), Err(TransferError::NotReadable { .. })));
}

#[test]
fn documents_come_first_and_then_the_chosen_indexes() {
    let folder = tempfile::tempdir().unwrap();
    write_dump(folder.path());
    let dump = read_dump(folder.path()).unwrap();
    for (chosen, expected) in [
        ((true, true), vec!["_id_", "at_1", "n_1"]),
        ((true, false), vec!["_id_", "n_1"]),
        ((false, true), vec!["_id_", "at_1"]),
        ((false, false), vec!["_id_"]),
    ] {
        let fixture = Fixture::new();
        let choices = dump.collections.iter().take(2).map(|of| choice(of, "new", chosen));
        let request = DumpImport { choices: choices.collect(), ..DumpImport::default() };
        let outcomes = import_dump(&fixture.collections, &request, &Progress::new()).unwrap();
        assert_eq!(outcomes.len(), 2);
        assert!(outcomes[0].is_complete(), "{outcomes:?}");
        let report = outcomes[1].documents.as_ref().unwrap();
        assert_eq!((report.imported, &report.end), (3, &ImportEnd::Complete));
        let notes = outcomes[1].notes.join(" ");
        assert!(notes.contains("The option collation is left out"), "{notes}");
        let catalog = fixture.collections.catalog();
        let carts = catalog.collection(&Namespace::new("new", "carts")).unwrap();
        let mut names: Vec<_> = carts.indexes.iter().map(|index| index.name.clone()).collect();
        names.sort();
        assert_eq!(names, expected);
        assert_eq!(
            carts.options.to_document().get_str("validationLevel").ok(),
            Some("moderate"),
            "{:?}",
            carts.options.to_document()
        );
        assert!(catalog.collection(&Namespace::new("new", "a/b")).is_some());
    }
}

#[test]
fn a_collection_whose_file_is_damaged_gets_no_indexes_and_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    write_dump(folder.path());
    let mut cut = carts();
    cut.truncate(cut.len() - 3);
    fs::write(folder.path().join("shop/carts.bson.gz"), gzip(&cut)).unwrap();
    let dump = read_dump(folder.path()).unwrap();
    let choices = [&dump.collections[1], &dump.collections[0]];
    let choices = choices.map(|of| choice(of, "new", (true, true))).to_vec();
    let fixture = Fixture::new();
    let request = DumpImport { choices, ..DumpImport::default() };
    let outcomes = import_dump(&fixture.collections, &request, &Progress::new()).unwrap();
    let report = outcomes[0].documents.as_ref().unwrap();
    assert_eq!(report.imported, 2);
    let told = report.sentence().unwrap();
    assert!(told.contains("carts.bson.gz: document 3, byte "), "{told}");
    assert!(outcomes[0].indexes.is_empty());
    assert!(outcomes[1].is_complete());
}

#[test]
fn a_folder_is_resumed_wherever_its_import_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().join("shop");
    fs::create_dir(&shop).unwrap();
    let indexes = r#"{"options":{"validationLevel":"moderate"},"indexes":[{"v":2,"key":{"n":1},"name":"n_1"}]}"#;
    for (name, count) in [("a", 1_500), ("b", 2_500), ("c", 500)] {
        let raw = |n: i32| RawDocumentBuf::try_from(&doc! { "_id": n, "n": n }).unwrap();
        let data: Vec<u8> = (0..count).flat_map(|n| raw(n).as_bytes().to_vec()).collect();
        fs::write(shop.join(format!("{name}.bson")), data).unwrap();
        fs::write(shop.join(format!("{name}.metadata.json")), indexes).unwrap();
    }
    let view = r#"{"options":{"viewOn":"a","pipeline":[]},"type":"view"}"#;
    fs::write(shop.join("v.metadata.json"), view).unwrap();
    let dump = read_dump(folder.path()).unwrap();
    let choices = dump.collections.iter().map(|of| choice(of, "new", (true, true)));
    let request = DumpImport { choices: choices.collect(), ..DumpImport::default() };
    let mut stops = Vec::new();
    for stop in [1, 1_400, 1_500, 1_501, 3_000, 3_999, 4_000, 4_400] {
        let fixture = Fixture::new();
        let progress = Progress::new();
        progress.cancel_at(stop);
        let first = import_dump(&fixture.collections, &request, &progress).unwrap();
        let unfinished = crate::transfer::unfinished_imports(&fixture.collections).unwrap();
        stops.push((first.len(), unfinished.len()));
        let again = DumpImport { resume: true, ..request.clone() };
        let outcomes = import_dump(&fixture.collections, &again, &Progress::new()).unwrap();
        assert!(outcomes.iter().all(crate::transfer::DumpOutcome::is_complete), "{outcomes:?}");
        for (name, count) in [("a", 1_500), ("b", 2_500), ("c", 500)] {
            let namespace = Namespace::new("new", name);
            assert_eq!(fixture.documents_of(&namespace).len(), count, "{stop}: {name}");
            let found = fixture.collections.catalog().collection(&namespace).unwrap();
            assert_eq!(found.indexes.len(), 2, "{stop}: {name}");
        }
        assert!(crate::transfer::unfinished_imports(&fixture.collections).unwrap().is_empty());
    }
    assert!(stops.iter().any(|(_, unfinished)| *unfinished == 1), "{stops:?}");
    assert!(stops.iter().any(|(imported, _)| *imported > 1), "{stops:?}");
}

#[test]
fn a_plus_in_a_file_name_is_what_the_tool_meant_by_it() {
    let check = |stem: &str, metadata: Option<&str>, expected: &str, is_said: bool| {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("app");
        fs::create_dir(&root).unwrap();
        fs::write(root.join(format!("{stem}.bson")), carts()).unwrap();
        if let Some(metadata) = metadata {
            fs::write(root.join(format!("{stem}.metadata.json")), metadata).unwrap();
        }
        for path in [root.clone(), root.join(format!("{stem}.bson"))] {
            let found = read_dump(&path).unwrap().collections.remove(0);
            assert_eq!(found.name, expected, "{stem}");
            let said = found.notes.iter().filter(|note| note.contains("The +")).count();
            assert_eq!(said, usize::from(is_said), "{stem}: {:?}", found.notes);
        }
    };
    let old = Some(r#"{"options":{},"indexes":[]}"#);
    check("plus+name", old, "plus name", true);
    check("plus+name", None, "plus name", true);
    check("a+b%2Bc", old, "a b+c", true);
    check("c+d", Some(r#"{"options":{},"indexes":[],"collectionName":"c+d"}"#), "c+d", false);
    check("c+d%20e", None, "c+d e", true);
    check("c+d e", None, "c+d e", true);
    check("c+d&e", None, "c+d&e", true);
    check("a%20b", None, "a b", false);
}

#[test]
fn a_rehearsal_reads_a_dump_as_its_import_does() {
    let folder = tempfile::tempdir().unwrap();
    write_dump(folder.path());
    let document = doc! { "_id": 1, "at": "1970-01-02T00:00:00Z" };
    let bytes = RawDocumentBuf::try_from(&document).unwrap();
    fs::write(folder.path().join("shop/carts.bson.gz"), gzip(bytes.as_bytes())).unwrap();
    let carts = read_dump(&folder.path().join("shop/carts.bson.gz")).unwrap().collections.remove(0);
    let mut options = ReadOptions::default();
    let overdue = |options: &ReadOptions| {
        rehearse_dump(&carts, options, 1_800_000_000_000, 10, &Progress::new()).unwrap().overdue
    };
    assert_eq!(overdue(&options), 0, "text never expires");
    options.types.add(FieldType::parse("at=date").unwrap());
    assert_eq!(overdue(&options), 1);
}
