//! Documents go to the archive before they are removed, or not at all.

use std::{collections::BTreeSet, fs, ops::ControlFlow, path::PathBuf, sync::Arc};

use bson::doc;

use crate::reaper::{
    archiving,
    batch::{self, Allowance},
    tests::{World, date, namespace, simulated},
    *,
};
use crate::{
    archive::{ARCHIVES_META, ScanStart, Settings},
    collection::{EvictedDocument, ExpiredDocument, ExpiredSink as _},
    value::id_number::made,
};

fn archived_world() -> (World, Arc<crate::clock::SimulatedClock>) {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 60 });
    world.insert((0..6).map(|id| doc! { "_id": id, "f": date(if id < 4 { -60 } else { 0 }) }));
    let settings = Settings { target: String::new(), max_bytes: None, max_age_secs: None };
    world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    (world, clock)
}

fn archived(world: &World) -> Vec<i32> {
    let archive = world.reaper.archives().find(&namespace()).expect("an archive");
    let mut ids = Vec::new();
    archive
        .scan(&ScanStart::default(), &mut |archived| {
            ids.push(archived.expired.document.get_i32("_id").expect("an id"));
            ControlFlow::Continue(())
        })
        .expect("read");
    ids.sort_unstable();
    ids
}

fn folder(world: &World) -> PathBuf {
    world.collections.store().folder().join("archive/test.c")
}

#[test]
fn what_expires_is_archived_and_removed() {
    let (world, clock) = archived_world();
    assert_eq!(world.reaper.run_pass().deleted, 4);
    assert_eq!((world.left(), archived(&world)), (vec![4, 5], vec![0, 1, 2, 3]));
    world.reaper.archives().switch_off(&namespace()).expect("switched off");
    clock.advance_ms(60_000);
    assert_eq!(world.reaper.run_pass().deleted, 2);
    assert_eq!(archived(&world), [0, 1, 2, 3], "what was archived stays, nothing is added");
}

#[test]
fn nothing_is_removed_on_simulated_time_either_while_the_list_of_archives_is_lost() {
    let (world, _) = archived_world();
    let store = world.collections.store();
    store.write(|writer| writer.put_meta(ARCHIVES_META, b"no list")).expect("written");
    let again = || {
        let reaper = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
        reaper.expect("a reaper")
    };
    for was_found in [true, false] {
        let reaper = again();
        assert_eq!(reaper.lost().is_empty(), !was_found);
        assert_eq!(reaper.held().map(|held| held.reason), Some(HoldReason::StateLost));
        assert!(reaper.run_scheduled_pass().is_none());
    }
    let reaper = again();
    let settings = Settings { target: String::new(), max_bytes: None, max_age_secs: None };
    reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    assert!(reaper.release(None).expect("stored"));
    assert_eq!(reaper.run_scheduled_pass().expect("not held").deleted, 4);
    assert_eq!((world.left(), archived(&world)), (vec![4, 5], vec![0, 1, 2, 3]));
}

#[test]
fn nothing_is_removed_while_the_archive_fails() {
    let (world, clock) = archived_world();
    fs::create_dir_all(folder(&world).parent().expect("a parent")).expect("made");
    fs::write(folder(&world), "a file in the way").expect("written");
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, world.left().len()), (0, 6));
    let error = report.indexes[0].error.clone().expect("the report says why");
    assert!(error.contains("Can't write the archive of test.c"), "{error}");
    fs::remove_file(folder(&world)).expect("removed");
    assert_eq!(world.reaper.run_pass().deleted, 0, "it is not tried at once");
    clock.advance_ms(5_000);
    assert_eq!(world.reaper.run_pass().deleted, 4);
    assert_eq!(archived(&world), [0, 1, 2, 3]);
}

fn allowance(world: &World) -> Allowance<'static> {
    Allowance {
        now_ms: world.collections.clock().now_ms(),
        pass: 1,
        limits: world.reaper.parameters().batch_limits(),
        ahead: 0,
        bytes: u64::MAX,
        state: None,
        trash_ms: None,
    }
}

/// Archives what is due and stops there, as a kill does.
fn archive_only(world: &World) -> Option<Arc<crate::archive::ArchivedVersions>> {
    let (target, allowance) = (&world.targets()[0], allowance(world));
    let archives = world.reaper.archives();
    let records: Vec<_> = (0..6).map(made).collect();
    let kept = archiving::keep(&world.collections, archives, target, &records, allowance);
    kept.expect("kept").0
}

#[test]
fn a_kill_before_the_removal_leaves_one_copy_to_be_seen() {
    let (world, clock) = archived_world();
    archive_only(&world);
    assert_eq!((world.left().len(), archived(&world).len()), (6, 4), "in both places");
    // A new session does not know what the one before it has archived.
    let reaper = Reaper::new(world.collections.clone(), Arc::default()).expect("a reaper");
    clock.advance_ms(1_000);
    assert_eq!(reaper.run_pass().deleted, 4);
    assert_eq!((world.left(), archived(&world)), (vec![4, 5], vec![0, 1, 2, 3]));
    let archive = reaper.archives().find(&namespace()).expect("an archive");
    assert_eq!(archive.summary().expect("read").documents, 8, "there are two copies of each");
}

#[test]
fn what_was_looked_at_without_an_archive_waits_once_there_is_one() {
    let (world, _) = archived_world();
    let archives = world.reaper.archives();
    let (targets, records) = (world.targets(), (0..6).map(made).collect::<Vec<_>>());
    let remove = || {
        let removed = world.collections.write(|writer| {
            batch::remove(writer, &targets[0], &records, (archives, None), allowance(&world))
        });
        removed.expect("written").map(|(batch, _)| batch.deleted)
    };
    assert_eq!((remove(), world.left().len()), (None, 6));
    archives.switch_off(&namespace()).expect("switched off");
    assert_eq!((remove(), world.left()), (Some(4), vec![4, 5]));
}

#[test]
fn what_is_left_by_a_step_is_not_archived_twice() {
    let (world, _) = archived_world();
    archive_only(&world);
    assert_eq!(world.reaper.run_pass().deleted, 4);
    let archive = world.reaper.archives().find(&namespace()).expect("an archive");
    assert_eq!(archive.summary().expect("read").documents, 4);
}

#[test]
fn what_a_limit_took_out_of_the_archive_is_archived_again() {
    let (world, clock) = archived_world();
    let max_age_secs = Some(crate::limits::ARCHIVE_LIMIT_SECS_MIN);
    let settings = Settings { target: String::new(), max_bytes: None, max_age_secs };
    world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    archive_only(&world);
    clock.advance_ms(3_600_000);
    let archive = world.reaper.archives().find(&namespace()).expect("an archive");
    assert_eq!(archive.prune(allowance(&world).now_ms, &|| true, &|_| Ok(())), Ok(1));
    assert_eq!(world.reaper.run_pass().deleted, 6);
    assert_eq!(archived(&world), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_document_written_since_is_not_the_one_that_was_archived() {
    let (world, clock) = archived_world();
    let kept = archive_only(&world).expect("an archive");
    let collection = world.collections.catalog().collection(&namespace()).expect("there");
    clock.advance_ms(1);
    let changed = bson::RawDocumentBuf::try_from(&doc! { "_id": 0, "f": date(-99), "new": true });
    world
        .collections
        .write(|writer| {
            writer.replace(&collection, made(0), changed.as_ref().expect("raw"))?;
            Ok::<_, crate::collection::WriteError>(())
        })
        .expect("written");
    let has = |record| {
        world.collections.store().read(|reader| {
            let stored = reader.document(collection.id, record)?.expect("there");
            Ok::<_, crate::store::StoreError>(kept.has(&stored))
        })
    };
    assert_eq!((has(made(0)), has(made(1))), (Ok(false), Ok(true)));
}

#[test]
fn two_stores_with_the_same_target_keep_apart() {
    let shared = tempfile::tempdir().expect("a folder");
    let target = shared.path().display().to_string();
    let worlds = [archived_world(), archived_world()];
    for (world, _) in &worlds {
        // The least that a limit may be: a store that saw the other's segments would remove them.
        let max_bytes = Some(crate::limits::ARCHIVE_LIMIT_BYTES_MIN);
        let settings = Settings { target: target.clone(), max_bytes, max_age_secs: None };
        world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    }
    let (first, second) = (&worlds[0].0, &worlds[1].0);
    assert_eq!(first.reaper.run_pass().deleted, 4);
    assert_eq!((archived(first), archived(second)), (vec![0, 1, 2, 3], vec![]));
    assert_eq!(second.reaper.run_pass().deleted, 4);
    worlds[1].1.advance_ms(60_000);
    assert_eq!(second.reaper.run_pass().deleted, 2);
    assert_eq!((archived(first).len(), archived(second).len()), (4, 6));
    let parts: BTreeSet<String> = fs::read_dir(shared.path())
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let stores = [first, second].map(|world| world.collections.store().uuid());
    assert_eq!(parts, BTreeSet::from(stores));
}

/// Documents that give way are archived in batches of the size that the reaper's have.
#[test]
fn no_batch_is_larger_than_can_be_read_back() {
    let check = |documents: i32, bytes: usize, batches: u64| {
        let (world, _) = archived_world();
        // So small that each batch is a segment.
        let max_bytes = Some(crate::limits::ARCHIVE_LIMIT_BYTES_MIN);
        let settings = Settings { target: String::new(), max_bytes, max_age_secs: None };
        world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
        let collection = world.collections.catalog().collection(&namespace()).expect("there").id;
        let text = "x".repeat(bytes);
        let evicted = (0..documents).map(|id| EvictedDocument {
            collection,
            expired: ExpiredDocument {
                namespace: namespace(),
                index: "ttl".to_owned(),
                record: id.unsigned_abs().into(),
                modified_ms: 0,
                threshold_ms: 0,
                document: bson::rawdoc! { "_id": id, "text": text.as_str() },
            },
        });
        let evicted: Vec<EvictedDocument> = evicted.collect();
        world.reaper.archive(&evicted).expect("archived");
        assert_eq!(archived(&world), (0..documents).collect::<Vec<_>>());
        let archive = world.reaper.archives().find(&namespace()).expect("an archive");
        assert_eq!(archive.summary().expect("read").segments, batches, "{documents} of {bytes}");
    };
    check(3, 5 << 20, 2);
    check(2, 8 << 20, 2);
    check(20_001, 0, 3);
}
