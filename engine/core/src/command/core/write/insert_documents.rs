//! Inserts of several documents, in bounded transactions.

use std::time::Duration;

use bson::raw::RawDocument;

use super::new_document::{PreparedDocument, prepare};
use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{DocumentWriter, Measurements, TimeBudget, WriteError},
    command::core::{Code, CommandError, Context, Request},
    limits::{BATCH_MS_MAX, BULK_DOCS_MAX, WRITE_STATEMENTS_MAX},
    store::RecordNumber,
};

/// Documents between two readings of the clock when they are inserted one by one.
const CLOCK_DOCS: usize = 16;

/// The result of an insert of several documents.
#[derive(Debug, Default)]
pub struct InsertResult {
    pub n: u64,
    /// Refused documents, by their position. In an ordered insert there is at most one, and later
    /// documents were not tried.
    pub errors: Vec<(usize, CommandError)>,
}

/// Inserts documents of a request; in order means that the first refusal is the end.
///
/// # Errors
/// Why not even the first one could be tried.
pub fn insert_all<'d>(
    context: &Context,
    request: &Request<'_>,
    namespace: &Namespace,
    documents: impl IntoIterator<Item = &'d RawDocument>,
    is_ordered: bool,
) -> Result<InsertResult, CommandError> {
    // MongoDB replaces an empty timestamp at the top by its own time, unless the command forbids it
    // so that a copy stays exact.
    let stamps = !request.flag("bypassEmptyTsReplacement")?;
    let stamp = || context.timestamps.next(context.now_ms());
    let stamp: Option<&dyn Fn() -> bson::Timestamp> = if stamps { Some(&stamp) } else { None };
    let prepared: Vec<PreparedDocument<'_>> =
        documents.into_iter().map(|document| prepare(document, request.met, stamp)).collect();
    let mut done = InsertResult::default();
    let mut start = 0;
    while start < prepared.len() {
        match insert_some(context, namespace, &prepared, start, is_ordered) {
            Ok((next, some)) => {
                done.n += some.n;
                let stops = is_ordered && !some.errors.is_empty();
                done.errors.extend(some.errors);
                start = next;
                if stops {
                    break;
                }
            }
            // Nothing was written yet, so this is the error of the command and not of a document.
            Err(error) if start == 0 => return Err(error),
            Err(error) => {
                // Later documents are not tried either; in an ordered insert the first refusal says
                // so.
                let end = if is_ordered { start + 1 } else { prepared.len() };
                done.errors.extend((start..end).map(|place| (place, error.clone())));
                break;
            }
        }
    }
    Ok(done)
}

/// One transaction from document `start` on: where the next one starts, and the result.
fn insert_some(
    context: &Context,
    namespace: &Namespace,
    prepared: &[PreparedDocument<'_>],
    start: usize,
    is_ordered: bool,
) -> Result<(usize, InsertResult), CommandError> {
    context.write(|writer| {
        let collection = writer.create_if_missing(namespace)?;
        collection.check_is_no_view()?;
        let mut measurements = Measurements::new(&collection);
        let mut pace = TimeBudget::new(Duration::from_millis(BATCH_MS_MAX));
        let (mut at, mut done) = (start, InsertResult::default());
        // The time alone would not bound the pages that one transaction changes.
        let most = prepared.len().min(start + BULK_DOCS_MAX);
        while at < most && (!is_ordered || done.errors.is_empty()) {
            let Some(count) = pace.next() else { break };
            let step = prepared.get(at..most.min(at + count)).unwrap_or_default();
            pace.add(step.len());
            if measurements.is_none() && insert_batch(writer, &collection, step)? {
                done.n += step.len() as u64;
                at += step.len();
                continue;
            }
            for document in step {
                let outcome = match (document, &mut measurements) {
                    (Err(error), _) => Err(WriteRefusal::Statement(error.clone())),
                    (Ok(document), None) => insert_one(writer, &collection, document).map(drop),
                    (Ok(document), Some(measurements)) => {
                        measurements.add(writer, document).map_err(WriteRefusal::from)
                    }
                };
                match outcome {
                    Ok(()) => done.n += 1,
                    Err(WriteRefusal::Transaction(error)) => return Err(error),
                    Err(WriteRefusal::Statement(error)) => done.errors.push((at, error)),
                }
                at += 1;
                // Reading the clock for each document would cost more than it saves.
                let is_late = at.is_multiple_of(CLOCK_DOCS) && pace.next().is_none();
                if is_late || (is_ordered && !done.errors.is_empty()) {
                    break;
                }
            }
        }
        if let Some(measurements) = measurements {
            measurements.finish(writer)?;
        }
        Ok((at, done))
    })
}

/// Inserts documents as one batch if the result is the same as one by one; false when it did
/// nothing.
fn insert_batch(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    prepared: &[PreparedDocument<'_>],
) -> Result<bool, CommandError> {
    let documents: Result<Vec<&RawDocument>, _> =
        prepared.iter().map(|document| document.as_deref()).collect();
    match documents {
        Ok(documents) if documents.len() > 1 => {
            Ok(writer.insert_batch(collection, &documents)?.is_some())
        }
        _ => Ok(false),
    }
}

/// Why a document was not written, and what that means for the transaction.
pub enum WriteRefusal {
    /// The transaction is intact and can continue.
    Statement(CommandError),
    /// The transaction must be aborted.
    Transaction(CommandError),
}

impl From<WriteError> for WriteRefusal {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Store(error) => Self::Transaction(error.into()),
            error => Self::Statement(error.into()),
        }
    }
}

impl From<WriteRefusal> for CommandError {
    fn from(refused: WriteRefusal) -> Self {
        match refused {
            WriteRefusal::Statement(error) | WriteRefusal::Transaction(error) => error,
        }
    }
}

/// Inserts one document. A hidden overdue document with the same key does not block it.
///
/// # Errors
/// Why it was refused.
pub fn insert_one(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    document: &RawDocument,
) -> Result<RecordNumber, WriteRefusal> {
    Ok(writer.insert(collection, document)?)
}

/// Refuses an empty batch and one that is too long.
///
/// # Errors
/// `InvalidLength`.
pub fn check_batch_size(statements: usize) -> Result<(), CommandError> {
    if (1..=WRITE_STATEMENTS_MAX).contains(&statements) {
        return Ok(());
    }
    Err(CommandError::new(
        Code::INVALID_LENGTH,
        format!(
            "Write batch sizes must be between 1 and {WRITE_STATEMENTS_MAX}. Got {statements} \
             operations."
        ),
    ))
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        thread,
    };

    use bson::{Bson, Document};

    use super::*;
    use crate::{
        command::testing::{Lab, at},
        event::Event,
    };

    /// More than fit in one transaction.
    const DOCS: usize = BULK_DOCS_MAX + 500;

    /// Runs a command with very many inserts whose collection becomes a view after the first of its
    /// transactions: the reply, and how many documents were committed before.
    fn cut_short(command: &Document) -> (Document, usize) {
        let lab = Arc::new(Lab::new());
        lab.ok("{create: 'c'}");
        let committed = Arc::new(AtomicUsize::new(usize::MAX));
        let (other, count) = (Arc::downgrade(&lab), Arc::clone(&committed));
        lab.engine.collections().observe(move |change| {
            let Some(lab) = other.upgrade().filter(|_| matches!(change, Event::DataChanged(_)))
            else {
                return;
            };
            if count.load(Ordering::SeqCst) == usize::MAX {
                let change = || {
                    let n = number(&lab.ok("{count: 'c'}"), "n");
                    count.store(n, Ordering::SeqCst);
                    lab.ok("{drop: 'c'}");
                    lab.ok("{create: 'c', viewOn: 'd', pipeline: []}");
                };
                thread::scope(|scope| drop(scope.spawn(change)));
            }
        });
        let reply = lab.run_document(command);
        let committed = committed.load(Ordering::SeqCst);
        assert!((1..DOCS).contains(&committed), "{committed}");
        (reply, committed)
    }

    fn number(reply: &Document, path: &str) -> usize {
        match at(reply, path) {
            Some(Bson::Int32(number)) => usize::try_from(number).expect("no negative number"),
            other => panic!("{path}: {other:?}"),
        }
    }

    fn documents() -> impl Iterator<Item = Document> {
        (0..DOCS).map(|id| bson::doc! { "_id": i64::try_from(id).expect("small") })
    }

    #[test]
    fn every_document_that_was_not_tried_is_named() {
        for (ordered, refused) in [(true, Some(1)), (false, None)] {
            let documents: Vec<_> = documents().collect();
            let (reply, committed) = cut_short(
                &bson::doc! { "insert": "c", "documents": documents, "ordered": ordered },
            );
            assert_eq!(number(&reply, "n"), committed);
            let errors = reply.get_array("writeErrors").expect("errors");
            let refused = refused.unwrap_or(DOCS - committed);
            let named: Vec<usize> = errors
                .iter()
                .map(|error| number(error.as_document().expect("a document"), "index"))
                .collect();
            assert_eq!(named, (committed..committed + refused).collect::<Vec<_>>());
        }
    }

    #[test]
    fn only_inserts_that_were_done_are_counted() {
        for (ordered, refused) in [(true, Some(1)), (false, None)] {
            let ops: Vec<_> = documents()
                .map(|document| bson::doc! { "insert": 0, "document": document })
                .collect();
            let (reply, committed) = cut_short(&bson::doc! {
                "bulkWrite": 1, "ops": ops, "nsInfo": [{ "ns": "test.c" }], "ordered": ordered,
                "errorsOnly": true,
            });
            assert_eq!(number(&reply, "nInserted"), committed);
            assert_eq!(number(&reply, "nErrors"), refused.unwrap_or(DOCS - committed));
            assert_eq!(number(&reply, "cursor.firstBatch.0.idx"), committed);
        }
    }
}
