//! Removed documents are archived, shown and restored.

use std::sync::Arc;

use bson::{Bson, Document, doc};
use egui::Modifiers;
use egui_kittest::kittest::Queryable as _;
use mayfly::action::{Action, TrashAction};
use mayfly::source::Source;
use mayfly::state::Namespace;
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};

use super::expiry_counts::Altered;
use super::support::{START_MS, Window, at};

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

/// The dialog of one collection, opened from its list of what was removed.
fn dialog(commands: &[Document]) -> Window {
    let mut window = Window::open_view(commands, "Expiry");
    window.until_named("View: Removed");
    window.click("View: Removed");
    window.choose("More for the ledger", "Recently removed…");
    window.until_named("then ");
    window
}

fn archived() -> Vec<Document> {
    let mut commands = sessions();
    commands.push(doc! {"mayflyArchive": "sessions"});
    commands
}

/// The dialog over an archive that holds two documents.
fn filled() -> Window {
    let mut window = dialog(&archived());
    window.until_named("No removed documents of test.sessions are kept");
    window.advance(45);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Select 'second'");
    window.until_named("Moved: 2 documents");
    window
}

/// The field `name` of the document with this `_id`.
fn stored(window: &Window, id: &str, name: &str) -> Option<Bson> {
    let found = window.run("test", &doc! {"find": "sessions", "filter": {"_id": id}});
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    batch.expect("a batch").first()?.as_document()?.get(name).cloned()
}

#[test]
fn an_archive_is_switched_on_with_limits_and_off_again() {
    let mut window = dialog(&sessions());
    window.until_named("then deletes them permanently");
    window.click("Move to…");
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
    window.until_named("then moves them to the data folder");
    let listed = window.run("test", &doc! {"mayflyArchives": 1});
    let archive = listed.get_array("archives").expect("a list")[0].as_document().expect("one");
    assert_eq!(archive.get_i64("maxBytes").ok(), Some(500_000_000));
    window.click("Move to…");
    assert_eq!(window.value("Maximum age (days)"), "30");
    window.until_named("Archiving: on, in the data folder");
    window.click("Back");
    window.click("Move to…");
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
    window.until_named("then deletes them permanently");
    assert!(window.sent().contains(&shown), "what was shown was sent");
}

#[test]
fn what_is_kept_and_what_was_moved_is_one_list_and_restored_by_one_button() {
    let mut window = filled();
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    let third = doc! {"_id": "third", "at": at(-15), "user": "eve"};
    window.run("test", &doc! {"insert": "sessions", "documents": [third]});
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Kept until 12:10:45");
    window.until_named("Moved: 2 documents");
    let moved = window.harness.query_all_by_label("Moved to the data folder").count();
    assert_eq!(moved, 2);
    let [third, second] = ["third", "second"].map(|id| format!("Select '{id}' of test.sessions"));
    assert!(window.place(&third).top() < window.place(&second).top(), "newest first");
    // The same in the list of all collections.
    window.choose("Collection", "All collections");
    window.until_gone("then moves them");
    window.until_named(&third);
    window.until_named(&second);
    window.point(&third);
    window.point_with(&second, Modifiers::COMMAND);
    let shown = window.value("Command to send");
    window.click("Restore 2 documents");
    window.until_named("Restored 2 documents; the index is on hold until you release it");
    assert!(window.sent().contains(&shown), "what was shown was sent");
    window.until("the rule", |state| state.reaper.held.is_some());
    assert_eq!(stored(&window, "third", "user"), Some("eve".into()));
    assert_eq!(stored(&window, "second", "at"), Some(at(-20).into()));
    window.until_gone(&third);
    // The archive keeps its copy.
    window.click(&second);
    window.click("Restore this document");
    window.until_named("Nothing was restored: 1 has an _id that already exists");
}

#[test]
fn everything_includes_what_was_moved_and_says_so() {
    let mut window = filled();
    window.click("Restore: All of test.sessions");
    window.until_named("This includes 2 documents that were moved to archives");
    window.click("Restore all of test.sessions");
    window.until_named("Restored 2 documents; the index is on hold until you release it");
    assert!(stored(&window, "first", "user").is_some());
}

#[test]
fn a_target_that_is_no_good_is_told() {
    let mut window = dialog(&sessions());
    window.click("Move to…");
    window.until_enabled("Turn on");
    window.type_into("Target", "old things");
    window.click("Turn on");
    window.until_named("must be an absolute path");
    assert!(window.is_enabled("Turn on"));
}

#[test]
fn documents_are_looked_at_and_filtered() {
    let mut window = filled();
    let first = "Select 'first' of test.sessions";
    window.click(first);
    window.click("Show document");
    window.until_named("Copy document");
    assert!(window.copied("Copy document").contains("user: 'ada'"));
    window.click("Hide document");
    window.until_gone("Copy document");
    window.type_into("Filter", "{ user: 'bob' }");
    window.key(egui::Key::Enter);
    window.until_gone(first);
    window.until_named("Select 'second'");
    assert!(window.has("Restore: All that match"));
    window.type_into("Filter", "{ user:");
    window.key(egui::Key::Enter);
    assert!(window.has_part("Select 'second'"), "half a filter asks for nothing");
    window.type_into("Filter", "{ user: 'no one' }");
    window.key(egui::Key::Enter);
    window.until_named("No removed documents match the filter");
    window.click("Clear Filter");
    window.click("Done");
}

#[test]
fn enter_in_the_filter_restores_nothing() {
    let mut window = filled();
    window.click("Restore: All of test.sessions");
    window.until_enabled("Restore all of test.sessions");
    window.type_into("Filter", "{ user: 'bob' }");
    window.key(egui::Key::Enter);
    window.until_gone("Select 'first'");
    window.harness.run_steps(8);
    assert!(!window.sent().iter().any(|sent| sent.contains("mayflyRestoreTrash")));
}

#[test]
fn what_is_listed_is_restored_and_not_a_newer_one_of_its_id() {
    let mut window = filled();
    let newer = doc! {"_id": "first", "at": at(50), "user": "eve"};
    window.run("test", &doc! {"insert": "sessions", "documents": [newer]});
    window.advance(90);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("Moved: 3 documents");
    window.type_into("Filter", "{ user: 'ada' }");
    window.key(egui::Key::Enter);
    window.until_gone("Select 'second'");
    window.until_named("Select 'first'");
    window.click("Select 'first' of test.sessions");
    window.click("Restore this document");
    window.until_named("Restored 1 document");
    assert_eq!(stored(&window, "first", "user"), Some("ada".into()));
}

#[test]
fn a_filter_with_no_number_is_asked_for_once() {
    let mut window = filled();
    window.type_into("Filter", "{ n: NaN }");
    window.key(egui::Key::Enter);
    window.until_named("No removed documents match the filter");
    let asked = |window: &Window| {
        let records = window.state().commands.records().iter();
        records.filter(|record| record.text.contains("mayflyTrash:")).count()
    };
    let before = asked(&window);
    window.harness.run_steps(20);
    assert!(window.state().trash.scope.filter.is_some());
    assert_eq!(asked(&window), before);
}

#[test]
fn the_settings_that_were_changed_are_shown_the_next_time() {
    let mut commands = sessions();
    commands.push(doc! {"mayflyArchive": "sessions", "maxBytes": 1_000_000});
    let mut window = dialog(&commands);
    window.click("Move to…");
    assert_eq!(window.value("Maximum size (MB)"), "1");
    window.type_into("Maximum size (MB)", "7");
    window.click("Change");
    window.until_gone("Maximum size (MB)");
    window.until_named("then moves them to the data folder");
    window.click("Move to…");
    assert_eq!(window.value("Maximum size (MB)"), "7");
}

#[test]
fn a_failing_archive_says_that_documents_stay_in_the_trash() {
    let mut window = Window::open_view(&archived(), "Expiry");
    let folder = window.folder.path().join("store/archive");
    std::fs::write(&folder, "a file in the way").expect("written");
    window.advance(45);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("View: Removed");
    window.click("View: Removed");
    window.choose("More for the ledger", "Recently removed…");
    window.until_named("Select 'second' of test.sessions");
    window
        .until_named("The archive of test.sessions failed, so removed documents stay in the trash");
    window.until_named("Moved: unknown; 2 more wait in the trash");
    window.until_named("Waits for the archive");
    let found = window.run("test", &doc! {"count": "sessions"});
    assert_eq!(found.get_i32("n").ok(), Some(1));
}

#[test]
fn a_file_that_is_left_at_the_target_is_told() {
    let leaves = |inner| -> Arc<dyn Source> {
        let alter = |command: &Document, mut answer: Document| {
            if command.contains_key("mayflyArchives") {
                let all = answer.get_array_mut("archives").expect("archives");
                let first = all[0].as_document_mut().expect("an archive");
                first.insert("left", "Can't remove 1.gz: not allowed. Delete it there.");
            }
            answer
        };
        Arc::new(Altered { inner, alter })
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(folder, &archived(), leaves);
    window.choose("Menu", "Recently removed…");
    window.until_named("A file stays where test.sessions is moved to. Can't remove 1.gz");
}

/// A store with two documents that wait for an archive. Its list of archives is damaged.
fn unclaimed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("store");
    let open = |start_ms| {
        let clock = ClockOption::Simulated { start_ms };
        let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
        Engine::open(&data, options).expect("a store")
    };
    let engine = open(START_MS + 45_000);
    engine.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    for command in archived() {
        engine.run("test", &command);
    }
    engine.run("admin", &doc! {"mayflyReap": 1});
    engine.close().expect("closed");
    let file = data.join("data.mdb");
    let (mut bytes, name) = (std::fs::read(&file).expect("a file"), b"archives");
    let is_there = |at: &usize| bytes[*at..].starts_with(name);
    let places: Vec<usize> = (0..bytes.len()).filter(is_there).collect();
    for place in places {
        // The checksum follows the name.
        bytes[place + name.len()] ^= 1;
    }
    std::fs::write(file, bytes).expect("written");
    // The first opening notices it, and gives the list up.
    open(START_MS + 45_000).close().expect("closed");
    folder
}

#[test]
fn documents_that_no_archive_takes_are_discarded_with_the_command_that_was_shown() {
    let mut window = Window::open_in(unclaimed(), &[]);
    window.choose("Menu", "Recently removed…");
    window.until_named("2 documents wait for an archive that the store no longer knows");
    window.until_named("Select 'second' of test.sessions");
    window.click("Discard…");
    window.until_named("Discard documents that no archive takes?");
    let shown = window.value("Command to send");
    assert!(shown.contains("mayflyDiscardTrash: 1"), "{shown}");
    window.key(egui::Key::Enter);
    assert!(!window.sent().contains(&shown), "Enter is for the button that loses nothing");
    window.until_named("Discard…");
    window.click("Discard…");
    window.until_named("Discard documents that no archive takes?");
    window.click("Discard");
    window.until_gone("Select 'second'");
    window.until_gone("Discard…");
    assert!(window.sent().contains(&shown), "what was shown was sent");
}

#[test]
fn another_collection_is_shown_with_its_own_archive() {
    let mut window = filled();
    let other = Namespace::new("test", "other");
    window.run("test", &doc! {"create": "other"});
    window.ask(Action::Trash(TrashAction::List(Some(other))));
    window.until_named("then deletes them permanently");
    assert!(!window.has_part("Select 'first'"));
    window.click("Move to…");
    window.click("Turn on");
    window.until_named("then moves them to the data folder");
    let listed = window.run("test", &doc! {"mayflyArchives": 1});
    assert_eq!(listed.get_array("archives").map(Vec::len).ok(), Some(2));
    window.choose("Collection", "List test.sessions");
    window.until_named("Select 'first'");
}
