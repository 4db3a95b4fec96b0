//! Databases and collections at the left.

use bson::{Document, doc};
use mayfly::action::{Action, TabsAction};
use mayfly::state::Namespace;

use super::support::Window;

/// More collections than there is room for.
fn many() -> Vec<Document> {
    let insert = |number: i32| doc! {"insert": format!("c{number:02}"), "documents": [{"_id": 1}]};
    (0..60).map(insert).collect()
}

#[test]
fn what_is_opened_elsewhere_is_counted_and_scrolled_to() {
    let mut window = Window::open_after(&many());
    window.until_named("Collection test.c00");
    assert!(window.place("Collection test.c50").top() > 800.0);
    window.ask(Action::Tabs(TabsAction::Show(Namespace::new("test", "c50"))));
    window.until_window("the row is on the screen", |window| {
        let row = window.place("Collection test.c50");
        row.top() > 48.0 && row.bottom() < 780.0
    });
    window.until("it is counted", |state| {
        state.tree.documents_of(&Namespace::new("test", "c50")) == Some(1)
    });
}

#[test]
fn what_the_search_hides_is_counted_too() {
    let mut window = Window::open_after(&many());
    window.until_named("Collection test.c00");
    window.type_into("Search collections", "c00");
    window.until_gone("Collection test.c50");
    window.ask(Action::Tabs(TabsAction::Show(Namespace::new("test", "c50"))));
    window.until_named("1 document");
    assert_eq!(window.state().tree.documents_of(&Namespace::new("test", "c50")), Some(1));
}
