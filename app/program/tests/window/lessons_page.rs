//! The Lessons page: series, progress, the half-hour path, scenes on keys, and broken files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use egui::{Event, Key, Modifiers};
use mayfly::action::{Action, LessonAction, ViewAction};
use mayfly::job::lesson::{
    ExamChoice, ExamQuestion, ExamSheet, LessonEntry, LessonKind, LessonList, LessonProgress,
    LessonSource, Level, MissedQuestion, Problem,
};
use mayfly::state::Dialog;
use mayfly::worker::LessonShelf;
use mayfly::worker::lesson::{LessonDesk, StagedLesson};

use super::support::Window;

/// A shelf of made-up lessons, which notes what was opened and begins nothing.
#[derive(Default)]
struct Shelf {
    opened: Mutex<Vec<LessonSource>>,
}

fn lesson(slug: &str, title: &str, level: Level, kind: LessonKind) -> LessonEntry {
    LessonEntry {
        source: LessonSource::Shipped(slug.to_owned()),
        slug: slug.to_owned(),
        title: title.to_owned(),
        minutes: 4,
        level,
        kind,
        cards: 3,
        after: Vec::new(),
        course: None,
        problems: Vec::new(),
        progress: LessonProgress::NotStarted,
        missed: Vec::new(),
        repeats: Vec::new(),
        varies: false,
    }
}

fn problem(line: usize, sentence: &str) -> Problem {
    Problem { line, column: 1, sentence: sentence.to_owned() }
}

fn shipped() -> Vec<LessonEntry> {
    let kind = LessonKind::Lesson;
    let mut lessons = vec![
        lesson("01-the-threshold", "The threshold", Level::Start, kind),
        lesson("02-the-pass", "Expired is not deleted", Level::Start, kind),
        lesson("07-not-a-date", "Not a date, never expires", Level::Start, kind),
        lesson("10-a-new-rule", "A new rule applies to old data", Level::Core, kind),
        lesson("c01-keep-ada", "Keep Ada signed in", Level::Challenge, LessonKind::Challenge),
    ];
    lessons[0].progress = LessonProgress::Done;
    lessons[1].progress = LessonProgress::Card(1);
    lessons[3].progress = LessonProgress::Done;
    lessons[3].missed = vec![MissedQuestion { text: "How many are removed?".to_owned(), card: 2 }];
    lessons[4].after = vec!["01-the-threshold".to_owned(), "02-the-pass".to_owned()];
    for number in 1..=10 {
        let slug = format!("s{number:02}-scene");
        let title = format!("Scene about {number}");
        lessons.push(lesson(&slug, &title, Level::Start, LessonKind::Scene));
    }
    lessons
}

/// The entry of a file or a folder of the user.
fn of_path(path: &Path) -> LessonEntry {
    let slug = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut entry = lesson(&slug, &format!("Title of {slug}"), Level::Core, LessonKind::Lesson);
    entry.source = LessonSource::File(path.to_path_buf());
    if slug == "broken" {
        entry.problems = vec![
            problem(30, "predict: 2 choices are true after play"),
            problem(45, "unknown block `js plai`. Did you mean `js play`?"),
        ];
    }
    if path.join("course.toml").exists() {
        entry.course = Some("My course".to_owned());
    }
    entry
}

impl LessonShelf for Shelf {
    fn list(&self, opened: &[PathBuf]) -> LessonList {
        let mut lessons = shipped();
        lessons.extend(opened.iter().map(|path| of_path(path)));
        let path = ["01-the-threshold", "02-the-pass", "07-not-a-date"].map(str::to_owned);
        let predicts = [("path", "the threshold"), ("core", "what collMod answers")];
        let predicts = predicts.map(|(key, what)| (key.to_owned(), vec![what.to_owned()]));
        let (path, predicts) = (path.to_vec(), predicts.into());
        LessonList { lessons, path, predicts, ..LessonList::default() }
    }

    fn exam(&self, seed: u64) -> Result<ExamSheet, String> {
        let choice = |text: &str| ExamChoice {
            text: text.to_owned(),
            because: format!("Because of {text}."),
        };
        let question = |rule: &str, right| ExamQuestion {
            rule: rule.to_owned(),
            given: "It is noon.".to_owned(),
            text: "What happens?".to_owned(),
            choices: vec![choice("this"), choice("that")],
            right,
            lesson: "01-the-threshold".to_owned(),
        };
        Ok(ExamSheet { seed, questions: vec![question("Rule one", 1), question("Rule two", 0)] })
    }

    fn open(
        &self,
        source: &LessonSource,
        _: Option<u64>,
        _: &Arc<LessonDesk>,
    ) -> Result<StagedLesson, Vec<Problem>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(source.clone());
        Err(vec![problem(1, "Nothing begins here")])
    }
}

fn window() -> (Window, Arc<Shelf>) {
    let shelf = Arc::new(Shelf::default());
    let mut window = Window::open_with_lessons(shelf.clone());
    window.click("Lessons");
    window.until_named("Lesson 01: The threshold");
    (window, shelf)
}

fn last_opened(window: &mut Window, shelf: &Shelf) -> Option<String> {
    window.until("it was opened", |state| state.lessons.opening.is_none());
    let source = shelf.opened.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
    Some(match source {
        LessonSource::Shipped(slug) => slug,
        LessonSource::File(file) => file.display().to_string(),
    })
}

#[test]
fn the_start_page_leads_to_the_lessons_and_they_show_their_progress() {
    let (window, _) = window();
    for name in [
        "Start: what expires, and when",
        "Core: indexes and rules",
        "Challenges",
        "Scenes, for lecturers",
        "Lesson 01: The threshold, 4 minutes, done, on the half-hour path",
        "Lesson 02: Expired is not deleted, 4 minutes, card 2 of 3, on the half-hour path",
        "Lesson 04: A new rule applies to old data, 4 minutes, done",
        "Challenge C1: Keep Ada signed in, 4 minutes, not started, after 02",
        "1 of 3 done, 12 minutes in all",
        "Continue: Expired is not deleted",
    ] {
        assert!(window.has(name), "no {name}");
    }
}

#[test]
fn a_press_opens_a_lesson_and_the_path_continues() {
    let (mut window, shelf) = window();
    window.click("Lesson 04: A new rule applies to old data, 4 minutes, done");
    assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("10-a-new-rule"));
    window.until_named("10-a-new-rule can’t be started");
    assert!(window.has("1:1: Nothing begins here"));
    window.click("Continue: Expired is not deleted");
    assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("02-the-pass"));
}

#[test]
fn the_search_keeps_lessons_with_these_words() {
    let (mut window, _) = window();
    window.type_into("Search lessons", "new RULE");
    window.until_gone("Lesson 01: The threshold");
    assert!(window.has("Lesson 04: A new rule applies to old data, 4 minutes, done"));
    assert!(!window.has("Continue: Expired is not deleted"), "the path gives way to the search");
    window.type_into("Search lessons", "no such words");
    window.until_named("No lesson has these words in its title");
    window.click("Clear Search lessons");
    window.until_named("Lesson 01: The threshold");
}

#[test]
fn the_end_of_a_series_says_what_to_repeat_and_what_comes_next() {
    let (mut window, shelf) = window();
    window.click("Summary: Core: indexes and rules");
    window.until_named("You can now predict");
    for name in ["what collMod answers", "How many are removed?", "Next: Keep Ada signed in"] {
        assert!(window.has(name), "no {name}");
    }
    window.click("Repeat: How many are removed?");
    assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("10-a-new-rule"));
}

#[test]
fn the_exam_goes_by_rule_and_each_miss_leads_to_its_lesson() {
    let (mut window, shelf) = window();
    window.click("Take the exam");
    window.until_named("Question 1 of 2");
    assert!(!window.has("Rule one"), "the rule would give the answer away");
    window.key(Key::Num2);
    window.until_named("Next question");
    window.key(Key::PageDown);
    window.until_named("Question 2 of 2");
    window.click("2. that");
    window.click("Show the result");
    window.until_named("1 of 2 right");
    for name in [
        "Rule one",
        "Rule two",
        "Right: this. Because of this.",
        "You chose: that. Because of that.",
    ] {
        assert!(window.has(name), "no {name}");
    }
    assert_eq!(last_opened(&mut window, &shelf), None, "digits open no scene here");
    window.click("Lesson: The threshold");
    assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("01-the-threshold"));
    window.until_named("Last result: 1 of 2");
    window.click("Show the result");
    window.click("Take another exam");
    window.until_named("Question 1 of 2");
}

#[test]
fn what_is_typed_on_the_page_is_searched_for() {
    let (mut window, shelf) = window();
    for (key, text) in [(Key::C, "C"), (Key::Num1, "1")] {
        window.harness.event(Event::Text(text.to_owned()));
        window.key(key);
    }
    assert_eq!(last_opened(&mut window, &shelf), None, "no digit opens a scene here");
    assert_eq!(window.value("Search lessons"), "C1");
    assert!(window.is_focused("Search lessons") && window.has_part("Challenge C1"));
    assert!(!window.has_part("Lesson 01"));
    window.harness.event(Event::Text("x".to_owned()));
    window.harness.run_steps(2);
    assert_eq!(window.value("Search lessons"), "C1x");
    window.click("Clear Search lessons");
    window.choose("Scenes", "Scene about 4");
    assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("s04-scene"));
}

#[test]
fn digits_open_scenes_on_the_page_of_a_presentation() {
    let (mut window, shelf) = window();
    window.ask(Action::View(ViewAction::Present(true)));
    for (key, slug) in
        [(Key::Num1, "s01-scene"), (Key::Num9, "s09-scene"), (Key::Num0, "s10-scene")]
    {
        window.key(key);
        assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some(slug));
    }
    window.ask(Action::View(ViewAction::Present(false)));
    window.click("Close the Lessons page");
    window.until_gone("Core: indexes and rules");
    window.key(Key::Num2);
    assert_eq!(last_opened(&mut window, &shelf), None);
}

#[test]
fn the_exam_is_answered_with_digits_and_enter() {
    let (mut window, _) = window();
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "exam");
    window.key(Key::Enter);
    window.until_named("Question 1 of 2");
    window.key(Key::Num2);
    window.until_window("the way on", |window| window.is_focused("Next question"));
    window.key(Key::Escape);
    window.until_window("it again", |window| window.is_focused("Next question"));
    window.key(Key::Enter);
    window.until_named("Question 2 of 2");
    window.key(Key::Enter);
    assert!(window.has("Question 2 of 2"), "no question is skipped by a second press");
    window.key(Key::Num1);
    window.until_window("the result", |window| window.is_focused("Show the result"));
    window.key(Key::Enter);
    window.until_named("2 of 2 right");
}

#[test]
fn the_palette_finds_lessons_by_their_title() {
    let (mut window, shelf) = window();
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "not a date");
    window.key(Key::Enter);
    assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("07-not-a-date"));
}

#[test]
fn a_typed_path_is_added_and_a_broken_file_says_what_is_wrong() {
    let (mut window, shelf) = window();
    window.click("Open a lesson or a course…");
    assert!(matches!(window.state().dialogs.open(), Some(Dialog::OpenLesson(_))));
    assert!(!window.is_enabled("Open"));
    window.type_into("Lesson or course path", "/lessons/broken.md");
    window.click("Open");
    window.until_named("30:1: predict: 2 choices are true after play");
    assert!(window.has("Your files") && window.has("broken"));
    assert!(window.has("Open file: broken"), "its editor");
    assert!(!window.has_part("did you mean") && !window.has_part("Lesson: broken"));
    window.click("1 more problem: broken");
    window.until_named("45:1: unknown block `js plai`. Did you mean `js play`?");
    window.click("Hide problems: broken");
    window.until_gone("45:1: unknown block");
    assert_eq!(last_opened(&mut window, &shelf), None, "it can't be started");
}

#[test]
fn lessons_and_courses_are_dropped_on_the_window() {
    let (mut window, _) = window();
    window.click("Close the Lessons page");
    let course = window.folder.path().join("course");
    std::fs::create_dir(&course).expect("a folder");
    std::fs::write(course.join("course.toml"), "title = \"My course\"").expect("a file");
    let paths = vec![course, PathBuf::from("/lessons/mine.md")];
    window.ask(Action::Lesson(LessonAction::AddDropped(paths)));
    window.until_named("Title of mine");
    assert!(window.has("My course") && window.has("Your files"));
}

#[test]
fn the_keyboard_walks_the_page() {
    let (mut window, shelf) = window();
    for _ in 0..60 {
        window.key(Key::Tab);
        let name = "Lesson 03: Not a date, never expires, 4 minutes, not started, \
                    on the half-hour path";
        if window.is_focused(name) {
            window.key(Key::Enter);
            assert_eq!(last_opened(&mut window, &shelf).as_deref(), Some("07-not-a-date"));
            return;
        }
    }
    panic!("the keyboard never came to a lesson");
}

#[test]
fn a_file_mended_elsewhere_is_read_again_when_the_window_comes_back() {
    let (mut window, _) = window();
    let before = window.state().generation;
    window.harness.input_mut().events.push(Event::WindowFocused(true));
    window.harness.step();
    window.until("the list is read again", |state| state.generation > before);
}

#[test]
fn the_page_fits_a_small_and_a_large_window() {
    let (mut window, _) = window();
    for (width, height) in [(1_024.0, 640.0), (1_920.0, 1_080.0), (760.0, 480.0)] {
        window.harness.set_size(egui::vec2(width, height));
        window.harness.run_steps(4);
        let screen = window.harness.ctx.content_rect();
        for name in ["Scenes", "Close the Lessons page", "Continue: Expired is not deleted"] {
            let place = window.place(name);
            assert!(screen.contains_rect(place), "{name} at {place:?} in {width} × {height}");
        }
    }
}
