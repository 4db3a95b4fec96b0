//! Links from what the window shows to the lesson that explains it.

use bson::{Document, doc};
use mayfly::action::{Action, LessonAction};
use mayfly::job::lesson::LessonSource;

use super::support::{Window, at};

/// One overdue document, one with a text where its date belongs.
fn notes() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "notes", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0, "hidden": true},
        ]},
        doc! {"insert": "notes", "documents": [
            {"_id": "late", "at": at(-5)}, {"_id": "text", "at": "2020-01-01"},
        ]},
    ]
}

/// The slug of the lesson that a press asks for.
fn pressed(window: &mut Window, name: &str) -> Option<String> {
    window.click(name);
    let lessons = &window.state().lessons;
    let playing = lessons.playing.as_ref().map(|playing| &playing.source);
    let source =
        playing.or_else(|| lessons.opening.as_ref().map(|opening| &opening.start.source))?;
    match source {
        LessonSource::Shipped(slug) => Some(slug.clone()),
        LessonSource::File(_) => None,
    }
}

#[test]
fn reasons_lead_to_the_lesson_that_explains_them() {
    let mut window = Window::open_view(&notes(), "Expiry");
    window.until_named("Never expires: 1");
    window.point("Never expires: 1");
    window.until_named("Learn why: not a date");
    assert_eq!(pressed(&mut window, "Learn why: not a date").as_deref(), Some("07-not-a-date"));
}

#[test]
fn an_overdue_document_leads_to_the_lesson_about_passes() {
    let mut window = Window::open_view(&notes(), "Expiry");
    let lane = "late expired at 11:59:55, not yet removed";
    window.until_named(lane);
    window.click(lane);
    window.until_named("Learn why: the pass");
    assert_eq!(pressed(&mut window, "Learn why: the pass").as_deref(), Some("02-the-pass"));
}

#[test]
fn a_hidden_index_leads_to_its_lesson() {
    let mut window = Window::open_view(&notes(), "Indexes");
    window.until_named("at_1");
    let name = "Learn why: a hidden index still deletes";
    let slug = pressed(&mut window, name);
    assert_eq!(slug.as_deref(), Some("21-a-hidden-index-still-deletes"));
}

#[test]
fn a_collection_without_a_rule_leads_to_the_lesson_about_that() {
    let mut window =
        Window::open_view(&[doc! {"insert": "plain", "documents": [{"_id": 1}]}], "Expiry");
    let name = "Learn why: no index no expiry";
    window.until_named(name);
    assert_eq!(pressed(&mut window, name).as_deref(), Some("22-no-index-no-expiry"));
}

#[test]
fn a_compound_key_and_what_if_lead_to_their_lessons() {
    let mut window = Window::open_view(&notes(), "Indexes");
    window.click("Create index…");
    window.type_into("Field 1", "_id");
    let name = "Learn why: what create index refuses";
    assert!(!window.has(name), "one link is enough");
    window.click("Help: Set a TTL");
    window.until_named(name);
    assert_eq!(pressed(&mut window, name).as_deref(), Some("13-what-create-index-refuses"));
    window.until("the dialog gives way", |state| state.dialogs.open().is_none());
}

/// Opens the lesson that the open dialog links to, and closes it.
fn read_lesson(window: &mut Window) {
    let help = window.part("Help: ");
    window.click(&help);
    window.until_named("Learn why: ");
    let link = window.part("Learn why: ");
    window.click(&link);
    window.until("the lesson plays", |state| state.lessons.view().is_some());
    assert!(window.state().dialogs.open().is_none(), "the dialog gives way");
    window.ask(Action::Lesson(LessonAction::Close));
    window.until("the lesson is over", |state| !state.lessons.is_playing());
}

#[test]
fn a_dialog_comes_back_from_its_lesson_with_what_was_typed() {
    let create = doc! {"createIndexes": "notes", "indexes": [
        {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 3_601},
    ]};
    let insert = doc! {"insert": "notes", "documents": [{"_id": 1, "at": at(-60)}]};
    let mut window = Window::open_view(&[create, insert], "Indexes");
    window.until_named("Change TTL… at_1");
    window.click("Change TTL… at_1");
    window.type_into("TTL", "7");
    window.until_named("Change and expire 1");
    read_lesson(&mut window);
    window.until_named("Change and expire 1");
    assert_eq!(window.value("TTL"), "7");
    window.click("Cancel");
    window.click("Create index…");
    window.type_into("Field 1", "at");
    window.type_into("Index name", "another");
    window.click("Expire documents (TTL)");
    window.type_into("TTL", "9");
    window.until_named("Create and expire 1");
    read_lesson(&mut window);
    window.until_named("Create and expire 1");
    assert_eq!([window.value("TTL"), window.value("Index name")], ["9", "another"]);
}
