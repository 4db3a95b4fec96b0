//! The window on both kinds of server.

use bson::{Document, doc};
use egui::Key;
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::support::Window;

/// A server with twelve documents and an index.
fn server(habits: Habits) -> DocumentDb {
    let server = DocumentDb::start(habits);
    let documents: Vec<Document> = (0..12).map(|id| doc! { "_id": id, "n": id % 3 }).collect();
    server.prepare("shop", &doc! { "insert": "orders", "documents": documents });
    server
}

/// A window on it, with its collection shown.
fn attached(server: &DocumentDb) -> Window {
    let mut window = Window::open();
    window.choose("Menu", "Connect to a server…");
    window.type_into("Connection string", &server.uri());
    window.click("Connect");
    window.until("the server is shown", |state| {
        state.is_open() && state.store.connection.is_some() && state.tree.loaded
    });
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window
}

#[test]
fn a_new_index_has_only_options_that_the_server_takes() {
    for (habits, is_offered) in [(Habits::documentdb(), false), (Habits::mongodb(), true)] {
        let server = server(habits);
        let mut window = attached(&server);
        window.choose("Locked", "Unlock this connection…");
        window.click("Unlock");
        window.click("Indexes");
        window.until_named("Create index…");
        window.click("Create index…");
        window.until_named("Partial filter");
        assert_eq!(window.has("Hidden"), is_offered);
        assert_eq!(window.has("Sort as"), is_offered);
        assert!(!window.has_part("_ts"), "{}", window.on_screen());
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
        window.until_named("Read 12 documents to return 4: an index on `n` would help");
        assert_eq!(server.writes(), [""; 0]);
    }
}
