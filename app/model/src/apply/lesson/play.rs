//! The lesson that is played: its cards, its questions and the user's answers.

use super::close::close;
use super::files::show_page;
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::commands;
use crate::job::lesson::{Guess, LessonRequest, LessonSource};
use crate::state::lesson::{Answers, Opening, steps};
use crate::state::toasts::Kind;
use crate::state::{Namespace, Phase};
use crate::worker::{LessonOrder, Reply};

/// Documents that a question can be about.
pub(super) const AMONG_MAX: i64 = 60;

/// Begins a lesson. The store that is shown stays until the lesson is ready.
pub(super) fn open(source: LessonSource, cx: &mut Apply<'_>) {
    if matches!(cx.state.store.phase, Phase::Away(_) | Phase::Opening) {
        return;
    }
    let number = cx.state.next_slot();
    let lessons = &mut cx.state.lessons;
    lessons.failed = None;
    lessons.opening = Some(Opening { number, source: source.clone() });
    cx.effects.lessons.push(LessonOrder::Open { number, source });
}

pub(super) fn ask(request: LessonRequest, cx: &mut Apply<'_>) {
    if cx.state.lessons.is_playing() {
        cx.effects.lessons.push(LessonOrder::Perform(request));
    }
}

/// The next card; after the last one, the next lesson of the course.
pub(super) fn next(cx: &mut Apply<'_>) {
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
