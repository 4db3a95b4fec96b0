//! Entries that read from the server, on a locked connection.

use bson::doc;
use mayfly::state::documents::Mode;
use mayfly::state::tabs::ViewKind;

use super::bench::Bench;
use super::{Row, Script::Reads};

/// Copies the selected documents.
fn copies(bench: &mut Bench, label: &str, expected: &[&str]) {
    bench.select(&[1, 2]);
    let action = bench.action(label).expect("it can be used");
    bench.window.ask_only(action);
    let text = bench.window.next_copied();
    for part in expected {
        assert!(text.contains(part), "{label}: {text}");
    }
    assert!(!text.contains("order 3"), "{label}: {text}");
}

/// Shows the documents in another form; and as cards again.
fn shows_as(bench: &mut Bench, label: &str, mode: Mode) {
    bench.leads_to(label, move |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.mode == mode)
    });
    bench.window.until_named("of 12");
    bench.leads_to("Show as cards", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.mode == Mode::Cards)
    });
}

/// The Expiry view with its documents.
fn expiry(bench: &mut Bench) {
    bench.view(ViewKind::Expiry);
    bench.window.until_named("Will expire: 12");
}

/// The Aggregate view with a stage.
fn pipeline(bench: &mut Bench) {
    bench.view(ViewKind::Aggregate);
    if !bench.window.has_part("Stage 1: $match") {
        bench.window.point("Add stage");
        bench.window.click("$match");
        bench.window.type_into("Stage 1 value", "{ n: 1 }");
        bench.press("Run the pipeline");
    }
    bench.window.until_named("After stage 1: 4 documents");
}

pub const ROWS: &[Row] = &[
    (
        "Refresh",
        Reads(|bench| {
            bench.server.prepare("shop", &doc! { "insert": "second", "documents": [{ "_id": 1 }] });
            bench.shows("Refresh", "Collection shop.second");
            bench.server.prepare("shop", &doc! { "drop": "second" });
            bench.press("Refresh");
            bench.window.until_gone("Collection shop.second");
        }),
    ),
    (
        "About this server…",
        Reads(|bench| {
            bench.shows(
                "About this server…",
                "A server keeps no copy of what its TTL monitor removes",
            );
        }),
    ),
    (
        "Unlock this connection…",
        Reads(|bench| {
            bench.shows("Unlock this connection…", "Allow changes on this server?");
            bench.window.click("Cancel");
            bench.window.until_named("Locked");
        }),
    ),
    (
        "Lock this connection",
        Reads(|bench| {
            bench.press("Unlock this connection…");
            bench.window.click("Unlock");
            bench.window.until_named("Unlocked");
            bench.shows("Lock this connection", "Locked");
        }),
    ),
    (
        "Expiry calendar…",
        Reads(|bench| {
            bench.shows("Expiry calendar…", "12 documents in 1 collection will expire");
        }),
    ),
    (
        "TTL audit…",
        Reads(|bench| {
            bench.shows("TTL audit…", "Findings: ");
        }),
    ),
    (
        "Collection statistics",
        Reads(|bench| {
            bench.shows("Collection statistics", "Size of the documents");
            bench.window.until_named("12");
        }),
    ),
    (
        "Copy collection name",
        Reads(|bench| {
            let action = bench.action("Copy collection name").expect("it can be used");
            bench.window.ask_only(action);
            assert_eq!(bench.window.next_copied(), "shop.orders");
        }),
    ),
    (
        "Export…",
        Reads(|bench| {
            bench.shows("Export…", "File path");
            let path = bench.window.folder.path().join("orders.ndjson");
            bench.window.type_into("File path", &path.to_string_lossy());
            bench.window.click("Export");
            bench.window.until_named("Exported 12 documents");
            let text = std::fs::read_to_string(&path).expect("a file");
            assert_eq!(text.lines().count(), 12, "{text}");
            assert!(text.contains("order 7"), "{text}");
        }),
    ),
    (
        "Export database…",
        Reads(|bench| {
            bench.shows("Export database…", "A new or an empty folder");
            // A store's own line asks to close the window; a server's doesn't.
            let line =
                "Command line equivalent; the variable MAYFLY_URI holds the connection string";
            assert!(bench.window.has(line));
            let folder = bench.window.folder.path().join("exports");
            bench.window.type_into("Folder path", &folder.to_string_lossy());
            bench.window.click("Export");
            bench.window.until_named("Exported 12 documents of ");
            let bytes: Vec<u8> = bench
                .server
                .stored("shop", "orders")
                .iter()
                .flat_map(|one| one.as_bytes().to_vec())
                .collect();
            assert_eq!(std::fs::read(folder.join("shop/orders.bson")).expect("a file"), bytes);
            assert!(folder.join("manifest.json").is_file());
        }),
    ),
    (
        "Copy to a store…",
        Reads(|bench| {
            bench.shows("Copy to a store…", "12 documents");
            let data = bench.window.folder.path().join("copied");
            bench.window.click("To: Store on this machine");
            bench.window.type_into("Store folder", &data.display().to_string());
            bench.window.click("Copy");
            bench.window.until_named("Copy finished");
            let request = mayfly::source::OpenRequest { folder: Some(data), ..Default::default() };
            let store = mayfly::source::embedded::opener()(&request);
            let store = store.map_err(|error| error.message).expect("a store").source;
            let counted = store.run("shop", &doc! { "count": "orders" });
            store.close();
            assert_eq!(counted.get_i32("n").ok(), Some(12));
        }),
    ),
    (
        "Run the filter",
        Reads(|bench| {
            bench.window.type_into("Filter", "{ n: 1 }");
            bench.shows("Run the filter", "1–4 of 4");
            bench.window.type_into("Filter", "");
            bench.shows("Run the filter", "of 12");
        }),
    ),
    (
        "Reset the filter",
        Reads(|bench| {
            bench.window.type_into("Filter", "{ n: 1 }");
            bench.shows("Run the filter", "1–4 of 4");
            bench.shows("Reset the filter", "of 12");
        }),
    ),
    ("Show as JSON", Reads(|bench| shows_as(bench, "Show as JSON", Mode::Json))),
    ("Show as a table", Reads(|bench| shows_as(bench, "Show as a table", Mode::Table))),
    ("Show as cards", Reads(|bench| shows_as(bench, "Show as JSON", Mode::Json))),
    (
        "Fold all",
        Reads(|bench| {
            bench.press("Show as JSON");
            bench.press("Fold all");
            bench.press("Show as cards");
        }),
    ),
    (
        "Unfold all",
        Reads(|bench| {
            bench.press("Show as JSON");
            bench.press("Unfold all");
            bench.press("Show as cards");
        }),
    ),
    (
        "Select all documents",
        Reads(|bench| bench.shows("Select all documents", "Delete 12 documents…")),
    ),
    (
        "Compare documents…",
        Reads(|bench| {
            bench.select(&[1, 2]);
            bench.press("Compare documents…");
            bench.window.until_named("order 1");
            bench.window.until("the dialog is open", |state| state.dialogs.open().is_some());
        }),
    ),
    (
        "Copy as table text",
        Reads(|bench| copies(bench, "Copy as table text", &["order 1\t", "order 2\t"])),
    ),
    (
        "Copy as Extended JSON",
        Reads(|bench| {
            copies(bench, "Copy as Extended JSON", &["\"order 1\"", "\"order 2\"", "$date"]);
        }),
    ),
    (
        "Copy as mongosh literals",
        Reads(|bench| {
            copies(bench, "Copy as mongosh literals", &["'order 1'", "'order 2'", "Date("]);
        }),
    ),
    ("Copy as CSV", Reads(|bench| copies(bench, "Copy as CSV", &["_id,", "order 1,", "order 2,"]))),
    (
        "Run the pipeline",
        Reads(|bench| {
            pipeline(bench);
            bench.press("Run the pipeline");
            bench.window.until_named("After stage 1: 4 documents");
        }),
    ),
    (
        "Save the pipeline…",
        Reads(|bench| {
            pipeline(bench);
            bench.shows("Save the pipeline…", "Pipeline name");
            bench.window.type_into("Pipeline name", "Ones");
            bench.window.click("Save");
            bench.window.until_named("Saved the pipeline Ones");
        }),
    ),
    (
        "Explain",
        Reads(|bench| {
            bench.window.type_into("Filter", "{ name: 'order 3' }");
            bench.shows("Run the filter", "1–1 of 1");
            bench.shows("Explain", "Read 12 documents to return 1: an index on name would help");
            bench.press("Reset the filter");
        }),
    ),
    (
        "Follow now",
        Reads(|bench| {
            expiry(bench);
            bench.leads_to("Follow now", |state| {
                state.tabs.active().is_some_and(|tab| tab.expiry.axis.follows())
            });
        }),
    ),
    ("Zoom in on the timeline", Reads(|bench| zooms(bench, "Zoom in on the timeline", 0.5))),
    ("Zoom out of the timeline", Reads(|bench| zooms(bench, "Zoom out of the timeline", 2.0))),
    (
        "Fit the next expirations",
        Reads(|bench| {
            expiry(bench);
            bench.press("Fit the next expirations");
            bench.window.until_named("Will expire: 12");
        }),
    ),
    (
        "What if…",
        Reads(|bench| {
            expiry(bench);
            bench.shows("What if…", "TTL to try");
            bench.window.click("What if…");
        }),
    ),
    (
        "Show the timeline",
        Reads(|bench| {
            expiry(bench);
            bench.press("Show the expiry table");
            bench.press("Show the timeline");
            bench.window.until_named("Will expire: 12");
        }),
    ),
    (
        "Show the expiry table",
        Reads(|bench| {
            expiry(bench);
            bench.shows("Show the expiry table", "Removal window");
            bench.press("Show the timeline");
        }),
    ),
    (
        "Show removed documents",
        Reads(|bench| {
            expiry(bench);
            bench.press("Show removed documents");
            bench.window.until_named("No removals since you opened this tab");
            assert!(!bench.window.has("Recently removed…"));
            bench.press("Show the timeline");
        }),
    ),
    (
        "Analyze the schema",
        Reads(|bench| {
            bench.view(ViewKind::Schema);
            bench.window.until_named("All 12 documents read");
            bench.shows("Analyze the schema", "All 12 documents read");
        }),
    ),
    (
        "Stop analyzing the schema",
        Reads(|bench| {
            bench.view(ViewKind::Schema);
            bench.window.until_named("All 12 documents read");
            let again = bench.action("Analyze the schema").expect("it can be used");
            bench.window.ask_only(again);
            let stop = bench.action("Stop analyzing the schema").expect("it reads");
            bench.window.ask(stop);
            bench.window.until("it ended", |state| {
                state.tabs.active().is_some_and(|tab| !tab.schema.is_reading())
            });
        }),
    ),
    (
        "Export the schema as JSON Schema…",
        Reads(|bench| {
            bench.view(ViewKind::Schema);
            bench.window.until_named("Field name");
            bench.shows("Export the schema as JSON Schema…", "Copy to the clipboard");
            assert!(
                bench.window.copied("Copy to the clipboard").contains("\"title\": \"shop.orders\"")
            );
        }),
    ),
    (
        "Open the console",
        Reads(|bench| {
            bench.press("Open the console");
            bench.window.until_named("Console input");
            let run =
                mayfly::action::ConsoleAction::Run("db.orders.countDocuments({n: 1})".to_owned());
            bench.window.ask(mayfly::action::Action::Console(run));
            bench.window.until("it ended", |state| state.console.running.is_none());
            bench.window.until_named("4");
            let run = mayfly::action::ConsoleAction::Run("db.orders.drop()".to_owned());
            bench.window.ask(mayfly::action::Action::Console(run));
            bench.window.until_named("This connection is read-only");
        }),
    ),
];

#[allow(clippy::cast_precision_loss)]
fn zooms(bench: &mut Bench, label: &str, factor: f64) {
    expiry(bench);
    let span = |state: &mayfly::state::State| {
        state.tabs.active().map_or(0.0, |tab| tab.expiry.axis.span_ms() as f64)
    };
    let before = span(bench.window.state());
    bench.leads_to(label, move |state| (span(state) / before - factor).abs() < 0.01);
}
