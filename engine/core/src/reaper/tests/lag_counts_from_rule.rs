//! Lag counts from the later of a document's threshold and the rule that made it overdue: a pass
//! that comes right after a new index is on time.

use super::*;

/// How late the next pass removes each document, by `_id`, in milliseconds.
fn lags(world: &World) -> Vec<(i32, i64)> {
    let events = world.hub.subscribe();
    let report = world.reaper.run_pass();
    let removed = events.try_iter().filter_map(|event| match event {
        Event::Removed { documents, .. } => Some(documents),
        _ => None,
    });
    let lag = |document: &RemovedDocument| (document.id.as_i32().unwrap_or(-1), document.lag_ms());
    let mut lags: Vec<_> = removed.flatten().map(|document| lag(&document)).collect();
    lags.sort_unstable();
    let most = lags.iter().map(|(_, lag_ms)| *lag_ms).max();
    assert_eq!(report.indexes.iter().map(|index| index.lag_max_ms).max(), most);
    lags
}

fn change(world: &World, secs: i64) {
    let request = CollModRequest {
        namespace: namespace(),
        index: Some(doc! { "name": "ttl", "expireAfterSeconds": secs }.into()),
        expire_after_seconds: None,
        others: Document::new(),
        dry_run: false,
    };
    world.collections.coll_mod(&request).expect("changed");
}

#[test]
fn of_a_new_index_from_its_creation() {
    let (world, clock) = simulated();
    let day = 86_400;
    world.insert([doc! { "_id": 0, "f": date(-40 * day) }, doc! { "_id": 1, "f": date(5) }]);
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    clock.advance_ms(12_000);
    assert_eq!(lags(&world), [(0, 12_000), (1, 7_000)]);
}

#[test]
fn of_a_shorter_ttl_from_the_change_and_of_a_longer_one_from_before() {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 3_600 });
    world.insert([doc! { "_id": 0, "f": date(0) }, doc! { "_id": 1, "f": date(-3_595) }]);
    clock.advance_ms(100_000);
    change(&world, 60);
    clock.advance_ms(1_000);
    assert_eq!(lags(&world), [(0, 1_000), (1, 1_000)]);
    world.insert([doc! { "_id": 2, "f": date(0) }]);
    clock.advance_ms(100_000);
    change(&world, 90);
    clock.advance_ms(1_000);
    // Due at 90 s; the rule was shortened at 100 s, and made longer at 201 s.
    assert_eq!(lags(&world), [(2, 102_000)]);
}

#[test]
fn it_is_known_after_a_restart_and_under_another_name() {
    let (world, clock) = simulated();
    world.insert([doc! { "_id": 0, "f": date(-1_000) }]);
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    let since_ms = |collections: &Collections, namespace: &Namespace| {
        let collection = collections.catalog().collection(namespace).expect("there");
        collection.index("ttl").and_then(|index| index.ttl_since_ms)
    };
    assert_eq!(since_ms(&world.collections, &namespace()), Some(NOW_MS));
    clock.advance_ms(9_000);
    let to = Namespace::new("test", "d");
    world.collections.rename(&namespace(), &to).expect("renamed");
    assert_eq!(since_ms(&world.collections, &to), Some(NOW_MS));
    let store = Arc::clone(world.collections.store());
    let again = Collections::new(store, clock as Arc<dyn Clock>).expect("collections");
    assert_eq!(since_ms(&again, &to), Some(NOW_MS));
}
