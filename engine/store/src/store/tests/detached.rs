//! `data.mdb` is removed, replaced or linked while the store is open.

use std::fs;
use std::ops::ControlFlow;

use super::{fill, open, see};
use crate::store::{Store, StoreError, StoreOptions, StoreState};

type Change = fn(&std::path::Path);

/// A change by another program, and words of the refusal that names it.
const CHANGES: [(&str, Change); 4] = [
    ("removed or moved", |file| fs::remove_file(file).expect("removed")),
    ("removed or moved", |file| fs::rename(file, file.with_extension("away")).expect("moved")),
    ("replaced by another file", |file| {
        let copy = file.with_extension("copy");
        fs::copy(file, &copy).expect("copied");
        fs::rename(copy, file).expect("replaced");
    }),
    ("got a second name", |file| fs::hard_link(file, file.with_extension("link")).expect("linked")),
];

fn write(store: &Store) -> Result<(), StoreError> {
    store.write(|writer| writer.put_meta("a", b""))
}

#[test]
fn writes_that_no_opening_would_find_are_refused() {
    for (said, change) in CHANGES {
        let (folder, elsewhere) =
            (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let store = open(folder.path());
        fill(&store, 0..100);
        change(&folder.path().join("data.mdb"));
        let refused = write(&store).expect_err("refused");
        assert!(
            matches!(&refused, StoreError::Suspect { what } if what.contains(said)),
            "{refused:?}"
        );
        assert_eq!(write(&store), Err(refused.clone()), "again");
        let status = store.status();
        assert_eq!(status.state, StoreState::Detached);
        assert!(status.reason.is_some_and(|reason| reason.contains(said)));
        assert_eq!(see(&store).expect("readable").0.len(), 100);
        // The copy opens as a store with everything that was acknowledged.
        let copy = elsewhere.path().join("data.mdb");
        store.backup_to(&copy, &mut |_| ControlFlow::Continue(())).expect("copied");
        assert_eq!(store.check_file_in_place(), Err(refused));
        drop(store);
        assert_eq!(see(&open(elsewhere.path())).expect("readable").0.len(), 100);
    }
}

/// No write has met it yet.
#[test]
fn an_idle_store_sees_it_in_its_status() {
    for (said, change) in CHANGES {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(folder.path());
        fill(&store, 0..10);
        change(&folder.path().join("data.mdb"));
        assert!(store.status().reason.is_some_and(|reason| reason.contains(said)));
    }
}

#[test]
fn a_store_resumes_when_its_file_is_back_in_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("data.mdb"), folder.path().join("link"));
    let store = open(folder.path());
    fill(&store, 0..10);
    fs::hard_link(&file, &link).expect("linked");
    write(&store).expect_err("refused");
    fs::remove_file(&link).expect("removed");
    write(&store).expect("in place");
    fs::rename(&file, &link).expect("moved");
    write(&store).expect_err("refused");
    fs::rename(&link, &file).expect("moved back");
    assert_eq!(store.status().state, StoreState::Ok);
    fill(&store, 10..20);
    drop(store);
    assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 20);
}

/// LMDB would read a page past the end of the file, which ends the process.
#[test]
fn a_file_that_was_cut_is_noticed_before_its_pages_are_touched() {
    let asks: [fn(&Store) -> Option<String>; 2] =
        [|store| write(store).err().map(|error| error.to_string()), |store| store.status().reason];
    for (ask, part) in asks.into_iter().flat_map(|ask| [(ask, 0), (ask, 1), (ask, 2), (ask, 9)]) {
        let (folder, elsewhere) =
            (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let file = folder.path().join("data.mdb");
        let store = open(folder.path());
        fill(&store, 0..100);
        let bytes = fs::metadata(&file).expect("there").len();
        let cut = |bytes| {
            let file = fs::File::options().write(true).open(&file).expect("opened");
            file.set_len(bytes).expect("cut");
        };
        cut(bytes * part / 10);
        let said = "was cut to a shorter length";
        assert!(ask(&store).is_some_and(|why| why.contains(said)), "{part}");
        // The pages do not return with the length.
        cut(bytes);
        let status = store.status();
        assert_eq!(status.state, StoreState::Detached);
        assert!(status.reason.is_some_and(|why| why.contains(said)));
        let copy = elsewhere.path().join("data.mdb");
        let copied = store.backup_to(&copy, &mut |_| ControlFlow::Continue(())).err();
        for refused in [write(&store).err(), see(&store).err(), copied] {
            let refused = refused.expect("refused").to_string();
            assert!(refused.contains(said), "{refused}");
        }
        drop(store);
        assert!(Store::open(folder.path(), &StoreOptions::default()).is_err());
    }
}

/// A failed write makes the store open its file again, which must not be another one.
#[test]
fn another_file_is_not_opened_in_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("data.mdb");
    let store = open(folder.path());
    fill(&store, 0..10);
    let flush_failed = heed::Error::Io(std::io::Error::from_raw_os_error(5));
    store.failure(&flush_failed, false);
    fs::rename(&file, folder.path().join("away")).expect("moved");
    write(&store).expect_err("refused");
    assert!(!file.exists(), "nothing is created");
    assert_eq!(see(&store).expect("readable").0.len(), 10);
}
