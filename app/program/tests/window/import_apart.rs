//! Several files at once: a collection for each unless the user says otherwise, and the way back.

use std::fs;
use std::path::PathBuf;

use bson::{Bson, doc};
use mayfly::action::{Action, TransferAction};

use super::support::Window;

const BIRDS: &str = "_id,seen\n1,2026-01-31T12:00:00Z\n2,2026-02-28T12:00:00Z\n";
const CODES: &str = "_id\tcode\n1\t00501\n";

fn file(window: &Window, name: &str, text: &str) -> PathBuf {
    let path = window.folder.path().join(name);
    fs::write(&path, text).expect("a file can be written");
    path
}

/// The import dialog on three files of three shapes.
fn dialog() -> Window {
    let mut window = Window::open();
    let quakes = (0..40).map(|id| format!("{{\"_id\": {id}}}\n")).collect::<Vec<_>>().concat();
    let files = vec![
        file(&window, "quakes.json", &quakes),
        file(&window, "birds.csv", BIRDS),
        file(&window, "codes.tsv", CODES),
    ];
    window.ask(Action::Transfer(TransferAction::Import { files, into: None }));
    window.until_named("3 files into 3 collections");
    window.until_enabled("Import");
    window
}

fn count(window: &Window, collection: &str) -> i32 {
    let reply = window.run("test", &doc! {"count": collection});
    reply.get_i32("n").expect("a number")
}

fn collections(window: &Window) -> usize {
    let reply = window.run("test", &doc! {"listCollections": 1, "nameOnly": true});
    let batch = reply.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    batch.expect("a list").len()
}

#[test]
fn files_become_a_collection_each_and_go_back_together() {
    let mut window = dialog();
    assert_eq!(window.value("Collection for quakes.json"), "quakes");
    window.type_into("Collection for codes.tsv", "zip");
    window.click("Import");
    window.until_named("Import finished");
    assert_eq!(
        [count(&window, "quakes"), count(&window, "birds"), count(&window, "zip")],
        [40, 2, 1]
    );
    assert!(window.has("test.birds · 2 documents") && window.has("43"));
    // Dates of a file that was never shown are dates too.
    let found = window.run("test", &doc! {"find": "birds", "filter": {"_id": 1}});
    let first = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let bird = first.expect("a batch")[0].as_document().and_then(|bird| bird.get("seen"));
    assert!(matches!(bird, Some(Bson::DateTime(_))), "{bird:?}");
    let changed = doc! {"q": {"_id": 7}, "u": {"$set": {"note": "mine"}}};
    window.run("test", &doc! {"update": "quakes", "updates": [changed]});
    window.click("Roll back");
    window.until_named("Dismiss: 42 documents removed. 1 document was changed or damaged since");
    assert_eq!(count(&window, "quakes"), 1);
    assert_eq!(collections(&window), 1, "the others were made by the import");
}

#[test]
fn the_user_can_say_one_collection() {
    let mut window = dialog();
    window.click("Collections: One for all files");
    window.until_named("3 files into 1 collection");
    window.type_into("Collection", "all");
    window.click("Import options");
    window.click("Mode: Skip");
    window.click("Import");
    window.until_named("Import finished");
    assert_eq!((count(&window, "all"), collections(&window)), (40, 1));
}

#[test]
fn a_finished_import_of_one_file_is_rolled_back_once() {
    let mut window = Window::open();
    let files = vec![file(&window, "people.json", "{\"_id\": 1}\n{\"_id\": 2}\n")];
    window.ask(Action::Transfer(TransferAction::Import { files, into: None }));
    window.until_named("one JSON document per line");
    window.click("Import");
    window.until_named("Import finished");
    window.click("Roll back");
    window.until_named("Dismiss: 2 documents removed.");
    assert_eq!(collections(&window), 0);
    window.click("Activity");
    window.until_named("Roll back import into test.people");
    window.click("Show result: Import people.json into test.people");
    window.until_named("Import finished");
    assert!(!window.has("Roll back"), "once");
}

#[test]
fn paths_are_typed_one_after_the_other() {
    let mut window = Window::open();
    let paths = [file(&window, "birds.csv", BIRDS), file(&window, "codes.tsv", CODES)];
    window.ask(Action::Transfer(TransferAction::Import { files: Vec::new(), into: None }));
    for path in &paths {
        window.type_into("File path", path.to_str().expect("a path"));
        window.key(egui::Key::Enter);
        let name = path.file_name().expect("a name").to_str().expect("text");
        window.until_named(&format!("Preview {name}"));
        assert!(window.is_focused("File path"), "for the path after {name}");
    }
    assert!(window.has("2 files into 2 collections"));
}

#[test]
fn a_file_that_is_refused_can_not_be_imported() {
    let mut window = Window::open();
    let ask = |window: &mut Window, name, text| {
        let files = vec![file(window, name, text)];
        window.ask(Action::Transfer(TransferAction::Import { files, into: None }));
    };
    ask(&mut window, "report.pdf", "%PDF-1.7");
    window.until_named("the file is a PDF; download the data file itself");
    assert!(!window.is_enabled("Import"));
    window.click("Cancel");
    ask(&mut window, "report.json", "{\"_id\": 1}\n");
    window.until_enabled("Import");
}
