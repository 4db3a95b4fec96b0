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
    assert_eq!(window.tab().documents.cursor.row, 1);
}

#[test]
fn ctrl_f_finds_in_the_documents() {
    let mut window = documents();
    window.keys(Modifiers::COMMAND, Key::F);
    assert!(window.is_focused("Find in the loaded documents"));
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

/// 300 documents, more than are loaded at once.
fn many() -> Window {
    let documents: Vec<Document> = (0..300).map(|id| doc! {"_id": id, "n": id}).collect();
    let mut window =
        Window::open_view(&[doc! {"insert": "many", "documents": documents}], "Documents");
    window.until_named("Document 0");
    window
}

#[test]
fn shift_and_arrows_select_every_row_also_those_that_were_never_shown() {
    let mut window = many();
    window.key(Key::ArrowDown);
    window.key(Key::ArrowDown);
    for _ in 0..3 {
        window.keys(Modifiers::SHIFT, Key::ArrowDown);
    }
    assert_eq!(window.tab().documents.selected.len(), 4, "rows 1 to 4");
    window.keys(Modifiers::SHIFT, Key::ArrowUp);
    assert_eq!(window.tab().documents.selected.len(), 3);
    window.keys(Modifiers::SHIFT, Key::End);
    window.until_named("Delete 299 documents…");
    window.until_named("Document 299");
    window.keys(Modifiers::SHIFT, Key::Home);
    window.until_named("Delete 2 documents…");
    window.key(Key::End);
    window.until("the last row alone is selected", |state| {
        let documents = &state.tabs.active().expect("a tab").documents;
        documents.selected.len() == 1 && documents.is_selected(&bson::bson!(299))
    });
    window.key(Key::PageUp);
    let row = window.tab().documents.cursor.row;
    assert!((200..298).contains(&row), "about a screen further up: {row}");
}

#[test]
fn ctrl_c_copies_the_selected_documents_as_they_are_shown() {
    let mut window = documents();
    window.key(Key::ArrowDown);
    assert_eq!(window.copied_by_key(), "{\n  _id: 1,\n  n: 1\n}");
    window.key(Key::F3);
    assert_eq!(window.copied_by_key(), "{\n  \"_id\": 1,\n  \"n\": 1\n}");
    window.key(Key::F4);
    assert_eq!(window.copied_by_key(), "1\t1");
    window.keys(Modifiers::SHIFT, Key::ArrowDown);
    assert_eq!(window.copied_by_key(), "_id\tn\n1\t1\n2\t2");
    window.until_named("Copied 2 documents");
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

#[test]
fn ctrl_l_goes_to_the_filter_from_every_view() {
    let mut window = documents();
    for view in ["Expiry", "Schema", "Aggregate", "Indexes", "Documents"] {
        window.click(view);
        window.keys(Modifiers::COMMAND, Key::L);
        assert!(window.is_focused("Filter"), "from {view}");
    }
}
