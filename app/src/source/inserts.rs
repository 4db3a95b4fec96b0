//! Writes documents to a collection by standard commands, many at a time, and takes them back.

use bson::raw::{RawArrayBuf, RawBsonRef, RawDocumentBuf, cstr};
use bson::{Bson, Document, RawDocument, rawdoc};
use mayfly_engine::transfer::{ImportMode, ImportTarget, Progress, RollBackReport, StoredAs};
use mayfly_engine::value::whole;

use super::Source;
use super::batches::{is_ok, sentence};
use super::remote::failure::UNKNOWN;
use crate::job::{InsertedIds, Namespace};
use crate::limits::{INSERTED_BYTES_MAX, INSERTED_DOCS_MAX};

/// `DuplicateKey`.
const DUPLICATE: i64 = 11_000;

/// Codes with which a server refuses a whole command because of one document in it: `BadValue`,
/// `NoSuchKey`, `FailedToParse`, `TypeMismatch`, `InvalidLength`, `InvalidBSON`,
/// `DollarPrefixedFieldName`, `InvalidIdField`, `NotSingleValueField`, `EmptyFieldName`,
/// `DottedFieldName`, `Location10334` (too large), `BSONObjectTooLarge`, `KeyTooLong`.
const OF_A_DOCUMENT: [i64; 14] = [2, 4, 9, 14, 16, 22, 52, 53, 54, 56, 57, 10_334, 17_280, 17_419];

/// Inserts documents into a collection, and knows which.
pub struct Inserts<'s> {
    target: &'s dyn Source,
    namespace: Namespace,
    mode: ImportMode,
    /// Documents that a validator would refuse are stored too.
    bypasses_validation: bool,
    /// What was inserted.
    pub ids: InsertedIds,
    /// Documents that took the place of others, or were merged into them.
    pub replaced: u64,
    /// Documents of which it is not known whether they were stored.
    pub unknown: u64,
}

impl<'s> Inserts<'s> {
    /// Inserts into this collection.
    #[must_use]
    pub fn new(target: &'s dyn Source, namespace: Namespace, mode: ImportMode) -> Self {
        let ids = InsertedIds::default();
        Self { target, namespace, mode, bypasses_validation: false, ids, replaced: 0, unknown: 0 }
    }

    /// The same, past the collection's validator.
    #[must_use]
    pub fn bypassing_validation(self) -> Self {
        Self { bypasses_validation: true, ..self }
    }

    /// Sends one command, or two with the halves if the target refuses the whole because of a document.
    fn send(&mut self, documents: &[&RawDocument], done: &mut Vec<StoredAs>) -> Result<(), String> {
        let command = self.command(documents)?;
        let reply = self.target.run_bytes(&self.namespace.db, &command);
        if is_ok(&reply) {
            return self.take(documents, &reply, done);
        }
        let code = reply.get("code").and_then(whole).unwrap_or(0);
        if OF_A_DOCUMENT.contains(&code) {
            if documents.len() == 1 {
                done.push(StoredAs::Refused(sentence(&reply)));
                return Ok(());
            }
            let (first, second) = documents.split_at(documents.len() / 2);
            self.send(first, done)?;
            return self.send(second, done);
        }
        if sentence(&reply).contains(UNKNOWN) {
            self.unknown += documents.len() as u64;
        }
        Err(sentence(&reply))
    }

    fn command(&self, documents: &[&RawDocument]) -> Result<RawDocumentBuf, String> {
        let collection = self.namespace.collection.as_str();
        let (mut command, list) = match self.mode {
            ImportMode::Insert | ImportMode::Skip => {
                let mut all = RawArrayBuf::new();
                for document in documents {
                    all.push(*document);
                }
                (rawdoc! { "insert": collection, "ordered": false }, (cstr!("documents"), all))
            }
            ImportMode::Replace | ImportMode::Merge => {
                let mut all = RawArrayBuf::new();
                for document in documents {
                    all.push(self.update(document)?);
                }
                (rawdoc! { "update": collection, "ordered": false }, (cstr!("updates"), all))
            }
        };
        if self.bypasses_validation {
            command.append(cstr!("bypassDocumentValidation"), true);
        }
        let (name, all) = list;
        command.append(name, all);
        Ok(command)
    }

    /// The statement that replaces a document, or merges another into it.
    fn update(&self, document: &RawDocument) -> Result<RawDocumentBuf, String> {
        let id = id_of(document)?;
        let mut statement = rawdoc! { "q": { "_id": { "$eq": id } }, "upsert": true };
        match self.mode {
            ImportMode::Merge => {
                let mut both = RawArrayBuf::new();
                both.push("$$ROOT");
                both.push(rawdoc! { "$literal": document.to_owned() });
                let mut pipeline = RawArrayBuf::new();
                pipeline.push(rawdoc! { "$replaceWith": { "$mergeObjects": both } });
                statement.append(cstr!("u"), pipeline);
            }
            _ => statement.append(cstr!("u"), document.to_owned()),
        }
        Ok(statement)
    }

    /// Takes a reply with `ok: 1`: what became of each document.
    fn take(
        &mut self,
        documents: &[&RawDocument],
        reply: &Document,
        done: &mut Vec<StoredAs>,
    ) -> Result<(), String> {
        let list = |name: &str| {
            let found = reply.get_array(name).map(Vec::as_slice).unwrap_or_default();
            found.iter().filter_map(Bson::as_document)
        };
        let index = |one: &Document| {
            one.get("index").and_then(whole).and_then(|at| usize::try_from(at).ok())
        };
        let is_insert = matches!(self.mode, ImportMode::Insert | ImportMode::Skip);
        let usual = if is_insert { StoredAs::Inserted } else { StoredAs::Replaced };
        let mut became = vec![usual; documents.len()];
        for new in list("upserted") {
            if let Some(one) = index(new).and_then(|at| became.get_mut(at)) {
                *one = StoredAs::Inserted;
            }
        }
        for error in list("writeErrors") {
            if let Some(one) = index(error).and_then(|at| became.get_mut(at)) {
                *one = self.refused(error);
            }
        }
        let is_stored = |one: &&StoredAs| matches!(one, StoredAs::Inserted | StoredAs::Replaced);
        let stored = became.iter().filter(is_stored).count();
        let said = reply.get("n").and_then(whole).and_then(|n| usize::try_from(n).ok());
        if said.is_some_and(|said| said != stored) {
            self.unknown += documents.len() as u64;
            return Err(format!(
                "The server says that it stored {} of {stored} documents, and not which",
                said.unwrap_or(0)
            ));
        }
        for (document, became) in documents.iter().zip(&became) {
            match became {
                StoredAs::Inserted => self.ids.push(id_of(document)?),
                StoredAs::Replaced => self.replaced += 1,
                StoredAs::Skipped | StoredAs::Refused(_) => {}
            }
        }
        done.append(&mut became);
        Ok(())
    }

    fn refused(&self, error: &Document) -> StoredAs {
        let message = error.get_str("errmsg").unwrap_or("the store gave no reason");
        let is_duplicate = error.get("code").and_then(whole) == Some(DUPLICATE);
        let is_id = match error.get_document("keyPattern") {
            Ok(keys) => keys.len() == 1 && keys.contains_key("_id"),
            Err(_) => message.contains("index: _id_") || message.contains("$_id_"),
        };
        match (is_duplicate && is_id, self.mode) {
            (true, ImportMode::Skip) => StoredAs::Skipped,
            (true, _) => StoredAs::Refused(
                "a document with this _id already exists; use another mode or another _id"
                    .to_owned(),
            ),
            (false, _) => StoredAs::Refused(message.to_owned()),
        }
    }
}

impl ImportTarget for Inserts<'_> {
    fn clear(&mut self) -> Result<(), String> {
        let Namespace { db, collection } = &self.namespace;
        let reply = self.target.run(db, &bson::doc! { "drop": collection });
        // `NamespaceNotFound`: older servers say so.
        let is_absent = reply.get("code").and_then(whole) == Some(26);
        if is_ok(&reply) || is_absent { Ok(()) } else { Err(sentence(&reply)) }
    }

    fn store(
        &mut self,
        documents: &[&RawDocument],
        done: &mut Vec<StoredAs>,
    ) -> Result<(), String> {
        let mut rest = documents;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take(INSERTED_DOCS_MAX).take_while(|document| {
                bytes += document.as_bytes().len();
                bytes <= INSERTED_BYTES_MAX
            });
            let (now, later) = rest.split_at(fits.count().max(1));
            self.send(now, done)?;
            rest = later;
        }
        Ok(())
    }
}

fn id_of(document: &RawDocument) -> Result<RawBsonRef<'_>, String> {
    match document.get("_id") {
        Ok(Some(id)) => Ok(id),
        _ => Err("A document has no _id that can be read".to_owned()),
    }
}

/// Removes what was inserted, by its `_id`. Cannot tell what has changed since.
///
/// # Errors
/// One sentence; the rest can be removed later.
pub fn roll_back(
    target: &dyn Source,
    namespace: &Namespace,
    ids: &InsertedIds,
    progress: &Progress,
) -> Result<RollBackReport, String> {
    let mut report = RollBackReport::default();
    let mut all = ids.iter().peekable();
    while all.peek().is_some() {
        if progress.is_cancelled() {
            report.cancelled = true;
            return Ok(report);
        }
        let mut some = RawArrayBuf::new();
        let mut count = 0;
        for document in all.by_ref().take(INSERTED_DOCS_MAX) {
            some.push(id_of(&document)?);
            count += 1;
        }
        let mut deletes = RawArrayBuf::new();
        deletes.push(rawdoc! { "q": { "_id": { "$in": some } }, "limit": 0 });
        let collection = namespace.collection.as_str();
        let command = rawdoc! { "delete": collection, "ordered": false, "deletes": deletes };
        let reply = target.run_bytes(&namespace.db, &command);
        let errors = reply.get_array("writeErrors").map(Vec::as_slice).unwrap_or_default();
        if let Some(error) = errors.iter().find_map(Bson::as_document) {
            return Err(sentence(error));
        }
        if !is_ok(&reply) {
            return Err(sentence(&reply));
        }
        let removed = reply.get("n").and_then(whole).and_then(|n| u64::try_from(n).ok());
        let removed = removed.unwrap_or(0).min(count);
        report.removed += removed;
        report.gone += count - removed;
        progress.add_documents(count);
    }
    Ok(report)
}
