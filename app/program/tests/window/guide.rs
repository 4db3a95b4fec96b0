//! The guide: opened by its key, the menu and dialogs; searched, followed, left.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::{Action, DialogAction, ViewAction, connect};
use mayfly::guide::{Place, Topic, chapters, section};
use mayfly::state::Dialog;

use crate::support::{Window, at};

fn sessions() -> Vec<Document> {
    vec![doc! {"insert": "sessions", "documents": [{"_id": "first", "at": at(0)}]}]
}

/// Where the guide is, if it is open.
fn place(window: &Window) -> Option<Place> {
    window.state().view.guide.as_ref().map(|guide| guide.at)
}

fn run(window: &mut Window, entry: &str) {
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", entry);
    window.key(Key::Enter);
}

#[test]
fn f1_explains_what_is_on_the_screen() {
    let mut window = Window::open_view(&sessions(), "Documents");
    for (view, topic) in [
        ("Documents", Topic::Documents),
        ("Schema", Topic::Schema),
        ("Aggregate", Topic::Aggregate),
        ("Expiry", Topic::Expiry),
        ("Indexes", Topic::Indexes),
    ] {
        window.click(view);
        window.key(Key::F1);
        assert_eq!(place(&window), Some(topic.place()), "{view}");
        assert!(window.has("Search the guide"));
        window.key(Key::F1);
        assert_eq!(place(&window), None, "the same key closes it");
    }
}

#[test]
fn the_menu_and_the_start_page_open_the_guide() {
    let mut window = Window::open();
    window.until_named("This store is empty");
    window.click("Guide");
    assert_eq!(place(&window), Some(Topic::FirstSteps.place()));
    window.click("Done");
    assert_eq!(place(&window), None);
    window.point("Menu");
    window.point("Guide");
    assert_eq!(place(&window), Some(Topic::FirstSteps.place()));
    window.key(Key::Escape);
    assert_eq!(place(&window), None);
}

#[test]
fn a_search_finds_sections_and_back_returns() {
    let mut window = Window::open();
    window.key(Key::F1);
    window.type_into("Search the guide", "mongodump manifest");
    let found = section(Topic::Folders.place()).expect("a section").title.clone();
    window.click(&found);
    assert_eq!(place(&window), Some(Topic::Folders.place()));
    window.click("Back");
    assert_eq!(place(&window), Some(Topic::FirstSteps.place()));
    assert!(!window.is_enabled("Back"));
    window.type_into("Search the guide", " xyzzy");
    window.until_named("No section has these words");
    window.click("Done");
}

#[test]
fn links_lead_from_one_chapter_to_another() {
    let mut window = Window::open();
    window.key(Key::F1);
    window.click("TTL in ten minutes");
    let second = place(&window).expect("it is open");
    assert_eq!(chapters()[second.chapter].title(), "TTL in ten minutes");
    window.click("Removals on hold");
    let held = place(&window).and_then(section).expect("a section");
    assert_eq!(held.title, "Removals on hold");
    window.keys(Modifiers::ALT, Key::ArrowLeft);
    assert_eq!(place(&window), Some(second));
    let code = window.copied("Copy command");
    assert!(code.contains("expireAfterSeconds"), "{code}");
}

#[test]
fn every_chapter_is_drawn_in_a_small_window_too() {
    for (width, height) in [(1_280.0, 800.0), (760.0, 480.0)] {
        let mut window = Window::open();
        window.harness.set_size(egui::vec2(width, height));
        window.key(Key::F1);
        for (at, chapter) in chapters().iter().enumerate() {
            let there = Place { chapter: at, section: 0 };
            window.ask(Action::View(ViewAction::ShowGuide(Some(there))));
            assert!(window.has(chapter.title()) && window.has("Done"));
        }
        let screen = window.harness.ctx.content_rect();
        for name in ["Done", "Back", "Search the guide"] {
            assert!(screen.contains_rect(window.place(name)), "{name} at {width} × {height}");
        }
    }
}

#[test]
fn a_dialog_keeps_what_was_typed() {
    let mut window = Window::open();
    let show = connect::CONNECT.now(window.state()).expect("it can be opened");
    window.ask(show);
    window.type_into("Connection string", "mongodb://db.example.com");
    window.click("Help: Connect");
    assert_eq!(place(&window), Some(Topic::Connect.place()));
    assert!(!window.has("Connection string"));
    // The key that closes the guide must not answer the dialog's question.
    window.key(Key::Enter);
    assert_eq!(place(&window), None);
    assert_eq!(window.value("Connection string"), "mongodb://db.example.com");
    assert!(matches!(
        window.state().dialogs.open(),
        Some(Dialog::Connect(draft)) if draft.attempt.is_none()
    ));
    window.ask(Action::Dialog(DialogAction::Close));
}

#[test]
fn dialogs_lead_to_their_sections() {
    let mut window = Window::open_view(&sessions(), "Indexes");
    for (entry, topic) in [
        ("Settings…", Topic::Passes),
        ("Connect to a server…", Topic::Connect),
        ("Open a sandbox on a simulated clock…", Topic::Sandbox),
        ("Recently removed…", Topic::Trash),
        ("Backup and maintenance…", Topic::Backup),
        ("Import…", Topic::Import),
        ("Create index…", Topic::SetTtl),
        ("Export…", Topic::Export),
        ("Export database…", Topic::Folders),
        ("Connect other programs…", Topic::Listener),
        ("Expiry calendar…", Topic::Expiry),
        ("Keyboard shortcuts", Topic::Keys),
        ("Open data folder…", Topic::DataFolder),
        ("Create database…", Topic::Rules),
        ("Verify…", Topic::Checks),
    ] {
        run(&mut window, entry);
        let title = &section(topic.place()).expect("a section").title;
        let link = format!("Help: {title}");
        window.until_named(&link);
        window.click(&link);
        assert_eq!(place(&window), Some(topic.place()), "{entry}");
        window.click("Done");
        window.key(Key::F1);
        assert_eq!(place(&window), Some(topic.place()), "F1 over {entry}");
        window.key(Key::Escape);
        assert!(window.state().dialogs.open().is_some(), "{entry} is still there");
        window.key(Key::Escape);
        assert!(window.state().dialogs.open().is_none(), "{entry}");
    }
}

#[test]
fn empty_places_lead_to_their_sections() {
    let create = doc! {"create": "empty"};
    let mut window = Window::open_view(&[create], "Documents");
    for (view, topic) in [("Documents", Topic::Paste), ("Expiry", Topic::SetTtl)] {
        window.click(view);
        let title = &section(topic.place()).expect("a section").title;
        let link = format!("Learn more: {title}");
        window.until_named(&link);
        window.click(&link);
        assert_eq!(place(&window), Some(topic.place()), "{view}");
        window.key(Key::Escape);
    }
    window.run(
        "test",
        &doc! {"createIndexes": "empty", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0},
        ]},
    );
    window.run("test", &doc! {"insert": "empty", "documents": [{"_id": 1, "at": "text"}]});
    window.until_named("No documents will expire");
    for (button, topic) in [("", Topic::NeverExpires), ("View: Removed", Topic::Passes)] {
        if !button.is_empty() {
            window.click(button);
        }
        let title = &section(topic.place()).expect("a section").title;
        window.until_named(&format!("Learn more: {title}"));
    }
}
