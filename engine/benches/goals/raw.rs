//! Raw LMDB: the same documents, one table by id and one of dates, nothing else.

use std::{ops::Bound, path::Path};

use bson::RawDocumentBuf;
use heed::{CommitOrAbort, Database, Env, EnvOpenOptions, PutFlags, types::Bytes};

use super::documents::{Order, date_ms, id};

/// Documents of one durable transaction.
pub const BATCH: usize = 10_000;

type Table = Database<'static, Bytes, Bytes>;

/// Two tables.
pub struct Raw {
    env: Env,
    documents: Table,
    dates: Table,
}

fn date_key(date_ms: i64, id: &[u8; 12]) -> [u8; 20] {
    let mut key = [0; 20];
    key[..8].copy_from_slice(&date_ms.to_be_bytes());
    key[8..].copy_from_slice(id);
    key
}

impl Raw {
    /// A new environment with LMDB's default flags: each commit reaches the disk.
    #[expect(unsafe_code, reason = "mapping a file; nobody else has this folder")]
    #[expect(clippy::disallowed_methods, reason = "what Mayfly is compared with")]
    pub fn new(folder: &Path) -> Self {
        let mut options = EnvOpenOptions::new();
        options.map_size(16 << 30).max_dbs(2);
        // SAFETY: the folder was made for this value alone.
        let env = unsafe { options.open(folder) }.expect("LMDB opens");
        let txn = env.write_txn().expect("a transaction");
        let tables = env.create_databases_and_commit(txn, |opener, txn| {
            let tables = ["documents", "dates"]
                .map(|name| opener.create_database::<Bytes, Bytes>(txn, Some(name)));
            let [documents, dates] = tables;
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit([documents?, dates?]))
        });
        let [documents, dates] = tables.expect("tables").commit().expect("commits");
        Self { env, documents, dates }
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
            txn.commit().expect("commits");
        }
    }

    /// Removes what is not later than `until_ms`, in batches. Hands back how many.
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
