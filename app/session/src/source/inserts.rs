//! Writes documents to a collection by standard commands, many at a time, and takes them back.

use std::collections::HashSet;

use bson::raw::{CStr, RawArrayBuf, RawBsonRef, RawDocumentBuf, cstr};
use bson::{Bson, Document, RawDocument, doc, rawdoc};
use mayfly_engine::transfer::{ImportMode, ImportTarget, Progress, RollBackReport, StoredAs};
use mayfly_engine::value::whole;

use super::read_back::Sent;
use super::remote::failure::UNKNOWN;
use super::remote::throttle::gave_up;
use super::{Source, duplicate, read_back};
use crate::job::reply::{is_ok, number, sentence, write_errors};
use crate::job::{Cancel, InsertedIds, Namespace, Write};
use crate::limits::{INSERTED_BYTES_MAX, INSERTED_DOCS_MAX};

/// Codes with which a server refuses a whole command because of one document in it: `BadValue`,
/// `NoSuchKey`, `FailedToParse`, `TypeMismatch`, `InvalidLength`, `InvalidBSON`,
/// `DollarPrefixedFieldName`, `InvalidIdField`, `NotSingleValueField`, `EmptyFieldName`,
/// `DottedFieldName`, `Location10334` (too large), `BSONObjectTooLarge`, `KeyTooLong`.
const OF_A_DOCUMENT: [i64; 14] = [2, 4, 9, 14, 16, 22, 52, 53, 54, 56, 57, 10_334, 17_280, 17_419];

/// Inserts documents into a collection, and knows which.
pub struct Inserts<'s> {
    target: &'s dyn Source,
    pub namespace: Namespace,
    mode: ImportMode,
    /// Documents that a validator would refuse are stored too.
    bypasses_validation: bool,
    pub ids: InsertedIds,
    /// Documents that took the place of others, or were merged into them.
    pub replaced: u64,
    /// Documents of which it is not known whether they were stored.
    pub unknown: u64,
    /// The ways of writing whose first documents were read again.
    checked: Vec<Write>,
    /// Ends a pause of a server that asks to slow down.
    is_stopped: &'s dyn Fn() -> bool,
    /// While documents are sent again: the `_id`s of those so far.
    repeated: Option<HashSet<Vec<u8>>>,
}

impl<'s> Inserts<'s> {
    pub fn new(target: &'s dyn Source, namespace: Namespace, mode: ImportMode) -> Self {
        let ids = InsertedIds::default();
        Self {
            target,
            namespace,
            mode,
            bypasses_validation: false,
            ids,
            replaced: 0,
            unknown: 0,
            checked: Vec::new(),
            is_stopped: &|| false,
            repeated: None,
        }
    }

    /// The following documents may have been sent before, or no longer.
    pub fn set_repeats(&mut self, repeats: bool) {
        // Those of earlier batches are not in doubt.
        let known = || self.ids.iter().map(RawDocumentBuf::into_bytes).collect();
        self.repeated = repeats.then(known);
    }

    /// The same, past the collection's validator.
    #[must_use]
    pub fn bypassing_validation(self) -> Self {
        Self { bypasses_validation: true, ..self }
    }

    /// The same; `is_stopped` ends a pause of a server that asks to slow down.
    #[must_use]
    pub fn until(self, is_stopped: &'s dyn Fn() -> bool) -> Self {
        Self { is_stopped, ..self }
    }

    /// Stores documents, and adds what became of each.
    fn send(&mut self, documents: &[&RawDocument], done: &mut Vec<StoredAs>) -> Result<(), String> {
        let mut outcomes = Vec::with_capacity(documents.len());
        let sent = match self.mode {
            ImportMode::Insert | ImportMode::Skip => {
                self.write(Write::Insert, documents, &mut outcomes)
            }
            ImportMode::Replace => self.write(Write::Replace, documents, &mut outcomes),
            ImportMode::Merge => self.merge(documents, &mut outcomes),
        };
        let own = self.own(documents, &outcomes)?;
        for ((document, outcome), is_own) in documents.iter().zip(outcomes).zip(own) {
            done.push(if is_own { StoredAs::Inserted } else { self.settled(document, outcome) });
        }
        sent
    }

    /// Which documents that are sent again were stored the first time: a document with their `_id`
    /// and the same bytes is there.
    fn own(&mut self, all: &[&RawDocument], outcomes: &[Outcome]) -> Result<Vec<bool>, String> {
        let mut own = vec![false; outcomes.len()];
        let Some(seen) = &mut self.repeated else { return Ok(own) };
        let mut doubtful = Vec::new();
        for (at, (document, outcome)) in all.iter().zip(outcomes).enumerate() {
            // A second document with an `_id` was never stored by an insert.
            let is_first = seen.insert(rawdoc! { "_id": id_of(document)? }.into_bytes());
            if is_first && matches!(outcome, Outcome::Duplicate(_)) {
                doubtful.push(at);
            }
        }
        if doubtful.is_empty() || self.mode != ImportMode::Insert {
            return Ok(own);
        }
        let ids = doubtful.iter().filter_map(|at| Bson::try_from(id_of(all[*at]).ok()?).ok());
        let ids: Vec<Bson> = ids.collect();
        let Namespace { db, collection } = &self.namespace;
        let find = doc! { "find": collection, "filter": { "_id": { "$in": ids } } };
        let read = self.target.read_back(db, &find).unwrap_or_else(|| {
            let mut found = Vec::new();
            let take = &mut |batch: &[&RawDocument]| {
                found.extend(batch.iter().map(|one| (*one).to_owned()));
                Ok(())
            };
            self.target.read_batches(db, &find, &Cancel::default(), take).map(|()| found)
        })?;
        let stored: HashSet<&[u8]> = read.iter().map(|one| one.as_bytes()).collect();
        for at in doubtful {
            // Not among the `_id`s to roll back, because another program may have stored the
            // document.
            own[at] = stored.contains(all[at].as_bytes());
        }
        Ok(own)
    }

    /// Inserts documents, and sets the fields of those that are there already. An upsert would do both,
    /// but the fields of a new document would be in another order.
    fn merge(
        &mut self,
        documents: &[&RawDocument],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), String> {
        let inserted = self.write(Write::Insert, documents, outcomes);
        let is_there = |at: &usize| matches!(outcomes.get(*at), Some(Outcome::Duplicate(_)));
        let there: Vec<usize> = (0..outcomes.len()).filter(is_there).collect();
        // Without a field to set, the document is what it is to be.
        let has_fields = |at: &usize| documents[*at].iter().take(2).count() > 1;
        let (some, bare): (Vec<usize>, Vec<usize>) = there.into_iter().partition(has_fields);
        for at in bare {
            if self.is_id(documents[at], &outcomes[at]) {
                outcomes[at] = Outcome::Replaced;
            }
        }
        let mut sent = Ok(());
        let mut rest = some.as_slice();
        while !rest.is_empty() && sent.is_ok() {
            // One that is read before it is replaced must not be in a command with another change of it.
            let plain = rest.iter().take_while(|at| has_plain_names(documents[**at])).count();
            let (now, later) = rest.split_at(plain.max(1));
            let merged: Vec<&RawDocument> = now.iter().map(|at| documents[*at]).collect();
            let mut became = Vec::with_capacity(merged.len());
            sent = self.write(Write::Merge, &merged, &mut became);
            let known = became.len();
            for (at, became) in now.iter().zip(became) {
                outcomes[*at] = became;
            }
            // It isn't known whether the server stored the others: a resumed import sends them again.
            if let Some(first) = now.get(known).filter(|_| sent.is_err()) {
                outcomes.truncate(*first);
            }
            rest = later;
        }
        inserted.and(sent)
    }

    /// Sends one command, or two with the halves if the target refuses the whole because of a document.
    fn write(
        &mut self,
        write: Write,
        documents: &[&RawDocument],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), String> {
        let command = self.command(write, documents)?;
        let reply = self.target.run_bytes(&self.namespace.db, &command, self.is_stopped);
        if is_ok(&reply) {
            return self.take(write, documents, &reply, outcomes);
        }
        let code = reply.get("code").and_then(whole).unwrap_or(0);
        // The server names no document, so the batch is halved until the one at fault is alone.
        if OF_A_DOCUMENT.contains(&code) {
            if documents.len() == 1 {
                outcomes.push(Outcome::Refused(sentence(&reply)));
                return Ok(());
            }
            let (first, second) = documents.split_at(documents.len() / 2);
            self.write(write, first, outcomes)?;
            return self.write(write, second, outcomes);
        }
        // Without an answer the change may have been made, so the documents don't count as refused.
        if sentence(&reply).contains(UNKNOWN) {
            self.unknown += documents.len() as u64;
        }
        Err(sentence(&reply))
    }

    fn command(&self, write: Write, documents: &[&RawDocument]) -> Result<RawDocumentBuf, String> {
        let collection = self.namespace.collection.as_str();
        let mut all = RawArrayBuf::new();
        for document in documents {
            match write {
                Write::Insert => all.push(*document),
                Write::Replace => all.push(statement(document, (*document).to_owned())?),
                Write::Merge => all.push(self.merging(document)?),
            }
        }
        let (mut command, list) = match write {
            Write::Insert => {
                (rawdoc! { "insert": collection, "ordered": false }, cstr!("documents"))
            }
            Write::Replace | Write::Merge => {
                (rawdoc! { "update": collection, "ordered": false }, cstr!("updates"))
            }
        };
        if self.bypasses_validation {
            command.append(cstr!("bypassDocumentValidation"), true);
        }
        command.append(list, all);
        Ok(command)
    }

    /// The statement that sets the fields of a document in another one. No pipeline: DocumentDB stores
    /// `_id` twice if it has `$replaceWith`.
    fn merging(&self, document: &RawDocument) -> Result<RawDocumentBuf, String> {
        if has_plain_names(document) {
            let mut set = RawDocumentBuf::new();
            for (name, value) in fields(document) {
                set.append(name, value);
            }
            return statement(document, rawdoc! { "$set": set });
        }
        // `$set` would take such a name for a path, so the document is put together here.
        let id = Bson::try_from(id_of(document)?).map_err(|error| error.to_string())?;
        let Namespace { db, collection } = &self.namespace;
        let find = doc! { "find": collection, "filter": { "_id": { "$eq": id } }, "limit": 1 };
        let mut merged = RawDocumentBuf::new();
        self.target.read_batches(db, &find, &Cancel::default(), &mut |batch| {
            for (name, value) in batch.iter().flat_map(|one| one.iter()).filter_map(Result::ok) {
                let sent = document.get(name.as_str()).ok().flatten();
                merged.append(name, sent.filter(|_| name != "_id").unwrap_or(value));
            }
            Ok(())
        })?;
        for (name, value) in document.iter().filter_map(Result::ok) {
            if !matches!(merged.get(name.as_str()), Ok(Some(_))) {
                merged.append(name, value);
            }
        }
        statement(document, merged)
    }

    /// Takes a reply with `ok: 1`: what became of each document.
    fn take(
        &mut self,
        write: Write,
        documents: &[&RawDocument],
        reply: &Document,
        outcomes: &mut Vec<Outcome>,
    ) -> Result<(), String> {
        let list = |name: &str| {
            let found = reply.get_array(name).map(Vec::as_slice).unwrap_or_default();
            found.iter().filter_map(Bson::as_document)
        };
        let index = |one: &Document| {
            one.get("index").and_then(whole).and_then(|at| usize::try_from(at).ok())
        };
        let usual = if write == Write::Insert { Outcome::Inserted } else { Outcome::Replaced };
        let mut became = vec![usual; documents.len()];
        for new in list("upserted") {
            if let Some(one) = index(new).and_then(|at| became.get_mut(at)) {
                *one = Outcome::Inserted;
            }
        }
        for error in list("writeErrors") {
            if let Some(one) = index(error).and_then(|at| became.get_mut(at)) {
                *one = Outcome::of_error(error);
            }
        }
        let stored: Vec<&RawDocument> = documents
            .iter()
            .zip(&became)
            .filter(|(_, one)| one.is_stored())
            .map(|(one, _)| *one)
            .collect();
        let said = reply.get("n").and_then(whole).and_then(|n| usize::try_from(n).ok());
        // A number that differs leaves open which of the documents were stored.
        if said.is_some_and(|said| said != stored.len()) {
            self.unknown += documents.len() as u64;
            return Err(format!(
                "The server says that it stored {} of {} documents, and not which",
                said.unwrap_or(0),
                stored.len()
            ));
        }
        for (document, became) in documents.iter().zip(&became) {
            match became {
                Outcome::Inserted => self.ids.push(id_of(document)?),
                Outcome::Replaced => self.replaced += 1,
                Outcome::Duplicate(_) | Outcome::Refused(_) => {}
            }
        }
        outcomes.append(&mut became);
        // The next documents would wait as long, and in vain.
        if let Some(error) = list("writeErrors").find(|error| gave_up(error)) {
            return Err(message(error));
        }
        if stored.is_empty() || self.checked.contains(&write) {
            return Ok(());
        }
        self.checked.push(write);
        let sent = if write == Write::Merge { Sent::Fields } else { Sent::Whole };
        Ok(read_back::check(self.target, &self.namespace, &stored, (write, sent))?)
    }

    /// The outcome of a document, in the words of an import.
    fn settled(&self, document: &RawDocument, outcome: Outcome) -> StoredAs {
        let is_id = self.is_id(document, &outcome);
        match outcome {
            Outcome::Inserted => StoredAs::Inserted,
            Outcome::Replaced => StoredAs::Replaced,
            Outcome::Duplicate(_) if is_id && self.mode == ImportMode::Skip => StoredAs::Skipped,
            Outcome::Duplicate(_) if is_id => StoredAs::Refused(
                "a document with this _id already exists; use another mode or another _id"
                    .to_owned(),
            ),
            Outcome::Duplicate(error) => StoredAs::Refused(message(&error)),
            Outcome::Refused(reason) => StoredAs::Refused(reason),
        }
    }

    /// Whether a document was refused because its `_id` is there.
    fn is_id(&self, document: &RawDocument, outcome: &Outcome) -> bool {
        let Outcome::Duplicate(error) = outcome else { return false };
        // Where the error does not name the index, the collection is asked for the `_id`.
        duplicate::is_of_id(error).unwrap_or_else(|| {
            let Namespace { db, collection } = &self.namespace;
            let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
            let find = doc! {
                "find": collection, "filter": { "_id": { "$eq": id } }, "limit": 1,
                "projection": { "_id": 1 },
            };
            let mut is_there = false;
            let read = self.target.read_batches(db, &find, &Cancel::default(), &mut |batch| {
                is_there |= !batch.is_empty();
                Ok(())
            });
            read.is_ok() && is_there
        })
    }
}

/// The outcome of a document.
#[derive(Debug, Clone)]
enum Outcome {
    Inserted,
    Replaced,
    /// A unique index has its value: the write error.
    Duplicate(Document),
    Refused(String),
}

impl Outcome {
    fn of_error(error: &Document) -> Self {
        if duplicate::is_duplicate(error) {
            Self::Duplicate(error.clone())
        } else {
            Self::Refused(message(error))
        }
    }

    fn is_stored(&self) -> bool {
        matches!(self, Self::Inserted | Self::Replaced)
    }
}

fn message(error: &Document) -> String {
    error.get_str("errmsg").unwrap_or("the store gave no reason").to_owned()
}

/// The fields of a document except its `_id`.
fn fields(document: &RawDocument) -> impl Iterator<Item = (&CStr, RawBsonRef<'_>)> {
    document.iter().filter_map(Result::ok).filter(|(name, _)| *name != "_id")
}

/// Whether `$set` takes no field of a document for a path.
fn has_plain_names(document: &RawDocument) -> bool {
    let is_path = |name: &str| name.is_empty() || name.starts_with('$') || name.contains('.');
    !fields(document).any(|(name, _)| is_path(name.as_str()))
}

/// The statement that changes the document with an `_id`, or inserts it.
fn statement(document: &RawDocument, update: RawDocumentBuf) -> Result<RawDocumentBuf, String> {
    let id = id_of(document)?;
    Ok(rawdoc! { "q": { "_id": { "$eq": id } }, "upsert": true, "u": update })
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
        let is_stopped = || progress.is_cancelled();
        let reply = target.run_bytes(&namespace.db, &command, &is_stopped);
        if !is_ok(&reply) && is_stopped() {
            continue;
        }
        if let Some(error) = write_errors(&reply).next() {
            return Err(sentence(error));
        }
        if !is_ok(&reply) {
            return Err(sentence(&reply));
        }
        let removed = number(&reply, "n");
        // A server may report more than it was asked to remove.
        let removed = removed.unwrap_or(0).min(count);
        report.removed += removed;
        report.gone += count - removed;
        progress.add_documents(count);
    }
    Ok(report)
}

#[cfg(test)]
#[path = "inserts_tests.rs"]
mod tests;
