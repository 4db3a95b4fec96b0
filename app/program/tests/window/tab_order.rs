//! The order in which the Tab key goes through the window.

use bson::doc;
use egui::{Key, Modifiers};

use super::support::{Window, at};

fn window() -> Window {
    let mut window = Window::open_view(
        &[
            doc! {"createIndexes": "carts", "indexes": [
                {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 600},
            ]},
            doc! {"insert": "carts", "documents": [
                {"_id": 1, "at": at(-700)}, {"_id": 2, "at": at(60)},
            ]},
        ],
        "Documents",
    );
    window.until_named("Document 1");
    window.click("Activity");
    window.click("Run pass");
    window.until_named("Pass 1 ");
    window.point("Document 2");
    window.until_named("Edit as text");
    window
}

/// The controls that the keyboard comes to, until it comes to the first one again.
fn walk(window: &mut Window, modifiers: Modifiers) -> Vec<String> {
    let mut met: Vec<String> = Vec::new();
    for _ in 0..300 {
        window.harness.key_press_modifiers(modifiers, Key::Tab);
        window.harness.run_steps(3);
        // Between two controls the keyboard is free: the keys of the list.
        let Some(name) = window.focused() else { continue };
        if met.len() > 20 && met[0] == name {
            return met;
        }
        met.push(name);
    }
    panic!("the keyboard never came around: {met:#?}");
}

fn place(met: &[String], name: &str) -> usize {
    let is_it = |found: &String| found == name || name.contains(" · ") && found.starts_with(name);
    let at = met.iter().position(is_it);
    at.unwrap_or_else(|| panic!("no {name} among {met:#?}"))
}

#[test]
fn tab_goes_from_the_sidebar_through_the_view_to_the_status_bar() {
    let mut window = window();
    window.type_into("Search collections", "");
    let met = walk(&mut window, Modifiers::NONE);
    let order = [
        "Collection test.carts",
        "test.carts",
        "Documents",
        "Filter",
        "Select Document 2",
        "Edit as text",
        "Activity",
        "Clear",
        "Pass 1 · removed 1",
    ];
    let places: Vec<usize> = order.iter().map(|name| place(&met, name)).collect();
    assert!(places.is_sorted(), "{places:?} of {met:#?}");
}

#[test]
fn shift_and_tab_go_back_from_the_list_through_the_header() {
    let mut window = window();
    window.type_into("Filter", "");
    window.key(Key::Tab);
    assert_eq!(window.focused(), None, "the list has the keys");
    let met = walk(&mut window, Modifiers::SHIFT);
    let order = ["Cards (F2)", "Refresh", "Find", "Filter", "Documents", "test.carts", "Create"];
    let places: Vec<usize> = order.iter().map(|name| place(&met, name)).collect();
    assert!(places.is_sorted(), "{places:?} of {met:#?}");
}
