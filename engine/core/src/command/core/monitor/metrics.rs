//! Counters since the engine was opened, for `serverStatus`.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use bson::{
    Bson, Document, doc,
    raw::{RawBsonRef, RawDocument},
};

use crate::{
    command::core::{Code, CommandError, as_integer, shortest},
    value::field::Fields,
};

/// A counter. Only those of open things go down.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// Subtracts one that was added before.
    pub fn subtract_one(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Adds one until the guard is dropped.
    pub fn raised(&self) -> CounterGuard<'_> {
        self.add(1);
        CounterGuard(self)
    }

    /// Sets it, if it is a bound and not a count.
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Its value as MongoDB shows counters.
    fn long(&self) -> Bson {
        Bson::Int64(i64::try_from(self.get()).unwrap_or(i64::MAX))
    }
}

/// Subtracts one from its counter when dropped.
pub struct CounterGuard<'n>(&'n Counter);

impl Drop for CounterGuard<'_> {
    fn drop(&mut self) {
        self.0.subtract_one();
    }
}

/// All counters of the commands and the listener.
#[derive(Debug, Default)]
pub struct Metrics {
    pub connections: ConnectionCounts,
    pub network: NetworkCounts,
    pub operations: OperationCounts,
    /// Documents that commands returned or changed.
    pub documents: DocumentCounts,
    pub user_asserts: Counter,
    /// Searches and sorts that ended because of a time limit.
    pub timed_out: Counter,
    pub unknown_commands: Counter,
    /// How often each command was sent, and how often it failed.
    commands: BTreeMap<&'static str, (Counter, Counter)>,
}

/// Connections of the listener.
#[derive(Debug, Default)]
pub struct ConnectionCounts {
    /// The most that may be open; 0 before anything listens.
    pub max: Counter,
    pub current: Counter,
    /// Of those, the ones with a running command.
    pub active: Counter,
    pub total_created: Counter,
    /// Refused because too many were open.
    pub rejected: Counter,
}

/// Bytes and messages of the listener.
#[derive(Debug, Default)]
pub struct NetworkCounts {
    pub bytes_in: Counter,
    pub bytes_out: Counter,
    pub requests: Counter,
}

/// Work by kind, as MongoDB's `opcounters` counts it: writes by statement, reads by command.
#[derive(Debug, Default)]
pub struct OperationCounts {
    pub insert: Counter,
    /// `find`.
    pub query: Counter,
    pub update: Counter,
    pub delete: Counter,
    /// `getMore`.
    pub get_more: Counter,
    pub command: Counter,
}

/// Documents that commands returned or changed.
#[derive(Debug, Default)]
pub struct DocumentCounts {
    pub inserted: Counter,
    pub returned: Counter,
    pub updated: Counter,
    pub deleted: Counter,
}

impl Metrics {
    /// All zero, for the commands with these names.
    pub fn new(names: impl IntoIterator<Item = &'static str>) -> Self {
        let commands = names.into_iter().map(|name| (name, Default::default())).collect();
        Self { commands, ..Self::default() }
    }

    /// Counts a command that begins. `name` is its name in the table.
    pub fn begin(&self, name: &str, command: &RawDocument) {
        if let Some((total, _)) = self.commands.get(name) {
            total.add(1);
        }
        let operations = &self.operations;
        match name {
            "insert" => operations.insert.add(length(command, "documents")),
            "update" => operations.update.add(length(command, "updates")),
            "delete" => operations.delete.add(length(command, "deletes")),
            "find" => operations.query.add(1),
            "getMore" => operations.get_more.add(1),
            _ => operations.command.add(1),
        }
    }

    /// Counts how a command ended.
    pub fn end(&self, name: &str, answer: Result<&RawDocument, &CommandError>) {
        let reply = match answer {
            Ok(reply) => reply,
            Err(error) => {
                if let Some((_, failed)) = self.commands.get(name) {
                    failed.add(1);
                }
                self.user_asserts.add(1);
                if error.code == Code::MAX_TIME_MS_EXPIRED {
                    self.timed_out.add(1);
                }
                return;
            }
        };
        let documents = &self.documents;
        match name {
            "insert" => documents.inserted.add(number(reply, "n")),
            "update" => documents.updated.add(number(reply, "nModified")),
            "delete" => documents.deleted.add(number(reply, "n")),
            "bulkWrite" => {
                documents.inserted.add(number(reply, "nInserted"));
                documents.updated.add(number(reply, "nModified"));
                documents.deleted.add(number(reply, "nDeleted"));
            }
            // They count while they write the batch.
            "find" | "getMore" => {}
            _ => documents.returned.add(returned(reply)),
        }
    }

    /// `opcounters`
    pub fn opcounters(&self) -> Document {
        let counts = &self.operations;
        doc! {
            "insert": counts.insert.long(),
            "query": counts.query.long(),
            "update": counts.update.long(),
            "delete": counts.delete.long(),
            "getmore": counts.get_more.long(),
            "command": counts.command.long(),
        }
    }

    /// `connections`
    pub fn connections(&self) -> Document {
        let counts = &self.connections;
        let (current, max) = (counts.current.get(), counts.max.get());
        doc! {
            "current": shortest(current),
            "available": shortest(max.saturating_sub(current)),
            "totalCreated": counts.total_created.long(),
            "rejected": counts.rejected.long(),
            "active": shortest(counts.active.get()),
        }
    }

    /// `network`
    pub fn network(&self) -> Document {
        let counts = &self.network;
        doc! {
            "bytesIn": counts.bytes_in.long(),
            "bytesOut": counts.bytes_out.long(),
            "numRequests": counts.requests.long(),
        }
    }

    /// `metrics.document`
    pub fn documents(&self) -> Document {
        let counts = &self.documents;
        doc! {
            "deleted": counts.deleted.long(),
            "inserted": counts.inserted.long(),
            "returned": counts.returned.long(),
            "updated": counts.updated.long(),
        }
    }

    /// `metrics.commands`: one entry for each command of the table, and one for unknown names.
    pub fn commands(&self) -> Document {
        let mut entries = doc! { "<UNKNOWN>": self.unknown_commands.long() };
        for (name, (total, failed)) in &self.commands {
            entries.insert(*name, doc! { "failed": failed.long(), "total": total.long() });
        }
        entries
    }
}

/// How many documents a reply of a cursor holds.
pub fn returned(reply: &RawDocument) -> u64 {
    let Ok(Some(RawBsonRef::Document(cursor))) = reply.get("cursor") else { return 0 };
    match length(cursor, "firstBatch") {
        0 => length(cursor, "nextBatch"),
        first => first,
    }
}

fn length(document: &RawDocument, field: &str) -> u64 {
    match document.get(field) {
        Ok(Some(RawBsonRef::Array(array))) => Fields::of_array(array).count() as u64,
        _ => 0,
    }
}

fn number(reply: &RawDocument, field: &str) -> u64 {
    let value = reply.get(field).ok().flatten().and_then(as_integer);
    value.and_then(|value| u64::try_from(value).ok()).unwrap_or(0)
}
