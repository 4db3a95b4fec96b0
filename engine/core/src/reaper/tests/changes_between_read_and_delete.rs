//! Changes to documents between the read that finds them due and the transaction that removes them.

use std::{cell::Cell, sync::Arc};

use bson::{Document, RawDocumentBuf, doc};

use crate::reaper::{
    batch::{self, Allowance, Position},
    tests::{NOW_MS, World, date, namespace, simulated},
};
use crate::{
    archive::Settings,
    catalog::{
        CollectionMeta, Namespace,
        rules::{CollModRequest, IndexSelector},
    },
    collection::WriteError,
    value::id_number::made,
};

fn ttl() -> Document {
    doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 }
}

fn present(world: &World) -> Arc<CollectionMeta> {
    world.collections.catalog().collection(&namespace()).expect("there")
}

fn due() -> impl Iterator<Item = Document> {
    (0..5).map(|id| doc! { "_id": id, "f": date(-10) })
}

/// Removes what is due of five documents, with a change at the last moment; which are left.
#[track_caller]
fn check(change: impl Fn(&World) -> bool, left: &[i32]) -> World {
    let (world, _) = simulated();
    world.index(ttl());
    world.insert(due());
    let (targets, was_asked) = (world.targets(), Cell::new(0));
    let allowance = Allowance {
        now_ms: NOW_MS,
        last_threshold_ms: NOW_MS,
        pass: 1,
        limits: world.reaper.parameters().batch_limits(),
        ahead: 0,
        bytes: u64::MAX,
        state: None,
    };
    let may_remove = || {
        was_asked.set(was_asked.get() + 1);
        change(&world)
    };
    let begin = Position::default();
    let step = batch::run(&world.collections, &targets[0], &begin, allowance, &may_remove);
    let deleted = step.expect("looked at").deleted;
    assert_eq!((world.left().as_slice(), was_asked.get()), (left, 1));
    assert_eq!(deleted > 0, left.len() < 5, "only what was removed is counted");
    world
}

fn replace(world: &World, id: i32, document: &Document) {
    let document = RawDocumentBuf::try_from(document).expect("raw");
    let collection = present(world);
    let record = made(id);
    let replaced = world.collections.write(|writer| {
        writer.replace(&collection, record, &document)?;
        Ok::<_, WriteError>(())
    });
    replaced.expect("replaced");
}

#[test]
fn what_is_not_due_any_more_stays() {
    check(|_| true, &[]);
    check(|_| false, &[0, 1, 2, 3, 4]);
    let later = |world: &World| {
        replace(world, 1, &doc! { "_id": 1, "f": date(1) });
        replace(world, 2, &doc! { "_id": 2, "f": "no date" });
        replace(world, 3, &doc! { "_id": 3, "f": date(-20) });
        true
    };
    check(later, &[1, 2]);
}

#[test]
fn a_rule_that_is_gone_or_another_one_removes_nothing() {
    let coll_mod = |secs: i64| {
        move |world: &World| {
            let request = CollModRequest {
                namespace: namespace(),
                index: Some(doc! { "name": "ttl", "expireAfterSeconds": secs }.into()),
                expire_after_seconds: None,
                others: Document::new(),
                dry_run: false,
            };
            world.collections.coll_mod(&request).expect("changed");
            true
        }
    };
    check(coll_mod(0), &[]);
    check(coll_mod(1), &[0, 1, 2, 3, 4]);
    check(coll_mod(3_600), &[0, 1, 2, 3, 4]);
    let drop_index = |world: &World| {
        let all = IndexSelector::Names(vec!["ttl".to_owned()]);
        world.collections.drop_indexes(&namespace(), &all).expect("dropped");
        true
    };
    check(drop_index, &[0, 1, 2, 3, 4]);
    let made_again = |world: &World| {
        drop_index(world);
        world.index(ttl());
        true
    };
    check(made_again, &[0, 1, 2, 3, 4]);
}

#[test]
fn a_collection_in_the_place_of_another_loses_nothing() {
    let dropped = |world: &World| {
        world.collections.drop_collection(&namespace()).expect("dropped");
        world.index(ttl());
        world.insert(due());
        true
    };
    check(dropped, &[0, 1, 2, 3, 4]);
    let renamed = |world: &World| {
        let other = Namespace::new("test", "d");
        world.collections.rename(&namespace(), &other).expect("renamed");
        world.index(ttl());
        world.insert(due());
        true
    };
    check(renamed, &[0, 1, 2, 3, 4]);
    // The next pass lists its rules under the new name.
    let and_back = |world: &World| {
        let other = Namespace::new("test", "d");
        world.collections.rename(&namespace(), &other).expect("renamed");
        world.collections.rename(&other, &namespace()).expect("renamed");
        true
    };
    check(and_back, &[]);
}

#[test]
fn an_archive_that_is_switched_on_gets_the_documents() {
    let archive = |world: &World| {
        let settings = Settings { target: String::new(), max_bytes: None, max_age_secs: None };
        world.reaper.archives().switch_on(&namespace(), settings).is_ok()
    };
    let world = check(archive, &[]);
    let archive = world.reaper.archives().find(&namespace()).expect("an archive");
    assert_eq!(archive.summary().expect("read").documents, 0);
    world.reaper.drain_now();
    assert_eq!(archive.summary().expect("read").documents, 5);
}
