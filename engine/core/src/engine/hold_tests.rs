//! The guard from end to end: an engine whose clock claims to be the computer's, with its thread,
//! and what commands say and do about it.

use std::{ops::ControlFlow, path::Path as FsPath, sync::Arc, time::Duration};

use bson::{Bson, DateTime, Document, doc};

use super::{ClockOption, Engine, EngineOptions, maintenance};
use crate::{
    archive::ARCHIVES_META,
    clock::{Clock, FakeSystemClock, work_time},
    collection::WriteError,
    command::testing::{at, spoil_meta, wait_for},
    event::{Event, Subscription},
    reaper::{GUARD_META_NAME, TRASH_SECS_META},
    store::{RESTORED_META_NAME, StoreError, Writer},
};

const START_MS: i64 = 1_800_000_000_000;
const MINUTE: Duration = Duration::from_mins(1);
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
const YEAR_MS: i64 = 365 * DAY_MS;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

struct Lab {
    engine: Engine,
    clock: Arc<FakeSystemClock>,
    events: Subscription,
}

impl Lab {
    fn open(folder: &FsPath, clock: &Arc<FakeSystemClock>) -> Self {
        let own = Arc::clone(clock) as Arc<dyn Clock>;
        let engine = Engine::open_on(folder, EngineOptions::default(), own).expect("an engine");
        let events = engine.subscribe();
        Self { engine, clock: Arc::clone(clock), events }
    }

    /// The reason for a hold that a program sees that only reads the store.
    fn reason_when_read(folder: &FsPath, clock: &Arc<FakeSystemClock>) -> Option<String> {
        let mut options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        options.store.read_only = true;
        let own = Arc::clone(clock) as Arc<dyn Clock>;
        let engine = Engine::open_on(folder, options, own).expect("an engine");
        let held = run(&engine, "admin", &doc! { "mayflyHeld": 1 });
        held.get_str("reason").ok().map(str::to_owned)
    }

    /// Documents with these thresholds, in milliseconds since 1970, under a rule that has made a
    /// pass.
    fn with_documents(folder: &FsPath, start_ms: i64, thresholds: &[i64]) -> Self {
        let lab = Self::open(folder, &Arc::new(FakeSystemClock::new(start_ms)));
        fill(&lab.engine, thresholds);
        lab.pass();
        lab
    }

    fn run(&self, db: &str, command: &Document) -> Document {
        run(&self.engine, db, command)
    }

    fn count(&self) -> i32 {
        self.run("test", &doc! { "count": "c" }).get_i32("n").expect("a count")
    }

    fn held(&self) -> Document {
        self.run("admin", &doc! { "mayflyHeld": 1 })
    }

    fn is_held(&self) -> bool {
        self.held().get_bool("held").expect("an answer")
    }

    /// Lets a minute go by and waits until the guard holds removals, or holds them no longer.
    fn until_held(&self, is_held: bool) {
        self.clock.pass(MINUTE);
        wait_for(&self.events, |event| match event {
            Event::HeldChanged { reason } => (reason.is_some() == is_held).then_some(()),
            _ => None,
        });
    }

    /// Lets time go by until the thread was held back that often more.
    fn held_passes(&self, count: u64) {
        let held = || self.engine.reaper().counters().held_passes.get();
        let until = work_time() + PATIENCE;
        for _ in 0..count {
            let before = held();
            self.clock.pass(MINUTE);
            while held() == before {
                assert!(work_time() < until, "the thread does not come");
                std::thread::yield_now();
            }
        }
    }

    /// Lets a minute go by and waits for the pass then.
    fn pass(&self) {
        self.clock.pass(MINUTE);
        wait_for(&self.events, |event| matches!(event, Event::PassFinished(_)).then_some(()));
    }

    /// The same folder in a new engine, with another definition of the collection.
    fn reopened_with(self, folder: &FsPath, definition: &[u8]) -> Self {
        let Self { engine, clock, .. } = self;
        let put = |writer: &mut Writer<'_>| {
            writer.put_catalog("test", "c", definition).map_err(WriteError::from)
        };
        engine.collections().store().write(put).expect("written");
        engine.close().expect("closed");
        Self::open(folder, &clock)
    }

    /// The same folder in a new engine, with a flipped bit in a value of the store itself.
    fn reopened_without(self, folder: &FsPath, name: &str) -> Self {
        let Self { engine, clock, .. } = self;
        engine.close().expect("closed");
        spoil_meta(folder, name);
        Self::open(folder, &clock)
    }

    fn reopened(self, folder: &FsPath) -> Self {
        let Self { engine, clock, .. } = self;
        engine.close().expect("closed");
        Self::open(folder, &clock)
    }

    fn warns(&self, words: &str) -> bool {
        self.engine.open_report().warnings.iter().any(|warning| warning.contains(words))
    }

    fn close(self) {
        self.engine.close().expect("closed");
    }
}

/// Documents with these thresholds, in milliseconds since 1970, under a rule.
fn fill(engine: &Engine, thresholds: &[i64]) {
    let index = doc! { "key": { "at": 1 }, "name": "ttl", "expireAfterSeconds": 0 };
    run(engine, "test", &doc! { "createIndexes": "c", "indexes": [index] });
    let documents: Vec<Bson> = thresholds
        .iter()
        .map(|ms| Bson::Document(doc! { "at": DateTime::from_millis(*ms) }))
        .collect();
    run(engine, "test", &doc! { "insert": "c", "documents": documents });
}

fn run(engine: &Engine, db: &str, command: &Document) -> Document {
    let reply = engine.run(db, command);
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
    reply
}

fn date(ms: i64) -> Bson {
    Bson::DateTime(DateTime::from_millis(ms))
}

const HALF_DAY_MS: i64 = DAY_MS / 2;

/// An engine under which the clock has jumped ahead by a day.
fn jumped(folder: &FsPath) -> Lab {
    let thresholds = [START_MS + HALF_DAY_MS, START_MS + HALF_DAY_MS, START_MS + 3 * DAY_MS];
    let lab = Lab::with_documents(folder, START_MS, &thresholds);
    lab.clock.step_ms(DAY_MS);
    lab.until_held(true);
    lab
}

#[test]
fn a_jump_of_a_day_is_told_with_both_clocks_and_counts_and_removes_nothing_until_released() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = jumped(folder.path());
    lab.held_passes(3);
    assert_eq!(lab.count(), 3);
    let now_ms = START_MS + 5 * MINUTE_MS;
    let held = lab.held();
    for (path, wanted) in [
        ("held", Bson::Boolean(true)),
        ("reason", "clockSteppedForward".into()),
        ("now", date(now_ms + DAY_MS)),
        ("expectedNow", date(now_ms)),
        ("lastPass", date(START_MS + MINUTE_MS)),
        ("due", Bson::Int64(2)),
        ("rules.0.ns", "test.c".into()),
        ("rules.0.index", "ttl".into()),
        ("rules.0.due", Bson::Int64(2)),
        ("holds.0.scope", "all".into()),
    ] {
        assert_eq!(at(&held, path), Some(wanted), "{path} in {held}");
    }
    let status = lab.run("admin", &doc! { "serverStatus": 1 });
    assert_eq!(at(&status, "metrics.ttl.held"), Some(Bson::Boolean(true)));
    assert_eq!(at(&status, "mayfly.reaper.stall"), Some(Bson::Null), "a hold has its own banner");
    let released = lab.run("admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
    assert_eq!(released.get_i64("deletedDocuments").ok(), Some(2), "{released}");
    assert_eq!((lab.count(), lab.is_held()), (1, false));
    lab.close();
}

#[test]
fn a_hold_outlives_a_restart_and_ends_by_itself_when_the_clock_returns() {
    let folder = tempfile::tempdir().expect("a folder");
    let Lab { engine, clock, .. } = jumped(folder.path());
    engine.close().expect("closed");
    let lab = Lab::open(folder.path(), &clock);
    assert!(lab.is_held());
    lab.held_passes(2);
    assert_eq!(lab.count(), 3);
    lab.clock.correct();
    lab.until_held(false);
    assert_eq!((lab.count(), lab.is_held()), (3, false));
    lab.close();
}

#[test]
fn what_somebody_keeps_paused_waits_also_when_the_clock_has_returned() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = jumped(folder.path());
    lab.run("admin", &doc! { "mayflyRelease": 1, "action": "keepPaused" });
    lab.clock.correct();
    lab.held_passes(2);
    assert_eq!((lab.count(), lab.is_held()), (3, true));
    let released = lab.run("admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
    assert_eq!(released.get_i64("deletedDocuments").ok(), Some(0), "{released}");
    assert_eq!((lab.count(), lab.is_held()), (3, false));
    lab.close();
}

/// Dates of a lesson are in the past on the system clock; their removals need a hold.
#[test]
fn a_store_from_a_simulated_clock_loses_nothing_on_the_computers_until_released() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let simulated = || {
        let clock = ClockOption::Simulated { start_ms: START_MS - YEAR_MS };
        Engine::open(folder, EngineOptions { clock, ..EngineOptions::default() }).expect("opened")
    };
    let lesson = simulated();
    fill(&lesson, &[START_MS - YEAR_MS + DAY_MS, START_MS - DAY_MS, START_MS + DAY_MS]);
    // Dropping the engine without a close leaves the store as a kill does.
    drop(lesson);
    let clock = Arc::new(FakeSystemClock::new(START_MS));
    for _ in 0..2 {
        let lab = Lab::open(folder, &clock);
        let held = lab.held();
        assert_eq!(at(&held, "reason"), Some("simulatedClock".into()), "said at once: {held}");
        assert_eq!(at(&held, "due"), Some(Bson::Int64(2)), "{held}");
        lab.held_passes(2);
        assert_eq!(lab.count(), 3);
        lab.close();
        // A simulated clock removes what it likes, and answers for no other.
        let lesson = simulated();
        let reaped = run(&lesson, "admin", &doc! { "mayflyReap": 1 });
        assert_eq!(reaped.get_i64("deletedDocuments").ok(), Some(0), "{reaped}");
        run(&lesson, "admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
        lesson.close().expect("closed");
    }
    let lab = Lab::open(folder, &clock);
    let released = lab.run("admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
    assert_eq!(released.get_i64("deletedDocuments").ok(), Some(2), "{released}");
    let lab = lab.reopened(folder);
    assert_eq!((lab.count(), lab.is_held()), (1, false), "an ordinary store again");
    lab.close();
}

/// The window opens stores this way: never on real time silently.
#[test]
fn a_store_continues_on_the_simulated_clock_it_last_ran_on() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let open = |clock| {
        Engine::open(folder, EngineOptions { clock, ..EngineOptions::default() }).expect("opened")
    };
    let is_simulated = |engine: &Engine| engine.simulated_clock().is_some();
    let ordinary = open(ClockOption::Stored);
    assert!(!is_simulated(&ordinary), "a new store");
    let refused = ordinary.run("admin", &doc! { "mayflyClock": 1, "paused": true });
    assert_eq!(at(&refused, "codeName"), Some("IllegalOperation".into()), "{refused}");
    ordinary.close().expect("closed");
    let lesson = open(ClockOption::Simulated { start_ms: START_MS });
    run(&lesson, "admin", &doc! { "mayflyClock": 1, "advanceMS": DAY_MS, "rate": 60.0 });
    // At once: the program may be killed before the next pass.
    let stored = crate::reaper::simulated_now_ms(lesson.collections.store()).expect("read");
    assert_eq!(stored, Some(START_MS + DAY_MS));
    lesson.close().expect("closed");
    for _ in 0..2 {
        let again = open(ClockOption::Stored);
        let clock = again.simulated_clock().expect("it is simulated").status();
        assert_eq!((clock.now_ms, clock.paused), (START_MS + DAY_MS, true));
        again.close().expect("closed");
    }
    let system = open(ClockOption::System);
    assert!(!is_simulated(&system), "asked for");
    run(&system, "admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
    system.close().expect("closed");
    assert!(!is_simulated(&open(ClockOption::Stored)), "released, so an ordinary store again");
}

#[test]
fn what_expired_before_the_first_pass_of_a_store_is_a_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(FakeSystemClock::new(START_MS));
    let lab = Lab::open(folder.path(), &clock);
    fill(&lab.engine, &[START_MS + DAY_MS, START_MS + YEAR_MS]);
    lab.close();
    clock.step_ms(40 * DAY_MS);
    clock.restart();
    let read = Lab::reason_when_read(folder.path(), &clock);
    assert_eq!(read.as_deref(), Some("noPassYet"));
    let lab = Lab::open(folder.path(), &clock);
    assert_eq!(at(&lab.held(), "reason"), Some("noPassYet".into()), "{}", lab.held());
    lab.held_passes(2);
    assert_eq!(lab.count(), 2);
    lab.run("admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
    assert_eq!((lab.count(), lab.is_held()), (1, false));
    lab.close();
}

#[test]
fn a_backup_of_last_year_loses_nothing_when_it_is_restored_until_released() {
    let place = tempfile::tempdir().expect("a folder");
    let (folder, file) = (place.path().join("store"), place.path().join("backup"));
    let now_ms = START_MS + YEAR_MS;
    let thresholds = [START_MS + DAY_MS, START_MS + 2 * DAY_MS, now_ms + DAY_MS];
    let lab = Lab::with_documents(&place.path().join("before"), START_MS, &thresholds);
    let store = lab.engine.collections().store();
    store.backup_to(&file, &mut |_| ControlFlow::Continue(())).expect("a backup");
    lab.close();

    // Another computer.
    let clock = Arc::new(FakeSystemClock::new(now_ms));
    clock.restart();
    let own = Arc::clone(&clock) as Arc<dyn Clock>;
    maintenance::restore(&file, &folder, false, &own, None, &mut |_| ControlFlow::Continue(()))
        .expect("restored");
    for _ in 0..2 {
        assert_eq!(Lab::reason_when_read(&folder, &clock).as_deref(), Some("restored"));
        let lab = Lab::open(&folder, &clock);
        let held = lab.held();
        assert_eq!(at(&held, "reason"), Some("restored".into()), "said at once: {held}");
        assert_eq!(at(&held, "due"), Some(Bson::Int64(2)), "{held}");
        lab.held_passes(2);
        assert_eq!(lab.count(), 3);
        lab.close();
        clock.restart();
    }
    let lab = Lab::open(&folder, &clock);
    let released = lab.run("admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
    assert_eq!(released.get_i64("deletedDocuments").ok(), Some(2), "{released}");
    lab.close();
    assert_eq!(Lab::reason_when_read(&folder, &clock), None);
    let lab = Lab::open(&folder, &clock);
    assert_eq!((lab.count(), lab.is_held()), (1, false), "an ordinary store again");
    lab.close();
}

#[test]
fn what_was_restored_stays_held_while_the_definition_of_its_collection_can_not_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::with_documents(folder.path(), START_MS, &[START_MS + 90_000]);
    lab.run("admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 600 });
    lab.pass();
    assert_eq!(lab.count(), 0);
    lab.run("test", &doc! { "mayflyRestoreTrash": "c" });
    let known = lab.engine.collections().store().read(|reader| {
        Ok::<_, StoreError>(reader.catalog_record("test", "c")?.expect("a definition").to_vec())
    });
    let lab = lab.reopened_with(folder.path(), b"no document");
    lab.pass();
    let lab = lab.reopened_with(folder.path(), &known.expect("read"));
    lab.pass();
    assert_eq!(at(&lab.held(), "reason"), Some("restoredDocuments".into()));
    assert_eq!(lab.count(), 1);
    lab.close();
}

/// State that decides about removals is damaged: nothing is removed before a release.
#[test]
fn what_is_damaged_holds_everything_until_released() {
    for name in [GUARD_META_NAME, RESTORED_META_NAME, ARCHIVES_META] {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let lab = Lab::with_documents(folder, START_MS, &[START_MS + 10 * MINUTE_MS]);
        lab.run("test", &doc! { "mayflyArchive": "c" });
        if name == RESTORED_META_NAME {
            lab.engine.collections().store().mark_restored(START_MS).expect("marked");
        }
        let mut lab = lab.reopened_without(folder, name);
        assert!(lab.warns("Removals are on hold until you release them"), "{name}");
        lab.clock.pass(10 * MINUTE);
        for _ in 0..2 {
            assert_eq!(at(&lab.held(), "reason"), Some("stateLost".into()), "{name}");
            lab.held_passes(2);
            assert_eq!(lab.count(), 1, "{name}");
            lab = lab.reopened(folder);
        }
        lab.run("test", &doc! { "mayflyArchive": "c" });
        let lab = lab.reopened(folder);
        assert_eq!(
            at(&lab.held(), "reason"),
            Some("stateLost".into()),
            "an archive doesn't answer"
        );
        let released = lab.run("admin", &doc! { "mayflyRelease": 1, "action": "deleteNow" });
        assert_eq!(released.get_i64("deletedDocuments").ok(), Some(1), "{name}: {released}");
        lab.run("admin", &doc! { "mayflyReap": 1 });
        let archived = lab.run("test", &doc! { "mayflyTrash": "c", "archived": true });
        assert!(at(&archived, "batch.0").is_some(), "{archived}");
        let lab = lab.reopened(folder);
        assert_eq!((lab.count(), lab.is_held()), (0, false), "{name}: an ordinary store again");
        lab.close();
    }
}

#[test]
fn what_was_restored_stays_when_the_state_of_the_guard_is_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::with_documents(folder.path(), START_MS, &[START_MS + 90_000]);
    lab.run("admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 600 });
    lab.pass();
    lab.run("test", &doc! { "mayflyRestoreTrash": "c" });
    let lab = lab.reopened_without(folder.path(), GUARD_META_NAME);
    lab.held_passes(2);
    assert_eq!(lab.count(), 1);
    lab.close();
}

#[test]
fn a_trash_whose_length_is_damaged_is_out_for_ten_minutes() {
    let folder = tempfile::tempdir().expect("a folder");
    let lab = Lab::with_documents(folder.path(), START_MS, &[START_MS + 90_000]);
    let secs = |lab: &Lab| {
        let reply = lab.run("admin", &doc! { "getParameter": 1, "mayflyTrashSecs": 1 });
        reply.get_i32("mayflyTrashSecs").expect("a number")
    };
    lab.run("admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 3_600 });
    let lab = lab.reopened_without(folder.path(), TRASH_SECS_META);
    assert!(lab.warns("Set mayflyTrashSecs again"));
    assert_eq!(secs(&lab), 600);
    lab.pass();
    let trash = lab.run("admin", &doc! { "mayflyTrash": 1 });
    assert_eq!((lab.count(), at(&trash, "trash.documents")), (0, Some(Bson::Int64(1))), "{trash}");
    lab.run("admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 3_600 });
    let lab = lab.reopened(folder.path());
    assert!(!lab.warns("mayflyTrashSecs"));
    assert_eq!(secs(&lab), 3_600);
    lab.close();
}
