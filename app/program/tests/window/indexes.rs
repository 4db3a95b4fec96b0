//! The Indexes view: what is listed, and what its rows can do.

use bson::{Document, doc};

use super::support::{Window, at};

/// A collection with an index of every kind.
pub fn visits() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "visits", "indexes": [
            {"key": {"seen": 1}, "name": "seen_1", "expireAfterSeconds": 600},
            {"key": {"made": 1}, "name": "made_1"},
            {"key": {"code": 1}, "name": "code_1", "unique": true, "sparse": true},
            {"key": {"user": 1, "made": -1}, "name": "user_made"},
        ]},
        doc! {"insert": "visits", "documents": [
            {"_id": 1, "seen": at(-700), "made": at(-700), "code": "a"},
            {"_id": 2, "seen": at(-100), "made": at(-100), "code": "b"},
            {"_id": 3, "made": at(900)},
        ]},
    ]
}

pub fn window() -> Window {
    let mut window = Window::open_view(&visits(), "Indexes");
    window.until_named("seen_1");
    window
}

#[test]
fn indexes_are_listed_with_what_makes_them_special() {
    let mut window = window();
    for words in [
        "_id_",
        "seen ↑",
        "user ↑, made ↓",
        "TTL",
        "10 min (600 s)",
        "unique",
        "sparse",
        "Entries",
        "Used",
    ] {
        window.until_named(words);
    }
    window.until_named("5 indexes");
}

#[test]
fn an_index_that_can_have_no_ttl_offers_none() {
    let window = window();
    assert!(window.is_enabled("Change TTL… seen_1"));
    assert!(window.is_enabled("Add TTL… made_1"));
    assert!(!window.is_enabled("Add TTL… user_made"));
    assert!(!window.has("Add TTL… _id_"), "no collection can have it");
}

#[test]
fn a_small_window_has_room_for_what_can_be_done() {
    let mut window = window();
    for width in [1_280.0, 1_100.0, 900.0, 760.0] {
        window.harness.set_size(egui::vec2(width, 600.0));
        window.until_named("10 min (600 s)");
        for name in ["Change TTL… seen_1", "More for seen_1"] {
            let place = window.place(name);
            assert!(place.right() <= width, "{name} at {place} of {width}");
        }
    }
}

#[test]
fn an_index_is_hidden_and_shown_again() {
    let mut window = window();
    window.choose("More for made_1", "Hide");
    window.until_named("Dismiss: Index made_1 is now hidden from queries");
    window.until_named("hidden");
    window.choose("More for made_1", "Unhide");
    window.until_named("Dismiss: Index made_1 is now visible");
    let sent = window.sent();
    assert!(sent.iter().any(|text| text.contains("hidden: true")), "{sent:?}");
    assert!(sent.iter().any(|text| text.contains("hidden: false")), "{sent:?}");
}

#[test]
fn an_index_that_no_query_uses_is_marked() {
    let mut setup = visits();
    setup.push(doc! {"createIndexes": "visits", "indexes": [
        {"key": {"place": "2dsphere"}, "name": "place_2dsphere"},
    ]});
    let mut window = Window::open_view(&setup, "Indexes");
    window.until_named("place_2dsphere");
    assert!(window.has("not used"));
}

#[test]
fn the_index_of_the_ids_stays() {
    let mut window = window();
    window.point("More for _id_");
    assert!(!window.is_enabled("Drop index…"));
    assert!(!window.is_enabled("Hide"));
}

#[test]
fn indexes_made_elsewhere_come_by_themselves() {
    let mut window = window();
    let index = doc! {"key": {"kind": 1}, "name": "kind_1"};
    window.run("test", &doc! {"createIndexes": "visits", "indexes": [index]});
    window.until_named("kind_1");
    window.until_named("6 indexes");
}
