//! Lessons in the window, over the real store of each lesson.

use egui::{Key, Modifiers};
use mayfly::action::{Action, ConsoleAction, LessonAction, ViewAction};
use mayfly::job::lesson::{LessonProgress, LessonRequest, LessonSource, LessonView};
use mayfly::state::State;
use mayfly::state::lesson::{LessonStart, Way, steps};

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
    let new = window.part("'new'");
    assert_eq!(new, "'new' at: ISODate('2026-01-01T12:00:00.000Z')");
    press(&mut window, &new);
    window.until_named("Lock answer: 1");
    press(&mut window, "Lock answer: 1");
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until("the pass has run", is_done);
    assert!(window.has_part(&format!("{new}, your guess, true")));
    window.key(Key::PageDown);
    window.until("the goal is there", |state| card(state) == 4);
    press(&mut window, "Show a hint (1 left)");
    window.until_named("Use collMod.");
    press(&mut window, "Show solution");
    press(&mut window, "Run the solution");
    window.until_named("Goal reached");
    window.until("the lesson is done", |state| {
        state.lessons.view().is_some_and(LessonView::is_finished)
    });
    press(&mut window, "Close the lesson");
    window.until("the lesson is closed", |state| !state.lessons.is_playing());
    assert!(window.has("Menu"));
}

fn open_shipped(window: &mut Window, slug: &str, card: usize, is_on_path: bool) {
    let source = LessonSource::Shipped(slug.to_owned());
    let way = if is_on_path { Way::Path } else { Way::Series };
    let start = LessonStart { card: Some(card), way, ..LessonStart::new(source) };
    window.ask(Action::Lesson(LessonAction::OpenAt(start)));
    window.until("the lesson shows its card", |state| {
        state.lessons.view().is_some_and(|view| view.lesson.slug == slug && view.card == card)
    });
}

fn slug(state: &State) -> &str {
    state.lessons.view().map_or("", |view| view.lesson.slug.as_str())
}

#[test]
fn the_next_lesson_is_that_of_the_path_and_goals_are_an_offer() {
    let mut window = Window::open();
    open_shipped(&mut window, "02-the-pass", 2, true);
    window.until_named("Try it, or continue");
    window.until("the list is there", |state| state.lessons.list.is_some());
    window.click("Continue");
    window.until("the path continues", |state| slug(state) == "05-earliest-of-an-array");
    window.ask(Action::Lesson(LessonAction::Reload));
    window.until("an open goal of a lesson does not hold it back", |state| {
        let known = state.lessons.list.as_ref().and_then(|list| list.shipped("02-the-pass"));
        known.is_some_and(|entry| entry.progress == LessonProgress::Done)
    });
    open_shipped(&mut window, "02-the-pass", 2, false);
    window.until_named("Continue");
    window.key(Key::PageDown);
    window.until("its series continues", |state| slug(state) == "03-overdue-is-still-found");
}

#[test]
fn a_path_ends_with_its_summary_and_a_challenge_needs_its_goal() {
    let mut window = Window::open();
    open_shipped(&mut window, "c02-why-not-deleted-text-dates", 0, true);
    window.until("the list is there", |state| state.lessons.list.is_some());
    window.click("Continue");
    window.until("the last card", |state| card(state) == 1);
    window.click("Finish");
    window.until_named("You can now predict");
    let list = window.state().lessons.list.clone().expect("a list");
    let known = list.shipped("c02-why-not-deleted-text-dates").map(|entry| entry.progress);
    assert_eq!(known, Some(LessonProgress::Card(1)));
}

#[test]
fn a_lesson_continues_at_its_card_and_leads_back_to_the_list() {
    let mut window = Window::open();
    window.click("Lessons");
    window.until_named("Start: what expires, and when");
    open_shipped(&mut window, "07-not-a-date", 1, false);
    press(&mut window, "Close the lesson");
    window.until_named("Start: what expires, and when");
    let row = window.part("Nine tickets, 3 minutes");
    assert!(row.contains("card 2 of 4"), "{row}");
    window.click(&row);
    window.until("it continues", |state| slug(state) == "07-not-a-date" && card(state) == 1);
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "Lessons");
    window.key(Key::Enter);
    window.until_named("Start: what expires, and when");
    assert!(!window.state().lessons.is_playing());
}

#[test]
fn a_sandbox_of_a_lesson_asks_before_the_lesson_ends() {
    let mut window = Window::open();
    open_shipped(&mut window, "02-the-pass", 0, false);
    window.ask(Action::Lesson(LessonAction::Sandbox));
    window.until_named("Leave the lesson for a sandbox?");
    assert!(window.state().lessons.is_playing());
    window.click("Cancel");
    assert!(window.state().lessons.is_playing() && window.state().dialogs.open().is_none());
    window.ask(Action::Lesson(LessonAction::Sandbox));
    window.click("Open sandbox");
    window.until("the sandbox is open", State::is_in_sandbox);
    assert!(!window.state().lessons.is_playing());
}

#[test]
fn a_wrong_guess_has_its_reason_and_that_of_the_answer() {
    let mut window = open();
    open_card(&mut window, 2);
    window.until("a question is open", |state| state.lessons.has_open_question());
    assert!(window.has("Play"), "the time of the pass would tell");
    window.key(Key::Num1);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until("the verdict is there", is_done);
    window.until_named("Your guess. Nothing is due, you say.");
    assert!(window.has("The answer. Only older is past 100 seconds."));
    assert!(window.has("1. None, your guess") && window.has("2. One, true"));
    let (play, verdict) = (window.place("Done"), window.place_of_part("The answer."));
    assert!(verdict.is_some_and(|verdict| verdict.top() > play.top()), "after what was played");
}

#[test]
fn changed_data_offer_a_restart() {
    let mut window = Window::open();
    let source = LessonSource::Shipped("03-overdue-is-still-found".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("it is open", |state| state.lessons.view().and_then(steps::next_card).is_some());
    open_card(&mut window, 1);
    window.ask(Action::Console(ConsoleAction::Run("db.dropDatabase()".to_owned())));
    window.until("the input has ended", |state| state.console.running.is_none());
    window.key(Key::Num1);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until_named("You changed the data");
    assert!(!window.has_part(", true"), "no choice is called true");
    window.click("Restart card");
    window.until("a question is open", |state| state.lessons.has_open_question());
}

#[test]
fn the_evidence_stays_on_screen_with_the_verdict() {
    let mut window = Window::open();
    let source = LessonSource::Shipped("49-whose-clock".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("a question is open", |state| state.lessons.has_open_question());
    let span_ms = window.tab().expiry.axis.span_ms();
    window.key(Key::Num2);
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
    window.key(Key::Space);
    window.until("the verdict is there", is_done);
    // Removed ten minutes before the end of the play.
    window.until_named("by-server removed");
    assert!(window.tab().expiry.axis.span_ms() > span_ms);
}

#[test]
fn the_time_of_a_pin_is_typed() {
    let mut window = Window::open();
    let source = LessonSource::Shipped("02-the-pass".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("it is open", |state| state.lessons.view().is_some());
    open_card(&mut window, 1);
    window.until("a question is open", |state| state.lessons.has_open_question());
    assert!(!window.is_enabled("Lock answer"), "a pin that was not set");
    for typed in ["1", "20101"] {
        window.harness.event(egui::Event::Text(typed.to_owned()));
        window.settle_and_draw(2);
    }
    assert_eq!(window.value("Time of the pin"), "120101");
    window.click("Pin one second earlier");
    assert_eq!(window.value("Time of the pin"), "12:01:00");
    window.click("Lock answer");
    window.until("the answer is locked", |state| !state.lessons.has_open_question());
}

#[test]
fn to_leave_is_to_leave_the_lesson_while_one_is_open() {
    for (typed, is_in_lesson) in [("leave", true), ("exit", true), ("end", true), ("exit", false)] {
        let mut window = open();
        let quit = Action::View(ViewAction::NoteCommand("Quit"));
        window.ask(quit);
        if !is_in_lesson {
            window.ask(Action::Lesson(LessonAction::Close));
        }
        window.keys(Modifiers::COMMAND, Key::P);
        window.type_into("Find a command", typed);
        let place = |label: &str| window.place(label).top();
        if is_in_lesson {
            assert!(place("Close the lesson") < place("Quit"), "{typed}");
            window.key(Key::Enter);
            window.until("the lesson is closed", |state| !state.lessons.is_playing());
        } else {
            assert!(place("Quit") < place("Close the lesson"), "{typed}");
        }
    }
}

#[test]
fn escape_leaves_the_keyboard_on_the_button_of_the_card() {
    let mut window = open();
    window.until_window("it is on the way on", |window| window.is_focused("Next"));
    window.key(Key::Escape);
    window.until_window("it is there again", |window| window.is_focused("Next"));
    window.keys(Modifiers::NONE, Key::Tab);
    assert!(!window.is_focused("Next"));
    window.key(Key::Escape);
    window.until_window("it goes back", |window| window.is_focused("Next"));
    window.key(Key::Enter);
    window.until("the second card", |state| card(state) == 1);
}

#[test]
fn the_keyboard_follows_the_steps_of_a_card() {
    let mut window = open();
    window.until_window("it is on the way on", |window| window.is_focused("Next"));
    window.key(Key::Space);
    window.until("the second card", |state| card(state) == 1);
    let run = "Make it a TTL index";
    window.until_window("it is on the block", |window| window.has(run) && window.is_focused(run));
    window.key(Key::Space);
    window.until("it ran", is_done);
    window.until_window("it is on the way on", |window| window.is_focused("Next"));
    window.key(Key::PageDown);
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.key(Key::Space);
    assert!(window.state().lessons.has_open_question(), "a slip must not answer");
    window.keys(Modifiers::NONE, Key::Tab);
    assert!(window.is_focused("1. None"), "{:?}", window.focused());
    window.key(Key::Num2);
    window.until_window("it is on the play", |window| window.is_focused("Play"));
    window.key(Key::Space);
    window.until("it played", is_done);
    window.until_window("it is on the way on", |window| window.is_focused("Next"));
    window.key(Key::ArrowLeft);
    window.until("an arrow steps back", |state| !is_done(state));
}

#[test]
fn no_large_button_leads_away_from_a_question() {
    let mut window = Window::open();
    open_shipped(&mut window, "07-not-a-date", 1, false);
    window.until("a question is open", |state| state.lessons.has_open_question());
    window.until_named("No TTL index");
    assert!(!window.has("Create a TTL index…"));
    window.until_named("'text' closedAt: '2020-01-01T00:00:00Z'");
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
    step(&mut window, "it is left open", |state| !state.lessons.has_open_question());
    step(&mut window, "it played", is_done);
    assert!(!window.has_part("your guess"), "the room made none");
    assert!(!window.has_part("Only older is past 100 seconds"));
    window.key(Key::PageDown);
    window.until_named("Only older is past 100 seconds");
    window.key(Key::PageUp);
    window.until_gone("Only older is past 100 seconds");
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
    window.until_named("Try it, or continue");
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
    assert!(!window.is_enabled("Lock answer"), "no number is there that could be the answer");
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
