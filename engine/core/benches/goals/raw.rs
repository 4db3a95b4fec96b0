//! Raw LMDB: the same documents, one table by id, one of dates and, if asked for, one for each of some more
//! fields; nothing else.

use std::{ops::Bound, path::Path};

use bson::{RawDocument, RawDocumentBuf, raw::RawBsonRef};
use heed::{CommitOrAbort, Database, Env, EnvOpenOptions, PutFlags, RwTxn, types::Bytes};

use super::documents::{Order, date_ms, id};

/// Documents of one durable transaction.
pub const BATCH: usize = 10_000;

type Table = Database<'static, Bytes, Bytes>;

/// The tables.
pub struct Raw {
    env: Env,
    documents: Table,
    dates: Table,
    /// Of a field each.
    others: Vec<(&'static str, Table)>,
}

fn date_key(date_ms: i64, id: &[u8; 12]) -> [u8; 20] {
    let mut key = [0; 20];
    key[..8].copy_from_slice(&date_ms.to_be_bytes());
    key[8..].copy_from_slice(id);
    key
}

/// A field's value in its order, and the id.
fn entry_key(document: &RawDocument, field: &str) -> Vec<u8> {
    let value = document.get(field).expect("BSON").expect("the field");
    let mut key = match value {
        RawBsonRef::String(text) => text.as_bytes().to_vec(),
        RawBsonRef::Int32(number) => number.to_be_bytes().to_vec(),
        RawBsonRef::Int64(number) => number.to_be_bytes().to_vec(),
        other => panic!("no key for {other:?}"),
    };
    key.extend(document.get_object_id("_id").expect("an _id").bytes());
    key
}

impl Raw {
    /// A new environment with LMDB's default flags: each commit reaches the disk.
    #[expect(unsafe_code, reason = "mapping a file; nobody else has this folder")]
    #[expect(clippy::disallowed_methods, reason = "what Mayfly is compared with")]
    pub fn with_fields(folder: &Path, fields: &[&'static str]) -> Self {
        let mut options = EnvOpenOptions::new();
        options.map_size(16 << 30).max_dbs(8);
        // SAFETY: the folder was made for this value alone.
        let env = unsafe { options.open(folder) }.expect("LMDB opens");
        let txn = env.write_txn().expect("a transaction");
        let tables = env.create_databases_and_commit(txn, |opener, txn| {
            let [documents, dates, one, two, three, four] =
                ["documents", "dates", "1", "2", "3", "4"]
                    .map(|name| opener.create_database::<Bytes, Bytes>(txn, Some(name)));
            let tables = [documents?, dates?, one?, two?, three?, four?];
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(tables))
        });
        let [documents, dates, others @ ..] = tables.expect("tables").commit().expect("commits");
        let others = fields.iter().copied().zip(others).collect();
        Self { env, documents, dates, others }
    }

    /// The same with the two tables alone.
    pub fn new(folder: &Path) -> Self {
        Self::with_fields(folder, &[])
    }

    /// Inserts all documents in batches.
    pub fn insert(&self, all: &[RawDocumentBuf], ids: Order, dates: Order) {
        let total = all.len() as u64;
        let flags = |order| match order {
            Order::Ascending => PutFlags::APPEND,
            Order::Scattered => PutFlags::empty(),
        };
        let mut number = 0;
        for batch in all.chunks(BATCH) {
            let mut txn = self.env.write_txn().expect("a transaction");
            for document in batch {
                let id = id(number, ids);
                let date = date_key(date_ms(number, total, dates), &id);
                let bytes = document.as_bytes();
                self.documents.put_with_flags(&mut txn, flags(ids), &id, bytes).expect("puts");
                self.dates.put_with_flags(&mut txn, flags(dates), &date, &[]).expect("puts");
                number += 1;
            }
            self.for_each_entry(&mut txn, batch, |txn, table, key| {
                table.put(txn, key, &[]).expect("puts");
            });
            txn.commit().expect("commits");
        }
    }

    /// The keys of documents in the tables of further fields, each table's in their order.
    fn for_each_entry(
        &self,
        txn: &mut RwTxn<'_>,
        documents: &[RawDocumentBuf],
        mut work: impl FnMut(&mut RwTxn<'_>, &Table, &[u8]),
    ) {
        for (field, table) in &self.others {
            let mut keys: Vec<_> =
                documents.iter().map(|document| entry_key(document, field)).collect();
            keys.sort_unstable();
            for key in &keys {
                work(txn, table, key);
            }
        }
    }

    /// Stores an empty document under each id, in one transaction.
    pub fn put_ids(&self, ids: &[[u8; 12]]) {
        let mut txn = self.env.write_txn().expect("a transaction");
        for id in ids {
            self.documents.put(&mut txn, id, &[5, 0, 0, 0, 0]).expect("puts");
        }
        txn.commit().expect("commits");
    }

    /// Removes documents up to `until_ms`, inclusive, in batches. Returns how many.
    pub fn remove(&self, until_ms: i64) -> u64 {
        let mut removed = 0;
        loop {
            let mut txn = self.env.write_txn().expect("a transaction");
            let end = date_key(until_ms, &[u8::MAX; 12]);
            let range = (Bound::Unbounded, Bound::Included(&end[..]));
            let rows = self.dates.range(&txn, &range).expect("a range");
            let keys: Vec<Vec<u8>> =
                rows.take(BATCH).map(|row| row.expect("a row").0.to_vec()).collect();
            if keys.is_empty() {
                return removed;
            }
            if !self.others.is_empty() {
                let documents = keys.iter().map(|key| {
                    let found = self.documents.get(&txn, &key[8..]).expect("reads");
                    RawDocumentBuf::from_bytes(found.expect("a document").to_vec()).expect("BSON")
                });
                let documents: Vec<_> = documents.collect();
                self.for_each_entry(&mut txn, &documents, |txn, table, key| {
                    table.delete(txn, key).expect("deletes");
                });
            }
            for key in &keys {
                self.documents.delete(&mut txn, &key[8..]).expect("deletes");
                self.dates.delete(&mut txn, key).expect("deletes");
            }
            removed += keys.len() as u64;
            txn.commit().expect("commits");
        }
    }

    /// Counts entries up to a date.
    pub fn count(&self, until_ms: i64) -> u64 {
        let txn = self.env.read_txn().expect("a transaction");
        let end = date_key(until_ms, &[u8::MAX; 12]);
        let range = (Bound::Unbounded, Bound::Included(&end[..]));
        let rows = self.dates.range(&txn, &range).expect("a range");
        rows.fold(0, |count, row| row.map(|_| count + 1).expect("a row"))
    }

    /// Fetches documents by id, a transaction each. Hands back their bytes' number.
    pub fn get(&self, numbers: impl Iterator<Item = u64>) -> u64 {
        let mut bytes = 0;
        for number in numbers {
            let txn = self.env.read_txn().expect("a transaction");
            let id = id(number, Order::Ascending);
            bytes += self.documents.get(&txn, &id).expect("reads").map_or(0, <[u8]>::len) as u64;
        }
        bytes
    }

    /// Sorts the dates of documents and appends them to a table, in one transaction.
    pub fn sort_and_append(&self, all: &[RawDocumentBuf]) {
        let number_of = |at: usize| at as u64;
        let mut keys: Vec<[u8; 20]> = all
            .iter()
            .enumerate()
            .map(|(at, document)| {
                let date = document.get_datetime("createdAt").expect("a date");
                date_key(date.timestamp_millis(), &id(number_of(at), Order::Ascending))
            })
            .collect();
        keys.sort_unstable();
        let mut txn = self.env.write_txn().expect("a transaction");
        for key in &keys {
            self.dates.put_with_flags(&mut txn, PutFlags::APPEND, key, &[]).expect("puts");
        }
        txn.commit().expect("commits");
    }
}
