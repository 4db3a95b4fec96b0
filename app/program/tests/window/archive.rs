//! Removed documents are archived, shown and restored.

use bson::{Document, doc};
use mayfly::action::{Action, TrashAction};
use mayfly::state::Namespace;

use super::support::{Window, at};

fn sessions() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "sessions", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "sessions", "documents": [
            {"_id": "first", "at": at(-30), "user": "ada"},
            {"_id": "second", "at": at(-20), "user": "bob"},
            {"_id": "late", "at": at(600), "user": "ada"},
        ]},
    ]
}

/// The dialog, opened from the list of what was removed.
fn dialog(commands: &[Document]) -> Window {
    let mut window = Window::open_view(commands, "Expiry");
    window.until_named("View: Removed");
    window.click("View: Removed");
    window.click("Recently removed…");
    window.until_named("then ");
    window.click("Listed: In the archive");
    window
}

/// The dialog of an archive that holds two documents.
fn filled() -> Window {
    let mut commands = sessions();
    commands.push(doc! {"mayflyArchive": "sessions"});
    let mut window = dialog(&commands);
    window.until_named("Nothing archived yet");
    window.advance(45);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Show \"second\"");
    window
}

#[test]
fn an_archive_is_switched_on_with_limits_and_off_again() {
    let mut window = dialog(&sessions());
    window.until_enabled("Turn on");
    window.type_into("Maximum size (MB)", "much");
    window.until_named("much is not a valid number of MB");
    assert!(!window.is_enabled("Turn on"));
    window.type_into("Maximum size (MB)", "500");
    window.type_into("Maximum age (days)", "30");
    let shown = window.value("Command to send");
    assert!(shown.contains("mayflyArchive: 'sessions'"), "{shown}");
    assert!(shown.contains("500000000") && shown.contains("2592000"), "{shown}");
    window.key(egui::Key::Enter);
    window.until_named("Archiving: on, in the data folder");
    let listed = window.run("test", &doc! {"mayflyArchives": 1});
    let archive = listed.get_array("archives").expect("a list")[0].as_document().expect("one");
    assert_eq!(archive.get_i64("maxBytes").ok(), Some(500_000_000));
    window.click("Archive settings");
    assert_eq!(window.value("Maximum age (days)"), "30");
    window.click("Back");
    window.click("Turn off");
    window.until_named("Documents that are removed from now on are deleted permanently");
    window.click("Cancel");
    window.until_named("Archiving: on, in the data folder");
    window.click("Turn off");
    window.until_named("Turn off archiving for test.sessions?");
    let shown = window.value("Command to send");
    assert!(!window.sent().contains(&shown), "{shown}");
    window.key(egui::Key::Enter);
    assert!(!window.sent().contains(&shown), "Enter is for the button that loses nothing");
    window.until_named("Archiving: on, in the data folder");
    window.click("Turn off");
    window.until_named("Turn off archiving for test.sessions?");
    window.click("Turn off");
    window.until_named("Archiving: off");
    assert!(window.sent().contains(&shown), "what was shown was sent");
    window.click("Turn back on");
    window.until_enabled("Turn on");
}

#[test]
fn rows_of_an_archive_stay_where_they_are_while_several_are_chosen() {
    let mut window = filled();
    // The dialog has grown with what it lists.
    window.harness.run_steps(16);
    let before = window.place("Select \"first\"");
    window.click("Select \"second\"");
    window.until_named("Command to send");
    assert_eq!(window.place("Select \"first\""), before);
    window.click("Select \"first\"");
    window.until_named("Restore");
    assert_eq!(window.place("Select \"first\""), before);
    // Its cell also shows a document to the right of its name.
    let name = window.place("Show \"second\"");
    window.point_at(name.right() - 4.0, name.top() + 4.0);
    window.until_named("Document");
    assert!(window.value("Document").contains("bob"));
}

#[test]
fn a_target_that_is_no_good_is_told() {
    let mut window = dialog(&sessions());
    window.until_enabled("Turn on");
    window.type_into("Target", "old things");
    window.click("Turn on");
    window.until_named("must be an absolute path");
    assert!(window.is_enabled("Turn on"));
}

#[test]
fn documents_are_looked_at() {
    let mut window = filled();
    assert!(window.has_part("Contents: 2 documents"));
    window.click("Show \"first\"");
    window.until_named("Copy document");
    assert!(window.copied("Copy document").contains("user: 'ada'"));
    window.type_into("Archive filter", "{ user: 'bob' }");
    window.key(egui::Key::Enter);
    window.until_gone("Show \"first\"");
    assert!(window.has("Show \"second\""));
    window.type_into("Archive filter", "{ user:");
    window.key(egui::Key::Enter);
    assert!(window.has("Show \"second\""), "half a filter asks for nothing");
    window.click("Clear Archive filter");
    window.click("Done");
}

#[test]
fn documents_are_restored_and_their_rule_is_held() {
    let mut window = filled();
    assert!(!window.is_enabled("Restore"));
    window.click("Select \"first\"");
    let shown = window.value("Command to send");
    window.click("Restore");
    assert!(window.sent().contains(&shown), "what was shown was sent");
    window.until_named("Restored 1 document; the index is on hold until you release it");
    let query = doc! {"find": "sessions", "filter": {"_id": "first"}};
    let found = window.run("test", &query);
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let document = batch.expect("a batch")[0].as_document().expect("a document");
    assert_eq!(document.get_datetime("at").ok(), Some(&at(-30)));
    window.until("what waits", |state| state.reaper.held.is_some());
    window.click("Select \"first\"");
    window.click("Restore");
    window.until_named("Nothing was restored: 1 has an _id that already exists");
}

#[test]
fn the_trash_and_then_the_archive_have_what_was_removed() {
    let mut window = dialog(&sessions());
    window.until_enabled("Turn on");
    window.click("Turn on");
    window.until_named("Archiving: on, in the data folder");
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 60});
    window.advance(45);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Waiting: 2 documents in the trash");
    window.click("Listed: In the trash");
    window.until_named("Select \"second\" of test.sessions");
    window.until_named("then moves them to the data folder");
    window.advance(60);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("No removed documents from test.sessions in the trash");
    window.click("Listed: In the archive");
    window.until_named("Show \"second\"");
    window.click("Listed: In the trash");
    window.click("Move to…");
    window.until_named("Maximum age (days)");
}

#[test]
fn what_is_listed_is_restored_and_not_a_newer_one_of_its_id() {
    let mut window = filled();
    let newer = doc! {"_id": "first", "at": at(50), "user": "eve"};
    window.run("test", &doc! {"insert": "sessions", "documents": [newer]});
    window.advance(90);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Contents: 3 documents");
    window.type_into("Archive filter", "{ user: 'ada' }");
    window.key(egui::Key::Enter);
    window.until_gone("Show \"second\"");
    window.until_named("Select \"first\"");
    window.click("Select \"first\"");
    window.click("Restore");
    window.until_named("Restored 1 document");
    let found = window.run("test", &doc! {"find": "sessions", "filter": {"_id": "first"}});
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let document = batch.expect("a batch")[0].as_document().expect("a document");
    assert_eq!(document.get_str("user").ok(), Some("ada"));
}

#[test]
fn a_filter_with_no_number_is_asked_for_once() {
    let mut window = filled();
    window.type_into("Archive filter", "{ n: NaN }");
    window.key(egui::Key::Enter);
    window.until_named("No archived documents match the filter");
    let asked = |window: &Window| {
        let records = window.state().commands.records().iter();
        records.filter(|record| record.text.contains("mayflyArchived")).count()
    };
    let before = asked(&window);
    window.harness.run_steps(20);
    assert!(window.state().archive.filter.is_some());
    assert_eq!(asked(&window), before);
}

#[test]
fn the_settings_that_were_changed_are_shown_the_next_time() {
    let mut commands = sessions();
    commands.push(doc! {"mayflyArchive": "sessions", "maxBytes": 1_000_000});
    let mut window = dialog(&commands);
    window.until_named("Nothing archived yet");
    window.click("Archive settings");
    assert_eq!(window.value("Maximum size (MB)"), "1");
    window.type_into("Maximum size (MB)", "7");
    window.click("Change");
    window.until_gone("Maximum size (MB)");
    window.until("the store has said", |state| state.archive.is_known);
    window.click("Archive settings");
    assert_eq!(window.value("Maximum size (MB)"), "7");
}

#[test]
fn a_failing_archive_says_that_documents_stay_in_the_trash() {
    let mut commands = sessions();
    commands.push(doc! {"mayflyArchive": "sessions"});
    let mut window = Window::open_view(&commands, "Expiry");
    let folder = window.folder.path().join("store/archive");
    std::fs::write(&folder, "a file in the way").expect("written");
    window.advance(45);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("View: Removed");
    window.click("View: Removed");
    window.click("Recently removed…");
    window.until_named("Select \"second\" of test.sessions");
    window.click("Listed: In the archive");
    window.until_named("The archive failed, so removed documents stay in the trash");
    window.until_named("Waiting: 2 documents in the trash");
    let found = window.run("test", &doc! {"count": "sessions"});
    assert_eq!(found.get_i32("n").ok(), Some(1));
}

#[test]
fn another_collection_is_shown_with_its_own_archive() {
    let mut window = filled();
    window.click("Select \"first\"");
    let other = Namespace::new("test", "other");
    window.run("test", &doc! {"create": "other"});
    window.ask(Action::Trash(TrashAction::List(Some(other))));
    window.until_enabled("Turn on");
    assert!(!window.has_part("Show \"first\""));
    window.click("Turn on");
    window.until_named("Archiving: on, in the data folder");
    let listed = window.run("test", &doc! {"mayflyArchives": 1});
    assert_eq!(listed.get_array("archives").map(Vec::len).ok(), Some(2));
    window.choose("Collection", "List test.sessions");
    window.until_named("Show \"first\"");
    assert!(!window.is_enabled("Restore"), "nothing is chosen of what is listed now");
}
