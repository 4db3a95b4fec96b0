//! `SQLite`: the same documents in a table by id, an index of dates, and each commit on the disk.

use std::path::Path;

use bson::RawDocumentBuf;
use rusqlite::{Connection, params};

use super::super::{
    documents::{Order, date_ms, id},
    raw::BATCH,
};

/// An open database.
pub struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// A new database with a write-ahead log that is flushed at each commit.
    pub fn new(folder: &Path) -> Self {
        let connection = Connection::open(folder.join("sqlite")).expect("SQLite opens");
        let set_up = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            PRAGMA cache_size = -262144; PRAGMA mmap_size = 17179869184;
            CREATE TABLE documents (id BLOB PRIMARY KEY, date INTEGER, body BLOB) WITHOUT ROWID;
            CREATE INDEX dates ON documents (date);";
        connection.execute_batch(set_up).expect("tables");
        Self { connection }
    }

    /// Inserts all documents in batches.
    pub fn insert(&mut self, all: &[RawDocumentBuf], ids: Order, dates: Order) {
        let total = all.len() as u64;
        let mut number = 0;
        for batch in all.chunks(BATCH) {
            let transaction = self.connection.transaction().expect("a transaction");
            {
                let sql = "INSERT INTO documents VALUES (?1, ?2, ?3)";
                let mut insert = transaction.prepare_cached(sql).expect("a statement");
                for document in batch {
                    let date_ms = date_ms(number, total, dates);
                    insert
                        .execute(params![id(number, ids), date_ms, document.as_bytes()])
                        .expect("inserts");
                    number += 1;
                }
            }
            transaction.commit().expect("commits");
        }
    }

    /// Removes documents up to `until_ms`, inclusive, in batches. Returns how many.
    pub fn remove(&mut self, until_ms: i64) -> u64 {
        let sql = format!(
            "DELETE FROM documents WHERE id IN
             (SELECT id FROM documents WHERE date <= ?1 ORDER BY date LIMIT {BATCH})"
        );
        let mut removed = 0;
        loop {
            let mut delete = self.connection.prepare_cached(&sql).expect("a statement");
            match delete.execute([until_ms]).expect("deletes") {
                0 => return removed,
                count => removed += count as u64,
            }
        }
    }
}
