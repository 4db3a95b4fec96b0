//! Databases and collections: created, renamed, dropped.

use std::path::Path;

use bson::doc;
use mayfly::action::{Action, DialogAction};
use mayfly::state::dialogs::{CreateCollection, DropDialog, DropTarget, RenameCollection, Sent};
use mayfly::state::tabs::ViewKind;
use mayfly::state::{Dialog, Namespace, State, transfer};

use super::support::Window;
use super::time::drops;

const COMMAND: &str = "Command to send";

fn window() -> Window {
    let mut window = Window::open_after(&drops());
    window.until_named("Collection test.drops");
    window
}

#[test]
fn an_empty_store_offers_a_database_and_files() {
    let mut window = Window::open();
    window.until_named("This store is empty");
    assert!(window.has("Import folder…"));
    window.click("Drop a file here: Choose…");
    window.until_named("Import documents");
    window.key(egui::Key::Escape);
    window.click("Create database…");
    window.until_named("A database needs at least one collection");
}

#[test]
fn a_database_is_created_with_its_dialect() {
    let mut window = window();
    window.choose("Create", "Create database…");
    assert!(!window.is_enabled("Create database"));
    window.type_into("Database name", "a b");
    window.until_named("Names can't contain spaces, dots, slashes, quotes or dollar signs");
    window.type_into("Database name", "test");
    window.until_named("A database with this name already exists");
    window.type_into("Database name", "cloud");
    window.type_into("First collection", "carts");
    window.click("Compatibility: Azure Cosmos DB");
    let shown = window.value(COMMAND);
    assert!(shown.contains("'cosmos'") && shown.contains("carts"), "{shown}");
    window.click("Create database");
    window.until_named("Dismiss: Created cloud.carts");
    window.until_named("Collection cloud.carts");
    assert_eq!(window.sent()[..2].join("\n"), shown);
    let dialect = window.run("cloud", &doc! {"mayflyDialect": 1});
    assert!(dialect.to_string().contains("cosmos"), "{dialect}");
}

#[test]
fn a_database_is_created_with_the_keyboard_alone() {
    let mut window = window();
    window.ask((mayfly::action::store::CREATE_DATABASE.action)(window.state()).expect("enabled"));
    assert!(window.is_focused("Database name"));
    window.type_into("Database name", "cloud");
    window.key(egui::Key::Enter);
    assert!(window.has("First collection"), "it is not complete yet");
    window.type_into("First collection", "carts");
    window.key(egui::Key::Enter);
    window.until_named("Dismiss: Created cloud.carts");
    assert!(window.state().dialogs.open().is_none());
}

#[test]
fn a_press_beside_a_dialog_keeps_what_was_typed() {
    let mut window = window();
    window.choose("Create", "Create collection…");
    window.until_named("Create collection in test");
    window.point_at(20.0, 780.0);
    window.until_gone("Create collection in test");
    window.choose("Create", "Create collection…");
    window.type_into("Collection name", "ring");
    window.point_at(20.0, 780.0);
    assert_eq!(window.value("Collection name"), "ring");
    window.key(egui::Key::Escape);
    window.until_gone("Create collection in test");
}

#[test]
fn a_collection_is_created() {
    let mut window = window();
    window.choose("Create", "Create collection…");
    window.until_named("Create collection in test");
    let check = |window: &mut Window, name: &str, error: &str| {
        window.type_into("Collection name", name);
        window.until_named(error);
        assert!(!window.is_enabled("Create collection"), "{name}");
    };
    check(&mut window, "drops", "A collection with this name already exists");
    check(&mut window, "a$b", "Names can't contain dollar signs");
    check(&mut window, "system.x", "Names starting with system. are reserved");
    window.type_into("Collection name", "ring");
    window.click("Capped collection (keeps only the newest documents)");
    window.until_named("Enter a number of bytes");
    window.type_into("Size in bytes", "4096");
    let shown = window.value(COMMAND);
    assert!(shown.contains("ring") && shown.contains("4096"), "{shown}");
    window.click("Create collection");
    window.until_named("Dismiss: Created test.ring");
    assert_eq!(window.sent()[0], shown);
    let message =
        window.place("Created test.ring").union(window.place("Dismiss: Created test.ring"));
    let tabs = window.place("Activity");
    assert!(!message.intersects(tabs), "{message} covers the drawer's tabs at {tabs}");
    assert_eq!(window.tab().namespace.to_string(), "test.ring");
    assert_eq!(window.tab().view, ViewKind::Documents);
}

fn renaming() -> Window {
    let mut window = window();
    window.point_secondary("Collection test.drops");
    window.point("Rename…");
    window.until_named("Rename test.drops");
    window
}

#[test]
fn a_collection_is_renamed() {
    let mut window = renaming();
    assert!(!window.is_enabled("Rename"));
    window.type_into("New name", "tears");
    let shown = window.value(COMMAND);
    assert!(shown.contains("'test.drops'") && shown.contains("'test.tears'"), "{shown}");
    window.click("Rename");
    window.until_named("Dismiss: Renamed test.drops to test.tears");
    window.until_named("Collection test.tears");
    window.until_gone("Collection test.drops");
    assert_eq!(window.tab().namespace.to_string(), "test.tears");
    assert!(!window.has("Close test.drops"));
}

#[test]
fn a_new_name_is_typed_at_once() {
    let mut window = renaming();
    assert!(window.is_focused("New name"));
    window.harness.input_mut().events.push(egui::Event::Text("tears".to_owned()));
    window.until_enabled("Rename");
    assert_eq!(window.value("New name"), "tears");
    window.key(egui::Key::Enter);
    window.until_named("Dismiss: Renamed test.drops to test.tears");
}

#[test]
fn a_rename_that_fails_keeps_the_tab() {
    let mut window = renaming();
    assert!(window.has("Close test.drops"));
    for (wrong, problem) in [
        ("", "Enter a name"),
        ("a$b", "Names can't contain dollar signs"),
        ("system.x", "Names starting with system. are reserved"),
        ("x".repeat(300).as_str(), "Too long"),
    ] {
        window.type_into("New name", wrong);
        window.until_named(problem);
        assert!(!window.is_enabled("Rename"), "{wrong}");
    }
    window.type_into("New name", "tears");
    // Another program takes the name before the window knows.
    window.run("test", &doc! {"create": "tears"});
    window.click("Rename");
    window.until_named("exists");
    assert!(!window.has_part("is now"));
    assert!(window.has("Close test.drops"));
    assert_eq!(window.value("New name"), "tears", "what was typed stays");
    window.type_into("New name", "rain");
    window.click("Rename");
    window.until_named("Dismiss: Renamed test.drops to test.rain");
}

#[test]
fn a_collection_that_is_refused_keeps_what_was_typed() {
    let mut window = window();
    window.choose("Create", "Create collection…");
    window.type_into("Collection name", "ring");
    window.click("Capped collection (keeps only the newest documents)");
    window.type_into("Size in bytes", "4096");
    window.run("test", &doc! {"create": "ring"});
    window.click("Create collection");
    window.until("it is refused", |state| match state.dialogs.open() {
        Some(Dialog::CreateCollection(draft)) => draft.sent.error.is_some(),
        other => panic!("{other:?}"),
    });
    assert_eq!(window.value("Size in bytes"), "4096");
    assert_eq!(window.value("Collection name"), "ring");
    window.type_into("Collection name", "ring2");
    window.click("Create collection");
    window.until_named("Dismiss: Created test.ring2");
}

#[test]
fn dropping_a_collection_needs_its_name() {
    let mut window = window();
    window.point_secondary("Collection test.drops");
    window.point("Drop collection…");
    window.until_named("Drop collection drops?");
    assert!(window.has_part("This deletes test.drops, its 1 document and all its indexes."));
    assert!(!window.is_enabled("Drop collection"));
    window.type_into("Name to confirm", "Drops");
    assert!(!window.is_enabled("Drop collection"));
    window.type_into("Name to confirm", "drops");
    let shown = window.value(COMMAND);
    window.click("Drop collection");
    window.until_named("Dismiss: Dropped test.drops");
    window.until_gone("Collection test.drops");
    assert_eq!(window.sent(), [shown]);
}

#[test]
fn a_name_with_a_line_end_is_copied_with_a_warning() {
    let mut window = Window::open_after(&[doc! {"create": "c\nrm -r x"}, doc! {"create": "plain"}]);
    window.point_secondary("Collection test.plain");
    assert_eq!(window.copied("Copy name"), "test.plain");
    assert!(window.state().toasts.list().is_empty());
    window.point_secondary("Collection test.c\\nrm -r x");
    assert_eq!(window.copied("Copy name"), "test.c\nrm -r x");
    let told = |state: &State| state.toasts.list().iter().any(|toast| toast.text.contains("\\n"));
    window.until("the warning is shown", told);
    assert!(window.has_part("The copied text contains \\n. A terminal may run it"));
}

#[test]
fn names_that_cannot_be_seen_are_shown_with_marks() {
    let name = "a\u{202e}b";
    let of = Namespace::new("test", name);
    let seed = doc! {"insert": name, "documents": [doc! {"_id": 1}]};
    let mut window = Window::open_after(&[seed]);
    let mut check = |dialog: Dialog, shown: &[&str]| {
        window.ask(Action::Dialog(DialogAction::Show(dialog)));
        for words in shown {
            window.until_named(words);
        }
        window.key(egui::Key::Escape);
        assert!(window.state().dialogs.open().is_none());
    };
    let target = |target| DropDialog { target, typed: String::new(), sent: Sent::default() };
    let shown = [
        "Drop collection a\\u{202e}b?",
        "Enter a\\u{202e}b to confirm",
        "This deletes test.a\\u{202e}b, its 1 document",
    ];
    check(Dialog::Drop(target(DropTarget::Collection(of.clone()))), &shown);
    let shown = ["Drop database a\\u{202e}b?", "This deletes a\\u{202e}b with"];
    check(Dialog::Drop(target(DropTarget::Database(name.to_owned()))), &shown);
    let rename =
        RenameCollection { from: of.clone(), name: name.to_owned(), sent: Sent::default() };
    check(Dialog::RenameCollection(rename), &["Rename test.a\\u{202e}b"]);
    let create = CreateCollection { db: name.to_owned(), ..CreateCollection::default() };
    check(Dialog::CreateCollection(create), &["Create collection in a\\u{202e}b"]);
    let export = transfer::ExportDraft::new(of, transfer::export::ShownDocuments::default(), 0);
    let export = transfer::Dialog::Export(Box::new(export));
    check(Dialog::Transfer(export), &["test.a\\u{202e}b · 1 document"]);
}

#[test]
fn dropping_a_database_needs_its_name() {
    let mut window = window();
    window.point_secondary("Database test");
    window.point("Drop database…");
    window.until_named("This deletes test with 1 collection and all their documents.");
    assert!(!window.is_enabled("Drop database"));
    window.type_into("Name to confirm", "test");
    window.click("Drop database");
    window.until_named("Dismiss: Dropped database test");
    window.until_gone("Collection test.drops");
    assert!(window.state().tabs.active().is_none());
}

#[test]
fn only_a_whole_path_is_opened() {
    let mut window = window();
    window.keys(egui::Modifiers::COMMAND, egui::Key::O);
    for wrong in ["data", "./~/data", "~", "~other/data"] {
        window.type_into("Folder path", wrong);
        window.until_named("Enter an absolute path or one that starts with ~/");
        assert!(!window.is_enabled("Open"), "{wrong}");
        window.key(egui::Key::Enter);
        assert!(window.has("Folder path"), "{wrong}");
    }
    window.click("Cancel");
    assert!(window.has("Collection test.drops"));
}

#[test]
fn another_folder_is_opened() {
    let mut window = window();
    window.keys(egui::Modifiers::COMMAND, egui::Key::O);
    window.until_named("A data folder holds one store");
    assert!(window.is_focused("Folder path"));
    let other = window.folder.path().join("other").display().to_string();
    window.type_into("Folder path", &other);
    window.key(egui::Key::Enter);
    window.until_named("Create a new store here?");
    assert!(window.has("Collection test.drops"), "the store stays open until it is answered");
    window.click("Cancel");
    window.until_named("A data folder holds one store");
    assert!(!Path::new(&other).exists());
    window.click("Open");
    window.until_named("Create a new store here?");
    window.click("Create store");
    window.until("it is open", |state| {
        state.is_open() && state.store.folder.as_deref() == Some(Path::new(&other))
    });
    assert!(window.state().dialogs.open().is_none());
    assert!(!window.has("Simulated time"));
    window.keys(egui::Modifiers::COMMAND, egui::Key::O);
    let first = window.folder.path().join("store").display().to_string();
    window.click(&format!("Open store in {first}"));
    window.until_named("Collection test.drops");
    assert!(window.state().dialogs.open().is_none(), "a store that exists needs no question");
}
