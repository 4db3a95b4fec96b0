//! Files in and out of the window.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::doc;
use egui_kittest::kittest::Queryable;
use mayfly::action::{Action, TransferAction};
use mayfly::state::Namespace;
use mayfly::state::operations::{Operation, Stage};

use super::slow::Slow;
use super::support::Window;

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        fs::read(&self.0).map_err(|error| error.to_string())
    }
}

impl Window {
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("a file can be written");
        path
    }

    fn drop_on(&mut self, file: &Path) {
        self.harness.input_mut().dropped_files.push(Arc::new(Dropped(file.to_owned())));
        self.harness.step();
        self.until_named("Remove ");
    }
}

fn lines(count: usize) -> String {
    let line = |number| format!("{{\"_id\": {number}, \"name\": \"n{number}\"}}");
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(unix)]
#[test]
fn a_file_whose_name_cannot_be_seen_is_shown_with_marks() {
    let mut window = Window::open();
    let file = window.file("two\nlines\u{202e}.json", &lines(1));
    window.drop_on(&file);
    window.until_named("one JSON document per line");
    for name in ["Preview two\\nlines\\u{202e}.json", "Remove two\\nlines\\u{202e}.json"] {
        assert!(window.has(name), "{name}");
    }
}

#[test]
fn a_dropped_file_is_imported_and_counted() {
    let mut window = Window::open();
    let file = window.file("people.json", &lines(120));
    window.drop_on(&file);
    window.until_named("one JSON document per line");
    assert!(window.harness.query_by_label("New collection").is_some());
    assert!(window.harness.query_by_label("Copy command").is_some());
    window.key(egui::Key::Enter);
    window.until_named("Import finished");
    assert!(window.harness.query_by_label("120").is_some());
    window.key(egui::Key::Enter);
    window.until("120 documents", |state| {
        let found = state.tree.collection(&Namespace::new("test", "people"));
        found.and_then(|found| found.documents) == Some(120)
    });
    let shown = window.state().tabs.active().map(|tab| tab.namespace.to_string());
    assert_eq!(shown.as_deref(), Some("test.people"));
}

#[test]
fn a_collection_is_dropped_before_an_import_only_by_its_name() {
    let mut window = Window::open();
    let file = window.file("people.json", &lines(9));
    window.drop_on(&file);
    window.click("Import");
    window.until_named("Import finished");
    window.click("Done");
    fs::write(&file, lines(4)).expect("a file can be written");
    window.drop_on(&file);
    let drop = "Drop the existing collection and its indexes first";
    window.until_named(drop);
    window.click(drop);
    assert!(!window.has("Import"), "nothing is dropped by the ordinary button");
    assert!(!window.is_enabled("Drop people and import"));
    window.type_into("Name to confirm", "people");
    assert!(window.is_enabled("Drop people and import"));
    window.type_into("Collection", "other");
    window.type_into("Collection", "people");
    window.until_named(drop);
    assert!(window.has("Import"), "it was said about the one that was named then");
    window.click(drop);
    assert!(!window.is_enabled("Drop people and import"));
    window.type_into("Name to confirm", "people");
    window.click("Drop people and import");
    window.until_named("Import finished");
    let found = window.run("test", &doc! {"count": "people"});
    assert_eq!(found.get_i32("n").ok(), Some(4));
}

#[test]
fn a_bad_file_names_line_and_column_and_keeps_the_rest() {
    let mut window = Window::open();
    let file = window.file("mixed.json", "{\"_id\": 1}\n{\"_id\": oops}\n{\"_id\": 3}\n");
    window.drop_on(&file);
    window.until_named("Line 2, column 9, document 2");
    window.click("Import");
    window.until_named("Import finished");
    window.until_named("Line 2, column 9, document 2");
    let rejects = window.folder.path().join("mixed.json.rejected.jsonl");
    assert!(rejects.is_file());
    assert!(window.harness.query_by_label("Copy path").is_some());
    window.click("Done");
    assert!(window.harness.query_by_label("Done").is_none());
}

#[test]
fn what_is_no_json_is_read_when_it_is_asked_for_and_counted() {
    let mut window = Window::open();
    let text = "{\"_id\": 1, \"v\": NaN, \"a\": {\"b\": 1, \"b\": 2}}\n\
                {\"_id\": 2, \"v\": {\"$date\": \"2026-01-31T12:00:00\"}}\n";
    let file = window.file("odd.json", text);
    window.drop_on(&file);
    window.until_named("or select the option");
    assert!(!window.has("Keep the last duplicate field"), "they are folded");
    window.click("JSON options");
    window.click("Keep the last duplicate field");
    window.click("Accept unquoted NaN, Infinity and -Infinity");
    window.until_named("1 unquoted NaN or Infinity was accepted as a double");
    window.click("Use a time zone for dates without one");
    window.type_into("Time zone for dates without one", "+99:00");
    window.until_named("is not a time zone");
    assert!(!window.is_enabled("Import"));
    window.type_into("Time zone for dates without one", "+05:45");
    window.until_gone("or select the option");
    let line = window.value("Command line equivalent");
    assert!(line.contains("--last-duplicate --nan --zone +05:45"), "{line}");
    window.click("Import");
    window.until_named("Import finished");
    window.until_named("1 duplicate field was overwritten");
    window.until_named("1 date without a zone was read in the chosen time zone");
    let found = window.run("test", &doc! {"find": "odd", "sort": {"_id": 1}});
    let found = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let found = found.expect("documents");
    let inner = found[0].as_document().and_then(|first| first.get_document("a").ok());
    assert_eq!(inner, Some(&doc! {"b": 2}));
    let date = found[1].as_document().and_then(|second| second.get_datetime("v").ok());
    let noon = bson::DateTime::parse_rfc3339_str("2026-01-31T06:15:00Z").expect("a date");
    assert_eq!(date, Some(&noon));
}

#[test]
fn a_file_that_can_not_be_read_is_said() {
    let mut window = Window::open();
    let file = window.file("wide.json", "\u{feff}nothing to see");
    window.drop_on(&file);
    window.until_named("the file is not JSON documents or CSV");
}

#[test]
fn documents_past_their_threshold_are_counted_before() {
    let mut window = Window::open_after(&[doc! {
        "createIndexes": "seed",
        "indexes": [{"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60}],
    }]);
    let old = "{\"_id\": 1, \"at\": {\"$date\": \"2020-01-01T00:00:00Z\"}}\n{\"_id\": 2}\n";
    let file = window.file("seed.json", old);
    window.drop_on(&file);
    window.until_named("1 of 2 documents is already expired in test.seed");
    assert!(window.harness.query_by_label("Import anyway").is_some());
    window.click("Pause the TTL monitor and keep them until you resume it");
    window.click("Import");
    window.until_named("Import finished");
    assert!(!window.state().reaper.enabled);
    window.click("Resume the TTL monitor");
    window.until("the reaper runs", |state| state.reaper.enabled);
}

#[test]
fn a_collection_is_exported_and_an_existing_file_is_asked_about() {
    let mut window = Window::open();
    let file = window.file("people.json", &lines(7));
    window.drop_on(&file);
    window.click("Import");
    window.until_named("Import finished");
    window.click("Open collection");
    let target = window.file("out.ndjson", "old");
    let export = |window: &mut Window| {
        let namespace = Namespace::new("test", "people");
        let filter = "{_id: {$lt: 5}}".to_owned();
        let action = Action::Transfer(TransferAction::Export { namespace, filter });
        let context = window.harness.ctx.clone();
        window.harness.state_mut().ask(&context, action);
        window.until_named("File path");
    };
    export(&mut window);
    window.harness.get_by_label("File path").focus();
    window.harness.run_steps(2);
    window.harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.harness.run_steps(2);
    window.harness.get_by_label("File path").type_text(&target.display().to_string());
    window.harness.run_steps(3);
    window.click("Export");
    window.until_named("out.ndjson already exists. Replace it?");
    assert_eq!(fs::read_to_string(&target).ok().as_deref(), Some("old"));
    let indexes = window.file("out.ndjson.indexes.json", "old indexes");
    window.click("Also save index definitions, including TTLs");
    window.click("Export");
    window.until_named("out.ndjson.indexes.json already exist. Replace them?");
    assert_eq!(fs::read_to_string(&indexes).ok().as_deref(), Some("old indexes"));
    window.click("Replace files");
    window.until_named("Exported 5 documents");
    let text = fs::read_to_string(&target).unwrap_or_default();
    assert_eq!(text.lines().count(), 5, "{text}");
    assert_ne!(fs::read_to_string(&indexes).ok().as_deref(), Some("old indexes"));
}

#[test]
fn files_that_the_disk_has_no_room_for_are_told_before() {
    let mut window = Window::open();
    let file = window.file("huge.json", &lines(30));
    let status = window.run("admin", &doc! {"serverStatus": 1});
    let store = status.get_document("mayfly").and_then(|mayfly| mayfly.get_document("store"));
    let free = store.and_then(|store| store.get_i64("freeBytes")).expect("the system tells it");
    // It has no more than its lines on disk.
    let huge = fs::File::options().write(true).open(&file).expect("it is there");
    huge.set_len(free.unsigned_abs() * 2).expect("no room is needed");
    window.drop_on(&file);
    window.until_named("but only ");
    assert!(window.has("Import anyway"));
    assert!(window.value("Command line equivalent").contains("--no-space-check"));
    window.click("Remove huge.json");
    window.until_gone("but only ");
}

#[test]
fn what_an_export_does_not_give_back_is_told() {
    let commands = [doc! {"insert": "odd", "documents": [
        {"_id": 1, "v": {"$date": "2026-01-01T00:00:00Z"}}, {"_id": 2},
    ]}];
    let mut window = Window::open_view(&commands, "Documents");
    window.until_named("Document 2");
    let namespace = Namespace::new("test", "odd");
    let export = TransferAction::Export { namespace, filter: String::new() };
    window.ask(Action::Transfer(export));
    window.until_named("The export isn't a snapshot");
    let target = window.folder.path().join("odd.ndjson");
    window.type_into("File path", &target.to_string_lossy());
    window.key(egui::Key::Enter);
    window.until_named(
        "1 document has an embedded document whose first field has a name such as $date",
    );
    assert!(window.has_part("Exported 2 documents"));
}

#[test]
fn an_import_is_cancelled_with_a_stated_result() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = Window::open_as(folder, &[], |source| Arc::new(Slow(source)));
    let file = window.file("many.json", &lines(120));
    window.drop_on(&file);
    window.click("Import");
    window.until("some are stored", |state| {
        let text = |known: &Operation| known.progress.text.clone();
        state.operations.list().front().map(text).is_some_and(|text| text.contains("120 documents"))
    });
    window.click("Cancel");
    window.until_named("Import canceled");
    let stage = window.state().operations.list().front().map(|known| known.stage.clone());
    let Some(Stage::Cancelled(words)) = stage else { panic!("{stage:?}") };
    assert!(words.contains("120"), "{words}");
    window.click("Done");
    window.until("they are counted", |state| {
        let found = state.tree.collection(&Namespace::new("test", "many"));
        found.and_then(|found| found.documents) == Some(120)
    });
}
