//! Three engines: random writes, changes of definitions, step-downs and stops; and what an entry holds.

use std::{
    cell::Cell,
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use bson::{Bson, Document, RawDocumentBuf, doc, rawdoc};
use tempfile::TempDir;

use super::*;
use crate::{
    catalog::{CollectionMeta, IndexMeta, Namespace},
    collection::{Collections, WriteError},
    engine::{ClockOption, Engine, EngineOptions},
    event::Event,
    reaper::{Monitor, SleepEnd},
    store::{CollectionId, IndexId, RecordNumber, Scan, StoreError, StoreOptions},
    value::shell,
};

const START_MS: i64 = 1_767_268_800_000;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).expect("small")]
    }
}

/// One engine with its folder; stopped without an engine.
struct Place {
    folder: TempDir,
    now_ms: i64,
    engine: Option<Engine>,
    /// The entries of its set.
    log: Arc<Mutex<Vec<OplogEntry>>>,
    /// How many of them it has.
    applied: Cell<usize>,
}

impl Place {
    fn new(role: Option<Role>, skew_ms: i64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (log, applied) = (Arc::default(), Cell::new(0));
        let now_ms = START_MS + skew_ms;
        let mut place = Self { folder, now_ms, engine: None, log, applied };
        place.open(role);
        place
    }

    /// A secondary of this primary.
    fn secondary(&self, skew_ms: i64) -> Self {
        Self { log: Arc::clone(&self.log), ..Self::new(Some(Role::Secondary), skew_ms) }
    }

    fn open(&mut self, role: Option<Role>) {
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms: self.now_ms },
            run_reaper: false,
            role,
            store: StoreOptions { map_size_bytes: 256 << 20, ..StoreOptions::default() },
        };
        self.engine = Some(Engine::open(self.folder.path(), options).expect("opens"));
    }

    fn engine(&self) -> &Engine {
        self.engine.as_ref().expect("running")
    }

    fn member(&self) -> &Member {
        self.engine().member().expect("a member")
    }

    fn collections(&self) -> &Collections {
        self.engine().collections()
    }

    fn advance(&mut self, ms: i64) {
        self.now_ms += ms;
        if let Some(engine) = &self.engine {
            let by = doc! { "mayflyClock": 1, "advanceMS": ms };
            assert_eq!(engine.run("admin", &by).get_f64("ok").ok(), Some(1.0));
            assert_eq!(engine.clock().now_ms(), self.now_ms);
        }
    }

    fn run(&self, db: &str, command: &str) -> Document {
        let command = shell::read_document(command).unwrap_or_else(|_| panic!("{command}"));
        self.engine().run(db, &command)
    }

    fn ok(&self, command: &str) -> Document {
        let reply = self.run("test", command);
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
        assert!(!reply.contains_key("writeErrors"), "{command}: {reply}");
        reply
    }

    fn passes(&self) -> i64 {
        let status = self.engine().run("admin", &doc! { "serverStatus": 1 });
        let ttl = status.get_document("metrics").and_then(|it| it.get_document("ttl"));
        let passes = ttl.expect("counters").get("passes").cloned();
        passes.and_then(|it| it.as_i64().or(it.as_i32().map(i64::from))).expect("a number")
    }

    /// Adds its own changes to the log. Returns the length of that.
    fn collect(&self) -> usize {
        let mut log = self.log.lock().expect("unpoisoned");
        log.extend(self.member().take_entries());
        self.applied.set(log.len());
        log.len()
    }

    /// Its own log: kind, collection and documents.
    fn log(&self) -> Vec<(OplogKind, String, u64)> {
        self.collect();
        let log = self.log.lock().expect("unpoisoned");
        log.iter().map(|it| (it.kind, it.namespace.to_string(), it.documents())).collect()
    }

    fn apply_until(&self, until: usize) {
        let log = self.log.lock().expect("unpoisoned");
        while self.applied.get() < until.min(log.len()) {
            let due = &log[self.applied.get()..until.min(log.len())];
            let applied = self.member().apply(due).expect("applied");
            assert!((1..=due.len()).contains(&applied));
            self.applied.set(self.applied.get() + applied);
        }
    }

    fn catch_up(&self, source: &Self) {
        self.apply_until(source.collect());
    }

    fn check_sound(&self) {
        let report = self.collections().verify(&mut |_| true).expect("readable");
        assert_eq!(report.findings, [], "{report:?}");
    }
}

type Stored = (RecordNumber, i64, Vec<u8>);
type Contents = (Vec<(CollectionMeta, Vec<Stored>)>, BTreeMap<String, Bson>);

/// All definitions and documents, without a store's own numbers and times.
fn contents(place: &Place) -> Contents {
    let catalog = place.collections().catalog();
    let read = |collection: &CollectionMeta| {
        place.collections().store().read(|reader| {
            let all = reader.documents(collection.id, 0, Scan::Forward)?;
            all.map(|stored| stored.map(|it| (it.record, it.modified_ms, it.bytes.to_vec())))
                .collect::<Result<Vec<_>, StoreError>>()
        })
    };
    let all = catalog.all_collections().map(|collection| {
        let plain = collection.indexes.iter().map(|index| {
            let index = IndexMeta::clone(index);
            IndexMeta { id: IndexId(0), ttl_since_ms: None, ..index }.into()
        });
        let plain = CollectionMeta {
            id: CollectionId(0),
            indexes: plain.collect(),
            ..CollectionMeta::clone(collection)
        };
        (plain, read(collection).expect("readable"))
    });
    let all = all.collect();
    (all, catalog.dialects().map(|(db, dialect)| (db.to_owned(), dialect)).collect())
}

fn assert_equal(one: &Place, other: &Place, seed: u64) {
    assert_eq!(contents(one), contents(other), "seed {seed}");
}

const NAMES: [&str; 4] = ["a", "b", "c", "capped"];

fn value(random: &mut Random, now_ms: i64) -> String {
    let date = |random: &mut Random| {
        let at = now_ms - 200_000 + i64::try_from(random.below(400_000)).expect("small");
        format!("new Date({at})")
    };
    match random.below(7) {
        0 | 1 => date(random),
        2 => format!("[{}, {}]", date(random), random.below(9)),
        3 => "null".to_owned(),
        4 => format!("'{}'", "x".repeat(usize::try_from(random.below(60)).expect("small"))),
        _ => random.below(1_000).to_string(),
    }
}

fn document(random: &mut Random, now_ms: i64) -> String {
    let id = match random.below(4) {
        0 => format!("'k{}'", random.below(50)),
        1 => format!("{}.5", random.below(50)),
        _ => random.below(400).to_string(),
    };
    let (at, n) = (value(random, now_ms), value(random, now_ms));
    let ttl = random.below(100) + 1;
    format!("{{_id: {id}, at: {at}, n: {n}, ttl: {ttl}, u: {}}}", random.below(30))
}

/// A random command. Many are refused, which must leave nothing in the oplog.
fn command(random: &mut Random, now_ms: i64) -> String {
    let (name, other) = (random.pick(&NAMES), random.pick(&NAMES));
    let field = random.pick(&["at", "n", "u", "_ts"]);
    let n = random.below(30);
    match random.below(36) {
        0..9 => {
            let count = random.below(6) + 1;
            let all: Vec<String> = (0..count).map(|_| document(random, now_ms)).collect();
            let ordered = n.is_multiple_of(2);
            let all = all.join(", ");
            format!("{{insert: '{name}', documents: [{all}], ordered: {ordered}}}")
        }
        9..13 => {
            let set = value(random, now_ms);
            let (upsert, multi) = (n.is_multiple_of(2), n.is_multiple_of(3) && n % 2 == 1);
            format!(
                "{{update: '{name}', updates: [{{q: {{u: {n}}}, u: {{$set: {{n: {set}}}}},
                  upsert: {upsert}, multi: {multi}}}]}}"
            )
        }
        13..15 => format!(
            "{{update: '{name}', updates: [{{q: {{_id: {n}}}, u: {{at: {}}}, upsert: true}}]}}",
            value(random, now_ms)
        ),
        15..18 => format!(
            "{{delete: '{name}', deletes: [{{q: {{u: {n}}}, limit: {}}}]}}",
            random.below(2)
        ),
        18 => format!("{{findAndModify: '{name}', query: {{u: {n}}}, remove: true}}"),
        19..22 => format!(
            "{{createIndexes: '{name}', indexes: [{{key: {{{field}: 1}}, name: '{field}',
              expireAfterSeconds: {}}}]}}",
            random.below(200)
        ),
        22 => format!(
            "{{createIndexes: '{name}', indexes: [{{key: {{{field}: 1, z: -1}}, name: 'two',
              unique: {}, partialFilterExpression: {{u: {{$gt: 5}}}}}},
              {{key: {{u: 1}}, name: 'u'}}]}}",
            n.is_multiple_of(2)
        ),
        23..25 => format!("{{dropIndexes: '{name}', index: '{field}'}}"),
        25..27 => {
            format!("{{collMod: '{name}', index: {{name: '{field}', expireAfterSeconds: {n}}}}}")
        }
        27 => format!("{{collMod: '{name}', index: {{name: '{field}', hidden: {}}}}}", n > 15),
        28 => format!("{{drop: '{name}'}}"),
        29 => format!(
            "{{renameCollection: 'test.{name}', to: 'test.{other}', dropTarget: {}}}",
            n > 15
        ),
        30 => "{create: 'capped', capped: true, size: 100000, max: 7}".to_owned(),
        31 => format!("{{convertToCapped: '{name}', size: 2000}}"),
        32 => format!("{{mayflyDialect: '{}'}}", random.pick(&["open", "mongodb", "cosmos"])),
        33 => "{dropDatabase: 1}".to_owned(),
        34 => "{create: 'series', timeseries: {timeField: 't'}, expireAfterSeconds: 60}".to_owned(),
        _ => format!(
            "{{insert: 'series', documents: [{{t: new Date({now_ms}), v: {n}}},
              {{t: new Date({}), v: 2}}]}}",
            now_ms - 5_000
        ),
    }
}

struct Trio {
    places: [Place; 3],
    primary: usize,
    random: Random,
    seed: u64,
}

impl Trio {
    fn new(seed: u64) -> Self {
        let primary = Place::new(Some(Role::Primary), 0);
        let (one, other) = (primary.secondary(3_600_000), primary.secondary(-900));
        let places = [primary, one, other];
        Self { places, primary: 0, random: Random(seed), seed }
    }

    fn primary(&self) -> &Place {
        &self.places[self.primary]
    }

    fn write(&mut self) {
        let now_ms = self.primary().now_ms;
        let command = command(&mut self.random, now_ms);
        let is_rename = command.starts_with("{rename");
        let db = if is_rename { "admin" } else { "test" };
        let before = self.primary().collect();
        let reply = self.primary().run(db, &command);
        let after = self.primary().collect();
        if reply.get_f64("ok").ok() != Some(1.0) {
            assert_eq!(before, after, "{command}: {reply}");
        }
        let secondary = (self.primary + 1) % 3;
        let place = &self.places[secondary];
        if place.engine.is_some() && !command.starts_with("{mayflyDialect") {
            let refused = place.run(db, &command);
            assert_eq!(refused.get_i32("code").ok(), Some(10_107), "{command}: {refused}");
        }
    }

    fn pass(&mut self) {
        let before: Vec<_> =
            self.places.iter().map(|it| it.engine.as_ref().map(|_| it.passes())).collect();
        for (at, place) in self.places.iter_mut().enumerate() {
            if place.engine.is_none() {
                continue;
            }
            let events = place.engine().subscribe();
            let deleted = place.run("admin", "{mayflyReap: 1}");
            assert_eq!(deleted.get_f64("ok").ok(), Some(1.0), "{deleted}");
            let scheduled = place.engine().reaper().run_scheduled_pass();
            let mut monitor = Monitor::new(Arc::clone(place.engine().reaper()));
            place.engine().simulated_clock().expect("simulated").advance_ms(60_000);
            let end = monitor.run_due();
            place.now_ms += 60_000;
            if at == self.primary {
                continue;
            }
            assert_eq!((scheduled, end), (None, Some(SleepEnd::Held)));
            assert_eq!(Some(place.passes()), before[at]);
            assert_eq!(place.member().take_entries(), []);
            let is_pass =
                |event: &Event| matches!(event, Event::PassStarted { .. } | Event::Removed { .. });
            assert!(!events.try_iter().any(|event| is_pass(&event)), "no pass began");
        }
    }

    fn replicate(&mut self) {
        let at = usize::try_from(self.random.below(3)).expect("small");
        if at != self.primary && self.places[at].engine.is_some() {
            self.primary().collect();
            let count = usize::try_from(self.random.below(20)).expect("small");
            self.places[at].apply_until(self.places[at].applied.get() + count);
        }
    }

    /// A secondary that has caught up becomes primary.
    fn step_down(&mut self) {
        let next = (self.primary + 1 + usize::from(self.random.below(2) == 1)) % 3;
        if self.places[next].engine.is_none() {
            return;
        }
        self.primary().member().set_role(Role::Secondary).expect("set");
        self.places[next].catch_up(self.primary());
        self.places[next].member().set_role(Role::Primary).expect("set");
        self.primary = next;
    }

    fn stop_or_start(&mut self) {
        let at = usize::try_from(self.random.below(3)).expect("small");
        if at == self.primary {
            // The primary starts again as a primary. Its entries end with the engine.
            self.places[at].collect();
            self.places[at].engine = None;
            self.places[at].open(Some(Role::Primary));
        } else if self.places[at].engine.take().is_none() {
            self.places[at].open(Some(Role::Secondary));
        }
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0..10 => self.write(),
            10..15 => self.replicate(),
            15 => self.pass(),
            16..18 => {
                let ms = i64::try_from(self.random.below(40_000)).expect("small");
                self.places.iter_mut().for_each(|place| place.advance(ms));
            }
            18 => self.step_down(),
            _ => self.stop_or_start(),
        }
    }

    fn finish(&mut self) {
        for at in 0..3 {
            if self.places[at].engine.is_none() {
                self.places[at].open(Some(Role::Secondary));
            }
            if at != self.primary {
                self.places[at].catch_up(self.primary());
                assert_equal(self.primary(), &self.places[at], self.seed);
            }
            self.places[at].check_sound();
        }
    }
}

#[test]
fn members_that_caught_up_are_equal() {
    let mut kinds = BTreeMap::new();
    for seed in 0..5 {
        let mut trio = Trio::new(seed);
        for _ in 0..4 {
            for _ in 0..90 {
                trio.step();
            }
            trio.finish();
        }
        for (kind, ..) in trio.primary().log() {
            *kinds.entry(kind).or_insert(0) += 1;
        }
    }
    assert_eq!(kinds.len(), 5, "each kind occurs: {kinds:?}");
}

#[test]
fn removals_of_one_batch_are_one_entry() {
    let mut place = Place::new(Some(Role::Primary), 0);
    place.ok("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 0}]}");
    let at = Bson::DateTime(bson::DateTime::from_millis(START_MS));
    let all: Vec<Bson> = (0..250).map(|id| doc! { "_id": id, "at": at.clone() }.into()).collect();
    let inserted = place.engine().run("test", &doc! { "insert": "c", "documents": all });
    assert_eq!(inserted.get_i32("n").ok(), Some(250));
    place.advance(1_000);
    let set = "{setParameter: 1, ttlMonitorBatchDeletes: true, ttlIndexDeleteTargetDocs: 100}";
    assert_eq!(place.run("admin", set).get_f64("ok").ok(), Some(1.0));
    place.run("admin", "{mayflyReap: 1}");
    let name = || "test.c".to_owned();
    let removed = |count| (OplogKind::TtlDelete, name(), count);
    assert_eq!(
        place.log(),
        [
            (OplogKind::Definition, name(), 0),
            (OplogKind::Insert, name(), 250),
            removed(100),
            removed(100),
            removed(50),
        ]
    );
    let log = place.log.lock().expect("unpoisoned");
    let last = log.last().expect("five");
    assert_eq!(last.at_ms, START_MS + 1_000);
    let ids = last.changes.iter().filter_map(|change| match change {
        OplogChange::Removed { id, .. } => id.as_i32(),
        _ => None,
    });
    assert_eq!(ids.collect::<Vec<_>>(), (200..250).collect::<Vec<_>>());
}

#[test]
fn a_change_and_its_entry_are_one() {
    let place = Place::new(Some(Role::Primary), 0);
    place.ok("{insert: 'c', documents: [{_id: 1}]}");
    let (before, log) = (contents(&place), place.log());
    let namespace = Namespace::new("test", "c");
    let failed = place.collections().write(|writer| {
        let collection = writer.create_if_missing(&namespace)?;
        writer.insert(&collection, &rawdoc! { "_id": 2 })?;
        writer.delete(&collection, crate::value::id_number::made(1))?;
        Err::<(), _>(WriteError::BadDocument { message: "on purpose".to_owned() })
    });
    assert!(failed.is_err());
    assert_eq!((contents(&place), place.log()), (before, log.clone()));
    // A document is refused, but those before it stay.
    place.run("test", "{insert: 'c', documents: [{_id: 2}, {_id: 1}, {_id: 3}]}");
    let mut expected = log;
    expected.push((OplogKind::Insert, "test.c".to_owned(), 1));
    assert_eq!(place.log(), expected);
    // An update that changes nothing has no entry.
    place.ok("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {}}}]}");
    place.ok("{delete: 'c', deletes: [{q: {_id: 9}, limit: 1}]}");
    assert_eq!(place.log(), expected);
}

#[test]
fn entries_that_do_not_fit_are_refused() {
    let source = Place::new(Some(Role::Primary), 0);
    let target = source.secondary(0);
    for id in 0..5 {
        source.ok(&format!("{{insert: 'c', documents: [{{_id: {id}}}]}}"));
    }
    source.ok("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}");
    assert_eq!(source.collect(), 7);
    target.apply_until(4);
    let before = contents(&target);
    let log = source.log.lock().expect("unpoisoned").clone();
    // The fourth again, and the removal twice: nothing of either stays.
    for entries in [&log[3..4], &[log[6].clone(), log[6].clone()]] {
        let refused = target.member().apply(entries);
        assert!(matches!(refused, Err(WriteError::NotApplied { .. })), "{refused:?}");
        assert_eq!(contents(&target), before);
    }
    target.catch_up(&source);
    assert_equal(&source, &target, 0);
    let on_primary = source.member().apply(&log);
    assert!(matches!(on_primary, Err(WriteError::NotApplied { .. })), "{on_primary:?}");
}

#[test]
fn kinds_are_those_of_the_commands() {
    let place = Place::new(Some(Role::Primary), 0);
    let check = |command: &str, expected: &[(OplogKind, &str, u64)]| {
        let before = place.log().len();
        let db = if command.starts_with("{rename") { "admin" } else { "test" };
        let reply = place.run(db, command);
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
        let log = place.log();
        let plain = log.iter().map(|(kind, name, count)| (*kind, name.as_str(), *count));
        assert_eq!(plain.skip(before).collect::<Vec<_>>(), expected, "{command}");
    };
    check("{mayflyDialect: 'mongodb'}", &[(OplogKind::Definition, "test.", 0)]);
    check(
        "{insert: 'c', documents: [{_id: 3, at: [1]}, {_id: 2}, {_id: 1}]}",
        &[(OplogKind::Definition, "test.c", 0), (OplogKind::Insert, "test.c", 3)],
    );
    check(
        "{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 9},
          {key: {b: 1}, name: 'b'}]}",
        &[(OplogKind::Definition, "test.c", 0), (OplogKind::Definition, "test.c", 0)],
    );
    check(
        "{collMod: 'c', index: {name: 'at', expireAfterSeconds: 7}}",
        &[(OplogKind::Definition, "test.c", 0)],
    );
    check("{collMod: 'c', index: {name: 'at', expireAfterSeconds: 7}}", &[]);
    check(
        "{collMod: 'c', index: {name: 'b', hidden: true}}",
        &[(OplogKind::Definition, "test.c", 0)],
    );
    check("{dropIndexes: 'c', index: 'b'}", &[(OplogKind::Definition, "test.c", 0)]);
    check(
        "{update: 'c', updates: [{q: {}, u: {$set: {x: 1}}, multi: true}]}",
        &[(OplogKind::Update, "test.c", 3)],
    );
    check("{renameCollection: 'test.c', to: 'test.d'}", &[(OplogKind::Definition, "test.d", 0)]);
    check("{delete: 'd', deletes: [{q: {}, limit: 0}]}", &[(OplogKind::Delete, "test.d", 3)]);
    check("{drop: 'd'}", &[(OplogKind::Definition, "test.d", 0)]);
    check(
        "{create: 'capped', capped: true, size: 4096, max: 1}",
        &[(OplogKind::Definition, "test.capped", 0)],
    );
    check(
        "{insert: 'capped', documents: [{_id: 1}, {_id: 2}]}",
        &[(OplogKind::Insert, "test.capped", 2), (OplogKind::Delete, "test.capped", 1)],
    );
}

#[test]
fn only_a_member_answers_as_one() {
    let alone = Place::new(None, 0);
    assert!(alone.engine().member().is_none());
    let hello = alone.run("admin", "{hello: 1}");
    assert!(!hello.contains_key("secondary") && !hello.contains_key("setName"), "{hello}");
    assert_eq!(alone.run("admin", "{replSetGetStatus: 1}").get_i32("code").ok(), Some(76));
    assert!(!alone.run("admin", "{serverStatus: 1}").contains_key("repl"));

    let place = Place::new(Some(Role::Secondary), 0);
    assert_eq!(place.run("admin", "{replSetGetStatus: 1}").get_i32("code").ok(), Some(94));
    let member = |name: &str, state, position| MemberStatus {
        name: name.to_owned(),
        state,
        position,
        optime_ms: START_MS,
    };
    place.member().set_status(SetStatus {
        name: "lesson".to_owned(),
        me: "B:27017".to_owned(),
        members: vec![
            member("A:27017", MemberState::Primary, 7),
            member("B:27017", MemberState::Secondary, 5),
            member("C:27017", MemberState::Down, 2),
        ],
    });
    let hello = place.run("admin", "{hello: 1}");
    assert_eq!(hello.get_bool("isWritablePrimary").ok(), Some(false), "{hello}");
    assert_eq!(hello.get_bool("secondary").ok(), Some(true));
    assert_eq!(hello.get_str("primary").ok(), Some("A:27017"));
    assert_eq!(hello.get_str("me").ok(), Some("B:27017"));
    assert_eq!(hello.get_str("setName").ok(), Some("lesson"));
    assert_eq!(hello.get_array("hosts").map(Vec::len).ok(), Some(3));
    let status = place.run("admin", "{replSetGetStatus: 1}");
    assert_eq!(status.get_i32("myState").ok(), Some(2), "{status}");
    let members = status.get_array("members").expect("members");
    let states = members.iter().filter_map(|it| it.as_document()?.get_str("stateStr").ok());
    let states: Vec<_> = states.collect();
    assert_eq!(states, ["PRIMARY", "SECONDARY", "(not reachable/healthy)"]);
    let server = place.run("admin", "{serverStatus: 1}");
    let repl = server.get_document("repl").expect("a section");
    assert_eq!(repl.get_bool("secondary").ok(), Some(true), "{repl}");
    let refused = place.run("test", "{insert: 'c', documents: [{_id: 1}]}");
    assert_eq!(refused.get_i32("code").ok(), Some(10_107), "{refused}");
    assert_eq!(refused.get_str("codeName").ok(), Some("NotWritablePrimary"));
    assert!(place.engine().listen(crate::wire::ListenOptions::default()).is_err());
    place.member().set_role(Role::Primary).expect("set");
    place.ok("{insert: 'c', documents: [{_id: 1}]}");
}

#[test]
fn entries_are_in_the_order_of_the_commits() {
    let source = Place::new(Some(Role::Primary), 0);
    let target = source.secondary(0);
    source.ok("{insert: 'c', documents: [{_id: 1, n: 0}]}");
    let add =
        doc! { "update": "c", "updates": [{ "q": { "_id": 1 }, "u": { "$inc": { "n": 1 } } }] };
    let engine = source.engine();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    engine.run("test", &add);
                }
            });
        }
    });
    assert_eq!(source.collect(), 202);
    let numbers = source.log.lock().expect("unpoisoned").clone().into_iter().skip(2).map(|entry| {
        let [OplogChange::Written { document, .. }] = &entry.changes[..] else { panic!() };
        document.get_i32("n").expect("a number")
    });
    assert_eq!(numbers.collect::<Vec<_>>(), (1..=200).collect::<Vec<_>>());
    target.catch_up(&source);
    assert_equal(&source, &target, 0);
}

#[test]
fn documents_keep_bytes_and_times() {
    let mut source = Place::new(Some(Role::Primary), 0);
    let target = source.secondary(7_000);
    let odd: RawDocumentBuf = rawdoc! { "x": 1, "_id": "odd", "x2": { "b": 1, "a": 2 } };
    let namespace = Namespace::new("test", "c");
    let stored = source.collections().write(|writer| {
        let collection = writer.create_if_missing(&namespace)?;
        writer.insert(&collection, &odd).map(drop)
    });
    stored.expect("stored");
    source.advance(5_000);
    target.catch_up(&source);
    assert_equal(&source, &target, 0);
    let (all, _) = contents(&target);
    let [(_, documents)] = all.as_slice() else { panic!("{all:?}") };
    let [(_, modified_ms, bytes)] = documents.as_slice() else { panic!("{documents:?}") };
    assert_eq!((*modified_ms, bytes.as_slice()), (START_MS, odd.as_bytes()));
}
