//! Events from the store.

use std::time::Duration;

use mayfly_engine::reaper::THREAD_NAME;

use super::{Apply, clock, expiry, poll, reaper, recount, store, tabs, trash};
use crate::job::{BuildProgress, Event, RemovedDocument};
use crate::limits::{CATALOG_AGE_MIN, SUMMARY_AGE_MIN};
use crate::state::changes::Changes;
use crate::state::operations::{Progress, Stage, build_title};
use crate::state::reaper::Held;
use crate::state::toasts::Kind;
use crate::state::{Namespace, State};

/// Handles one event.
pub fn event(event: Event, cx: &mut Apply<'_>) {
    match event {
        Event::PassStarted { .. } => cx.state.reaper.pass_started(),
        Event::PassFinished(pass) => {
            cx.state.clock.not_before(pass.finished_ms, cx.state.uptime);
            cx.state.reaper.pass_finished(pass);
            trash::pass_ended(cx);
            reaper::ask_held(cx);
        }
        Event::Removed { documents, more } => {
            for namespace in namespaces(&documents) {
                data_changed(&namespace, cx.state);
            }
            expiry::removed(&documents, more, cx);
            cx.state.reaper.documents_removed(documents, more);
        }
        Event::Restored(documents) => {
            expiry::restored(&documents, cx);
            // A hold began before they were back, and counted none of them.
            reaper::ask_held(cx);
        }
        Event::Archived { namespace, .. } => {
            trash::pass_ended(cx);
            expiry::archived(&namespace, cx);
        }
        Event::CatalogChanged => {
            cx.state.tree.stale = true;
            cx.state.changes.note_around(None);
            reaper::ask_held(cx);
        }
        Event::DataChanged(namespace) => data_changed(&namespace, cx.state),
        Event::IndexBuild(build) => index_build(build, cx.state),
        Event::ClockChanged(_) | Event::ClockStepped { .. } => {
            clock::ask(cx);
            reaper::ask(cx);
        }
        Event::ReaperScheduled { next_pass_ms, enabled } => {
            cx.state.reaper.next_pass_ms = next_pass_ms;
            cx.state.reaper.enabled = enabled;
        }
        Event::ThreadFailed { thread, message } => {
            let sentence = format!("{thread} failed and continues: {message}");
            thread_failed(&thread, sentence, cx.state);
        }
        Event::ThreadDied { thread, message } => {
            thread_failed(&thread, format!("{thread} stopped: {message}"), cx.state);
        }
        Event::DamageFound(found) => {
            let message = format!("{}: {}", found.namespace, found.sentence);
            cx.state.reaper.note(cx.state.clock.now_ms(), message.clone());
            cx.state.maintenance.damage = Some(message);
        }
        Event::HeldChanged { reason } => {
            let note = reason.as_deref().unwrap_or("Removals are no longer on hold");
            cx.state.reaper.note(cx.state.clock.now_ms(), note);
            let known = cx.state.reaper.held.take().unwrap_or_default();
            cx.state.reaper.held = reason.map(|sentence| Held { sentence, ..known });
            // Clocks and counts come with the answer.
            reaper::ask(cx);
        }
        Event::ScrubStarted => {}
        Event::Missed(_) => {
            cx.state.tree.stale = true;
            cx.state.changes.note(None);
            reaper::ask(cx);
        }
    }
}

/// Notes which documents of a store that is off the screen changed, until it is shown again.
pub(super) fn note_documents(event: &Event, changes: &mut Changes) {
    match event {
        Event::Removed { documents, .. } => {
            for changed in &namespaces(documents) {
                changes.note(Some(changed));
            }
        }
        Event::DataChanged(namespace) => changes.note(Some(namespace)),
        Event::Missed(_) => changes.note(None),
        _ => {}
    }
}

/// Does what was put off so that a burst of events becomes one question. Returns the time until
/// there is something to do again.
pub fn settle(cx: &mut Apply<'_>) -> Option<Duration> {
    let mut wait = [poll::settle(cx), recount::settle(cx)].into_iter().flatten().min();
    if cx.state.tree.stale && cx.state.is_open() {
        let age =
            cx.state.tree.asked_at.map_or(Duration::MAX, |at| cx.state.uptime.saturating_sub(at));
        if age >= CATALOG_AGE_MIN {
            store::refresh(cx);
        } else {
            let rest = CATALOG_AGE_MIN.saturating_sub(age);
            wait = Some(wait.map_or(rest, |wait: Duration| wait.min(rest)));
        }
    }
    match cx.state.changes.due(cx.state.uptime, SUMMARY_AGE_MIN) {
        Ok(changes) => {
            for (namespace, change) in changes {
                tabs::changed(namespace.as_ref(), change, cx);
            }
        }
        Err(rest) => wait = Some(wait.map_or(rest, |wait: Duration| wait.min(rest))),
    }
    wait
}

fn thread_failed(thread: &str, sentence: String, state: &mut State) {
    state.reaper.note(state.clock.now_ms(), sentence.clone());
    if thread == THREAD_NAME {
        state.reaper.died = Some(sentence.clone());
    }
    state.toast(Kind::Error, sentence);
}

fn data_changed(namespace: &Namespace, state: &mut State) {
    if let Some(collection) = state.tree.collection_mut(namespace) {
        collection.stale = true;
    }
    state.changes.note(Some(namespace));
}

fn namespaces(documents: &[RemovedDocument]) -> Vec<Namespace> {
    let mut found: Vec<Namespace> = Vec::new();
    for document in documents {
        if !found.contains(&document.namespace) {
            found.push(document.namespace.clone());
        }
    }
    found
}

/// Shows how far the build of an index is.
pub(super) fn index_build(build: BuildProgress, state: &mut State) {
    let BuildProgress { namespace, index, done, total, finished, error } = build;
    let title = build_title(&index, &namespace);
    let (now_ms, uptime) = (state.now_ms(), state.uptime);
    let operations = &mut state.operations;
    let id = operations
        .running_titled(&title)
        .unwrap_or_else(|| operations.begin(title, now_ms, uptime, None));
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
    use crate::apply::Effects;
    use crate::job::PassReport;

    #[test]
    fn a_thread_that_failed_is_told_until_a_pass_ends() {
        let (mut state, mut effects) = (State::default(), Effects::default());
        let failed = |thread: &str| Event::ThreadFailed {
            thread: thread.to_owned(),
            message: "it met a bug".to_owned(),
        };
        event(failed("Background"), &mut Apply::new(&mut state, &mut effects));
        assert_eq!((state.reaper.died.clone(), state.reaper.log().len()), (None, 1));
        event(failed(THREAD_NAME), &mut Apply::new(&mut state, &mut effects));
        let told = state.reaper.died.clone();
        assert_eq!(told.as_deref(), Some("TTLMonitor failed and continues: it met a bug"));
        state.reaper.stall = Some("it is stalled".to_owned());
        event(
            Event::PassFinished(PassReport::default()),
            &mut Apply::new(&mut state, &mut effects),
        );
        assert_eq!((state.reaper.died, state.reaper.stall), (None, None));
    }
}
