//! Questions that come again, over the real store of each lesson.

use egui::{Event, Key};
use mayfly::job::lesson::LessonSource;
use mayfly::lessons::library;
use mayfly::lessons::progress::KeptProgress;
use mayfly::source::kept_file::hash;
use mayfly::state::State;
use mayfly::worker::lesson_shelf::shelf;

use super::support::Window;

/// A window of a learner who missed two first guesses long ago.
fn window() -> (Window, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lessons.json");
    let mut kept = KeptProgress::open(Some(file.clone()));
    for (slug, id) in
        [("02-the-pass", "removed-at"), ("11-plain-index-to-ttl", "removed-by-the-first-pass")]
    {
        let source = LessonSource::Shipped(slug.to_owned());
        let file = hash(&library::text(&source).expect("a lesson"));
        kept.progress.open_card(&source, file, 0);
        kept.progress.answer(&source, file, id, false, 0);
    }
    kept.save();
    let mut window = Window::open_with_lessons(shelf(Some(file)));
    window.click("Lessons");
    window.until_named("Start: what expires, and when");
    (window, folder)
}

fn page(state: &State) -> String {
    let view = state.lessons.view();
    view.map_or_else(String::new, |view| format!("{} {}", view.lesson.slug, view.card + 1))
}

fn is_done(state: &State) -> bool {
    state
        .lessons
        .view()
        .is_some_and(|view| view.cards.get(view.card).is_some_and(|card| card.is_done))
}

#[test]
fn missed_questions_come_again_one_after_the_other() {
    let (mut window, _folder) = window();
    assert!(window.has("2 questions that you missed at first"));
    window.click("Repeat five");
    window.until("the card of the first one", |state| page(state) == "02-the-pass 2");
    let stop = window.state().lessons.playing.as_ref().and_then(|playing| playing.way.stop());
    assert!(stop.is_some_and(|stop| stop.seed.is_some()), "with other numbers");
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.harness.event(Event::Text("120100".to_owned()));
    window.settle_and_draw(2);
    window.click("Lock answer");
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until("it played", is_done);
    window.until_named("Next question");
    window.key(Key::PageDown);
    window.until("the second one", |state| page(state) == "11-plain-index-to-ttl 2");
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.key(Key::Num1);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until_named("Done");
    window.key(Key::Space);
    window.until("it played", is_done);
    window.until_named("Finish");
    window.key(Key::PageDown);
    window.until_named("Start: what expires, and when");
    window.until_gone("Repeat five");
}
