//! The watched part of a store or of a server, as `mayfly watch` reads it.
//!
//! Documents are in the window's own model, one view for each collection, so that the terminal says of a
//! server's documents just what the window says.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bson::{Bson, Document, doc};
use crossbeam_channel::Receiver;
use mayfly_engine::clock::ClockStatus;

use super::{
    Failure,
    limits::{
        READ_MIN, READ_REST_FACTOR, SERVER_READS_APART, WATCH_COLLECTIONS_MAX, WATCH_DOCS_MAX,
    },
};
use crate::job::reply::batch;
use crate::{
    commands,
    job::{Attached, Event},
    limits::SERVER_POLL,
    shutdown::ShutdownSignal,
    source::{Namespace, Source},
    state::{
        Zone,
        connect::Connection,
        duration,
        expiry::{ExpiryView, Lane},
        store::Next,
    },
    worker::{Reply, code::NAMESPACE_NOT_FOUND},
};

/// Databases of a server's own.
const SYSTEM_DATABASES: [&str; 3] = ["admin", "config", "local"];

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub sentence: String,
    /// Whether no answer came from the server.
    pub is_silent: bool,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self(refusal.sentence)
    }
}

/// The documents of a collection that expire first, as they were asked for and answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Page {
    pub namespace: Namespace,
    pub command: Document,
    pub reply: Document,
}

/// Reads the watched part of a store.
#[derive(Clone)]
pub(super) struct Reader {
    pub source: Arc<dyn Source>,
    pub db: Option<String>,
    pub collection: Option<String>,
    pub is_server: bool,
}

/// The watched documents as they were read last.
#[derive(Default)]
pub(super) struct Watched {
    views: BTreeMap<Namespace, ExpiryView>,
    /// Collections that have TTL rules.
    ruled: u32,
    /// The server; `None` for a store on this machine, which reports what it removes.
    pub connection: Option<Connection>,
}

impl Watched {
    /// Nothing was read yet. `now_ms` is the time of the store, in milliseconds since 1970.
    pub(super) fn new(attached: Option<Box<Attached>>, now_ms: i64) -> Self {
        let mut connection = attached.map(Connection::new);
        if let Some(connection) = &mut connection {
            connection.note_answer(Duration::ZERO, now_ms);
        }
        Self { connection, ..Self::default() }
    }

    /// Takes the documents that expire first, at `now_ms` of the store's time. Returns those of a server
    /// that are gone since they were read before, the earliest first.
    pub(super) fn take(&mut self, pages: Vec<Page>, now_ms: i64) -> Vec<(Namespace, Lane)> {
        let is_told = self.connection.is_none();
        self.views.retain(|known, _| pages.iter().any(|page| page.namespace == *known));
        self.ruled = 0;
        let mut gone = Vec::new();
        for Page { namespace, command, reply } in pages {
            self.ruled += u32::from(Next::of(&reply) != Next::NoTtl);
            let view = self.views.entry(namespace.clone()).or_default();
            let look = view.take_look(&command, &reply, now_ms, is_told);
            // The terminal has one ledger for all collections.
            let removed = std::mem::take(&mut view.ledger).into_iter().rev();
            gone.extend(removed.map(|lane| (namespace.clone(), lane)));
            if let (Some((from_ms, to_ms)), Some(connection)) = (look.pass, &mut self.connection) {
                connection.monitor.note_removal(from_ms, to_ms);
            }
        }
        gone
    }

    /// The documents that wait, in order of their threshold.
    pub(super) fn soonest(&self) -> Vec<(&Namespace, &Lane)> {
        let lanes = |(namespace, view)| {
            let view: &ExpiryView = view;
            view.lanes.iter().filter(|it| it.removed_ms.is_none()).map(move |it| (namespace, it))
        };
        let mut all: Vec<_> = self.views.iter().flat_map(lanes).collect();
        all.sort_by_key(|(_, lane)| lane.threshold_ms);
        all
    }

    /// Notes whether the server answered, at this uptime and time of the server. Returns whether it does
    /// again.
    pub(super) fn note<T>(
        &mut self,
        found: &Result<T, Refusal>,
        uptime: Duration,
        now_ms: i64,
    ) -> bool {
        let Some(connection) = &mut self.connection else { return false };
        let was_silent = connection.is_silent;
        match found {
            Err(refusal) if refusal.is_silent => connection.is_silent = true,
            // A refusal is an answer too.
            Ok(_) | Err(_) => connection.note_answer(uptime, now_ms),
        }
        was_silent && !connection.is_silent
    }

    /// Since when the server does not answer, in one sentence.
    pub(super) fn silence(&self) -> Option<String> {
        let silence = self.connection.as_ref()?.silence(Zone::Utc)?;
        Some(format!("{silence}: documents may have been removed"))
    }

    /// How long the documents are not read again after a read that took so long. A server of many
    /// collections is asked for one a second at most.
    pub(super) fn rest_after(&self, took: Duration) -> Duration {
        let rest = took.saturating_mul(READ_REST_FACTOR);
        if self.connection.is_none() {
            return rest.max(READ_MIN);
        }
        rest.max(SERVER_POLL).max(SERVER_READS_APART.saturating_mul(self.ruled))
    }
}

/// An open store, and the part of it that is watched.
pub(super) struct WatchedStore {
    pub reader: Reader,
    pub shutdown: ShutdownSignal,
    pub events: Receiver<Event>,
    /// The name that the window would show.
    pub name: String,
    /// Its clock as it was opened.
    pub clock: ClockStatus,
    pub watched: Watched,
    /// The watched collections, as last listed.
    namespaces: Vec<Namespace>,
}

impl WatchedStore {
    /// Lists the watched collections for the first time.
    pub(super) fn new(
        reader: Reader,
        watched: Watched,
        (shutdown, events): (ShutdownSignal, Receiver<Event>),
        (name, clock): (String, ClockStatus),
    ) -> Result<Self, Failure> {
        let namespaces = reader.namespaces()?;
        Ok(Self { reader, shutdown, events, name, clock, watched, namespaces })
    }

    pub(super) fn covers(&self, namespace: &Namespace) -> bool {
        self.reader.covers(namespace)
    }

    /// Lists the watched collections again.
    pub(super) fn list_namespaces(&mut self) -> Result<(), Refusal> {
        self.namespaces = self.reader.namespaces()?;
        Ok(())
    }

    /// Reads the documents again. Returns those of a server that are gone since the last time.
    pub(super) fn read(&mut self, uptime: Duration) -> Result<Vec<(Namespace, Lane)>, Refusal> {
        let found = self.reader.next_to_expire(&self.namespaces);
        let now_ms = self.reader.source.now_ms();
        self.watched.note(&found, uptime, now_ms);
        Ok(self.watched.take(found?, now_ms))
    }
}

impl Reader {
    pub(super) fn covers(&self, namespace: &Namespace) -> bool {
        self.db.as_ref().is_none_or(|db| *db == namespace.db)
            && self.collection.as_ref().is_none_or(|name| *name == namespace.collection)
    }

    /// The watched collections.
    pub(super) fn namespaces(&self) -> Result<Vec<Namespace>, Refusal> {
        let mut namespaces = Vec::new();
        for db in self.databases()? {
            let mut command = doc! {
                "listCollections": 1,
                "nameOnly": true,
                "filter": { "type": "collection" },
                "cursor": { "batchSize": WATCH_COLLECTIONS_MAX },
            };
            if self.is_server {
                // All that a user without the right to list may see.
                command.insert("authorizedCollections", true);
            }
            let found = self.command(&db, &command)?;
            let names = batch(&found).filter_map(|collection| collection.get_str("name").ok());
            namespaces.extend(names.map(|name| Namespace::new(&db, name)));
        }
        namespaces.retain(|namespace| self.covers(namespace));
        Ok(namespaces)
    }

    /// The watched databases: the named one, or all but those of a server's own.
    fn databases(&self) -> Result<Vec<String>, Refusal> {
        if let Some(db) = &self.db {
            return Ok(vec![db.clone()]);
        }
        let found = self.command("admin", &doc! { "listDatabases": 1, "nameOnly": true })?;
        let names = documents(found.get_array("databases").ok());
        let names = names.filter_map(|database| database.get_str("name").ok());
        let is_watched = |name: &&str| !self.is_server || !SYSTEM_DATABASES.contains(name);
        Ok(names.filter(is_watched).map(str::to_owned).collect())
    }

    /// The documents of these collections that expire first.
    pub(super) fn next_to_expire(&self, namespaces: &[Namespace]) -> Result<Vec<Page>, Refusal> {
        let mut pages = Vec::new();
        for namespace in namespaces {
            let command =
                commands::expiry::expiring(&namespace.collection, WATCH_DOCS_MAX.into(), None);
            let reply = self.reply(&namespace.db, &command);
            // Dropped since it was listed.
            if reply.failed_with(NAMESPACE_NOT_FOUND) {
                continue;
            }
            let reply = result(reply).map_err(|refusal| Refusal {
                sentence: format!("{namespace}: {}", refusal.sentence),
                ..refusal
            })?;
            pages.push(Page { namespace: namespace.clone(), command, reply });
        }
        Ok(pages)
    }

    /// Runs a command; an error is one sentence.
    pub(super) fn command(&self, db: &str, command: &Document) -> Result<Document, Refusal> {
        result(self.reply(db, command))
    }

    fn reply(&self, db: &str, command: &Document) -> Reply {
        let reply = self.source.run(db, command);
        Reply::new(db.to_owned(), command.clone(), Ok(reply), 0)
    }
}

fn result(reply: Reply) -> Result<Document, Refusal> {
    let is_silent = reply.is_without_answer();
    reply.result.map_err(|sentence| Refusal { sentence: format!("{sentence}."), is_silent })
}

fn documents(batch: Option<&Vec<Bson>>) -> impl Iterator<Item = &Document> {
    batch.into_iter().flatten().filter_map(Bson::as_document)
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
pub(super) mod samples {
    use crossbeam_channel::never;
    use mayfly_tests::documentdb::DocumentDb;

    use super::*;
    use crate::{cli::server::attached, job::ConnectionString};

    /// A server as the program watches it.
    pub(in crate::cli) fn of_server(server: &DocumentDb) -> WatchedStore {
        let text = format!("{}&serverSelectionTimeoutMS=3000", server.uri());
        let string = ConnectionString::read(&text).expect("a string");
        let opened = attached(&string).expect("attached");
        let reader = Reader { source: opened.source, db: None, collection: None, is_server: true };
        let watched = Watched::new(opened.attached, opened.clock.now_ms);
        let channels = (ShutdownSignal::unrequested(), never());
        let store = WatchedStore::new(reader, watched, channels, (opened.name, opened.clock));
        store.map_err(|failure| failure.0).expect("its collections are listed")
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
