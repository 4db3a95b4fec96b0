//! How events and answers of the store change the view.

use std::time::Duration;

use bson::Document;
use mayfly_engine::value::whole;

use super::{
    asker::{Answer, Topic},
    label::label,
    view::{Lane, Removal, RunningPass, Subject, WatchView},
};
use crate::{
    cli::limits::{READ_MIN, READ_REST_FACTOR, WATCH_TOMBSTONES_MAX},
    job::{Event, Namespace, RemovedDocument},
    state::{clock::Mode, number::counted, reaper::Held},
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
        Event::DataChanged(_) | Event::Restored(_) | Event::IndexBuild(_) | Event::ScrubStarted => {
        }
    }
}

/// Removed documents leave the lanes as tombstones.
fn removed(view: &mut WatchView, documents: &[RemovedDocument], more: u64) {
    // Those that are not watched are in no list.
    let watched: Vec<RemovedDocument> = documents
        .iter()
        .filter(|document| view.namespaces.contains(&document.namespace))
        .cloned()
        .collect();
    if watched.is_empty() && !documents.is_empty() {
        return;
    }
    view.waiting.retain(|lane| !watched.iter().any(|document| is_of(lane, document)));
    view.ledger.removed(&watched, more);
    let from = watched.len().saturating_sub(WATCH_TOMBSTONES_MAX);
    for document in watched.into_iter().skip(from) {
        if view.shows(&document.namespace) {
            bury(view, document);
        }
    }
    view.expire(&[Subject::Next]);
}

/// Whether a lane is this document.
fn is_of(lane: &Lane, document: &RemovedDocument) -> bool {
    lane.threshold_ms == document.threshold_ms
        && lane.id == document.id
        && lane.namespace == document.namespace
}

fn bury(view: &mut WatchView, document: RemovedDocument) {
    let lag_ms = document.lag_ms();
    if view.tombstones.len() >= WATCH_TOMBSTONES_MAX {
        view.tombstones.pop_front();
    }
    view.tombstones.push_back(Lane {
        label: label(&document.id),
        namespace: document.namespace,
        id: document.id,
        index: document.index,
        threshold_ms: document.threshold_ms,
        removal: Some(Removal { lag_ms, noticed: view.uptime }),
    });
}

/// Takes one answer of the store.
pub(super) fn answer(view: &mut WatchView, answer: Answer) {
    match answer {
        Answer::Listed(found) => {
            settle(view, Subject::List);
            match found {
                Ok(namespaces) => listed(view, namespaces),
                Err(sentence) => view.complain(sentence),
            }
        }
        Answer::Next { found, took } => {
            settle(view, Subject::Next);
            view.next_read = view.uptime + rest_after(took);
            match found {
                Ok(found) => next(view, found.into_iter().map(Lane::new).collect()),
                Err(sentence) => view.complain(sentence),
            }
        }
        Answer::Counted(counts) => view.counts = counts,
        Answer::TrafficSent => settle(view, Subject::Traffic),
        Answer::Replied(topic, found) => match found {
            Ok(found) => replied(view, topic, &found),
            Err(sentence) => {
                settle_topic(view, topic);
                view.complain(sentence);
            }
        },
    }
}

/// How long the documents are not read again after a read that took so long.
fn rest_after(took: Duration) -> Duration {
    READ_MIN.max(took.saturating_mul(READ_REST_FACTOR))
}

fn listed(view: &mut WatchView, namespaces: Vec<Namespace>) {
    view.namespaces = namespaces;
    if view.chosen.as_ref().is_some_and(|chosen| !view.namespaces.contains(chosen)) {
        view.chosen = None;
        view.say("The collection was dropped; all collections are shown");
    }
    view.expire(&[Subject::Next]);
}

fn next(view: &mut WatchView, lanes: Vec<Lane>) {
    view.has_read = true;
    // Asked before another collection was chosen.
    view.waiting = lanes.into_iter().filter(|lane| view.shows(&lane.namespace)).collect();
    if !view.has_scale {
        view.choose_scale();
    }
}

fn replied(view: &mut WatchView, topic: Topic, found: &Document) {
    settle_topic(view, topic);
    match topic {
        Topic::Clock => {
            if let Some((mode, now_ms)) = Mode::read(found) {
                view.clock.learn(mode, now_ms, view.uptime);
            }
        }
        Topic::Status => {
            let now_ms = view.clock.now_ms();
            view.reaper.learn(found, now_ms);
        }
        Topic::Held => view.reaper.held = Held::read(found),
        Topic::RunPass => {
            let deleted = found.get("deletedDocuments").and_then(whole).unwrap_or(0);
            match u64::try_from(deleted).unwrap_or(0) {
                0 => view.say("Nothing to remove"),
                deleted => {
                    view.say(format!("Removed {}", counted(deleted, "document", "documents")));
                }
            }
        }
    }
}

fn settle_topic(view: &mut WatchView, topic: Topic) {
    match topic {
        Topic::Clock => settle(view, Subject::Clock),
        Topic::Status => settle(view, Subject::Status),
        Topic::Held => settle(view, Subject::Held),
        Topic::RunPass => {}
    }
}

fn settle(view: &mut WatchView, subject: Subject) {
    view.asked.retain(|asked| *asked != subject);
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, doc};
    use mayfly_engine::clock::{ClockMode, ClockStatus};

    use super::*;
    use crate::{
        cli::{
            limits::{TOMBSTONE_FADES, TOMBSTONE_TIME},
            watch_screen::{
                asker::Question,
                draw::samples::{NOW_MS, lane, view},
                view::Phase,
            },
            watched_store::Countdown,
        },
        job::PassReport,
    };

    fn removed_lane(lane: &Lane, lag_ms: i64) -> RemovedDocument {
        RemovedDocument {
            namespace: lane.namespace.clone(),
            index: lane.index.clone(),
            id: lane.id.clone(),
            threshold_ms: lane.threshold_ms,
            removable_ms: lane.threshold_ms,
            base_ms: 0,
            removed_ms: lane.threshold_ms + lag_ms,
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
        answer(&mut view, Answer::Replied(Topic::Clock, Ok(reply)));
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
        assert!(matches!(view.questions().as_slice(), [Question::Command(Topic::Held, _)]));
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
        let found = Err("d.c: the page is damaged.".to_owned());
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
            let countdown = Countdown {
                namespace: Namespace::new("demo", "events"),
                id: Bson::Int32(1),
                index: "at_1".to_owned(),
                threshold_ms: view.clock.now_ms() + left_ms,
            };
            let found = Ok(vec![countdown]);
            answer(&mut view, Answer::Next { found, took: Duration::ZERO });
            assert_eq!(view.scale, expected, "{left_ms}");
        };
        check(-5, 1);
        check(5_000, 1);
        check(61_000, 2);
        check(86_400_000, 4);
        check(i64::MAX / 2, 5);
    }
}
