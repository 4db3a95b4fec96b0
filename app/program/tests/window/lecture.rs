//! Lessons in front of a room: a run sheet with one key, and everything that a lesson shows.

use egui::Key;
use mayfly::action::{Action, LessonAction, ViewAction};
use mayfly::job::lesson::{BlockState, LessonSource, LessonView};
use mayfly::state::State;
use mayfly::state::lesson::catalog;
use mayfly::state::lesson::steps::{self, Step};

use super::support::Window;

const COURSE: &str = r#"title = "Mine"
order = ["a-pin", "b-scene", "c-count"]
[[sheet]]
title = "Short"
lessons = ["b-scene", "a-pin", "c-count"]
"#;

const FRONT: &str = r#"minutes = 1
level = "core"
[clock]
start = 2026-01-01T12:00:00Z
rate = 60
+++

"#;

/// A pin, then a goal with two hints.
const PIN: &str = r#"
## When?

```js setup
db.tickets.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
db.tickets.insertOne({ _id: "a", at: T("30s") })
```
```toml predict
id = "when"
kind = "pin"
question = "When is it removed?"
ask = 'removedAfter("tickets", "a")'
because = "By the next pass."
```
```js play
play("next pass")
```

## Your turn

```toml goal
task = "Insert b."
when = 'db.tickets.countDocuments() === 1'
hints = ["Use insertOne.", "Its _id is b."]
```
```js solution
db.tickets.insertOne({ _id: "b" })
```
"#;

const SCENE: &str = r#"
## Two collections

```js setup
for (const name of ["upper", "lower"]) {
  db[name].createIndex({ at: 1 }, { expireAfterSeconds: 0 })
  db[name].insertOne({ _id: `in-${name}`, at: T("30s") })
}
```
```js run Drop one index
db.lower.dropIndex("at_1")
```
"#;

const COUNT: &str = r#"
## How many?

```js setup
db.tickets.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
db.tickets.insertOne({ _id: "a", at: T("30s") })
```
```toml predict
id = "many"
kind = "count"
min = 0
max = 9
question = "How many are removed?"
ask = 'ledger("tickets").length'
because = "One is due."
```
```js run One pass
play("next pass")
```
"#;

fn front(title: &str, show: &str, kind: &str) -> String {
    format!("+++\ntitle = \"{title}\"\nshow = [{show}]\n{kind}{FRONT}")
}

/// A window on the Lessons page, with a course that has a run sheet.
fn window() -> Window {
    let mut window = Window::open();
    let folder = window.folder.path().join("course");
    std::fs::create_dir(&folder).expect("a folder");
    let tickets = "\"tickets\"";
    for (name, text) in [
        ("course.toml", COURSE.to_owned()),
        ("a-pin.md", front("A pin", tickets, "") + PIN),
        ("b-scene.md", front("A scene", "\"upper\", \"lower\"", "kind = \"scene\"\n") + SCENE),
        ("c-count.md", front("A count", tickets, "") + COUNT),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    window.ask(Action::Lesson(LessonAction::Add(folder)));
    window.until_named("Run sheet: Mine: Short");
    window
}

/// A window that presents a lesson of the program.
fn presented(slug: &str) -> Window {
    let mut window = Window::open();
    let source = LessonSource::Shipped(slug.to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    let first = format!("{slug} 1");
    window.until("it is open", |state| page(state) == first);
    window.ask(Action::View(ViewAction::Present(true)));
    window
}

/// The lesson and the card, from 1, such as `a-pin 2`.
fn page(state: &State) -> String {
    let view = state.lessons.view();
    view.map_or_else(String::new, |view| format!("{} {}", view.lesson.slug, view.card + 1))
}

/// Whether a press does something.
fn is_ready(state: &State) -> bool {
    let playing = state.lessons.playing.as_ref().filter(|_| state.lessons.opening.is_none());
    let step = playing.and_then(|it| Some(steps::step(it.view.as_ref()?, &it.presented)));
    step.is_some_and(|step| !matches!(step, Step::Wait | Step::Stuck))
}

fn looks(state: &State) -> (String, Vec<BlockState>, String) {
    let states = state.lessons.view().into_iter().flat_map(steps::blocks);
    let hints = state.lessons.view().into_iter().flat_map(steps::blocks);
    let hints: usize = hints.map(|(_, _, block)| block.hints).sum();
    let presented = state.lessons.playing.as_ref().map(|playing| playing.presented.clone());
    let states = states.map(|(_, _, block)| block.state).collect();
    (page(state), states, format!("{presented:?} {hints}"))
}

/// One press, and the end of what it began.
fn press(window: &mut Window, key: Key) {
    window.until("a press does something", is_ready);
    let before = looks(window.state());
    window.key(key);
    window.until("the press did something", |state| looks(state) != before && is_ready(state));
}

fn guesses(view: &LessonView) -> usize {
    let blocks = view.cards.iter().flat_map(|card| &card.parts).flatten();
    blocks.filter(|block| block.question.as_ref().is_some_and(|it| it.guess.is_some())).count()
}

#[test]
fn page_down_alone_leads_through_a_run_sheet_and_page_up_back() {
    let mut window = window();
    window.click("Present: Mine: Short");
    window.until("the first lesson", |state| page(state) == "b-scene 1");
    assert!(window.state().view.is_presented());
    let mut pages = vec![page(window.state())];
    // Far more than it takes, so that a key that does nothing ends the test.
    for _ in 0..40 {
        if page(window.state()) == "c-count 1"
            && window.state().lessons.view().is_some_and(LessonView::is_finished)
        {
            break;
        }
        press(&mut window, Key::PageDown);
        let now = page(window.state());
        if pages.last() != Some(&now) {
            pages.push(now);
        }
        assert_eq!(window.state().lessons.view().map(guesses), Some(0), "the room made none");
    }
    assert_eq!(pages, ["b-scene 1", "a-pin 1", "a-pin 2", "c-count 1"]);
    window.key(Key::PageDown);
    window.until_named("One is due.");
    window.key(Key::PageDown);
    assert_eq!(page(window.state()), "c-count 1", "the last page stays");
    let mut back = Vec::new();
    for _ in 0..40 {
        let now = page(window.state());
        if back.last() != Some(&now) {
            back.push(now.clone());
        }
        if now == "b-scene 1" {
            break;
        }
        press(&mut window, Key::PageUp);
    }
    assert_eq!(back, ["c-count 1", "a-pin 2", "a-pin 1", "b-scene 1"]);
}

#[test]
fn a_scene_between_two_lessons_leads_back_to_the_run_sheet() {
    let mut window = window();
    window.click("Present: Mine: Short");
    window.until("the first lesson", |state| page(state) == "b-scene 1");
    window.key(Key::N);
    window.until("the notes are open", |state| {
        state.lessons.playing.as_ref().is_some_and(|playing| playing.shows_notes)
    });
    let show = |window: &mut Window| {
        window.key(Key::Num1);
        window.until("a scene", |state| page(state) == "s01-threshold-and-pass 1");
    };
    show(&mut window);
    let playing = window.state().lessons.playing.as_ref();
    assert!(playing.is_some_and(|playing| playing.shows_notes), "it is one lecture");
    press(&mut window, Key::PageUp);
    assert_eq!(page(window.state()), "b-scene 1");
    show(&mut window);
    let mut pages = Vec::new();
    for _ in 0..20 {
        if pages.last().is_some_and(|last| last == "a-pin 1") {
            break;
        }
        press(&mut window, Key::PageDown);
        pages.push(page(window.state()));
    }
    assert_eq!(pages.last().map(String::as_str), Some("a-pin 1"));
}

#[test]
fn a_question_without_a_guess_has_no_fields_left() {
    let mut window = window();
    window.click("Present: Mine: Short");
    window.until("the first lesson", |state| page(state) == "b-scene 1");
    while page(window.state()) != "a-pin 1" {
        press(&mut window, Key::PageDown);
    }
    press(&mut window, Key::PageDown);
    assert!(window.has("Time of the pin") && window.has("Lock answer"));
    press(&mut window, Key::PageDown);
    assert!(window.has_part("When is it removed?"));
    assert!(!window.has("Time of the pin") && !window.has("Lock answer"));
}

#[test]
fn a_question_comes_into_view_when_it_is_shown() {
    let mut window = presented("01-the-threshold");
    press(&mut window, Key::PageDown);
    let choice = "one hour from now";
    assert!(!window.has_part(choice));
    press(&mut window, Key::PageDown);
    let bottom = window.harness.ctx.content_rect().bottom();
    window.until_frame("its last choice is on the screen", |window| {
        window.place_of_part(choice).is_some_and(|place| place.bottom() <= bottom)
    });
}

#[test]
fn a_card_that_is_higher_than_the_screen_is_shown_to_its_end() {
    let mut window = presented("07-not-a-date");
    window.harness.set_size(egui::vec2(800.0, 250.0));
    window.settle_and_draw(9);
    let bottom = window.harness.ctx.content_rect().bottom();
    let is_seen = |window: &Window| {
        window.place_of_part("{ date: ISODate").is_some_and(|place| place.bottom() <= bottom)
    };
    assert!(!is_seen(&window), "else this shows nothing");
    for _ in 0..9 {
        if page(window.state()) != "07-not-a-date 1" {
            break;
        }
        assert!(!window.has_part("Which ones leave?"));
        if is_seen(&window) {
            return;
        }
        press(&mut window, Key::PageDown);
        window.settle_and_draw(9);
    }
    panic!("the next card came before the end of the first");
}

#[test]
fn hands_are_counted_before_a_room_alone() {
    let mut window = presented("01-the-threshold");
    press(&mut window, Key::PageDown);
    press(&mut window, Key::PageDown);
    window.click("Count hands");
    window.until_named("Show the vote");
    window.click("Show the vote");
    window.until_named("Vote again");
    window.ask(Action::View(ViewAction::Present(false)));
    window.until_gone("Vote again");
}

#[test]
fn code_is_not_on_the_screen_before_its_question_is_answered() {
    let mut window = window();
    window.click("Present: Mine: Short");
    window.until("the first lesson", |state| page(state) == "b-scene 1");
    while page(window.state()) != "c-count 1" {
        press(&mut window, Key::PageDown);
    }
    let is_seen = |window: &Window| (window.has("Code"), window.has_part("One pass"));
    assert_eq!(is_seen(&window), (false, false));
    press(&mut window, Key::PageDown);
    assert_eq!(is_seen(&window), (false, false), "the question is asked");
    press(&mut window, Key::PageDown);
    assert_eq!(is_seen(&window), (true, true));
}

#[test]
fn a_run_sheet_of_the_command_line_knows_its_lessons() {
    let window = window();
    let tour = window.state().lessons.list.as_ref().and_then(|list| list.sheets.last().cloned());
    let start = tour.as_ref().and_then(|tour| catalog::stop(tour, 0)).expect("a run sheet");
    // A window that begins with it has not shown the Lessons page.
    let mut window = window.restart();
    assert_eq!(window.state().lessons.opened, Vec::<std::path::PathBuf>::new());
    window.ask(Action::Lesson(LessonAction::OpenAt(start)));
    window.until("its lessons are listed", |state| {
        let list = state.lessons.list.as_ref();
        let title = |slug: &str| list.map(|list| list.lessons.iter().any(|it| it.slug == slug));
        page(state) == "b-scene 1" && title("c-count") == Some(true)
    });
}

#[test]
fn a_goal_takes_three_presses() {
    let mut window = window();
    window.click("Present: Mine: Short");
    window.until("the first lesson", |state| page(state) == "b-scene 1");
    while page(window.state()) != "a-pin 2" {
        press(&mut window, Key::PageDown);
    }
    assert!(!window.has_part("Use insertOne."));
    press(&mut window, Key::PageDown);
    assert!(window.has_part("Use insertOne.") && !window.has_part("Its _id is b."));
    assert!(!window.has_part("One solution"));
    press(&mut window, Key::PageDown);
    window.until_named("Goal reached");
    assert!(window.has("One solution"));
    press(&mut window, Key::PageDown);
    assert_eq!(page(window.state()), "c-count 1");
}

#[test]
fn every_shown_collection_is_on_the_screen_of_a_room() {
    let mut window = window();
    window.click("Present: Mine: Short");
    window.until_named("in-upper");
    window.until_named("in-lower");
    let (upper, lower) = (window.place("upper"), window.place("lower"));
    let middle = window.harness.ctx.content_rect().center().y;
    assert!(
        upper.bottom() < lower.top() && lower.bottom() < window.harness.ctx.content_rect().bottom()
    );
    assert!(upper.bottom() < middle, "{upper} {lower}");
    press(&mut window, Key::PageDown);
    window.until_named("No TTL index");
    assert!(window.has("upper") && window.has("lower") && window.has_part("in-upper"));
    assert!(!window.has("Create a TTL index…"), "a room sees no dialogs");
    window.ask(Action::View(ViewAction::Present(false)));
    window.until_named("Close the lesson");
    assert!(!window.has("lower"), "tabs show one at a time");
}

#[test]
fn a_jump_of_the_clock_is_seen_with_its_reason() {
    let mut window = Window::open();
    let source = LessonSource::Shipped("s09-clock-guard".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("it is open", |state| state.lessons.view().is_some());
    window.ask(Action::View(ViewAction::Present(true)));
    let shown = |window: &Window| {
        let state = window.state();
        let playing = state.lessons.playing.as_ref().expect("a lesson");
        playing.time_shown(&state.clock)
    };
    assert_eq!(shown(&window).len(), "12:00:00".len());
    press(&mut window, Key::PageDown);
    assert!(shown(&window).len() > "2026-01-01 12:00".len(), "{}", shown(&window));
    let time = shown(&window);
    assert!(window.has(&time), "the date is on the screen: {time}");
    let reason = window.state().reaper.held.as_ref().expect("a hold").sentence.clone();
    assert!(window.has_part(&reason), "the banner says why");
    press(&mut window, Key::PageDown);
    assert!(window.has("Whole reply"), "the reply is folded");
    assert!(!window.has_part("noticed:"));
}

#[test]
fn a_scene_of_the_command_line_has_its_keys() {
    let mut window = Window::open();
    let source = LessonSource::Shipped("s01-threshold-and-pass".to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("it is open, without the Lessons page", |state| {
        page(state) == "s01-threshold-and-pass 1" && state.lessons.list.is_some()
    });
    for (key, slug) in [(Key::Num4, "s04-heartbeat 1"), (Key::Num0, "s10-secondaries 1")] {
        window.key(key);
        window.until("the other scene", |state| page(state) == slug);
    }
}
