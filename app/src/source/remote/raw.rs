//! Documents from and to a server as bytes: none is decoded on its way, so that each keeps what a
//! document of this program's could not hold, such as a field that is there twice.

use std::time::Duration;

use bson::raw::cstr;
use bson::{Document, RawDocument, RawDocumentBuf};
use mongodb::Cursor;
use mongodb::error::Error;

use super::{Remote, depth, failure, guard};
use crate::job::Cancel;
use crate::limits::{READ_BATCH_BYTES, READ_BATCH_DOCS, SERVER_EXPORT_MS};
use crate::source::TakeBatch;
use crate::source::batches::sentence;

/// How long a batch may take to arrive.
const READ: Duration = Duration::from_millis(SERVER_EXPORT_MS.unsigned_abs());

/// How long a write may take.
const WRITE: Duration = Duration::from_mins(1);

/// Documents that were read, and the cursor, unless it is at its end.
type Read = (Vec<RawDocumentBuf>, Option<Cursor<Document>>);

/// Reads all documents that a command's cursor gives.
///
/// # Errors
/// One sentence.
pub(super) fn read_batches(
    remote: &Remote,
    db: &str,
    command: &Document,
    cancel: &Cancel,
    take: &mut TakeBatch<'_>,
) -> Result<(), String> {
    if let Some(refusal) = guard::refusal(command) {
        return Err(sentence(&refusal));
    }
    let mut command = command.clone();
    command.insert("comment", "mayfly");
    let command = RawDocumentBuf::try_from(&command).map_err(|error| error.to_string())?;
    let (client, name) = (remote.client.clone(), db.to_owned());
    let criteria = remote.criteria.clone();
    let open = async move {
        let database = client.database(&name);
        let mut run = database.run_raw_cursor_command(command);
        if let Some(criteria) = criteria {
            run = run.selection_criteria(criteria);
        }
        next(run.await?).await
    };
    let mut read = finish(remote.runtime.run(open, READ, cancel, true))?;
    loop {
        let documents: Vec<&RawDocument> = read.0.iter().map(AsRef::as_ref).collect();
        if documents.iter().any(|document| depth::is_deep(document)) {
            return Err(sentence(&failure::too_deep()));
        }
        take(&documents)?;
        let Some(cursor) = read.1 else { return Ok(()) };
        // A cursor that is dropped closes itself on the server.
        read = finish(remote.runtime.run(next(cursor), READ, cancel, true))?;
    }
}

/// Reads on for a batch.
async fn next(mut cursor: Cursor<Document>) -> Result<Read, Error> {
    let (mut documents, mut bytes) = (Vec::new(), 0);
    while documents.len() < READ_BATCH_DOCS && bytes < READ_BATCH_BYTES {
        if !cursor.advance().await? {
            return Ok((documents, None));
        }
        let document = cursor.current().to_owned();
        bytes += document.as_bytes().len();
        documents.push(document);
    }
    Ok((documents, Some(cursor)))
}

fn finish(done: Result<Result<Read, Error>, super::runtime::Ended>) -> Result<Read, String> {
    let reply = match done {
        Ok(Ok(read)) => return Ok(read),
        Ok(Err(error)) => failure::reply(&error, false),
        Err(ended) => failure::ended(ended, false),
    };
    Err(sentence(&reply))
}

/// Runs a command that changes documents. It is never aborted.
pub(super) fn run_bytes(remote: &Remote, db: &str, command: &RawDocument) -> Document {
    if remote.lock.is_locked() {
        let name = command.iter().next().and_then(Result::ok);
        let name = name.map(|(name, _)| name.as_str().to_owned()).unwrap_or_default();
        let refusal = guard::refusal(&bson::doc! { name: 1 });
        return refusal.unwrap_or_default();
    }
    remote.lock.use_now();
    remote.rules.forget();
    let (client, db, mut command) = (remote.client.clone(), db.to_owned(), command.to_owned());
    command.append(cstr!("comment"), "mayfly");
    let task = async move { depth::bounded(client.database(&db).run_raw_command(command).await) };
    match remote.runtime.run(task, WRITE, &Cancel::default(), false) {
        Ok(Ok(reply)) => reply,
        Ok(Err(error)) => failure::reply(&error, true),
        Err(ended) => failure::ended(ended, true),
    }
}
