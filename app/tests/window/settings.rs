//! The settings, and the messages that are kept.

use bson::doc;
use mayfly::action::{Action, StoreAction};
use mayfly::state::toasts::Kind;

use super::support::Window;
use super::time::drops;

#[test]
fn dates_and_numbers_are_written_as_chosen() {
    let documents: Vec<_> = (0..1_200).map(|n| doc! {"_id": n}).collect();
    let insert = doc! {"insert": "many", "documents": documents};
    let mut window = Window::open_view(&[insert], "Documents");
    window.until_named("1,200 documents");
    window.keys(egui::Modifiers::COMMAND, egui::Key::Comma);
    window.click("Numbers: 12.408,5");
    window.click("Dates: 31.12.2026");
    window.key(egui::Key::Enter);
    window.until_named("1.200 documents");
    let at = window.place("Simulated time").center();
    window.harness.input_mut().events.push(egui::Event::PointerMoved(at));
    window.until_named("01.06.2026 12:00:00");
}

#[test]
fn times_are_shown_in_a_zone_by_its_name() {
    let mut window = Window::open_view(&drops(), "Expiry");
    window.until_named("1 expires at 12:00:30");
    window.choose("Simulated time", "Other time zone…");
    assert!(window.is_focused("Time zone name"));
    window.type_into("Time zone name", "nowhere");
    window.until_named("No time zone has this name");
    window.type_into("Time zone name", "new york");
    window.click("America/New_York");
    window.click("Done");
    window.until_named("1 expires at 08:00:30");
    window.choose("Simulated time", "UTC");
    window.until_named("1 expires at 12:00:30");
}

#[test]
fn the_period_of_passes_is_set_in_a_store_that_is_opened() {
    let mut window = Window::open_after(&drops());
    window.keys(egui::Modifiers::COMMAND, egui::Key::Comma);
    window.click("Passes: Every 10 s");
    window.click("Done");
    assert_eq!(window.state().reaper.sleep_secs, 60, "a lesson or a sandbox has its own");
    let other = window.folder.path().join("other");
    window.ask(Action::Store(StoreAction::CreateStore(other)));
    window.until("passes come more often", |state| {
        !state.is_simulated() && state.reaper.sleep_secs == 10
    });
}

#[test]
fn messages_are_kept_in_the_drawer() {
    let mut window = Window::open_after(&drops());
    window.until_named("Collection test.drops");
    window.point_secondary("Collection test.drops");
    window.point("Rename…");
    window.type_into("New name", "tears");
    window.click("Rename");
    window.click("Dismiss: Renamed test.drops to test.tears");
    window.until_gone("Dismiss: ");
    assert!(!window.has_part("Renamed test.drops"));
    window.click("Messages");
    window.until_named("Renamed test.drops to test.tears");
    assert_eq!(window.copied("Copy message 1"), "Renamed test.drops to test.tears");
    assert_eq!(window.state().toasts.log()[0].kind, Kind::Done);
    window.click("Clear");
    window.until_named("No messages since the window was opened");
}
