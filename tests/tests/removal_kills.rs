//! With the trash or an archive on, `kill -9` at any moment leaves each document in exactly one place:
//! the collection, the trash or the archive.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bson::{Bson, Document, doc};
use mayfly_engine::engine::Engine;
use mayfly_tests::random::{self, Random};
use mayfly_tests::removals::{COLLECTION, DB, STEP, document};
use mayfly_tests::steps::open_checked;
use mayfly_tests::store::{find_all, run};
use mayfly_tests::victim::write_until_killed;

/// Maximum milliseconds between the writer's first acknowledgment and its kill.
const LIFE_MS_MAX: usize = 90;

/// How many times as many kills there may be until something is removed.
const KILLS_MORE: usize = 8;

/// Rows on a page of removed documents.
const PAGE: i64 = 1_000;

/// Documents by their `_id`.
type ById = BTreeMap<i64, Document>;

/// How removed documents are kept.
trait Kept {
    /// The writer's arguments after its folder and first number.
    fn arguments(&self) -> Vec<String>;

    /// The removed documents, each once.
    fn documents(&self, engine: &Engine) -> ById;

    /// Further checks after the last kill; `end` is the number after the last document.
    fn at_the_end(&self, engine: &Engine, end: i64);
}

/// The pages of a command that lists removed documents.
fn pages(engine: &Engine, archived: bool) -> Vec<Document> {
    let mut found = Vec::new();
    let mut after = Bson::Null;
    loop {
        let mut page = doc! {
            "mayflyTrash": COLLECTION, "archived": archived, "documents": true, "limit": PAGE
        };
        if after != Bson::Null {
            page.insert("after", after);
        }
        let reply = run(engine, DB, &page);
        let batch = reply.get_array("batch").expect("a page has a batch");
        found.extend(batch.iter().filter_map(Bson::as_document).cloned());
        after = reply.get("next").cloned().unwrap_or(Bson::Null);
        if after == Bson::Null {
            return found;
        }
    }
}

fn by_id(documents: impl IntoIterator<Item = Document>) -> ById {
    let mut all = ById::new();
    for document in documents {
        let id = document.get_i64("_id").expect("an _id is a number");
        assert!(all.insert(id, document).is_none(), "{id} is there twice");
    }
    all
}

/// The documents of the trash. It shows their `_id` and size.
fn trashed(engine: &Engine) -> impl Iterator<Item = Document> {
    pages(engine, false).into_iter().map(|row| {
        let expected = document(row.get_i64("_id").expect("an _id is a number"));
        let size = expected.to_vec().expect("it fits").len();
        assert_eq!(row.get_i64("size").ok(), i64::try_from(size).ok(), "{row}");
        expected
    })
}

/// The trash.
struct Trash;

impl Kept for Trash {
    fn arguments(&self) -> Vec<String> {
        vec!["trash".to_owned()]
    }

    fn documents(&self, engine: &Engine) -> ById {
        by_id(trashed(engine))
    }

    fn at_the_end(&self, engine: &Engine, end: i64) {
        loop {
            let reply = run(engine, DB, &doc! { "mayflyRestoreTrash": COLLECTION });
            if !reply.get_bool("more").unwrap_or(false) {
                break;
            }
        }
        let found = by_id(find_all(engine, DB, COLLECTION, doc! {}));
        let all: ById = (0..end).map(|number| (number, document(number))).collect();
        assert!(found == all, "not every document came back as it was");
    }
}

/// An archive in this folder.
struct Archive<'a> {
    place: &'a Path,
    /// Whether a `$out` replaces the collection by a copy.
    replaces: bool,
}

impl Kept for Archive<'_> {
    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["archive".to_owned(), self.place.display().to_string()];
        if self.replaces {
            arguments.push("out".to_owned());
        }
        arguments
    }

    fn documents(&self, engine: &Engine) -> ById {
        // Rows that wait for the archive are in the trash.
        let rows = pages(engine, true).into_iter();
        by_id(rows.map(|row| row.get_document("document").expect("a row has one").clone()))
    }

    fn at_the_end(&self, engine: &Engine, _: i64) {
        let reply = run(engine, "admin", &doc! { "mayflyArchives": 1 });
        let archives = reply.get_array("archives").expect("a list");
        let archive = archives[0].as_document().expect("a document");
        assert_eq!(archive.get_str("state").ok(), Some("ready"), "{archive}");
    }
}

/// Kills the writer again and again.
fn check(kept: &dyn Kept) {
    let seed = random::seed(20_261_123);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let (mut next, mut removed) = (0, 0);
    let kills = random::count(12);
    for kill in 1.. {
        // On a slow disk nothing may be removed in so short a life.
        let life_ms_max = LIFE_MS_MAX * (1 + kill / (kills + 1));
        let life = Duration::from_millis(random.below(life_ms_max) as u64);
        let mut writer = Command::new(env!("CARGO_BIN_EXE_removal_writer"));
        writer.arg(&store).arg(next.to_string()).args(kept.arguments());
        let acknowledged = write_until_killed(&mut writer, life);
        let engine = open_checked(&store).unwrap_or_else(|why| panic!("kill {kill}: {why}"));
        let present = by_id(find_all(&engine, DB, COLLECTION, doc! {}));
        let gone = kept.documents(&engine);
        let end = [&present, &gone].iter().filter_map(|all| all.keys().next_back()).max();
        let end = end.map_or(0, |last| last + 1);
        let ends = [acknowledged, acknowledged + STEP];
        assert!(ends.contains(&end), "kill {kill}: {acknowledged} acknowledged, they end at {end}");
        for number in 0..end {
            let places: Vec<&Document> =
                [&present, &gone].iter().filter_map(|all| all.get(&number)).collect();
            assert_eq!(places.len(), 1, "kill {kill}: {number}: {places:?}");
            assert!(
                places.iter().all(|found| **found == document(number)),
                "kill {kill}: {number}"
            );
        }
        let collections = run(&engine, DB, &doc! { "listCollections": 1, "nameOnly": true });
        let collections =
            collections.get_document("cursor").and_then(|it| it.get_array("firstBatch"));
        assert_eq!(collections.expect("a batch").len(), 1, "kill {kill}");
        let checked = run(&engine, DB, &doc! { "validate": COLLECTION, "full": true });
        assert!(checked.get_bool("valid").unwrap_or(false), "kill {kill}: {checked}");
        (next, removed) = (end, gone.len());
        let is_last = kill >= kills && removed > 0 || kill >= KILLS_MORE * kills;
        if is_last {
            kept.at_the_end(&engine, end);
        }
        engine.close().expect("the store closes");
        if is_last {
            break;
        }
    }
    println!("{next} documents written, {removed} removed");
    assert!(removed > 0, "nothing was removed");
}

#[test]
fn the_trash_has_every_removed_document() {
    check(&Trash);
}

#[test]
fn the_archive_has_whatever_was_removed() {
    let place = tempfile::tempdir().expect("a temporary folder can be made");
    check(&Archive { place: place.path(), replaces: false });
}

#[test]
fn the_archive_has_whatever_was_removed_from_results_of_out() {
    let place = tempfile::tempdir().expect("a temporary folder can be made");
    check(&Archive { place: place.path(), replaces: true });
}
