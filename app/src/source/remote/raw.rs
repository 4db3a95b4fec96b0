//! Documents from and to a server as bytes: none is decoded on its way, so that each keeps what a
//! document of this program's could not hold, such as a field that is there twice.

use std::time::Duration;

use bson::raw::cstr;
use bson::{Document, RawDocument, RawDocumentBuf};
use mayfly_engine::value::whole;
use mongodb::Cursor;
use mongodb::error::Error;
use mongodb::options::SelectionCriteria;

use super::runtime::{Ended, within};
use super::{Remote, failure, guard, plain, said};
use crate::job::Cancel;
use crate::limits::{READ_BATCH_BYTES, READ_BATCH_DOCS, SERVER_EXPORT_MS};
use crate::source::batches::sentence;
use crate::source::{Source as _, TakeBatch};

/// How long a write may take.
const WRITE: Duration = Duration::from_mins(1);

/// Documents that were read, and the cursor, unless it is at its end.
type Read = (Vec<RawDocumentBuf>, Option<Cursor<Document>>);

/// Why a batch did not arrive.
enum ReadFailure {
    Driver(Error),
    Ended(Ended),
}

/// How long one reply to a command may take. A server that searches, sorts or computes does so before
/// it replies, for as long as the command lets it.
fn reply_limit(read: Duration, command: &Document) -> Duration {
    let has = |name| command.get_document(name).is_ok_and(|fields| !fields.is_empty());
    let searches = command.contains_key("aggregate") || has("filter") || has("sort");
    if !searches {
        return read;
    }
    let search_ms = command.get("maxTimeMS").and_then(whole).unwrap_or(SERVER_EXPORT_MS);
    read.saturating_add(Duration::from_millis(search_ms.unsigned_abs()))
}

/// Reads all documents that a command's cursor gives, from the members that the criteria allow, or
/// from the primary.
///
/// # Errors
/// One sentence.
pub(super) fn read_batches(
    remote: &Remote,
    criteria: Option<SelectionCriteria>,
    (db, command): (&str, &Document),
    cancel: &Cancel,
    take: &mut TakeBatch<'_>,
) -> Result<(), String> {
    if let Some(refusal) = guard::refusal(command) {
        return Err(sentence(&refusal));
    }
    let limit = reply_limit(remote.reply_limits.read, command);
    let mut command = plain::without_empty_parts(command.clone());
    command.insert("comment", "mayfly");
    let command = RawDocumentBuf::try_from(&command).map_err(|error| error.to_string())?;
    let (client, name) = (remote.client.clone(), db.to_owned());
    let open = async move {
        let database = client.database(&name);
        let mut run = database.run_raw_cursor_command(command);
        if let Some(criteria) = criteria {
            run = run.selection_criteria(criteria);
        }
        next(in_time(limit, run.into_future()).await?, limit).await
    };
    // Each reply has its own limit.
    let mut read = finish(remote.runtime.run(open, Duration::MAX, cancel, true))?;
    loop {
        let documents: Vec<&RawDocument> = read.0.iter().map(AsRef::as_ref).collect();
        take(&documents)?;
        let Some(cursor) = read.1 else { return Ok(()) };
        // A cursor that is dropped closes itself on the server.
        read = finish(remote.runtime.run(next(cursor, limit), Duration::MAX, cancel, true))?;
    }
}

/// Waits for what needs one reply of the server.
async fn in_time<T>(
    limit: Duration,
    reply: impl Future<Output = Result<T, Error>>,
) -> Result<T, ReadFailure> {
    within(limit, reply).await.map_err(ReadFailure::Ended)?.map_err(ReadFailure::Driver)
}

/// Reads on for a batch.
async fn next(mut cursor: Cursor<Document>, limit: Duration) -> Result<Read, ReadFailure> {
    let (mut documents, mut bytes) = (Vec::new(), 0);
    while documents.len() < READ_BATCH_DOCS && bytes < READ_BATCH_BYTES {
        if !in_time(limit, cursor.advance()).await? {
            return Ok((documents, None));
        }
        let document = cursor.current().to_owned();
        bytes += document.as_bytes().len();
        documents.push(document);
    }
    Ok((documents, Some(cursor)))
}

fn finish(done: Result<Result<Read, ReadFailure>, Ended>) -> Result<Read, String> {
    let reply = match done {
        Ok(Ok(read)) => return Ok(read),
        Ok(Err(ReadFailure::Driver(error))) => failure::reply(&error, false),
        Ok(Err(ReadFailure::Ended(Ended::Late))) => failure::stalled(),
        Ok(Err(ReadFailure::Ended(ended))) | Err(ended) => failure::ended(ended, false),
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
    remote.rules.forget(remote.now_ms());
    let (client, db, mut command) = (remote.client.clone(), db.to_owned(), command.to_owned());
    command.append(cstr!("comment"), "mayfly");
    let task = async move { said::showable(client.database(&db).run_raw_command(command).await) };
    match remote.runtime.run(task, WRITE, &Cancel::default(), false) {
        Ok(Ok(reply)) => reply,
        Ok(Err(error)) => failure::reply(&error, true),
        Err(ended) => failure::ended(ended, true),
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    #[test]
    fn only_a_server_that_searches_has_the_time_of_the_command() {
        let check = |command: Document, expected: u64| {
            let limit = reply_limit(Duration::from_mins(2), &command);
            assert_eq!(limit.as_secs(), expected, "{command}");
        };
        check(doc! { "find": "c", "filter": {}, "sort": {}, "maxTimeMS": 600_000 }, 120);
        check(doc! { "listIndexes": "c" }, 120);
        check(doc! { "find": "c", "filter": { "a": 1 }, "maxTimeMS": 30_000_i64 }, 150);
        check(doc! { "find": "c", "sort": { "a": 1 } }, 720);
        check(doc! { "aggregate": "c", "pipeline": [], "maxTimeMS": 600_000 }, 720);
    }
}
