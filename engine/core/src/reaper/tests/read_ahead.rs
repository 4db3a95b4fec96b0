//! Reading ahead for several transactions removes the same documents as reading for one.

use std::time::Duration;

use bson::doc;

use crate::reaper::{
    batch::{self, Allowance, Position},
    parameters::Limits,
    tests::{World, date, simulated},
};
use crate::value::id_number::made;

/// Ten documents that are due, in no order of time, and two that are not.
fn world() -> World {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    let offsets = [-5, -900, 10, -30, -700, -2, -60, -61, -1, 20, -800, -3];
    world.insert((0..).zip(offsets).map(|(id, offset)| doc! { "_id": id, "f": date(offset) }));
    world
}

/// The ids that each transaction of `docs` documents removes.
fn removals(world: &World, docs: u64, ahead: u64) -> Vec<Vec<i32>> {
    let target = &world.targets()[0];
    let allowance = Allowance {
        now_ms: world.collections.clock().now_ms(),
        last_threshold_ms: world.collections.clock().now_ms(),
        pass: 1,
        limits: Limits { docs, time: Duration::from_hours(1) },
        ahead,
        bytes: u64::MAX,
        state: None,
    };
    let (mut position, mut steps) = (Some(Position::default()), Vec::new());
    while let Some(at) = position {
        let batch = batch::run(&world.collections, target, &at, allowance, &|| true);
        let batch = batch.expect("a step");
        assert_eq!(batch.deleted, batch.lags_ms.len() as u64);
        let ids = batch.removed.iter().map(|removed| removed.id.as_i32().expect("an id"));
        let mut ids: Vec<i32> = ids.collect();
        ids.sort_unstable();
        steps.push(ids);
        position = batch.next;
    }
    steps.retain(|ids| !ids.is_empty());
    steps
}

#[test]
fn documents_go_part_by_part_of_the_collection() {
    let check = |docs, ahead, expected: &[&[i32]]| {
        let world = world();
        assert_eq!(removals(&world, docs, ahead), expected, "{docs} of {ahead}");
        assert_eq!(world.left(), [2, 9]);
        assert_eq!(world.reaper.run_pass().deleted, 0, "nothing is left to remove");
    };
    check(4, 0, &[&[1, 4, 7, 10], &[0, 3, 6, 11], &[5, 8]]);
    check(4, 4, &[&[1, 4, 7, 10], &[0, 3, 6, 11], &[5, 8]]);
    check(4, 50, &[&[0, 1, 3, 4], &[5, 6, 7, 8], &[10, 11]]);
    check(3, 5, &[&[1, 4, 6], &[7, 10], &[0, 3, 5], &[8, 11]]);
    check(50, 50, &[&[0, 1, 3, 4, 5, 6, 7, 8, 10, 11]]);
}

#[test]
fn a_transaction_takes_as_many_as_it_may_while_the_disk_has_room() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    let documents = i32::try_from(crate::limits::BATCH_DOCS_MAX).expect("few") + 1;
    world.insert((0..documents).map(|id| doc! { "_id": id, "f": date(-1) }));
    assert_eq!(removals(&world, 10_000, 10_000).len(), 1);
    assert_eq!(world.left(), [] as [i32; 0]);
}

#[test]
fn what_was_read_ahead_is_looked_at_again() {
    let world = world();
    let target = &world.targets()[0];
    let collection = world.collections.catalog().collection(&super::namespace());
    let collection = collection.expect("there");
    let allowance = Allowance {
        now_ms: world.collections.clock().now_ms(),
        last_threshold_ms: world.collections.clock().now_ms(),
        pass: 1,
        limits: Limits { docs: 4, time: Duration::from_hours(1) },
        ahead: 50,
        bytes: u64::MAX,
        state: None,
    };
    let run = |at: &Position| {
        batch::run(&world.collections, target, at, allowance, &|| true).expect("a step")
    };
    let first = run(&Position::default());
    assert_eq!(first.deleted, 4);
    // Document 5 gets more time, document 6 is gone before its turn.
    let later = bson::RawDocumentBuf::try_from(&doc! { "_id": 5, "f": date(500) }).expect("raw");
    world
        .collections
        .write(|writer| {
            writer.replace(&collection, made(5), &later)?;
            writer.delete(&collection, made(6))?;
            Ok::<_, crate::collection::WriteError>(())
        })
        .expect("written");
    let (mut deleted, mut position) = (0, first.next);
    while let Some(at) = position {
        let batch = run(&at);
        (deleted, position) = (deleted + batch.deleted, batch.next);
    }
    assert_eq!((deleted, world.left()), (4, vec![2, 5, 9]));
}
