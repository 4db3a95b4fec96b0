//! Writes of several threads share commits, and each gets its own outcome.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::{Counters, Store, StoreError, StoreOptions, open, open_with};
use crate::limits::{GROUP_OPERATIONS_MAX, WRITES_WAITING_MAX};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counts,
    Refuses,
    /// Fails after it has counted.
    Fails,
    /// Panics after it has counted.
    Panics,
    Nests,
}

/// Its result; `None` for a panic.
type Outcome = Option<Result<u64, StoreError>>;

/// Adds one to the counters with this id and returns the new count.
fn count(store: &Store, id: u32, kind: Kind) -> Outcome {
    let refused = StoreError::DiskFull { wanted_bytes: 1 };
    let work = || {
        store.write(|writer| {
            let mut counters = writer.reader().counters(id)?;
            if kind == Kind::Refuses {
                return Err(refused.clone());
            }
            counters.documents += 1;
            writer.set_counters(id, counters)?;
            match kind {
                Kind::Fails => Err(refused.clone()),
                Kind::Panics => std::panic::resume_unwind(Box::new("a panic of a test")),
                Kind::Nests => store.write(|_| Ok(0)),
                Kind::Counts | Kind::Refuses => Ok(counters.documents),
            }
        })
    };
    catch_unwind(AssertUnwindSafe(work)).ok()
}

fn counted(store: &Store, id: u32) -> u64 {
    let counters: Result<Counters, StoreError> = store.read(|reader| reader.counters(id));
    counters.expect("readable").documents
}

/// Runs writes that are all queued while the first one leads, and checks their results and the commits.
fn check(store: &Store, kinds: &[Kind], expected_commits: u64) {
    let (id, before) = (7, counted(store, 7));
    let (commits, writes) = (store.commits(), store.writes());
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let leader = scope.spawn(|| {
            let mut is_first_run = true;
            let led: Result<(), StoreError> = store.write(|writer| {
                while is_first_run && store.commit_queue().queued() < kinds.len() {
                    thread::yield_now();
                }
                is_first_run = false;
                writer.put_meta("leader", b"was here")
            });
            led
        });
        // A leader without followers may be done before this sees it.
        while !store.commit_queue().has_leader() && !leader.is_finished() {
            thread::yield_now();
        }
        let mut members = Vec::new();
        for (place, kind) in kinds.iter().enumerate() {
            members.push(scope.spawn(move || count(store, id, *kind)));
            // The queue has the order of `kinds`.
            while store.commit_queue().queued() <= place && !leader.is_finished() {
                thread::yield_now();
            }
        }
        assert_eq!(leader.join().expect("no panic"), Ok(()));
        members.into_iter().map(|member| member.join().expect("caught")).collect()
    });
    let mut number = before;
    for (kind, outcome) in kinds.iter().zip(outcomes) {
        let expected = match kind {
            Kind::Counts => {
                number += 1;
                Some(Ok(number))
            }
            Kind::Refuses | Kind::Fails => Some(Err(StoreError::DiskFull { wanted_bytes: 1 })),
            Kind::Panics => None,
            Kind::Nests => {
                assert!(matches!(outcome, Some(Err(StoreError::Bug { .. }))), "{outcome:?}");
                continue;
            }
        };
        assert_eq!(outcome, expected, "{kind:?} of {kinds:?}");
    }
    assert_eq!(counted(store, id), number, "{kinds:?}");
    assert_eq!(store.commits() - commits, expected_commits, "{kinds:?}");
    assert_eq!(store.writes() - writes, 1 + number - before, "{kinds:?}");
}

#[test]
fn writes_in_line_share_a_commit_and_none_pays_for_another() {
    use Kind::{Counts, Fails, Nests, Panics, Refuses};
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    check(&store, &[], 1);
    check(&store, &[Counts], 1);
    check(&store, &[Counts; 8], 1);
    check(&store, &[Counts, Refuses, Counts], 1);
    check(&store, &[Refuses, Refuses], 1);
    // Aborted and run again one by one.
    check(&store, &[Counts, Fails, Counts], 3);
    check(&store, &[Counts, Panics, Counts], 3);
    check(&store, &[Panics, Fails, Nests, Counts], 2);
    check(&store, &[Nests], 1);
    // More writes than fit in a group.
    check(&store, &[Counts; 70], 2);
}

/// As while two imports run: one leads, and the other is queued after a user's write.
#[test]
fn a_write_waits_for_no_more_than_the_batch_that_it_meets() {
    let check = |rows: usize, commits: u64| {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(folder.path());
        let before = store.commits();
        let (batches, met) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let batch = || {
            store.write(|writer| {
                let is_first = batches.fetch_add(1, Ordering::Relaxed) == 0;
                // Ends only once the others are queued.
                while is_first && store.commit_queue().queued() < 2 {
                    thread::yield_now();
                }
                (0..rows).try_for_each(|row| writer.put_meta(&row.to_string(), b"of a batch"))
            })
        };
        let small = || {
            store.write(|writer| {
                met.store(batches.load(Ordering::Relaxed), Ordering::Relaxed);
                writer.put_meta("small", b"of a person")
            })
        };
        thread::scope(|scope| {
            let is_awaited = |waiting: usize| {
                while !store.commit_queue().has_leader() || store.commit_queue().queued() < waiting
                {
                    thread::yield_now();
                }
            };
            let first = scope.spawn(batch);
            is_awaited(0);
            let small = scope.spawn(small);
            is_awaited(1);
            let second = scope.spawn(batch);
            for write in [first, small, second] {
                assert_eq!(write.join().expect("no panic"), Ok::<(), StoreError>(()));
            }
        });
        assert_eq!(met.into_inner(), 1, "batches before the small write, {rows} rows each");
        assert_eq!(store.commits() - before, commits, "{rows} rows in a batch");
    };
    check(1, 1);
    // A full batch commits at once, and the next queued write leads.
    check(GROUP_OPERATIONS_MAX, 2);
}

/// A panic in an observer ends the leader in the middle of its transaction, after the first of two followers
/// has run.
#[test]
fn what_a_leader_that_panics_had_not_committed_is_not_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    store.observe(|_| std::panic::resume_unwind(Box::new("a panic of a test")));
    let outcomes = thread::scope(|scope| {
        let leader = scope.spawn(|| {
            store.write(|writer| {
                while store.commit_queue().queued() < 2 {
                    thread::yield_now();
                }
                writer.put_meta("leader", b"was here")
            })
        });
        while !store.commit_queue().has_leader() {
            thread::yield_now();
        }
        let counts = scope.spawn(|| count(&store, 7, Kind::Counts));
        while store.commit_queue().queued() < 1 {
            thread::yield_now();
        }
        let fails = scope.spawn(|| {
            let write = || {
                store.write(|writer| {
                    let refused = std::io::Error::from_raw_os_error(13);
                    let failed: Result<(), StoreError> = writer.checked(Err(refused.into()));
                    failed
                })
            };
            catch_unwind(AssertUnwindSafe(write)).ok()
        });
        assert!(leader.join().is_err(), "it told that nothing can be written");
        (counts.join().expect("caught"), fails.join().expect("caught"))
    });
    assert_eq!(counted(&store, 7), 0);
    let is_unknown =
        |error: Option<StoreError>| matches!(error, Some(StoreError::OutcomeUnknown { .. }));
    assert!(is_unknown(outcomes.0.and_then(Result::err)), "nothing of it was written");
    assert!(is_unknown(outcomes.1.and_then(Result::err)));
    assert!(!store.commit_queue().has_leader());
}

#[test]
fn who_finds_the_line_full_waits_until_there_is_room() {
    const OUTSIDE: usize = 5;
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    thread::scope(|scope| {
        let leader = scope.spawn(|| {
            let led: Result<(), StoreError> = store.write(|_| {
                while store.commit_queue().blocked() < OUTSIDE {
                    thread::yield_now();
                }
                Ok(())
            });
            led
        });
        while !store.commit_queue().has_leader() {
            thread::yield_now();
        }
        for _ in 0..WRITES_WAITING_MAX + OUTSIDE {
            let small = thread::Builder::new().stack_size(256 << 10);
            let write = || assert!(matches!(count(&store, 7, Kind::Counts), Some(Ok(_))));
            small.spawn_scoped(scope, write).expect("a thread");
        }
        assert_eq!(leader.join().expect("no panic"), Ok(()));
    });
    assert_eq!(counted(&store, 7), (WRITES_WAITING_MAX + OUTSIDE) as u64);
    assert_eq!((store.commit_queue().queued(), store.commit_queue().blocked()), (0, 0));
}

#[test]
fn a_small_map_grows_below_a_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions { map_size_bytes: 1 << 20, ..StoreOptions::default() };
    let store = open_with(folder.path(), &options);
    let large = vec![7; 300_000];
    thread::scope(|scope| {
        for thread in 0_u32..8 {
            let (store, large) = (&store, &large);
            scope.spawn(move || {
                for number in 0..2 {
                    let name = format!("{thread}.{number}");
                    let written: Result<(), StoreError> =
                        store.write(|writer| writer.put_meta(&name, large));
                    written.expect("the write succeeds");
                }
            });
        }
    });
    for thread in 0..8 {
        for number in 0..2 {
            let name = format!("{thread}.{number}");
            let found: Result<usize, StoreError> =
                store.read(|reader| Ok(reader.meta(&name)?.map_or(0, <[u8]>::len)));
            assert_eq!(found, Ok(large.len()), "{name}");
        }
    }
}

#[test]
fn nothing_is_lost_between_many_threads_that_come_and_go() {
    const THREADS: u32 = 12;
    const WRITES: usize = 60;
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let acknowledged = AtomicUsize::new(0);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (store, acknowledged) = (&store, &acknowledged);
            scope.spawn(move || {
                for number in 0..WRITES {
                    let kind = match (number * 7 + thread as usize) % 23 {
                        0 => Kind::Fails,
                        1 => Kind::Panics,
                        2 | 3 => Kind::Refuses,
                        _ => Kind::Counts,
                    };
                    if number % 3 == 0 {
                        thread::yield_now();
                    }
                    let outcome = count(store, 1, kind);
                    let is_acknowledged = matches!(outcome, Some(Ok(_)));
                    assert_eq!(is_acknowledged, kind == Kind::Counts, "{kind:?} {outcome:?}");
                    acknowledged.fetch_add(usize::from(is_acknowledged), Ordering::Relaxed);
                }
                assert!(store.check().is_ok_and(|report| report.findings.is_empty()));
            });
        }
    });
    let acknowledged = acknowledged.into_inner() as u64;
    assert_eq!(counted(&store, 1), acknowledged);
    assert_eq!(store.writes(), acknowledged);
    assert!(store.commits() < store.writes(), "{} {}", store.commits(), store.writes());
    assert_eq!(store.commit_queue().queued(), 0);
    assert!(!store.commit_queue().has_leader());
}
