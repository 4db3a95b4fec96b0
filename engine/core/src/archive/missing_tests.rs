//! Segments that are deleted, emptied or cut are noticed.

use std::fs::{self, File};

use bson::{Document, doc};

use crate::{catalog::Namespace, command::testing::Lab, store::StoreError};

/// Damages a segment.
type Change = fn(&std::path::Path);

/// An archive with three segments of a hundred documents each, and its segments.
fn archived(lab: &Lab) -> Vec<std::path::PathBuf> {
    lab.ok("{create: 'c'}");
    lab.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'ttl', expireAfterSeconds: 1}]}");
    lab.ok("{mayflyArchive: 'c'}");
    for batch in 0..3 {
        let documents: Vec<Document> = (0..100)
            .map(|id| doc! { "_id": batch * 100 + id, "at": bson::DateTime::from_millis(0) })
            .collect();
        lab.run_document(&doc! { "insert": "c", "documents": documents });
        lab.check("{mayflyReap: 1}", "{deletedDocuments: 100}");
    }
    let folder = lab.engine.collections().store().folder().join("archive").join("test.c");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 3);
    files
}

#[test]
fn a_segment_that_is_gone_is_missing() {
    let changes: [Change; 3] = [
        |file| fs::remove_file(file).expect("removed"),
        |file| drop(File::create(file).expect("emptied")),
        |file| {
            let file = File::options().write(true).open(file).expect("a file");
            let bytes = file.metadata().expect("a size").len();
            file.set_len(bytes / 2).expect("cut");
        },
    ];
    for change in changes {
        for at in 0..3 {
            let lab = Lab::new();
            let files = archived(&lab);
            let check = |segments: i64, documents: i64| {
                lab.check(
                    "{mayflyArchives: 1}",
                    &format!(
                        "{{'archives.0.missingSegments': {segments}, \
                         'archives.0.missingDocuments': {documents}}}"
                    ),
                );
            };
            check(0, 0);
            change(&files[at]);
            check(1, 100);
            let lab = lab.reopened();
            let warnings = &lab.engine.open_report().warnings;
            let words = "The archive of test.c lacks 100 documents";
            assert!(warnings.iter().any(|warning| warning.starts_with(words)), "{warnings:?}");
        }
    }
}

/// Neither the size nor the header of the batch tells that.
#[test]
fn damage_that_a_read_met_is_in_the_numbers() {
    for at in 0..3 {
        let lab = Lab::new();
        let files = archived(&lab);
        let check = |segments: i64, documents: i64, is_readable: bool| {
            let found = lab.ok("{mayflyArchives: 1}");
            let archives = found.get_array("archives").expect("archives");
            let archive = archives[0].as_document().expect("an archive");
            let number = |name: &str| archive.get_i64(name).expect("a number");
            assert_eq!(number("missingSegments"), segments);
            assert_eq!(number("missingDocuments"), documents);
            assert_eq!(number("documents"), 300 - documents);
            assert_eq!(number("unreadableBytes") == 0, is_readable);
        };
        let whole = fs::read(&files[at]).expect("a segment");
        let mut damaged = whole.clone();
        let last = damaged.len() - 12;
        damaged[last] ^= 1;
        fs::write(&files[at], &damaged).expect("damaged in place");
        check(0, 0, true);
        for _ in 0..2 {
            lab.ok("{mayflyTrash: 'c', archived: true, limit: 1000}");
            check(1, 100, false);
        }
        // The user has restored the file.
        fs::write(&files[at], &whole).expect("restored");
        lab.ok("{mayflyTrash: 'c', archived: true, limit: 1000}");
        check(0, 0, true);
    }
}

/// Without the list, files that are gone go unnoticed, so it must not look like a new archive.
#[test]
fn a_damaged_list_of_segments_is_reported_and_kept() {
    let lab = Lab::new();
    archived(&lab);
    let lab = lab.reopened();
    lab.spoil(b"segments\0");
    let lab = lab.reopened();
    let is_told = |lab: &Lab| {
        let words = "The list of the files of the archive of test.c is damaged";
        lab.engine.open_report().warnings.iter().any(|warning| warning.starts_with(words))
    };
    let stored = |lab: &Lab| {
        let archives = lab.engine.reaper().archives();
        let archive = archives.find(&Namespace::new("test", "c")).expect("an archive");
        lab.engine
            .collections()
            .store()
            .read(|reader| Ok::<_, StoreError>(reader.meta(&archive.inventory_name())?.is_some()))
    };
    assert!(is_told(&lab));
    // Another segment does not replace it: its documents stay in the trash.
    lab.run_document(&doc! { "insert": "c", "documents": [
        { "_id": 1_000, "at": bson::DateTime::from_millis(0) },
    ] });
    lab.check("{mayflyReap: 1}", "{deletedDocuments: 1, 'failing.0.ns': 'test.c'}");
    lab.check("{mayflyTrash: 'c'}", "{'batch.0._id': 1000, '-batch.1': 1}");
    let lab = lab.reopened();
    assert!(stored(&lab).is_err() && is_told(&lab));
    lab.ok("{mayflyArchive: 'c'}");
    assert_eq!(stored(&lab), Ok(true));
    lab.check("{mayflyReap: 1}", "{failing: []}");
    lab.check("{mayflyTrash: 'c'}", "{batch: []}");
    lab.check("{mayflyArchives: 1}", "{'archives.0.documents': 301}");
    let lab = lab.reopened();
    assert!(!is_told(&lab));
}
