//! Where the keyboard is, and what its keys do on Documents.

use bson::{Document, doc};
use egui::Key;

use crate::support::Window;

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
