//! Batches and single writes leave the same store.

use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc, oid::ObjectId};

use super::Bench;
use crate::{
    catalog::{Namespace, rules::CreateIndexesRequest},
    collection::WriteError,
    store::{RecordNumber, Scan, Store},
    value::id_number::made,
};

/// Pseudo-random numbers that are the same in each run.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64)).expect("small")
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn small(&mut self, end: usize) -> i32 {
        i32::try_from(self.below(end)).expect("small")
    }
}

const COLLECTIONS: [&str; 3] = ["a", "b", "c"];

fn namespace(collection: &str) -> Namespace {
    Namespace { db: "db".to_owned(), collection: collection.to_owned() }
}

/// Indexes of each kind, with rows of other collections before and after all of them.
fn new_store() -> Bench {
    let bench = Bench::new();
    for collection in COLLECTIONS {
        let indexes = [
            doc! { "key": { "at": 1 }, "name": "at" },
            doc! { "key": { "u": -1 }, "name": "u", "unique": true, "sparse": true },
            doc! { "key": { "tags": 1, "n": -1 }, "name": "tags" },
            doc! { "key": { "list": 1 }, "name": "list" },
            doc! { "key": { "text": 1 }, "name": "text",
            "partialFilterExpression": { "n": { "$gt": 50 } } },
        ];
        let namespace = namespace(collection);
        let indexes = indexes.to_vec();
        let request = CreateIndexesRequest { namespace, indexes, ignore_unknown_options: false };
        bench.all().create_indexes(&request, &mut |_| {}).expect("made");
    }
    // In the second collection the first `_id`s are out of order.
    let [first, second, third] = COLLECTIONS;
    for (collection, ids) in [(first, [-3, -2, -1]), (second, [2, 1, 0]), (third, [-3, -2, -1])] {
        let batch = ids.map(|id| RawDocumentBuf::try_from(&doc! { "_id": id }).expect("BSON"));
        insert(&bench, collection, &batch, true);
    }
    for (collection, expected) in [(first, true), (second, false), (third, true)] {
        let collection = bench.all().catalog().collection(&namespace(collection)).expect("exists");
        assert_eq!(collection.id_index().map(|index| index.has_implicit_ids), Some(expected));
    }
    bench
}

fn document(rng: &mut Rng, number: u64, in_order: bool) -> RawDocumentBuf {
    let mut id = [0; 12];
    let place = if in_order { number } else { rng.next() };
    id[..8].copy_from_slice(&place.to_be_bytes());
    let mut document = doc! { "_id": ObjectId::from_bytes(id), "n": rng.small(100) };
    let at = i64::try_from(number).unwrap_or(0)
        * if in_order { 1 } else { i64::from(rng.small(10) - 5) };
    document.insert("at", bson::DateTime::from_millis(at));
    if !rng.one_in(4) {
        document.insert("u", i64::try_from(number).unwrap_or(0));
    }
    let few = |rng: &mut Rng| -> Bson {
        let count = rng.below(4);
        (0..count).map(|_| rng.small(3)).collect::<Vec<_>>().into()
    };
    match rng.below(4) {
        0 => drop(document.insert("tags", few(rng))),
        1 => drop(document.insert("tags", rng.small(5))),
        2 => drop(document.insert("list", few(rng))),
        _ => drop(document.insert("list", "x")),
    }
    let length = if rng.one_in(32) { 400 + rng.below(2_600) } else { rng.below(20) };
    document.insert("text", "t".repeat(length));
    RawDocumentBuf::try_from(&document).expect("BSON")
}

/// Documents, now and then with one that conflicts with the others.
fn batch(rng: &mut Rng, number: &mut u64) -> Vec<RawDocumentBuf> {
    let in_order = rng.one_in(2);
    let count = [1, 2, 40, 300, 700][rng.below(5)];
    let mut batch = Vec::new();
    for _ in 0..count {
        *number += 1;
        batch.push(document(rng, *number, in_order));
    }
    if rng.one_in(4) {
        let again = batch[rng.below(batch.len())].clone();
        batch.insert(rng.below(batch.len() + 1), again);
    }
    if rng.one_in(4) {
        let taken = i64::try_from(rng.next() % *number).unwrap_or(0);
        let plain = doc! { "_id": ObjectId::new(), "u": taken };
        batch.insert(rng.below(batch.len() + 1), RawDocumentBuf::try_from(&plain).expect("BSON"));
    }
    batch
}

fn insert(
    bench: &Bench,
    collection: &str,
    batch: &[RawDocumentBuf],
    together: bool,
) -> Vec<Result<RecordNumber, String>> {
    let done: Result<_, WriteError> = bench.all().write(|writer| {
        let collection = writer.create_if_missing(&namespace(collection))?;
        let documents: Vec<&RawDocument> = batch.iter().map(|document| &**document).collect();
        if together && let Some(records) = writer.insert_batch(&collection, &documents)? {
            return Ok(records.into_iter().map(Ok).collect());
        }
        let one = |document| writer.insert(&collection, document).map_err(|e| e.to_string());
        Ok(documents.into_iter().map(one).collect())
    });
    done.expect("commits")
}

fn delete(
    bench: &Bench,
    collection: &str,
    records: &[RecordNumber],
    together: bool,
) -> Vec<Option<i64>> {
    let done: Result<_, WriteError> = bench.all().write(|writer| {
        let collection = writer.collection(&namespace(collection)).expect("exists");
        let decide = |stored: &crate::store::StoredDocument<'_>| {
            let keeps = stored.record.is_multiple_of(7);
            Ok((!keeps).then_some(stored.modified_ms))
        };
        if together {
            return writer.delete_batch(&collection, records, |_, stored| decide(stored?));
        }
        records.iter().map(|record| writer.delete_if(&collection, *record, decide)).collect()
    });
    done.expect("commits")
}

/// Everything that is stored, with its counters.
fn contents(bench: &Bench) -> Vec<String> {
    let catalog = bench.all().catalog();
    let mut lines = Vec::new();
    for name in COLLECTIONS {
        let collection = catalog.collection(&namespace(name)).expect("exists");
        let read: Result<(), WriteError> = bench.all().store().read(|reader| {
            for stored in reader.documents(collection.id, 0, Scan::Forward)? {
                let stored = stored?;
                let document = Document::try_from(stored.document()?).expect("BSON");
                lines.push(format!("{name} {} {} {document}", stored.record, stored.modified_ms));
            }
            lines.push(format!("{name} {:?}", reader.counters(collection.id.0)?));
            for index in &collection.indexes {
                let counters = reader.counters(index.id.0)?;
                lines.push(format!("{name} {} {} {counters:?}", index.name, index.multikey));
            }
            Ok(())
        });
        read.expect("readable");
    }
    lines
}

fn records(bench: &Bench, collection: &str) -> Vec<RecordNumber> {
    let id = bench.all().catalog().collection(&namespace(collection)).expect("exists").id;
    let read: Result<_, WriteError> = bench.all().store().read(|reader| {
        let documents = reader.documents(id, 0, Scan::Forward)?;
        documents.map(|stored| Ok(stored?.record)).collect()
    });
    read.expect("readable")
}

#[test]
fn batches_equal_single_writes() {
    for seed in 0..6 {
        println!("seed {seed}");
        let mut rng = Rng(seed);
        let (together, single) = (new_store(), new_store());
        let mut number = 0;
        for _ in 0..24 {
            let collection = COLLECTIONS[rng.below(COLLECTIONS.len())];
            if rng.below(3) > 0 {
                let batch = batch(&mut rng, &mut number);
                let results = insert(&together, collection, &batch, true);
                assert_eq!(results, insert(&single, collection, &batch, false));
            } else {
                let mut going = records(&single, collection);
                match rng.below(3) {
                    0 => going.truncate(rng.below(going.len() + 1)),
                    1 => going.retain(|_| rng.one_in(8)),
                    _ => going.sort_by_cached_key(|_| rng.next()),
                }
                going.extend([1, 1, 999_999]);
                let results = delete(&together, collection, &going, true);
                assert_eq!(results, delete(&single, collection, &going, false));
            }
        }
        assert_eq!(contents(&together), contents(&single));
        together.check_sound();
        single.check_sound();
        let folder = together.close();
        let report = Store::check_structure(folder.path()).expect("readable");
        assert_eq!(report.findings, Vec::<String>::new());
    }
}

#[test]
fn batches_leave_refusals_to_single_inserts() {
    let bench = new_store();
    let first = [doc! { "_id": 1, "u": 1 }, doc! { "_id": 2, "u": 2 }];
    let check = |batch: &[Document], expected: Option<&[RecordNumber]>| {
        let batch: Vec<_> =
            batch.iter().map(|one| RawDocumentBuf::try_from(one).expect("BSON")).collect();
        let before = contents(&bench);
        let done: Result<_, WriteError> = bench.all().write(|writer| {
            let collection = writer.collection(&namespace("a")).expect("exists");
            let documents: Vec<&RawDocument> = batch.iter().map(|one| &**one).collect();
            writer.insert_batch(&collection, &documents)
        });
        assert_eq!(done.expect("commits").as_deref(), expected, "{batch:?}");
        if expected.is_none() {
            assert_eq!(contents(&bench), before, "nothing stays of what was refused");
        }
        bench.check_sound();
    };
    check(&first, Some(&[made(1), made(2)]));
    check(&[doc! { "_id": 3 }, doc! { "_id": 1 }], None);
    check(&[doc! { "_id": 3 }, doc! { "_id": 3 }], None);
    check(&[doc! { "_id": 0, "u": 9 }, doc! { "_id": 3, "u": 1 }], None);
    check(&[doc! { "_id": 3, "u": 2 }], None);
    check(&[doc! { "_id": [1] }], None);
    check(&[doc! { "a": 1 }], None);
    check(&[doc! { "_id": 3, "tags": [1], "n": [2] }], None);
    check(&[doc! { "_id": 3, "u": 3 }, doc! { "_id": 0 }], Some(&[made(3), made(3) + 1]));
}
