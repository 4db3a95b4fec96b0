//! The history of passes counts each pass once, over restarts, for a year by the minute.

use std::{collections::BTreeMap, sync::Arc};

use bson::doc;
use proptest::prelude::*;

use super::{NOW_MS, World, date, simulated, world};
use crate::{
    clock::{Clock, FakeSystemClock},
    limits::{HISTORY_HOURS_MAX, HISTORY_MINUTE_HOURS_MAX},
    reaper::{
        Reaper,
        history::{PassHistory, encode},
    },
    reply::PassSpan,
};

const HOUR_MS: i64 = 3_600_000;
const EVER: (i64, i64) = (0, i64::MAX);

fn pass(at_ms: i64, removed: u64, left: u64) -> PassSpan {
    PassSpan { at_ms, passes: 1, removed, left, lag_p99_ms: removed, ..PassSpan::default() }
}

fn ttl_of_a_minute(world: &World) {
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 60 });
}

fn all(reaper: &Reaper) -> Vec<PassSpan> {
    reaper.history(EVER, 10_000).expect("read").0
}

#[test]
fn a_pass_leaves_its_numbers_and_a_restart_keeps_them() {
    let (world, clock) = simulated();
    ttl_of_a_minute(&world);
    world.insert((0..3).map(|id| doc! { "_id": id, "f": date(-60 + i64::from(id)) }));
    clock.advance_ms(4_000);
    world.reaper.run_scheduled_pass().expect("not held");
    clock.advance_ms(120_000);
    world.reaper.run_scheduled_pass().expect("not held");
    let check = |reaper: &Reaper| {
        let spans = all(reaper);
        let of = |span: &PassSpan| (span.at_ms - NOW_MS, span.passes, span.removed, span.left);
        assert_eq!(spans.iter().map(of).collect::<Vec<_>>(), [(0, 1, 3, 0), (120_000, 1, 0, 0)]);
        assert_eq!((spans[0].lag_p50_ms, spans[0].lag_p99_ms), (3_000, 4_000));
    };
    check(&world.reaper);
    world.reaper.keep_at_close();
    let again = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
    check(&again.expect("a reaper"));
}

#[test]
fn a_hold_counts_what_it_keeps() {
    let clock = Arc::new(FakeSystemClock::new(NOW_MS));
    let world = world(Arc::clone(&clock) as Arc<dyn Clock>);
    ttl_of_a_minute(&world);
    world.insert([doc! { "_id": 0, "f": date(3_600) }]);
    world.reaper.run_scheduled_pass().expect("not held");
    clock.set(NOW_MS + 24 * HOUR_MS);
    assert!(world.reaper.run_scheduled_pass().is_none(), "on hold");
    let spans = all(&world.reaper);
    let of = |span: &PassSpan| (span.passes, span.removed, span.left);
    assert_eq!(spans.iter().map(of).collect::<Vec<_>>(), [(1, 0, 0), (0, 0, 1)]);
}

#[test]
fn minutes_older_than_a_year_become_hours_and_hours_end_after_ten() {
    let (world, _) = simulated();
    let (store, history) = (world.collections.store(), PassHistory::default());
    for (minute, removed) in [(0, 5), (59, 7)] {
        history.note(store, pass(minute * 60_000, removed, minute.unsigned_abs()));
    }
    history.note(store, pass(HOUR_MS, 1, 0));
    history.keep(store);
    let spans = |hours: i64| {
        history.note(store, pass(hours * HOUR_MS, 1, 0));
        history.keep(store);
        let (spans, first_ms) = history.read(store, (0, 2 * HOUR_MS), 10_000).expect("read");
        let of = |span: &PassSpan| (span.at_ms, span.secs, span.passes, span.removed, span.left);
        (spans.iter().map(of).collect::<Vec<_>>(), first_ms)
    };
    let minutes = [(0, 60, 1, 5, 0), (59 * 60_000, 60, 1, 7, 59), (HOUR_MS, 60, 1, 1, 0)];
    assert_eq!(spans(HISTORY_MINUTE_HOURS_MAX - 1), (minutes.to_vec(), Some(0)));
    let hour = [(0, 3_600, 2, 12, 59), minutes[2]];
    assert_eq!(spans(HISTORY_MINUTE_HOURS_MAX), (hour.to_vec(), Some(0)));
    // As many hours as one writing removes.
    assert_eq!(spans(HISTORY_HOURS_MAX).0, [(HOUR_MS, 3_600, 1, 1, 0)]);
}

#[test]
fn a_year_of_busy_minutes_fits_in_32_megabytes() {
    let minute = |minute: i64| PassSpan {
        secs: 60,
        passes: 60,
        left: 10_000_000,
        lag_p50_ms: 60_000,
        lag_p99_ms: 3_600_000,
        duration_micros: 60_000_000,
        ..pass(minute * 60_000, 1_000_000_000, 0)
    };
    let hour = encode(&(0..60).map(minute).collect::<Vec<_>>());
    let bytes = hour.len() * usize::try_from(HISTORY_MINUTE_HOURS_MAX).expect("some hours");
    assert!(bytes < 32_000_000, "{bytes}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn every_pass_is_counted_once(
        steps in proptest::collection::vec(
            (prop_oneof![0..30_000_i64, 0..400_000_i64, 0..9_000_000_i64], 0..9_u64, 0..4_u64, any::<u8>()),
            1..150,
        ),
        from in 0..1_000_000_i64,
        spans_max in 1..40_i64,
    ) {
        let (world, _) = simulated();
        let store = world.collections.store();
        let mut history = PassHistory::default();
        let mut model: BTreeMap<i64, (u64, u64, u64)> = BTreeMap::new();
        let mut at_ms = NOW_MS;
        for (step_ms, removed, left, chance) in steps {
            at_ms += step_ms;
            history.note(store, pass(at_ms, removed, left));
            let minute = model.entry(at_ms - at_ms % 60_000).or_default();
            *minute = (minute.0 + 1, minute.1 + removed, minute.2.max(left));
            if chance < 40 {
                history.keep(store);
            }
            if chance < 5 {
                history = PassHistory::default();
            }
        }
        let of = |span: &PassSpan| (span.at_ms, (span.passes, span.removed, span.left));
        let expected: Vec<_> = model.into_iter().collect();
        let (spans, first_ms) = history.read(store, EVER, 1_000_000).expect("read");
        prop_assert_eq!(&spans.iter().map(of).collect::<Vec<_>>(), &expected);
        prop_assert!(first_ms.is_some_and(|first_ms| first_ms <= expected[0].0));

        // Fewer spans hold the same together, and a part holds its part.
        let from_ms = NOW_MS + from - from % 60_000;
        let (spans, _) = history.read(store, (from_ms, at_ms + 1), spans_max).expect("read");
        prop_assert!(spans.len() <= usize::try_from(spans_max).unwrap_or(0) + 1);
        let later = expected.iter().filter(|(at_ms, _)| *at_ms >= from_ms);
        let passes: u64 = spans.iter().map(|span| span.passes).sum();
        prop_assert_eq!(passes, later.map(|(_, (passes, ..))| passes).sum::<u64>());
    }
}
