//! Queries that read a whole collection: they are seen, can be stopped, and keep nothing else
//! waiting.

use bson::{Document, doc};
use egui::{Key, Modifiers};

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
    window.until_named("The query was stopped");
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
