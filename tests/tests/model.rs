//! Random commands, passes and reopenings against a plain model in memory.
//!
//! `MAYFLY_TEST_COUNT` sets the number of steps, `MAYFLY_TEST_SEED` their order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::engine::Engine;
use mayfly_tests::random::{self, Random};
use mayfly_tests::store::{find_all, folder_in_memory, is_ok, open_paused, run};

const DB: &str = "model";
const COLLECTION: &str = "c";

/// Ids are below this, so that inserts meet existing documents.
const IDS: usize = 300;

/// Milliseconds since 1970 at which the simulated clock starts.
const START_MS: i64 = 1_704_844_800_000;

/// Steps between two reopenings of the store.
const STEPS_BETWEEN_REOPENS: usize = 400;

/// The indexes that a run creates and drops: name, key, whether it has a TTL.
const INDEXES: [(&str, &str, i32, bool); 5] = [
    ("n_1", "n", 1, false),
    ("tags_1", "tags", 1, false),
    ("at_1", "at", 1, true),
    ("at_-1", "at", -1, true),
    ("n_-1", "n", -1, false),
];

#[test]
fn the_engine_agrees_with_the_model() {
    let seed = random::seed(4_711);
    println!("MAYFLY_TEST_SEED={seed}");
    let folder = folder_in_memory();
    let mut run = Run::new(folder.path().join("store"), seed);
    for step in 0..random::count(100_000) {
        run.step(step);
    }
    run.reopen();
    run.check_all("at the end");
    println!("{:?}", run.done);
    for kind in Kind::ALL {
        assert!(run.done.contains_key(kind.name()), "no step of kind {}", kind.name());
    }
    assert!(run.removed > 0, "no pass removed anything");
}

/// The change that an update makes to a document of the model.
type Change = Box<dyn Fn(&mut Document)>;

/// Which documents of the model a filter finds.
type Rule = Box<dyn Fn(&Document) -> bool>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Insert,
    UpdateOne,
    UpdateMany,
    Replace,
    DeleteOne,
    DeleteMany,
    CreateIndex,
    DropIndex,
    ChangeTtl,
    MoveClock,
    Pass,
    Query,
}

impl Kind {
    const ALL: [Self; 12] = [
        Self::Insert,
        Self::UpdateOne,
        Self::UpdateMany,
        Self::Replace,
        Self::DeleteOne,
        Self::DeleteMany,
        Self::CreateIndex,
        Self::DropIndex,
        Self::ChangeTtl,
        Self::MoveClock,
        Self::Pass,
        Self::Query,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::UpdateOne => "update one",
            Self::UpdateMany => "update many",
            Self::Replace => "replace",
            Self::DeleteOne => "delete one",
            Self::DeleteMany => "delete many",
            Self::CreateIndex => "create index",
            Self::DropIndex => "drop index",
            Self::ChangeTtl => "change ttl",
            Self::MoveClock => "move clock",
            Self::Pass => "pass",
            Self::Query => "query",
        }
    }
}

struct Run {
    folder: PathBuf,
    engine: Option<Engine>,
    random: Random,
    now_ms: i64,
    documents: BTreeMap<i32, Document>,
    /// Index name to its TTL in seconds, if it has one.
    indexes: BTreeMap<&'static str, Option<i64>>,
    done: BTreeMap<&'static str, usize>,
    removed: usize,
}

impl Run {
    fn new(folder: PathBuf, seed: u64) -> Self {
        let engine = open_paused(&folder, START_MS);
        run(&engine, DB, &doc! { "create": COLLECTION });
        Self {
            folder,
            engine: Some(engine),
            random: Random::new(seed),
            now_ms: START_MS,
            documents: BTreeMap::new(),
            indexes: BTreeMap::new(),
            done: BTreeMap::new(),
            removed: 0,
        }
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("the store is open between steps")
    }

    fn run(&self, command: &Document) -> Document {
        run(self.engine(), DB, command)
    }

    fn step(&mut self, number: usize) {
        if number % STEPS_BETWEEN_REOPENS == STEPS_BETWEEN_REOPENS - 1 {
            self.reopen();
            self.check_all(&format!("after reopening at step {number}"));
        }
        let kind = match self.random.below(100) {
            0..35 => Kind::Insert,
            35..50 => Kind::UpdateOne,
            50..55 => Kind::UpdateMany,
            55..61 => Kind::Replace,
            61..67 => Kind::DeleteOne,
            67..69 => Kind::DeleteMany,
            69..73 => Kind::CreateIndex,
            73..75 => Kind::DropIndex,
            75..78 => Kind::ChangeTtl,
            78..84 => Kind::MoveClock,
            84..88 => Kind::Pass,
            _ => Kind::Query,
        };
        *self.done.entry(kind.name()).or_default() += 1;
        match kind {
            Kind::Insert => self.insert(),
            Kind::UpdateOne => self.update_one(),
            Kind::UpdateMany => self.update_many(),
            Kind::Replace => self.replace(),
            Kind::DeleteOne => self.delete_one(),
            Kind::DeleteMany => self.delete_many(),
            Kind::CreateIndex => self.create_index(),
            Kind::DropIndex => self.drop_index(),
            Kind::ChangeTtl => self.change_ttl(),
            Kind::MoveClock => self.move_clock(),
            Kind::Pass => self.pass(),
            Kind::Query => self.query(),
        }
    }

    fn id(&mut self) -> i32 {
        i32::try_from(self.random.below(IDS)).unwrap_or_default()
    }

    fn number(&mut self) -> i32 {
        i32::try_from(self.random.below(20)).unwrap_or_default()
    }

    fn date(&mut self) -> Bson {
        let offset = i64::try_from(self.random.below(400_000)).unwrap_or_default() - 300_000;
        Bson::DateTime(DateTime::from_millis(self.now_ms + offset))
    }

    fn at(&mut self) -> Option<Bson> {
        match self.random.below(8) {
            0 => None,
            1 => Some(Bson::String("2024-01-10".into())),
            2 => Some(Bson::Array(vec![self.date(), Bson::Int32(1), self.date()])),
            3 => Some(Bson::Array(Vec::new())),
            4 => Some(Bson::Null),
            _ => Some(self.date()),
        }
    }

    fn fields(&mut self) -> Document {
        let mut fields = Document::new();
        if self.random.below(5) > 0 {
            fields.insert("n", self.number());
        }
        if let Some(at) = self.at() {
            fields.insert("at", at);
        }
        if self.random.below(3) > 0 {
            let tags = (0..self.random.below(4)).map(|_| Bson::Int32(self.number())).collect();
            fields.insert("tags", Bson::Array(tags));
        }
        if self.random.below(10) == 0 {
            fields.insert("long", "é".repeat(self.random.below(2_000)));
        }
        fields
    }

    fn insert(&mut self) {
        let id = self.id();
        let mut document = doc! { "_id": id };
        document.extend(self.fields());
        let command = doc! { "insert": COLLECTION, "documents": [document.clone()] };
        let reply = self.engine().run(DB, &command);
        assert!(is_ok(&reply), "{reply}");
        if let std::collections::btree_map::Entry::Vacant(e) = self.documents.entry(id) {
            assert_eq!(reply.get("writeErrors"), None, "{command} answered {reply}");
            e.insert(document);
        } else {
            let error = reply.get_array("writeErrors").expect("a duplicate is a write error");
            let code = error[0].as_document().and_then(|error| error.get_i32("code").ok());
            assert_eq!(code, Some(11000), "{reply}");
        }
    }

    fn update_one(&mut self) {
        let id = self.id();
        let (update, change): (Document, Change) = match self.random.below(4) {
            0 => {
                let n = self.number();
                (doc! { "$set": { "n": n } }, Box::new(move |d| drop(d.insert("n", n))))
            }
            1 => (doc! { "$unset": { "at": "" } }, Box::new(|d| drop(d.remove("at")))),
            2 => {
                let at = self.date();
                let set = at.clone();
                (
                    doc! { "$set": { "at": at } },
                    Box::new(move |d| drop(d.insert("at", set.clone()))),
                )
            }
            _ => (
                doc! { "$inc": { "n": 3 } },
                Box::new(|d| {
                    let n = d.get_i32("n").unwrap_or(0) + 3;
                    d.insert("n", n);
                }),
            ),
        };
        let found = self.documents.get_mut(&id);
        let matched = i32::from(found.is_some());
        if let Some(document) = found {
            change(document);
        }
        let updates = vec![doc! { "q": { "_id": id }, "u": update }];
        let reply = self.run(&doc! { "update": COLLECTION, "updates": updates });
        assert_eq!(reply.get_i32("n").ok(), Some(matched), "{reply}");
    }

    fn update_many(&mut self) {
        let limit = self.number();
        let updates = vec![
            doc! { "q": { "n": { "$lt": limit } }, "u": { "$inc": { "n": 1 } }, "multi": true },
        ];
        let mut changed = 0;
        for document in self.documents.values_mut() {
            if let Ok(n) = document.get_i32("n")
                && n < limit
            {
                document.insert("n", n + 1);
                changed += 1;
            }
        }
        let reply = self.run(&doc! { "update": COLLECTION, "updates": updates });
        assert_eq!(reply.get_i32("nModified").ok(), Some(changed), "{reply}");
    }

    fn replace(&mut self) {
        let id = self.id();
        let fields = self.fields();
        let updates = vec![doc! { "q": { "_id": id }, "u": fields.clone(), "upsert": true }];
        self.run(&doc! { "update": COLLECTION, "updates": updates });
        let mut document = doc! { "_id": id };
        document.extend(fields);
        self.documents.insert(id, document);
    }

    fn delete_one(&mut self) {
        let id = self.id();
        let deletes = vec![doc! { "q": { "_id": id }, "limit": 1 }];
        let reply = self.run(&doc! { "delete": COLLECTION, "deletes": deletes });
        let removed = i32::from(self.documents.remove(&id).is_some());
        assert_eq!(reply.get_i32("n").ok(), Some(removed), "{reply}");
    }

    fn delete_many(&mut self) {
        let tag = self.number();
        let deletes = vec![doc! { "q": { "tags": tag }, "limit": 0 }];
        let reply = self.run(&doc! { "delete": COLLECTION, "deletes": deletes });
        let before = self.documents.len();
        self.documents.retain(|_, document| !has_tag(document, tag));
        let removed = i32::try_from(before - self.documents.len()).ok();
        assert_eq!(reply.get_i32("n").ok(), removed, "{reply}");
    }

    fn create_index(&mut self) {
        let (name, field, direction, ttl) = *self.random.pick(&INDEXES);
        if self.indexes.contains_key(name) {
            return;
        }
        let mut index = doc! { "key": { field: direction }, "name": name };
        let secs = self.ttl_secs();
        if ttl {
            index.insert("expireAfterSeconds", secs);
        }
        self.run(&doc! { "createIndexes": COLLECTION, "indexes": [index] });
        self.indexes.insert(name, ttl.then_some(secs));
    }

    fn ttl_secs(&mut self) -> i64 {
        i64::try_from(self.random.below(300)).unwrap_or_default()
    }

    fn drop_index(&mut self) {
        let names: Vec<&'static str> = self.indexes.keys().copied().collect();
        if !names.is_empty() {
            let name = *self.random.pick(&names);
            self.run(&doc! { "dropIndexes": COLLECTION, "index": name });
            self.indexes.remove(name);
        }
    }

    /// Changes the TTL of an index that has one, and gives one to a plain index on the same field.
    fn change_ttl(&mut self) {
        let name = *self.random.pick(&["at_1", "at_-1"]);
        let secs = self.ttl_secs();
        if let Some(ttl) = self.indexes.get_mut(name) {
            *ttl = Some(secs);
            let index = doc! { "name": name, "expireAfterSeconds": secs };
            self.run(&doc! { "collMod": COLLECTION, "index": index });
        }
    }

    fn move_clock(&mut self) {
        let step = i64::try_from(self.random.below(40_000)).unwrap_or_default();
        run(self.engine(), "admin", &doc! { "mayflyClock": 1, "advanceMS": step });
        self.now_ms += step;
    }

    fn pass(&mut self) {
        let reply = run(self.engine(), "admin", &doc! { "mayflyReap": 1 });
        let before = self.documents.len();
        let ttls: Vec<i64> = self.indexes.values().copied().flatten().collect();
        let now_ms = self.now_ms;
        self.documents.retain(|_, document| {
            earliest_date(document)
                .is_none_or(|date| ttls.iter().all(|secs| date + secs * 1000 > now_ms))
        });
        let removed = before - self.documents.len();
        self.removed += removed;
        let removed = i64::try_from(removed).ok();
        assert_eq!(reply.get_i64("deletedDocuments").ok(), removed, "{reply}");
    }

    fn query(&mut self) {
        let n = self.number();
        let date = self.date();
        let since = date.as_datetime().map_or(0, |date| date.timestamp_millis());
        let (filter, rule): (Document, Rule) = match self.random.below(5) {
            0 => (doc! { "n": n }, Box::new(move |d| d.get_i32("n").ok() == Some(n))),
            1 => (
                doc! { "n": { "$gte": n, "$lt": n + 5 } },
                Box::new(move |d| d.get_i32("n").is_ok_and(|found| (n..n + 5).contains(&found))),
            ),
            2 => (doc! { "tags": n }, Box::new(move |d| has_tag(d, n))),
            3 => (
                doc! { "at": { "$lte": date } },
                Box::new(move |d| earliest_date(d).is_some_and(|found| found <= since)),
            ),
            _ => (doc! { "n": null }, Box::new(|d| d.get_i32("n").is_err())),
        };
        let expected: BTreeSet<i32> = self
            .documents
            .iter()
            .filter(|(_, document)| rule(document))
            .map(|(id, _)| *id)
            .collect();
        let found: Vec<i32> = find_all(self.engine(), DB, COLLECTION, filter.clone())
            .iter()
            .map(|document| document.get_i32("_id").expect("an _id is a number"))
            .collect();
        assert_eq!(found.len(), expected.len(), "{filter}: {found:?} instead of {expected:?}");
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected, "{filter}");
        let reply = self.run(&doc! { "count": COLLECTION, "query": filter.clone() });
        assert_eq!(reply.get_i32("n").ok(), i32::try_from(expected.len()).ok(), "{filter}");
    }

    fn reopen(&mut self) {
        let engine = self.engine.take().expect("the store is open between steps");
        engine.close().unwrap_or_else(|error| panic!("the store closes: {error}"));
        self.engine = Some(open_paused(&self.folder, self.now_ms));
    }

    fn check_all(&self, when: &str) {
        let mut found = find_all(self.engine(), DB, COLLECTION, doc! {});
        found.sort_by_key(|document| document.get_i32("_id").unwrap_or_default());
        let expected: Vec<Document> = self.documents.values().cloned().collect();
        assert_eq!(found, expected, "{when}");
        let checked = self.run(&doc! { "validate": COLLECTION, "full": true });
        assert!(checked.get_bool("valid").unwrap_or(false), "{when}: {checked}");
        let listed = self.run(&doc! { "listIndexes": COLLECTION });
        let listed =
            listed.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        let names: BTreeSet<&str> = listed
            .expect("listIndexes answers with a cursor")
            .iter()
            .filter_map(|index| index.as_document()?.get_str("name").ok())
            .collect();
        let mut expected: BTreeSet<&str> = self.indexes.keys().copied().collect();
        expected.insert("_id_");
        assert_eq!(names, expected, "{when}");
    }
}

fn has_tag(document: &Document, tag: i32) -> bool {
    document.get_array("tags").is_ok_and(|tags| tags.contains(&Bson::Int32(tag)))
}

/// The date that a TTL index on `at` would use, in milliseconds.
fn earliest_date(document: &Document) -> Option<i64> {
    match document.get("at")? {
        Bson::DateTime(date) => Some(date.timestamp_millis()),
        Bson::Array(values) => {
            values.iter().filter_map(Bson::as_datetime).map(|date| date.timestamp_millis()).min()
        }
        _ => None,
    }
}
