//! Lessons: opened, played and closed.

pub(super) mod close;
mod dropped;
mod files;
pub(super) mod keep;
mod play;
mod present;
mod show;

use std::sync::Arc;

use self::close::close;
use self::dropped::SortDropped;
use self::files::OpenFile;
use self::files::read_list;
use self::files::{add, show_page};
use self::play::{answers, ask, count_hands, lock, next, open, set_ttl};
use super::{Apply, store};
use crate::action::LessonAction;
use crate::job::lesson::{LessonProgress, LessonRequest, LessonView, Problem};
use crate::source::Opened;
use crate::state::lesson::{Answers, Playing, PresentedCard, steps};
use crate::state::{Dialog, ParkedStore, Zone};
use crate::worker::LessonOutcome;

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
