//! Watching without a terminal: one line per event.

use mayfly_engine::value::{Layout, shell::write_value};

use super::{Failure, limits::POLL_INTERVAL, watched_store::WatchedStore};
use crate::{
    job::{Event, invisible::with_marks},
    state::{Zone, duration},
};

/// Prints events until a signal arrives or no document is left to expire.
pub(super) fn run(store: &mut WatchedStore) -> Result<(), Failure> {
    if let Some(first) = store.next_to_expire()?.first() {
        let at = Zone::Utc.date_time(first.threshold_ms);
        let id = write_value(&first.id, Layout::OneLine);
        print(&format!("next to expire: {} {id} at {at}", first.namespace));
    }
    let mut check = true;
    while !store.shutdown.is_requested() {
        if check && store.next_to_expire()?.is_empty() {
            println!("no more documents to expire");
            return Ok(());
        }
        check = false;
        let Ok(event) = store.events.recv_timeout(POLL_INTERVAL) else { continue };
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
                        duration::figure(removed.lag_ms())
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
