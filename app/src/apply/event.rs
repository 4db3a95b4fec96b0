//! Events from the store.

use std::time::Duration;

use mayfly_engine::reaper::THREAD_NAME;

use super::{Effects, archive, clock, expiry, reaper, store, tabs, trash};
use crate::limits::{CATALOG_AGE_MIN, WEATHER_AGE_MIN};
use crate::source::SourceEvent;
use crate::state::operations::{Progress, Stage};
use crate::state::reaper::Held;
use crate::state::toasts::Kind;
use crate::state::{Namespace, State};

/// Takes over one event.
pub fn event(event: SourceEvent, state: &mut State, effects: &mut Effects) {
    match event {
        SourceEvent::PassStarted { .. } => state.reaper.pass_started(),
        SourceEvent::PassFinished(pass) => {
            state.reaper.pass_finished(pass);
            trash::pass_ended(state, effects);
        }
        SourceEvent::Removed { documents, more } => {
            for namespace in namespaces(&documents) {
                data_changed(&namespace, state);
            }
            archive::removed(namespaces(&documents), state, effects);
            expiry::removed(&documents, more, state);
            state.reaper.documents_removed(documents, more);
        }
        SourceEvent::CatalogChanged => {
            state.tree.stale = true;
            state.changes.note(None);
        }
        SourceEvent::DataChanged(namespace) => data_changed(&namespace, state),
        SourceEvent::IndexBuild { namespace, index, done, total, finished, error } => {
            let title = format!("Build index {index} on {namespace}");
            index_build(&title, done, total, finished, error, state);
        }
        SourceEvent::ClockChanged => {
            clock::ask(state, effects);
            reaper::ask(state, effects);
        }
        SourceEvent::ReaperScheduled { next_pass_ms, enabled } => {
            state.reaper.next_pass_ms = next_pass_ms;
            state.reaper.enabled = enabled;
        }
        SourceEvent::ThreadFailed { thread, message } => {
            let sentence = format!("{thread} failed and continues: {message}");
            thread_failed(&thread, sentence, state);
        }
        SourceEvent::ThreadDied { thread, message } => {
            thread_failed(&thread, format!("{thread} stopped: {message}"), state);
        }
        SourceEvent::DamageFound { message } => {
            state.reaper.note(state.clock.now_ms(), message.clone());
            state.maintenance.damage = Some(message);
        }
        SourceEvent::Held { reason } => {
            let note = reason.as_deref().unwrap_or("Removals are no longer on hold");
            state.reaper.note(state.clock.now_ms(), note);
            let known = state.reaper.held.take().unwrap_or_default();
            state.reaper.held = reason.map(|sentence| Held { sentence, ..known });
            // Clocks and counts come with the answer.
            reaper::ask(state, effects);
        }
        SourceEvent::Missed(_) => {
            state.tree.stale = true;
            state.changes.note(None);
            reaper::ask(state, effects);
        }
    }
}

/// Does what was put off so that a burst of events becomes one question. Returns the time until
/// there is something to do again.
pub fn settle(state: &mut State, effects: &mut Effects) -> Option<Duration> {
    let mut wait = None;
    if state.tree.stale && state.is_open() {
        let age = state.tree.asked_at.map_or(Duration::MAX, |at| state.uptime.saturating_sub(at));
        if age >= CATALOG_AGE_MIN {
            store::refresh(state, effects);
        } else {
            wait = Some(CATALOG_AGE_MIN.saturating_sub(age));
        }
    }
    match state.changes.due(state.uptime, WEATHER_AGE_MIN) {
        Ok(Some(changed)) => {
            if changed.is_empty() {
                tabs::data_changed(None, state, effects);
            }
            for namespace in changed {
                tabs::data_changed(Some(&namespace), state, effects);
            }
        }
        Ok(None) => {}
        Err(rest) => wait = Some(wait.map_or(rest, |wait: Duration| wait.min(rest))),
    }
    wait
}

fn thread_failed(thread: &str, sentence: String, state: &mut State) {
    state.reaper.note(state.clock.now_ms(), sentence.clone());
    if thread == THREAD_NAME {
        state.reaper.died = Some(sentence.clone());
    }
    state.toasts.push(Kind::Error, sentence, None, state.uptime);
}

fn data_changed(namespace: &Namespace, state: &mut State) {
    if let Some(collection) = state.tree.collection_mut(namespace) {
        collection.stale = true;
    }
    state.changes.note(Some(namespace));
}

fn namespaces(documents: &[crate::source::RemovedDocument]) -> Vec<Namespace> {
    let mut found: Vec<Namespace> = Vec::new();
    for document in documents {
        if !found.contains(&document.namespace) {
            found.push(document.namespace.clone());
        }
    }
    found
}

fn index_build(
    title: &str,
    done: u64,
    total: u64,
    finished: bool,
    error: Option<String>,
    state: &mut State,
) {
    let (now_ms, uptime) = (state.now_ms(), state.uptime);
    let operations = &mut state.operations;
    let id = operations
        .running_titled(title)
        .unwrap_or_else(|| operations.begin(title.to_owned(), now_ms, uptime, None));
    let documents = crate::state::number::counted(done, "document", "documents");
    if let Some(operation) = operations.get_mut(id) {
        operation.progress = Progress { done, total, text: documents.clone() };
    }
    if let Some(error) = error {
        operations.end(id, Stage::Failed(error));
    } else if finished {
        operations.end(id, Stage::Done(documents));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::PassSummary;

    #[test]
    fn a_thread_that_failed_is_told_until_a_pass_ends() {
        let (mut state, mut effects) = (State::default(), Effects::default());
        let failed = |thread: &str| SourceEvent::ThreadFailed {
            thread: thread.to_owned(),
            message: "it met a bug".to_owned(),
        };
        event(failed("Background"), &mut state, &mut effects);
        assert_eq!((state.reaper.died.clone(), state.reaper.log().len()), (None, 1));
        event(failed(THREAD_NAME), &mut state, &mut effects);
        let told = state.reaper.died.clone();
        assert_eq!(told.as_deref(), Some("TTLMonitor failed and continues: it met a bug"));
        state.reaper.late = Some("it is late".to_owned());
        event(SourceEvent::PassFinished(PassSummary::default()), &mut state, &mut effects);
        assert_eq!((state.reaper.died, state.reaper.late), (None, None));
    }
}
