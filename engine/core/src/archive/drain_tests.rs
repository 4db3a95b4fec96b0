//! Random histories of removals, restores and moves, with a kill at any step of a move.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use bson::{Bson, Document, doc};

use super::{
    ArchiveError,
    drain::{archived, take_out},
    store::Ledger,
};
use crate::{
    catalog::Namespace, collection::Trim, command::testing::Lab, limits::ARCHIVE_BATCH_BYTES_MAX,
    store::StoreError,
};

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

/// Where a move ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kill {
    /// Before the segment has a name in the store.
    Begun,
    /// Before it is written.
    Named,
    /// Before it counts.
    Written,
    /// After it counts, without an answer.
    Counted,
    /// Not killed, but one of its documents is restored before it counts.
    Restored,
}

const KILLS: [Kill; 5] = [Kill::Begun, Kill::Named, Kill::Written, Kill::Counted, Kill::Restored];

/// The `_id`s in a list of documents; each at most once.
fn ids(rows: &[Bson]) -> BTreeSet<i32> {
    let all: Vec<i32> = rows
        .iter()
        .map(|row| row.as_document().expect("a row").get_i32("_id").expect("an id"))
        .collect();
    let set: BTreeSet<i32> = all.iter().copied().collect();
    assert_eq!(set.len(), all.len(), "one is there twice: {all:?}");
    set
}

fn rows(reply: &Document) -> Vec<Bson> {
    reply.get_array("batch").expect("a batch").clone()
}

/// The `_id`s of collection, trash and archive.
fn places(lab: &Lab, collection: &str) -> [BTreeSet<i32>; 3] {
    let present = lab.ok(&format!("{{find: {collection:?}, batchSize: 10000}}"));
    let present = present.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let trash = lab.run_document(&doc! { "mayflyTrash": collection, "limit": 1_000 });
    let all = doc! { "mayflyTrash": collection, "archived": true, "limit": 1_000 };
    let mut archive = rows(&lab.run_document(&all));
    archive.retain(|row| row.as_document().is_some_and(|row| row.contains_key("target")));
    [ids(present.expect("a batch")), ids(&rows(&trash)), ids(&archive)]
}

/// One move of what is due, as [`super::Archives::drain_step`] does it, that ends early.
fn killed_move(lab: &Lab, kill: Kill) {
    let collections = lab.engine.collections();
    let archives = lab.engine.reaper().archives();
    let archive = archives.find(&Namespace::new("test", "c")).expect("an archive");
    let now_ms = lab.engine.clock().now_ms();
    let due = collections.due_for_archive(archive.folder(), (0, now_ms), ARCHIVE_BATCH_BYTES_MAX);
    let due = due.expect("read");
    if due.rows.is_empty() {
        return;
    }
    let documents: Vec<_> = due.rows.iter().map(|row| archived(row).expect("a row")).collect();
    let (name, store) = (archive.inventory_name(), collections.store());
    let killed = || StoreError::Bug { what: "killed".to_owned() };
    let ledger = Ledger {
        load: &|| archive.stored_inventory(store),
        save: &|inventory| {
            if kill == Kill::Begun {
                return Err(killed());
            }
            let bytes = inventory.to_bytes()?;
            store.write(|writer| writer.put_meta(&name, &bytes))?;
            if kill == Kill::Named { Err(killed()) } else { Ok(()) }
        },
        commit: &|inventory| {
            if kill == Kill::Written {
                return Err(ArchiveError::Store(killed()));
            }
            if kill == Kill::Restored {
                let id = due.rows[0].document.get_i32("_id").expect("an id");
                lab.check(&format!("{{mayflyRestoreTrash: 'c', ids: [{id}]}}"), "{restored: 1}");
            }
            let bytes = inventory.to_bytes()?;
            let counts = collections.write(|writer| take_out(writer, &due.rows, &name, &bytes))?;
            assert_eq!(counts, kill != Kill::Restored);
            if kill == Kill::Counted { Err(ArchiveError::Store(killed())) } else { Ok(counts) }
        },
    };
    archive.retry_now();
    let outcome = archive.write_segment(&**lab.engine.clock(), &documents, &ledger);
    assert_eq!(outcome.is_ok(), kill == Kill::Restored, "{kill:?}: {outcome:?}");
}

/// A history: its documents, and until when each must be kept.
#[derive(Default)]
struct History {
    next: i32,
    secs: i64,
    /// The target of the archive; empty is the data folder.
    target: String,
    /// The documents at the other targets.
    elsewhere: BTreeMap<String, BTreeSet<i32>>,
    /// Files that can't be removed, or that a copy of the store wrote.
    others: usize,
    /// Of the collection without an archive: until when each removed document must be in the trash.
    until_ms: BTreeMap<i32, i64>,
}

impl History {
    fn insert(&mut self, lab: &Lab) {
        for collection in ["c", "d"] {
            let of = |id| doc! { "_id": id, "at": bson::DateTime::from_millis(0) };
            let documents: Vec<Document> = (self.next..self.next + 5).map(of).collect();
            lab.run_document(&doc! { "insert": collection, "documents": documents });
        }
        self.next += 5;
    }

    fn remove(&mut self, lab: &Lab) {
        let [before, ..] = places(lab, "d");
        lab.engine.reaper().run_pass();
        let until_ms = lab.engine.clock().now_ms() + self.secs * 1_000;
        self.until_ms.extend(before.into_iter().map(|id| (id, until_ms)));
    }

    fn restore(&mut self, lab: &Lab, random: &mut Random) {
        for collection in ["c", "d"] {
            let [_, trash, _] = places(lab, collection);
            let chosen: Vec<i32> = trash.into_iter().filter(|_| random.below(3) == 0).collect();
            if collection == "d" {
                self.until_ms.retain(|id, _| !chosen.contains(id));
            }
            let count = i64::try_from(chosen.len()).expect("few");
            let command = doc! { "mayflyRestoreTrash": collection, "ids": chosen };
            assert_eq!(lab.run_document(&command).get_i64("restored").ok(), Some(count));
        }
    }

    /// The folder of the archive's segments.
    fn folder(&self, lab: &Lab) -> PathBuf {
        let store = lab.engine.collections().store();
        match self.target.as_str() {
            "" => store.folder().join("archive/test.c"),
            target => Path::new(target).join(store.uuid()).join("test.c"),
        }
    }

    fn turn_on(&self, lab: &Lab) {
        lab.run_document(&doc! { "mayflyArchive": "c", "target": &self.target });
    }

    /// Moves the archive to another target, which has what it had.
    fn change_target(&mut self, lab: &Lab, target: String) {
        let [.., archive] = places(lab, "c");
        self.elsewhere.insert(std::mem::replace(&mut self.target, target), archive);
        self.turn_on(lab);
        let expected = self.elsewhere.remove(&self.target).unwrap_or_default();
        assert_eq!(places(lab, "c")[2], expected);
    }

    /// A copy of the store moves and prunes at the same target, also with a move under way.
    fn copy(&mut self, lab: Lab) -> Lab {
        self.others += 1;
        killed_move(&lab, Kill::Written);
        let [.., before] = places(&lab, "c");
        let (lab, copy) = lab.copied();
        lab.engine.reaper().drain_now();
        let [.., after] = places(&lab, "c");
        assert!(after.is_superset(&before));
        let least = i64::try_from(crate::limits::ARCHIVE_LIMIT_BYTES_MIN).expect("small");
        let command = doc! { "mayflyArchive": "c", "target": &self.target, "maxBytes": least };
        copy.run_document(&command);
        copy.engine.reaper().run_pass();
        copy.engine.reaper().drain_now();
        assert_eq!(places(&lab, "c")[2], after);
        lab.reopened()
    }

    /// A move is killed, and its file can't be removed: a folder is in its place.
    fn stick(&mut self, lab: Lab) -> Lab {
        let files = |folder: &Path| -> BTreeSet<PathBuf> {
            let listed = fs::read_dir(folder).into_iter().flatten();
            listed.map(|entry| entry.expect("a file").path()).collect()
        };
        let folder = self.folder(&lab);
        let before = files(&folder);
        killed_move(&lab, Kill::Written);
        if let Some(file) = files(&folder).difference(&before).next() {
            fs::remove_file(file).expect("removed");
            fs::create_dir(file).expect("made");
            self.others += 1;
            lab.engine.reaper().drain_now();
            let left = lab.engine.reaper().archives().all()[0].left().expect("told");
            assert!(left.starts_with("Can't remove "), "{left}");
        }
        lab.reopened()
    }

    /// The list of archives is damaged; nothing leaves until the archive is on again.
    fn damage(&self, lab: Lab) -> Lab {
        let [_, waiting, _] = places(&lab, "c");
        lab.spoil_meta("archives");
        let lab = lab.reopened().reopened();
        lab.engine.reaper().release(None).expect("stored");
        while lab.engine.collections().trim_trash_step(Trim::Room).expect("trimmed").more {}
        lab.engine.reaper().drain_now();
        assert_eq!(places(&lab, "c")[1], waiting);
        self.turn_on(&lab);
        lab
    }

    /// Each document is in exactly one place, or its time is up.
    fn check(&self, lab: &Lab) {
        let [present, trash, archive] = places(lab, "c");
        for id in 0..self.next {
            let all = [&present, &trash, &archive].into_iter().chain(self.elsewhere.values());
            let count = all.filter(|all| all.contains(&id)).count();
            assert_eq!(count, 1, "{id}: {present:?} {trash:?} {archive:?} {:?}", self.elsewhere);
        }
        let (now_ms, [present, trash, _]) = (lab.engine.clock().now_ms(), places(lab, "d"));
        for id in 0..self.next {
            let is_there = present.contains(&id) || trash.contains(&id);
            let is_up = self.until_ms.get(&id).is_some_and(|until_ms| *until_ms <= now_ms);
            assert!(is_there || is_up, "{id} of {:?} is lost at {now_ms}", self.until_ms);
            assert!(!(present.contains(&id) && trash.contains(&id)), "{id} is in both");
        }
        let status = lab.engine.reaper().trash_status().expect("read");
        let [_, waiting, _] = places(lab, "c");
        assert_eq!(status.waiting.documents, waiting.len() as u64);
        let report = lab.engine.collections().verify(&mut |_| true).expect("checked");
        assert_eq!(report.findings, []);
    }
}

#[test]
fn a_document_is_in_the_collection_the_trash_or_the_archive_whatever_is_killed() {
    for seed in 0..8 {
        println!("seed {seed}");
        let mut random = Random(seed);
        let mut lab = Lab::new();
        let mut history = History::default();
        for collection in ["c", "d"] {
            lab.ok(&format!(
                "{{createIndexes: {collection:?}, indexes: [{{key: {{at: 1}}, name: 'ttl', expireAfterSeconds: 0}}]}}"
            ));
        }
        lab.ok("{mayflyArchive: 'c'}");
        let shared = tempfile::tempdir().expect("a folder");
        let target = lab.engine.collections().store().folder().join("archive");
        for _ in 0..60 {
            match random.below(12) {
                8 => {
                    let all = [String::new(), shared.path().display().to_string()];
                    let [here, there] = &all;
                    let to = if *here == history.target { there } else { here };
                    history.change_target(&lab, to.clone());
                }
                9 => lab = history.copy(lab),
                10 => lab = history.stick(lab),
                11 => lab = history.damage(lab),
                0 => history.insert(&lab),
                1 | 2 => history.remove(&lab),
                3 => history.restore(&lab, &mut random),
                4 => {
                    killed_move(&lab, KILLS[random.below(KILLS.len())]);
                    lab = lab.reopened();
                }
                5 => lab.engine.reaper().drain_now(),
                6 => {
                    history.secs = [0, 60, 600][random.below(3)];
                    let secs = history.secs;
                    lab.ok(&format!("{{setParameter: 1, mayflyTrashSecs: {secs}}}"));
                    let ms = [0, 59_999, 700_000][random.below(3)];
                    lab.engine.simulated_clock().expect("simulated").advance_ms(ms);
                    lab.engine.reaper().drain_due();
                }
                _ => {
                    // The disk of the archive is away for a while.
                    let away = target.with_extension("away");
                    if fs::rename(&target, &away).is_ok() {
                        fs::write(&target, "in the way").expect("written");
                        history.remove(&lab);
                        lab.engine.reaper().drain_now();
                        fs::remove_file(&target).expect("removed");
                        fs::rename(&away, &target).expect("back");
                    }
                }
            }
            history.check(&lab);
        }
        // In the end everything can be moved.
        lab.engine.simulated_clock().expect("simulated").advance_ms(700_000);
        history.remove(&lab);
        lab.ok("{setParameter: 1, mayflyTrashSecs: 0}");
        lab.engine.simulated_clock().expect("simulated").advance_ms(700_000);
        lab.engine.reaper().drain_now();
        let [_, trash, archive] = places(&lab, "c");
        let archived = archive.len() + history.elsewhere.values().map(BTreeSet::len).sum::<usize>();
        assert_eq!((trash.len(), archived), (0, usize::try_from(history.next).expect("few")));
        if history.others > 0 {
            continue;
        }
        let segments = fs::read_dir(history.folder(&lab)).map_or(0, Iterator::count);
        let listed = lab.ok("{mayflyArchives: 1}");
        let counted = crate::command::testing::at(&listed, "archives.0.segments");
        assert_eq!(
            counted,
            Some(i64::try_from(segments).expect("few").into()),
            "no other file stays"
        );
    }
}
