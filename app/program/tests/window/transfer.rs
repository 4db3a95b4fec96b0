//! Files in and out of the window.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::{Document, doc};
use egui_kittest::kittest::Queryable;
use mayfly::action::{Action, DocumentsAction, TransferAction};
use mayfly::state::Namespace;
use mayfly::state::documents::query::QueryText;
use mayfly::state::operations::{Operation, Stage};
use mayfly::state::transfer::export::ShownDocuments;

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
    window.click("Import options");
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
    window.click("Import options");
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
fn many_documents_that_would_expire_together_are_warned_of() {
    let mut window = Window::open_after(&[doc! {
        "createIndexes": "seed",
        "indexes": [{"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60}],
    }]);
    let line = "{\"at\": {\"$date\": \"2027-01-01T00:00:00Z\"}}\n";
    let file = window.file("seed.json", &line.repeat(1_200));
    window.drop_on(&file);
    window.until_named(
        "At least 1,200 documents (100 %) would expire within one minute, at 2027-01-01 00:01:00",
    );
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
        let query = QueryText::of_filter("{_id: {$lt: 5}}");
        let shown = Box::new(ShownDocuments { query, ..ShownDocuments::default() });
        let action = Action::Transfer(TransferAction::Export { namespace, shown });
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
    window.click("Import options");
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
    let export = TransferAction::Export { namespace, shown: Box::default() };
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

/// Before anything is written, and again for each form that is chosen.
#[test]
fn what_a_form_loses_is_counted_before_it_is_written() {
    let commands = [doc! {"insert": "people", "documents": [
        {"_id": 1, "phone": "5550100", "n": 5_i64, "size": "7"},
        {"_id": 2, "phone": "5550101", "size": 8},
    ]}];
    let mut window = Window::open_view(&commands, "Documents");
    window.until_named("Document 2");
    window.click("Export documents");
    window.until_named("1 long of \"n\" will be read as numbers of another type");
    window.click("Format: CSV, exact text");
    window.until_named("1 text of \"size\" will be read as numbers");
    window.click("Format: NDJSON, canonical");
    window.until_named("An import of the file keeps every value");
    window.click("Format: CSV, typed header");
    let target = window.folder.path().join("people.csv");
    window.type_into("File path", &target.to_string_lossy());
    window.until_named("An import of the file keeps every value");
    window.click("Export");
    window.until_named("Dismiss: Exported 2 documents");
    let text = fs::read_to_string(&target).expect("a file");
    assert!(text.starts_with("_id.int32(),phone.string(),n.int64(),size.ejson()\r\n"), "{text}");
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

#[test]
fn an_export_writes_what_the_list_shows() {
    let carts: Vec<Document> =
        (0..9).map(|id| doc! {"_id": id, "n": 10 - id, "note": "x", "old": id > 6}).collect();
    let mut window =
        Window::open_view(&[doc! {"insert": "carts", "documents": carts}], "Documents");
    window.until_named("Document 4");
    window.type_into("Filter", "{old: false}");
    window.click("Options");
    window.type_into("Sort", "{n: 1}");
    window.type_into("Limit", "3");
    window.click("Find");
    window.until_gone("Document 0");
    window.until_named("Document 6");
    let tab = window.state().tabs.active().map(|tab| tab.id).expect("a tab");
    let (field, hidden) = ("note".to_owned(), true);
    window.ask(Action::Documents(tab, DocumentsAction::SetHidden { field, hidden }));
    window.click("Export documents");
    window.until_named("test.carts · 3 documents that match the filter");
    assert!(window.has("What the list shows · 3 documents"));
    assert!(window.has("Hidden columns are left out of CSV only"));
    window.click("Format: CSV, exact text");
    assert!(window.has("Left out because the column is hidden: note"));
    let command = window.value("Command line equivalent");
    assert!(command.contains("--sort '{\"n\":1}' --limit 3 --exclude-fields note"), "{command}");
    let target = window.folder.path().join("shown.csv");
    window.type_into("File path", &target.to_string_lossy());
    window.key(egui::Key::Enter);
    window.until_named("Exported 3 documents");
    let text = fs::read_to_string(&target).unwrap_or_default();
    assert_eq!(text, "_id,n,old\r\n6,4,false\r\n5,5,false\r\n4,6,false\r\n");

    window.click("Export documents");
    window.click("Everything in the collection · 9 documents");
    window.until_named("test.carts · 9 documents");
    let target = window.folder.path().join("all.ndjson");
    window.type_into("File path", &target.to_string_lossy());
    window.key(egui::Key::Enter);
    window.until_named("Exported 9 documents");
    let text = fs::read_to_string(&target).unwrap_or_default();
    assert!(text.starts_with("{\"_id\":0,\"n\":10,\"note\":\"x\",\"old\":false}\n"), "{text}");
}

#[test]
fn a_dump_is_imported_with_the_indexes_that_are_chosen() {
    let mut window = Window::open();
    let shop = window.folder.path().join("dump/shop");
    fs::create_dir_all(&shop).expect("a folder");
    let old = bson::DateTime::from_millis(1_000);
    let document = |document: &Document| bson::RawDocumentBuf::try_from(document).expect("BSON");
    for name in ["carts", "users"] {
        let bytes = document(&doc! {"_id": 1, "at": old});
        fs::write(shop.join(format!("{name}.bson")), bytes.as_bytes()).expect("a file");
        let metadata = r#"{"options": {}, "indexes": [{"key": {"n": 1}, "name": "n_1"},
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": {"$numberInt": "60"}}]}"#;
        fs::write(shop.join(format!("{name}.metadata.json")), metadata).expect("a file");
    }
    fs::write(shop.join("late.metadata.json"), r#"{"options": {"viewOn": "carts"}}"#).expect("it");
    let folder = window.folder.path().join("dump");
    window.ask(Action::Transfer(TransferAction::Import { files: vec![folder], into: None }));
    window.until_named("Import folder");
    window.until_named("1 of 1 document is already expired in shop.carts and will be removed");
    window.click("Import late");
    window.click("Create TTL indexes of carts");
    window.click("Import users");
    window.until_gone("Import anyway");
    window.click("Import");
    window.until_named("Import finished");
    assert!(window.has_part("shop.carts · 1 document · 1 index"));
    let indexes = window.run("shop", &doc! {"listIndexes": "carts"});
    let names = indexes.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
    let names = names.expect("a list").iter().filter_map(bson::Bson::as_document);
    let names: Vec<&str> = names.filter_map(|index| index.get_str("name").ok()).collect();
    assert_eq!(names, ["_id_", "n_1"]);
    window.click("Done");
    window.until_named("Collection shop.carts");
}

/// Exports the database `test` to a folder, by clicks.
fn export_test(window: &mut Window) -> PathBuf {
    let folder = window.folder.path().join("exports");
    window.point_secondary("Database test");
    window.point("Export database…");
    window.until_named("A new or an empty folder");
    window.type_into("Folder path", &folder.display().to_string());
    window.click("Export");
    window.until_named("Exported ");
    folder
}

#[test]
fn a_database_goes_to_a_folder_and_comes_back_under_another_name() {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60};
    let late = bson::DateTime::from_millis(4_000_000_000_000);
    let mut window = Window::open_after(&[
        doc! {"createIndexes": "carts", "indexes": [index]},
        doc! {"insert": "carts", "documents": [{"_id": 1, "at": late}, {"_id": 2_i64}]},
        doc! {"insert": "users", "documents": [{"_id": 1}]},
    ]);
    let exported = export_test(&mut window);
    let told = format!("Exported 3 documents of 2 collections to {}", exported.display());
    assert!(window.has_part(&told));
    assert!(exported.join("manifest.json").is_file());
    window.ask(Action::Transfer(TransferAction::Import { files: vec![exported], into: None }));
    window.until_named("Import folder");
    assert!(window.has_part("2 documents · "));
    window.type_into("Database", "copy");
    window.click("Import");
    window.until_named("Import finished");
    assert!(window.has_part("copy.carts · 2 documents · 1 index"));
    assert!(window.has_part("copy.users · 1 document · 0 indexes"));
    let expiring = window.run("copy", &doc! {"mayflyExpiring": "carts"});
    assert_eq!(expiring.get_array("batch").expect("a batch").len(), 1, "{expiring}");
}

#[test]
fn a_folder_is_not_written_over_and_a_changed_one_is_not_imported() {
    let mut window =
        Window::open_after(&[doc! {"insert": "carts", "documents": [{"_id": 1, "text": "abc"}]}]);
    let exported = export_test(&mut window);
    window.ask(Action::Transfer(TransferAction::ExportDatabase("test".to_owned())));
    window.until_named("A new or an empty folder");
    window.type_into("Folder path", &exported.display().to_string());
    window.click("Export");
    window.until_named("the folder has files; choose an empty or a new folder");
    window.click("Cancel");
    let file = exported.join("test/carts.bson");
    let mut bytes = fs::read(&file).expect("a file");
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    fs::write(&file, bytes).expect("written");
    let import = TransferAction::Import { files: vec![exported], into: None };
    window.ask(Action::Transfer(import.clone()));
    window.until_named("Import folder");
    window.type_into("Database", "copy");
    window.click("Import");
    window.until_named("its content is not what the manifest was written for");
    assert!(window.state().tree.collection(&Namespace::new("copy", "carts")).is_none());
    window.click("Done");
    fs::remove_file(&file).expect("removed");
    window.ask(Action::Transfer(import));
    window.until_named("it is missing, but the manifest lists it");
}

/// A file with a past date, and three index definitions next to it.
fn with_definitions(window: &Window, definitions: &str) -> PathBuf {
    window.file("carts.ndjson.indexes.json", definitions);
    let line = "{\"_id\": 1, \"expiresAt\": {\"$date\": \"2026-06-01T00:00:00Z\"}}\n{\"_id\": 2}\n";
    window.file("carts.ndjson", line)
}

#[test]
fn indexes_beside_a_file_are_created_after_its_documents() {
    let index = doc! {"key": {"n": 1}, "name": "n_1"};
    let mut window = Window::open_after(&[doc! {"createIndexes": "carts", "indexes": [index]}]);
    let file = with_definitions(
        &window,
        r#"[{"key": {"n": 1}, "name": "n_1"}, {"key": {"m": 1}, "name": "m_1"},
            {"key": {"expiresAt": 1}, "name": "expiresAt_1", "expireAfterSeconds": 3600}]"#,
    );
    window.drop_on(&file);
    let offer = "Create its 3 indexes (1 TTL: expiresAt, 1 h)";
    window.until_named(offer);
    assert!(!window.has_part("--indexes"));
    window.click(offer);
    window.until_named("By expiresAt_1, the next pass removes 1 of 2 documents");
    window.click("Import options");
    assert!(window.value("Command line equivalent").contains("--indexes"));
    window.click("Import");
    window.until_named("Created 2 indexes");
    assert!(window.has("1 index was there already"));
    let reply = window.run("test", &doc! {"listIndexes": "carts"});
    assert!(reply.to_string().contains("expireAfterSeconds"), "{reply}");
}

#[test]
fn definitions_that_cannot_be_read_do_not_stop_the_documents() {
    let mut window = Window::open();
    let file = with_definitions(&window, "{\"key\": 1}");
    window.drop_on(&file);
    window.until_named(
        "carts.ndjson.indexes.json can't be read, so no index is created from it: it is not an \
         array of index definitions",
    );
    window.click("Import");
    window.until_named("Import finished");
}

#[test]
fn an_export_that_ended_is_listed_and_asked_for_again() {
    let documents = doc! {"insert": "carts", "documents": [{"_id": 1}, {"_id": 2}]};
    let mut window = Window::open_view(&[documents], "Documents");
    window.until_named("Document 2");
    window.click("Export documents");
    let path = window.folder.path().join("out.ndjson").display().to_string();
    window.type_into("File path", &path);
    window.click("Export");
    window.until_named("Dismiss: Exported 2 documents");
    window.click("Activity");
    let title = "Export test.carts to out.ndjson";
    assert_eq!(window.copied(&format!("Copy path: {title}")), path);
    window.click(&format!("Run again: {title}"));
    window.until_named("Export documents");
    assert_eq!(window.value("File path"), path);
    window.click("Export");
    window.until_named("Replace file");
}
