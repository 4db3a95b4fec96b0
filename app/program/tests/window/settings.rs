//! The settings, and the messages that are kept.

use std::path::PathBuf;

use bson::doc;
use mayfly::action::{Action, StoreAction, ViewAction};
use mayfly::app::open_settings;
use mayfly::state::toasts::Kind;
use mayfly::state::{Namespace, Settings};

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
fn nothing_moves_with_reduced_motion_until_it_is_off_again() {
    let mut window = Window::open();
    for is_still in [false, true, false] {
        let choice =
            ViewAction::choose(window.state(), |settings| settings.reduce_motion = is_still);
        window.ask(choice);
        let style = window.harness.ctx.global_style();
        let scroll = style.scroll_animation.duration.max;
        assert_eq!([style.animation_time == 0.0, scroll == 0.0], [is_still; 2]);
    }
}

fn settings_in(window: &Window) -> PathBuf {
    window.folder.path().join("settings.json")
}

/// A window on a store with one document, with its settings in `settings.json` of the folder.
fn window_in(folder: tempfile::TempDir) -> Window {
    let settings = open_settings(Some(folder.path().join("settings.json")));
    let documents = doc! {"insert": "notes", "documents": [{"n": 1}]};
    Window::open_with_settings(folder, &[documents], settings)
}

fn add_favorite(window: &mut Window, name: &str, filter: &str) {
    window.until("a collection is shown", |state| state.tabs.active().is_some());
    window.click("Documents");
    window.type_into("Filter", filter);
    window.key(egui::Key::Enter);
    window.point("Filter history");
    window.type_into("Favorite name", name);
    window.click("Add favorite");
    window.until_named(&format!("Added the favorite {name}"));
}

#[test]
fn a_favorite_is_on_the_disk_at_once_and_two_windows_keep_those_of_both() {
    let shared = tempfile::tempdir().expect("a temporary folder");
    let path = shared.path().join("settings.json");
    let mut windows = [(); 2].map(|()| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let documents = doc! {"insert": "notes", "documents": [{"n": 1}]};
        Window::open_with_settings(folder, &[documents], open_settings(Some(path.clone())))
    });
    let text = || std::fs::read_to_string(&path).unwrap_or_default();
    for (window, name) in windows.iter_mut().zip(["Of the first", "Of the second"]) {
        add_favorite(window, name, "{ n: 1 }");
        // While the window is open.
        window.until_window("it is written", |_| text().contains(name));
    }
    let [first, second] = windows;
    let store = first.folder.path().join("store");
    // The first one closes last, and knows nothing of the other's favorite.
    drop(second);
    drop(first);
    let (settings, unread) = Settings::read(open_settings(Some(path.clone())).found.fields);
    assert_eq!(unread, 0);
    let notes = Namespace::new("test", "notes");
    assert!(settings.queries.of(&store).has_name(&notes, "Of the first"));
    assert!(text().contains("Of the second"), "{}", text());
}

#[test]
fn a_damaged_file_is_kept_and_the_window_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("settings.json");
    let broken = "{\"zoom\": 1.5, \"theme\": Dark}";
    std::fs::write(&path, broken).expect("written");
    let mut window = window_in(folder);
    window.until_named("settings.json was damaged");
    let message = window.part("settings.json was damaged");
    let kept = message.split_whitespace().find(|word| word.contains(".damaged-"));
    let kept = kept.expect("its name").trim_end_matches(';');
    assert_eq!(std::fs::read_to_string(path.with_file_name(kept)).expect("kept"), broken);
    add_favorite(&mut window, "New", "{ n: 1 }");
    let path = settings_in(&window);
    window.until_window("it is written", |_| {
        std::fs::read_to_string(&path).is_ok_and(|text| text.contains("\"New\""))
    });
}

#[test]
fn odd_numbers_in_the_file_never_stop_a_start() {
    for zoom in ["0", "-1", "1e300", "-1e300", "100", "1e-300", "null", "\"NaN\"", "[]"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = format!("{{\"width\": {zoom}, \"height\": {zoom}}}");
        let panels = format!("{{\"sidebar\": {zoom}, \"inspector\": {zoom}, \"drawer\": {zoom}}}");
        let schedule = format!("{{\"Every\": {zoom}}}");
        let text = format!(
            "{{\"zoom\": {zoom}, \"window\": {size}, \"panels\": {panels}, \"schedule\": {schedule}, \
             \"drawer\": \"Commands\"}}"
        );
        std::fs::write(folder.path().join("settings.json"), text).expect("written");
        let mut window = window_in(folder);
        window.until_named("Collection test.notes");
        window.click("Background");
        assert!(window.has("Close the drawer"), "{zoom}");
    }
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
