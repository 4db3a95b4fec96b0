//! A `kill -9` at any moment leaves a change and its oplog entry, or neither: a secondary that
//! applies the oplog holds the same documents.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use mayfly_engine::catalog::Namespace;
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::replication::{OplogKind, Role};
use mayfly_engine::store::{RecordNumber, Scan, StoreError, StoreOptions};
use mayfly_tests::random::{self, Random};
use mayfly_tests::removals::{COLLECTION, DB, NOW_MS};
use mayfly_tests::victim::write_until_killed;

/// Maximum milliseconds between the writer's first acknowledgment and the first kill.
const LIFE_MS_MAX: usize = 90;

/// Each later kill may come later by as much, so that a slow machine removes documents too. From
/// this kill on no more: 500 of them would wait for hours.
const LIFE_TIMES_MAX: usize = 20;

fn open(folder: &Path, role: Role) -> Engine {
    let store = StoreOptions { full_check: true, ..StoreOptions::default() };
    let clock = ClockOption::Simulated { start_ms: NOW_MS };
    let options = EngineOptions { clock, run_reaper: false, oplog: Some(role), store };
    Engine::open(folder, options).expect("the store opens")
}

/// Every document with its record number and time, byte for byte.
fn documents(engine: &Engine) -> Vec<(RecordNumber, i64, Vec<u8>)> {
    let catalog = engine.collections().catalog();
    let collection = catalog.collection(&Namespace::new(DB, COLLECTION)).expect("exists");
    let read = engine.collections().store().read(|reader| {
        let all = reader.documents(collection.id, 0, Scan::Forward)?;
        all.map(|row| row.map(|row| (row.record, row.modified_ms, row.bytes.to_vec())))
            .collect::<Result<_, StoreError>>()
    });
    read.expect("readable")
}

#[test]
fn a_secondary_follows_a_primary_that_is_killed() {
    let seed = random::seed(20_261_124);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (store, other) = (folder.path().join("store"), folder.path().join("other"));
    let (mut next, mut removed, mut kills) = (0, 0, 0);
    while kills < random::count(12) || removed == 0 && kills < 100 {
        kills += 1;
        let life_max = LIFE_MS_MAX * kills.min(LIFE_TIMES_MAX);
        let life = Duration::from_millis(random.below(life_max) as u64);
        let mut writer = Command::new(env!("CARGO_BIN_EXE_removal_writer"));
        writer.arg(&store).arg(next.to_string()).arg("oplog");
        write_until_killed(&mut writer, life);
        let (primary, secondary) = (open(&store, Role::Primary), open(&other, Role::Secondary));
        let (source, target) = (primary.member(), secondary.member());
        let (source, target) = (source.expect("a member"), target.expect("a member"));
        let (before, until) = (target.position(), source.position().expect("readable"));
        while target.apply_from(source, until).expect("applied") > 0 {}
        assert_eq!(documents(&primary), documents(&secondary), "kill {kills}");
        let entries = source.entries_after(before.expect("readable"), usize::MAX);
        let expired = entries.expect("readable").into_iter();
        let expired = expired.filter(|entry| entry.kind == OplogKind::TtlDelete);
        removed += expired.map(|entry| entry.documents).sum::<u64>();
        let report = primary.collections().verify(&mut |_| true).expect("readable");
        assert_eq!(report.findings, [], "kill {kills}");
        let counters = primary.collections().store().read(|reader| {
            let collection = primary.collections().catalog();
            let collection = collection.collection(&Namespace::new(DB, COLLECTION));
            reader.counters(collection.expect("exists").id.0)
        });
        let inserted = counters.expect("readable").documents + removed;
        next = i64::try_from(inserted).expect("few");
        secondary.close().expect("the store closes");
        primary.close().expect("the store closes");
    }
    println!("{next} documents written, {removed} removed");
    assert!(removed > 0, "nothing was removed");
}
