//! The profiler: which operations are written to `system.profile`, and the log's lines about slow
//! ones.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use bson::{
    Bson, DateTime, Document, RawDocumentBuf, doc,
    oid::ObjectId,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    log::{LogLine, Severity},
    metrics,
    operations::{RunningOperation, app_name, millis, short_fields},
};
use crate::{
    catalog::{Namespace, rules::CreateRequest},
    collection::WriteError,
    command::core::{Answer, Client, CommandError, Context, USERS_DB, as_integer, shortest},
    limits::{PROFILE_BYTES_MAX, SLOW_MS_DEFAULT},
    plan::StatementRecord,
    query::Filter,
};

/// The collection that a database's profile is written to.
pub const PROFILE_COLLECTION: &str = "system.profile";

/// The line of the log about a slow command; MongoDB's number.
const SLOW_QUERY_LOG_ID: i32 = 51_803;

/// The profiled databases, and the threshold of slow operations.
#[derive(Debug)]
pub struct Profiler {
    slow_ms: AtomicI64,
    state: Mutex<ProfilerState>,
}

#[derive(Debug)]
struct ProfilerState {
    databases: HashMap<String, ProfileSettings>,
    sample_rate: f64,
}

/// The profile of one database.
#[derive(Debug, Clone, Default)]
pub struct ProfileSettings {
    /// 0: nothing; 1: slow operations, or those that match the filter; 2: all.
    pub level: i32,
    /// Which operations, in place of slow ones.
    pub filter: Option<(Document, Filter)>,
}

struct EndedOperation<'e> {
    db: &'e str,
    number: i32,
    took: Duration,
}

impl Default for Profiler {
    fn default() -> Self {
        let state = ProfilerState { databases: HashMap::new(), sample_rate: 1.0 };
        Self { slow_ms: AtomicI64::new(SLOW_MS_DEFAULT), state: Mutex::new(state) }
    }
}

impl Profiler {
    pub fn settings(&self, db: &str) -> ProfileSettings {
        self.lock().databases.get(db).cloned().unwrap_or_default()
    }

    /// Changes the settings of a database. Level 0 without a filter forgets it.
    pub fn set(&self, db: &str, settings: ProfileSettings) {
        let mut state = self.lock();
        if settings.level == 0 && settings.filter.is_none() {
            state.databases.remove(db);
        } else {
            state.databases.insert(db.to_owned(), settings);
        }
    }

    /// Milliseconds from which an operation counts as slow.
    pub fn slow_ms(&self) -> i64 {
        self.slow_ms.load(Ordering::Relaxed)
    }

    /// Changes what counts as slow.
    pub fn set_slow_ms(&self, slow_ms: i64) {
        self.slow_ms.store(slow_ms, Ordering::Relaxed);
    }

    /// The part of slow operations that is noted, from 0 to 1.
    pub fn sample_rate(&self) -> f64 {
        self.lock().sample_rate
    }

    /// Changes the part of slow operations that is noted.
    pub fn set_sample_rate(&self, sample_rate: f64) {
        self.lock().sample_rate = sample_rate;
    }

    /// Whether something counts as slow.
    pub fn is_slow(&self, took: Duration) -> bool {
        i64::try_from(took.as_millis()).unwrap_or(i64::MAX) >= self.slow_ms()
    }

    /// Whether this operation is one of those that are noted of slow ones.
    fn is_sampled(&self, number: i32) -> bool {
        // The numbers of operations are spread evenly, so that a rate of a half takes any half.
        let spread = u64::from(number.unsigned_abs()).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let place = f64::from(u32::try_from(spread).unwrap_or(u32::MAX)) / f64::from(u32::MAX);
        // The highest place is 1, which a rate of 1 must include.
        place < self.sample_rate() || self.sample_rate() >= 1.0
    }

    /// Whether an operation is written; the entry is made only when its database has a profile.
    fn wants(
        &self,
        ended: &EndedOperation<'_>,
        entry: impl FnOnce() -> Document,
    ) -> Option<Document> {
        let settings = {
            let state = self.lock();
            state.databases.get(ended.db).filter(|settings| settings.level > 0).cloned()?
        };
        let entry = match settings {
            ProfileSettings { filter: Some((_, filter)), .. } => {
                let entry = entry();
                let raw = RawDocumentBuf::try_from(&entry).ok()?;
                return filter.matches(&raw).unwrap_or(false).then_some(entry);
            }
            ProfileSettings { level: 2, .. } => entry(),
            _ if self.is_slow(ended.took) && self.is_sampled(ended.number) => entry(),
            _ => return None,
        };
        Some(entry)
    }

    fn lock(&self) -> MutexGuard<'_, ProfilerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records a command that has ended: in the log when it was slow, in the profile when its level
/// asks for it. `statements` are those of an update or delete: each has its own entry.
pub fn note<'s>(
    context: &Context,
    db: &str,
    (running, statements): (&RunningOperation, impl FnOnce() -> Vec<&'s RawDocument>),
    answer: &Answer,
) {
    let took = running.took();
    let profiler = &context.profiler;
    if profiler.is_slow(took) && profiler.is_sampled(running.opid) {
        context.log.write(&slow_line(context, running, answer, took));
    }
    if profiler.settings(db).level == 0 {
        return;
    }
    let done = running.operation.take_statements();
    let signed = |mut entry: Document| {
        entry.insert("ts", DateTime::from_millis(context.now_ms()));
        entry.extend(sender(&running.client));
        entry
    };
    let statements = statements();
    if answer.is_err() || statements.is_empty() {
        let ended = EndedOperation { db, number: running.opid, took };
        let entry = profiler.wants(&ended, || signed(measured(running, answer, took)));
        return write(context, db, entry.into_iter().collect());
    }
    let mut before = StatementRecord { ended: running.began, ..StatementRecord::default() };
    let mut entries = Vec::new();
    for (statement, done) in statements.into_iter().zip(done) {
        let took = done.ended.saturating_sub(before.ended);
        let ended = EndedOperation { db, number: running.opid, took };
        let measured = || signed(measured_statement(running, statement, (before, done)));
        entries.extend(profiler.wants(&ended, measured));
        before = done;
    }
    write(context, db, entries);
}

/// Notes an operation that no client sent.
pub fn note_own(context: &Context, db: &str, took: Duration, entry: impl FnOnce() -> Document) {
    let ended = EndedOperation { db, number: 0, took };
    if let Some(mut entry) = context.profiler.wants(&ended, entry) {
        entry.insert("ts", DateTime::from_millis(context.now_ms()));
        entry.extend(sender(&Client::default()));
        write(context, db, vec![entry]);
    }
}

/// Creates the profile collection if it is missing.
///
/// # Errors
/// When the store fails or the database's name is refused.
pub fn create_collection(context: &Context, db: &str) -> Result<(), CommandError> {
    let namespace = Namespace::checked(db, PROFILE_COLLECTION)?;
    if context.collections.catalog().collection(&namespace).is_some() {
        return Ok(());
    }
    // Capped, so that a profile that was forgotten can't fill the disk.
    let options = doc! { "capped": true, "size": PROFILE_BYTES_MAX };
    Ok(context.collections.create(&CreateRequest { namespace, options })?)
}

fn write(context: &Context, db: &str, entries: Vec<Document>) {
    // Errors are ignored from here on: an entry is lost, but the operation itself has ended well.
    let documents = entries.into_iter().filter_map(|entry| {
        let mut document = doc! { "_id": ObjectId::new() };
        document.extend(entry);
        RawDocumentBuf::try_from(&document).ok()
    });
    let documents: Vec<RawDocumentBuf> = documents.collect();
    if documents.is_empty() || create_collection(context, db).is_err() {
        return;
    }
    let Ok(namespace) = Namespace::checked(db, PROFILE_COLLECTION) else { return };
    // Written past the commands, because a command would be profiled again.
    let _ = context.collections.write(|writer| match writer.collection(&namespace) {
        None => Ok::<_, WriteError>(()),
        Some(collection) => {
            documents.iter().try_for_each(|document| writer.insert(&collection, document).map(drop))
        }
    });
}

/// The measurements of an operation.
fn measured(running: &RunningOperation, answer: &Answer, took: Duration) -> Document {
    let (keys, docs) = running.operation.examined();
    let mut entry = doc! {
        "op": running.kind,
        "ns": &running.ns,
        "command": Document::try_from(&*running.command).unwrap_or_default(),
        "keysExamined": shortest(keys),
        "docsExamined": shortest(docs),
    };
    match answer {
        Ok(reply) => entry.extend(outcome(running, reply)),
        Err(error) => entry.extend(doc! {
            "ok": 0.0,
            "errMsg": &error.message,
            "errName": error.code.name().into_owned(),
            "errCode": error.code.0,
        }),
    }
    entry.extend(doc! { "numYield": 0, "locks": {}, "flowControl": {} });
    if let Ok(reply) = answer {
        entry.insert("responseLength", shortest(reply.as_bytes().len() as u64));
    }
    entry.insert("protocol", "op_msg");
    entry.insert("millis", millis(took));
    if let Some(summary) = running.operation.plan_summary() {
        entry.insert("planSummary", summary);
    }
    entry
}

/// The measurements of one statement of an update or delete, from what the operation had done before
/// it and after it.
fn measured_statement(
    running: &RunningOperation,
    statement: &RawDocument,
    (before, done): (StatementRecord, StatementRecord),
) -> Document {
    let since = |after: u64, before: u64| shortest(after.saturating_sub(before));
    let mut command = Document::try_from(&*short_fields(statement, &[], &[])).unwrap_or_default();
    let is_delete = running.kind == "remove";
    for (name, default) in [("multi", false), ("upsert", false)] {
        if !is_delete && !command.contains_key(name) {
            command.insert(name, default);
        }
    }
    let mut entry = doc! {
        "op": running.kind,
        "ns": &running.ns,
        "command": command,
        "keysExamined": since(done.examined.0, before.examined.0),
        "docsExamined": since(done.examined.1, before.examined.1),
    };
    if is_delete {
        entry.insert("ndeleted", shortest(done.matched));
    } else {
        entry.insert("nMatched", shortest(done.matched));
        entry.insert("nModified", shortest(done.changed));
        entry.insert("nUpserted", i32::from(done.is_upsert));
    }
    entry.extend(doc! { "numYield": 0, "locks": {}, "flowControl": {} });
    entry.insert("millis", millis(done.ended.saturating_sub(before.ended)));
    if let Some(summary) = running.operation.plan_summary() {
        entry.insert("planSummary", summary);
    }
    entry
}

/// The numbers of a reply under the names that the profile has for them.
fn outcome(running: &RunningOperation, reply: &RawDocument) -> Document {
    let number = |field: &str| {
        let value = reply.get(field).ok().flatten().and_then(as_integer).unwrap_or(0);
        shortest(u64::try_from(value).unwrap_or(0))
    };
    match running.kind {
        "insert" => doc! { "ninserted": number("n") },
        "remove" => doc! { "ndeleted": number("n") },
        "update" => doc! { "nMatched": number("n"), "nModified": number("nModified") },
        _ => {
            let mut counts = doc! {};
            if let Ok(Some(RawBsonRef::Document(cursor))) = reply.get("cursor") {
                counts.insert("nreturned", shortest(metrics::returned(reply)));
                match cursor.get("id").ok().flatten().and_then(as_integer) {
                    Some(0) => counts.insert("cursorExhausted", true),
                    Some(id) => counts.insert("cursorid", id),
                    None => None,
                };
            }
            counts
        }
    }
}

fn sender(client: &Client) -> Document {
    let user = client.user();
    let all_users: Vec<Bson> =
        user.iter().map(|user| doc! { "user": user, "db": USERS_DB }.into()).collect();
    let mut sender = doc! { "client": client.address.split(':').next().unwrap_or_default() };
    if let Some(name) = app_name(client) {
        sender.insert("appName", name);
    }
    sender.insert("allUsers", all_users);
    sender.insert("user", user.map(|user| format!("{user}@{USERS_DB}")).unwrap_or_default());
    sender
}

/// A line about a slow command.
fn slow_line(
    context: &Context,
    running: &RunningOperation,
    answer: &Answer,
    took: Duration,
) -> LogLine {
    let (keys, docs) = running.operation.examined();
    let mut attributes = doc! { "type": running.kind, "ns": &running.ns };
    if let Some(name) = app_name(&running.client) {
        attributes.insert("appName", name);
    }
    // Only the command's name: the log holds no documents.
    let name = running.command.iter().next().and_then(Result::ok);
    attributes.insert("command", name.map_or("", |(name, _)| name.as_str()));
    if let Some(summary) = running.operation.plan_summary() {
        attributes.insert("planSummary", summary);
    }
    attributes.insert("keysExamined", shortest(keys));
    attributes.insert("docsExamined", shortest(docs));
    match answer {
        Ok(reply) => {
            attributes.insert("nreturned", shortest(metrics::returned(reply)));
            attributes.insert("reslen", shortest(reply.as_bytes().len() as u64));
        }
        Err(error) => {
            attributes.insert("errName", error.code.name().into_owned());
            attributes.insert("errCode", error.code.0);
        }
    }
    attributes.insert("remote", &running.client.address);
    attributes.insert("durationMillis", millis(took));
    LogLine {
        at_ms: context.now_ms(),
        severity: Severity::Info,
        component: "COMMAND",
        id: SLOW_QUERY_LOG_ID,
        context: format!("conn{}", running.client.connection_id),
        message: "Slow query",
        attributes,
    }
}
