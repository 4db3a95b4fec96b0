//! Queries that read a whole collection: they are seen, can be stopped, and keep nothing else
//! waiting.

use bson::{Document, doc};
use egui::{Key, Modifiers};
use mayfly::action::{Action, DocumentsAction, TabsAction};
use mayfly::state::Namespace;
use mayfly::state::tabs::ViewKind;

use crate::support::Window;

/// A filter that takes minutes.
const SLOW: &str = "{$expr: {$lt: [{$sum: {$map: {input: {$range: [0, 100000]}, in: {$pow: ['$$this', 2]}}}}, 0]}}";

fn many(collection: &str) -> Document {
    let documents: Vec<Document> = (0..2_000).map(|id| doc! {"_id": id}).collect();
    doc! {"insert": collection, "documents": documents}
}

/// Runs the slow filter in the shown tab and waits until it can be stopped.
fn run_slow(window: &mut Window) {
    window.type_into("Filter", SLOW);
    press(window, Key::Enter);
    let is_slow = |window: &Window| window.has("Stop the query");
    window.until_frame("the query can be stopped", is_slow);
}

/// Presses a key without waiting for answers.
fn press(window: &mut Window, key: Key) {
    window.harness.key_press_modifiers(Modifiers::NONE, key);
    window.harness.run_steps(3);
}

#[test]
fn a_slow_query_is_timed_and_can_be_stopped() {
    let mut window = Window::open_view(&[many("a")], "Documents");
    run_slow(&mut window);
    assert!(window.has_part("Running for "));
    window.click("Stop the query");
    window.until_named("Stopped after ");
    assert!(window.has("Run again") && window.tab().documents.error.is_none());
    assert!(!window.has("Stop the query"));
    window.click("Reset");
    window.until("all documents are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.pages.total() == Some(2_000))
    });
}

#[test]
fn a_new_filter_ends_the_query_before_it() {
    let mut window = Window::open_view(&[many("a")], "Documents");
    run_slow(&mut window);
    window.click("Reset");
    window.until("all documents are shown", |state| {
        state.tabs.active().is_some_and(|tab| tab.documents.pages.total() == Some(2_000))
    });
    assert!(window.harness.state().is_idle(), "the slow query still runs");
}

#[test]
fn a_closed_tab_ends_its_query() {
    let mut window = Window::open_view(&[many("a")], "Documents");
    run_slow(&mut window);
    window.keys(Modifiers::COMMAND, Key::W);
    assert!(window.harness.state().is_idle(), "the slow query still runs");
}

#[test]
fn a_collection_opens_while_queries_of_other_tabs_run() {
    let mut window = Window::open_view(&[many("a"), many("b"), many("c"), many("d")], "Documents");
    for collection in ["a", "b", "c"] {
        show(&mut window, collection);
        let run = DocumentsAction::RunFilter(SLOW.to_owned());
        let tab = window.tab().id;
        ask(&mut window, Action::Documents(tab, run));
        window.until_frame("the query can be stopped", |window| window.has("Stop the query"));
    }
    show(&mut window, "d");
    let total = |window: &Window| window.tab().documents.pages.total();
    window.until_frame("its documents are shown", |window| total(window) == Some(2_000));
    for collection in ["a", "b", "c"] {
        show(&mut window, collection);
        assert!(window.has("Stop the query"), "{collection} still runs");
        window.harness.key_press_modifiers(Modifiers::COMMAND, Key::W);
        window.harness.run_steps(3);
    }
    window.until("every query has ended", |_| true);
}

/// Shows the documents of a collection without waiting for answers.
fn show(window: &mut Window, collection: &str) {
    let namespace = Namespace::new("test", collection);
    ask(window, Action::Tabs(TabsAction::ShowView(namespace, ViewKind::Documents)));
}

/// Carries out an action without waiting for answers.
fn ask(window: &mut Window, action: Action) {
    let context = window.harness.ctx.clone();
    window.harness.state_mut().ask(&context, action);
    window.harness.run_steps(3);
}
