//! The thread when something under it panics, and the alarm when it finishes no pass.

use std::{sync::Arc, time::Duration};

use bson::doc;

use crate::reaper::{
    tests::{NOW_MS, World, date, simulated, world},
    *,
};
use crate::{
    clock::{Clock, FakeSystemClock},
    command::testing::{FailingClock, failed_thread, wait_for},
    event::Event,
    limits::{THREAD_RETRY, WATCHDOG_GRACE, WATCHDOG_MIN},
};

const MINUTE: Duration = Duration::from_mins(1);

/// How long a test waits before it lets more time go by.
const LOOK: Duration = Duration::from_millis(10);

/// Lets time go by until passes have removed every document: the thread may not have begun to rest yet. Looks at the
/// store and not at events, of which the oldest are dropped while time runs fast.
fn until_removed(world: &World, clock: &FailingClock) {
    while !world.left().is_empty() {
        clock.time.pass(MINUTE);
        std::thread::park_timeout(LOOK);
    }
}

#[test]
fn a_panic_beside_a_pass_is_told_and_the_thread_continues_after_a_rest() {
    let clock = FailingClock::new(NOW_MS);
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(0) }]);
    let events = world.hub.subscribe();
    clock.fail_on(Some(THREAD_NAME));
    let threads = thread::start(&world.reaper).expect("threads");
    // Planning fails, and after the rest it fails again.
    assert_eq!(wait_for(&events, failed_thread), THREAD_NAME);
    let mut failed = events.try_iter().find_map(|event| failed_thread(&event));
    while failed.is_none() {
        // It may not have begun to rest yet.
        clock.time.pass(THREAD_RETRY);
        failed = events.recv_timeout(LOOK).ok().and_then(|event| failed_thread(&event));
    }
    clock.fail_on(None);
    until_removed(&world, &clock);
    // Asking the guard fails.
    let told = world.hub.subscribe();
    world.insert([doc! { "_id": 1, "f": date(0) }]);
    clock.fail_on(Some(THREAD_NAME));
    clock.time.pass(MINUTE);
    assert_eq!(wait_for(&told, failed_thread), THREAD_NAME);
    clock.fail_on(None);
    until_removed(&world, &clock);
    world.reaper.stop();
    for thread in threads {
        thread.join().expect("the thread ends");
    }
}

#[test]
fn a_pass_that_panics_is_followed_by_a_whole_sleep() {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(0) }]);
    world.collections.observe(|_| {
        assert!(std::thread::current().name() != Some(THREAD_NAME), "on purpose");
    });
    let events = world.hub.subscribe();
    let threads = thread::start(&world.reaper).expect("threads");
    clock.advance_ms(60_000);
    assert_eq!(wait_for(&events, failed_thread), THREAD_NAME);
    let next = wait_for(&events, |event| match event {
        Event::ReaperScheduled { next_pass_ms, .. } => Some(*next_pass_ms),
        Event::PassStarted { .. } => Some(None),
        _ => None,
    });
    assert_eq!(next, Some(NOW_MS + 120_000), "the next pass comes in its time");
    world.reaper.stop();
    for thread in threads {
        thread.join().expect("the thread ends");
    }
}

/// Lets time go by between two looks; what the second one says.
fn stall_after(reaper: &Reaper, clock: &FakeSystemClock, time: Duration) -> Option<Stall> {
    clock.pass(time);
    let _ = reaper.stall();
    clock.pass(WATCHDOG_GRACE);
    reaper.stall()
}

#[test]
fn a_monitor_that_finishes_no_pass_stalls() {
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    let reaper = &world.reaper;
    assert_eq!(stall_after(reaper, &clock, 10 * MINUTE), None, "there is no thread");
    reaper.note_heartbeat();
    assert_eq!(stall_after(reaper, &clock, 4 * MINUTE), None, "five minutes");
    assert_eq!(reaper.stall(), None);
    let stall = stall_after(reaper, &clock, Duration::from_secs(1)).expect("too long");
    assert_eq!(stall.since, WATCHDOG_MIN + WATCHDOG_GRACE + Duration::from_secs(1));
    let sentence = stall.sentence();
    assert!(sentence.starts_with("No pass has finished for 6 min"), "{sentence}");
    assert!(reaper.stall().is_some(), "until a pass ends");
    reaper.run_pass();
    assert_eq!(reaper.stall(), None);
}

#[test]
fn the_alarm_waits_for_five_sleeps_and_until_the_thread_has_woken() {
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    let reaper = &world.reaper;
    reaper.set_parameter(TtlParameter::SleepSecs, 3_600).expect("valid");
    reaper.note_heartbeat();
    assert_eq!(stall_after(reaper, &clock, 298 * MINUTE), None);
    assert!(stall_after(reaper, &clock, 2 * MINUTE).is_some());
    // The machine sleeps for a night; the thread wakes a moment after who looks.
    reaper.note_heartbeat();
    clock.pass(480 * MINUTE);
    assert_eq!(reaper.stall(), None);
    clock.pass(Duration::from_secs(15));
    reaper.note_heartbeat();
    assert_eq!(stall_after(reaper, &clock, MINUTE), None);
}

#[test]
fn a_monitor_that_is_off_or_held_or_on_simulated_time_does_not_stall() {
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let held = world(Arc::clone(&clock) as Arc<dyn Clock>);
    held.reaper.run_scheduled_pass();
    held.reaper.note_heartbeat();
    held.reaper.set_parameter(TtlParameter::Enabled, 0).expect("valid");
    assert_eq!(stall_after(&held.reaper, &clock, 60 * MINUTE), None, "it is off");
    held.reaper.set_parameter(TtlParameter::Enabled, 1).expect("valid");
    assert!(stall_after(&held.reaper, &clock, 60 * MINUTE).is_some());
    clock.step_ms(86_400_000);
    assert_eq!(held.reaper.run_scheduled_pass(), None);
    assert_eq!(stall_after(&held.reaper, &clock, 60 * MINUTE), None, "the guard holds it");
    let (lesson, simulated) = simulated();
    lesson.reaper.note_heartbeat();
    for ms in [3_600_000, 60_000] {
        simulated.advance_ms(ms);
        assert_eq!(lesson.reaper.stall(), None, "time is simulated");
    }
}
