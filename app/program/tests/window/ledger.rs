//! The ledger of removed documents: saved to a file, and restored from.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;

use super::support::{Window, at};

/// Documents that expire within ten seconds; one has a name that is a path elsewhere.
fn visits() -> Vec<Document> {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0};
    let document = |(at_secs, id): (i64, &str)| doc! {"_id": id, "at": at(at_secs)};
    let ids = ["$one", "two, 2", "three", "four"];
    let documents: Vec<Document> = (1..).zip(ids).map(document).collect();
    vec![
        doc! {"createIndexes": "visits", "indexes": [index]},
        doc! {"insert": "visits", "documents": documents},
    ]
}

/// The ledger after a pass at 12:00:20 with the trash on or off.
fn ledger(commands: &[Document], trash_secs: i32) -> Window {
    let mut window = Window::open_view(commands, "Expiry");
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": trash_secs});
    window.until_named("two, 2 expires at");
    window.click("View: Removed");
    window.advance(20);
    window.click("Run pass");
    window.until_named("expiring, the latest after");
    window
}

/// Rows with a button that restores their document.
fn restorable(window: &Window) -> usize {
    let names = ["$one", "two, 2", "three", "four"].map(|id| format!("Restore {id}"));
    names.iter().filter(|name| window.has(name)).count()
}

#[test]
fn a_row_restores_its_document_and_no_column_is_cut() {
    let mut window = ledger(&visits(), 600);
    window.until_window("all are in the trash", |window| restorable(window) == 4);
    for width in [800.0, 1_024.0, 1_280.0, 1_920.0] {
        window.harness.set_size(egui::vec2(width, 700.0));
        window.harness.run_steps(4);
        let end = window.place("View: Removed").left().max(width - 16.0);
        assert!(window.place("Restore two, 2").right() < end, "{width}: the button is cut");
        assert_eq!(window.has("Index"), width > 800.0, "{width}");
    }
    window.click("Restore two, 2");
    window.until_named("Restored 1 document");
    window.until_window("it is there", |window| ids(window) == ["two, 2"]);
    window.until_window("the row says so", |window| window.has("Restored"));
    assert_eq!(restorable(&window), 3);
}

#[test]
fn the_list_of_removals_offers_to_keep_those_to_come() {
    let mut window = ledger(&visits(), 0);
    window.until_named("Not kept");
    window.click("Keep removed documents");
    window.until("the trash is on", |state| state.reaper.trash_secs > 0);
    window.until_gone("Keep removed documents");
    window.run("test", &doc! {"insert": "visits", "documents": [{"_id": "three", "at": at(21)}]});
    window.advance(20);
    window.click("Run pass");
    window.until_window("it can be restored", |window| restorable(window) == 1);
}

#[test]
fn figures_and_the_chart_of_the_lag_come_on_request() {
    let mut window = ledger(&visits(), 600);
    assert!(!window.has("Removal lag") && !window.has_part("p99"));
    window.click("Lag details");
    window.until_named("p99");
    assert!(window.has_part("Removal lag of the last 1 pass"));
    window.click("Lag details");
    window.until_gone("p99");
}

fn ids(window: &Window) -> Vec<String> {
    let found = window.run("test", &doc! {"find": "visits", "sort": {"at": 1}});
    let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let id = |one: &bson::Bson| Some(one.as_document()?.get_str("_id").ok()?.to_owned());
    batch.expect("a batch").iter().filter_map(id).collect()
}

#[test]
fn the_ledger_is_saved_as_ndjson_and_as_csv() {
    let mut window = ledger(&visits(), 0);
    let path = window.folder.path().join("removed.ndjson");
    window.click("Save ledger…");
    window.until_named("Removals from test.visits");
    assert!(!window.has("Command to send"), "it would be as long as the ledger");
    window.type_into("File path", &path.display().to_string());
    window.click("Export");
    window.until_named("Exported 4 documents");
    let text = std::fs::read_to_string(&path).expect("a file");
    let first = text.lines().next().expect("a line");
    for part in ["\"_id\":\"$one\"", "\"ns\":\"test.visits\"", "\"index\":\"at_1\"", "\"lateMS\":"]
    {
        assert!(first.contains(part), "{part} in {first}");
    }
    assert_eq!(text.lines().count(), 4);
    window.click("Save ledger…");
    window.click("Format: CSV, exact text");
    let path = window.folder.path().join("removed.csv");
    window.type_into("File path", &path.display().to_string());
    window.click("Export");
    window.until_window("the file", |_| path.exists());
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.starts_with("_id,ns,index,base,threshold,removed,lateMS,keptUntil\r\n"), "{text}");
    assert!(text.contains("\"two, 2\",test.visits,at_1,2026-06-01T12:00:02Z,"), "{text}");
}

#[test]
fn several_documents_are_restored_from_the_trash() {
    let mut window = ledger(&visits(), 600);
    window.until_window("all are in the trash", |window| restorable(window) == 4);
    window.point("$one");
    window.until_named("Kept until 12:10:20");
    assert!(!window.has("Restore 1 document"), "its row has the button");
    window.point_with("three", Modifiers::COMMAND);
    window.click("Restore 2 documents");
    window.until_named("Restored 2 documents");
    window.until_window("they are there", |window| ids(window) == ["$one", "three"]);
    window.until_window("the rows say so", |window| restorable(window) == 2);
    assert!(window.has("Restored"));
    window.choose("More for the ledger", "Select restorable");
    window.click("Restore 2 documents");
    window.until_window("all are there", |window| ids(window).len() == 4);
}

#[test]
fn what_the_trash_dialog_restores_is_restored_in_the_ledger() {
    let mut window = ledger(&visits(), 600);
    window.until_window("all are in the trash", |window| restorable(window) == 4);
    window.choose("Menu", "Recently removed…");
    window.until_named("In trash: 4 documents");
    window.click("Restore: Everything");
    window.click("Restore everything");
    window.until_named("Restored 4 documents");
    window.click("Done");
    window.until_window("the rows say so", |window| {
        window.harness.query_all_by_label("Restored").count() == 4
    });
    assert!(!window.has("Not kept"));
}

#[test]
fn a_tombstone_of_the_timeline_is_restored_from_the_inspector() {
    let mut window = ledger(&visits(), 600);
    window.click("View: Timeline");
    window.until_named("three removed, ");
    let row = window.part("three removed, ");
    window.click(&row);
    window.until_enabled("Restore document");
    window.click("Restore document");
    window.until_window("it is there", |window| ids(window) == ["three"]);
}

#[test]
fn the_inspector_follows_its_document_through_a_pass_and_a_restore() {
    let mut window = Window::open_view(&visits(), "Expiry");
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    window.until_named("two, 2 expires at");
    window.click(&window.part("two, 2 expires at"));
    window.until_named("Refresh date");
    window.advance(20);
    window.click("Run pass");
    // Without a look at the list of what was removed.
    window.until_enabled("Restore document");
    assert!(window.has_part("Kept until"));
    window.click("Restore document");
    window.until_named("Refresh date");
    window.until_window("its lane", |window| window.has_part("two, 2 expired at"));
    assert!(!window.has("Not in this list") && !window.has("Restore document"));
}

#[test]
fn a_restored_document_is_chosen_in_the_list_that_it_is_in() {
    let mut window = ledger(&visits(), 600);
    window.until_window("all are in the trash", |window| restorable(window) == 4);
    window.point("two, 2");
    window.until_enabled("Restore document");
    window.click("Restore document");
    window.until_named("Restored");
    window.click("View: Timeline");
    window.until_named("Refresh date");
    window.until_gone("Not in this list");
    window.until_window("its document", |window| window.tab().expiry.document.is_some());
}

#[test]
fn a_document_that_is_kept_nowhere_says_so() {
    let mut window = ledger(&visits(), 0);
    window.until_window("all are gone", |window| {
        window.harness.query_all_by_label("Not kept").count() == 4
    });
    window.point("three");
    window.point("More for the ledger");
    assert!(!window.is_enabled("Select restorable"));
    window.key(Key::Escape);
    assert!(!window.is_enabled("Restore document"), "the inspector has one too");
}

#[test]
fn documents_of_the_archive_are_restored_as_those_of_the_trash() {
    let mut commands = visits();
    commands.push(doc! {"mayflyArchive": "visits"});
    let mut window = ledger(&commands, 0);
    window.until_window("all are in the archive", |window| restorable(window) == 4);
    window.point("$one");
    window.until_named("Moved to the data folder");
    window.point_with("three", Modifiers::SHIFT);
    window.click("Restore 3 documents");
    window.until_named("Restored 3 documents; the index is on hold until you release it");
    window.until_window("they are there", |window| ids(window) == ["$one", "two, 2", "three"]);
    window.until_window("the rows say so", |window| restorable(window) == 1);
    assert!(window.has("Restored"));
}

#[test]
fn the_inspector_says_when_its_document_is_in_another_list() {
    let mut window = Window::open_view(&visits(), "Expiry");
    window.until_named("two, 2 expires at");
    window.click(&window.part("two, 2 expires at"));
    window.until_named("Refresh date");
    assert!(!window.has("Not in this list"));
    window.click("View: Removed");
    window.until_named("Not in this list");
    window.click("View: Table");
    window.until_gone("Not in this list");
}
