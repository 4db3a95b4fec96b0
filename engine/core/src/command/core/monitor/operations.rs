//! Running operations: commands, and the pass of the TTL monitor.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI32, Ordering},
    },
    time::Duration,
};

use bson::{Bson, DateTime, Document, RawDocumentBuf, doc, raw::RawDocument};

use crate::{
    clock::work_time,
    command::core::{Client, Context, server::hostname, shortest},
    limits::SHOWN_COMMAND_BYTES_MAX,
    plan::Operation,
    reaper::THREAD_NAME,
    value::{is_deeper_than, scan::DEPTH_MAX},
};

/// The operation number of the TTL monitor's pass. Commands have higher ones.
const MONITOR_OPID: i32 = 1;

/// Commands that are running now.
#[derive(Debug)]
pub struct Operations {
    last: AtomicI32,
    /// In the order in which they began.
    running: Mutex<Vec<Arc<RunningOperation>>>,
}

impl Default for Operations {
    fn default() -> Self {
        Self { last: AtomicI32::new(MONITOR_OPID), running: Mutex::default() }
    }
}

/// One command that is running.
#[derive(Debug)]
pub struct RunningOperation {
    /// Its number, unique until the engine closes.
    pub opid: i32,
    pub client: Client,
    /// Its namespace: a collection, or `db.$cmd`.
    pub ns: String,
    /// MongoDB's kind of work.
    pub kind: &'static str,
    /// The command, without batches of writes.
    pub command: RawDocumentBuf,
    /// Whether it should stop, and what it looked at.
    pub operation: Arc<Operation>,
    /// When it began, on the clock of [`work_time`].
    pub began: Duration,
}

/// Takes its command out of the table when the command ends, also by a panic.
pub struct OperationGuard<'o> {
    operations: &'o Operations,
    pub running: Arc<RunningOperation>,
}

impl Drop for OperationGuard<'_> {
    fn drop(&mut self) {
        // Compared by address, because the numbers repeat.
        self.operations.lock().retain(|running| !Arc::ptr_eq(running, &self.running));
    }
}

impl Operations {
    /// The next number. After two billion commands the numbers begin again above the monitor's.
    pub fn next_opid(&self) -> i32 {
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| {
            Some(last.checked_add(1).unwrap_or(MONITOR_OPID + 1))
        });
        last.map_or(MONITOR_OPID, |last| last.wrapping_add(1)).max(MONITOR_OPID + 1)
    }

    /// Lists an operation that begins, until the registration is dropped.
    pub fn register(&self, running: RunningOperation) -> OperationGuard<'_> {
        let running = Arc::new(running);
        self.lock().push(Arc::clone(&running));
        OperationGuard { operations: self, running }
    }

    /// All commands that are running, oldest first.
    pub fn running(&self) -> Vec<Arc<RunningOperation>> {
        self.lock().clone()
    }

    /// Asks an operation to stop; whether there is such a one. A pass of the monitor ends, and the
    /// next one comes at its time.
    pub fn kill(&self, context: &Context, opid: i32) -> bool {
        let found = if opid == MONITOR_OPID {
            context.reaper.pass_operation()
        } else {
            let running = self.lock();
            let found = running.iter().find(|running| running.opid == opid);
            found.map(|running| Arc::clone(&running.operation))
        };
        found.is_some_and(|operation| {
            operation.kill();
            true
        })
    }

    /// Stops the reads of disconnected clients, which may wait for long.
    pub fn kill_reads(&self, is_gone: impl Fn(&Client) -> bool) {
        // A write continues, as in MongoDB, so that it isn't left half done.
        let reads = |running: &&Arc<RunningOperation>| matches!(running.kind, "query" | "getmore");
        for running in self.lock().iter().filter(reads).filter(|one| is_gone(&one.client)) {
            running.operation.kill();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<RunningOperation>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningOperation {
    /// Time since it began.
    pub fn took(&self) -> Duration {
        work_time().saturating_sub(self.began)
    }

    /// As `currentOp` shows it at this time, in milliseconds since 1970.
    pub fn to_document(&self, now_ms: i64) -> Document {
        let mut entry = doc! { "type": "op", "host": hostname() };
        entry.extend(who(&self.client));
        entry.extend(activity(self.opid, now_ms, self.took()));
        if let Some(user) = self.client.user() {
            entry.insert("effectiveUsers", [doc! { "user": user, "db": "admin" }]);
        }
        entry.insert("op", self.kind);
        entry.insert("ns", &self.ns);
        entry.insert("redacted", false);
        entry.insert("command", Document::try_from(&*self.command).unwrap_or_default());
        if let Some(summary) = self.operation.plan_summary() {
            entry.insert("planSummary", summary);
        }
        if self.operation.is_killed() {
            entry.insert("killPending", true);
        }
        entry.extend(waits());
        entry
    }
}

/// All operations as `currentOp` and `$currentOp` show them; those of one user only with `own`.
pub fn documents(context: &Context, own: Option<&Client>) -> Vec<Document> {
    let is_shown = |client: &Client| own.is_none_or(|own| own.user() == client.user());
    let (running, now_ms) = (context.operations.running(), context.now_ms());
    let commands =
        running.iter().filter(|one| is_shown(&one.client)).map(|one| one.to_document(now_ms));
    // The monitor's pass belongs to no user.
    let monitor = if own.is_none() { monitor(context) } else { None };
    monitor.into_iter().chain(commands).collect()
}

/// The pass of the TTL monitor while it removes documents.
fn monitor(context: &Context) -> Option<Document> {
    let namespace = context.reaper.current_namespace()?;
    let took = context.reaper.pass_took();
    let mut entry = doc! {
        "type": "op",
        "host": hostname(),
        "desc": THREAD_NAME,
    };
    entry.extend(activity(MONITOR_OPID, context.now_ms(), took));
    entry.insert("op", "remove");
    entry.insert("ns", namespace.to_string());
    entry.insert("redacted", false);
    entry.insert("command", doc! {});
    entry.extend(waits());
    Some(entry)
}

/// Who a client is, in the fields that operations and the profile share.
fn who(client: &Client) -> Document {
    if client.connection_id == 0 {
        return doc! { "desc": "mayfly" };
    }
    let mut who = doc! {
        "desc": format!("conn{}", client.connection_id),
        "connectionId": client.connection_id,
        "client": &client.address,
    };
    if let Some(name) = app_name(client) {
        who.insert("appName", name);
    }
    if let Some(metadata) = client.metadata() {
        who.insert("clientMetadata", metadata);
    }
    who
}

/// The application's name, as its client said it.
pub fn app_name(client: &Client) -> Option<String> {
    let metadata = client.metadata()?;
    Some(metadata.get_document("application").ok()?.get_str("name").ok()?.to_owned())
}

fn activity(opid: i32, now_ms: i64, took: Duration) -> Document {
    let micros = i64::try_from(took.as_micros()).unwrap_or(i64::MAX);
    doc! {
        "active": true,
        "currentOpTime": DateTime::from_millis(now_ms)
            .try_to_rfc3339_string()
            .unwrap_or_else(|_| now_ms.to_string()),
        "threaded": true,
        "opid": opid,
        "secs_running": i64::try_from(took.as_secs()).unwrap_or(i64::MAX),
        "microsecs_running": micros,
    }
}

/// Fields about locks, which operations never wait for here: readers have their own view.
fn waits() -> Document {
    doc! {
        "numYields": 0,
        "locks": {},
        "waitingForLock": false,
        "lockStats": {},
        "waitingForFlowControl": false,
        "flowControlStats": {},
    }
}

/// The value of a counter of milliseconds.
pub fn millis(took: Duration) -> Bson {
    shortest(u64::try_from(took.as_millis()).unwrap_or(u64::MAX))
}

/// Replaces the value of a secret field, as in MongoDB.
const SECRET_SHOWN: &str = "xxx";

/// The short fields of a document without those of `left_out`; the values of `secrets` are masked.
pub(super) fn short_fields(
    document: &RawDocument,
    left_out: &[&str],
    secrets: &[&str],
) -> RawDocumentBuf {
    let mut shown = RawDocumentBuf::new();
    for element in document.iter_elements().flatten() {
        let name = element.key();
        let bytes = shown.as_bytes().len().saturating_add(element.size());
        let is_short = bytes <= SHOWN_COMMAND_BYTES_MAX;
        // A long field is left out and not cut: a part of a value would look like another value.
        if left_out.contains(&name.as_str()) || !is_short {
            continue;
        }
        // Masked, because the profile stores refused commands too.
        if secrets.contains(&name.as_str()) {
            shown.append(name, SECRET_SHOWN);
        } else if let Ok(value) = element.value()
            && !is_deeper_than(value, DEPTH_MAX - 2)
        {
            shown.append(name, value);
        }
    }
    shown
}
