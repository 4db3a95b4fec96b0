//! redb: the same documents in a table by id, a table of dates, and each commit on the disk.

use std::path::Path;

use bson::RawDocumentBuf;
use redb::{Database, ReadableDatabase, TableDefinition};

use super::super::{
    documents::{Order, date_ms, id},
    raw::BATCH,
};

type Id = [u8; 12];

const DOCUMENTS: TableDefinition<'_, &Id, &[u8]> = TableDefinition::new("documents");
const DATES: TableDefinition<'_, (i64, &Id), ()> = TableDefinition::new("dates");

/// An open database.
pub struct Redb {
    database: Database,
}

impl Redb {
    /// A new database; its commits are durable.
    pub fn new(folder: &Path) -> Self {
        Self { database: Database::create(folder.join("redb")).expect("redb opens") }
    }

    /// Inserts all documents in batches.
    pub fn insert(&self, all: &[RawDocumentBuf], ids: Order, dates: Order) {
        let total = all.len() as u64;
        let mut number = 0;
        for batch in all.chunks(BATCH) {
            let transaction = self.database.begin_write().expect("a transaction");
            {
                let mut by_id = transaction.open_table(DOCUMENTS).expect("a table");
                let mut by_date = transaction.open_table(DATES).expect("a table");
                for document in batch {
                    let id = id(number, ids);
                    let date_ms = date_ms(number, total, dates);
                    by_id.insert(&id, document.as_bytes()).expect("inserts");
                    by_date.insert((date_ms, &id), ()).expect("inserts");
                    number += 1;
                }
            }
            transaction.commit().expect("commits");
        }
    }

    /// Removes documents up to `until_ms`, inclusive, in batches. Returns how many.
    pub fn remove(&self, until_ms: i64) -> u64 {
        let mut removed = 0;
        loop {
            let reading = self.database.begin_read().expect("a transaction");
            let dates = reading.open_table(DATES).expect("a table");
            let due = dates.range(..=(until_ms, &[u8::MAX; 12])).expect("a range").take(BATCH);
            let due: Vec<(i64, Id)> = due
                .map(|row| row.map(|(key, _)| (key.value().0, *key.value().1)))
                .collect::<Result<_, _>>()
                .expect("rows");
            if due.is_empty() {
                return removed;
            }
            removed += due.len() as u64;
            let transaction = self.database.begin_write().expect("a transaction");
            {
                let mut by_id = transaction.open_table(DOCUMENTS).expect("a table");
                let mut by_date = transaction.open_table(DATES).expect("a table");
                for (date_ms, id) in &due {
                    by_id.remove(id).expect("removes");
                    by_date.remove((*date_ms, id)).expect("removes");
                }
            }
            transaction.commit().expect("commits");
        }
    }
}
