//! The demo store: what it opens with, its traffic, and how to remove it.

use mayfly::state::tabs::ViewKind;
use mayfly::state::{Dialog, Namespace};

use super::support::Window;

/// The commands of the traffic so far.
pub fn traffic(window: &Window) -> usize {
    let is_traffic = |text: &str| text.contains("session-") && text.contains("insert");
    let records = window.state().commands.records();
    let found = records.iter().filter(|record| is_traffic(&record.text));
    found.inspect(|record| assert!(record.background, "{}", record.text)).count()
}

#[test]
fn its_sessions_come_first_and_more_arrive_while_the_switch_is_on() {
    let mut window = Window::open_demo();
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    assert_eq!(window.tab().namespace, Namespace::new("demo", "sessions"));
    assert_eq!(window.tab().view, ViewKind::Expiry);
    assert!(window.state().settings.traffic);
    window.until_named("Sample data");
    window.choose("Sample data", "Traffic");
    window.until("it is off", |state| !state.settings.traffic);
    let before = traffic(&window);
    window.advance(60);
    // Turning it on sends what is due at once.
    window.choose("Sample data", "Traffic");
    window.until_window("a session arrives", |window| traffic(window) > before);
}

#[test]
fn its_databases_are_marked_and_can_be_removed() {
    let mut window = Window::open_demo();
    window.until_named("Sample data");
    window.choose("Sample data", "Remove shop…");
    let asks = matches!(window.state().dialogs.open(), Some(Dialog::Drop(_)));
    assert!(asks, "{:?}", window.state().dialogs.open());
    assert!(window.has_part("shop"));
    let mut window = Window::open();
    window.until_named("This store is empty");
    assert!(window.has("Try the demo: Open") && !window.has("Sample data"));
}

#[test]
fn the_menu_has_one_switch_of_the_traffic() {
    let mut window = Window::open_demo();
    window.until_named("Sample data");
    for (entry, other) in
        [("Turn traffic off", "Turn traffic on"), ("Turn traffic on", "Turn traffic off")]
    {
        window.point("Menu");
        window.until_named(entry);
        assert!(!window.has(other), "{other}");
        window.point(entry);
    }
    let mut window = Window::open();
    window.point("Menu");
    window.until_named("Create database…");
    assert!(!window.has_part("Turn traffic"), "only the demo store has it");
}
