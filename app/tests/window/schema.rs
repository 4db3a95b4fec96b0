//! The Schema view.

use bson::{Bson, Document, doc};
use egui::{Key, Modifiers};
use mayfly::state::schema::Stage;
use mayfly::state::tabs::ViewKind;

use crate::support::{Window, at};

const DAY_SECS: i64 = 86_400;

/// Orders: three statuses, numbers from 0 to 99, dates of the last 40 days, some without a note.
fn orders() -> Document {
    let order = |n: i32| {
        let status = ["open", "paid", "sent"][usize::try_from(n % 3).expect("small")];
        let mut order = doc! {
            "_id": n, "status": status, "total": n, "at": at(-DAY_SECS * i64::from(n % 40)),
            "items": [{ "sku": format!("s{}", n % 5), "price": n }],
            "day": "2015/01/01 08:00:00",
        };
        if n % 4 == 0 {
            order.insert("note", if n % 8 == 0 { Bson::Null } else { "x".into() });
        }
        order
    };
    doc! { "insert": "orders", "documents": (0..100).map(order).collect::<Vec<_>>() }
}

fn open() -> Window {
    let mut window = Window::open_view(&[orders()], "Schema");
    window.until("everything is read", |state| {
        state.tabs.active().is_some_and(|tab| matches!(tab.schema.stage, Stage::Done(_)))
    });
    window
}

/// The filter of the documents, once the schema is about it.
fn filter(window: &mut Window) -> String {
    window.until("the schema follows the filter", |state| {
        state.tabs.active().is_some_and(|tab| {
            matches!(tab.schema.stage, Stage::Done(_))
                && tab.schema.filter == tab.documents.query.filter
        })
    });
    window.tab().documents.text.filter.clone()
}

fn read(window: &Window) -> u64 {
    window.tab().schema.schema.as_ref().expect("a schema").documents
}

#[test]
fn the_view_says_what_documents_look_like() {
    let window = open();
    assert!(window.has_part("All 100 documents read"));
    for field in ["_id", "status", "total", "at", "items", "note"] {
        assert!(window.has(&format!("Field {field}")), "{field}");
    }
    assert!(!window.has("Field items[]"), "what is inside is folded");
    assert!(window.has("25 %"), "the share of documents with a note");
    assert!(window.has("null 52 % · String 48 %"));
}

#[test]
fn a_press_becomes_part_of_the_filter() {
    let mut window = open();
    window.click("Field status");
    window.click("\"paid\": 33 · 33 %");
    assert_eq!(filter(&mut window), "{ status: 'paid' }");
    assert_eq!(read(&window), 33, "the schema is about what matches");
    window.click("Field total");
    window.click("45 to 50: 2");
    assert_eq!(filter(&mut window), "{ status: 'paid', total: { $gte: 45, $lt: 50 } }");
    assert_eq!(read(&window), 2);
    window.click("Clear filter");
    assert_eq!((filter(&mut window).as_str(), read(&window)), ("", 100));
    window.click("Field note");
    window.click("Missing: 75 · 75 %");
    assert_eq!(filter(&mut window), "{ note: { $exists: false } }");
    assert_eq!(read(&window), 75);
    window.click("Show documents");
    assert_eq!(window.tab().view, ViewKind::Documents);
    assert_eq!(window.tab().documents.pages.total(), Some(75));
}

#[test]
fn types_hours_and_elements_can_be_pressed_too() {
    let mut window = open();
    window.click("Field note");
    window.click("null: 13 · 52 %");
    assert_eq!(filter(&mut window), "{ note: { $type: 'null' } }");
    assert_eq!(read(&window), 13);
    window.click("Clear filter");
    filter(&mut window);
    window.click("Field at");
    window.click("12:00 to 13:00: 100");
    filter(&mut window);
    assert_eq!(read(&window), 100);
    window.click("Clear filter");
    filter(&mut window);
    window.click("Unfold items");
    window.click("Unfold items[]");
    window.click("Field items[].price");
    window.click("95 to 100: 5");
    let expected = "{ items: { $elemMatch: { price: { $gte: 95, $lt: 100 } } } }";
    assert_eq!((filter(&mut window).as_str(), read(&window)), (expected, 5));
}

#[test]
fn fields_that_could_carry_a_ttl_open_the_dialog() {
    let mut window = open();
    assert!(window.has_part("date in 100 % of documents"));
    // Days 1 to 39 of 40, and day 30 to 39.
    assert!(window.has_part("97 with 1 day · 20 with 30 days · 0 with 1 year"));
    assert!(window.has_part("text that looks like a date in 100 % of documents"));
    window.click("Create TTL index on at");
    assert!(window.has_part("Create index"));
    assert_eq!(window.value("Field 1"), "at");
}

#[test]
fn a_changed_collection_is_read_again_only_when_asked() {
    let mut window = open();
    window
        .run("test", &doc! { "delete": "orders", "deletes": [{ "q": { "_id": 1 }, "limit": 1 }] });
    window.until_named("The data has changed since");
    assert_eq!(read(&window), 100);
    window.click("Refresh");
    window.until("it is read again", |state| {
        let schema = state.tabs.active().and_then(|tab| tab.schema.schema.clone());
        schema.is_some_and(|schema| schema.documents == 99)
    });
    assert!(!window.has_part("The data has changed since"));
}

#[test]
fn an_empty_collection_and_a_filter_without_matches_say_so() {
    let mut window = Window::open_view(&[doc! { "create": "nothing" }], "Schema");
    window.until_named("This collection has no documents");
    let mut window = open();
    window.click("Documents");
    window.type_into("Filter", "{ total: 1000 }");
    window.key(Key::Enter);
    window.click("Schema");
    window.until_named("No documents match the filter");
}

#[test]
fn ctrl_2_shows_the_schema() {
    let mut window = Window::open_view(&[orders()], "Documents");
    window.keys(Modifiers::COMMAND, Key::Num2);
    assert_eq!(window.tab().view, ViewKind::Schema);
}

#[test]
fn the_schema_is_exported_as_json_schema() {
    let mut window = open();
    window.choose("Use the schema", "Export as JSON Schema…");
    let text = window.copied("Copy to the clipboard");
    assert!(text.contains("\"$schema\"") && text.contains("\"#/$defs/Date\""), "{text}");
    assert!(text.contains("\"title\": \"test.orders\""), "{text}");
}

#[test]
fn the_schema_becomes_the_validator_with_the_command_that_is_shown() {
    let mut window = open();
    window.choose("Use the schema", "Use as validator…");
    window.until_named("All documents of the collection pass");
    let shown = window.value("Command to send");
    assert!(shown.contains("collMod: 'orders'") && shown.contains("validationLevel: 'strict'"));
    window.click("Set validator");
    window.until_gone("Set validator");
    let sent = window.sent().pop().expect("a command");
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    assert_eq!(plain(&sent), plain(&shown));
    let refused = doc! { "insert": "orders", "documents": [{ "_id": "x", "status": 1 }] };
    let reply = window.run("test", &refused);
    let errors = reply.get_array("writeErrors").expect("errors");
    assert_eq!(errors[0].as_document().and_then(|e| e.get_i32("code").ok()), Some(121));
}

#[test]
fn a_validator_from_a_part_says_how_many_documents_fail() {
    let mut window = open();
    window.click("Field note");
    window.click("Missing: 75 · 75 %");
    assert_eq!(filter(&mut window), "{ note: { $exists: false } }");
    window.choose("Use the schema", "Use as validator…");
    window.until_named("All documents of the collection pass");
    window.click("Other fields are not allowed");
    window.until_named("25 documents in the collection would not pass");
}
