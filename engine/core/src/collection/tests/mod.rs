//! Writes, builds, drops and verification against a real store, and a model test.
#![expect(clippy::needless_pass_by_value, reason = "a case is one literal")]
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

mod batch_write;
mod many_collections;

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::Arc,
};

use bson::{Bson, DateTime, Document, RawDocumentBuf, doc, rawdoc};
use tempfile::TempDir;

use crate::{
    catalog::{
        CatalogSnapshot, CollectionMeta, Dialect, IndexState, Namespace,
        rules::{CollModRequest, CreateIndexesRequest, CreateRequest, IndexSelector},
    },
    clock::SimulatedClock,
    collection::{Collections, WriteError, ddl::indexes::register},
    interrupt::{Limit, StopReason, run_within},
    store::{RecordNumber, Scan, Store, StoreError, StoreOptions},
    value::id_number::made,
};

const START_MS: i64 = 1_704_067_200_000;

pub(in crate::collection) struct Bench {
    folder: TempDir,
    clock: Arc<SimulatedClock>,
    open: Option<Collections>,
}

impl Bench {
    pub(in crate::collection) fn new() -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let clock = Arc::new(SimulatedClock::new(START_MS));
        let mut bench = Self { folder, clock, open: None };
        bench.reopen();
        bench
    }

    pub(in crate::collection) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(in crate::collection) fn reopen(&mut self) {
        self.open = None;
        let options = StoreOptions { map_size_bytes: 1 << 30, ..StoreOptions::default() };
        let (store, _) = Store::open(self.folder.path(), &options).expect("opens");
        let clock = Arc::clone(&self.clock);
        self.open = Some(Collections::new(Arc::new(store), clock).expect("catalog"));
    }

    pub(in crate::collection) fn all(&self) -> &Collections {
        self.open.as_ref().expect("open")
    }

    fn insert(&self, document: Document) -> Result<RecordNumber, WriteError> {
        let document = RawDocumentBuf::try_from(&document).expect("BSON");
        self.all().write(|writer| {
            let collection = writer.create_if_missing(&namespace())?;
            writer.insert(&collection, &document)
        })
    }

    fn create_index(&self, spec: Document) -> Result<(), WriteError> {
        let request = CreateIndexesRequest {
            namespace: namespace(),
            indexes: vec![spec],
            ignore_unknown_options: false,
        };
        self.all().create_indexes(&request, &mut |_| {}).map(drop)
    }

    fn meta(&self) -> Arc<CollectionMeta> {
        self.all().catalog().collection(&namespace()).expect("exists")
    }

    pub(in crate::collection) fn check_sound(&self) {
        let report = self.all().verify(&mut |_| true).expect("readable");
        assert_eq!(report.findings, [], "{report:?}");
    }

    /// Closes the store.
    pub(in crate::collection) fn close(self) -> TempDir {
        drop(self.open);
        self.folder
    }

    fn documents(&self) -> u64 {
        let id = self.meta().id.0;
        self.all().store().read(|reader| reader.counters(id)).expect("counters").documents
    }
}

fn namespace() -> Namespace {
    Namespace::new("test", "c")
}

fn is_duplicate(result: Result<RecordNumber, WriteError>) -> bool {
    matches!(result, Err(WriteError::DuplicateKey(_)))
}

#[test]
fn a_catalog_belongs_to_the_commits_that_hold_it() {
    let mut bench = Bench::new();
    bench.insert(doc! { "_id": 1 }).expect("stored");
    let is_of = |bench: &Bench, catalog: &CatalogSnapshot| {
        let seen = bench.all().store().read(|reader| catalog.is_of(reader));
        seen.expect("reads")
    };
    let before = bench.all().catalog();
    // Twice: the second time the commit is known.
    assert!(is_of(&bench, &before) && is_of(&bench, &before));
    bench.insert(doc! { "_id": 2 }).expect("stored");
    assert!(is_of(&bench, &before), "a commit of documents alone changes no definition");
    bench.create_index(doc! { "key": { "a": 1 }, "name": "a" }).expect("built");
    assert!(!is_of(&bench, &before));
    let after = bench.all().catalog();
    assert!(is_of(&bench, &after));
    assert!(!is_of(&bench, &before), "what is known of one catalog is not known of another");
    assert!(is_of(&bench, &CatalogSnapshot::clone(&after)));
    bench.reopen();
    assert!(is_of(&bench, &after) && !is_of(&bench, &before));
    let seen: Result<_, StoreError> =
        bench.all().store().write(|writer| Ok(writer.reader().snapshot()));
    assert_eq!(seen, Ok(None), "what a write sees is not a commit yet");
}

#[test]
fn a_duplicate_is_refused_and_leaves_the_transaction_good() {
    let bench = Bench::new();
    bench.insert(doc! { "_id": 1, "a": 1 }).expect("first");
    assert!(is_duplicate(bench.insert(doc! { "_id": 1.0 })));
    let outcome = bench.all().write(|writer| {
        let collection = writer.create_if_missing(&namespace())?;
        let refused = writer.insert(&collection, &rawdoc! { "_id": 1 });
        let WriteError::DuplicateKey(key) = refused.expect_err("duplicate") else { panic!() };
        writer.insert(&collection, &rawdoc! { "_id": 2 })?;
        Ok::<_, WriteError>((key.index.clone(), key.key_value.clone()))
    });
    assert_eq!(outcome, Ok(("_id_".to_owned(), doc! { "_id": 1 })));
    assert_eq!(bench.documents(), 2);
    bench.check_sound();
}

#[test]
fn long_values_are_compared_whole() {
    let bench = Bench::new();
    bench.insert(doc! { "_id": 0 }).expect("first");
    bench.create_index(doc! { "key": { "a": 1 }, "name": "a_1", "unique": true }).expect("built");
    let long = "x".repeat(1_000);
    bench.insert(doc! { "_id": 1, "a": &long }).expect("new");
    bench.insert(doc! { "_id": 2, "a": format!("{long}y") }).expect("differs at the end");
    assert!(is_duplicate(bench.insert(doc! { "_id": 3, "a": &long })));
    assert!(is_duplicate(bench.insert(doc! { "_id": 4 })), "a missing field is null");
    bench.check_sound();
}

#[test]
fn compound_keys_take_fields_of_one_array_together() {
    let bench = Bench::new();
    let spec = doc! { "key": { "a.b": 1, "a.c": -1 }, "name": "bc", "unique": true };
    bench.create_index(spec).expect("built");
    bench.insert(doc! { "_id": 1, "a": [{ "b": 1, "c": 1 }, { "b": 2, "c": 2 }] }).expect("new");
    bench.insert(doc! { "_id": 2, "a": { "b": 1, "c": 2 } }).expect("no such pair yet");
    assert!(is_duplicate(bench.insert(doc! { "_id": 3, "a": { "b": 2, "c": 2 } })));
    bench.create_index(doc! { "key": { "x": 1, "y": 1 }, "name": "xy" }).expect("built");
    let refused = bench.insert(doc! { "_id": 4, "a": 1, "x": [1, 2], "y": [1, 2] });
    assert!(matches!(refused, Err(WriteError::ParallelArrays { .. })));
    assert!(bench.meta().index("bc").expect("exists").multikey);
    bench.check_sound();
}

#[test]
fn a_build_continues_beside_writers_and_after_a_restart() {
    let mut bench = Bench::new();
    // More documents than one step reads.
    let filled = bench.all().write(|writer| {
        let collection = writer.create_if_missing(&namespace())?;
        for id in 0..60_000 {
            writer.insert(&collection, &rawdoc! { "_id": id, "a": id % 7 })?;
        }
        Ok::<_, WriteError>(())
    });
    filled.expect("filled");
    let request = CreateIndexesRequest {
        namespace: namespace(),
        indexes: vec![doc! { "key": { "a": 1 }, "name": "a_1", "sparse": true }],
        ignore_unknown_options: false,
    };
    // As if the program ends after registering the index, before the first step.
    let registered = bench.all().transact(|writer| register(writer, &request));
    assert_eq!(registered.expect("registered").builds.len(), 1);
    let pending = bench.all().pending_builds();
    assert!(!bench.all().step(&pending[0]).expect("step").finished);
    bench.reopen();
    bench.check_sound();
    let collection = bench.meta();
    bench
        .all()
        .write(|writer| {
            writer.insert(&collection, &rawdoc! { "_id": 90_000, "a": 1 })?;
            writer.delete(&collection, made(3))?;
            writer.delete(&collection, made(59_400))?;
            writer.replace(&collection, made(4), &rawdoc! { "_id": 4, "a": [1, 2] })?;
            writer.replace(&collection, made(59_299), &rawdoc! { "_id": 59_299, "b": 1 })
        })
        .expect("writers are not blocked");
    bench.check_sound();
    let pending = bench.all().pending_builds();
    while !bench.all().step(&pending[0]).expect("step").finished {
        bench.check_sound();
    }
    assert_eq!(bench.meta().index("a_1").expect("exists").state, IndexState::Ready);
    assert!(bench.all().pending_builds().is_empty());
    bench.check_sound();
}

#[test]
fn a_document_is_not_replaced_by_one_with_another_id() {
    let bench = Bench::new();
    let record = bench.insert(doc! { "_id": 1 }).expect("new");
    let collection = bench.meta();
    let replace = |with: RawDocumentBuf| {
        bench.all().write(|writer| writer.replace(&collection, record, &with))
    };
    assert_eq!(replace(rawdoc! { "_id": 1.0, "a": 1 }), Ok(()), "an equal one");
    assert_eq!(
        replace(rawdoc! { "_id": 2 }).map_err(|error| error.to_string()),
        Err("document with _id 1 can't be replaced by one with another _id".to_owned())
    );
    bench.check_sound();
}

#[test]
fn a_unique_build_that_meets_a_duplicate_leaves_nothing() {
    let bench = Bench::new();
    for id in 0..20 {
        bench.insert(doc! { "_id": id, "a": id / 2 }).expect("new");
    }
    let refused = bench.create_index(doc! { "key": { "a": 1 }, "name": "a_1", "unique": true });
    assert!(matches!(refused, Err(WriteError::DuplicateKey(_))));
    assert_eq!(bench.meta().indexes.len(), 1);
    bench.create_index(doc! { "key": { "a": 1 }, "name": "a_1" }).expect("not unique");
    let modify = |change: Document| {
        let mut index = doc! { "name": "a_1" };
        index.extend(change);
        let request = CollModRequest {
            others: Document::new(),
            namespace: namespace(),
            index: Some(Bson::Document(index)),
            expire_after_seconds: None,
            dry_run: false,
        };
        bench.all().coll_mod(&request)
    };
    modify(doc! { "prepareUnique": true }).expect("prepared");
    assert!(is_duplicate(bench.insert(doc! { "_id": 99, "a": 1 })));
    let refused = modify(doc! { "unique": true });
    assert!(matches!(refused, Err(WriteError::NotUnique { .. })), "{refused:?}");
    let collection = bench.meta();
    let delete = |record| bench.all().write(|writer| writer.delete(&collection, record));
    for id in (0..20).step_by(2) {
        assert_eq!(delete(made(id)), Ok(true));
    }
    assert_eq!(modify(doc! { "unique": true }).expect("unique").unique_new, Some(true));
    assert!(bench.meta().index("a_1").expect("exists").unique);
    bench.check_sound();
}

#[test]
fn what_is_dropped_is_reclaimed_in_steps_also_after_a_restart() {
    let mut bench = Bench::new();
    bench.create_index(doc! { "key": { "a": 1 }, "name": "a_1" }).expect("built");
    for id in 0..1_500 {
        bench.insert(doc! { "_id": id, "a": id }).expect("new");
    }
    let old = bench.meta();
    assert_eq!(bench.all().drop_collection(&namespace()), Ok(Some(2)));
    assert_eq!(bench.all().drop_collection(&namespace()), Ok(None));
    assert!(bench.all().reclaim_step().expect("step").pending > 0);
    bench.reopen();
    let mut steps = 0;
    while bench.all().reclaim_step().expect("step").pending > 0 {
        steps += 1;
    }
    assert!(steps > 1, "bounded steps");
    let left = bench.all().store().read(|reader| {
        let documents = reader.documents(old.id, 0, Scan::Forward)?.count();
        Ok::<_, StoreError>(documents)
    });
    assert_eq!(left, Ok(0));
    assert_eq!(bench.all().reclaim_step().map(|step| step.removed), Ok(0));
}

#[test]
fn a_capped_collection_keeps_its_bounds() {
    let bench = Bench::new();
    let options = doc! { "capped": true, "size": 1_000_000, "max": 5 };
    let request = CreateRequest { namespace: namespace(), options };
    bench.all().create(&request).expect("created");
    bench.all().create(&request).expect("the same again");
    for id in 0..12 {
        bench.insert(doc! { "_id": id }).expect("new");
    }
    assert_eq!(bench.documents(), 5);
    assert!(!is_duplicate(bench.insert(doc! { "_id": 0 })));
    assert!(is_duplicate(bench.insert(doc! { "_id": 11 })));
    bench.check_sound();
}

#[test]
fn a_hidden_expired_document_is_evicted() {
    let bench = Bench::new();
    bench.all().set_dialect("test", Dialect::Cosmos).expect("set");
    bench
        .create_index(doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 10 })
        .expect("built");
    bench.insert(doc! { "_id": 1 }).expect("new");
    bench.insert(doc! { "_id": 2, "ttl": 100 }).expect("new");
    assert!(is_duplicate(bench.insert(doc! { "_id": 1 })));
    bench.clock.advance_ms(10_000);
    bench.insert(doc! { "_id": 1 }).expect("the old one is gone for readers");
    assert!(is_duplicate(bench.insert(doc! { "_id": 2 })));
    assert_eq!(bench.documents(), 2);
    assert!(bench.all().set_dialect("test", Dialect::Open).is_err());
    bench.check_sound();
}

#[test]
fn an_unowned_build_keeps_evicted_documents_for_the_archive() {
    let bench = Bench::new();
    let ttl = doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 10 };
    bench.create_index(ttl).expect("built");
    bench.insert(doc! { "_id": 1, "u": 1 }).expect("new");
    bench.insert(doc! { "_id": 2, "u": 1, "ttl": -1 }).expect("new");
    bench.clock.advance_ms(10_000);
    let unique = doc! { "key": { "u": 1 }, "name": "u_1", "unique": true };
    let request = CreateIndexesRequest {
        namespace: namespace(),
        indexes: vec![unique],
        ignore_unknown_options: false,
    };
    let left = catch_unwind(AssertUnwindSafe(|| {
        bench.all().create_indexes_while(&request, &|| panic!("on purpose"), &mut |_| {})
    }));
    assert!(left.is_err());
    bench.all().change_trash_policy(|policy| {
        let collection = bench.all().catalog().collection(&namespace()).expect("there").id;
        policy.archives.insert(collection, "a".into());
    });
    let pending = bench.all().pending_builds();
    let resume = || bench.all().resume_build(&pending[0], &|| true);
    assert_eq!(resume(), Ok(()));
    assert_eq!(bench.all().pending_builds(), []);
    assert_eq!(bench.documents(), 1);
    assert_eq!(bench.all().waiting_rows().expect("read")["a"].documents, 1);
    bench.check_sound();
}

#[test]
fn a_rename_keeps_documents_and_indexes() {
    let mut bench = Bench::new();
    bench
        .create_index(doc! { "key": { "d": 1 }, "name": "d_1", "expireAfterSeconds": 5 })
        .expect("built");
    bench.insert(doc! { "_id": 1, "d": DateTime::from_millis(5) }).expect("new");
    let old = bench.meta();
    let to = Namespace::new("other", "new");
    bench.all().rename(&namespace(), &to).expect("renamed");
    bench.reopen();
    let new = bench.all().catalog().collection(&to).expect("renamed");
    assert_eq!((new.id, new.uuid, &new.indexes), (old.id, old.uuid, &old.indexes));
    assert_eq!(bench.all().catalog().ttl_indexes().count(), 1);
    let stale = bench.all().write(|writer| writer.insert(&old, &rawdoc! { "_id": 5 }));
    assert!(matches!(stale, Err(WriteError::Catalog(_))), "a stale definition is refused");
    bench.check_sound();
}

/// xorshift64*, so that a printed seed gives the same run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % sides
    }

    fn value(&mut self) -> Bson {
        let number = i32::try_from(self.roll(20)).expect("small");
        match self.roll(8) {
            0 => Bson::Null,
            1 => Bson::String("v".repeat(440 + self.roll(4) as usize)),
            2 => Bson::Array((0..self.roll(4)).map(|n| Bson::Int32(n as i32)).collect()),
            3 => Bson::DateTime(DateTime::from_millis(START_MS + i64::from(number) * 1_000)),
            4 => Bson::Document(doc! { "b": number }),
            5 => Bson::Array(vec![
                Bson::Document(doc! { "b": number }),
                Bson::Document(doc! { "b": 1 }),
            ]),
            _ => Bson::Int32(number),
        }
    }

    fn document(&mut self) -> Document {
        let mut document = doc! { "_id": self.roll(200).cast_signed() };
        for field in ["a", "d", "e"] {
            if self.roll(3) > 0 {
                document.insert(field, self.value());
            }
        }
        if self.roll(4) == 0 {
            document.insert("ttl", self.roll(30) as i32 - 2);
        }
        document
    }
}

const SPECS: usize = 8;

fn spec(number: usize) -> Document {
    [
        doc! { "key": { "a": 1 }, "name": "0" },
        doc! { "key": { "d": -1 }, "name": "1", "expireAfterSeconds": 5 },
        doc! { "key": { "a.b": 1, "a": -1 }, "name": "2" },
        doc! { "key": { "e": 1 }, "name": "3", "sparse": true },
        doc! { "key": { "d": 1, "e": 1 }, "name": "4", "sparse": true },
        doc! { "key": { "_ts": 1 }, "name": "5", "expireAfterSeconds": 1_000_000 },
        doc! { "key": { "e": 1 }, "name": "6", "partialFilterExpression": { "a": { "$gt": 3 } } },
        doc! { "key": { "e": "hashed" }, "name": "7" },
    ][number]
        .clone()
}

#[test]
fn random_steps_agree_with_a_model() {
    let seed = u64::from(std::process::id()) << 20 | 0x9E37_79B9;
    println!("seed {seed}");
    let mut dice = Dice(seed);
    let mut bench = Bench::new();
    let mut model: BTreeMap<i64, (RecordNumber, Document)> = BTreeMap::new();
    bench
        .insert(doc! { "_id": -1_i64 })
        .map(|record| model.insert(-1, (record, doc! { "_id": -1_i64 })))
        .expect("new");
    for step in 0..3_000 {
        let document = dice.document();
        let id = document.get_i64("_id").expect("an id");
        let raw = RawDocumentBuf::try_from(&document).expect("BSON");
        let collection = bench.meta();
        match dice.roll(100) {
            0..50 => match bench.insert(document.clone()) {
                Ok(record) => {
                    // Only a document that reads hide by now may lose its `_id`.
                    let old = model.insert(id, (record, document));
                    let hidden = |old: &Document| old.get_i32("ttl").is_ok_and(|secs| secs > 0);
                    assert!(old.is_none_or(|(_, old)| hidden(&old)), "step {step}");
                }
                Err(WriteError::DuplicateKey(_)) => assert!(model.contains_key(&id), "step {step}"),
                Err(WriteError::ParallelArrays { .. }) => {}
                Err(error) => panic!("step {step}: {error}"),
            },
            50..75 => {
                let Some((record, old)) = model.get_mut(&id) else { continue };
                bench.clock.advance_ms(700);
                match bench.all().write(|writer| writer.replace(&collection, *record, &raw)) {
                    Ok(()) => *old = document,
                    Err(WriteError::ParallelArrays { .. }) => {}
                    Err(error) => panic!("step {step}: {error}"),
                }
            }
            75..92 => {
                let expected = model.remove(&id).map(|(record, _)| record);
                let record = expected.unwrap_or(RecordNumber::MAX);
                let removed = bench.all().write(|writer| writer.delete(&collection, record));
                assert_eq!(removed, Ok(expected.is_some()), "step {step}");
            }
            92..95 => match bench.create_index(spec(dice.roll(SPECS as u64) as usize)) {
                Ok(()) | Err(WriteError::ParallelArrays { .. }) => {}
                Err(error) => panic!("step {step}: {error}"),
            },
            95..97 => {
                let name = dice.roll(SPECS as u64).to_string();
                let _ = bench.all().drop_indexes(&namespace(), &IndexSelector::Names(vec![name]));
            }
            97..99 => drop(bench.all().reclaim_step().expect("step")),
            _ => {
                bench.reopen();
                bench.check_sound();
            }
        }
    }
    bench.reopen();
    bench.check_sound();
    let id = bench.meta().id;
    let stored: BTreeMap<RecordNumber, Vec<u8>> = bench
        .all()
        .store()
        .read(|reader| {
            reader
                .documents(id, 0, Scan::Forward)?
                .map(|stored| stored.map(|stored| (stored.record, stored.bytes.to_vec())))
                .collect::<Result<_, StoreError>>()
        })
        .expect("readable");
    let expected: BTreeMap<RecordNumber, Vec<u8>> = model
        .values()
        .map(|(record, document)| (*record, document.to_vec().expect("BSON")))
        .collect();
    assert_eq!(stored, expected);
}

#[test]
fn writes_that_share_a_commit_make_one_collection_and_count_every_document() {
    const THREADS: i32 = 8;
    const DOCUMENTS: i32 = 20;
    let bench = Bench::new();
    let refused = std::sync::atomic::AtomicI32::new(0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (bench, refused) = (&bench, &refused);
            scope.spawn(move || {
                for number in 0..DOCUMENTS {
                    // Two threads offer the same `_id`s; one of each pair is refused.
                    let id = (thread / 2) * DOCUMENTS + number;
                    match bench.insert(doc! { "_id": id, "thread": thread }) {
                        Ok(_) => {}
                        Err(WriteError::DuplicateKey(_)) => {
                            refused.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        }
                        Err(error) => panic!("{error}"),
                    }
                    // A client that got its answer finds the collection immediately.
                    assert!(bench.all().catalog().collection(&namespace()).is_some());
                }
            });
        }
    });
    let (expected, all) = (THREADS * DOCUMENTS / 2, bench.all());
    assert_eq!(refused.into_inner(), expected);
    let collection = all.catalog().collection(&namespace()).expect("created");
    let store = all.store();
    let counters: Result<_, StoreError> = store.read(|reader| reader.counters(collection.id.0));
    assert_eq!(counters.map(|counters| counters.documents), Ok(u64::from(expected.unsigned_abs())));
    assert!(store.commits() < store.writes(), "{} {}", store.commits(), store.writes());
    let findings = store.check().map(|report| report.findings);
    assert_eq!(findings, Ok(Vec::new()));
}

/// Ends all work.
struct Ends;

impl Limit for Ends {
    fn tick(&self) -> Result<(), StopReason> {
        Err(StopReason::Interrupted)
    }
}

/// The leader runs the write of another thread. Returns its result when either of them is limited.
fn lent(leader_is_limited: bool, owner_is_limited: bool) -> Result<RecordNumber, WriteError> {
    let bench = Bench::new();
    let validator = doc! { "$expr": { "$gt": [{ "$size": { "$filter": { "input": [1], "cond": true } } }, 0] } };
    let request =
        CreateRequest { namespace: namespace(), options: doc! { "validator": validator } };
    bench.all().create(&request).expect("created");
    let limit = |is_limited: bool| is_limited.then(|| Arc::new(Ends) as Arc<dyn Limit>);
    let (all, begun) = (bench.all(), std::sync::Barrier::new(2));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let led: Result<(), WriteError> = run_within(limit(leader_is_limited), || {
                let mut is_first_run = true;
                all.write(|writer| {
                    if std::mem::take(&mut is_first_run) {
                        begun.wait();
                        while all.store().queued_writes() == 0 {
                            std::thread::yield_now();
                        }
                    }
                    Ok(writer.put_meta("leader", b"was here")?)
                })
            });
            led.expect("written");
        });
        begun.wait();
        let commits = all.store().commits();
        let inserted = run_within(limit(owner_is_limited), || bench.insert(doc! { "_id": 1 }));
        assert_eq!(all.store().commits(), commits + 1, "of both");
        inserted
    })
}

#[test]
fn a_write_run_by_another_thread_keeps_its_own_limit() {
    assert!(lent(false, false).is_ok());
    let inserted = lent(true, false);
    assert!(inserted.is_ok(), "somebody else was to end: {inserted:?}");
    assert_eq!(lent(false, true), Err(WriteError::Ended(StopReason::Interrupted)));
}

#[test]
fn ten_thousand_collections_need_no_more_tables() {
    const TRANSACTIONS: usize = 20;
    const EACH: usize = 500;
    let mut bench = Bench::new();
    let name = |number: usize| Namespace::new("d", format!("c{number}"));
    for first in (0..TRANSACTIONS * EACH).step_by(EACH) {
        let made: Result<(), WriteError> = bench.all().write(|writer| {
            for number in first..first + EACH {
                let collection = writer.create_if_missing(&name(number))?;
                writer.insert(&collection, &rawdoc! { "_id": 1 })?;
            }
            Ok(())
        });
        made.expect("made");
    }
    bench.reopen();
    let catalog = bench.all().catalog();
    assert_eq!(catalog.all_collections().count(), TRANSACTIONS * EACH);
    assert!((0..TRANSACTIONS * EACH).all(|number| catalog.collection(&name(number)).is_some()));
    bench.check_sound();
}

/// Otherwise creating and dropping databases would fill memory and slow down every change.
#[test]
fn dropped_databases_leave_nothing_in_memory() {
    let bench = Bench::new();
    let collection = |db: &str| Namespace::new(db, "c");
    let make = |db: &str| {
        let made = bench.all().write(|writer| writer.create_if_missing(&collection(db)).map(drop));
        made.expect("made");
    };
    for db in ["dropped", "emptied", "renamed"] {
        make(db);
    }
    bench.all().drop_database("dropped").expect("dropped");
    bench.all().drop_collection(&collection("emptied")).expect("dropped");
    bench.all().rename(&collection("renamed"), &collection("kept")).expect("renamed");
    bench.all().set_dialect("empty", Dialect::Cosmos).expect("set");
    bench.all().set_dialect("again", Dialect::Cosmos).expect("set");
    bench.all().set_dialect("again", Dialect::Open).expect("set");
    let stored = bench.all().store.read(CatalogSnapshot::load).expect("read");
    assert_eq!(*bench.all().catalog(), stored);
    assert_eq!(bench.all().catalog().dialect("empty"), Dialect::Cosmos);
}
