//! Journals that are cut, torn and damaged.

use super::*;

fn raw(document: &Document) -> RawDocumentBuf {
    RawDocumentBuf::try_from(document).expect("a document")
}

fn item(id: i32) -> Item {
    Item { before: Some(raw(&doc! { "_id": id, "n": 0 })), planned: None }
}

/// A journal with two steps and a note between them, and what it says.
fn written(folder: &Path) -> (PathBuf, Contents) {
    let pair = Pair { before: None, after: Some(raw(&doc! { "_id": 9 })) };
    let header = doc! { "kind": "update" };
    let mut journal = Journal::begin(folder, &header, std::slice::from_ref(&pair)).expect("begun");
    let first = vec![item(1), item(2)];
    journal.step(&first).expect("noted");
    let done = vec![Some(raw(&doc! { "_id": 1, "n": 1 })), None];
    journal.done(&done).expect("noted");
    journal.note(&doc! { "total": 3_i64 }).expect("noted");
    let second = vec![item(3)];
    journal.step(&second).expect("noted");
    let contents = Contents {
        header,
        pairs: vec![pair],
        steps: vec![
            Step { is_digests: false, items: first, done: Some(done) },
            Step { is_digests: false, items: second, done: None },
        ],
        notes: doc! { "total": 3_i64 },
        is_damaged: false,
    };
    (journal.path.clone(), contents)
}

#[test]
fn a_journal_is_read_as_it_was_written_and_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, expected) = written(folder.path());
    let (mut journal, contents) = Journal::open(&path).expect("opened");
    assert_eq!(contents, expected);
    journal.done(&[None]).expect("noted");
    drop(journal);
    let (journal, contents) = Journal::open(&path).expect("opened");
    assert_eq!(contents.steps[1].done, Some(vec![None]));
    assert_eq!(paths(folder.path()), std::slice::from_ref(&path));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(&path).expect("the file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "other users can't read it");
    }
    assert_eq!(Journal::open(&path).err().as_deref(), Some(IN_USE), "another window has it");
    assert_eq!(forget(&path).err().as_deref(), Some(IN_USE));
    journal.finish();
    assert!(paths(folder.path()).is_empty());
}

#[test]
fn wherever_it_is_cut_every_whole_record_before_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, expected) = written(folder.path());
    let all = fs::read(&path).expect("the file");
    let (mut ends, mut at) = (vec![0], 0);
    while let Some((_, next)) = record(&all, at) {
        ends.push(next);
        at = next;
    }
    assert_eq!(*ends.last().expect("an end"), all.len());
    for length in 0..all.len() {
        let (contents, whole) = read(&all[..length]);
        let end = ends.iter().rev().find(|end| **end <= length).expect("an end");
        assert_eq!(whole, *end, "cut at {length}");
        let Some(contents) = contents else {
            assert!(length < ends[1], "the header is lost at {length}");
            continue;
        };
        assert!(!contents.is_damaged, "cut at {length}");
        assert_eq!(contents.header, expected.header);
        for (step, known) in contents.steps.iter().zip(&expected.steps) {
            assert_eq!(step.items, known.items);
            assert!(step.done.is_none() || step.done == known.done);
        }
    }
}

#[test]
fn a_torn_end_is_removed_before_the_next_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, _) = written(folder.path());
    let all = fs::read(&path).expect("the file");
    fs::write(&path, &all[..all.len() - 3]).expect("cut");
    let (mut journal, contents) = Journal::open(&path).expect("opened");
    assert_eq!(contents.steps.len(), 1);
    journal.step(&[item(7)]).expect("noted");
    drop(journal);
    let (_, contents) = Journal::open(&path).expect("opened");
    assert_eq!((contents.steps.len(), contents.is_damaged), (2, false));
    assert_eq!(contents.steps[1].items, [item(7)]);
}

#[test]
fn whatever_byte_changes_nothing_is_invented_and_a_gap_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, expected) = written(folder.path());
    let all = fs::read(&path).expect("the file");
    let mut last = 0;
    let mut at = 0;
    while let Some((_, next)) = record(&all, at) {
        (last, at) = (at, next);
    }
    for place in 0..all.len() {
        for flip in [1_u8, 0x80, 0xff] {
            let mut bad = all.clone();
            bad[place] ^= flip;
            let (contents, _) = read(&bad);
            let Some(contents) = contents else { continue };
            assert_ne!(contents, expected, "byte {place}");
            for (step, known) in contents.steps.iter().zip(&expected.steps) {
                assert_eq!(step.items, known.items, "byte {place}");
                assert!(step.done.is_none() || step.done == known.done, "byte {place}");
            }
            // A bad last record is a torn one.
            assert_eq!(contents.is_damaged, place < last, "byte {place}");
        }
    }
}

#[test]
fn one_that_was_never_whole_is_removed_and_a_full_folder_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = folder.path().join(format!("1.{NEW}"));
    fs::write(&new, b"MFJ1").expect("a file");
    assert!(paths(folder.path()).is_empty() && !new.exists());
    for number in 0..JOURNALS_MAX {
        fs::write(folder.path().join(format!("{number}.{EXTENSION}")), b"").expect("a file");
    }
    let full = Journal::begin(folder.path(), &doc! {}, &[]).err().unwrap_or_default();
    assert!(full.contains("are unfinished"), "{full}");
    let file = folder.path().join("no folder");
    fs::write(&file, b"").expect("a file");
    let refused = Journal::begin(&file, &doc! {}, &[]).err().unwrap_or_default();
    assert!(refused.contains("Nothing further was changed"), "{refused}");
}
