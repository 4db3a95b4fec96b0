//! The window on both kinds of server.

use bson::{DateTime, Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::{Action, ConvertAction, ExpiryAction};
use mayfly::state::Namespace;
use mayfly_tests::documentdb::{DocumentDb, Habit, Habits};

use super::support::Window;

/// A server with twelve documents and an index.
fn server(habits: Habits) -> DocumentDb {
    let server = DocumentDb::start(habits);
    let documents: Vec<Document> = (0..12).map(|id| doc! { "_id": id, "n": id % 3 }).collect();
    server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
    server
}

/// A window on a server, with a collection shown.
pub(super) fn attached(server: &DocumentDb) -> Window {
    attached_with(server, "")
}

fn attached_with(server: &DocumentDb, options: &str) -> Window {
    let mut window = Window::open();
    window.choose("Menu", "Connect to a server…");
    window.type_into("Connection string", &format!("{}{options}", server.uri()));
    window.click("Connect");
    window.until("the server is shown", |state| {
        state.is_open() && state.store.connection.is_some() && state.tree.loaded
    });
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window
}

/// The same with changes allowed, and the indexes shown.
pub(super) fn changing_indexes(server: &DocumentDb) -> Window {
    let mut window = attached(server);
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.click("Indexes");
    window
}

#[test]
fn a_new_index_has_only_options_that_the_server_takes() {
    for (habits, is_offered) in [(Habits::documentdb(), false), (Habits::mongodb(), true)] {
        let server = server(habits);
        let mut window = changing_indexes(&server);
        window.until_named("Create index…");
        window.click("Create index…");
        window.until_named("Partial filter");
        assert_eq!(window.has("Hidden"), is_offered);
        assert_eq!(window.has("Sort as"), is_offered);
        assert!(!window.has_part("_ts"), "{}", window.on_screen());
    }
}

#[test]
fn an_index_is_hidden_only_where_the_server_can() {
    for (habits, can_hide) in [(Habits::documentdb(), false), (Habits::mongodb(), true)] {
        let server = expiring(habits);
        let mut window = changing_indexes(&server);
        window.until_named("More for at_1");
        window.point("More for at_1");
        window.until_named("Drop index…");
        assert_eq!(window.has("Hide"), can_hide);
        if can_hide {
            window.point("Hide");
            let is_hidden = |server: &DocumentDb| {
                let listed = server.run("shop", &doc! { "listIndexes": "orders" }).to_string();
                listed.contains("\"hidden\": true")
            };
            window.until_window("it is hidden", |_| is_hidden(&server));
        }
    }
}

#[test]
fn a_scan_with_a_filter_is_explained() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let server = server(habits);
        let mut window = attached(&server);
        window.click("Documents");
        window.type_into("Filter", "{ n: 2 }");
        window.key(Key::Enter);
        window.until_named("1–4 of 4");
        window.click("Explain the query");
        window.until_named("Read 12 documents to return 4: an index on n would help");
        assert_eq!(server.writes(), [""; 0]);
    }
}

/// A server whose collection has a TTL index on a date, and one on a date that no document has.
fn expiring(habits: Habits) -> DocumentDb {
    let server = DocumentDb::start(habits);
    let date = |secs: i64| DateTime::from_millis(server.now_ms() + secs * 1_000);
    let documents: Vec<Document> = (0..6).map(|id| doc! { "_id": id, "at": date(id) }).collect();
    server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
    let index = |field: &str| {
        doc! { "key": { field: 1 }, "name": format!("{field}_1"), "expireAfterSeconds": 3_600 }
    };
    let indexes = vec![index("at"), index("other")];
    server.prepare("shop", &doc! { "createIndexes": "orders", "indexes": indexes });
    server
}

#[test]
fn a_ttl_is_changed_by_the_name_of_its_index() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let server = expiring(habits);
        let mut window = changing_indexes(&server);
        window.until_named("Change TTL… at_1");
        window.click("Change TTL… at_1");
        window.type_into("TTL", "2");
        window.until_enabled("Change TTL");
        window.click("Change TTL");
        window.until_named("The TTL of at_1 is now 2 h");
        let sent = server.sent("collMod");
        let index = sent[0].get_document("index").expect("an index");
        assert_eq!(index.get_str("name").ok(), Some("at_1"), "{index}");
        assert!(!index.contains_key("keyPattern"), "{index}");
    }
}

#[test]
fn a_server_that_removes_by_a_job_is_described_as_one() {
    let server = expiring(Habits::documentdb());
    let mut window = attached(&server);
    window.choose("Locked", "About this server…");
    window.until_named("DocumentDB (answers as a sharded cluster does)");
    window.until_named("A job of the server removes documents, once a minute");
    window
        .until_named("A job removes documents at each full minute, at most 10,000 with one index");
    assert!(!window.has_part("States are not known"), "{}", window.on_screen());
    for asked in ["getParameter", "serverStatus"] {
        assert_eq!(server.sent(asked), [], "it has no such command");
    }
}

#[test]
fn an_index_that_another_client_dropped_is_no_error() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let server = expiring(habits);
        let mut window = attached(&server);
        if !window.has_part("Will expire") {
            window.click("Expiry");
        }
        window.until("its lanes are shown", |state| {
            state.tabs.active().is_some_and(|tab| tab.expiry.lanes.len() == 6)
        });
        server.prepare("shop", &doc! { "dropIndexes": "orders", "index": "at_1" });
        let tab = window.tab().id;
        window.ask(Action::Expiry(tab, ExpiryAction::Refresh));
        window.until("the rule that is left is known", |state| {
            let tab = state.tabs.active().expect("a tab");
            tab.indexes.ttl().len() == 1 && tab.expiry.lanes.is_empty()
        });
        // Documents without a rule are not gone.
        assert_eq!(window.tab().expiry.ledger.len(), 0);
        assert!(!window.has_part("hint"), "{}", window.on_screen());
    }
}

#[test]
fn a_plain_index_gets_a_ttl_and_many_documents_take_several_passes() {
    for (habits, in_place) in [(Habits::documentdb(), false), (Habits::mongodb(), true)] {
        let server = DocumentDb::start(habits);
        let old = DateTime::from_millis(server.now_ms() - 86_400_000);
        let documents: Vec<Document> =
            (0..10_500).map(|id| doc! { "_id": id, "at": old }).collect();
        server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
        let index = doc! { "key": { "at": 1 }, "name": "at_1" };
        server.prepare("shop", &doc! { "createIndexes": "orders", "indexes": [index] });
        let mut window = changing_indexes(&server);
        window.until_named("Add TTL… at_1");
        window.click("Add TTL… at_1");
        window.type_into("TTL", "60");
        window.until_enabled("Add TTL and expire 10,500");
        assert_eq!(window.has_part("removes at most 10,000 documents"), !in_place);
        window.click("Add TTL and expire 10,500");
        if !in_place {
            window.until_named("This server does not add a TTL to an index in place");
            window.click("Drop and create again…");
            window.until_named("While the index is missing, no documents are removed");
            window.click("Drop and create again");
            window.until_named("Index at_1 was created again");
        }
        window.until_named("Change TTL… at_1");
    }
}

/// The dialog that converts a field of the collection that is shown.
fn open_convert(window: &mut Window, path: &str) {
    let namespace = Namespace::new("shop", "orders");
    window.ask(Action::Convert(ConvertAction::Open { namespace, path: path.to_owned() }));
    window.until_named("Convert field to dates");
}

#[test]
fn text_is_converted_to_dates_and_back() {
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        let server = server(habits);
        let day = |id: i32| if id == 50 { "TBD".to_owned() } else { format!("2024-05-{id}") };
        let documents: Vec<Document> =
            (10..31).chain([50]).map(|id| doc! { "_id": 100 + id, "at": day(id) }).collect();
        server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
        let before = server.stored("shop", "orders");
        let mut window = attached(&server);
        window.click("Documents");
        open_convert(&mut window, "at");
        window.until_named("21 values convert, 1 does not (_id 150, “TBD”");
        assert!(window.copied("Copy command").contains("updateMany"), "{}", window.on_screen());
        // A locked connection asks first, and the dialog waits.
        window.click("Unlock…");
        window.until_enabled("Unlock");
        window.click("Unlock");
        window.until_named("Convert 21 values");
        assert_eq!(server.stored("shop", "orders"), before);
        window.click("Convert 21 values");
        window.until_named("Converted at to dates in 21 documents of shop.orders");
        let dates = doc! { "count": "orders", "query": { "at": { "$type": "date" } } };
        assert_eq!(server.run("shop", &dates).get_i32("n").ok(), Some(21));
        window.click("Undo");
        window.until_named("Undone: restored 21 documents");
        assert_eq!(server.stored("shop", "orders"), before);
    }
}

#[test]
fn a_preview_of_many_values_says_what_it_read() {
    let server = server(Habits::documentdb());
    let document =
        |id: i32| doc! { "_id": 100 + id, "at": if id % 4 == 0 { "?" } else { "2024-05-01" } };
    let documents: Vec<Document> = (0..4_000).map(document).collect();
    server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
    let mut window = attached(&server);
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.click("Documents");
    open_convert(&mut window, "at");
    window.until_named("4,000 documents may have such a value. Of those that were read, 1,500");
    window.until_named("Convert about 3,000 values");
    window.key(Key::Escape);
    // A count that takes too long leaves what was read.
    server.slow_down("count", 20_000);
    open_convert(&mut window, "at");
    window.until_named("Convert at least 1,500 values");
    window.until_named("The server could not count the documents in time");
}

#[test]
fn an_operation_says_that_the_server_asks_to_slow_down() {
    let server = server(Habits::documentdb());
    let documents: Vec<Document> =
        (10..31).map(|id| doc! { "_id": 100 + id, "at": format!("2024-05-{id}") }).collect();
    server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
    let mut window = attached(&server);
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.click("Documents");
    open_convert(&mut window, "at");
    window.until_named("Convert 21 values");
    server.throttle("update", u32::MAX, Some(1));
    window.click("Convert 21 values");
    window.until("the server asks to slow down", |state| {
        let mut all = state.operations.list().iter();
        all.any(|it| state.progress_words(&it.progress).ends_with("the server asks to slow down"))
    });
    server.throttle("update", 0, None);
    window.until_named("Converted at to dates in 21 documents of shop.orders");
}

/// Opens the dialog that updates all documents of the collection that is shown.
fn open_update(window: &mut Window, count: &str) {
    window.keys(Modifiers::COMMAND, Key::A);
    window.choose("Selected documents", &format!("Update {count} documents…"));
    window.type_into("Update", "{ $set: { n: 7 } }");
    let button = format!("Update {count} documents");
    window.until_window(&button, |window| {
        window.has("Unlock…") || window.has(&button) && window.is_enabled(&button)
    });
}

/// A window on a server with changes allowed, and its documents shown.
fn changing_documents(server: &DocumentDb, options: &str) -> Window {
    let mut window = attached_with(server, options);
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.click("Documents");
    window.until_named("Document 0");
    window
}

const PROMISE: &str = "Press Ctrl+Z to undo while this tab is open";

#[test]
fn undo_is_promised_once_the_server_was_seen_to_store_what_is_sent() {
    for (habits, options) in [(Habits::documentdb(), ""), (Habits::mongodb(), "&w=0")] {
        let server = server(habits);
        let before = server.stored("shop", "orders");
        let mut window = changing_documents(&server, options);
        open_update(&mut window, "12");
        window.until_named("Undo is not known to work on this server yet");
        assert!(!window.has_part(PROMISE));
        window.click("Update 12 documents");
        window.until_named("Updated 12 documents");
        window.click("Undo");
        window.until_named("Undone: restored 12 documents");
        assert_eq!(server.stored("shop", "orders"), before);
        open_update(&mut window, "12");
        window.until_named(PROMISE);
        window.key(Key::Escape);
        window.click("Discard changes");
        window.choose("Selected documents", "Delete 12 documents…");
        window.until_named("Undo is not known to work on this server yet");
    }
}

#[test]
fn undo_is_not_promised_on_a_server_that_stored_something_else() {
    let server = server(Habits::documentdb().with(Habit::Garbling));
    let text = doc! { "_id": 100, "at": "2024-05-01" };
    server.prepare("shop", &doc! { "insert": "orders", "documents": [text] });
    let mut window = changing_documents(&server, "");
    open_update(&mut window, "13");
    window.click("Update 13 documents");
    window.until_named("with its field _id twice");
    window.key(Key::Escape);
    open_update(&mut window, "13");
    window.until_named("this server stored a document otherwise than it was sent");
    window.key(Key::Escape);
    open_convert(&mut window, "at");
    window.until_named("this server stored a document otherwise than it was sent");
    assert!(!window.has_part(PROMISE));
}

#[test]
fn undo_is_not_promised_in_a_capped_collection() {
    let server = DocumentDb::start(Habits::mongodb());
    server.prepare("shop", &doc! { "create": "orders", "capped": true, "size": 4_096 });
    server.prepare("shop", &doc! { "insert": "orders", "documents": [{ "_id": 0 }, { "_id": 1 }] });
    let mut window = changing_documents(&server, "");
    open_update(&mut window, "2");
    window.until_named("Undo is not known to work in a capped collection");
    assert!(!window.has_part(PROMISE));
}

#[test]
fn a_change_of_many_documents_and_its_undo_ask_before_they_begin() {
    let server = server(Habits::documentdb());
    let before = server.stored("shop", "orders");
    let mut window = attached(&server);
    window.click("Documents");
    window.until_named("Document 0");
    open_update(&mut window, "12");
    window.click("Unlock…");
    window.until_enabled("Unlock");
    assert!(!window.has_part("may change data"), "{}", window.on_screen());
    window.click("Unlock");
    window.until_enabled("Update 12 documents");
    window.click("Update 12 documents");
    window.until_named("Updated 12 documents");
    window.choose("Unlocked", "Lock this connection");
    window.until_named("Locked");
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("is read-only");
    assert_ne!(server.stored("shop", "orders"), before);
    window.choose("Locked", "Unlock this connection…");
    window.click("Unlock");
    window.until_named("Unlocked: changes are made on");
    window.keys(Modifiers::COMMAND, Key::Z);
    window.until_named("Undone: restored 12 documents");
    assert_eq!(server.stored("shop", "orders"), before);
}
