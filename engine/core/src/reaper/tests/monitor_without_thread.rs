//! The monitor on a clock that the caller advances, as a lesson does.

use std::{sync::Arc, time::Duration};

use bson::doc;

use crate::{
    catalog::Dialect,
    clock::{Clock, FakeSystemClock},
    event::Event,
    reaper::{
        Monitor, SleepEnd, TtlParameter,
        tests::{NOW_MS, World, date, simulated, world},
    },
};

fn ttl(world: &World, documents: i32) {
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..documents).map(|id| doc! { "_id": id, "f": date(0) }));
}

fn next_secs(world: &World) -> i64 {
    (world.reaper.next_pass_ms().expect("it is planned") - NOW_MS) / 1_000
}

fn deleted(end: Option<SleepEnd>) -> u64 {
    let Some(SleepEnd::Pass(report)) = end else { panic!("no pass: {end:?}") };
    report.deleted
}

#[test]
fn a_pass_runs_when_its_sleep_is_over() {
    let (world, clock) = simulated();
    ttl(&world, 1);
    let mut monitor = Monitor::new(Arc::clone(&world.reaper));
    monitor.plan();
    assert_eq!((next_secs(&world), monitor.run_due()), (60, None));
    clock.advance_ms(59_999);
    assert_eq!(monitor.run_due(), None);
    clock.advance_ms(1);
    assert_eq!(deleted(monitor.run_due()), 1);
    assert_eq!((next_secs(&world), monitor.run_due()), (120, None));
    // A shorter sleep counts from its beginning, so this one is over.
    clock.advance_ms(30_000);
    world.reaper.set_parameter(TtlParameter::SleepSecs, 10).expect("valid");
    assert_eq!(deleted(monitor.run_due()), 0);
    assert_eq!(next_secs(&world), 100);
}

/// Scheduled passes of a database that follows Cosmos DB remove one to five minutes after the threshold, not at
/// the first pass. A requested pass doesn't wait.
#[test]
fn cosmos_db_removes_one_to_five_minutes_after_the_threshold() {
    let (world, clock) = simulated();
    world.collections.set_dialect("test", Dialect::Cosmos).expect("set");
    world.index(doc! { "key": { "_ts": 1 }, "name": "ttl", "expireAfterSeconds": 10 });
    let mut monitor = Monitor::new(Arc::clone(&world.reaper));
    let mut waits = Vec::new();
    for id in 0..30 {
        world.insert([doc! { "_id": id }]);
        let threshold_ms = clock.now_ms() + 10_000;
        while world.left().contains(&id) {
            clock.advance_ms(10_000);
            monitor.run_due();
        }
        waits.push((clock.now_ms() - threshold_ms) / 1_000);
        // So that the next one begins at another second of a pass's sleep.
        clock.advance_ms(7_000);
    }
    assert!(waits.iter().all(|secs| (60..=310).contains(secs)), "{waits:?}");
    assert!(waits.iter().any(|secs| *secs > 180), "not only the first passes: {waits:?}");
    world.insert([doc! { "_id": 30 }]);
    clock.advance_ms(10_000);
    assert_eq!(world.reaper.run_pass().deleted, 1);
}

#[test]
fn a_monitor_that_is_off_keeps_its_rhythm() {
    let (world, clock) = simulated();
    ttl(&world, 1);
    let mut monitor = Monitor::new(Arc::clone(&world.reaper));
    world.reaper.set_parameter(TtlParameter::Enabled, 0).expect("valid");
    clock.advance_ms(60_000);
    assert_eq!(monitor.run_due(), Some(SleepEnd::Off));
    assert_eq!((next_secs(&world), world.reaper.counters().passes.get()), (120, 0));
}

/// Each removed document takes a second: the pass judges by the instant at which it began, and the
/// next sleep begins at its end.
#[test]
fn time_may_pass_within_a_pass() {
    let (world, clock) = simulated();
    ttl(&world, 20);
    world.insert([doc! { "_id": 20, "f": date(65) }]);
    world.reaper.set_parameter(TtlParameter::BatchDocs, 7).expect("valid");
    world.hub.observe({
        let clock = Arc::clone(&clock);
        move |event| {
            if let Event::Removed { documents, .. } = event {
                clock.advance_ms(1_000 * i64::try_from(documents.len()).expect("few"));
            }
        }
    });
    let mut monitor = Monitor::new(Arc::clone(&world.reaper));
    clock.advance_ms(60_000);
    assert_eq!(deleted(monitor.run_due()), 20);
    assert_eq!((clock.now_ms(), next_secs(&world)), (NOW_MS + 80_000, 140));
    assert_eq!(world.left(), [20]);
    clock.advance_ms(60_000);
    assert_eq!(deleted(monitor.run_due()), 1);
}

#[test]
fn a_wall_clock_that_jumps_puts_the_pass_on_hold() {
    const YEAR_MS: i64 = 365 * 24 * 3_600_000;
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 3_600 });
    world.insert((0..100).map(|id| doc! { "_id": id, "f": date(0) }));
    let mut monitor = Monitor::new(Arc::clone(&world.reaper));
    clock.pass(Duration::from_mins(1));
    assert_eq!(deleted(monitor.run_due()), 0);
    clock.step_ms(YEAR_MS);
    assert_eq!(monitor.run_due(), None, "the wall clock does not end a sleep");
    clock.pass(Duration::from_mins(1));
    assert_eq!(monitor.run_due(), Some(SleepEnd::Held));
    assert_eq!(world.left().len(), 100);
}

#[test]
fn a_pass_with_nothing_to_find_is_counted() {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 90 });
    world.insert([doc! { "_id": 0, "f": date(0) }]);
    let events = world.hub.subscribe();
    let mut monitor = Monitor::new(Arc::clone(&world.reaper));
    let mut rules_seen = Vec::new();
    for pass in 1..=4 {
        if pass == 4 {
            world
                .index(doc! { "key": { "g": "hashed" }, "name": "never", "expireAfterSeconds": 0 });
        }
        clock.advance_ms(60_000);
        let Some(SleepEnd::Pass(report)) = monitor.run_due() else { panic!("a pass is due") };
        assert_eq!((report.number, report.sub_passes), (pass, 1));
        rules_seen.push(report.indexes.len());
    }
    assert_eq!(rules_seen, [0, 1, 0, 2], "the second removes, the fourth reports an index");
    let counters = world.reaper.counters();
    assert_eq!((counters.passes.get(), counters.sub_passes.get()), (4, 4));
    assert_eq!(counters.invalid_index_skips.get(), 1);
    let finished = |event: &Event| matches!(event, Event::PassFinished(_));
    assert_eq!(events.try_iter().filter(finished).count(), 4);
}
