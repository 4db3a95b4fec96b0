//! Lessons: opened, played and closed.

pub(super) mod close;
mod dropped;
mod exam;
mod files;
pub(super) mod keep;
mod play;
mod present;
pub mod saved;
mod show;

use std::sync::Arc;

use self::close::close;
use self::dropped::SortDropped;
use self::files::OpenFile;
use self::files::read_list;
use self::files::{add, show_page};
use self::play::{answers, ask, count_hands, leave, lock, next, open, resume, set_ttl};
use super::{Apply, store};
use crate::action::LessonAction;
use crate::job::lesson::{LessonProgress, LessonRequest, LessonView, Problem};
use crate::source::Opened;
use crate::state::lesson::{Answers, OpenedFrom, Playing, PresentedCard, Sheet};
use crate::state::{Dialog, ParkedStore, Zone};
use crate::worker::LessonOutcome;

/// Carries out one action.
pub fn apply(action: LessonAction, cx: &mut Apply<'_>) {
    match action {
        LessonAction::ShowPage(is_shown) => show_page(is_shown, cx),
        LessonAction::Reload => read_list(cx),
        LessonAction::Open(source) => resume(source, play::way_from_here(cx), cx),
        LessonAction::OpenAt(start) => open(start, cx),
        LessonAction::Lead(tour) => play::lead(&tour, cx),
        LessonAction::Begin(tour) => play::begin(&tour, cx),
        LessonAction::ShowSummary(key) => files::show_sheet(Sheet::Summary(key), cx),
        LessonAction::TakeExam => exam::take(cx),
        LessonAction::ShowExam => files::show_sheet(Sheet::Exam, cx),
        LessonAction::AnswerExam(choice) => exam::answer(choice, cx),
        LessonAction::StepExam { is_forward } => exam::step(is_forward, cx),
        LessonAction::Search(typed) => cx.state.lessons.search = typed,
        LessonAction::Add(path) => add(path, cx),
        LessonAction::AddDropped(paths) => {
            cx.run(SortDropped(paths));
        }
        LessonAction::OpenFile(file) => {
            cx.run(OpenFile(file));
        }
        LessonAction::Close => leave(cx),
        LessonAction::Request(request) => ask(request, cx),
        LessonAction::Next => next(cx),
        LessonAction::Back => play::back(cx),
        LessonAction::RunNext => play::run_next(cx),
        LessonAction::Lock(part) => lock(part, cx),
        LessonAction::SetCount(part, count) => {
            answers(cx, |answers| {
                answers.counts.insert(part, count);
            });
        }
        LessonAction::ToggleDocument(id) => answers(cx, |answers| answers.toggle(id)),
        LessonAction::SetPin(at_ms) => answers(cx, |answers| {
            (answers.pin_ms, answers.pin_typed) = (Some(at_ms), None);
        }),
        LessonAction::TypePin(text) => {
            let start_ms = cx.state.lessons.view().map_or(0, |view| view.time.start_ms);
            let zone = cx.state.clock.zone();
            answers(cx, |answers| answers.type_pin(text, start_ms, zone));
        }
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
        LessonAction::Page => present::page(cx.state),
        LessonAction::StepBack => present::step_back(cx),
        LessonAction::Mark(choice) => present::mark(choice, cx),
        LessonAction::Black => present::black(cx.state),
        LessonAction::Notes => present::notes(cx.state),
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
            lessons.failed = Some((opening.start.source, problems));
            // Another lesson's store is gone with its runtime.
            if lessons.is_playing() {
                close(cx);
            }
            return show_page(true, cx);
        }
    };
    let shows_page = lessons.is_page_shown;
    // A lecture keeps its notes and its timer from one lesson to the next.
    let lecture = lessons.playing.as_ref().filter(|it| opening.start.way.continues(&it.way));
    let lecture = lecture.map(|playing| (playing.shows_notes, playing.since));
    let (shows_notes, since) = lecture.unwrap_or((false, cx.state.uptime));
    let (own, dialog, opened_from) = if let Some(playing) = lessons.playing.take() {
        // The state of the other lesson is dropped.
        let _ = ParkedStore::park(cx.state);
        (playing.own, playing.dialog, playing.opened_from)
    } else {
        let has_tab = cx.state.tabs.active().is_some() && !cx.state.view.is_start_shown;
        cx.state.note_tabs();
        let dialog = cx.state.dialogs.open().filter(|dialog| dialog.outlives_lesson()).cloned();
        let opened_from =
            if shows_page || !has_tab { OpenedFrom::Page } else { OpenedFrom::Collection };
        (Box::new(ParkedStore::park(cx.state)), dialog, opened_from)
    };
    cx.state.dialogs.forget(Dialog::is_about_contents);
    cx.state.lessons.is_page_shown = false;
    cx.state.lessons.playing = Some(Playing {
        number,
        source: opening.start.source,
        view: None,
        begins_at: opening.start.card.filter(|card| *card > 0),
        own,
        dialog,
        answers: Answers::default(),
        presented: PresentedCard::default(),
        shows_notes,
        is_black: false,
        since,
        way: opening.start.way,
        opened_from,
        broken: Vec::new(),
    });
    // The texts of lessons are in UTC.
    cx.state.clock.set_zone(Zone::Utc);
    store::opened(Ok(opened), cx);
    if let Some(card) = opening.start.card.filter(|card| *card > 0) {
        ask(LessonRequest::OpenCard(card), cx);
    }
    files::know_course(cx);
}

fn take_view(number: u32, view: &Arc<LessonView>, cx: &mut Apply<'_>) {
    let Some(playing) = &mut cx.state.lessons.playing else { return };
    if playing.number != number {
        return;
    }
    let is_there = |card: usize| view.card == card || card >= view.cards.len();
    if playing.begins_at.is_some_and(|card| !is_there(card) && view.failure.is_none()) {
        return;
    }
    playing.begins_at = None;
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
        cx.state.changes.note_around(None);
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
    show::evidence(view, cx);
    note_progress(view, cx);
}

/// The list shows the progress without being read again.
fn note_progress(view: &LessonView, cx: &mut Apply<'_>) {
    let Some(list) = &mut cx.state.lessons.list else { return };
    let progress =
        if view.is_finished() { LessonProgress::Done } else { LessonProgress::Card(view.card) };
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
