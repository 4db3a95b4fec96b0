//! `mayfly watch`: the expiry view in a terminal.

use std::{io::IsTerminal as _, sync::Arc, thread};

use bson::{Bson, Document, doc};
use crossbeam_channel::{Receiver, bounded};
use mayfly_engine::{
    reply::{ExpiringPage, ExpiringRow},
    value::{Layout, shell::write_value},
};

use super::{
    Failure,
    args::Watch,
    limits::{WATCH_COLLECTIONS_MAX, WATCH_DOCS_MAX, WATCH_QUEUE_MAX},
    store::{check_exists, error_of},
    walk::itself,
    watch_lines, watch_screen,
};
use crate::{
    job::Event,
    shutdown::ShutdownSignal,
    source::{
        Events, Namespace, OpenRequest, Source,
        embedded::{first_request, opener},
    },
    state::duration,
    worker::code::NAMESPACE_NOT_FOUND,
};

/// A document that will expire.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Countdown {
    pub namespace: Namespace,
    pub id: String,
    pub index: String,
    pub threshold_ms: i64,
}

/// An open store, and the part of it that is watched.
pub(super) struct WatchedStore<'w> {
    source: Arc<dyn Source>,
    pub shutdown: ShutdownSignal,
    pub events: Receiver<Event>,
    args: &'w Watch,
    /// The watched collections, as last listed.
    namespaces: Vec<Namespace>,
}

/// Shows when documents expire until a signal arrives or, without a terminal, no document is left
/// to expire.
pub(super) fn run(args: &Watch) -> Result<(), Failure> {
    let shutdown = ShutdownSignal::listen().map_err(Failure::from_error)?;
    if let Some(folder) = &args.data {
        check_exists(folder)?;
    }
    let request = first_request(OpenRequest {
        folder: args.data.clone(),
        demo: args.demo,
        walker: itself(),
        ..OpenRequest::default()
    });
    let opened = opener()(&request).map_err(Failure::from_error)?;
    for warning in &opened.warnings {
        eprintln!("{warning}");
    }
    for advice in &opened.advice {
        eprintln!("Warning: {}", advice.sentence);
    }
    let source = opened.source;
    let shown = watch(args, Arc::clone(&source), shutdown);
    source.close();
    shown
}

fn watch(args: &Watch, source: Arc<dyn Source>, shutdown: ShutdownSignal) -> Result<(), Failure> {
    let events = forward(source.subscribe())?;
    let mut store = WatchedStore { source, shutdown, events, args, namespaces: Vec::new() };
    store.list_namespaces()?;
    if std::io::stdout().is_terminal() {
        watch_screen::run(&mut store)
    } else {
        watch_lines::run(&mut store)
    }
}

/// Moves events to a channel, so that waiting for one can time out. The thread ends with the
/// source.
fn forward(mut events: Events) -> Result<Receiver<Event>, Failure> {
    let (sender, receiver) = bounded(WATCH_QUEUE_MAX);
    thread::Builder::new()
        .name("watch-events".to_owned())
        .spawn(move || while events.next().is_some_and(|event| sender.send(event).is_ok()) {})
        .map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
    Ok(receiver)
}

impl WatchedStore<'_> {
    /// Whether this collection is watched.
    pub(super) fn covers(&self, namespace: &Namespace) -> bool {
        self.args.db.as_ref().is_none_or(|db| *db == namespace.db)
            && self.args.collection.as_ref().is_none_or(|name| *name == namespace.collection)
    }

    /// Lists the watched collections again.
    pub(super) fn list_namespaces(&mut self) -> Result<(), Failure> {
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
        self.namespaces = namespaces;
        Ok(())
    }

    /// The documents that expire first, in order of their threshold.
    pub(super) fn next_to_expire(&self) -> Result<Vec<Countdown>, Failure> {
        let mut all = Vec::new();
        for namespace in &self.namespaces {
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

    /// The store's time, in milliseconds since 1970.
    pub(super) fn now_ms(&self) -> Result<i64, Failure> {
        let reply = self.command("admin", &doc! { "mayflyClock": 1 })?;
        let now = reply.get_datetime("now").map_err(Failure::from_error)?;
        Ok(now.timestamp_millis())
    }

    fn command(&self, db: &str, command: &Document) -> Result<Document, Failure> {
        let reply = self.source.run(db, command);
        error_of(&reply).map_or(Ok(reply), |message| Err(Failure(format!("{message}."))))
    }
}

fn documents(batch: Option<&Vec<Bson>>) -> impl Iterator<Item = &Document> {
    batch.into_iter().flatten().filter_map(Bson::as_document)
}

fn countdown(namespace: &Namespace, row: ExpiringRow) -> Countdown {
    Countdown {
        namespace: namespace.clone(),
        id: write_value(&row.id, Layout::OneLine),
        index: row.index,
        threshold_ms: row.threshold_ms,
    }
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
