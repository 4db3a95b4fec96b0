//! Watching without a terminal: one line an event.

use mayfly_engine::{engine::EngineEvent, value::Layout, value::shell::write_value};

use super::{
    Failure,
    limits::LOOK,
    watch::{Watched, instant, plain},
};

/// Prints events until a signal comes or nothing is left to expire.
pub(super) fn run(watched: &Watched<'_>) -> Result<(), Failure> {
    let events = watched.engine.subscribe();
    if let Some(first) = watched.soonest()?.first() {
        let (at, namespace, id) = (instant(first.threshold_ms), &first.namespace, &first.id);
        println!("next to expire: {namespace} {id} at {at}");
    }
    let mut look = true;
    while !watched.shutdown.is_requested() {
        if look && watched.soonest()?.is_empty() {
            println!("no more documents to expire");
            return Ok(());
        }
        look = false;
        let Ok(event) = events.recv_timeout(LOOK) else { continue };
        look = matches!(event, EngineEvent::PassFinished(_) | EngineEvent::CatalogChanged);
        for line in lines(watched, &event) {
            println!("{line}");
        }
    }
    Ok(())
}

/// What a person reads about an event.
pub(super) fn lines(watched: &Watched<'_>, event: &EngineEvent) -> Vec<String> {
    match event {
        EngineEvent::PassStarted { number, at_ms } => {
            vec![format!("{} pass {number} started", instant(*at_ms))]
        }
        EngineEvent::PassFinished(report) => vec![format!(
            "{} pass {} finished: {} removed",
            instant(report.finished_ms),
            report.number,
            report.deleted
        )],
        EngineEvent::Removed { documents, more } => {
            let shown = documents.iter().filter(|removed| watched.covers(&removed.namespace));
            let mut lines: Vec<String> = shown
                .map(|removed| {
                    let id = plain(&write_value(&removed.id, Layout::OneLine));
                    let late_ms = removed.removed_ms.saturating_sub(removed.threshold_ms);
                    format!(
                        "{} removed {} {id} by {}, {}.{:03} s after expiration",
                        instant(removed.removed_ms),
                        removed.namespace,
                        removed.index,
                        late_ms / 1_000,
                        late_ms % 1_000
                    )
                })
                .collect();
            if *more > 0 {
                lines.push(format!("and {more} more"));
            }
            lines
        }
        EngineEvent::ReaperScheduled { next_pass_ms: Some(next_ms), enabled: true } => {
            vec![format!("next pass at {}", instant(*next_ms))]
        }
        EngineEvent::HeldChanged { reason: Some(reason) } => {
            vec![format!("removals on hold: {reason}")]
        }
        EngineEvent::ThreadDied { thread, message } => {
            vec![format!("thread {thread} failed: {}", plain(message))]
        }
        _ => Vec::new(),
    }
}
