//! The writes of the crash tests, in a fixed order, so that a test can tell what must exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bson::{DateTime, Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::store::StoreOptions;

use crate::store::{check_is_itself, find_all, open_as_found, run};

/// Database of the test.
pub const DB: &str = "steps";

/// Collection of the test.
pub const COLLECTION: &str = "c";

/// Documents inserted in one step.
pub const STEP: i64 = 20;

/// Documents that are kept before the newest; older ones are deleted.
pub const KEPT: i64 = 400;

/// The document with number `number`, as inserted.
pub fn document(number: i64) -> Document {
    let size = usize::try_from(number.rem_euclid(37)).unwrap_or_default() * 8;
    doc! {
        "_id": number,
        "at": DateTime::from_millis(number * 1000),
        "tags": [number % 7, number % 11, "all"],
        "payload": format!("{number}:{}", "x".repeat(size)),
    }
}

/// The fields that a step sets on its first document.
pub fn marked(number: i64) -> Document {
    doc! { "marked": true, "at": DateTime::from_millis(number * 1000 + 500) }
}

/// The command that makes the collection's indexes.
pub fn indexes() -> Document {
    let indexes = vec![
        doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 3600 },
        doc! { "key": { "tags": 1 }, "name": "tags_1" },
    ];
    doc! { "createIndexes": COLLECTION, "indexes": indexes }
}

/// The commands of the step that begins with number `first`.
pub fn commands(first: i64) -> [Document; 3] {
    let documents: Vec<Document> = (first..first + STEP).map(document).collect();
    let mark = doc! { "q": { "_id": first }, "u": { "$set": marked(first) } };
    let old = doc! { "q": { "_id": { "$lt": first + STEP - KEPT } }, "limit": 0 };
    [
        doc! { "insert": COLLECTION, "documents": documents, "ordered": false },
        doc! { "update": COLLECTION, "updates": [mark] },
        doc! { "delete": COLLECTION, "deletes": [old] },
    ]
}

/// Opens a store after any kind of end, with a walk through its whole file.
///
/// # Errors
/// The sentence of the refusal.
pub fn open_checked(folder: &Path) -> Result<Engine, String> {
    let store = StoreOptions { full_check: true, ..StoreOptions::default() };
    let clock = ClockOption::Simulated { start_ms: 0 };
    let options = EngineOptions { clock, run_reaper: false, store, ..EngineOptions::default() };
    Engine::open(folder, options).map_err(|error| error.to_string())
}

/// Compares what is found after repeated crashes with what was acknowledged.
#[derive(Debug, Default)]
pub struct Judge {
    /// Steps that ended between their insert and their update.
    unmarked: BTreeSet<i64>,
    /// Documents of a step that ended before its deletion. The next step deletes them.
    undeleted: i64,
    /// Whether the last opening found that the store had not been closed.
    pub was_unclean: bool,
}

impl Judge {
    /// Opens the store as the program does and compares it. Returns the number after the newest
    /// document: `acknowledged`, or one step more if the last step was kept without an
    /// acknowledgment.
    ///
    /// # Panics
    /// When something acknowledged is lost or changed, something deleted is back, entries and
    /// documents differ, or the store takes itself for another one. `what` describes the moment.
    pub fn check(&mut self, folder: &Path, acknowledged: i64, what: &str) -> i64 {
        let engine = open_as_found(folder).unwrap_or_else(|refusal| panic!("{what}: {refusal}"));
        self.was_unclean = engine.open_report().unclean;
        check_is_itself(&engine, what);
        let found: BTreeMap<i64, Document> = find_all(&engine, DB, COLLECTION, doc! {})
            .into_iter()
            .map(|found| (found.get_i64("_id").expect("an _id is a number"), found))
            .collect();
        let end = found.keys().next_back().map_or(0, |newest| newest + 1);
        assert!(
            end == acknowledged || end == acknowledged + STEP,
            "{what}: {acknowledged} acknowledged, documents end at {end}"
        );
        let oldest = (end - KEPT).max(0);
        for number in oldest..end {
            let found = found.get(&number).unwrap_or_else(|| panic!("{what}: {number} is lost"));
            let mut expected = document(number);
            if number >= acknowledged && number % STEP == 0 && !found.contains_key("marked") {
                self.unmarked.insert(number);
            }
            if number % STEP == 0 && !self.unmarked.contains(&number) {
                expected.extend(marked(number));
            }
            assert_eq!(found, &expected, "{what}");
        }
        let older = found.keys().take_while(|number| **number < oldest).count();
        let older = i64::try_from(older).expect("a small number");
        let expected = self.undeleted + if end > acknowledged { STEP } else { 0 };
        assert!(older <= expected, "{what}: {older} deleted documents are back");
        self.undeleted = older;
        if end > 0 {
            let checked = run(&engine, DB, &doc! { "validate": COLLECTION, "full": true });
            assert!(checked.get_bool("valid").unwrap_or(false), "{what}: {checked}");
        }
        engine.close().unwrap_or_else(|error| panic!("{what}: the store closes: {error}"));
        end
    }
}
