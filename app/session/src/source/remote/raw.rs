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
use super::throttle::is_throttled;
use super::{Remote, failure, guard, plain, said};
use crate::job::Cancel;
use crate::job::reply::sentence;
use crate::limits::{READ_BATCH_BYTES, READ_BATCH_DOCS, SERVER_EXPORT_MS};
use crate::source::{Source as _, TakeBatch};

/// How long a write may take.
const WRITE: Duration = Duration::from_mins(1);

/// Documents that were read, and the cursor, unless it is at its end.
struct Read {
    documents: Vec<RawDocumentBuf>,
    cursor: Option<Cursor<Document>>,
    /// The reply that asks to slow down, with which reading stopped.
    throttled: Option<Document>,
}

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
pub(super) fn read_batches(
    remote: &Remote,
    criteria: Option<&SelectionCriteria>,
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
    let is_stopped = || cancel.is_cancelled() || remote.runtime.is_left();
    let mut pauses = remote.throttle.pauses_for_cursor();
    let mut cursor = None;
    loop {
        // Each reply has its own limit.
        let read = match cursor.take() {
            None => {
                let (client, name) = (remote.client.clone(), db.to_owned());
                let (command, criteria) = (command.clone(), criteria.cloned());
                let open = async move {
                    let database = client.database(&name);
                    let mut run = database.run_raw_cursor_command(command);
                    if let Some(criteria) = criteria {
                        run = run.selection_criteria(criteria);
                    }
                    match in_time(limit, run.into_future()).await {
                        Ok(cursor) => next(cursor, limit).await,
                        Err(failure) => paused(failure, Vec::new(), None),
                    }
                };
                finish(remote.runtime.run(open, Duration::MAX, cancel, true))?
            }
            // A cursor that is dropped closes itself on the server.
            Some(cursor) => {
                finish(remote.runtime.run(next(cursor, limit), Duration::MAX, cancel, true))?
            }
        };
        if !read.documents.is_empty() {
            pauses.note_progress();
        }
        let documents: Vec<&RawDocument> = read.documents.iter().map(AsRef::as_ref).collect();
        if !documents.is_empty() || read.throttled.is_none() {
            take(&documents)?;
        }
        match read.throttled {
            Some(reply) => pauses.pause(&reply, &is_stopped).map_err(|reply| sentence(&reply))?,
            None if read.cursor.is_none() => return Ok(()),
            None => {}
        }
        cursor = read.cursor;
    }
}

/// Waits for what needs one reply of the server.
async fn in_time<T>(
    limit: Duration,
    reply: impl Future<Output = Result<T, Error>>,
) -> Result<T, ReadFailure> {
    within(limit, reply).await.map_err(ReadFailure::Ended)?.map_err(ReadFailure::Driver)
}

/// A read that ends because the server asks to slow down.
///
/// # Errors
/// Another failure.
fn paused(
    failure: ReadFailure,
    documents: Vec<RawDocumentBuf>,
    cursor: Option<Cursor<Document>>,
) -> Result<Read, ReadFailure> {
    let throttled = match &failure {
        ReadFailure::Driver(error) => Some(failure::reply(error, false)).filter(is_throttled),
        ReadFailure::Ended(_) => None,
    };
    if throttled.is_some() { Ok(Read { documents, cursor, throttled }) } else { Err(failure) }
}

/// Reads on for a batch.
async fn next(mut cursor: Cursor<Document>, limit: Duration) -> Result<Read, ReadFailure> {
    let (mut documents, mut bytes) = (Vec::new(), 0);
    while documents.len() < READ_BATCH_DOCS && bytes < READ_BATCH_BYTES {
        match in_time(limit, cursor.advance()).await {
            Ok(true) => {}
            Ok(false) => return Ok(Read { documents, cursor: None, throttled: None }),
            // The driver asks again when it is asked again.
            Err(failure) => return paused(failure, documents, Some(cursor)),
        }
        let document = cursor.current().to_owned();
        bytes += document.as_bytes().len();
        documents.push(document);
    }
    Ok(Read { documents, cursor: Some(cursor), throttled: None })
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

/// Runs a command that changes documents. It is never aborted; `is_stopped` ends a pause of a server
/// that asks to slow down.
pub(super) fn run_bytes(
    remote: &Remote,
    db: &str,
    command: &RawDocument,
    is_stopped: &dyn Fn() -> bool,
) -> Document {
    if remote.lock.is_locked() {
        let name = command.iter().next().and_then(Result::ok);
        let name = name.map(|(name, _)| name.as_str().to_owned()).unwrap_or_default();
        let refusal = guard::refusal(&bson::doc! { name: 1 });
        return refusal.unwrap_or_default();
    }
    remote.lock.use_now();
    remote.rules.forget(remote.now_ms());
    let mut command = command.to_owned();
    command.append(cstr!("comment"), "mayfly");
    let is_stopped = || is_stopped() || remote.runtime.is_left();
    remote.throttle.send(&command, &is_stopped, |command| write_once(remote, db, command))
}

fn write_once(remote: &Remote, db: &str, command: RawDocumentBuf) -> Document {
    let (client, db) = (remote.client.clone(), db.to_owned());
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
