//! Removals on a clock that may be wrong.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use bson::doc;

use crate::reaper::{
    tests::{NOW_MS, World, date, namespace, world},
    *,
};
use crate::{
    archive::Settings,
    catalog::rules::CreateIndexesRequest,
    clock::{Clock, ClockStatus, FakeSystemClock, WaitEnd, WakeUp},
    collection::Collections,
    store::{RESTORED_META_NAME, Store, StoreOptions},
};

const DAY_MS: i64 = 86_400_000;

#[test]
fn a_jump_of_the_clock_removes_nothing_until_released() {
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(3_600 * 12) }, doc! { "_id": 1, "f": date(1) }]);
    world.reaper.run_scheduled_pass();
    clock.set(NOW_MS + DAY_MS);
    world.reaper.run_scheduled_pass();
    assert_eq!(world.left(), [0, 1]);
    assert!(world.reaper.held().is_some());
    // The hold outlives the reaper.
    let again = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    assert!(again.expect("a reaper").held().is_some());
    // The clock returns: the hold ends by itself.
    clock.pass(Duration::from_secs(2));
    clock.set(NOW_MS + 2_000);
    world.reaper.run_scheduled_pass();
    assert_eq!((world.left(), world.reaper.held()), (vec![0], None));
    // A jump that the user confirms.
    clock.set(NOW_MS + DAY_MS);
    world.reaper.run_scheduled_pass();
    assert_eq!(world.left(), [0]);
    assert!(world.reaper.release(None).expect("stored"));
    world.reaper.run_scheduled_pass();
    assert_eq!(world.left(), [] as [i32; 0]);
}

/// A world on a clock that claims to be the computer's, under a rule on `f`, after one pass.
fn fake_system() -> (World, Arc<FakeSystemClock>) {
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.reaper.run_scheduled_pass();
    (world, clock)
}

#[test]
fn a_small_step_holds_the_rule_it_empties_and_no_other() {
    let (world, clock) = fake_system();
    world.index(doc! { "key": { "g": 1 }, "name": "g", "expireAfterSeconds": 0 });
    world.insert((0..1_001).map(|id| doc! { "_id": id, "f": date(600) }));
    world.insert([doc! { "_id": 5_000, "g": date(600) }, doc! { "_id": 5_001, "f": date(-5) }]);
    clock.set(NOW_MS + 1_800_000);
    let pass = world.reaper.run_scheduled_pass().expect("not held as a whole");
    assert_eq!((pass.deleted, pass.held.is_some()), (1, true), "of the other rule");
    let held = world.reaper.held_indexes();
    assert_eq!(held.len(), 1);
    assert_eq!(held[0].reason, IndexHoldReason::LargeRemoval { documents: 1_001 });
    // The hold outlives the reaper, and ends when the clock returns.
    let again = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    assert_eq!(again.expect("a reaper").held_indexes(), held);
    clock.pass(Duration::from_secs(1));
    clock.set(NOW_MS + 1_000);
    assert_eq!(world.reaper.run_scheduled_pass().expect("not held").deleted, 1);
    assert_eq!(world.reaper.held_indexes(), []);
    assert_eq!(world.left().len(), 1_001);
}

#[test]
fn a_small_step_may_make_a_quarter_of_a_large_collection_due() {
    for (due, others, is_held) in [(1_074, 3_225, false), (1_075, 3_224, true)] {
        let (world, clock) = fake_system();
        let due_ids = (0..due).map(|id| doc! { "_id": id, "f": date(600) });
        world.insert(due_ids.chain((due..due + others).map(|id| doc! { "_id": id })));
        clock.set(NOW_MS + 1_800_000);
        let pass = world.reaper.run_scheduled_pass().expect("not held as a whole");
        assert_eq!(!world.reaper.held_indexes().is_empty(), is_held, "{due}");
        assert_eq!(pass.deleted, if is_held { 0 } else { 1_074 });
    }
}

#[test]
fn documents_that_are_due_anyway_are_not_held_after_a_small_step() {
    let (world, clock) = fake_system();
    world.insert((0..1_500).map(|id| doc! { "_id": id, "f": date(-600) }));
    clock.set(NOW_MS + 1_800_000);
    assert_eq!(world.reaper.run_scheduled_pass().expect("not held").deleted, 1_500);
}

#[test]
fn a_held_rule_is_released_or_catches_up() {
    for catches_up in [false, true] {
        let (world, clock) = fake_system();
        world.insert((0..1_001).map(|id| doc! { "_id": id, "f": date(600) }));
        clock.set(NOW_MS + 1_800_000);
        world.reaper.run_scheduled_pass();
        let rule = world.reaper.held_indexes()[0].rule;
        if catches_up {
            clock.pass(Duration::from_mins(10));
            clock.set(NOW_MS + 1_800_000 + 600_000);
        } else {
            assert!(world.reaper.release(Some(rule)).expect("stored"));
        }
        assert_eq!(world.reaper.run_scheduled_pass().expect("not held").deleted, 1_001);
    }
}

#[test]
fn a_hold_for_a_large_removal_survives_documents_that_are_restored() {
    let (world, clock) = fake_system();
    world.insert((0..1_001).map(|id| doc! { "_id": id, "f": date(600) }));
    clock.set(NOW_MS + 1_800_000);
    world.reaper.run_scheduled_pass();
    let held = world.reaper.held_indexes();
    let rule = held[0].rule;
    // Nothing is restored in the end.
    let holds = world.reaper.hold_for_restore(&[rule]).expect("stored");
    world.reaper.undo_hold_for_restore(&holds).expect("stored");
    assert_eq!(world.reaper.held_indexes(), held);
    world.reaper.run_scheduled_pass();
    assert_eq!(world.left().len(), 1_001);
    // Something is: the hold stays when the clock has returned.
    assert_eq!(world.reaper.hold_for_restore(&[rule]).expect("stored").len(), 1);
    assert_eq!(world.reaper.hold_for_restore(&[rule]).expect("stored"), [], "it is kept already");
    let kept = world.reaper.held_indexes();
    assert_eq!((kept[0].reason, kept[0].ahead_ms), (held[0].reason, held[0].ahead_ms));
    clock.pass(Duration::from_secs(1));
    clock.set(NOW_MS + 1_000);
    world.reaper.run_scheduled_pass();
    assert_eq!(world.reaper.held_indexes().len(), 1);
    // Another caller's hold is not reverted.
    let other = (rule.0, rule.1, true);
    assert_eq!(world.reaper.hold_for_restore(&[other]).expect("stored").len(), 1);
    let mine = world.reaper.hold_for_restore(&[rule, other]).expect("stored");
    world.reaper.undo_hold_for_restore(&mine).expect("stored");
    assert_eq!(world.reaper.held_indexes().len(), 2);
}

/// A system clock during whose next reading something else happens.
struct Interposed {
    time: FakeSystemClock,
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Clock for Interposed {
    fn now_ms(&self) -> i64 {
        self.time.now_ms()
    }

    fn monotonic(&self) -> Duration {
        self.time.monotonic()
    }

    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
        self.time.wait_until(deadline, wake)
    }

    fn status(&self) -> ClockStatus {
        self.time.status()
    }

    fn boot_id(&self) -> Option<String> {
        let meanwhile = self.meanwhile.lock().expect("not poisoned").take();
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        self.time.boot_id()
    }
}

#[test]
fn a_rule_that_is_made_and_held_while_a_pass_begins_stays_held() {
    let (time, meanwhile) = (FakeSystemClock::new(NOW_MS), Mutex::default());
    let clock = Arc::new(Interposed { time, meanwhile });
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    world.insert([doc! { "_id": 0, "f": date(-5) }]);
    world.reaper.run_scheduled_pass();
    let (collections, reaper) = (Arc::clone(&world.collections), Arc::clone(&world.reaper));
    let restore = move || {
        let request = CreateIndexesRequest {
            namespace: namespace(),
            indexes: vec![doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 }],
            ignore_unknown_options: false,
        };
        collections.create_indexes(&request, &mut |_| {}).expect("an index");
        let rule = targets(&collections.catalog())[0].identity();
        assert_eq!(reaper.hold_for_restore(&[rule]).expect("stored").len(), 1);
    };
    *clock.meanwhile.lock().expect("not poisoned") = Some(Box::new(restore));
    assert_eq!(world.reaper.run_scheduled_pass().expect("not all is held").deleted, 0);
    assert_eq!((world.left(), world.reaper.held_indexes().len()), (vec![0], 1));
}

#[test]
fn a_released_rule_stays_released_when_its_pass_is_ended() {
    let (world, clock) = fake_system();
    world.insert((0..1_001).map(|id| doc! { "_id": id, "f": date(600) }));
    clock.set(NOW_MS + 1_800_000);
    world.reaper.run_scheduled_pass();
    let rule = world.reaper.held_indexes()[0].rule;
    assert!(world.reaper.release(Some(rule)).expect("stored"));
    // A pass that passes the guard and is stopped before its end.
    assert_eq!(world.reaper.ask_guard().expect("not held").held, []);
    assert_eq!(world.reaper.held_indexes(), []);
    let again = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    let again = again.expect("a reaper");
    assert_eq!(again.run_scheduled_pass().expect("not held").deleted, 1_001);
}

/// Runs `work` while the guard can store nothing, as on a disk that fails.
fn with_failing_store<T: Send>(world: &World, work: impl Fn() -> T + Send + Sync) -> T {
    let done = world.collections.store().write(|_| Ok::<_, crate::store::StoreError>(work()));
    done.expect("nothing was written")
}

/// The reaper of the next session over the same store.
fn next_session(world: &World) -> Reaper {
    let again = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    again.expect("a reaper")
}

#[test]
fn a_hold_that_could_not_be_stored_is_stored_as_soon_as_it_can_be() {
    for at_the_end in [false, true] {
        let (world, clock) = fake_system();
        world.insert([doc! { "_id": 0, "f": date(3_600 * 12) }]);
        clock.set(NOW_MS + DAY_MS);
        assert!(with_failing_store(&world, || world.reaper.ask_guard()).is_none());
        assert!(world.reaper.held().is_some());
        // A program that is killed here meets the jump again.
        let killed = next_session(&world);
        assert_eq!(killed.held(), None, "it was not stored");
        assert!(with_failing_store(&world, || killed.ask_guard().is_none()));
        if at_the_end {
            world.reaper.stop();
        } else {
            assert_eq!(world.reaper.run_scheduled_pass(), None);
        }
        assert_eq!(next_session(&world).held(), world.reaper.held());
        assert!(world.reaper.held().is_some());
    }
}

#[test]
fn what_is_not_restored_because_its_hold_could_not_be_stored_is_not_held() {
    let (world, _) = fake_system();
    let rule = world.targets()[0].identity();
    let failed = with_failing_store(&world, || world.reaper.hold_for_restore(&[rule]));
    failed.expect_err("it can't be stored");
    assert_eq!(world.reaper.held_indexes(), []);
    world.reaper.run_scheduled_pass();
    assert_eq!(next_session(&world).held_indexes(), []);
}

#[test]
fn a_hold_that_is_made_while_a_pass_works_outlives_the_pass_and_the_program() {
    let (world, _) = fake_system();
    world.index(doc! { "key": { "g": 1 }, "name": "g", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(-5) }]);
    let permit = world.reaper.ask_guard().expect("not held");
    assert!(permit.state.is_some(), "to be stored with the first removal");
    let mut pass = pass::Pass::begin(&world.reaper, 1, permit, true);
    let rule = world.targets()[1].identity();
    world.reaper.hold_for_restore(&[rule]).expect("stored");
    while pass.step() == pass::Step::Again {}
    assert_eq!(pass.end().deleted, 1);
    let held = world.reaper.held_indexes();
    assert_eq!((held.len(), next_session(&world).held_indexes()), (1, held));
}

#[test]
fn a_restored_store_asks_before_it_removes() {
    let (world, _) = fake_system();
    world.insert([doc! { "_id": 0, "f": date(-5) }]);
    world.collections.store().mark_restored(NOW_MS).expect("marked");
    let opened = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    let opened = opened.expect("a reaper");
    opened.look_ahead();
    assert!(opened.held().is_some(), "said before the first pass");
    assert_eq!(world.reaper.run_scheduled_pass(), None);
    let again = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    assert_eq!(again.expect("a reaper").run_scheduled_pass(), None);
    assert!(world.reaper.release(None).expect("stored"));
    assert_eq!(world.reaper.run_scheduled_pass().map(|pass| pass.deleted), Some(1));
    let restored = world.collections.store().restored_ms();
    assert_eq!(restored.expect("read"), None);
}

#[test]
fn a_restored_store_that_could_not_be_marked_asks_too_and_is_marked_as_soon_as_it_can_be() {
    let (world, clock) = fake_system();
    world.insert([doc! { "_id": 0, "f": date(-5) }]);
    let place = tempfile::tempdir().expect("a folder");
    let (backup, folder) = (place.path().join("b"), place.path().join("data"));
    let mut go_on = |_| std::ops::ControlFlow::Continue(());
    world.collections.store().backup_to(&backup, &mut go_on).expect("a backup");
    std::fs::create_dir(&folder).expect("made");
    std::fs::copy(&backup, folder.join("data.mdb")).expect("copied");
    // No address space for more than the file has.
    let map_size_bytes = std::fs::metadata(&backup).expect("a file").len();
    let options = StoreOptions { map_size_bytes, now_ms: NOW_MS, ..StoreOptions::default() };
    let (store, _) = Store::open(&folder, &options).expect("it opens");
    let store = Arc::new(store);
    let is_marked = || {
        let mark = store.read(|reader| reader.meta(RESTORED_META_NAME).map(|mark| mark.is_some()));
        mark.expect("readable")
    };
    assert!(!is_marked());
    let collections = Collections::new(Arc::clone(&store), clock as Arc<dyn Clock>);
    let reaper = Reaper::new(Arc::new(collections.expect("readable")), Arc::default());
    let reaper = reaper.expect("a reaper");
    assert_eq!(reaper.run_scheduled_pass(), None);
    assert!(is_marked());
    assert!(reaper.release(None).expect("stored"));
    assert_eq!((is_marked(), store.restored_ms()), (false, Ok(None)));
    assert_eq!(reaper.run_scheduled_pass().map(|pass| pass.deleted), Some(1));
}

#[test]
fn an_explicit_pass_is_never_held() {
    let (world, clock) = fake_system();
    world.insert([doc! { "_id": 0, "f": date(3_600 * 24) }]);
    clock.set(NOW_MS + 2 * 86_400_000);
    assert_eq!(world.reaper.run_scheduled_pass(), None);
    assert_eq!(world.reaper.run_pass().deleted, 1);
}

#[test]
fn a_wrong_clock_empties_neither_archive_nor_trash() {
    let (world, clock) = fake_system();
    world.reaper.set_parameter(TtlParameter::TrashSecs, 3_600).expect("valid");
    let settings =
        Settings { target: String::new(), max_bytes: None, max_age_secs: Some(12 * 3_600) };
    world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    world.insert([doc! { "_id": 0, "f": date(0) }, doc! { "_id": 1, "f": date(3_600 * 12) }]);
    world.reaper.run_scheduled_pass();
    let kept = |world: &World| {
        let archive = world.reaper.archives().find(&namespace()).expect("an archive");
        let archived = archive.summary().expect("read").documents;
        (archived, world.reaper.trash_status().expect("read").documents)
    };
    clock.pass(Duration::from_hours(1));
    clock.set(NOW_MS + 3_600_000);
    assert_eq!((world.reaper.drain_due().is_some(), kept(&world)), (true, (0, 1)), "it gathers");
    clock.pass(Duration::from_mins(10));
    clock.set(NOW_MS + 4_200_000);
    world.reaper.run_scheduled_pass();
    world.reaper.drain_due();
    assert_eq!((world.left(), kept(&world)), (vec![1], (1, 0)));
    // No scheduled pass has noticed the jump yet. A pass is requested.
    clock.set(NOW_MS + DAY_MS);
    world.reaper.run_pass();
    assert_eq!((world.reaper.drain_due(), world.left(), kept(&world)), (None, vec![], (1, 1)));
    world.reaper.drain_now();
    assert_eq!(kept(&world), (1, 1));
    // The clock was right after all.
    world.reaper.release(None).expect("stored");
    clock.pass(Duration::from_hours(24));
    clock.set(NOW_MS + 2 * DAY_MS);
    world.reaper.run_scheduled_pass();
    world.reaper.drain_due();
    // The limit removes it at once, because so long ago it was removed.
    assert_eq!(kept(&world), (0, 0));
}

#[test]
fn a_machine_that_starts_with_a_wrong_clock_does_not_empty_an_archive() {
    const YEAR_MS: i64 = 365 * DAY_MS;
    let (world, clock) = fake_system();
    let settings =
        Settings { target: String::new(), max_bytes: None, max_age_secs: Some(365 * 86_400) };
    world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    world.insert([doc! { "_id": 0, "f": date(0) }]);
    world.reaper.run_scheduled_pass();
    world.reaper.drain_now();
    let archived = |reaper: &Reaper| {
        let archive = reaper.archives().find(&namespace()).expect("an archive");
        archive.summary().expect("read").documents
    };
    assert_eq!((world.left(), archived(&world.reaper)), (vec![], 1));
    clock.restart();
    clock.set(NOW_MS + 9 * YEAR_MS);
    let next = next_session(&world);
    next.run_pass();
    next.drain_now();
    assert_eq!(archived(&next), 1, "somebody asked for a pass, and for nothing of the archive");
    assert_eq!((next.run_scheduled_pass(), next.drain_due()), (None, None));
    assert_eq!(archived(&next), 1);
    // The user corrects the clock.
    clock.set(NOW_MS + DAY_MS);
    assert!(next.run_scheduled_pass().is_some());
    next.drain_due();
    assert_eq!((next.held(), archived(&next)), (None, 1));
    // So long a time has really gone by.
    clock.restart();
    clock.set(NOW_MS + 9 * YEAR_MS);
    assert_eq!(next.run_scheduled_pass(), None);
    next.release(None).expect("stored");
    assert!(next.run_scheduled_pass().is_some());
    next.drain_due();
    assert_eq!(archived(&next), 0);
}

#[test]
fn what_a_held_clock_hides_and_a_write_displaces_can_be_restored() {
    let (world, clock) = fake_system();
    world.index(doc! { "key": { "_ts": 1 }, "name": "ts", "expireAfterSeconds": 3_600 });
    world.insert([doc! { "_id": 0, "a": "old" }]);
    world.insert([doc! { "_id": 1 }]);
    clock.set(NOW_MS + DAY_MS);
    world.insert([doc! { "_id": 1, "a": "new" }]);
    assert_eq!(world.reaper.trash_status().expect("read").documents, 0, "nobody doubts it yet");
    world.reaper.run_scheduled_pass();
    assert!(world.reaper.held().is_some());
    world.insert([doc! { "_id": 0, "a": "new" }]);
    assert_eq!(world.reaper.trash_status().expect("read").documents, 1);
}
