//! How events and answers of the store change the view.

use std::time::Duration;

use bson::Document;
use mayfly_engine::value::whole;

use super::{
    asker::{Answer, Subject},
    view::{Lane, RunningPass, WatchView},
};
use crate::{
    cli::{
        limits::{SERVER_LIST_AGE, WATCH_TOMBSTONES_MAX},
        watched_store::{Page, Refusal},
    },
    job::{Event, Namespace, RemovedDocument},
    state::{clock::Mode, expiry, number::counted, reaper::Held},
};

/// Takes one event of the store.
pub(super) fn event(view: &mut WatchView, event: Event) {
    match event {
        Event::PassStarted { number, at_ms } => {
            view.running = Some(RunningPass { number, started_ms: at_ms });
            view.reaper.pass_started();
        }
        Event::PassFinished(pass) => {
            view.running = None;
            view.clock.not_before(pass.finished_ms, view.uptime);
            view.reaper.pass_finished(pass);
            view.expire(&[Subject::Status]);
        }
        Event::Removed { documents, more } => removed(view, &documents, more),
        Event::CatalogChanged => view.expire(&[Subject::List, Subject::Next]),
        Event::DataChanged(namespace) if view.shows(&namespace) => view.expire(&[Subject::Next]),
        Event::IndexBuild(build) if build.finished => view.expire(&[Subject::Next]),
        Event::ClockChanged(status) => {
            view.clock.learn(Mode::of(&status), status.now_ms, view.uptime);
            view.expire(&[Subject::Next, Subject::Status, Subject::Held]);
        }
        Event::ClockStepped { .. } => view.expire(&[Subject::Clock, Subject::Held]),
        Event::ReaperScheduled { next_pass_ms, enabled } => {
            view.reaper.next_pass_ms = next_pass_ms;
            view.reaper.enabled = enabled;
        }
        Event::HeldChanged { reason } => {
            let known = view.reaper.held.take().unwrap_or_default();
            view.reaper.held = reason.map(|sentence| Held { sentence, ..known });
            view.expire(&[Subject::Held]);
        }
        Event::ThreadFailed { thread, message } => {
            view.complain(format!("{thread} failed and continues: {message}"));
        }
        Event::ThreadDied { thread, message } => {
            let sentence = format!("{thread} stopped: {message}");
            view.reaper.died = Some(sentence.clone());
            view.complain(sentence);
        }
        Event::DamageFound(found) => {
            view.complain(format!("{}: {}", found.namespace, found.sentence));
        }
        Event::Missed(count) => {
            view.ledger.missed(count);
            view.running = None;
            view.expire(&[
                Subject::List,
                Subject::Next,
                Subject::Clock,
                Subject::Status,
                Subject::Held,
            ]);
        }
        Event::DataChanged(_)
        | Event::Restored(_)
        | Event::Archived { .. }
        | Event::IndexBuild(_)
        | Event::ScrubStarted => {}
    }
}

/// Removed documents leave the lanes as tombstones.
fn removed(view: &mut WatchView, documents: &[RemovedDocument], more: u64) {
    // Those that are not watched are in no list.
    let removed: Vec<Lane> = documents
        .iter()
        .filter(|document| view.namespaces.contains(&document.namespace))
        .map(|document| Lane::new(document.namespace.clone(), document.into(), view.uptime))
        .collect();
    if removed.is_empty() && !documents.is_empty() {
        return;
    }
    view.waiting.retain(|lane| !removed.iter().any(|gone| is_same(lane, gone)));
    let from = removed.len().saturating_sub(WATCH_TOMBSTONES_MAX);
    for lane in removed.iter().skip(from) {
        if view.shows(&lane.namespace) {
            bury(view, lane.clone());
        }
    }
    view.ledger.removed(removed, more);
    view.expire(&[Subject::Next]);
}

fn is_same(lane: &Lane, other: &Lane) -> bool {
    lane.document.threshold_ms == other.document.threshold_ms
        && lane.document.id == other.document.id
        && lane.namespace == other.namespace
}

fn bury(view: &mut WatchView, lane: Lane) {
    if view.tombstones.len() >= WATCH_TOMBSTONES_MAX {
        view.tombstones.pop_front();
    }
    view.tombstones.push_back(lane);
}

/// Takes one answer of the store.
pub(super) fn answer(view: &mut WatchView, answer: Answer) {
    match answer {
        Answer::Listed(found) => {
            settle(view, Subject::List);
            if let Some(namespaces) = taken(view, found) {
                listed(view, namespaces);
            }
        }
        Answer::Next { found, took } => {
            settle(view, Subject::Next);
            if let Some(pages) = taken(view, found) {
                next(view, pages);
            }
            view.next_read = view.uptime + view.watched.rest_after(took);
            look_again(view);
        }
        Answer::Counted(counts) => view.counts = counts,
        Answer::TrafficSent => settle(view, Subject::Traffic),
        Answer::Replied(subject, found) => {
            settle(view, subject);
            match (subject, view.watched.connection.is_some()) {
                (Subject::Status | Subject::Parameters, true) => monitor(view, subject, found),
                _ => {
                    if let Some(found) = taken(view, found) {
                        replied(view, subject, &found);
                    }
                }
            }
        }
    }
}

/// The result of a question. An error is said, and so is a server's silence for as long as it lasts.
fn taken<T>(view: &mut WatchView, found: Result<T, Refusal>) -> Option<T> {
    let is_back = view.watched.note(&found, view.uptime, view.clock.now_ms());
    if is_back {
        view.expire(&[Subject::List, Subject::Next]);
        view.next_read = view.uptime;
    }
    match found {
        Ok(found) => Some(found),
        Err(refusal) => {
            if !(refusal.is_silent && view.watched.connection.is_some()) {
                view.complain(refusal.sentence);
            }
            None
        }
    }
}

/// Takes what a server says of its monitor. One that refuses says nothing.
fn monitor(view: &mut WatchView, subject: Subject, found: Result<Document, Refusal>) {
    view.watched.note(&found, view.uptime, view.clock.now_ms());
    let (found, now_ms) = (found.unwrap_or_default(), view.clock.now_ms());
    let Some(connection) = &mut view.watched.connection else { return };
    if subject == Subject::Status {
        connection.monitor.take_status(&found, now_ms);
    } else {
        connection.monitor.take_parameters(&found);
    }
}

/// A server reports nothing by itself: its documents are read again after a rest, and now and then its
/// collections and its clock.
fn look_again(view: &mut WatchView) {
    if view.watched.connection.is_none() {
        return;
    }
    view.expire(&[Subject::Next]);
    if view.uptime.saturating_sub(view.listed) >= SERVER_LIST_AGE {
        view.expire(&[Subject::List, Subject::Clock]);
    }
}

fn listed(view: &mut WatchView, namespaces: Vec<Namespace>) {
    (view.namespaces, view.listed) = (namespaces, view.uptime);
    if view.chosen.as_ref().is_some_and(|chosen| !view.namespaces.contains(chosen)) {
        view.chosen = None;
        view.say("The collection was dropped; all collections are shown");
    }
    view.expire(&[Subject::Next]);
}

fn next(view: &mut WatchView, mut pages: Vec<Page>) {
    view.has_read = true;
    // Asked before another collection was chosen.
    pages.retain(|page| view.shows(&page.namespace));
    for (namespace, lane) in view.watched.take(pages, view.clock.now_ms()) {
        let lane = Lane::new(namespace, lane, view.uptime);
        bury(view, lane.clone());
        view.ledger.removed([lane], 0);
    }
    let lane = |(of, lane): (&Namespace, &expiry::Lane)| {
        Lane::new(of.clone(), lane.clone(), Duration::ZERO)
    };
    view.waiting = view.watched.soonest().into_iter().map(lane).collect();
    if !view.has_scale {
        view.choose_scale();
    }
}

fn replied(view: &mut WatchView, subject: Subject, found: &Document) {
    match subject {
        Subject::Clock => {
            if let Some((mode, now_ms)) = Mode::read(found) {
                view.learn_clock(mode, now_ms);
            }
        }
        Subject::Status => {
            let now_ms = view.clock.now_ms();
            view.reaper.learn(found, now_ms);
        }
        Subject::Held => view.reaper.held = Held::read(found),
        Subject::RunPass => {
            let deleted = found.get("deletedDocuments").and_then(whole).unwrap_or(0);
            match u64::try_from(deleted).unwrap_or(0) {
                0 => view.say("Nothing to remove"),
                deleted => {
                    view.say(format!("Removed {}", counted(deleted, "document", "documents")));
                }
            }
        }
        // A server's monitor has these, and the others come as other answers.
        _ => {}
    }
}

fn settle(view: &mut WatchView, subject: Subject) {
    view.asked.retain(|asked| *asked != subject);
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};
    use mayfly_engine::clock::{ClockMode, ClockStatus};

    use super::*;
    use crate::{
        cli::{
            limits::{READ_REST_FACTOR, TOMBSTONE_FADES, TOMBSTONE_TIME},
            watch_screen::{
                asker::Question,
                draw::samples::{NOW_MS, lane, view},
                view::Phase,
            },
        },
        job::PassReport,
    };

    fn removed_lane(lane: &Lane, lag_ms: i64) -> RemovedDocument {
        RemovedDocument {
            namespace: lane.namespace.clone(),
            index: lane.document.index.clone(),
            id: lane.document.id.clone(),
            threshold_ms: lane.document.threshold_ms,
            removable_ms: lane.document.threshold_ms,
            base_ms: 0,
            removed_ms: lane.document.threshold_ms + lag_ms,
            bytes: 0,
            pass: 7,
        }
    }

    #[test]
    fn a_removed_document_is_a_tombstone_for_a_moment() {
        let mut view = view(80, 24);
        let (first, waiting) = (view.waiting[0].clone(), view.waiting.len());
        let documents = vec![removed_lane(&first, 3_200)];
        event(&mut view, Event::Removed { documents, more: 2 });
        assert_eq!((view.waiting.len(), view.ledger.total(None)), (waiting - 1, 5));
        let shown = |view: &WatchView| view.lanes(8).first().map(|lane| view.phase(lane));
        assert_eq!(shown(&view), Some(Phase::Removed { is_fading: false }));
        let uptime = view.uptime;
        view.tick(NOW_MS, uptime + TOMBSTONE_FADES);
        assert_eq!(shown(&view), Some(Phase::Removed { is_fading: true }));
        view.tick(NOW_MS, uptime + TOMBSTONE_TIME);
        assert_ne!(shown(&view), Some(Phase::Removed { is_fading: true }));
        assert!(view.tombstones.is_empty());
    }

    #[test]
    fn what_is_not_watched_is_not_shown() {
        let mut view = view(80, 24);
        let other = Lane { namespace: Namespace::new("x", "y"), ..lane("a", NOW_MS) };
        let documents = vec![removed_lane(&other, 0)];
        event(&mut view, Event::Removed { documents, more: 0 });
        assert_eq!((view.tombstones.len(), view.ledger.total(None)), (0, 2));
        // A collection that is not chosen is in the ledger, but not in the lanes.
        view.chosen = Some(Namespace::new("shop", "carts"));
        let documents = vec![removed_lane(&lane("b", NOW_MS), 0)];
        event(&mut view, Event::Removed { documents, more: 0 });
        assert_eq!((view.tombstones.len(), view.ledger.total(None)), (0, 3));
    }

    #[test]
    fn a_pass_is_running_until_it_ends() {
        let mut view = view(80, 24);
        event(&mut view, Event::PassStarted { number: 7, at_ms: NOW_MS });
        assert_eq!(view.running, Some(RunningPass { number: 7, started_ms: NOW_MS }));
        let pass = PassReport { number: 7, deleted: 3, ..PassReport::default() };
        event(&mut view, Event::PassFinished(pass));
        assert_eq!((view.running, view.reaper.passes().len()), (None, 2));
    }

    #[test]
    fn a_clock_that_was_moved_is_known_at_once() {
        let mut view = view(80, 24);
        let status =
            ClockStatus { now_ms: 5_000, mode: ClockMode::Simulated, rate: 60.0, paused: false };
        event(&mut view, Event::ClockChanged(status));
        let uptime = view.uptime + Duration::from_secs(2);
        view.tick(NOW_MS, uptime);
        assert_eq!(view.clock.now_ms(), 125_000);
        let reply = doc! {
            "now": DateTime::from_millis(9_000), "mode": "simulated", "rate": 1.0, "paused": true,
        };
        answer(&mut view, Answer::Replied(Subject::Clock, Ok(reply)));
        view.tick(NOW_MS, uptime + Duration::from_secs(9));
        assert_eq!(view.clock.now_ms(), 9_000);
    }

    #[test]
    fn a_hold_comes_with_its_reason_and_goes() {
        let mut view = view(80, 24);
        view.questions();
        view.asked.clear();
        event(&mut view, Event::HeldChanged { reason: Some("The clock jumped.".to_owned()) });
        let sentence = view.reaper.held.as_ref().map(|held| held.sentence.as_str());
        assert_eq!(sentence, Some("The clock jumped."));
        assert!(matches!(view.questions().as_slice(), [Question::Command(Subject::Held, _)]));
        event(&mut view, Event::HeldChanged { reason: None });
        assert_eq!(view.reaper.held, None);
    }

    #[test]
    fn a_subject_is_asked_once_at_a_time_and_reads_rest() {
        let mut view = view(80, 24);
        view.asked.clear();
        let count = |view: &mut WatchView| {
            let questions = view.questions();
            questions.iter().filter(|it| matches!(it, Question::Next(_))).count()
        };
        let data = || Event::DataChanged(Namespace::new("demo", "events"));
        view.expire(&[Subject::Next]);
        assert_eq!(count(&mut view), 1);
        event(&mut view, data());
        event(&mut view, data());
        assert_eq!(count(&mut view), 0, "the answer is awaited");
        let took = Duration::from_secs(1);
        answer(&mut view, Answer::Next { found: Ok(Vec::new()), took });
        assert_eq!(count(&mut view), 0, "a slow read rests");
        let wait = view.next_change().expect("it is due");
        assert!(wait <= took * READ_REST_FACTOR, "{wait:?}");
        let uptime = view.uptime + took * READ_REST_FACTOR;
        view.tick(NOW_MS, uptime);
        assert_eq!(count(&mut view), 1);
    }

    #[test]
    fn a_dropped_collection_is_no_longer_chosen() {
        let mut view = view(80, 24);
        view.chosen = Some(Namespace::new("shop", "carts"));
        answer(&mut view, Answer::Listed(Ok(vec![Namespace::new("demo", "events")])));
        assert_eq!(view.chosen, None);
        assert!(view.note.is_some_and(|note| note.sentence.contains("dropped")));
    }

    #[test]
    fn errors_are_said_and_nothing_is_lost() {
        let mut view = view(80, 24);
        let waiting = view.waiting.len();
        let sentence = "d.c: the page is damaged.".to_owned();
        let found = Err(Refusal { sentence, is_silent: false });
        answer(&mut view, Answer::Next { found, took: Duration::ZERO });
        assert!(view.note.as_ref().is_some_and(|note| note.is_error));
        assert_eq!(view.waiting.len(), waiting);
        event(&mut view, Event::Missed(12));
        assert_eq!(view.ledger.visible(9, None).len(), 3);
    }

    #[test]
    fn the_first_documents_choose_the_scale() {
        let check = |left_ms: i64, expected| {
            let mut view = view(80, 24);
            (view.has_scale, view.scale) = (false, 0);
            let at = DateTime::from_millis(view.clock.now_ms() + left_ms);
            let row = doc! {
                "_id": 1, "index": "at_1", "field": "at", "base": at, "threshold": at,
                "source": "index", "state": "waiting",
            };
            let page = Page {
                namespace: Namespace::new("demo", "events"),
                command: doc! { "mayflyExpiring": "events" },
                reply: doc! { "batch": [row], "ok": 1.0 },
            };
            let found = Ok(vec![page]);
            answer(&mut view, Answer::Next { found, took: Duration::ZERO });
            assert_eq!(view.scale, expected, "{left_ms}");
        };
        check(-5, 1);
        check(5_000, 1);
        check(61_000, 2);
        check(86_400_000, 4);
        check(i64::from(i32::MAX) * 1_000, 5);
    }
}
