//! LMDB's errors, each really provoked, and the store's reactions.

use std::fs;
use std::path::Path as FsPath;

use heed::types::Bytes;
use heed::{CommitOrAbort, Env, PutFlags, WithoutTls};

use super::*;
use crate::limits::{BATCH_DOCS_MAX, READERS_MAX};
use crate::store::open::open_again;
use crate::store::testing::{ROOTS, main_root, overwrite};
use crate::store::txn::env::{Environment, EnvironmentOptions, open_env};
use crate::store::txn::error_class::{ErrorClass, Remedy};
use crate::store::txn::recovery::Failure;
use crate::store::txn::tables::Rows;
use crate::store::{StoreState, Writer};

const MIB: usize = 1 << 20;

fn raw_env(folder: &FsPath, map_size: usize) -> Env<WithoutTls> {
    open_env(folder, map_size, READERS_MAX, false).expect("the environment opens")
}

fn create<const N: usize>(
    env: &Env<WithoutTls>,
    names: [&str; N],
) -> Result<[Rows; N], heed::Error> {
    let txn = env.write_txn()?;
    let tables = env.create_databases_and_commit(txn, |opener, txn| {
        let create = |name| opener.create_database::<Bytes, Bytes>(txn, Some(name));
        let tables: Vec<_> = names.into_iter().map(create).collect::<Result<_, heed::Error>>()?;
        let tables: [_; N] = tables.try_into().unwrap_or_else(|_| unreachable!("as many as names"));
        Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
    })?;
    Ok(tables.commit().expect("committed"))
}

fn raw_table(env: &Env<WithoutTls>) -> Rows {
    create(env, ["raw"]).expect("a table")[0]
}

#[track_caller]
fn check<T>(result: Result<T, heed::Error>, fault: ErrorClass) {
    let error = result.err().expect("a failure");
    assert_eq!(ErrorClass::of(&error, Some(u64::MAX)), fault, "{error:?}");
}

#[test]
fn a_file_with_another_table_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()));
    let env = raw_env(folder.path(), MIB);
    // A version that was never released kept a table of this name.
    create(&env, ["oplog"]).expect("a table");
    env.prepare_for_closing().wait();
    let refused = Store::open(folder.path(), &StoreOptions::default()).err();
    let sentence = refused.expect("refused").to_string();
    assert!(sentence.contains("an LMDB file of another program or version"), "{sentence}");
}

#[test]
fn a_full_map_grows_and_its_transaction_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = raw_env(folder.path(), MIB);
    let table = raw_table(&env);
    let mut txn = env.write_txn().expect("a transaction");
    check(table.put(&mut txn, b"a", &vec![0; 2 * MIB]), ErrorClass::Retry(Remedy::Grow));
    // LMDB refuses further operations of such a transaction.
    check(table.put(&mut txn, b"a", b""), ErrorClass::Bug);
}

#[test]
fn keys_of_impossible_length_are_a_mistake_and_harm_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = raw_env(folder.path(), MIB);
    let table = raw_table(&env);
    let mut txn = env.write_txn().expect("a transaction");
    check(table.put(&mut txn, &[1; 512], b""), ErrorClass::Bug);
    check(table.put(&mut txn, b"", b""), ErrorClass::Bug);
    table.put(&mut txn, &[1; 511], b"").expect("the longest key");
    check(table.put_with_flags(&mut txn, PutFlags::NO_OVERWRITE, &[1; 511], b""), ErrorClass::Bug);
    txn.commit().expect("committed");
}

#[test]
fn more_readers_than_places_are_busy() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = open_env(folder.path(), MIB, 3, false).expect("the environment opens");
    let readers: Vec<_> = (0..3).map(|_| env.read_txn().expect("a reader")).collect();
    check(env.read_txn(), ErrorClass::Busy);
    env.write_txn().expect("writing needs no place").abort();
    drop(readers);
    env.read_txn().expect("a place is free again");
}

#[test]
fn more_tables_than_places_are_a_mistake() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = raw_env(folder.path(), MIB);
    check(create(&env, ["1", "2", "3", "4", "5", "6", "7", "8", "9"]), ErrorClass::Bug);
    create(&env, ["1", "2", "3", "4", "5", "6", "7", "8"]).expect("tables");
}

#[test]
fn an_environment_that_is_open_is_not_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let _env = raw_env(folder.path(), MIB);
    check(open_env(&folder.path().join("."), MIB, READERS_MAX, false), ErrorClass::Busy);
}

#[test]
fn more_address_space_than_there_is_is_busy() {
    let folder = tempfile::tempdir().expect("a folder");
    check(open_env(folder.path(), 1 << 57, READERS_MAX, false), ErrorClass::Busy);
}

/// The error of opening a healthy file after `change` and, if it opens, of looking up the tables.
fn opened_after(change: impl Fn(&mut Vec<u8>)) -> Result<(), heed::Error> {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()));
    let path = folder.path().join("data.mdb");
    let mut bytes = fs::read(&path).expect("a file");
    change(&mut bytes);
    fs::write(&path, bytes).expect("a file");
    let env = open_env(folder.path(), MIB, READERS_MAX, false)?;
    create(&env, ["meta"]).map(drop)
}

#[test]
fn what_is_wrong_in_the_file_is_damage() {
    opened_after(|_| ()).expect("a healthy file opens");
    check(opened_after(|bytes| bytes[16..20].fill(7)), ErrorClass::Damaged);
    check(opened_after(|bytes| bytes[20] = 9), ErrorClass::Damaged);
    // PageNotFound: a root after the last page.
    let lost = |bytes: &mut Vec<u8>| {
        for root in ROOTS {
            bytes[root..root + 8].copy_from_slice(&900_u64.to_ne_bytes());
        }
    };
    check(opened_after(lost), ErrorClass::Damaged);
    // Corrupted: a root the wrong type.
    let wrong = |bytes: &mut Vec<u8>| {
        let root = main_root(bytes);
        bytes[root + 10] = 4;
    };
    check(opened_after(wrong), ErrorClass::Damaged);
}

#[test]
fn reads_leave_a_place_for_a_backup() {
    fn nest(store: &Store, depth: u32, bottom: &dyn Fn()) -> Result<u32, StoreError> {
        store.read(|_| {
            let below = nest(store, depth + 1, bottom);
            if matches!(below, Err(StoreError::Busy { .. })) {
                bottom();
                return Ok(depth);
            }
            below
        })
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    let target = tempfile::tempdir().expect("a folder");
    let deepest = nest(&store, 1, &|| {
        store
            .backup_to(&target.path().join("copy"), &mut |_| std::ops::ControlFlow::Continue(()))
            .expect("the backup succeeds");
        fill(&store, 10..20);
        assert_eq!(store.status().readers, 508);
    });
    assert_eq!(deepest, Ok(508));
    assert_eq!(see(&store).expect("readable").0.len(), 20);
}

#[test]
fn the_promises_of_a_commit_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let env = store.env().expect("open");
    assert_eq!(env.env().max_key_size(), 511);
    // LMDB rounds up to whole pages.
    assert!(env.env().max_readers() >= READERS_MAX);
    let flags = env.env().flags().expect("known").expect("no flag is unknown");
    assert_eq!(format!("{flags:?}"), "EnvFlags(NO_TLS)");
}

#[test]
fn on_a_full_disk_a_transaction_takes_what_makes_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..20);
    let refusal = StoreError::DiskFull { wanted_bytes: 1 };
    let env = store.env().expect("open");
    let begin = || Writer::begin(&env, Some(refusal.clone())).expect("a transaction");
    let mut writer = begin();
    let refused = Err(refusal.clone());
    assert_eq!(writer.put_document(COLLECTION, 100, 0, &bson_of(1)), refused, "an insert");
    assert_eq!(writer.put_document(COLLECTION, 1, 0, &bson_of(1)), refused, "an update");
    assert_eq!(writer.put_document(COLLECTION, 1, 0, &bson_of(7)), refused, "a larger one");
    assert_eq!(writer.put_entry(INDEX, b"key", 1, true), refused, "an index build");
    assert_eq!(writer.next_id(), Err(refusal.clone()), "a collection or an index");
    assert_eq!(writer.delete_document(COLLECTION, 1), Ok(true));
    assert_eq!(writer.delete_entry(INDEX, &1_u64.to_be_bytes(), 1), Ok(true));
    assert_eq!(writer.delete_catalog("db", "c"), Ok(true));
    assert_eq!(writer.put_meta("dropped", b"to be reclaimed"), Ok(()));
    assert_eq!(writer.clear_documents(COLLECTION, 5), Ok(5));
    writer.commit().expect("committed");
    // A bucket that loses measurements.
    let mut writer = begin();
    assert_eq!(writer.put_document(COLLECTION, 7, 0, &bson_of(1)), Ok(()));
    assert_eq!(writer.put_entry(INDEX, b"key", 7, true), Ok(()));
    writer.commit().expect("committed");
}

#[test]
fn a_full_disk_is_left_by_itself_when_there_is_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    store.ballast.release();
    store.write_state.turn_disk_full(Some(0));
    assert_eq!(store.write_state.state(), StoreState::DiskFull);
    fill(&store, 0..10);
    let status = store.status();
    assert_eq!((status.state, status.reason), (StoreState::Ok, None));
    assert!(status.ballast_bytes > 0, "the ballast is back");
}

/// A suspect store checks its file and reopens it, but only once.
#[test]
fn after_a_failed_flush_the_file_is_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..100);
    let flush_failed = heed::Error::Io(std::io::Error::from_raw_os_error(5));
    store.failure(&flush_failed, false);
    assert_eq!(store.status().state, StoreState::Suspect);
    assert_eq!(see(&store).expect("readable").0.len(), 100);
    fill(&store, 100..110);
    let status = store.status();
    assert_eq!((status.state, status.reopenings), (StoreState::Ok, 1));
    assert_eq!(see(&store).expect("readable").0.len(), 110);

    store.failure(&flush_failed, false);
    let refused: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b""));
    let sentence = refused.expect_err("refused").to_string();
    assert!(
        sentence.contains("Writes are disabled") && sentence.contains("reopen the store"),
        "{sentence}"
    );
    assert_eq!(see(&store).expect("readable").0.len(), 110);
    drop(store);
    let (_store, report) =
        Store::open(folder.path(), &StoreOptions::default()).expect("the store opens");
    assert!(report.unclean, "the next opening walks");
}

#[test]
fn a_suspect_store_whose_file_is_damaged_is_not_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..1_000);
    let path = folder.path().join("data.mdb");
    let root = main_root(&fs::read(&path).expect("a file"));
    let flush_failed = heed::Error::Io(std::io::Error::from_raw_os_error(5));
    store.failure(&flush_failed, false);
    overwrite(folder.path(), &[root + 10], |_| 4);
    let refused: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b""));
    assert!(
        matches!(&refused, Err(StoreError::Damaged { what }) if what.contains("the wrong type")),
        "{refused:?}"
    );
    assert!(matches!(see(&store), Err(StoreError::Damaged { .. })));
    assert_eq!(store.status().state, StoreState::Suspect);
}

/// A corrupt page does not make a read-only store writable, and does not close what can still be read.
#[test]
fn a_store_for_reading_only_stays_one_when_a_read_meets_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    fill(&open(folder.path()), 0..10);
    let options = StoreOptions { read_only: true, ..StoreOptions::default() };
    let store = open_with(folder.path(), &options);
    let before = store.status();
    store.failure(&heed::MdbError::Corrupted.into(), false);
    for _ in 0..2 {
        let refused: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b""));
        assert!(matches!(refused, Err(StoreError::ReadOnly { .. })), "{refused:?}");
    }
    assert_eq!(store.status().state, StoreState::ReadOnly);
    assert_eq!(store.status().reason, before.reason);
    assert_eq!(see(&store).expect("readable").0.len(), 10);
}

#[test]
fn a_full_disk_is_left_after_the_file_was_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    store.ballast.release();
    store.write_state.turn_disk_full(Some(0));
    store.failure(&heed::Error::Io(std::io::Error::from_raw_os_error(5)), false);
    fill(&store, 10..20);
    let status = store.status();
    assert_eq!((status.state, status.reopenings), (StoreState::Ok, 1));
    assert_eq!(store.batch_docs(), BATCH_DOCS_MAX);
    assert!(status.ballast_bytes > 0, "the ballast is back");
}

#[test]
fn an_older_file_after_a_failed_flush_is_not_taken_for_good() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    let older = fs::read(folder.path().join("data.mdb")).expect("a file");
    fill(&store, 10..20);
    let (options, last) =
        (Store::environment_options(1 << 20), store.env().map(|env| env.last_transaction()));
    drop(store);
    fs::write(folder.path().join("data.mdb"), older).expect("written");
    let refused = open_again(folder.path(), options, last.expect("open")).map(drop);
    assert!(
        matches!(&refused, Err(StoreError::Damaged { what }) if what.contains("is missing")),
        "{refused:?}"
    );
}

/// LMDB's descriptor for commit records: the only one of the file that writes through to the disk.
fn commit_record_descriptor(folder: &FsPath) -> i32 {
    const DSYNC: i32 = 0o10_000;
    let is_it = |number: &str| {
        let info = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).unwrap_or_default();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).map(str::trim);
        flags.and_then(|flags| i32::from_str_radix(flags, 8).ok()).unwrap_or(0) & DSYNC != 0
    };
    let file = folder.join("data.mdb").canonicalize().expect("a path");
    let open = fs::read_dir("/proc/self/fd").expect("a list").flatten();
    let mut found = open
        .filter(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|number| is_it(number));
    let number = found.next().expect("a descriptor").parse().expect("a number");
    assert_eq!(found.next(), None);
    number
}

/// Makes this descriptor unwritable.
#[expect(unsafe_code, reason = "LMDB tells nobody its descriptors")]
fn cut_off(descriptor: i32) {
    use std::{mem::ManuallyDrop, os::fd::FromRawFd};
    let read_only = fs::File::open("/dev/null").expect("opens");
    // SAFETY: the descriptor is open and stays open: the value made of it here is not dropped.
    let descriptor = unsafe { std::os::fd::OwnedFd::from_raw_fd(descriptor) };
    rustix::io::dup2(&read_only, &mut ManuallyDrop::new(descriptor)).expect("replaced");
}

#[test]
fn a_commit_record_that_is_not_written_ends_the_environment_and_not_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = raw_env(folder.path(), MIB);
    let table = raw_table(&raw);
    cut_off(commit_record_descriptor(folder.path()));
    let mut txn = raw.write_txn().expect("a transaction");
    table.put(&mut txn, b"a", b"").expect("put");
    check(txn.commit(), ErrorClass::Suspect);
    let is_panic = |error: &heed::Error| matches!(error, heed::Error::Mdb(heed::MdbError::Panic));
    assert!(raw.write_txn().is_err_and(|error| is_panic(&error)));
    check(raw.write_txn(), ErrorClass::Suspect);

    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    cut_off(commit_record_descriptor(folder.path()));
    let failed: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b"lost"));
    assert!(matches!(failed, Err(StoreError::OutcomeUnknown { .. })), "{failed:?}");
    let next: Result<(), StoreError> = store.write(|writer| writer.put_meta("b", b"kept"));
    assert_eq!(next, Ok(()), "the store was opened again");
    fill(&store, 10..20);
    assert_eq!(store.status().state, StoreState::Ok);
}

/// LMDB spills dirty pages before there are too many, so no number of rows leads to this error. A nested
/// transaction can't spill pages that its parent has spilled before.
#[test]
fn more_changed_pages_than_a_transaction_may_have_are_too_large_and_harm_nothing() {
    /// The limit of dirty pages (`MDB_IDL_UM_MAX`). LMDB spills an eighth of them at a time.
    const PAGES_MAX: u64 = (1 << 17) - 1;
    // Two to a page: enough to spill some pages, and of these the last.
    let row = vec![0; 2_000];
    let (rows, written_out) = (2 * (PAGES_MAX + PAGES_MAX / 16), 2 * (PAGES_MAX - 1_071));
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    let env = store.env().expect("open");
    let table = env.tables.documents;
    let key = |row: u64| [u64::MAX.to_be_bytes(), row.to_be_bytes()].concat();
    let mut parent = env.env().write_txn().expect("a transaction");
    for number in 0..rows {
        table
            .put_with_flags(&mut parent, PutFlags::APPEND, &key(number), &row)
            .expect("any number of rows");
    }
    let mut child = env.env().nested_write_txn(&mut parent).expect("a transaction in it");
    let mut again = (0..written_out).rev().map(|number| table.put(&mut child, &key(number), &row));
    let error = again.find_map(Result::err).expect("a failure");
    assert!(matches!(error, heed::Error::Mdb(heed::MdbError::TxnFull)), "{error:?}");
    let failure = store.failure(&error, false);
    assert!(matches!(failure, Failure::Final(StoreError::TooLarge)));
    check(table.put(&mut child, b"a", b""), ErrorClass::Bug);
    child.abort();
    parent.abort();
    drop(env);
    fill(&store, 10..20);
    assert_eq!(store.status().state, StoreState::Ok);
    assert_eq!(see(&store).expect("readable").0.len(), 20);
}

#[test]
fn an_environment_waits_for_those_who_look_at_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = std::sync::Arc::new(
        Environment::open(
            folder.path(),
            EnvironmentOptions { map_size_bytes: MIB as u64, read_only: false },
            None,
        )
        .expect("the environment opens"),
    );
    let other = std::sync::Arc::clone(&env);
    std::thread::scope(|scope| {
        let looking = scope.spawn(move || other.map_bytes());
        Environment::close(env);
        assert!(looking.join().expect("no panic") >= MIB as u64);
    });
    raw_env(folder.path(), MIB);
}
