//! Stores that were open before, what each of them restores, and the menu of a collection.

use std::path::Path;

use bson::{Document, doc};
use egui::Key;
use egui_kittest::Harness;
use mayfly::action::{Action, StoreAction, TabsAction, ViewAction};
use mayfly::app::open_settings;
use mayfly::job::kept::Fields;
use mayfly::source::kept_file::KeptFile;
use mayfly::source::{OpenRequest, embedded};
use mayfly::state::recent_stores::RecentStore;
use mayfly::state::tabs::ViewKind;
use mayfly::state::{Namespace, Settings, State, Zone};
use mayfly::worker::lesson_shelf::shelf;
use mayfly::worker::{KeptSettings, Secrets};
use mayfly::{MayflyApp, WindowOptions};

use super::support::{Window, until};
use super::time::drops;

const COMMAND: &str = "Command to send";

fn notes() -> Vec<Document> {
    vec![doc! {"insert": "notes", "documents": [{"_id": 1, "n": 1}, {"_id": 2, "n": 2}]}]
}

fn is_in(state: &State, folder: &Path) -> bool {
    state.is_open() && state.tree.loaded && state.store.folder.as_deref() == Some(folder)
}

/// The settings of the start before, in a file of this folder.
pub fn kept(folder: &Path, settings: &Settings) -> KeptSettings {
    let path = folder.join("settings.json");
    let file = KeptFile::new(path.clone(), Settings::LISTS);
    file.write(&Fields::new(), &settings.fields()).expect("written");
    open_settings(Some(path))
}

/// A window whose last start ended with the store in a folder.
fn started_again(last: &Path, own: &Path) -> Harness<'static, MayflyApp> {
    let mut settings = Settings { callouts_seen: true, ..Settings::default() };
    settings.stores.note(RecentStore::in_folder(last, 0));
    let options = WindowOptions {
        request: OpenRequest { folder: Some(own.to_owned()), ..OpenRequest::default() },
        open_last: true,
        opener: embedded::opener(),
        lessons: shelf(None),
        lesson: None,
        beginning: None,
        secrets: Secrets::none(),
        settings: kept(own.parent().expect("a folder"), &settings),
        journals: None,
        local_zone: Zone::Utc,
        present: false,
        shutdown: None,
    };
    let builder = Harness::builder().with_size([1280.0, 800.0]).with_max_steps(64);
    builder.build_eframe(move |context| MayflyApp::new(context, options))
}

#[test]
fn the_store_that_was_open_last_is_opened_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (last, own) = (folder.path().join("shop"), folder.path().join("own"));
    let request = OpenRequest { folder: Some(last.clone()), ..OpenRequest::default() };
    let opened = embedded::opener()(&request).map_err(|error| error.message).expect("a store");
    opened.source.run("test", &notes()[0]);
    opened.source.close();
    let mut harness = started_again(&last, &own);
    until(&mut harness, "Collection test.notes", true);
    assert!(is_in(harness.state().state(), &last) && !own.exists());
}

#[test]
fn a_last_store_that_is_gone_is_not_made_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (last, own) = (folder.path().join("gone"), folder.path().join("own"));
    let mut harness = started_again(&last, &own);
    until(&mut harness, "Try again", true);
    until(&mut harness, "Open data folder…", true);
    assert!(!last.exists() && !own.exists());
}

#[test]
fn a_store_comes_back_with_its_tabs_filters_and_folds() {
    let mut window = Window::open_view(&notes(), "Documents");
    window.until_named("Document 1");
    window.type_into("Filter", "{n: 1}");
    window.key(Key::Enter);
    window.until_gone("Document 2");
    window.ask(Action::Store(StoreAction::Fold("test".to_owned())));
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    assert!(window.state().tabs.open().is_empty());
    let first = window.folder.path().join("store").display().to_string();
    window.until_named(&format!("Open store in {first}"));
    window.choose("Store", "Open store");
    window.until_named("Document 1");
    assert_eq!(window.value("Filter"), "{n: 1}");
    assert!(!window.has("Document 2"));
    assert_eq!(window.state().queries.find(&window.tab().namespace, "{n: 1}").here.len(), 1);
    assert!(window.state().tree.folded.contains("test"));
    window.keys(egui::Modifiers::COMMAND, Key::W);
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    window.choose("Store", "Open store");
    window.until("it can be reopened", |state| state.tabs.can_reopen());
    window.keys(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, Key::T);
    window.until_named("Document 1");
    assert_eq!(window.value("Filter"), "{n: 1}");
}

#[test]
fn a_recent_store_that_is_gone_is_said_and_taken_off_the_list() {
    let mut window = Window::open_after(&notes());
    let first = window.folder.path().join("store");
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    let slot = window.state().beside[0].slot();
    window.ask(Action::Store(StoreAction::Close(slot)));
    std::fs::remove_dir_all(&first).expect("it is closed");
    let row = format!("Open store in {}", first.display());
    window.click(&row);
    window.until_named("doesn't contain a store any more");
    assert!(is_in(window.state(), &other) && !first.exists());
    window.click("Remove from the list");
    window.until_gone(&row);
    assert_eq!(window.state().settings.stores.list().len(), 1);
}

#[test]
fn the_start_page_is_shown_beside_open_tabs_when_it_is_asked_for() {
    let mut window = Window::open_view(&notes(), "Documents");
    window.ask(Action::View(ViewAction::ShowStart(true)));
    window.until_named("Search collections");
    assert!(window.has("Open data folder…") && !window.has("Close test.notes"));
    window.click("Close the start page");
    window.until_named("Close test.notes");
    window.ask(Action::View(ViewAction::ShowStart(true)));
    window.click("Collection test.notes");
    window.until_named("Close test.notes");
}

#[test]
fn the_active_tab_is_on_the_screen() {
    let insert = |number: i32| doc! {"insert": format!("c{number:02}"), "documents": [{"_id": 1}]};
    let many: Vec<Document> = (0..30).map(insert).collect();
    let mut window = Window::open_after(&many);
    window.until_named("Collection test.c00");
    for number in 0..30 {
        let namespace = Namespace::new("test", format!("c{number:02}"));
        window.ask(Action::Tabs(TabsAction::Show(namespace)));
    }
    let is_seen = |window: &Window, name: &str| {
        let tab = window.place(name);
        tab.left() > 240.0 && tab.right() < 1_250.0
    };
    window.until_window("the last one", |window| is_seen(window, "test.c29"));
    assert!(!is_seen(&window, "test.c00"));
    window.keys(egui::Modifiers::COMMAND, Key::Tab);
    window.until_window("the first one", |window| is_seen(window, "test.c00"));
    window.choose("List the open tabs", "Go to test.c05");
    window.until_window("the chosen one", |window| is_seen(window, "test.c05"));
}

#[test]
fn a_collection_without_a_ttl_index_has_a_low_row() {
    let mut commands = drops();
    commands.extend(notes());
    let mut window = Window::open_after(&commands);
    window.until_named("Collection test.notes");
    let height = |window: &Window, name: &str| window.place(name).height();
    window.until_window("both are known", |window| {
        height(window, "Collection test.drops") > height(window, "Collection test.notes")
    });
    assert!(height(&window, "Collection test.notes") >= 24.0);
}

#[test]
fn a_dialog_stays_where_it_is_while_it_is_filled_in() {
    let mut window = Window::open_after(&notes());
    window.until_named("Collection test.notes");
    window.choose("Create", "Create collection…");
    let title = |window: &Window| window.place("Create collection in test").top();
    let top = title(&window);
    window.type_into("Collection name", "a$b");
    window.until_named("Names can't contain dollar signs");
    assert!((title(&window) - top).abs() < 0.5);
    window.type_into("Collection name", "ring");
    window.click("Capped collection (keeps only the newest documents)");
    window.type_into("Size in bytes", "4096");
    window.until_named(COMMAND);
    let cancel = window.place("Cancel").top();
    assert!((title(&window) - top).abs() < 0.5);
    window.type_into("Size in bytes", "");
    window.until_named("Enter a number of bytes");
    assert!(window.place("Cancel").top() >= cancel, "its buttons don't move up");
    assert!((title(&window) - top).abs() < 0.5);
}

#[test]
fn a_collection_is_duplicated_with_its_indexes() {
    let mut window = Window::open_after(&drops());
    window.until_named("Collection test.drops");
    window.point_secondary("Collection test.drops");
    window.point("Duplicate…");
    window.until_named("With its 1 index");
    assert_eq!(window.value("Name of the copy"), "drops_copy");
    assert!(window.has("Documents expire in the copy as well"));
    window.type_into("Name of the copy", "drops");
    window.until_named("A collection with this name already exists");
    assert!(!window.is_enabled("Duplicate"));
    window.type_into("Name of the copy", "more drops");
    let shown = window.value(COMMAND);
    assert!(shown.contains("createCollection") && shown.contains("createIndex"), "{shown}");
    window.key(Key::Enter);
    window.until_named("Dismiss: Duplicated test.drops as test.more drops");
    let sent = window.sent();
    assert!(shown.lines().all(|line| sent.iter().any(|sent| sent == line)), "{sent:?}");
    assert!(sent.iter().any(|sent| sent.contains("insertMany")), "{sent:?}");
    assert_eq!(window.tab().namespace.collection, "more drops");
    let count = |name: &str| window.run("test", &doc! {"count": name}).get_i32("n").ok();
    assert_eq!(count("drops"), count("more drops"));
    let indexes = window.run("test", &doc! {"listIndexes": "more drops"});
    assert!(indexes.to_string().contains("expireAfterSeconds"), "{indexes}");
}

#[test]
fn the_name_of_a_copy_is_one_that_is_free() {
    let mut commands = notes();
    commands.push(doc! {"insert": "notes_copy", "documents": [{"_id": 1}]});
    let mut window = Window::open_after(&commands);
    window.until_named("Collection test.notes_copy");
    window.point_secondary("Collection test.notes");
    window.point("Duplicate…");
    window.until_enabled("Duplicate");
    assert_eq!(window.value("Name of the copy"), "notes_copy2");
    assert!(!window.has_part("With its"));
}

#[test]
fn a_collection_shows_its_statistics() {
    let mut window = Window::open_after(&drops());
    window.until_named("Collection test.drops");
    window.point_secondary("Collection test.drops");
    window.point("Statistics");
    window.until_named("Statistics of test.drops");
    window.until_named("Average document: ");
    assert!(window.has_part("_id_: ") && window.has_part("in documents"));
    let reply = window.copied("Copy the reply");
    assert!(reply.contains("indexSizes"), "{reply}");
    window.key(Key::Enter);
    window.until_gone("Statistics of test.drops");
}

#[test]
fn a_collection_is_emptied_by_its_name_and_keeps_its_indexes() {
    let mut window = Window::open_after(&drops());
    window.until_named("Collection test.drops");
    window.point_secondary("Collection test.drops");
    window.point("Empty collection…");
    window.until_named("Empty collection drops?");
    let shown = window.value(COMMAND);
    assert!(!window.has("Delete all documents"), "the button says how many");
    window.type_into("Name to confirm", "drops");
    window.key(Key::Enter);
    window.until_named("Dismiss: Emptied test.drops");
    assert!(window.sent().contains(&shown), "{:?}", window.sent());
    assert_eq!(window.run("test", &doc! {"count": "drops"}).get_i32("n").ok(), Some(0));
    let indexes = window.run("test", &doc! {"listIndexes": "drops"});
    assert!(indexes.to_string().contains("expireAfterSeconds"), "{indexes}");
    assert!(window.has("Collection test.drops"));
}

#[test]
fn a_collection_is_imported_into_and_exported_from_its_menu() {
    let mut window = Window::open_after(&notes());
    window.until_named("Collection test.notes");
    window.point_secondary("Collection test.notes");
    window.point("Import…");
    window.until_named("Import documents");
    window.key(Key::Escape);
    window.point_secondary("Collection test.notes");
    window.point("Export…");
    window.until_named("Export documents");
}

#[test]
fn a_view_opens_on_its_documents_and_offers_what_it_can_do() {
    let mut commands = notes();
    commands.push(doc! {"create": "few", "viewOn": "notes", "pipeline": [{"$match": {"n": 1}}]});
    let mut window = Window::open_after(&commands);
    window.until_named("Collection test.few");
    window.click("Collection test.few");
    window.until("the view is shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.namespace.collection == "few")
    });
    window.until("on its documents", |state| {
        state.tabs.active().is_some_and(|tab| tab.view == ViewKind::Documents)
    });
    window.point_secondary("Collection test.few");
    for (entry, is_offered) in [
        ("Export…", true),
        ("Import…", false),
        ("Duplicate…", false),
        ("Empty collection…", false),
        ("Statistics", false),
    ] {
        assert_eq!(window.is_enabled(entry), is_offered, "{entry}");
    }
}
