//! Changes of many documents: selected by keys or by the filter, previewed, made, undone.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::source::OpenRequest;
use mayfly::source::embedded::opener;

use super::documents::stored;
use super::support::Window;

fn notes(count: i32) -> Vec<Document> {
    let all: Vec<Document> =
        (0..count).map(|id| doc! {"_id": id, "n": id % 3, "name": format!("note {id}")}).collect();
    let insert = |some: &[Document]| doc! {"insert": "notes", "documents": some.to_vec()};
    all.chunks(5_000).map(insert).collect()
}

fn window(count: i32) -> Window {
    let mut window = Window::open_view(&notes(count), "Documents");
    window.until_named("Document 0");
    window
}

fn count(window: &Window, collection: &str, filter: Document) -> i32 {
    let reply = window.run("test", &doc! {"count": collection, "query": filter});
    reply.get_i32("n").expect("a number")
}

#[test]
fn all_that_match_are_updated_after_a_look_at_what_changes() {
    let mut window = window(300);
    window.type_into("Filter", "{ n: 1 }");
    window.key(Key::Enter);
    window.until_named("of 100");
    window.key(Key::Tab);
    window.keys(Modifiers::COMMAND, Key::A);
    window.choose("Selected documents", "Update 100 documents…");
    window.until_named("Update 100 documents in test.notes");
    assert!(window.has_part("Press Ctrl+Z to undo while this tab is open"));
    assert!(!window.is_enabled("Update 100 documents"), "nothing is typed yet");
    window.type_into("Update", "{ $set: { n: 7, seen: true }, $unset: { name: 1 } }");
    window.until_named("Before and after for 10 of 100 documents");
    assert!(window.has_part("n: 1 → 7   name: 'note 1' → removed   seen: true"));
    window.type_into("Update", "{ n: 7 }");
    window.until_named("Begin with an operator such as $set");
    assert!(!window.is_enabled("Update 100 documents"));
    window.type_into("Update", "{ $set: { n: 7 } }");
    window.click("Update 100 documents");
    window.until_named("Dismiss: Updated 100 documents");
    assert_eq!(stored(&window, doc! {"n": 7}).len(), 100);
    assert!(window.sent().iter().any(|sent| sent.contains("updateMany")), "{:?}", window.sent());
    window.click("Undo");
    window.until_named("Dismiss: Undone: restored 100 documents");
    assert_eq!(count(&window, "notes", doc! {"n": 1}), 100);
}

#[test]
fn more_documents_than_a_list_holds_are_deleted_by_the_filter_and_come_back() {
    let mut window = window(10_050);
    window.keys(Modifiers::COMMAND, Key::A);
    window.until_named("Delete 10,050 documents…");
    window.point_with("Document 1", Modifiers::COMMAND);
    window.until_named("Delete 10,049 documents…");
    window.key(Key::Delete);
    window.until_named("Delete 10,049 documents from test.notes?");
    assert!(window.value("Command to send").contains("$nin: [ 1 ]"));
    window.until_named("Sent in steps of 1,000 documents");
    window.until_enabled("Delete 10,049 documents");
    window.click("Delete 10,049 documents");
    window.until_named("Dismiss: Deleted 10,049 documents");
    assert_eq!(stored(&window, doc! {}), [doc! {"_id": 1, "n": 1, "name": "note 1"}]);
    window.until_named("1–1 of 1");
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Dismiss: Undone: inserted 10,049 documents");
    assert_eq!(count(&window, "notes", doc! {}), 10_050);
}

#[test]
fn documents_are_copied_to_another_collection() {
    let mut window = window(20);
    window.point("Document 2");
    window.point_with("Document 0", Modifiers::SHIFT);
    window.choose("Selected documents", "Copy 3 documents to…");
    window.until_named("Copy 3 documents from test.notes");
    assert!(!window.is_enabled("Copy 3 documents"));
    window.type_into("Collection", "notes");
    window.until_named("The documents are in this collection");
    window.type_into("Collection", "kept");
    window.until_named("New collection");
    window.key(Key::Enter);
    window.until_named("Dismiss: Copied 3 documents to test.kept");
    assert_eq!(count(&window, "kept", doc! {"_id": {"$lt": 3}}), 3);
    window.click("Undo");
    window.until_named("Dismiss: Undone: deleted 3 documents");
    assert_eq!((count(&window, "kept", doc! {}), count(&window, "notes", doc! {})), (0, 20));
}

#[test]
fn a_copy_says_when_its_collection_removes_what_is_old() {
    let mut commands = notes(3);
    commands.push(doc! {"createIndexes": "old", "indexes": [
        {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
    ]});
    let mut window = Window::open_after(&commands);
    window.click("Collection test.notes");
    window.click("Documents");
    window.until_named("Document 0");
    window.keys(Modifiers::COMMAND, Key::A);
    window.choose("Selected documents", "Copy 3 documents to…");
    window.type_into("Collection", "old");
    window.until_named("Already has 0 documents and a TTL index");
}

#[test]
fn what_can_be_done_with_a_selection_has_room_in_a_small_window() {
    let mut window = window(200);
    for size in [[1280.0, 800.0], [1024.0, 640.0]] {
        window.harness.set_size(size.into());
        window.key(Key::End);
        window.keys(Modifiers::SHIFT, Key::Home);
        window.until_named("Delete 200 documents…");
        let ends = ["Delete 200 documents…", "Selected documents", "Clear selection"];
        let places = ends.map(|name| window.place(name));
        let modes = window.place("Cards (F2)");
        assert!(places[0].right() <= places[1].left() && places[1].right() <= places[2].left());
        assert!(places[2].right() <= modes.left(), "{size:?}: {places:?} {modes}");
        window.key(Key::Escape);
    }
}

#[test]
fn documents_are_copied_to_another_store() {
    let kept = tempfile::tempdir().expect("a temporary folder");
    let folder = kept.path().join("store");
    let request = OpenRequest { folder: Some(folder.clone()), ..OpenRequest::default() };
    opener()(&request).expect("a store").source.close();
    let folder = folder.display().to_string();
    let mut window = window(3);
    window.keys(Modifiers::COMMAND, Key::A);
    window.choose("Selected documents", "Copy 3 documents to…");
    window.click("Store: Another store");
    window.until_named("Enter the data folder of the other store");
    window.type_into("Data folder", &folder);
    window.type_into("Collection", "there");
    window.click("Copy 3 documents");
    window.until_named("Dismiss: Copied 3 documents to test.there");
    assert_eq!(count(&window, "notes", doc! {}), 3);
}

/// The mouse is never used: find, edit, save, undo, delete, restore.
#[test]
fn the_keyboard_alone_finds_edits_saves_undoes_deletes_and_restores() {
    let mut window = window(60);
    let text = |window: &Window, id: i32| {
        let found = stored(window, doc! {"_id": id});
        found.first().and_then(|one| one.get_str("name").ok().map(ToOwned::to_owned))
    };
    window.keys(Modifiers::COMMAND, Key::L);
    assert!(window.is_focused("Filter"));
    type_text(&mut window, "{ _id: { $gte: 40 } }");
    window.key(Key::Enter);
    window.until_named("of 20");
    window.key(Key::Tab);
    window.key(Key::ArrowDown);
    window.key(Key::Enter);
    window.until_named("Edit 41");
    assert!(window.is_focused("Document"), "it can be typed at once");
    window.keys(Modifiers::COMMAND, Key::A);
    type_text(&mut window, "{ _id: 41, n: 2, name: 'by hand' }");
    window.keys(Modifiers::COMMAND, Key::Enter);
    window.until_named("Saved 1 document");
    assert_eq!(text(&window, 41).as_deref(), Some("by hand"));
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Undone: saved 1 document");
    assert_eq!(text(&window, 41).as_deref(), Some("note 41"));
    window.keys(Modifiers::SHIFT, Key::End);
    window.until_named("Delete 19 documents…");
    window.key(Key::Delete);
    window.until_enabled("Delete 19 documents");
    while !window.is_focused("Delete 19 documents") {
        window.key(Key::Tab);
    }
    window.key(Key::Enter);
    window.until_named("Deleted 19 documents");
    assert_eq!(count(&window, "notes", doc! {}), 41);
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Undone: inserted 19 documents");
    assert_eq!(count(&window, "notes", doc! {}), 60);
}

/// Types into whatever has the keyboard.
fn type_text(window: &mut Window, text: &str) {
    window.harness.event(egui::Event::Text(text.to_owned()));
    window.harness.run_steps(3);
}
