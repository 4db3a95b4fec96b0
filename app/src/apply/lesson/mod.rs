//! Lessons: opened, played and closed.

pub(super) mod close;
mod files;
pub(super) mod keep;
mod present;
mod show;

use std::path::PathBuf;
use std::sync::Arc;

use self::close::{close, read_list};
use self::files::{OpenFile, SortDropped};
use super::question::Question;
use super::{Apply, store};
use crate::action::LessonAction;
use crate::commands;
use crate::job::lesson::{Guess, LessonProgress, LessonRequest, LessonSource, LessonView, Problem};
use crate::source::Opened;
use crate::state::lesson::{Answers, Opening, Playing, PresentedCard, steps};
use crate::state::toasts::Kind;
use crate::state::{Dialog, Namespace, ParkedStore, Phase, Zone};
use crate::worker::{LessonOrder, LessonOutcome, Reply};

/// Documents that a question can be about.
const AMONG_MAX: i64 = 60;

/// Carries out one action.
pub fn apply(action: LessonAction, cx: &mut Apply<'_>) {
    match action {
        LessonAction::ShowPage(is_shown) => show_page(is_shown, cx),
        LessonAction::Reload => read_list(cx),
        LessonAction::Open(source) => open(source, cx),
        LessonAction::Add(path) => add(path, cx),
        LessonAction::AddDropped(paths) => {
            cx.run(SortDropped(paths));
        }
        LessonAction::OpenFile(file) => {
            cx.run(OpenFile(file));
        }
        LessonAction::Close => close(cx),
        LessonAction::Request(request) => ask(request, cx),
        LessonAction::Next => next(cx),
        LessonAction::Back => {
            if let Some(card) = cx.state.lessons.view().and_then(steps::last_card) {
                ask(LessonRequest::OpenCard(card), cx);
            }
        }
        LessonAction::RunNext => {
            let next = cx.state.lessons.view().and_then(steps::next_block);
            if let Some((part, _)) = next {
                ask(LessonRequest::Run { part }, cx);
            }
        }
        LessonAction::Lock(part) => lock(part, cx),
        LessonAction::SetCount(part, count) => {
            answers(cx, |answers| {
                answers.counts.insert(part, count);
            });
        }
        LessonAction::ToggleDocument(id) => answers(cx, |answers| answers.toggle(id)),
        LessonAction::SetPin(at_ms) => answers(cx, |answers| answers.pin_ms = Some(at_ms)),
        LessonAction::ShowSolution(part) => answers(cx, |answers| {
            answers.solutions.insert(part);
        }),
        LessonAction::CountHands(part) => count_hands(part, cx),
        LessonAction::SetHands { choice, hands } => answers(cx, |answers| {
            if let Some(of) = answers.hands.as_mut().and_then(|(_, all)| all.get_mut(choice)) {
                *of = hands;
            }
        }),
        LessonAction::SetTtl(namespace, secs) => set_ttl(&namespace, secs, cx),
        LessonAction::Follow(link) => show::follow(&link, cx),
        LessonAction::Step => present::step(cx),
        LessonAction::StepBack => present::step_back(cx),
        LessonAction::Mark(choice) => present::mark(choice, cx),
        LessonAction::Black => {
            if let Some(playing) = &mut cx.state.lessons.playing {
                playing.is_black = !playing.is_black;
            }
        }
        LessonAction::Notes => {
            if let Some(playing) = &mut cx.state.lessons.playing {
                playing.shows_notes = !playing.shows_notes;
            }
        }
        LessonAction::Sandbox => keep::sandbox(cx),
        LessonAction::Save => keep::save(cx),
        LessonAction::Handout(file) => keep::handout(file, cx),
    }
}

fn add(path: PathBuf, cx: &mut Apply<'_>) {
    cx.state.lessons.opened.retain(|known| *known != path);
    cx.state.lessons.opened.push(path);
    show_page(true, cx);
}

fn show_page(is_shown: bool, cx: &mut Apply<'_>) {
    cx.state.lessons.is_page_shown = is_shown;
    cx.state.view.is_start_shown = false;
    if is_shown {
        read_list(cx);
    }
}

/// Begins a lesson. The store that is shown stays until the lesson is ready.
fn open(source: LessonSource, cx: &mut Apply<'_>) {
    if matches!(cx.state.store.phase, Phase::Away(_) | Phase::Opening) {
        return;
    }
    let number = cx.state.next_slot();
    let lessons = &mut cx.state.lessons;
    lessons.failed = None;
    lessons.opening = Some(Opening { number, source: source.clone() });
    cx.effects.lessons.push(LessonOrder::Open { number, source });
}

fn ask(request: LessonRequest, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        cx.effects.lessons.push(LessonOrder::Perform(request));
    }
}

/// The next card; after the last one, the next lesson of the course.
fn next(cx: &mut Apply<'_>) {
    let Some(view) = cx.state.lessons.view() else { return };
    if let Some(card) = steps::next_card(view) {
        return ask(LessonRequest::OpenCard(card), cx);
    }
    if !steps::is_finished(view) {
        return;
    }
    let list = cx.state.lessons.list.clone();
    let next = list.as_ref().and_then(|list| list.after(&view.source));
    if let Some(next) = next {
        open(next.source.clone(), cx);
    } else {
        close(cx);
        show_page(true, cx);
    }
}

fn answers(cx: &mut Apply<'_>, change: impl FnOnce(&mut Answers)) {
    if let Some(playing) = &mut cx.state.lessons.playing {
        change(&mut playing.answers);
    }
}

/// Locks the answer to a question; of several choices the one that is marked.
fn lock(part: usize, cx: &mut Apply<'_>) {
    let Some(playing) = &cx.state.lessons.playing else { return };
    let Some(view) = &playing.view else { return };
    let Some((_, question)) = steps::open_question(view).filter(|(at, _)| *at == part) else {
        return;
    };
    let marked = playing.presented.marked.map(Guess::Choice);
    let guess = playing.answers.guess(part, question, view.time.start_ms).or(marked);
    if let Some(guess) = guess {
        ask(LessonRequest::Guess { part, guess }, cx);
    }
}

fn count_hands(part: Option<usize>, cx: &mut Apply<'_>) {
    let choices = part.and_then(|part| {
        let view = cx.state.lessons.view()?;
        let found = steps::blocks(view).find(|(at, ..)| *at == part)?;
        match &found.1.kind {
            crate::job::lesson::BlockKind::Question(question) => Some(question.choices.len()),
            _ => None,
        }
    });
    let hands = part.zip(choices).map(|(part, choices)| (part, vec![0; choices]));
    answers(cx, |answers| answers.hands = hands);
}

/// Sets the seconds of the first TTL index of a collection.
fn set_ttl(namespace: &Namespace, secs: i64, cx: &mut Apply<'_>) {
    let tab = cx.state.tabs.open().iter().find(|tab| tab.namespace == *namespace);
    let rows = tab.and_then(|tab| tab.indexes.rows.as_ref());
    let first = rows.and_then(|rows| rows.iter().find(|index| index.secs.is_some()));
    let Some(index) = first else { return };
    let command = commands::indexes::set_ttl(&namespace.collection, &index.name, secs);
    cx.change(SetTtl, &namespace.db, command);
}

/// The TTL of an index, set with a handle.
#[derive(Debug, PartialEq)]
struct SetTtl;

impl Question for SetTtl {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Err(error) = reply.result {
            cx.toast(Kind::Error, error);
        }
    }
}

/// The thread of the lesson answers.
pub(super) fn outcome(outcome: LessonOutcome, cx: &mut Apply<'_>) {
    match outcome {
        LessonOutcome::Opened { number, result } => opened(number, result, cx),
        LessonOutcome::View { number, view } => take_view(number, &view, cx),
    }
}

fn opened(number: u32, result: Result<Opened, Vec<Problem>>, cx: &mut Apply<'_>) {
    let lessons = &mut cx.state.lessons;
    let Some(opening) = lessons.opening.take_if(|opening| opening.number == number) else { return };
    let opened = match result {
        Ok(opened) => opened,
        Err(problems) => {
            lessons.failed = Some((opening.source, problems));
            // Another lesson's store is gone with its runtime.
            if lessons.is_playing() {
                close(cx);
            }
            return show_page(true, cx);
        }
    };
    let own = if let Some(playing) = lessons.playing.take() {
        // The state of the other lesson is dropped.
        let _ = ParkedStore::park(cx.state);
        playing.own
    } else {
        cx.state.note_tabs();
        Box::new(ParkedStore::park(cx.state))
    };
    cx.state.dialogs.forget(Dialog::is_about_contents);
    cx.state.lessons.is_page_shown = false;
    cx.state.lessons.playing = Some(Playing {
        number,
        source: opening.source,
        view: None,
        own,
        answers: Answers::default(),
        presented: PresentedCard::default(),
        shows_notes: false,
        is_black: false,
        since: cx.state.uptime,
    });
    // The texts of lessons are in UTC.
    cx.state.clock.set_zone(Zone::Utc);
    store::opened(Ok(opened), cx);
}

fn take_view(number: u32, view: &Arc<LessonView>, cx: &mut Apply<'_>) {
    let Some(playing) = &mut cx.state.lessons.playing else { return };
    if playing.number != number {
        return;
    }
    let before = playing.view.replace(Arc::clone(view));
    let is_other_card = before.as_ref().is_none_or(|before| before.card != view.card);
    let went_back = before.as_ref().is_some_and(|it| it.time.now_ms > view.time.now_ms);
    if is_other_card || went_back {
        playing.answers = Answers::default();
        playing.presented = PresentedCard::default();
    }
    let was_running = before.as_ref().is_some_and(|before| !before.time.is_paused);
    if was_running && view.time.is_paused {
        // Time alone makes documents overdue, which no event says.
        cx.state.changes.note(None);
    }
    show::clock(view, cx);
    if went_back {
        show::forget_future(cx);
    }
    if before.is_none() {
        close::title(cx);
    }
    show::collections(view, before.is_none(), cx);
    show::question(view, cx);
    note_progress(view, cx);
}

/// The list shows the progress without being read again.
fn note_progress(view: &LessonView, cx: &mut Apply<'_>) {
    let Some(list) = &mut cx.state.lessons.list else { return };
    let progress = if steps::is_finished(view) {
        LessonProgress::Done
    } else {
        LessonProgress::Card(view.card)
    };
    let known = list.lessons.iter().position(|entry| entry.source == view.source);
    let Some(at) = known else { return };
    let is_same = list
        .lessons
        .get(at)
        .is_some_and(|entry| entry.progress == progress || entry.progress == LessonProgress::Done);
    if !is_same && let Some(entry) = Arc::make_mut(list).lessons.get_mut(at) {
        entry.progress = progress;
    }
}
