//! Lessons in the window, over the real store of each lesson.

use egui::{Key, Modifiers};
use mayfly::action::{Action, LessonAction};
use mayfly::job::lesson::LessonSource;
use mayfly::state::State;
use mayfly::state::lesson::steps;

use super::support::Window;

fn open(slug: &str) -> Window {
    let mut window = Window::open();
    let source = LessonSource::Shipped(slug.to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("the lesson shows its first card", |state| state.lessons.view().is_some());
    window
}

fn card(state: &State) -> usize {
    state.lessons.view().map_or(usize::MAX, |view| view.card)
}

/// Moves the keyboard to a control with Tab, then presses Enter.
fn press(window: &mut Window, name: &str) {
    for _ in 0..120 {
        if window.has(name) && window.is_focused(name) {
            return window.key(Key::Enter);
        }
        window.keys(Modifiers::NONE, Key::Tab);
    }
    panic!("the keyboard never reaches {name}");
}

#[test]
fn keys_alone_finish_a_lesson() {
    let mut window = open("11-plain-index-to-ttl");
    assert!(window.has("LESSON") && window.has("SIMULATED"));
    window.until("nothing is to do on the first card", |state| {
        state.lessons.view().and_then(steps::next_card).is_some()
    });
    window.key(Key::PageDown);
    window.until("the second card", |state| card(state) == 1);
    window.until("the code can run", |state| {
        state.lessons.view().and_then(steps::next_block).is_some()
    });
    window.key(Key::Space);
    window.until("it ran", |state| state.lessons.view().and_then(steps::next_card).is_some());
    window.key(Key::PageDown);
    window.until("a question is open", |state| state.lessons.has_open_question());
    assert!(window.has("Choose an answer first"));
    window.key(Key::Num3);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.until_named("your guess");
    window.key(Key::Space);
    window.until("the verdict is there", |state| {
        state.lessons.view().and_then(steps::next_card).is_some()
    });
    window.until_named("Two of them are past 100");
    window.key(Key::PageDown);
    window.until("the goal is there", |state| card(state) == 3);
    press(&mut window, "Show solution");
    press(&mut window, "Run the solution");
    window.until_named("Goal reached");
    window
        .until("the lesson is done", |state| state.lessons.view().is_some_and(steps::is_finished));
    press(&mut window, "Close the lesson");
    window.until("the lesson is closed", |state| !state.lessons.is_playing());
    assert!(!window.has("SIMULATED – ") && window.has("Menu"));
}
