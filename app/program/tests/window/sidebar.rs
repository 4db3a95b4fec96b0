//! Databases and collections at the left.

use bson::{Document, doc};
use egui::Key;
use mayfly::action::{Action, StoreAction, TabsAction};
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
    window.ask(Action::Tabs(TabsAction::Show(Namespace::new("test", "c50"))));
    window.until_named("1 document");
    window.type_into("Search collections", "c00");
    window.until_gone("Collection test.c50");
    window.run("test", &doc! {"insert": "c50", "documents": [{"_id": 2}]});
    window.until("it is counted", |state| {
        state.tree.documents_of(&Namespace::new("test", "c50")) == Some(2)
    });
}

/// It would hide the collection, and those that are created next.
#[test]
fn a_search_ends_with_the_collection_that_is_opened() {
    let mut window = Window::open_after(&many());
    window.until_named("Collection test.c00");
    window.type_into("Search collections", "c07");
    window.until_gone("Collection test.c50");
    window.key(Key::Enter);
    window.until_named("Collection test.c50");
    assert_eq!(window.tab().namespace.to_string(), "test.c07");
    assert_eq!(window.value("Search collections"), "");
    window.type_into("Search collections", "c00");
    window.until_gone("Collection test.c50");
    window.ask(Action::Tabs(TabsAction::Show(Namespace::new("test", "c50"))));
    window.until_window("the row is on the screen", |window| {
        window.has("Collection test.c50") && window.place("Collection test.c50").bottom() < 780.0
    });
    window.type_into("Search collections", "c5");
    window.click("Collection test.c51");
    assert!(!window.has("Collection test.c00"), "one that it lists leaves it as it is");
}

#[test]
fn the_menu_of_a_row_names_it_and_leaves_it_in_sight() {
    let mut window = Window::open_after(&many());
    window.until_named("Collection test.c00");
    for (row, name, entry) in [
        ("Collection test.c02", "test.c02", "Drop collection…"),
        ("Database test", "test", "Drop database…"),
    ] {
        let labels = |window: &Window| {
            window.on_screen().lines().filter(|line| *line == format!("Label {name}")).count()
        };
        let before = labels(&window);
        let place = window.place(row);
        window.point_secondary(row);
        window.until_named(entry);
        assert!(!window.place(entry).intersects(place), "{row} is covered");
        assert_eq!(labels(&window), before + 1, "{row}: {}", window.on_screen());
        window.key(Key::Escape);
        window.until_gone(entry);
    }
}

/// The way to the other stores, also where a store has hundreds of collections.
#[test]
fn other_stores_stay_in_sight() {
    let mut window = Window::open_after(&many());
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other)));
    window.until_named("Store other");
    window.click("Store store");
    window.until_named("Collection test.c00");
    window.ask(Action::Tabs(TabsAction::Show(Namespace::new("test", "c55"))));
    window.until_window("the row is on the screen", |window| {
        window.place("Collection test.c55").bottom() < 780.0
    });
    for name in ["Store store", "Store other"] {
        let place = window.place(name);
        assert!(place.top() > 40.0 && place.bottom() < 800.0, "{name}: {place}");
    }
}
