//! Copies one collection into another engine, with everything that its verdicts depend on.

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::Engine;
use crate::{
    catalog::Namespace,
    collection::WriteError,
    limits::{BATCH_DOCS_MAX, COPY_BYTES_MAX, COPY_DOCS_MAX},
    store::{RecordNumber, Scan, StoreError},
};

/// The result of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyReport {
    /// Documents in the copy: the newest.
    pub copied: u64,
    /// Older documents, which are beyond [`COPY_DOCS_MAX`] or [`COPY_BYTES_MAX`], and damaged ones.
    pub left_out: u64,
}

/// A document and when it was last modified, in milliseconds since 1970.
type Dated = (i64, RawDocumentBuf);

impl Engine {
    /// Copies documents, last-modified times, indexes and dialect of a collection into an engine that
    /// lacks its database. Archives and the trash are not copied.
    ///
    /// # Errors
    /// One sentence: a definition can't be copied, or a store fails.
    pub fn copy_collection(&self, to: &Self, namespace: &Namespace) -> Result<CopyReport, String> {
        let Namespace { db, collection } = namespace;
        let dialect = ok(self.run(db, &doc! { "mayflyDialect": 1 }))?;
        let dialect = dialect.get_str("dialect").map_err(|error| error.to_string())?;
        ok(to.run(db, &doc! { "mayflyDialect": dialect }))?;
        let filter = doc! { "name": collection, "type": "collection" };
        let listed = ok(self.run(db, &doc! { "listCollections": 1, "filter": filter }))?;
        let Some(Bson::Document(definition)) = batch(&listed).first() else {
            return Err(format!(
                "{namespace} can't be copied: only ordinary collections can, not views or time series"
            ));
        };
        let mut create = doc! { "create": collection };
        create.extend(definition.get_document("options").cloned().unwrap_or_default());
        ok(to.run(db, &create))?;
        let (documents, left_out) =
            self.newest(namespace).map_err(|error: StoreError| error.to_string())?;
        let copied = to.insert_dated(namespace, &documents).map_err(|error| error.to_string())?;
        let listed = ok(self.run(db, &doc! { "listIndexes": collection }))?;
        let indexes = batch(&listed).iter().filter_map(Bson::as_document);
        let is_copied = |index: &&Document| {
            index.get_str("name").is_ok_and(|name| name != "_id_")
                && !index.contains_key("buildUUID")
                && !index.contains_key("clustered")
        };
        let indexes: Vec<Document> = indexes.filter(is_copied).cloned().collect();
        if !indexes.is_empty() {
            ok(to.run(db, &doc! { "createIndexes": collection, "indexes": indexes }))?;
        }
        Ok(CopyReport { copied, left_out })
    }

    /// The newest documents in the order of their insertion, and how many others there are.
    fn newest(&self, namespace: &Namespace) -> Result<(Vec<Dated>, u64), StoreError> {
        self.collections.read(|reader, catalog| {
            // It may have been dropped since its definition was read. Listing its indexes then says so.
            let Some(found) = catalog.collection(namespace) else { return Ok((Vec::new(), 0)) };
            let id = found.id;
            let all = reader.counters(id.0)?.documents;
            let (mut newest, mut bytes) = (Vec::new(), 0);
            for row in reader.documents(id, RecordNumber::MAX, Scan::Backward)? {
                let read =
                    row.and_then(|stored| Ok((stored.modified_ms, stored.document()?.to_owned())));
                // A damaged document counts as left out.
                let Some((modified_ms, document)) = StoreError::unless_damaged(read)? else {
                    continue;
                };
                bytes += document.as_bytes().len();
                if newest.len() == COPY_DOCS_MAX || bytes > COPY_BYTES_MAX {
                    break;
                }
                newest.push((modified_ms, document));
            }
            newest.reverse();
            let left_out = all.saturating_sub(newest.len() as u64);
            Ok((newest, left_out))
        })
    }

    /// Inserts documents with their last-modified times. Returns how many.
    fn insert_dated(&self, namespace: &Namespace, documents: &[Dated]) -> Result<u64, WriteError> {
        let mut inserted = 0;
        for part in documents.chunks(BATCH_DOCS_MAX) {
            inserted += self.collections.write(|writer| {
                let Some(collection) = writer.collection(namespace) else { return Ok(0) };
                writer.bypass_validation(true);
                for (modified_ms, document) in part {
                    writer.set_now_ms(*modified_ms);
                    writer.insert(&collection, document)?;
                }
                Ok::<_, WriteError>(part.len() as u64)
            })?;
        }
        Ok(inserted)
    }
}

/// The reply, unless it is an error.
fn ok(reply: Document) -> Result<Document, String> {
    if reply.get_f64("ok").is_ok_and(|ok| ok > 0.0) {
        return Ok(reply);
    }
    Err(reply.get_str("errmsg").unwrap_or("the command failed").to_owned())
}

fn batch(reply: &Document) -> &[Bson] {
    let cursor = reply.get_document("cursor").ok();
    let batch = cursor.and_then(|cursor| cursor.get_array("firstBatch").ok());
    batch.map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{ClockOption, EngineOptions};

    const START_MS: i64 = 1_780_315_200_000;

    fn open(folder: &std::path::Path, start_ms: i64) -> Engine {
        let clock = ClockOption::Simulated { start_ms };
        let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
        Engine::open(folder, options).expect("opened")
    }

    /// Documents, last-modified times, indexes and verdicts of a copy.
    #[test]
    fn a_copy_has_the_verdicts_of_its_source_at_that_instant() {
        let (one, two) = (tempfile::tempdir().expect("a"), tempfile::tempdir().expect("b"));
        for dialect in ["open", "mongodb", "cosmos"] {
            let from = open(&one.path().join(dialect), START_MS);
            let run = |command: Document| ok(from.run("d", &command)).expect("done");
            run(doc! { "mayflyDialect": dialect });
            let at = bson::DateTime::from_millis(START_MS);
            let key = if dialect == "mongodb" { "at" } else { "_ts" };
            run(doc! { "createIndexes": "c", "indexes": [
                { "key": { key: 1 }, "name": "ttl", "expireAfterSeconds": 60 },
                { "key": { "n": -1 }, "name": "n", "unique": true, "sparse": true },
                { "key": { "k": 1 }, "name": "k", "hidden": true,
                  "partialFilterExpression": { "n": { "$gt": 2_i64 } } },
            ] });
            for n in 0..5 {
                let document = doc! { "_id": n, "n": Bson::Int64(n), "at": at, "ttl": 50 + n };
                run(doc! { "insert": "c", "documents": [document] });
                from.simulated_clock().expect("simulated").advance_ms(20_000);
            }
            let to = open(&two.path().join(dialect), crate::clock::Clock::now_ms(&**from.clock()));
            let report = from.copy_collection(&to, &Namespace::new("d", "c")).expect("copied");
            assert_eq!(report, CopyReport { copied: 5, left_out: 0 });
            let mut questions = vec![
                doc! { "find": "c", "sort": { "_id": 1 } },
                doc! { "listIndexes": "c" },
                doc! { "mayflyDialect": 1 },
                doc! { "mayflyExpiring": "c" },
            ];
            questions.extend((0..5_i64).map(|id| doc! { "mayflyVerdict": "c", "id": id }));
            for question in questions {
                let mut replies = [&from, &to].map(|engine| engine.run("d", &question));
                for reply in &mut replies {
                    if let Ok(cursor) = reply.get_document_mut("cursor") {
                        cursor.remove("id");
                    }
                    // The rule of the copy is as old as the copy.
                    for row in reply.get_array_mut("batch").into_iter().flatten() {
                        row.as_document_mut().map(|row| row.remove("removable"));
                    }
                }
                assert_eq!(replies[0], replies[1], "{dialect}: {question}");
            }
        }
    }
}
