//! Expired documents are removed into the trash, and from there moved to archives.

use std::{collections::BTreeSet, fs, ops::ControlFlow, path::PathBuf, sync::Arc};

use bson::doc;

use crate::reaper::{
    tests::{World, date, namespace, simulated},
    *,
};
use crate::{
    archive::{ARCHIVES_META, ScanStart, Settings},
    collection::Trim,
    event::Event,
    limits::{ARCHIVE_GATHER_MS, TRASH_BYTES_MAX},
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
        .scan(&ScanStart::default(), &mut |archived, _| {
            ids.push(archived.document.get_i32("_id").expect("an id"));
            ControlFlow::Continue(())
        })
        .expect("read");
    ids.sort_unstable();
    ids
}

fn folder(world: &World) -> PathBuf {
    world.collections.store().folder().join("archive/test.c")
}

/// Documents in the trash, and those of them that wait for the archive.
fn in_trash(world: &World) -> (u64, u64) {
    let status = world.reaper.trash_status().expect("read");
    (status.documents, status.waiting.documents)
}

fn keep_for(world: &World, secs: i64) {
    world.reaper.set_parameter(TtlParameter::TrashSecs, secs).expect("valid");
}

#[test]
fn what_expires_waits_in_the_trash_and_is_moved() {
    let (world, clock) = archived_world();
    assert_eq!(world.reaper.run_pass().deleted, 4);
    assert_eq!((world.left(), in_trash(&world)), (vec![4, 5], (4, 4)));
    assert_eq!(archived(&world), [] as [i32; 0]);
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3]));
    world.reaper.archives().switch_off(&namespace()).expect("switched off");
    clock.advance_ms(60_000);
    assert_eq!(world.reaper.run_pass().deleted, 2);
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3]));
}

#[test]
fn a_row_is_moved_once_its_time_in_the_trash_is_up() {
    let (world, clock) = archived_world();
    keep_for(&world, 3_600);
    assert_eq!(world.reaper.run_pass().deleted, 4);
    world.reaper.drain_now();
    let wait = world.reaper.drain_due().expect("rows wait");
    assert_eq!((in_trash(&world), wait.as_millis()), ((4, 4), 3_600_000));
    clock.advance_ms(3_600_000 - 1);
    world.reaper.drain_now();
    assert_eq!(in_trash(&world), (4, 4));
    clock.advance_ms(1);
    // By itself the drain waits for more documents, to write fewer files.
    let wait = world.reaper.drain_due().expect("rows wait");
    assert_eq!(
        (in_trash(&world), i64::try_from(wait.as_millis())),
        ((4, 4), Ok(ARCHIVE_GATHER_MS))
    );
    clock.advance_ms(ARCHIVE_GATHER_MS);
    assert_eq!(world.reaper.drain_due(), None);
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3]));
}

#[test]
fn a_failing_archive_holds_no_removal() {
    let (world, clock) = archived_world();
    fs::create_dir_all(folder(&world).parent().expect("a parent")).expect("made");
    fs::write(folder(&world), "a file in the way").expect("written");
    let events = world.hub.subscribe();
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, report.indexes[0].error.clone()), (4, None));
    clock.advance_ms(ARCHIVE_GATHER_MS);
    let wait = world.reaper.drain_due().expect("it is tried again");
    assert_eq!((in_trash(&world), wait.as_secs()), ((4, 4), 5));
    let told = |event| match event {
        Event::ThreadFailed { message, .. } => Some(message),
        _ => None,
    };
    let told: Vec<String> = events.try_iter().filter_map(told).collect();
    assert!(
        told.len() == 1 && told[0].starts_with("Can't write the archive of test.c"),
        "{told:?}"
    );
    fs::remove_file(folder(&world)).expect("removed");
    world.reaper.drain_due();
    assert_eq!(in_trash(&world), (4, 4), "it is not tried at once");
    clock.advance_ms(5_000);
    world.reaper.drain_due();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3]));
}

#[test]
fn what_waits_is_moved_also_after_the_archive_was_turned_off() {
    let (world, _) = archived_world();
    world.reaper.run_pass();
    world.reaper.archives().switch_off(&namespace()).expect("switched off");
    world.collections.drop_collection(&namespace()).expect("dropped");
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3]));
}

#[test]
fn rows_that_wait_leave_by_no_limit_and_keep_no_other_in_the_trash() {
    let (world, clock) = archived_world();
    keep_for(&world, 60);
    world.reaper.run_pass();
    world.reaper.archives().switch_off(&namespace()).expect("switched off");
    clock.advance_ms(60_000);
    world.reaper.run_pass();
    assert_eq!(in_trash(&world), (6, 4));
    let trim = |trim| while world.collections.trim_trash_step(trim).expect("trimmed").more {};
    trim(Trim::Age(world.collections.clock().now_ms() + 59_999));
    assert_eq!(in_trash(&world), (6, 4));
    trim(Trim::Age(world.collections.clock().now_ms() + 60_000));
    assert_eq!(in_trash(&world), (4, 4));
    trim(Trim::Everything);
    assert_eq!(in_trash(&world), (4, 4));
    // Ordinary rows are found after those that wait.
    world.insert([doc! { "_id": 9, "f": date(-60) }]);
    world.reaper.run_pass();
    trim(Trim::Everything);
    assert_eq!(in_trash(&world), (4, 4));
}

#[test]
fn rows_for_an_archive_that_is_not_known_wait_for_it() {
    let (world, clock) = archived_world();
    keep_for(&world, 60);
    world.reaper.run_pass();
    let store = world.collections.store();
    store.write(|writer| writer.put_meta(ARCHIVES_META, b"no list")).expect("written");
    let again = || {
        let reaper = Reaper::new(Arc::clone(&world.collections), Arc::clone(&world.hub));
        reaper.expect("a reaper")
    };
    drop(again());
    // The list is forgotten, and the hold released.
    let reaper = again();
    assert!(reaper.release(None).expect("stored"));
    clock.advance_ms(1_000_000);
    reaper.drain_now();
    let trim = |trim| while world.collections.trim_trash_step(trim).expect("trimmed").more {};
    trim(Trim::Age(world.collections.clock().now_ms()));
    trim(Trim::Everything);
    assert_eq!(in_trash(&world), (4, 4));
    let words = reaper.archives().missing_in_words();
    assert_eq!(words.len(), 1, "{words:?}");
    assert!(words[0].starts_with("4 removed documents wait for an archive"), "{words:?}");
    let settings = Settings { target: String::new(), max_bytes: None, max_age_secs: None };
    reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    reaper.drain_now();
    assert_eq!((in_trash(&world), reaper.archives().missing_in_words()), ((0, 0), vec![]));
}

#[test]
fn the_limit_of_the_trash_counts_no_row_that_waits() {
    let (world, _) = archived_world();
    keep_for(&world, 3_600);
    let text = "x".repeat(15 << 20);
    let more = i32::try_from(TRASH_BYTES_MAX >> 20).expect("small") / 15 + 1;
    let fill = || {
        for id in 10..10 + more {
            world.insert([doc! { "_id": id, "f": date(-60), "text": &text }]);
        }
        world.reaper.run_pass();
    };
    fill();
    let each = u64::from(more.unsigned_abs());
    let waiting = 4 + each;
    assert_eq!(in_trash(&world), (waiting, waiting));
    world.reaper.archives().switch_off(&namespace()).expect("switched off");
    fill();
    assert_eq!(in_trash(&world), (waiting + each - 1, waiting));
}

/// Rows of earlier versions name no archive.
#[test]
fn an_archive_takes_nothing_that_was_removed_before_it() {
    let (world, clock) = archived_world();
    world.reaper.archives().switch_off(&namespace()).expect("switched off");
    keep_for(&world, 60);
    world.reaper.run_pass();
    let settings = Settings { target: String::new(), max_bytes: None, max_age_secs: None };
    world.reaper.archives().switch_on(&namespace(), settings).expect("switched on");
    clock.advance_ms(60_000);
    world.reaper.run_pass();
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((2, 2), vec![]));
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
    reaper.drain_now();
    let archive = reaper.archives().find(&namespace()).expect("an archive");
    assert_eq!((world.left(), archive.summary().expect("read").documents), (vec![4, 5], 4));
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
    let remove = |world: &World| {
        let deleted = world.reaper.run_pass().deleted;
        world.reaper.drain_now();
        deleted
    };
    assert_eq!(remove(first), 4);
    assert_eq!((archived(first), archived(second)), (vec![0, 1, 2, 3], vec![]));
    assert_eq!(remove(second), 4);
    worlds[1].1.advance_ms(60_000);
    assert_eq!(remove(second), 2);
    assert_eq!((archived(first).len(), archived(second).len()), (4, 6));
    let parts: BTreeSet<String> = fs::read_dir(shared.path())
        .expect("listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let stores = [first, second].map(|world| world.collections.store().uuid());
    assert_eq!(parts, BTreeSet::from(stores));
}

#[test]
fn no_segment_is_larger_than_can_be_read_back() {
    let check = |documents: i32, bytes: usize, segments: u64| {
        let (world, _) = archived_world();
        let text = "x".repeat(bytes);
        world.insert((10..10 + documents).map(|id| doc! { "_id": id, "f": date(-60), "t": &text }));
        world.reaper.run_pass();
        world.reaper.drain_now();
        assert_eq!(archived(&world).len(), usize::try_from(documents).expect("small") + 4);
        let archive = world.reaper.archives().find(&namespace()).expect("an archive");
        assert_eq!(archive.summary().expect("read").segments, segments, "{documents} of {bytes}");
    };
    check(3, 5 << 20, 2);
    check(2, 8 << 20, 2);
    check(20_001, 0, 3);
}

#[test]
fn a_row_of_a_clock_far_ahead_holds_up_no_other() {
    let (world, clock) = archived_world();
    keep_for(&world, 3_600);
    clock.advance_ms(10 * 365 * 86_400_000);
    assert_eq!(world.reaper.run_pass().deleted, 6);
    clock.advance_ms(-10 * 365 * 86_400_000);
    world.insert([doc! { "_id": 9, "f": date(-60) }]);
    assert_eq!(world.reaper.run_pass().deleted, 1);
    clock.advance_ms(3_600_000);
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3, 4, 5, 9]));
}

#[test]
fn what_is_moved_while_settings_change_is_listed() {
    let (world, _) = archived_world();
    world.reaper.run_pass();
    let archives = world.reaper.archives();
    let before = archives.find(&namespace()).expect("an archive");
    let settings = Settings { target: String::new(), max_bytes: Some(1 << 30), max_age_secs: None };
    archives.switch_on(&namespace(), settings).expect("changed");
    let now_ms = world.collections.clock().now_ms();
    let step = archives.drain_step(&before, now_ms, 0).expect("moved");
    assert_eq!((step.moved, archived(&world)), (4, vec![0, 1, 2, 3]));
    assert_eq!(archives.find(&namespace()).expect("it").summary().expect("read").documents, 4);
}

#[test]
fn a_failure_ends_when_nothing_waits_any_more() {
    let (world, clock) = archived_world();
    fs::create_dir_all(folder(&world).parent().expect("a parent")).expect("made");
    fs::write(folder(&world), "a file in the way").expect("written");
    world.reaper.run_pass();
    clock.advance_ms(ARCHIVE_GATHER_MS);
    world.reaper.drain_due();
    let failure = || world.reaper.archives().find(&namespace()).expect("an archive").failure();
    assert!(failure().is_some());
    let rows = |writer: &mut crate::collection::DocumentWriter<'_, '_>| {
        (1..=4).try_for_each(|row| writer.take_from_trash(row).map(drop))
    };
    world.collections.write(rows).expect("taken out");
    world.reaper.drain_due();
    assert_eq!((in_trash(&world), failure()), ((0, 0), None));
}

#[test]
fn an_archive_whose_files_are_all_gone_waits_for_its_disk_or_the_user() {
    let (world, clock) = archived_world();
    world.reaper.run_pass();
    world.reaper.drain_now();
    let (disk, mount) = (folder(&world).with_extension("disk"), folder(&world));
    fs::rename(&mount, &disk).expect("unmounted");
    fs::create_dir(&mount).expect("the mount point");
    clock.advance_ms(60_000);
    assert_eq!(world.reaper.run_pass().deleted, 2);
    world.reaper.drain_now();
    let failure = || world.reaper.archives().find(&namespace()).expect("an archive").failure();
    let why = failure().expect("it waits").sentence;
    assert!(why.contains("none of its files is there; mount its disk"), "{why}");
    assert_eq!(in_trash(&world), (2, 2));
    fs::remove_dir(&mount).expect("removed");
    fs::rename(&disk, &mount).expect("mounted");
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![0, 1, 2, 3, 4, 5]));
    for file in fs::read_dir(&mount).expect("a folder") {
        fs::remove_file(file.expect("a file").path()).expect("removed");
    }
    world.insert([doc! { "_id": 9, "f": date(-60) }]);
    world.reaper.run_pass();
    world.reaper.drain_now();
    assert!(failure().is_some());
    let settings = Settings { target: String::new(), max_bytes: None, max_age_secs: None };
    world.reaper.archives().switch_on(&namespace(), settings).expect("on again");
    world.reaper.drain_now();
    assert_eq!((in_trash(&world), archived(&world)), ((0, 0), vec![9]));
}
