//! Lessons in the window, over the real store of each lesson.

use egui::{Key, Modifiers};
use mayfly::action::{Action, ConsoleAction, LessonAction};
use mayfly::job::lesson::{LessonRequest, LessonSource};
use mayfly::state::State;
use mayfly::state::lesson::steps;

use super::support::Window;

/// A lesson with a block that runs, a question, and a goal.
const LESSON: &str = r#"+++
title = "A test of the window"
minutes = 1
level = "core"
show = ["tickets"]
[clock]
start = 2026-01-01T12:00:00Z
rate = 60
+++

## Tickets

Three tickets, and `one` index.

```js setup
db.tickets.createIndex({ at: 1 })
db.tickets.insertMany([
  { _id: "new", at: T("0s") },
  { _id: "older", at: T("-150s") },
  { _id: "text", at: "today" },
])
```

## One command

```js run Make it a TTL index
db.runCommand({ collMod: "tickets", index: { keyPattern: { at: 1 }, expireAfterSeconds: 100 } })
```

## What does the next pass remove?

```toml predict
id = "removed"
question = "How many does it remove?"
ask = 'ledger("tickets").length'
[[choice]]
text = "None"
is = 0
because = "Nothing is due, you say."
[[choice]]
text = "One"
is = 1
because = "Only older is past 100 seconds."
```
```js play
play("next pass")
```

## Which are left?

```toml predict
id = "left"
kind = "which"
among = "tickets"
question = "Which does the next pass remove?"
ask = 'ledger("tickets").map((row) => row._id).filter((id) => id !== "older")'
because = "It is past 100 seconds at that pass."
```
```js play
play("next pass")
```

## Your turn

```toml goal
task = "Set the index to 3600 seconds."
when = 'db.tickets.getIndexes().some((index) => index.expireAfterSeconds === 3600)'
hints = ["Use collMod."]
```
```js solution
db.runCommand({ collMod: "tickets", index: { keyPattern: { at: 1 }, expireAfterSeconds: 3600 } })
```
"#;

/// A window that plays the lesson above.
fn open() -> Window {
    let mut window = Window::open();
    let file = window.folder.path().join("test.md");
    std::fs::write(&file, LESSON).expect("a file");
    window.ask(Action::Lesson(LessonAction::Open(LessonSource::File(file))));
    window.until("the lesson shows its first card", |state| {
        assert!(state.lessons.failed.is_none(), "{:?}", state.lessons.failed);
        state.lessons.view().and_then(steps::next_card).is_some()
    });
    window
}

fn open_card(window: &mut Window, index: usize) {
    window.ask(Action::Lesson(LessonAction::Request(LessonRequest::OpenCard(index))));
    window.until("the card is open", |state| card(state) == index);
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

fn is_done(state: &State) -> bool {
    state
        .lessons
        .view()
        .is_some_and(|view| view.cards.get(view.card).is_some_and(|card| card.is_done))
}

#[test]
fn keys_alone_finish_a_lesson() {
    let mut window = open();
    assert!(window.has("LESSON") && window.has("SIMULATED"));
    window.key(Key::PageDown);
    window.until("the second card", |state| card(state) == 1);
    window.until("the code can run", |state| {
        state.lessons.view().and_then(steps::next_block).is_some()
    });
    window.key(Key::Space);
    window.until("it ran", is_done);
    window.key(Key::PageDown);
    window.until("a question is open", |state| state.lessons.has_open_question());
    assert!(window.has("Choose an answer first"));
    window.key(Key::Num2);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.until_named("your guess");
    window.key(Key::Space);
    window.until("the verdict is there", is_done);
    window.until_named("Only older is past 100 seconds");
    window.key(Key::PageDown);
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.until_named("'new'");
    press(&mut window, "'new'");
    window.until_named("Lock answer: 1");
    press(&mut window, "Lock answer: 1");
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until("the pass has run", is_done);
    assert!(window.has_part("'new', your guess, true"));
    window.key(Key::PageDown);
    window.until("the goal is there", |state| card(state) == 4);
    press(&mut window, "Show a hint (1 left)");
    window.until_named("Use collMod.");
    press(&mut window, "Show solution");
    press(&mut window, "Run the solution");
    window.until_named("Goal reached");
    window
        .until("the lesson is done", |state| state.lessons.view().is_some_and(steps::is_finished));
    press(&mut window, "Close the lesson");
    window.until("the lesson is closed", |state| !state.lessons.is_playing());
    assert!(window.has("Menu"));
}

#[test]
fn a_pressed_lane_answers_which() {
    let mut window = open();
    open_card(&mut window, 3);
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.until("the lane is there", |state| {
        state
            .tabs
            .active()
            .is_some_and(|tab| tab.expiry.lanes.iter().any(|lane| lane.removed_ms.is_none()))
    });
    let lane = window.place_of_part("new expires at");
    let lane = lane.expect("a lane").center();
    window.point_at(lane.x, lane.y);
    window.until_named("Lock answer: 1");
}

#[test]
fn two_keys_give_a_lesson_to_a_room() {
    let mut window = open();
    window.key(Key::F11);
    let step = |window: &mut Window, what: &str, is_so: fn(&State) -> bool| {
        window.key(Key::PageDown);
        window.until(what, is_so);
    };
    step(&mut window, "the second card", |state| card(state) == 1);
    window.until("the code can run", |state| {
        state.lessons.view().and_then(steps::next_block).is_some()
    });
    step(&mut window, "the code ran", is_done);
    step(&mut window, "the third card", |state| card(state) == 2);
    assert!(!window.has_part("How many does it remove?"));
    window.key(Key::PageDown);
    window.until_named("How many does it remove?");
    step(&mut window, "the first choice is locked", |state| !state.lessons.has_open_question());
    step(&mut window, "it played", is_done);
    assert!(!window.has_part("Nothing is due"));
    window.key(Key::PageDown);
    window.until_named("Nothing is due");
    window.key(Key::PageUp);
    window.until_gone("Nothing is due");
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
    let is_own = |db: &str| db != "lesson";
    assert!(window.state().tree.databases.iter().all(|known| is_own(&known.name)));
    assert_eq!(window.state().now_ms(), super::support::START_MS);
    assert!(!window.state().lessons.is_playing());
}

#[test]
fn the_console_of_a_lesson_reaches_its_goal() {
    let mut window = open();
    open_card(&mut window, 4);
    window.until_named("Goal");
    let input = "db.runCommand({ collMod: 'tickets', index: { keyPattern: { at: 1 }, \
                 expireAfterSeconds: 3600 } })";
    window.ask(Action::Console(ConsoleAction::Run(input.to_owned())));
    window.until_named("Goal reached");
    window.until("the input has ended", |state| state.console.running.is_none());
    assert!(window.state().console.database.as_deref() == Some("lesson"));
}

/// 494 of 500 would be more than fifty presses of the buttons.
#[test]
fn a_number_is_typed() {
    let mut window = Window::open();
    let source = LessonSource::Shipped("10-a-new-rule-and-old-data".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("it is open", |state| state.lessons.view().and_then(steps::next_card).is_some());
    open_card(&mut window, 1);
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.harness.event(egui::Event::Text("4".to_owned()));
    window.settle_and_draw(2);
    assert!(window.is_focused("Number"), "digits need no click");
    window.harness.event(egui::Event::Text("94x".to_owned()));
    window.settle_and_draw(2);
    assert_eq!(window.value("Number"), "494");
    window.click("One more");
    assert_eq!(window.value("Number"), "495");
    window.type_into("Number", "501");
    assert!(!window.is_enabled("Lock answer"), "there are 500");
    window.type_into("Number", "493");
    window.key(Key::Enter);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.until_named("493");
}
