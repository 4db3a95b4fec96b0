//! The lesson that is played: its cards, its questions and the user's answers.

use std::sync::Arc;

use super::close::close;
use super::files::{show_page, show_sheet};
use crate::apply::question::Question;
use crate::apply::{Apply, view};
use crate::commands;
use crate::job::lesson::{Guess, LessonKind, LessonProgress, LessonRequest, LessonSource};
use crate::job::lesson::{LessonView, Tour};
use crate::state::lesson::catalog::{self, After};
use crate::state::lesson::{Answers, LessonStart, OpenedFrom, Opening, Sheet, Way, steps};
use crate::state::toasts::Kind;
use crate::state::{Namespace, Phase};
use crate::worker::{LessonOrder, Reply};

/// Documents that a question can be about.
pub(super) const AMONG_MAX: i64 = 60;

/// Begins a lesson at the card that was open last. A lecture begins at the first one.
pub(super) fn resume(source: LessonSource, way: Way, cx: &mut Apply<'_>) {
    let list = cx.state.lessons.list.as_ref().filter(|_| !cx.state.view.is_presented());
    let entry = list.and_then(|list| list.lessons.iter().find(|entry| entry.source == source));
    let card = match entry.map(|entry| (entry.kind, entry.progress)) {
        Some((LessonKind::Lesson | LessonKind::Challenge, LessonProgress::Card(card))) => {
            Some(card)
        }
        _ => None,
    };
    open(LessonStart { source, card, seed: None, way }, cx);
}

/// The way of a lesson that is chosen while another one plays. A lecturer who shows a scene between two
/// lessons of a run sheet comes back to the sheet.
pub(super) fn way_from_here(cx: &Apply<'_>) -> Way {
    let playing = cx.state.lessons.playing.as_ref();
    let way = playing.map(|playing| &playing.way);
    let is_sheet = |way: &&Way| way.stop().is_some_and(|stop| stop.card.is_none());
    way.filter(is_sheet).cloned().unwrap_or_default()
}

/// Begins a lesson. The store that is shown stays until the lesson is ready.
pub(super) fn open(start: LessonStart, cx: &mut Apply<'_>) {
    if matches!(cx.state.store.phase, Phase::Away(_) | Phase::Opening) {
        return;
    }
    let number = cx.state.next_slot();
    let lessons = &mut cx.state.lessons;
    lessons.failed = None;
    let (source, seed) = (start.source.clone(), start.seed);
    lessons.opening = Some(Opening { number, start });
    cx.effects.lessons.push(LessonOrder::Open { number, source, seed });
}

/// Begins a run sheet in front of a room.
pub(super) fn lead(tour: &Arc<Tour>, cx: &mut Apply<'_>) {
    view::present(true, cx);
    begin(tour, cx);
}

pub(super) fn begin(tour: &Arc<Tour>, cx: &mut Apply<'_>) {
    if let Some(start) = catalog::stop(tour, 0) {
        open(start, cx);
    }
}

pub(super) fn ask(request: LessonRequest, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        cx.effects.lessons.push(LessonOrder::Perform(request));
    }
}

/// The next card; after the last one, the next lesson or the end of its series.
pub(super) fn next(cx: &mut Apply<'_>) {
    if cx.state.lessons.view().is_some_and(LessonView::can_leave_card) {
        continue_on(cx);
    }
}

/// The same, also from a card that isn't done.
pub(super) fn continue_on(cx: &mut Apply<'_>) {
    let Some(playing) = &cx.state.lessons.playing else { return };
    let Some(view) = playing.view.clone() else { return };
    if !playing.is_at_last_card() {
        return ask(LessonRequest::OpenCard(view.card + 1), cx);
    }
    let way = playing.way.clone();
    let list = cx.state.lessons.list.clone().unwrap_or_default();
    match catalog::after(&list, &view.source, &way) {
        After::Lesson(next) => resume(next.source.clone(), way, cx),
        After::Stop(start) => open(start, cx),
        // The last page of a lecture stays on the screen.
        After::TourEnd if cx.state.view.is_presented() => {}
        After::Summary(key) => {
            close(cx);
            show_sheet(Sheet::Summary(key), cx);
        }
        After::TourEnd | After::Page => {
            close(cx);
            show_page(true, cx);
        }
    }
}

pub(super) fn back(cx: &mut Apply<'_>) {
    if let Some(card) = cx.state.lessons.view().and_then(steps::last_card) {
        ask(LessonRequest::OpenCard(card), cx);
    }
}

/// Runs the next block of the card.
pub(super) fn run_next(cx: &mut Apply<'_>) {
    let next = cx.state.lessons.view().and_then(steps::next_block);
    if let Some((part, _)) = next {
        ask(LessonRequest::Run { part }, cx);
    }
}

/// Ends the lesson and shows where it was opened.
pub(super) fn leave(cx: &mut Apply<'_>) {
    let opened_from = cx.state.lessons.playing.as_ref().map(|playing| playing.opened_from);
    close(cx);
    if opened_from == Some(OpenedFrom::Page) {
        show_page(true, cx);
    }
}

pub(super) fn answers(cx: &mut Apply<'_>, change: impl FnOnce(&mut Answers)) {
    if let Some(playing) = &mut cx.state.lessons.playing {
        change(&mut playing.answers);
    }
}

/// Locks the answer to a question; of several choices the one that is marked.
pub(super) fn lock(part: usize, cx: &mut Apply<'_>) {
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

pub(super) fn count_hands(part: Option<usize>, cx: &mut Apply<'_>) {
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
pub(super) fn set_ttl(namespace: &Namespace, secs: i64, cx: &mut Apply<'_>) {
    let tab = cx.state.tabs.open().iter().find(|tab| tab.namespace == *namespace);
    let rows = tab.and_then(|tab| tab.indexes.rows.as_ref());
    let first = rows.and_then(|rows| rows.iter().find(|index| index.secs.is_some()));
    let Some(index) = first else { return };
    let command = commands::indexes::set_ttl(&namespace.collection, &index.name, secs);
    cx.change(SetTtl, &namespace.db, command);
}

/// The TTL of an index, set with a handle.
#[derive(Debug, PartialEq)]
pub(super) struct SetTtl;

impl Question for SetTtl {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Err(error) = reply.result {
            cx.toast(Kind::Error, error);
        }
    }
}
