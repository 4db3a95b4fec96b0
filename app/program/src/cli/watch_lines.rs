//! Watching without a terminal: one line per event.

use std::{sync::Arc, time::Duration};

use bson::doc;
use mayfly_engine::{
    clock::{Clock as _, SystemClock},
    value::{Layout, shell::write_value},
};

use super::{
    Failure,
    limits::{POLL_INTERVAL, SERVER_LIST_AGE},
    watched_store::WatchedStore,
};
use crate::{
    job::{Event, Namespace, invisible::with_marks},
    state::{Zone, duration, expiry::Lane},
};

/// Prints events until a signal arrives or no document is left to expire.
pub(super) fn run(store: &mut WatchedStore) -> Result<(), Failure> {
    let uptime = || SystemClock.monotonic();
    let source = Arc::clone(&store.reader.source);
    // A server that is silent must not keep the program.
    store.shutdown.wake_with(move || source.leave());
    let (mut check, mut is_first) = (true, true);
    let (mut next_look, mut next_list) = (Duration::ZERO, uptime() + SERVER_LIST_AGE);
    while !store.shutdown.is_requested() {
        if std::mem::take(&mut check) {
            let asked = uptime();
            let found = look(store, asked);
            if store.shutdown.is_requested() {
                return Ok(());
            }
            for line in found? {
                print(&line);
            }
            next_look = uptime() + store.watched.rest_after(uptime().saturating_sub(asked));
            let soonest = store.watched.soonest();
            if let Some((namespace, lane)) = soonest.first().filter(|_| is_first) {
                print(&next_to_expire(namespace, lane));
            }
            is_first = false;
            if soonest.is_empty() && store.watched.silence().is_none() {
                println!("no more documents to expire");
                return Ok(());
            }
        }
        let Ok(event) = store.events.recv_timeout(POLL_INTERVAL) else {
            // A server reports nothing by itself.
            check = store.reader.is_server && next_look <= uptime();
            if check && next_list <= uptime() && store.watched.silence().is_none() {
                next_list = uptime() + SERVER_LIST_AGE;
                list_again(store)?;
            }
            continue;
        };
        check = matches!(event, Event::PassFinished(_)) || changes_catalog(&event);
        if changes_catalog(&event) {
            store.list_namespaces()?;
        }
        for line in lines(store, &event) {
            print(&line);
        }
    }
    Ok(())
}

/// Reads the clock of a server, and lists its collections. The look that follows says that it is silent.
fn list_again(store: &mut WatchedStore) -> Result<(), Failure> {
    let greeted = store.reader.command("admin", &doc! { "hello": 1 });
    match greeted.and_then(|_| store.list_namespaces()) {
        Err(refusal) if !refusal.is_silent => Err(refusal.into()),
        _ => Ok(()),
    }
}

/// Reads the documents again. Returns lines about what a server does not report: documents that are gone,
/// and its silence.
fn look(store: &mut WatchedStore, uptime: Duration) -> Result<Vec<String>, Failure> {
    let was_silent = store.watched.silence().is_some();
    match store.read(uptime) {
        Ok(gone) => {
            let back = was_silent.then(|| "the server answers again".to_owned());
            let gone = gone.iter().map(|(namespace, lane)| gone_line(namespace, lane));
            Ok(back.into_iter().chain(gone).collect())
        }
        Err(refusal) if refusal.is_silent => {
            let silence = store.watched.silence().filter(|_| !was_silent);
            Ok(silence.into_iter().collect())
        }
        Err(refusal) => Err(refusal.into()),
    }
}

fn next_to_expire(namespace: &Namespace, lane: &Lane) -> String {
    let at = Zone::Utc.date_time(lane.threshold_ms);
    format!("next to expire: {namespace} {} at {at}", write_value(&lane.id, Layout::OneLine))
}

fn gone_line(namespace: &Namespace, lane: &Lane) -> String {
    format!(
        "{} gone {namespace} {} by {}, {} after expiration",
        Zone::Utc.date_time(lane.removed_ms.unwrap_or(lane.threshold_ms)),
        write_value(&lane.id, Layout::OneLine),
        lane.index,
        lane.lag_figure()
    )
}

/// Prints data without the characters that a terminal would act on.
fn print(line: &str) {
    println!("{}", with_marks(line));
}

/// Whether the watched collections may have changed.
fn changes_catalog(event: &Event) -> bool {
    matches!(event, Event::CatalogChanged | Event::Missed(_))
}

/// The lines that describe an event.
fn lines(store: &WatchedStore, event: &Event) -> Vec<String> {
    match event {
        Event::PassStarted { number, at_ms } => {
            vec![format!("{} pass {number} started", Zone::Utc.date_time(*at_ms))]
        }
        Event::PassFinished(pass) => {
            let at = Zone::Utc.date_time(pass.finished_ms);
            vec![format!("{at} pass {} finished: {} removed", pass.number, pass.deleted)]
        }
        Event::Removed { documents, more } => {
            let shown = documents.iter().filter(|removed| store.covers(&removed.namespace));
            let mut lines: Vec<String> = shown
                .map(|removed| {
                    format!(
                        "{} removed {} {} by {}, {} after expiration",
                        Zone::Utc.date_time(removed.removed_ms),
                        removed.namespace,
                        write_value(&removed.id, Layout::OneLine),
                        removed.index,
                        duration::span(removed.lag_ms())
                    )
                })
                .collect();
            if *more > 0 {
                lines.push(format!("and {} more", crate::state::number::count(*more)));
            }
            lines
        }
        Event::ReaperScheduled { next_pass_ms: Some(next_ms), enabled: true } => {
            vec![format!("next pass at {}", Zone::Utc.date_time(*next_ms))]
        }
        Event::HeldChanged { reason: Some(reason) } => vec![format!("removals on hold: {reason}")],
        Event::ThreadFailed { thread, message } => {
            vec![format!("thread {thread} failed and continues: {message}")]
        }
        Event::ThreadDied { thread, message } => {
            vec![format!("thread {thread} stopped: {message}")]
        }
        Event::Missed(count) => vec![format!("{count} events were missed")],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use bson::DateTime;
    use mayfly_tests::documentdb::{DocumentDb, Habits, START_MS};

    use super::*;
    use crate::cli::watched_store::samples::of_server;

    #[test]
    fn documents_of_a_server_go_and_its_silence_is_said_once() {
        for habits in [Habits::mongodb(), Habits::documentdb()] {
            let server = DocumentDb::start(habits);
            let at = |secs: i64| DateTime::from_millis(START_MS + secs * 1_000);
            let documents = vec![doc! { "_id": 1, "at": at(5) }, doc! { "_id": 2, "at": at(90) }];
            server.prepare("d", &doc! { "insert": "c", "documents": documents });
            let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
            server.prepare("d", &doc! { "createIndexes": "c", "indexes": [index] });
            let mut store = of_server(&server);
            let mut look = |secs| {
                list_again(&mut store).expect("it is listed, or silent");
                let lines = look(&mut store, Duration::from_secs(secs)).expect("it is read");
                let next = store.watched.soonest().first().map(|(of, it)| next_to_expire(of, it));
                (lines, next.expect("one waits"))
            };
            let none = Vec::<String>::new();
            let first = "next to expire: d.c 1 at 2026-06-01 12:00:05".to_owned();
            assert_eq!(look(0), (none.clone(), first.clone()));
            server.advance_ms(10_000);
            assert_eq!(look(10), (none.clone(), first.clone()));
            server.stop();
            let silence = "No answer since 12:00:10: documents may have been removed".to_owned();
            assert_eq!(look(20), (vec![silence], first.clone()));
            assert_eq!(look(30), (none, first));
            server.restart();
            server.next_pass();
            let (lines, next) = look(60);
            assert_eq!(next, "next to expire: d.c 2 at 2026-06-01 12:01:30");
            let [back, gone] = lines.as_slice() else { panic!("{lines:?}") };
            assert_eq!(back, "the server answers again");
            // The tenths have the time of the round trip.
            assert!(gone.starts_with("2026-06-01 12:01:00 gone d.c 1 by at_1, ≤ 55"), "{gone}");
        }
    }
}
