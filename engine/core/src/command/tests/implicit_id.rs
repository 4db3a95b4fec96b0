//! Documents that are stored under their `_id` and documents that are not, in one collection:
//! whatever is asked, nothing tells them apart.

use std::cmp::Ordering;

use bson::{Bson, DateTime, Document, doc, oid::ObjectId, raw::RawBson};

use super::closed::{put, record};
use crate::{command::testing::Lab, store::Scan, value::compare};

/// Numbers that look like chance and are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)) % end
    }

    fn small(&mut self, end: u64) -> i32 {
        i32::try_from(self.roll(end)).expect("small")
    }

    fn object_id(&mut self, number: u64) -> Bson {
        let mut bytes = [0; 12];
        bytes[3..11].copy_from_slice(&number.to_be_bytes());
        bytes[11] = u8::try_from(self.roll(2)).expect("small");
        Bson::ObjectId(ObjectId::from_bytes(bytes))
    }

    /// Counters continue from `next`; other values are random.
    fn id(&mut self, next: &mut i32) -> Bson {
        *next += 1;
        match self.roll(16) {
            0..5 => (*next).into(),
            5 => i64::from(*next + 300).into(),
            6 => self.small(400).into(),
            7 => f64::from(self.small(400)).into(),
            8 => (f64::from(self.small(400)) / 2.0).into(),
            9 => (-self.small(50)).into(),
            10 => format!("{}", self.small(50)).into(),
            11 => self.object_id(u64::from(next.unsigned_abs())),
            12 => {
                let number = self.roll(400);
                self.object_id(number)
            }
            13 => DateTime::from_millis(self.small(50).into()).into(),
            14 => Bson::Decimal128(self.small(400).to_string().parse().expect("a decimal")),
            _ => [Bson::Null, true.into(), i64::MAX.into(), f64::NAN.into()]
                [usize::try_from(self.roll(4)).expect("small")]
            .clone(),
        }
    }
}

/// Also NaN is itself there.
fn assert_same(found: &[Bson], expected: &[Bson], what: &str) {
    let is_same = found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| order(a, b) == Ordering::Equal);
    assert!(is_same, "{what}: {found:?} and not {expected:?}");
}

fn order(a: &Bson, b: &Bson) -> Ordering {
    let raw = |value: &Bson| RawBson::try_from(value.clone()).expect("BSON");
    compare(raw(a).as_raw_bson_ref(), raw(b).as_raw_bson_ref())
}

/// A collection, and what it has to hold in the order of insertion.
struct Pair {
    lab: Lab,
    ids: Vec<Bson>,
}

impl Pair {
    fn place(&self, id: &Bson) -> Option<usize> {
        self.ids.iter().position(|one| order(one, id) == Ordering::Equal)
    }

    fn insert(&mut self, ids: &[Bson]) {
        let documents: Vec<Document> = ids.iter().map(|id| doc! { "_id": id, "n": 1 }).collect();
        let insert = doc! { "insert": "c", "documents": documents, "ordered": false };
        let reply = self.lab.run_document(&insert);
        let mut new = 0;
        for id in ids {
            if self.place(id).is_none() {
                self.ids.push(id.clone());
                new += 1;
            }
        }
        assert_eq!(reply.get_i32("n").ok(), Some(new), "{ids:?}: {reply}");
        let refused = reply.get_array("writeErrors").map_or(0, Vec::len);
        assert_eq!(refused, ids.len() - usize::try_from(new).expect("a number"));
    }

    fn delete(&mut self, id: &Bson) {
        let deletes = [doc! { "q": { "_id": id }, "limit": 1 }];
        let reply = self.lab.run_document(&doc! { "delete": "c", "deletes": deletes.to_vec() });
        let place = self.place(id);
        assert_eq!(reply.get_i32("n").ok(), Some(i32::from(place.is_some())), "{id}: {reply}");
        place.map(|place| self.ids.remove(place));
    }

    /// All batches of a find.
    fn find(&self, find: Document, batch_size: i32) -> Vec<Bson> {
        let mut command = doc! { "find": "c", "batchSize": batch_size };
        command.extend(find);
        let mut found = Vec::new();
        let mut batch = "firstBatch";
        loop {
            let reply = self.lab.run_document(&command);
            let cursor = reply.get_document("cursor").expect("a cursor");
            for document in cursor.get_array(batch).expect("a batch") {
                found.push(document.as_document().expect("a document")["_id"].clone());
            }
            let id = cursor.get_i64("id").expect("an id");
            if id == 0 {
                return found;
            }
            command = doc! { "getMore": id, "collection": "c", "batchSize": batch_size };
            batch = "nextBatch";
        }
    }

    fn check(&self, dice: &mut Dice) {
        assert_same(&self.find(doc! {}, 7), &self.ids, "in the order of insertion");
        let mut sorted = self.ids.clone();
        sorted.sort_by(order);
        assert_same(&self.find(doc! { "sort": { "_id": 1 } }, 5), &sorted, "upwards");
        sorted.reverse();
        assert_same(&self.find(doc! { "sort": { "_id": -1 } }, 5), &sorted, "downwards");
        sorted.reverse();
        let hinted = doc! { "hint": { "_id": 1 }, "min": { "_id": 40 }, "max": { "_id": 90.5 } };
        let within = |id: &Bson| {
            order(id, &40.into()) != Ordering::Less && order(id, &90.5.into()) == Ordering::Less
        };
        let expected: Vec<Bson> = sorted.iter().filter(|id| within(id)).cloned().collect();
        assert_same(&self.find(hinted, 3), &expected, "from 40 to 90.5");
        let mut next = self.ids.len().try_into().expect("few");
        for _ in 0..6 {
            let (a, b) = (dice.id(&mut next), dice.id(&mut next));
            let found = self.find(doc! { "filter": { "_id": &a } }, 2);
            assert_eq!(found.len(), usize::from(self.place(&a).is_some()), "{a}");
            self.check_range(&sorted, &a, &b);
        }
        self.lab.check(
            "{validate: 'c'}",
            &format!("{{valid: true, nrecords: {0}, 'keysPerIndex._id_': {0}}}", self.ids.len()),
        );
    }

    /// Documents from `a` to below `b`, which compare with values of their own type alone.
    fn check_range(&self, sorted: &[Bson], a: &Bson, b: &Bson) {
        let class = |value: &Bson| {
            let raw = RawBson::try_from(value.clone()).expect("BSON");
            crate::value::type_rank(raw.as_raw_bson_ref())
        };
        let is_nan = |value: &Bson| value.as_f64().is_some_and(f64::is_nan);
        if is_nan(a) || is_nan(b) || *a == Bson::Null || *b == Bson::Null {
            return;
        }
        let matches = |id: &&Bson| {
            class(id) == class(a)
                && class(id) == class(b)
                && !is_nan(id)
                && order(id, a) != Ordering::Less
                && order(id, b) == Ordering::Less
        };
        let expected: Vec<Bson> = sorted.iter().filter(matches).cloned().collect();
        let filter = doc! { "_id": { "$gte": a, "$lt": b } };
        let sort = doc! { "_id": 1 };
        let found = self.find(doc! { "filter": &filter, "sort": sort }, 4);
        assert_same(&found, &expected, &filter.to_string());
        let reply = self.lab.run_document(&doc! { "count": "c", "query": &filter });
        assert_eq!(reply.get_i32("n").ok(), i32::try_from(expected.len()).ok(), "{filter}");
    }
}

#[test]
fn nothing_tells_how_a_document_is_stored() {
    for seed in 0..6 {
        println!("seed {seed}");
        let mut dice = Dice(seed);
        let mut pair = Pair { lab: Lab::new(), ids: Vec::new() };
        let mut next = 0;
        pair.lab.ok("{create: 'c'}");
        for step in 0..60 {
            match dice.roll(8) {
                0..4 => {
                    let count = [1, 1, 3, 20][usize::try_from(dice.roll(4)).expect("small")];
                    let ids: Vec<Bson> = (0..count).map(|_| dice.id(&mut next)).collect();
                    pair.insert(&ids);
                }
                4 => {
                    let ids: Vec<Bson> = (next..next + 30).map(Bson::from).collect();
                    next += 30;
                    pair.insert(&ids);
                }
                5..7 => {
                    for _ in 0..dice.roll(10) {
                        let id = match pair.ids.len() as u64 {
                            0 => dice.id(&mut next),
                            len => {
                                pair.ids[usize::try_from(dice.roll(len)).expect("small")].clone()
                            }
                        };
                        pair.delete(&id);
                    }
                }
                _ => pair.lab = pair.lab.reopened(),
            }
            if step % 6 == 0 {
                pair.check(&mut dice);
            }
        }
        pair.check(&mut dice);
    }
}

/// How many documents of `c` have an entry in the index on `_id`.
fn entries(lab: &Lab) -> u64 {
    let collections = lab.engine.collections();
    let catalog = collections.catalog();
    let collection = catalog.collection_named("test", "c").expect("there");
    let index = collection.id_index().expect("an index").id;
    collections.store().read(|reader| reader.counters(index.0)).expect("readable").entries
}

#[test]
fn ids_that_ascend_need_no_entries() {
    let check = |create: &str, ids: &str, expected: u64| {
        let lab = Lab::new();
        lab.ok(create);
        let documents = ids.split(' ').map(|id| format!("{{_id: {id}}}")).collect::<Vec<_>>();
        lab.ok(&format!("{{insert: 'c', documents: [{}]}}", documents.join(", ")));
        assert_eq!(entries(&lab), expected, "{ids}");
        lab.check("{validate: 'c'}", "{valid: true}");
    };
    let plain = "{create: 'c'}";
    check(plain, "0 1 2.0 NumberLong(3) NumberDecimal('4')", 0);
    check(
        plain,
        "1 2 ObjectId('65920080a1b2c3d4e5000001') ObjectId('65920080a1b2c3d4e5000002')",
        0,
    );
    check(plain, "1 'a' 2 -1 3.5", 3);
    check(plain, "5 1 6 2 7", 2);
    check(plain, "5 1 6 2 3", 5);
    check("{create: 'c', capped: true, size: 4096}", "1 2 3", 3);
    check("{create: 'c', clusteredIndex: {key: {_id: 1}, unique: true}}", "1 2 3", 3);
}

#[test]
fn a_definition_without_the_mark_keeps_all_entries() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 2}, {_id: 1}, {_id: 0}]}");
    lab.ok("{insert: 'c', documents: [{_id: 3}, {_id: 4}]}");
    assert_eq!(entries(&lab), 5);
    let collections = lab.engine.collections();
    let id = collections.catalog().collection_named("test", "c").expect("there").id;
    let records = collections.store().read(|reader| {
        let documents = reader.documents(id, 0, Scan::Forward)?;
        documents.map(|stored| stored.map(|stored| stored.record)).collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(records, Ok(vec![1, 2, 3, 4, 5]));
    lab.check("{insert: 'c', documents: [{_id: 1}]}", "{n: 0, 'writeErrors.0.code': 11000}");
}

#[test]
fn a_collection_of_an_older_version_continues_as_it_was() {
    let lab = Lab::new();
    lab.ok("{create: 'c'}");
    let mut older = record(&lab);
    let indexes = older.get_array_mut("indexes").expect("indexes");
    indexes[0].as_document_mut().expect("an index").insert("form", "values");
    put(&lab, &older);
    let lab = lab.reopened();
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
    lab.ok("{insert: 'c', documents: [{_id: 3}]}");
    assert_eq!(entries(&lab), 3);
    assert_eq!(record(&lab), older);
    lab.check("{validate: 'c'}", "{valid: true, 'keysPerIndex._id_': 3}");
}

#[test]
fn a_document_under_a_number_of_another_one_is_found() {
    let check = |wrong: &dyn Fn(&Lab, crate::store::CollectionId), expected: &str| {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 'a'}]}");
        let id =
            lab.engine.collections().catalog().collection_named("test", "c").expect("there").id;
        wrong(&lab, id);
        let reply = lab.ok("{validate: 'c'}");
        let errors = reply.get_array("errors").expect("a list");
        let is_told = errors.iter().any(|error| error.as_str() == Some(expected));
        assert!(is_told, "{expected}: {reply}");
    };
    let put = |lab: &Lab, id, record, document: Document| {
        let bytes = document.to_vec().expect("BSON");
        let written: Result<(), crate::store::StoreError> = lab
            .engine
            .collections()
            .store()
            .write(|writer| writer.put_document(id, record, 0, &bytes));
        written.expect("written");
    };
    let made = crate::value::id_number::made;
    check(
        &|lab, id| put(lab, id, made(1), doc! { "_id": 9 }),
        "Document with _id 1 is stored there but has another _id.",
    );
    check(
        &|lab, id| put(lab, id, made(1) + 1, doc! { "_id": 1 }),
        "Document 4503599627436033 has the same _id as document with _id 1.",
    );
}

#[test]
fn a_what_if_counts_documents_without_entries() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: {$date: 5}}]}");
    lab.check(
        "{mayflyWhatIf: 'c', index: {keyPattern: {_id: 1}, expireAfterSeconds: 1}}",
        "{total: 3, overdueNow: 1, never: {number: 2}}",
    );
}
