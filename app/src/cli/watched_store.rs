//! The watched part of a store, as `mayfly watch` reads it.

use std::sync::Arc;

use bson::{Bson, Document, doc};
use crossbeam_channel::Receiver;
use mayfly_engine::{
    clock::ClockStatus,
    reply::{ExpiringPage, ExpiringRow},
};

use super::{
    Failure,
    limits::{WATCH_COLLECTIONS_MAX, WATCH_DOCS_MAX},
    store::error_of,
};
use crate::{
    job::Event,
    shutdown::ShutdownSignal,
    source::{Namespace, Source},
    state::duration,
    worker::code::NAMESPACE_NOT_FOUND,
};

/// A document that will expire.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Countdown {
    pub namespace: Namespace,
    pub id: Bson,
    pub index: String,
    pub threshold_ms: i64,
}

/// Reads the watched part of a store.
#[derive(Clone)]
pub(super) struct Reader {
    pub source: Arc<dyn Source>,
    pub db: Option<String>,
    pub collection: Option<String>,
}

/// An open store, and the part of it that is watched.
pub(super) struct WatchedStore {
    pub reader: Reader,
    pub shutdown: ShutdownSignal,
    pub events: Receiver<Event>,
    /// What the window would call it.
    pub name: String,
    /// Its clock as it was opened.
    pub clock: ClockStatus,
    /// The watched collections, as last listed.
    namespaces: Vec<Namespace>,
}

impl WatchedStore {
    /// Lists the watched collections for the first time.
    pub(super) fn new(
        reader: Reader,
        shutdown: ShutdownSignal,
        events: Receiver<Event>,
        name: String,
        clock: ClockStatus,
    ) -> Result<Self, Failure> {
        let namespaces = reader.namespaces()?;
        Ok(Self { reader, shutdown, events, name, clock, namespaces })
    }

    /// Whether this collection is watched.
    pub(super) fn covers(&self, namespace: &Namespace) -> bool {
        self.reader.covers(namespace)
    }

    /// Lists the watched collections again.
    pub(super) fn list_namespaces(&mut self) -> Result<(), Failure> {
        self.namespaces = self.reader.namespaces()?;
        Ok(())
    }

    /// The documents that expire first, in order of their threshold.
    pub(super) fn next_to_expire(&self) -> Result<Vec<Countdown>, Failure> {
        self.reader.next_to_expire(&self.namespaces)
    }
}

impl Reader {
    /// Whether this collection is watched.
    pub(super) fn covers(&self, namespace: &Namespace) -> bool {
        self.db.as_ref().is_none_or(|db| *db == namespace.db)
            && self.collection.as_ref().is_none_or(|name| *name == namespace.collection)
    }

    /// The watched collections.
    pub(super) fn namespaces(&self) -> Result<Vec<Namespace>, Failure> {
        let found = self.command("admin", &doc! { "listDatabases": 1, "nameOnly": true })?;
        let mut namespaces = Vec::new();
        for database in documents(found.get_array("databases").ok()) {
            let Ok(db) = database.get_str("name") else { continue };
            let command = doc! {
                "listCollections": 1,
                "nameOnly": true,
                "filter": { "type": "collection" },
                "cursor": { "batchSize": WATCH_COLLECTIONS_MAX },
            };
            let found = self.command(db, &command)?;
            let batch = found.get_document("cursor").and_then(|it| it.get_array("firstBatch"));
            let names =
                documents(batch.ok()).filter_map(|collection| collection.get_str("name").ok());
            namespaces.extend(names.map(|name| Namespace::new(db, name)));
        }
        namespaces.retain(|namespace| self.covers(namespace));
        Ok(namespaces)
    }

    /// The documents of these collections that expire first, in order of their threshold.
    pub(super) fn next_to_expire(
        &self,
        namespaces: &[Namespace],
    ) -> Result<Vec<Countdown>, Failure> {
        let mut all = Vec::new();
        for namespace in namespaces {
            let command = doc! { "mayflyExpiring": &namespace.collection, "limit": WATCH_DOCS_MAX };
            let reply = self.source.run(&namespace.db, &command);
            // Dropped since it was listed; an event says so.
            if reply.get_i32("code").is_ok_and(|code| code == NAMESPACE_NOT_FOUND) {
                continue;
            }
            if let Some(message) = error_of(&reply) {
                return Err(Failure(format!("{namespace}: {message}.")));
            }
            let rows = ExpiringPage::from_document(&reply).unwrap_or_default().batch;
            all.extend(rows.into_iter().map(|row| countdown(namespace, row)));
        }
        all.sort_by_key(|countdown| countdown.threshold_ms);
        Ok(all)
    }

    /// Runs a command; an error is one sentence.
    pub(super) fn command(&self, db: &str, command: &Document) -> Result<Document, Failure> {
        let reply = self.source.run(db, command);
        error_of(&reply).map_or(Ok(reply), |message| Err(Failure(format!("{message}."))))
    }
}

fn documents(batch: Option<&Vec<Bson>>) -> impl Iterator<Item = &Document> {
    batch.into_iter().flatten().filter_map(Bson::as_document)
}

fn countdown(namespace: &Namespace, row: ExpiringRow) -> Countdown {
    let ExpiringRow { id, index, threshold_ms, .. } = row;
    Countdown { namespace: namespace.clone(), id, index, threshold_ms }
}

/// The time left until a threshold, or since then.
pub(super) fn time_left(left_ms: i64) -> String {
    if left_ms > 0 {
        duration::countdown(left_ms)
    } else {
        format!("overdue {}", duration::overdue(left_ms.saturating_neg()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_overdue_from_its_threshold_on() {
        for (left_ms, expected) in
            [(1, "00:01"), (0, "overdue +00:00"), (61_000, "01:01"), (-5_500, "overdue +00:05")]
        {
            assert_eq!(time_left(left_ms), expected);
        }
    }
}
