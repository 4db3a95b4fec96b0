//! Entries that change the server, and what it has after that.

use bson::{DateTime, Document, doc};
use egui::Key;
use mayfly::action::{Action, TransferAction};
use mayfly::state::tabs::ViewKind;

use super::bench::{Bench, FAR_SECS, ORDERS};
use super::{Row, Script::Changes};

/// The ids of the orders on the server.
fn ids(bench: &Bench) -> Vec<i32> {
    bench.stored("orders").iter().filter_map(|one| one.get_i32("_id").ok()).collect()
}

/// Adds a document, whose undo is next.
fn add(bench: &mut Bench) {
    bench.shows("Add document…", "Add to shop.orders");
    let date = DateTime::from_millis(bench.server.now_ms());
    bench.window.type_into(
        "Document",
        &format!("{{ _id: 20, n: Long('5'), at: ISODate('{}') }}", iso(date)),
    );
    bench.window.click("Insert 1 document");
    bench.window.until_named("Inserted 1 document");
    assert_eq!(bench.order(20), Some(doc! { "_id": 20, "n": 5_i64, "at": date }));
}

fn iso(date: DateTime) -> String {
    date.try_to_rfc3339_string().expect("a date that can be written")
}

/// A TTL index of the orders on a field.
fn ttl(bench: &Bench, field: &str) -> Option<Document> {
    bench.indexes("orders").into_iter().find(|index| {
        index.contains_key("expireAfterSeconds")
            && index.get_document("key").is_ok_and(|key| key.contains_key(field))
    })
}

fn drop_with_name(bench: &mut Bench, label: &str, name: &str, button: &str) {
    bench.shows(label, "Name to confirm");
    bench.window.type_into("Name to confirm", name);
    bench.window.until_enabled(button);
    bench.window.click(button);
}

pub const ROWS: &[Row] = &[
    (
        "Create database…",
        Changes(|bench| {
            bench.shows("Create database…", "Database name");
            bench.window.type_into("Database name", "other");
            bench.window.type_into("First collection", "first");
            bench.window.click("Create database");
            bench.window.until_named("Collection other.first");
            assert_eq!(bench.collections("other"), ["first"]);
        }),
    ),
    (
        "Create collection…",
        Changes(|bench| {
            bench.shows("Create collection…", "Create collection in shop");
            bench.window.type_into("Collection name", "carts");
            bench.window.click("Create collection");
            bench.window.until_named("Created shop.carts");
            assert_eq!(bench.collections("shop"), ["carts", "orders"]);
        }),
    ),
    (
        "Rename collection…",
        Changes(|bench| {
            bench.shows("Rename collection…", "Rename shop.orders");
            bench.window.type_into("New name", "sales");
            bench.window.click("Rename");
            bench.window.until_named("Renamed shop.orders to shop.sales");
            assert_eq!(bench.collections("shop"), ["sales"]);
            assert_eq!(bench.stored("sales").len(), ORDERS);
        }),
    ),
    (
        "Duplicate collection…",
        Changes(|bench| {
            bench.shows("Duplicate collection…", "Name of the copy");
            bench.window.type_into("Name of the copy", "copy");
            bench.window.until_enabled("Duplicate");
            bench.window.click("Duplicate");
            bench.window.until_named("Duplicated shop.orders as shop.copy");
            assert_eq!(bench.stored("copy"), bench.stored("orders"));
            let keys = |collection: &str| {
                let found = bench.indexes(collection).into_iter();
                found
                    .map(|one| {
                        (
                            one.get("key").cloned(),
                            one.get("expireAfterSeconds").and_then(mayfly_engine::value::whole),
                        )
                    })
                    .collect::<Vec<_>>()
            };
            assert_eq!(keys("copy"), keys("orders"));
        }),
    ),
    (
        "Empty collection…",
        Changes(|bench| {
            drop_with_name(bench, "Empty collection…", "orders", "Delete 12 documents");
            bench.window.until_named("Emptied shop.orders: deleted 12 documents");
            assert_eq!(bench.stored("orders"), []);
            assert_eq!(bench.secs("at_1"), Some(FAR_SECS), "the indexes stay");
        }),
    ),
    (
        "Drop collection…",
        Changes(|bench| {
            drop_with_name(bench, "Drop collection…", "orders", "Drop collection");
            bench.window.until_named("Dropped shop.orders");
            assert_eq!(bench.collections("shop"), [""; 0]);
        }),
    ),
    (
        "Drop database…",
        Changes(|bench| {
            drop_with_name(bench, "Drop database…", "shop", "Drop database");
            bench.window.until_named("Dropped database shop");
            assert_eq!(bench.collections("shop"), [""; 0]);
        }),
    ),
    (
        "Import folder…",
        Changes(|bench| {
            assert!(bench.action("Import folder…").is_some(), "it can be used");
            let shop = bench.window.folder.path().join("dump/shop");
            std::fs::create_dir_all(&shop).expect("a folder");
            let one = bson::rawdoc! { "_id": 1_i64, "n": 1 };
            std::fs::write(shop.join("carts.bson"), one.as_bytes()).expect("a file");
            let metadata = r#"{"options": {}, "indexes": [{"key": {"n": 1}, "name": "n_1"}]}"#;
            std::fs::write(shop.join("carts.metadata.json"), metadata).expect("a file");
            let folder = bench.window.folder.path().join("dump");
            bench.window.ask_only(Action::Transfer(TransferAction::Import {
                files: vec![folder],
                into: None,
            }));
            bench.window.until_named("Import folder");
            bench.window.until_named("Create indexes of carts");
            bench.window.click("Import");
            bench.window.until_named("Import finished");
            assert!(bench.window.has_part("shop.carts · 1 document · 1 index"));
            let stored = bench.server.stored("shop", "carts");
            assert_eq!(stored, [one]);
            let names: Vec<String> = (bench.indexes("carts").iter())
                .filter_map(|index| index.get_str("name").ok().map(str::to_owned))
                .collect();
            assert_eq!(names, ["_id_", "n_1"]);
        }),
    ),
    (
        "Import…",
        Changes(|bench| {
            let path = bench.window.folder.path().join("more.ndjson");
            std::fs::write(
                &path,
                "{\"_id\": 30, \"n\": 1}\n{\"_id\": 31, \"n\": {\"$numberLong\": \"2\"}}\n",
            )
            .expect("a file");
            bench.shows("Import…", "File path");
            bench.window.type_into("File path", &path.to_string_lossy());
            bench.window.click("Add");
            bench.window.until_named("one JSON document per line");
            assert_eq!(bench.window.value("Collection"), "more");
            bench.window.type_into("Collection", "orders");
            bench.window.until_enabled("Import");
            bench.window.click("Import");
            bench.window.until_named("Import finished");
            assert_eq!(bench.order(30), Some(doc! { "_id": 30, "n": 1 }));
            assert_eq!(bench.order(31), Some(doc! { "_id": 31, "n": 2_i64 }));
            assert_eq!(ids(bench).len(), ORDERS + 2);
        }),
    ),
    ("Add document…", Changes(add)),
    (
        "Paste documents…",
        Changes(|bench| {
            bench.press("Paste documents…");
            bench.window.until_named("Document");
            bench.window.type_into("Document", "[{ _id: 20 }, { _id: 21, n: 2 }]");
            bench.window.click("Insert 2 documents");
            bench.window.until_named("Inserted 2 documents");
            assert_eq!(bench.order(21), Some(doc! { "_id": 21, "n": 2 }));
            assert_eq!(ids(bench).len(), ORDERS + 2);
        }),
    ),
    (
        "Edit document…",
        Changes(|bench| {
            bench.select(&[3]);
            bench.shows("Edit document…", "Edit 3");
            bench.window.type_into("Document", "{ _id: 3, text: 'three' }");
            bench.window.until_enabled("Save");
            bench.window.click("Save");
            bench.window.until("it is saved", |state| state.dialogs.open().is_none());
            assert_eq!(bench.order(3), Some(doc! { "_id": 3, "text": "three" }));
            assert_eq!(ids(bench).len(), ORDERS);
        }),
    ),
    (
        "Clone document…",
        Changes(|bench| {
            bench.select(&[3]);
            bench.press("Clone document…");
            bench.window.until_enabled("Insert 1 document");
            bench.window.click("Insert 1 document");
            bench.window.until_named("Inserted 1 document");
            let copies = bench.stored("orders");
            let copies = copies.iter().filter(|one| one.get_str("name").ok() == Some("order 3"));
            assert_eq!(copies.count(), 2);
        }),
    ),
    (
        "Delete selected documents…",
        Changes(|bench| {
            bench.select(&[1, 2]);
            bench.press("Delete selected documents…");
            bench.window.until_enabled("Delete 2 documents");
            bench.window.click("Delete 2 documents");
            bench.window.until_named("Deleted 2 documents");
            assert_eq!(ids(bench), [0, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        }),
    ),
    (
        "Update selected documents…",
        Changes(|bench| {
            bench.select(&[1, 2]);
            bench.shows("Update selected documents…", "Update 2 documents in shop.orders");
            bench.window.type_into("Update", "{ $set: { n: 9 }, $unset: { at: 1 } }");
            bench.window.until_enabled("Update 2 documents");
            bench.window.click("Update 2 documents");
            bench.window.until_named("Updated 2 documents");
            assert_eq!(bench.order(2), Some(doc! { "_id": 2, "n": 9, "name": "order 2" }));
            let changed = bench.stored("orders");
            assert_eq!(changed.iter().filter(|one| one.get_i32("n").ok() == Some(9)).count(), 2);
        }),
    ),
    (
        "Copy selected documents to…",
        Changes(|bench| {
            bench.select(&[1, 2]);
            bench.press("Copy selected documents to…");
            bench.window.type_into("Collection", "kept");
            bench.window.until_enabled("Copy 2 documents");
            bench.window.click("Copy 2 documents");
            bench.window.until_named("Copied 2 documents to shop.kept");
            assert_eq!(bench.stored("kept"), bench.stored("orders")[1..3]);
        }),
    ),
    (
        "Save the edit",
        Changes(|bench| {
            bench.press("Show as a table");
            bench.window.until_named("Sort by name");
            bench.window.point_twice("'order 3'");
            bench.window.until_named("Save value");
            bench.window.type_into("Value", "three");
            bench.press("Save the edit");
            bench.window.until("it is saved", |state| {
                state.tabs.active().is_some_and(|tab| tab.documents.saved_cell.is_some())
            });
            assert_eq!(
                bench.order(3).and_then(|one| Some(one.get_str("name").ok()?.to_owned())),
                Some("three".to_owned())
            );
        }),
    ),
    (
        "Undo",
        Changes(|bench| {
            add(bench);
            bench.window.key(Key::Escape);
            bench.shows("Undo", "Undone: deleted 1 document");
            assert_eq!(ids(bench), (0..12).collect::<Vec<_>>());
        }),
    ),
    (
        "Redo",
        Changes(|bench| {
            add(bench);
            bench.shows("Undo", "Undone: deleted 1 document");
            bench.press("Redo");
            bench.window.until_named("Redone");
            assert_eq!(bench.order(20).and_then(|one| one.get_i64("n").ok()), Some(5));
            assert_eq!(ids(bench).len(), ORDERS + 1);
        }),
    ),
    (
        "Create index…",
        Changes(|bench| {
            bench.press("Create index…");
            bench.window.type_into("Field 1", "name");
            bench.window.until_enabled("Create index");
            bench.window.click("Create index");
            bench.window.until_named("Created");
            let made = bench.indexes("orders");
            let made = made
                .iter()
                .find(|one| one.get_str("name").ok() == Some("name_1"))
                .expect("an index");
            assert_eq!(made.get_document("key").ok(), Some(&doc! { "name": 1 }));
            assert!(!made.contains_key("expireAfterSeconds"), "{made}");
        }),
    ),
    (
        "Create a TTL index…",
        Changes(|bench| {
            bench.press("Create a TTL index…");
            bench.window.type_into("Field 1", "made");
            bench.window.type_into("TTL", "60");
            bench.window.until_window("it can be created", |window| {
                window.has("Create index") && window.is_enabled("Create index")
            });
            bench.window.click("Create index");
            bench.window.until_named("Created");
            assert!(ttl(bench, "made").is_some(), "{:?}", bench.indexes("orders"));
        }),
    ),
    (
        "Change TTL…",
        Changes(|bench| {
            bench.press("Change TTL…");
            // The field keeps the unit of the TTL before: days.
            bench.window.type_into("TTL", "5");
            bench.window.until_named("Change and expire 7");
            bench.window.click("Change and expire 7");
            bench.window.until_named("The TTL of at_1 is now 5 d");
            assert_eq!(bench.secs("at_1"), Some(5 * 86_400));
            assert_eq!(ids(bench).len(), ORDERS, "only a pass removes");
        }),
    ),
    (
        "Create a view of the pipeline…",
        Changes(|bench| {
            bench.view(ViewKind::Aggregate);
            bench.window.point("Add stage");
            bench.window.click("$match");
            bench.window.type_into("Stage 1 value", "{ n: 1 }");
            bench.press("Run the pipeline");
            bench.window.until_named("After stage 1: 4 documents");
            bench.press("Create a view of the pipeline…");
            bench.window.type_into("View name", "ones");
            bench.window.key(Key::Enter);
            bench.window.until_named("Created the view shop.ones");
            assert_eq!(bench.stored("ones").len(), 4);
        }),
    ),
    (
        "Use the schema as validator…",
        Changes(|bench| {
            bench.view(ViewKind::Schema);
            bench.window.until_named("All 12 documents read");
            bench.shows("Use the schema as validator…", "All documents of the collection pass");
            bench.window.click("Set validator");
            bench.window.until_gone("Set validator");
            let refused = doc! { "insert": "orders", "documents": [{ "_id": "x", "name": 1 }] };
            let reply = bench.server.run("shop", &refused);
            let errors = reply.get_array("writeErrors").expect("errors");
            assert_eq!(errors[0].as_document().and_then(|one| one.get_i32("code").ok()), Some(121));
        }),
    ),
    (
        "Convert field to dates…",
        Changes(|bench| {
            let text = doc! { "q": {}, "u": { "$set": { "made": "2024-05-01" } }, "multi": true };
            bench.server.prepare("shop", &doc! { "update": "orders", "updates": [text] });
            bench.shows("Convert field to dates…", "Convert field to dates");
            bench.window.type_into("Field to convert", "made");
            bench.window.until_enabled("Convert 12 values");
            bench.window.click("Convert 12 values");
            bench.window.until_named("Converted made to dates in 12 documents of shop.orders");
            let date = DateTime::parse_rfc3339_str("2024-05-01T00:00:00Z").expect("a date");
            let all = bench.stored("orders");
            assert!(all.iter().all(|one| one.get_datetime("made").is_ok_and(|it| *it == date)));
        }),
    ),
];
