//! Several stores and servers that are open at once.

use std::path::Path;

use bson::{Document, doc};
use egui::Key;
use mayfly::action::{Action, StoreAction, ViewAction};
use mayfly::source::{OpenRequest, embedded};
use mayfly::state::State;
use mayfly::state::view::Drawer;

use super::connect::{Served, attached};
use super::support::Window;

fn notes() -> Vec<Document> {
    vec![doc! { "insert": "notes", "documents": [{"_id": 1, "n": 1}, {"_id": 2, "n": 2}] }]
}

fn is_in(state: &State, folder: &Path) -> bool {
    state.is_open() && state.tree.loaded && state.store.folder.as_deref() == Some(folder)
}

/// A window on a store with two notes, in which another one was opened next and is shown.
fn two_stores() -> (Window, std::path::PathBuf) {
    let mut window = Window::open_view(&notes(), "Documents");
    window.until_named("Document 1");
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    (window, other)
}

/// Whether a store's folder can be opened by another program.
fn is_free(folder: &Path) -> bool {
    let request = OpenRequest { folder: Some(folder.to_owned()), ..OpenRequest::default() };
    match embedded::opener()(&request) {
        Ok(opened) => {
            opened.source.close();
            true
        }
        Err(error) => {
            assert!(error.is_in_use, "{}", error.message);
            false
        }
    }
}

#[test]
fn a_command_is_listed_with_the_store_that_it_went_to() {
    let mut window = Window::open_view(&notes(), "Documents");
    window.until_named("Document 1");
    window.ask(Action::View(ViewAction::SetDrawer(Some(Drawer::Activity))));
    window.type_into("Filter", "{n: 1}");
    window.key(Key::Enter);
    window.until_gone("Document 2");
    window.until_named("Copy command");
    assert!(!window.has_part("Sent to"), "one store alone needs no name");
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    window.until_named("Sent to store");
    window.choose("TTL monitor", "Every 10 s");
    window.until_named("Sent to other");
    let records = window.state().commands.records();
    let user: Vec<&str> = records
        .iter()
        .filter(|record| !record.background)
        .map(|record| window.state().commands.store_name(record))
        .collect();
    assert!(user.first() == Some(&"store") && user.last() == Some(&"other"), "{user:?}");
}

#[test]
fn a_store_stays_open_beside_the_next_one_and_comes_back_as_it_was() {
    let mut window = Window::open_view(&notes(), "Documents");
    window.until_named("Document 1");
    assert!(!window.has_part("Store store"), "one store alone has no root");
    window.type_into("Filter", "{n: 1}");
    window.key(Key::Enter);
    window.until_gone("Document 2");
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    assert!(window.state().tabs.open().is_empty() && !window.has("Collection test.notes"));
    assert!(window.has("Store store") && window.has("Store other"));
    let first = window.folder.path().join("store");
    assert!(!is_free(&first) && !is_free(&other));
    window.click("Store store");
    window.until_named("Document 1");
    assert!(is_in(window.state(), &first) && !window.has("Document 2"));
    assert_eq!(window.value("Filter"), "{n: 1}");
    window.ask(Action::View(ViewAction::SetPalette(true)));
    window.type_into("Find a command", "show other");
    window.key(Key::Enter);
    window.until("the other store is shown", |state| is_in(state, &other));
}

#[test]
fn a_store_is_closed_at_its_root() {
    let (mut window, other) = two_stores();
    let first = window.folder.path().join("store");
    window.point_secondary("Store other");
    window.point("Close");
    window.until("the first store is shown", |state| is_in(state, &first));
    window.until_window("the other one is closed", |_| is_free(&other));
    assert!(!window.has_part("Store store") && window.has("Collection test.notes"));
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("it is open again", |state| is_in(state, &other));
    // One that is not on the screen.
    let slot = window.state().beside[0].slot();
    window.ask(Action::Store(StoreAction::Close(slot)));
    window.until_window("the first store is closed", |_| is_free(&first));
    assert!(is_in(window.state(), &other) && window.state().beside.is_empty());
    let only = window.state().store.slot;
    window.ask(Action::Store(StoreAction::Close(only)));
    assert!(is_in(window.state(), &other), "the last store stays");
}

#[test]
fn a_store_is_not_opened_twice() {
    let (mut window, other) = two_stores();
    let first = window.folder.path().join("store");
    window.ask(Action::Store(StoreAction::CreateStore(first.clone())));
    window.until("it is shown", |state| is_in(state, &first));
    assert_eq!(window.state().beside.len(), 1);
    // The same folder under another name.
    let link = window.folder.path().join("link");
    std::os::unix::fs::symlink(&other, &link).expect("a link");
    window.ask(Action::Store(StoreAction::CreateStore(link)));
    window.until_named("This store is open in this window already");
    window.click("Store other");
    window.until("the other store is shown", |state| is_in(state, &other));
    assert_eq!(window.state().beside.len(), 1, "the one that failed is gone");
}

#[test]
fn what_happens_in_a_store_beside_changes_nothing_on_the_screen() {
    let (mut window, other) = two_stores();
    window.ask(Action::Store(StoreAction::CreateCollection(
        mayfly::state::dialogs::CreateCollection {
            db: "test".to_owned(),
            name: "notes".to_owned(),
            ..Default::default()
        },
    )));
    window.until_named("0 documents");
    let more = doc! { "insert": "notes", "documents": [{"_id": 3}] };
    window.run("test", &more);
    window.ask(Action::Store(StoreAction::Refresh));
    assert!(is_in(window.state(), &other) && window.has_part("0 documents"));
    window.click("Store store");
    window.until_named("Document 3");
}

#[test]
fn a_server_and_a_store_are_open_at_once() {
    let served = Served::start(&notes());
    let mut window = attached(&served);
    let name = window.state().store.name.clone();
    window.until_named("Collection test.notes");
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.until_named("Unlocked: changes are made on");
    window.click("Store store");
    window.until("the store is shown", |state| state.store.connection.is_none());
    assert!(!window.has("Unlocked") && !window.has("Collection test.notes"));
    window.click(&format!("Store {name}"));
    window.until_named("Collection test.notes");
    assert!(window.has("Unlocked"), "its lock is as it was");
    let slot = window.state().store.slot;
    window.ask(Action::Store(StoreAction::Close(slot)));
    window.until("the store is shown", |state| {
        state.store.connection.is_none() && state.beside.is_empty()
    });
}

#[test]
fn a_bounded_number_of_stores_is_open() {
    let mut window = Window::open();
    let root = window.folder.path().to_owned();
    for number in 1..mayfly::limits::OPEN_STORES_MAX {
        let folder = root.join(format!("s{number}"));
        window.ask(Action::Store(StoreAction::CreateStore(folder.clone())));
        window.until("it is open", |state| is_in(state, &folder));
    }
    let last = window.state().store.folder.clone();
    window.ask(Action::Store(StoreAction::CreateStore(root.join("more"))));
    window.until_named("close one first");
    assert_eq!(window.state().store.folder, last);
}

#[test]
fn the_time_of_a_command_stays_with_its_store() {
    let mut window = Window::open_view(&notes(), "Documents");
    window.type_into("Filter", "{n: 1}");
    window.key(Key::Enter);
    window.until_gone("Document 2");
    let is_time = |line: &str| {
        let digits = line.strip_prefix("Label ").unwrap_or_default();
        let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        unit.len() < digits.len() && [" µs", " ms", " s"].contains(&unit)
    };
    let has_time = |window: &Window| window.on_screen().lines().any(is_time);
    assert!(has_time(&window), "{}", window.on_screen());
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other.clone())));
    window.until("the other store is open", |state| is_in(state, &other));
    assert!(!has_time(&window), "nothing was asked of it: {}", window.on_screen());
    window.click("Store store");
    window.until_named("Document 1");
    assert!(has_time(&window), "{}", window.on_screen());
}
