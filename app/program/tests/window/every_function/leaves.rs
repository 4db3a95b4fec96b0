//! Entries that leave the server: other stores, other servers, lessons, the end of the program.

use mayfly::action::{Action, SandboxAction, StoreAction, ViewAction};
use mayfly::state::Dialog;
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::super::sandbox::commands;
use super::{Row, Script::Leaves};

pub const ROWS: &[Row] = &[
    (
        "Open data folder…",
        Leaves(|bench| {
            bench.leads_to("Open data folder…", |state| {
                matches!(state.dialogs.open(), Some(Dialog::OpenFolder(_)))
            });
        }),
    ),
    // The stores of the user are not a test's to open.
    (
        "Open my store",
        Leaves(|bench| {
            let action = bench.action("Open my store").expect("it can be used");
            let Action::Store(StoreAction::Open(request)) = action else { panic!("{action:?}") };
            assert!(request.is_own());
        }),
    ),
    (
        "Open the demo store",
        Leaves(|bench| {
            let action = bench.action("Open the demo store").expect("it can be used");
            let Action::Store(StoreAction::Open(request)) = action else { panic!("{action:?}") };
            assert!(request.demo);
        }),
    ),
    (
        "Open a sandbox on a simulated clock…",
        Leaves(|bench| {
            bench.shows("Open a sandbox on a simulated clock…", "Contents: Empty");
            bench.window.click("Contents: Empty");
            bench.window.click("Open sandbox");
            bench
                .window
                .until("the sandbox is open", |state| state.is_in_sandbox() && state.tree.loaded);
            bench.window.ask(Action::Sandbox(SandboxAction::Back));
            bench.window.until_named("Discard");
            bench.window.click("Discard");
            bench.window.until("the server is back", |state| {
                state.is_open() && state.store.connection.is_some()
            });
            bench.window.until_named("Collection shop.orders");
        }),
    ),
    (
        "Connect to a server…",
        Leaves(|bench| {
            let other = DocumentDb::start(Habits::mongodb());
            other.prepare("second", &bson::doc! { "insert": "notes", "documents": [{ "_id": 1 }] });
            bench.shows("Connect to a server…", "Connection string");
            bench.window.type_into("Connection string", &other.uri());
            bench.window.click("Connect");
            bench.window.until_named("Collection second.notes");
            assert_eq!(other.writes(), [""; 0]);
        }),
    ),
    (
        "Lessons",
        Leaves(|bench| {
            bench.press("Lessons");
            bench.window.until_named("half-hour path");
        }),
    ),
    (
        "Take the exam",
        Leaves(|bench| {
            bench.press("Take the exam");
            bench.window.until_named("Question 1 of");
        }),
    ),
    (
        "Open a lesson or a course…",
        Leaves(|bench| {
            bench.leads_to("Open a lesson or a course…", |state| {
                matches!(state.dialogs.open(), Some(Dialog::OpenLesson(_)))
            });
        }),
    ),
    (
        "Quit",
        Leaves(|bench| {
            bench.window.ask_only(Action::View(ViewAction::Quit));
            bench.window.harness.step();
            assert!(commands(&bench.window).contains(&egui::ViewportCommand::Close));
        }),
    ),
];
