//! Rows damaged on disk: reads of the file report them, and no sound copy is replaced by a damaged one.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path as FsPath;

use super::{COLLECTION, INDEX, fill, open};
use crate::store::testing::{overwrite, rot};
use crate::store::{
    BackupReport, DamagedRow, JobProgress, Scan, Store, StoreError, StoreOptions, StoreState,
    damaged_copy,
};

fn go_on(_: JobProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn backup(store: &Store, target: &FsPath) -> BackupReport {
    store.backup_to(target, &mut go_on).expect("a backup")
}

/// A store with a row in each table, to be found by its text.
fn labelled(folder: &FsPath) {
    let store = open(folder);
    fill(&store, 0..20);
    let written: Result<(), StoreError> = store.write(|writer| {
        writer.put_document(COLLECTION, 20, 0, b"a small document")?;
        writer.put_document(COLLECTION, 21, 0, &[b"a large document", &[1; 9_000][..]].concat())?;
        writer.put_entry(INDEX, b"an entry", 21, true)?;
        writer.put_catalog("db", "d", b"a definition")?;
        writer.put_meta("name", b"a value")
    });
    written.expect("written");
}

#[test]
fn a_backup_with_rotten_rows_names_them_and_costs_no_older_one() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let target = elsewhere.path().join("b");
    labelled(folder.path());
    let store = open(folder.path());
    for _ in 0..3 {
        assert_eq!(backup(&store, &target).file, target);
    }
    drop(store);
    assert_eq!(damaged_copy(&target), None);
    let before = ["b", "b.1", "b.2"].map(|name| fs::read(elsewhere.path().join(name)).expect("it"));
    rot(folder.path(), &[b"small document", b"large document"]);
    let store = open(folder.path());
    for _ in 0..4 {
        let report = backup(&store, &target);
        let document = |record| DamagedRow::Document { collection: COLLECTION, record };
        assert_eq!(report.damaged.first, [document(20), document(21)]);
        assert_eq!(report.damaged.count, 2);
        assert_eq!(report.file, elsewhere.path().join("b.damaged"));
        assert_eq!(report.bytes, fs::metadata(&report.file).expect("a file").len());
        assert_eq!(report.kept.len(), 3);
    }
    let after = ["b", "b.1", "b.2"].map(|name| fs::read(elsewhere.path().join(name)).expect("it"));
    assert!(before == after, "the good copies are as they were");
    assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 4);
    // Once nothing is damaged any more, backups rotate again.
    let mended: Result<(), StoreError> = store.write(|writer| {
        writer.delete_document(COLLECTION, 20)?;
        writer.delete_document(COLLECTION, 21).map(drop)
    });
    mended.expect("removed");
    let report = backup(&store, &target);
    assert_eq!((report.damaged.count, &report.file), (0, &target));
    assert_eq!(damaged_copy(&target), Some(elsewhere.path().join("b.damaged")));
    assert_eq!(fs::read(elsewhere.path().join("b.1")).ok().as_ref(), Some(&before[0]));
}

#[test]
fn a_name_beside_the_backups_that_holds_something_else_is_not_replaced() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let other = elsewhere.path().join("b.damaged");
    fs::write(&other, "a letter").expect("a file");
    let refused = open(folder.path()).backup_to(&elsewhere.path().join("b"), &mut go_on);
    assert!(refused.is_err_and(|error| error.to_string().contains("b.damaged exists")));
    assert_eq!(fs::read(&other).ok().as_deref(), Some(&b"a letter"[..]));
}

#[test]
fn the_check_of_a_file_reads_the_rows_of_all_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    labelled(folder.path());
    let sound = Store::check_structure(folder.path()).expect("readable");
    assert_eq!((sound.findings.len(), sound.rows.count), (0, 0));
    rot(folder.path(), &[b"large document", b"an entry", b"a definition", b"a value"]);
    let counters = {
        let store = open(folder.path());
        store.read(|reader| reader.counters(COLLECTION.0)).expect("readable")
    };
    rot(folder.path(), &[&super::super::table::codec::counters_value(counters)]);
    let report = Store::check_structure(folder.path()).expect("readable");
    let mut rows: Vec<String> = report.rows.first.iter().map(ToString::to_string).collect();
    rows.sort();
    let expected = [
        "an entry of index 2",
        "document 21 of collection 1",
        "the counters of collection or index 1",
        "the definition of db.d",
        "the store's value \"name\"",
    ];
    assert_eq!((rows, report.rows.count), (expected.map(str::to_owned).to_vec(), 5));
    assert_eq!(report.findings, Vec::<String>::new(), "the structure is what it was");
}

/// Gives the leaf pages with this text another page type.
fn spoil(folder: &FsPath, text: &[u8]) {
    const PAGE: usize = 4096;
    let bytes = fs::read(folder.join("data.mdb")).expect("a file");
    let is_leaf = |page: &[u8]| page[10] == 2 && page.windows(text.len()).any(|it| it == text);
    let pages = bytes.chunks(PAGE).enumerate().filter(|(_, page)| is_leaf(page));
    let places: Vec<usize> = pages.map(|(number, _)| number * PAGE + 10).collect();
    assert!(!places.is_empty());
    overwrite(folder, &places, |_| 4);
}

#[test]
fn a_value_of_the_store_that_has_lost_its_name_is_damaged_and_not_absent() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let put = |name: &'static str| {
        store.write(|writer| writer.put_meta(name, b"what it says")).expect("written");
    };
    put("settings");
    put("settled");
    put("one/1");
    let meta = |name: &str| store.read(|reader| reader.meta(name).map(|found| found.is_some()));
    assert_eq!((meta("settings"), meta("settinge")), (Ok(true), Ok(false)), "before");
    rot(folder.path(), &[b"settings", b"one/1"]);
    let lost = meta("settings").expect_err("damaged").to_string();
    assert!(lost.contains(r#"its value "settings" has a damaged name"#), "{lost}");
    assert_eq!((meta("settled"), meta("other"), meta("one/2")), (Ok(true), Ok(false), Ok(false)));
}

#[test]
fn opening_names_damaged_documents_and_loses_none() {
    let folder = tempfile::tempdir().expect("a folder");
    labelled(folder.path());
    let (store, report) = Store::open(folder.path(), &StoreOptions::default()).expect("it opens");
    assert_eq!(report.damaged.count, 0);
    drop(store);
    rot(folder.path(), &[b"a small document"]);
    let (store, report) = Store::open(folder.path(), &StoreOptions::default()).expect("it opens");
    let damaged = DamagedRow::Document { collection: COLLECTION, record: 20 };
    assert_eq!(report.damaged.first, [damaged]);
    let read = |record| store.read(|reader| Ok(reader.document(COLLECTION, record)?.is_some()));
    assert_eq!((read(19), read(21)), (Ok(true), Ok(true)));
    assert!(matches!(read(20), Err(StoreError::Damaged { .. })));
}

/// A changed page with an unchanged stamp: the disk has changed it.
#[test]
fn a_damaged_page_is_refused_whatever_the_stamp_says() {
    let folder = tempfile::tempdir().expect("a folder");
    fill(&open(folder.path()), 0..20);
    let path = folder.path().join("data.mdb");
    let written = fs::metadata(&path).and_then(|found| found.modified()).expect("known");
    spoil(folder.path(), b"text\0");
    let file = fs::File::options().write(true).open(&path).expect("a file");
    file.set_modified(written).expect("set");
    drop(file);
    let refused = Store::open(folder.path(), &StoreOptions::default()).map(drop);
    assert!(matches!(&refused, Err(StoreError::Damaged { what }) if what.contains("page")));
}

#[test]
fn a_damaged_page_that_a_read_meets_leads_where_one_that_a_write_meets_does() {
    type Read = fn(&Store) -> Result<usize, StoreError>;
    let check = |read: Read| {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(folder.path());
        fill(&store, 0..1_500);
        let good = fs::read(folder.path().join("data.mdb")).expect("a file");
        spoil(folder.path(), b"text\0");
        assert!(matches!(read(&store), Err(StoreError::Damaged { .. })));
        assert_eq!(store.status().state, StoreState::Suspect);
        let written: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b"b"));
        assert!(matches!(written, Err(StoreError::Damaged { .. })), "{written:?}");
        assert_eq!(store.status().state, StoreState::Suspect);
        drop(store);
        let refused = Store::open(folder.path(), &StoreOptions::default()).map(drop);
        assert!(matches!(&refused, Err(StoreError::Damaged { what }) if what.contains("page")));
        // As if the disk returned the right bytes again: the end was still unclean.
        fs::write(folder.path().join("data.mdb"), good).expect("a file");
        let (_, report) = Store::open(folder.path(), &StoreOptions::default()).expect("it opens");
        assert!(report.unclean);
    };
    check(|store| store.read(|reader| Ok(reader.document(COLLECTION, 5)?.into_iter().count())));
    check(|store| {
        store.read(|reader| {
            let documents = reader.documents(COLLECTION, 0, Scan::Forward)?;
            documents
                .map(|row| row.map(drop))
                .collect::<Result<Vec<()>, _>>()
                .map(|rows| rows.len())
        })
    });
    check(|store| {
        store.write(|writer| Ok(writer.reader().document(COLLECTION, 5)?.into_iter().count()))
    });
}
