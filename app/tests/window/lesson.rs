//! Lessons in the window, over the real store of each lesson.

use egui::{Key, Modifiers};
use mayfly::action::{Action, LessonAction};
use mayfly::job::lesson::{BlockKind, BlockState, LessonRequest, LessonSource};
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

#[test]
fn keys_alone_reach_the_goal_of_a_challenge() {
    let mut window = open("c01-keep-ada-signed-in");
    window.until("the goal can be worked on", |state| {
        let Some(view) = state.lessons.view() else { return false };
        steps::blocks(view).any(|(_, block, known)| {
            matches!(block.kind, BlockKind::Goal(_)) && known.state == BlockState::Ready
        })
    });
    press(&mut window, "Show solution");
    press(&mut window, "Run the solution");
    window.until_named("Goal reached");
}

#[test]
fn lanes_and_boxes_answer_which() {
    let mut window = open("07-not-a-date");
    window.ask(Action::Lesson(LessonAction::Request(LessonRequest::OpenCard(1))));
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.until_named("\"date\"");
    press(&mut window, "\"date\"");
    window.until_named("Lock answer: 1");
    press(&mut window, "Lock answer: 1");
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until("the pass has run", |state| {
        state.lessons.view().and_then(steps::next_card).is_some()
    });
    assert!(window.has_part("\"date\", your guess, true"));
}

#[test]
fn two_keys_give_a_lesson_to_a_room() {
    let mut window = open("11-plain-index-to-ttl");
    window.key(Key::F11);
    let step = |window: &mut Window, what: &str, is_so: fn(&State) -> bool| {
        window.key(Key::PageDown);
        window.until(what, is_so);
    };
    step(&mut window, "the second card", |state| card(state) == 1);
    step(&mut window, "the code ran", |state| {
        state.lessons.view().and_then(steps::next_card).is_some()
    });
    step(&mut window, "the third card", |state| card(state) == 2);
    assert!(!window.has_part("How many of the three tickets"));
    window.key(Key::PageDown);
    window.until_named("How many of the three tickets");
    step(&mut window, "the first choice is locked", |state| !state.lessons.has_open_question());
    step(&mut window, "it played", |state| {
        state.lessons.view().and_then(steps::next_card).is_some()
    });
    assert!(!window.has_part("The documents keep no rule"));
    window.key(Key::PageDown);
    window.until_named("The documents keep no rule");
    window.key(Key::PageUp);
    window.until_gone("The documents keep no rule");
    window.key(Key::B);
    assert!(window.state().lessons.playing.as_ref().is_some_and(|playing| playing.is_black));
}

#[test]
fn the_users_store_comes_back_as_it_was() {
    let create = bson::doc! {"create": "mine"};
    let mut window = Window::open_view(&[create], "Documents");
    let own = window.tab().id;
    window.ask(Action::Lesson(LessonAction::Open(LessonSource::Shipped("02-the-pass".to_owned()))));
    window.until("the lesson plays", |state| state.lessons.view().is_some());
    assert_eq!(window.tab().namespace.to_string(), "lesson.eventlog");
    assert!(window.has_part("stays open"));
    window.run("test", &bson::doc! {"insert": "mine", "documents": [{"_id": 1}]});
    window.ask(Action::Lesson(LessonAction::Close));
    assert_eq!(window.tab().id, own);
    window.until_named("1–1 of 1");
    assert!(!window.state().lessons.is_playing());
}
