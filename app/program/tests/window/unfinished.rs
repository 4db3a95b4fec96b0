//! Imports that did not reach the end of their files, in the window.

use std::fs;

use bson::doc;
use mayfly::action::{Action, TransferAction};
use mayfly_engine::catalog::Namespace;
use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_engine::transfer::{ImportEnd, ImportRequest, Progress, import};

use super::support::Window;

/// A window on a store in which an import stopped after its first document.
fn window() -> Window {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("events.json");
    fs::write(&file, "{\"_id\": 1}\n{\"_id\": oops}\n{\"_id\": 3}\n").expect("a file");
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder.path().join("store"), options).expect("a store");
    let namespace = Namespace::new("test", "events");
    let request =
        ImportRequest { stop_on_error: true, ..ImportRequest::new(vec![file], namespace) };
    let report = import(engine.collections(), &request, &Progress::new()).expect("an import");
    assert_eq!(report.end, ImportEnd::StoppedOnError);
    engine.close().expect("the store closes");
    let mut window = Window::open_in(folder, &[]);
    window.until_named("Unfinished imports");
    window.until_named("into test.events stopped after 1 document");
    window
}

fn ids(window: &Window) -> Vec<i32> {
    let reply = window.run("test", &doc! {"find": "events", "sort": {"_id": 1}});
    let cursor = reply.get_document("cursor").expect("a cursor");
    let batch = cursor.get_array("firstBatch").expect("a batch");
    let documents = batch.iter().filter_map(bson::Bson::as_document);
    documents.filter_map(|document| document.get_i32("_id").ok()).collect()
}

#[test]
fn it_resumes_after_what_was_stored() {
    let mut window = window();
    window.click("Resume the import of events.json");
    window.until_named("Import finished");
    assert_eq!(ids(&window), [1, 3]);
    window.until("nothing is left", |state| state.transfer.unfinished.is_empty());
}

#[test]
fn it_is_rolled_back() {
    let mut window = window();
    window.click("Roll back the import of events.json");
    window.until_named("1 document removed.");
    assert_eq!(ids(&window), [] as [i32; 0]);
    window.until("nothing is left", |state| state.transfer.unfinished.is_empty());
}

#[test]
fn it_is_left() {
    let mut window = window();
    window.click("Dismiss the import of events.json");
    window.until_gone("Unfinished imports");
    assert_eq!(ids(&window), [1]);
    assert!(window.state().transfer.unfinished.is_empty());
}

#[test]
fn a_changed_file_is_refused_and_the_import_dialog_leads_back() {
    let mut window = window();
    let file = window.folder.path().join("events.json");
    fs::write(&file, "{\"_id\": 7}\n").expect("a file");
    window.click("Resume the import of events.json");
    window.until_named("changed after the import started");
    window.click("Decide later");
    window.ask(Action::Transfer(TransferAction::Import { files: vec![file], into: None }));
    window.until_named("1 import unfinished");
    window.click("Show unfinished imports");
    window.until_named("stopped after 1 document");
    assert_eq!(ids(&window), [1]);
}
