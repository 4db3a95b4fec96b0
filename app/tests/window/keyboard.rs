//! Where the keyboard is, and what its keys do on Documents.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::state::Namespace;
use mayfly::state::store::Next;
use mayfly::state::tabs::ViewKind;

use crate::support::{Window, at};

fn notes() -> Document {
    doc! {"insert": "notes", "documents": [{"_id": 1, "n": 1}, {"_id": 2, "n": 2}]}
}

fn documents() -> Window {
    let mut window = Window::open_view(&[notes()], "Documents");
    window.until_named("Document 1");
    window
}

#[test]
fn enter_leaves_the_keyboard_in_the_filter() {
    let mut window = documents();
    window.type_into("Filter", "{n: 1}");
    window.key(Key::Enter);
    assert!(window.is_focused("Filter"));
    window.type_into("Filter", "{n: 'Zo");
    window.key(Key::Enter);
    assert!(window.is_focused("Filter"), "a broken filter is corrected where it stands");
}

#[test]
fn tab_goes_from_the_filter_to_the_list() {
    let mut window = documents();
    window.type_into("Filter", "");
    window.key(Key::Tab);
    assert!(window.tab().documents.focus.is_some(), "the first document is chosen");
    window.key(Key::ArrowDown);
    assert_eq!(window.tab().documents.anchor, 1);
}

#[test]
fn ctrl_f_goes_to_the_filter() {
    let mut window = documents();
    window.keys(Modifiers::COMMAND, Key::F);
    assert!(window.is_focused("Filter"));
}

#[test]
fn enter_edits_the_selected_document() {
    let mut window = documents();
    window.key(Key::ArrowDown);
    assert!(window.tab().documents.focus.is_some());
    window.key(Key::Enter);
    window.until("the editor is open", |state| state.dialogs.open().is_some());
}

#[test]
fn ctrl_a_selects_what_matches_and_in_a_field_its_text() {
    let mut window = documents();
    window.keys(Modifiers::COMMAND, Key::A);
    assert_eq!(window.tab().documents.selected.len(), 2);
    window.key(Key::Escape);
    window.type_into("Filter", "{n: 1}");
    window.keys(Modifiers::COMMAND, Key::A);
    assert!(window.tab().documents.selected.is_empty());
}

#[test]
fn a_collection_opens_on_expiry_only_with_a_ttl_index() {
    let ttl = doc! {"createIndexes": "carts", "indexes": [
        {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
    ]};
    let carts = doc! {"insert": "carts", "documents": [{"_id": 1, "at": at(60)}]};
    let mut window = Window::open_after(&[ttl, carts, notes()]);
    window.until("the first tab", |state| state.tabs.active().is_some());
    assert_eq!(window.tab().view, ViewKind::Expiry);
    window.click("Collection test.notes");
    window.until("notes are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.namespace.collection == "notes")
    });
    assert_eq!(window.tab().view, ViewKind::Documents);
    let next = |name: &str| {
        let namespace = Namespace::new("test", name);
        window.state().tree.collection(&namespace).map(|collection| collection.next)
    };
    assert_eq!(next("notes"), Some(Next::NoTtl));
    assert!(matches!(next("carts"), Some(Next::At(_))));
    window.click("Indexes");
    window.keys(Modifiers::COMMAND, Key::W);
    window.click("Collection test.notes");
    assert_eq!(window.tab().view, ViewKind::Indexes, "as it was left");
}
