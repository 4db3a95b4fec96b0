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
    window.click("'paid': 33 · 33 %");
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
fn a_type_leads_to_as_many_documents_as_it_counts() {
    let documents = vec![doc! { "_id": 1, "a": "x" }, doc! { "_id": 2, "a": ["x"] }];
    let mut window =
        Window::open_view(&[doc! { "insert": "orders", "documents": documents }], "Schema");
    window.until_named("All 2 documents read");
    window.click("Field a");
    window.click("String: 1 · 50 %");
    assert_eq!(filter(&mut window), "{ a: { $type: 'string', $not: { $type: 'array' } } }");
    assert_eq!(read(&window), 1);
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

/// Every field that may be a date but is none.
fn events() -> Document {
    let event = |n: i32| {
        let secs = 1_709_280_000_i64 + i64::from(n);
        let text = Bson::String("2024-03-01".to_owned());
        let mixed = if n == 0 { at(0).into() } else { text };
        doc! {
            "_id": n, "mixed": mixed, "secs": secs, "log": { "ms": secs * 1_000 }, "text": "Jun 12 1998",
            "list": ["2024-03-01"], "rest": n,
        }
    };
    doc! { "insert": "orders", "documents": (0..10).map(event).collect::<Vec<_>>() }
}

#[test]
fn numbers_and_text_that_look_like_dates_lead_to_their_conversion() {
    let mut window = Window::open_view(&[events()], "Schema");
    window.until_named("date in 10 % of documents; text that looks like a date in 90 %");
    window.until_named("text that looks like a date in 100 % of documents, such as Jun 12 1998");
    assert!(!window.has_part("since 1970"), "the first three are listed");
    window.click("Show all 5: could carry a TTL");
    window.until_named(
        "numbers that look like seconds since 1970 in 100 % of documents, such as 1709280000 \
         (2024-03-01 08:00)",
    );
    assert!(window.has_part("numbers that look like milliseconds since 1970"));
    assert!(!window.has("Convert list to dates"), "no conversion reaches into an array");
    assert!(window.has("Create TTL index on mixed") && window.has("Convert mixed to dates"));
    for (path, converts) in [("log.ms", "Convert 10 values"), ("mixed", "Convert 9 values")] {
        window.click(&format!("Convert {path} to dates"));
        window.until_named(converts);
        assert_eq!(window.value("Field to convert"), path);
        window.click("Cancel");
    }
    window.click("Convert secs to dates");
    window.until_named("Convert 10 values");
    assert!(window.has("2024-03-01 08:00:00Z"));
    window.click("Convert 10 values");
    window.until_named("Converted secs to dates in 10 documents");
    window.click("Refresh");
    window.until_named("Create TTL index on secs");
}

#[test]
fn the_menu_and_the_inspector_of_a_field_convert_it() {
    let mut window = Window::open_view(&[events()], "Schema");
    window.until_named("Field text");
    window.point_secondary("Field text");
    window.until_named("Copy path");
    window.point("Convert to dates…");
    window.until_named("10 of 10 sampled values look like dates");
    assert_eq!(window.value("Field to convert"), "text");
    window.click("Cancel");
    window.click("Field mixed");
    window.until_named("Clear the selection");
    window.click("Convert to dates…");
    window.until_named("9 of 9 sampled values look like dates");
    window.click("Cancel");
    window.click("Field _id");
    assert!(!window.has("Convert to dates…"), "an _id never changes");
    window.point_secondary("Field mixed");
    window.point("Create TTL index…");
    window.until_named("Create index on orders");
    assert_eq!(window.value("Field 1"), "mixed");
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
    window.choose("Schema as…", "JSON Schema…");
    let text = window.copied("Copy to the clipboard");
    assert!(text.contains("\"$schema\"") && text.contains("\"#/$defs/Date\""), "{text}");
    assert!(text.contains("\"title\": \"test.orders\""), "{text}");
}

#[test]
fn the_json_schema_is_saved_to_a_file_that_is_replaced_only_when_asked() {
    let mut window = open();
    let path = window.folder.path().join("orders.schema.json");
    let export = |window: &mut Window| {
        window.choose("Schema as…", "JSON Schema…");
        window.click("Save to a file…");
        window.until_named("Export JSON Schema");
        assert!(window.value("File path").ends_with("test.orders.schema.json"));
        window.type_into("File path", &path.to_string_lossy());
        window.click("Export");
    };
    export(&mut window);
    window.until_named("Exported the JSON Schema to");
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.contains("\"title\": \"test.orders\"") && text.ends_with("}\n"), "{text}");
    std::fs::write(&path, "mine").expect("written");
    export(&mut window);
    window.until_named("already exists. Replace it?");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "mine");
    window.click("Replace file");
    window.until_window("it is replaced", |_| {
        std::fs::read_to_string(&path).is_ok_and(|text| text.contains("test.orders"))
    });
    window.until_gone("Replace file");
}

#[test]
fn the_schema_becomes_the_validator_with_the_command_that_is_shown() {
    let mut window = open();
    window.choose("Schema as…", "Validator…");
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
    window.choose("Schema as…", "Validator…");
    window.until_named("All documents of the collection pass");
    window.click("Other fields are not allowed");
    window.until_named("25 documents in the collection would not pass");
}
