//! The lasting parts of a lesson: a sandbox with its store, a handout, a sandbox as a lesson.

use bson::doc;
use mayfly::action::{Action, LessonAction, lesson};
use mayfly::job::lesson::LessonSource;
use mayfly::lessons::file;
use mayfly::state::Dialog;
use mayfly::state::dialogs::HelpPage;
use mayfly::state::expiry::Mode;
use mayfly::state::tabs::ViewKind;
use mayfly::state::view::Drawer;

use super::support::Window;

fn open(slug: &str) -> Window {
    let mut window = Window::open();
    let source = LessonSource::Shipped(slug.to_owned());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("the lesson shows its first card", |state| state.lessons.view().is_some());
    window.until("its collection is shown", |state| state.tabs.active().is_some());
    window
}

#[test]
fn a_lesson_goes_on_in_a_sandbox_without_its_goal() {
    let mut window = open("02-the-pass");
    let start_ms = window.state().now_ms();
    assert!(lesson::SANDBOX.is_enabled(window.state()));
    window.ask(Action::Lesson(LessonAction::Sandbox));
    window.click("Open sandbox");
    window.until("a sandbox is open", |state| state.is_open() && state.is_in_sandbox());
    window.until("it has the documents", |state| state.tree.collections() > 0);
    let state = window.state();
    assert!(!state.lessons.is_playing() && state.is_simulated());
    assert!((state.now_ms() - start_ms).abs() < 60_000, "it has the time of the lesson");
    let events = mayfly::state::Namespace::new("lesson", "eventlog");
    assert!(state.tree.collection(&events).is_some());
    assert!(!lesson::SANDBOX.is_enabled(state));
}

#[test]
fn a_handout_is_written_where_the_user_says() {
    let mut window = open("02-the-pass");
    let file = window.folder.path().join("handout.md");
    let show = (lesson::HANDOUT.action)(window.state()).expect("an action");
    window.ask(show);
    assert!(matches!(window.state().dialogs.open(), Some(Dialog::Handout(_))));
    window.type_into("Handout path", &file.display().to_string());
    window.click("Export");
    window.until_named("The handout is in");
    let text = std::fs::read_to_string(&file).expect("a file");
    assert!(text.contains("The TTL monitor"), "{text}");
    let databases = window.run("admin", &doc! {"listDatabases": 1, "nameOnly": true});
    let is_empty = databases.get_array("databases").is_ok_and(Vec::is_empty);
    assert!(is_empty, "the store of the user: {databases}");
}

#[test]
fn every_link_of_a_lesson_leads_somewhere() {
    let mut window = open("02-the-pass");
    for (name, _) in file::keys::LINKS {
        let link = format!("mayfly:{name}");
        window.ask(Action::Lesson(LessonAction::Follow(link)));
        window.until(name, |state| {
            let tab = state.tabs.active().expect("the lesson's collection");
            match name {
                "documents" => tab.view == ViewKind::Documents,
                "indexes" => tab.view == ViewKind::Indexes,
                "expiry" => tab.view == ViewKind::Expiry && tab.expiry.mode == Mode::Timeline,
                "removed" => tab.view == ViewKind::Expiry && tab.expiry.mode == Mode::Removed,
                "console" => state.settings.drawer == Some(Drawer::Console),
                "glossary" => {
                    matches!(state.dialogs.open(), Some(Dialog::Help(HelpPage::Glossary)))
                }
                other => panic!("{other} leads nowhere"),
            }
        });
    }
}

/// A lesson of two cards, the second one with this title.
fn two_cards(second: &str) -> String {
    format!(
        "+++\ntitle = \"Mine\"\nminutes = 1\nlevel = \"start\"\nshow = [\"log\"]\n[clock]\n\
         start = 2026-01-01T12:00:00Z\n+++\n\n## One\n\n```js setup\ndb.log.insertOne({{ _id: 1 }})\n```\n\n\
         ## {second}\n\nThat is all.\n"
    )
}

#[test]
fn a_saved_file_is_read_again_and_a_broken_one_keeps_the_card() {
    let mut window = Window::open();
    let file = window.folder.path().join("mine.md");
    let write = |text: &str| std::fs::write(&file, text).expect("written");
    write(&two_cards("Two"));
    let source = LessonSource::File(file.clone());
    window.ask(Action::Lesson(LessonAction::Open(source)));
    window.until("the lesson is shown", |state| state.lessons.view().is_some());
    window.ask(Action::Lesson(LessonAction::Next));
    let card = |state: &mayfly::state::State| {
        let view = state.lessons.view()?;
        Some(view.lesson.cards.get(view.card)?.title.clone())
    };
    window.until("the second card is shown", |state| card(state).as_deref() == Some("Two"));
    window.until("its file was looked at", |state| state.lessons.watched.stamp.is_some());
    write(&two_cards("Second"));
    window.until("the saved text is shown", |state| card(state).as_deref() == Some("Second"));
    write("no lesson any more");
    window.until_named("The saved file can’t be read. This is the card before.");
    window.until_named("There is no front matter");
    assert_eq!(card(window.state()).as_deref(), Some("Second"), "the card stays");
    write(&two_cards("Mended"));
    window.until("the mended text is shown", |state| card(state).as_deref() == Some("Mended"));
    let playing = window.state().lessons.playing.as_ref().expect("it is played");
    assert!(playing.broken.is_empty());
}

#[test]
fn a_sandbox_is_saved_as_a_lesson_that_can_be_opened() {
    let mut window = Window::open_view(&super::time::drops(), "Documents");
    assert!(!lesson::SAVE.is_enabled(window.state()), "the user's own store");
    window.choose("Menu", "Open a sandbox on a simulated clock…");
    window.click("Contents: Demo data");
    window.click("Open sandbox");
    window.until("the sandbox has a collection", |state| {
        state.is_in_sandbox() && lesson::SAVE.is_enabled(state)
    });
    let file = window.folder.path().join("mine.md");
    std::fs::write(&file, "other").expect("a file");
    let show = (lesson::SAVE.action)(window.state()).expect("an action");
    window.ask(show);
    window.type_into("Lesson title", "Mine");
    window.type_into("Lesson path", &file.display().to_string());
    window.click("Save");
    window.until_named("Replace file");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "other");
    window.click("Replace file");
    window.until_named("Open lesson");
    let text = std::fs::read_to_string(&file).expect("a file");
    let read = file::parse("mine", &text).expect("a lesson");
    assert_eq!(read.title, "Mine");
    let source = LessonSource::File(file);
    window.until("it is in the list", |state| {
        let list = state.lessons.list.as_ref();
        list.is_some_and(|list| {
            list.lessons.iter().any(|it| it.source == source && it.problems.is_empty())
        })
    });
    assert!(!window.state().toasts.list().is_empty());
    window.click("Open lesson");
    window.until("it is played", |state| state.lessons.view().is_some());
    window.until("its documents are there", |state| state.tabs.active().is_some());
    assert!(!lesson::SAVE.is_enabled(window.state()));
}
