//! Open cursors: a bounded table of searches that keep a key, never a transaction.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bson::{RawDocumentBuf, raw::RawDocument};

use super::{
    batch_reply::{BatchName, BatchReply},
    reply_shape::ReplyShape,
};
use crate::{
    catalog::Namespace,
    clock::{Clock, SystemClock, work_time},
    command::core::{Answer, Client, Code, CommandError, Context, server_rows::ServerFacts},
    limits::{
        AWAIT_DATA_MS, AWAIT_DATA_MS_MAX, AWAIT_SLICE_MS, CURSOR_IDLE_MS, CURSORS_MAX,
        FIRST_BATCH_DOCS,
    },
    pipeline::{Environment, Run},
    plan::{Operation, Search, Step, check_interrupt},
    value::scan::DOCUMENT_BYTES_MAX,
};

/// Bytes of one result: a document, and the 16 KiB that MongoDB allows its servers beyond.
const RESULT_BYTES_MAX: usize = DOCUMENT_BYTES_MAX + 16_384;

/// Open cursors of all clients.
#[derive(Default)]
pub struct Cursors {
    table: Mutex<CursorTable>,
}

#[derive(Default)]
struct CursorTable {
    open: HashMap<i64, IdleCursor>,
    /// Cursors with a running `getMore`. They are not in `open` at that time.
    running: HashMap<i64, RunningCursor>,
    opened: u64,
}

/// A running `getMore`.
struct RunningCursor {
    operation: Option<Arc<Operation>>,
    is_killed: bool,
}

/// Takes a cursor out of `running` when its `getMore` ends, also by a panic.
struct RunningGuard<'c> {
    cursors: &'c Cursors,
    id: i64,
}

impl Drop for RunningGuard<'_> {
    fn drop(&mut self) {
        self.cursors.lock().running.remove(&self.id);
    }
}

struct IdleCursor {
    cursor: Cursor,
    since: Duration,
}

/// A cursor: the documents that are left.
pub struct Cursor {
    /// `cursor.ns`, e.g. `db.collection` or `db.$cmd.listCollections`.
    pub ns: String,
    /// Where the documents come from.
    pub source: CursorSource,
    /// Whether `getMore` waits for new documents when it has none.
    pub awaits: bool,
    /// The part of the command's `maxTimeMS` that its batches have not used. `getMore` uses up the rest, as
    /// in MongoDB; the time between two batches doesn't count.
    pub time_left: Option<Duration>,
    /// The session of the command that opened it, which each `getMore` has to name.
    session: Option<[u8; 16]>,
}

/// Where the documents of a cursor come from.
pub enum CursorSource {
    /// A search in a collection.
    Search {
        namespace: Namespace,
        search: Box<Search>,
        /// The part of a document that the reply contains.
        shape: ReplyShape,
    },
    Ready(VecDeque<RawDocumentBuf>),
    Pipeline {
        run: Box<Run>,
        client: Client,
    },
}

impl Cursor {
    /// A cursor that does not wait.
    pub fn new(ns: String, source: CursorSource) -> Self {
        let session = Operation::current().and_then(|operation| operation.session());
        Self { ns, source, awaits: false, time_left: None, session }
    }

    /// A cursor over documents that are ready.
    pub fn ready(ns: String, documents: impl IntoIterator<Item = RawDocumentBuf>) -> Self {
        Self::new(ns, CursorSource::Ready(documents.into_iter().collect()))
    }

    /// Replies with the first batch and keeps the cursor if documents are left.
    ///
    /// # Errors
    /// The errors of the search.
    pub fn first_batch(
        mut self,
        context: &Context,
        batch_size: Option<u64>,
        only_one: bool,
    ) -> Answer {
        let size = batch_size.map_or(FIRST_BATCH_DOCS, saturated);
        let mut batch = BatchReply::new(BatchName::First, size);
        if self.fill(context, &mut batch)? || only_one {
            return batch.finish(0, &self.ns);
        }
        // `maxTimeMS` bounds the whole query, so the next `getMore` continues with the rest.
        self.time_left = time_left();
        let ns = self.ns.clone();
        let id = context.cursors.keep(self);
        batch.finish(id, &ns)
    }

    /// As [`Cursor::fill`], but waits for documents when there are none: at most this long, in real
    /// time, because a client waits.
    fn fill_or_wait(
        &mut self,
        context: &Context,
        size: usize,
        wait: Duration,
    ) -> Result<(BatchReply, bool), CommandError> {
        let clock = SystemClock;
        let wait = wait.min(Duration::from_millis(AWAIT_DATA_MS_MAX));
        let end = clock.monotonic().saturating_add(wait);
        // Registered before the search, so that no change is missed between the two.
        let changed = context.collections.wait_for_change();
        loop {
            let mut batch = BatchReply::new(BatchName::Next, size);
            let is_done = self.fill(context, &mut batch)?;
            let now = clock.monotonic();
            if is_done || now >= end || batch.count() > 0 {
                return Ok((batch, is_done));
            }
            // In slices, so that `killOp` and the end of the connection are noticed while nothing
            // changes.
            let slice = now.saturating_add(Duration::from_millis(AWAIT_SLICE_MS));
            clock.wait_until(Some(slice.min(end)), changed.wake());
            check_interrupt()?;
        }
    }

    /// Puts the next documents into the batch; whether nothing is left then.
    fn fill(&mut self, context: &Context, batch: &mut BatchReply) -> Result<bool, CommandError> {
        let is_done = match &mut self.source {
            CursorSource::Ready(documents) => {
                while let Some(document) = documents.front() {
                    if !batch.push(document) {
                        break;
                    }
                    documents.pop_front();
                }
                documents.is_empty()
            }
            CursorSource::Search { namespace, search, shape } => {
                let mut seen = crate::query::Context::at(context.now_ms());
                seen.variables.clone_from(&shape.variables);
                seen.collation.clone_from(&shape.collation);
                // The statistics cover the whole cursor, and a reply counts its own batch.
                // The collection is looked up for each batch, because a cursor keeps no transaction
                // between two of them.
                let before = search.stats().damaged;
                // As in MongoDB: whether anything follows a full batch is a question of the next one.
                if batch.is_full() {
                    return Ok(search.is_done());
                }
                context.read(|reader, catalog| {
                    let Some(collection) = catalog.collection(namespace) else {
                        return Err(CommandError::new(
                            Code::QUERY_PLAN_KILLED,
                            format!("{namespace} was dropped while the cursor was open"),
                        ));
                    };
                    search.advance::<CommandError>(
                        reader,
                        &collection,
                        context.now_ms(),
                        &mut |stored, document| {
                            let is_taken = match shape.of(document, stored.record, &seen)? {
                                Some(given) => batch.push(&given),
                                None => batch.push(document),
                            };
                            Ok(step(is_taken, batch))
                        },
                    )
                })?;
                batch.leave_out(search.stats().damaged - before);
                search.is_done()
            }
            CursorSource::Pipeline { run, client } => {
                let rows = ServerFacts { context, client };
                let environment = Environment::new(&context.collections, &rows);
                loop {
                    // A full batch does not look for a next document, as in MongoDB.
                    if batch.is_full() {
                        break false;
                    }
                    let Some(document) = run.advance(&environment)? else { break true };
                    check_result(&document)?;
                    if !batch.push(&document) {
                        // The document was computed already, so it waits in the run for the next
                        // batch.
                        run.take_back(document);
                        break false;
                    }
                }
            }
        };
        Ok(is_done)
    }
}

/// How a search continues after a document.
fn step(is_taken: bool, batch: &BatchReply) -> Step {
    match is_taken {
        true if batch.is_full() => Step::TakeAndStop,
        true => Step::Take,
        false => Step::LeaveAndStop,
    }
}

/// The rest of the time limit of this thread's operation.
fn time_left() -> Option<Duration> {
    Operation::current().and_then(|operation| operation.time_left())
}

/// A stage can make documents that are larger than what can be sent.
fn check_result(document: &RawDocument) -> Result<(), CommandError> {
    if document.as_bytes().len() <= RESULT_BYTES_MAX {
        return Ok(());
    }
    Err(CommandError::new(
        Code::BSON_OBJECT_TOO_LARGE,
        format!(
            "BSONObj size: {} is invalid. Size must be between 0 and {RESULT_BYTES_MAX} (16MB): a \
             result of the pipeline is too large",
            document.as_bytes().len()
        ),
    ))
}

impl Cursors {
    /// The next batch of a cursor.
    ///
    /// # Errors
    /// `CursorNotFound`, `Unauthorized` when it belongs to another collection, `BadValue` when it
    /// does not wait and `wait` is given, `CursorKilled` when another client closed it during the
    /// call, and the errors of the search.
    pub fn next_batch(
        &self,
        context: &Context,
        id: i64,
        ns: &str,
        batch_size: Option<u64>,
        wait: Option<Duration>,
    ) -> Answer {
        let mut cursor = self.take(id, ns, wait.is_some())?;
        // The entry must go even if the search panics, or the id would count as running forever.
        let _at_work = RunningGuard { cursors: self, id };
        // In a `getMore` a batch size of 0 sets no bound; in a `find` it asks for an empty batch.
        let size = batch_size.filter(|size| *size > 0).map_or(usize::MAX, saturated);
        if let (Some(left), Some(operation)) = (cursor.time_left, Operation::current()) {
            operation.end_after(left);
        }
        let filled = if cursor.awaits {
            let wait = wait.unwrap_or(Duration::from_millis(AWAIT_DATA_MS));
            cursor.fill_or_wait(context, size, wait)
        } else {
            let mut batch = BatchReply::new(BatchName::Next, size);
            cursor.fill(context, &mut batch).map(|is_done| (batch, is_done))
        };
        // The wait for the client's next `getMore` doesn't count, so the rest is taken here.
        cursor.time_left = cursor.time_left.and_then(|_| time_left());
        let is_left = matches!(filled, Ok((_, false)));
        // Reinserted before an error is returned, because only this tells whether another client
        // closed the cursor.
        if self.reinsert(id, is_left.then_some(cursor)) {
            return Err(CommandError::new(
                Code::CURSOR_KILLED,
                format!("cursor id {id} was closed by killCursors while this getMore was running"),
            ));
        }
        let (batch, is_done) = filled?;
        context.metrics.documents.returned.add(batch.count() as u64);
        batch.finish(if is_done { 0 } else { id }, ns)
    }

    /// Takes a cursor out of the table for a `getMore`.
    fn take(&self, id: i64, ns: &str, waits: bool) -> Result<Cursor, CommandError> {
        let mut table = self.lock();
        let Some(IdleCursor { cursor, .. }) = table.open.get(&id) else {
            return Err(not_found(id));
        };
        if cursor.ns != ns {
            let message = format!(
                "Requested getMore on namespace '{ns}', but cursor belongs to a different \
                 namespace {}",
                cursor.ns
            );
            return Err(CommandError::new(Code::UNAUTHORIZED, message));
        }
        check_session(id, cursor.session)?;
        // MongoDB refuses this, too (2, `BadValue`).
        if waits && !cursor.awaits {
            return Err(CommandError::bad_value(
                "cannot set maxTimeMS on getMore command for a non-awaitData cursor",
            ));
        }
        // Removed only after the checks: a refused `getMore` must not close the cursor.
        let Some(IdleCursor { cursor, .. }) = table.open.remove(&id) else {
            return Err(not_found(id));
        };
        table
            .running
            .insert(id, RunningCursor { operation: Operation::current(), is_killed: false });
        Ok(cursor)
    }

    /// Returns a cursor to the table after its `getMore`, unless it was closed during the call;
    /// true when it was.
    fn reinsert(&self, id: i64, left: Option<Cursor>) -> bool {
        let mut table = self.lock();
        let is_killed = table.running.remove(&id).is_some_and(|running| running.is_killed);
        if let Some(cursor) = left.filter(|_| !is_killed) {
            table.insert(id, cursor);
        }
        is_killed
    }

    /// Closes a cursor, and ends the `getMore` that runs on it. False when there was none.
    pub fn kill(&self, id: i64) -> bool {
        let mut table = self.lock();
        if let Some(running) = table.running.get_mut(&id) {
            // The thread of the `getMore` owns the cursor now, so it is closed when it comes back.
            running.is_killed = true;
            running.operation.as_deref().inspect(|operation| operation.kill());
            return true;
        }
        table.open.remove(&id).is_some()
    }

    /// How many are open.
    pub fn open_count(&self) -> usize {
        self.lock().open.len()
    }

    fn keep(&self, cursor: Cursor) -> i64 {
        let mut table = self.lock();
        table.opened += 1;
        let id = spread(table.opened);
        table.insert(id, cursor);
        id
    }

    /// The table without the cursors that were idle too long.
    fn lock(&self) -> MutexGuard<'_, CursorTable> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        // Cursors that were idle too long are closed at the next access, which needs no thread.
        table.end_idle(work_time());
        table
    }
}

impl CursorTable {
    /// Keeps a cursor. When there are too many, the cursor that was idle longest is evicted.
    fn insert(&mut self, id: i64, cursor: Cursor) {
        if self.open.len() >= CURSORS_MAX {
            let oldest = self.open.iter().min_by_key(|(_, idle)| idle.since).map(|(id, _)| *id);
            oldest.and_then(|id| self.open.remove(&id));
        }
        self.open.insert(id, IdleCursor { cursor, since: work_time() });
    }

    /// Closes cursors that were idle too long. Real time counts, not simulated time: clients live
    /// in it.
    fn end_idle(&mut self, now: Duration) {
        let idle_max = Duration::from_millis(CURSOR_IDLE_MS);
        self.open.retain(|_, idle| now.saturating_sub(idle.since) <= idle_max);
    }
}

/// Refuses a `getMore` of another session than the cursor's.
fn check_session(id: i64, owner: Option<[u8; 16]>) -> Result<(), CommandError> {
    let own = Operation::current().and_then(|operation| operation.session());
    let (code, words) = match (owner, own) {
        (owner, own) if owner == own => return Ok(()),
        (None, _) => (50_736, "which was not created in a session, in a session"),
        (_, None) => (50_737, "which was created in a session, without an lsid"),
        _ => (50_738, "which was created in another session"),
    };
    let message = format!("Cannot run getMore on cursor {id}, {words}; send the lsid of its find");
    Err(CommandError::new(Code(code), message))
}

/// A positive number, different for each count, that looks like a server's cursor id.
fn spread(count: u64) -> i64 {
    let mixed = count.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1;
    i64::try_from(mixed).unwrap_or(i64::MAX).max(1)
}

fn not_found(id: i64) -> CommandError {
    CommandError::new(
        Code::CURSOR_NOT_FOUND,
        format!(
            "cursor id {id} not found: it was exhausted, closed, timed out or evicted; run the \
             query again"
        ),
    )
}

fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::testing::Lab;

    #[test]
    fn who_is_idle_for_ten_minutes_is_closed() {
        let cursors = Cursors::default();
        let id = cursors.keep(Cursor::ready("d.c".to_owned(), []));
        let mut table = cursors.lock();
        let since = table.open[&id].since;
        table.end_idle(since + Duration::from_mins(10));
        assert!(table.open.contains_key(&id));
        table.end_idle(since + Duration::from_millis(600_001));
        assert!(table.open.is_empty());
    }

    #[test]
    fn who_is_closed_while_it_runs_ends_and_does_not_come_back() {
        let cursors = Cursors::default();
        let operation = Arc::new(Operation::default());
        let taken = || {
            let id = cursors.keep(Cursor::ready("d.c".to_owned(), []));
            let cursor = operation.run(|| cursors.take(id, "d.c", false));
            (id, cursor.expect("open"))
        };
        let (id, cursor) = taken();
        assert!(!cursors.reinsert(id, Some(cursor)) && cursors.kill(id) && !cursors.kill(id));
        let (id, cursor) = taken();
        assert!(!operation.is_killed() && cursors.kill(id) && operation.is_killed());
        assert!(cursors.reinsert(id, Some(cursor)), "the cursor is closed");
        assert_eq!(cursors.open_count(), 0);
        let (id, _) = taken();
        drop(RunningGuard { cursors: &cursors, id });
        assert!(!cursors.kill(id), "its work has failed");
    }

    #[test]
    fn a_full_last_batch_leaves_the_end_to_the_next_one() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1, a: 2}, {_id: 2, a: 1}, {_id: 3, a: 3}]}");
        lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
        let id = |command: &str| {
            let reply = lab.ok(command);
            reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("an id")
        };
        for find in ["", ", sort: {_id: -1}", ", filter: {a: {$gt: 0}}", ", batchSize: 0"] {
            let open =
                id(&format!("{{find: 'c', batchSize: 3{find}}}").replace("3, batchSize: ", ""));
            assert_ne!(open, 0, "{find}");
        }
        let last = lab.run_document(&bson::doc! {
            "getMore": id("{find: 'c', batchSize: 3}"), "collection": "c", "batchSize": 3
        });
        let cursor = last.get_document("cursor").expect("a cursor");
        assert_eq!(cursor.get_i64("id").ok(), Some(0), "{last}");
        assert!(cursor.get_array("nextBatch").is_ok_and(Vec::is_empty), "{last}");
        // A limit, a batch that isn't full and a single batch are the end.
        for find in [
            "batchSize: 3, limit: 3",
            "batchSize: 4",
            "batchSize: 3, singleBatch: true",
            "limit: 1",
        ] {
            assert_eq!(id(&format!("{{find: 'c', {find}}}")), 0, "{find}");
        }
        assert_eq!(id("{find: 'c', filter: {_id: 1}, batchSize: 1}"), 0);
        assert_eq!(id("{find: 'none', batchSize: 0}"), 0);
    }

    #[test]
    fn a_cursor_belongs_to_its_session() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}");
        let session = |byte: u8| bson::doc! { "id": bson::Uuid::from_bytes([byte; 16]) };
        let open = |owner: Option<u8>| {
            let mut find = bson::doc! { "find": "c", "batchSize": 1 };
            find.extend(owner.map(|byte| ("lsid".to_owned(), session(byte).into())));
            let reply = lab.run_document(&find);
            reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("an id")
        };
        let more = |id: i64, owner: Option<u8>| {
            let mut more = bson::doc! { "getMore": id, "collection": "c", "batchSize": 1 };
            more.extend(owner.map(|byte| ("lsid".to_owned(), session(byte).into())));
            lab.run_document(&more).get_i32("code").ok()
        };
        let (of_one, of_none) = (open(Some(1)), open(None));
        assert_eq!(more(of_one, None), Some(50_737));
        assert_eq!(more(of_one, Some(2)), Some(50_738));
        assert_eq!(more(of_none, Some(2)), Some(50_736));
        assert_eq!((more(of_one, Some(1)), more(of_none, None)), (None, None));
    }

    #[test]
    fn ten_thousand_cursors_hold_no_reader_and_the_oldest_give_way() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}");
        let find = bson::doc! { "find": "c", "batchSize": 1 };
        let open = || {
            let reply = lab.run_document(&find);
            reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("a cursor")
        };
        let ids: Vec<i64> = (0..10_000).map(|_| open()).collect();
        let status = lab.ok("{serverStatus: 1}");
        let total = status.get_document("metrics").and_then(|it| it.get_document("cursor"));
        let total = total.and_then(|it| it.get_document("open")).expect("cursors").clone();
        assert_eq!(total.get_i64("total").ok(), Some(1_000), "{total}");
        assert_eq!(lab.engine.collections().store().status().readers, 0);
        let more = |id: i64| lab.run_document(&bson::doc! { "getMore": id, "collection": "c" });
        let gone = more(ids[8_999]);
        assert_eq!(gone.get_i32("code").ok(), Some(43), "{gone}");
        let sentence = gone.get_str("errmsg").expect("a sentence");
        assert!(sentence.ends_with("timed out or evicted; run the query again"), "{sentence}");
        for id in [ids[9_000], ids[9_999]] {
            let rest = more(id);
            let batch = rest.get_document("cursor").and_then(|it| it.get_array("nextBatch"));
            assert_eq!(batch.map(Vec::len).ok(), Some(2), "{rest}");
        }
    }
}
