//! The drawers at the bottom, the palette, the settings and the list of shortcuts.

use bson::doc;
use egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use mayfly::action::{Action, ReaperAction};
use mayfly::state::settings::ThemeChoice;
use mayfly::state::view::{Activity, Drawer};

use super::support::{Window, at};
use super::time::drops;

#[test]
fn the_reaper_log_tells_every_pass() {
    let mut window = Window::open_after(&drops());
    assert_eq!(window.state().settings.drawer, None);
    window.click("Activity");
    assert_eq!(window.state().settings.drawer, Some(Drawer::Activity));
    assert!(window.has("Passes, commands and operations appear here, the newest first"));
    window.click("Passes");
    let none = "No passes yet. The next one starts soon; see the countdown in the top bar";
    assert!(window.has(none));
    window.advance(31);
    window.click("Run pass");
    window.until_named("removed 1 of test.drops by at_1  lag p50 1 s, max 1 s");
    assert!(window.has_part("pass 1"));
    assert!(window.has_part("1 removed since launch"));
    window.click("Clear");
    assert!(window.has(none));
}

#[test]
fn the_filter_of_the_activity_covers_no_tab() {
    let mut window = Window::open_after(&drops());
    window.click("Activity");
    window.click("Run pass");
    window.until_named("Messages");
    for (width, filter) in [(1_280.0, "All"), (1_024.0, "All"), (800.0, "Shown activity")] {
        window.harness.set_size(egui::vec2(width, 640.0));
        window.harness.run_steps(3);
        let (tab, filter) = (window.place("Messages"), window.place(filter));
        assert!(tab.right() <= filter.left(), "{width}: {tab} and {filter}");
    }
    window.choose("Shown activity", "Commands");
    window.until("commands are shown", |state| state.view.activity == Activity::Commands);
}

#[test]
fn passes_commands_and_operations_are_one_list_in_time() {
    let mut window = Window::open_after(&drops());
    window.click("Activity");
    window.advance(31);
    window.click("Run pass");
    window.until_named("removed 1 of test.drops");
    window.until_named("mayflyReap");
    window.advance(1);
    window.choose("TTL monitor schedule", "Every 10 s");
    window.until_named("ttlMonitorSleepSecs");
    let top = |window: &Window, part: &str| {
        window.place_of_part(part).map(|place| place.top()).unwrap_or_default()
    };
    assert!(top(&window, "ttlMonitorSleepSecs") < top(&window, "removed 1 of test.drops"));
    window.click("Passes");
    assert!(window.has_part("removed 1 of test.drops") && !window.has_part("Copy command"));
    window.click("Commands");
    assert!(!window.has_part("removed 1 of test.drops") && window.has_part("Copy command"));
    window.click("Operations");
    assert!(window.has("No imports, exports, index builds or rollouts yet"));
    window.click("All");
    assert!(window.has_part("removed 1 of test.drops") && window.has_part("Copy command"));
}

#[test]
fn the_last_pass_opens_the_log() {
    let mut window = Window::open_after(&drops());
    window.advance(31);
    window.click("Run pass");
    window.until_named("Pass 1 · removed 1 · lag p50 1 s");
    window.click("Pass 1 · removed 1 · lag p50 1 s");
    window.until_named("removed 1 of test.drops by at_1");
}

#[test]
fn only_passes_that_the_trash_has_seen_can_be_restored() {
    let mut window = Window::open_after(&drops());
    window.click("Activity");
    window.advance(31);
    window.click("Run pass");
    window.until_named("removed 1 of test.drops");
    window.advance(1);
    window.ask(Action::Reaper(ReaperAction::SetUndo(true)));
    window.until("the trash", |state| state.reaper.trash_secs == 600);
    window.harness.run_steps(4);
    assert!(!window.has_part("from pass 1"), "it was removed before");
    window.run("test", &doc! {"insert": "drops", "documents": [{"_id": 2, "at": at(0)}]});
    window.click("Run pass");
    window.until_named("Restore 1 document of test.drops from pass 2");
    assert!(!window.has_part("from pass 1"));
}

#[test]
fn the_drawer_stays_as_high() {
    let mut window = Window::open_after(&drops());
    window.click("Activity");
    let top = window.place("Activity").top();
    window.advance(31);
    window.click("Run pass");
    window.until_named("removed 1 of test.drops");
    assert_eq!(window.place("Activity").top().to_bits(), top.to_bits());
}

#[test]
fn a_pass_has_a_row_for_each_index() {
    let mut commands = drops();
    for name in ["leaves", "a collection of a name that is long enough to fill a line of its own"] {
        commands.push(doc! {"createIndexes": name, "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]});
        commands.push(doc! {"insert": name, "documents": [{"_id": 1, "at": at(-30)}]});
    }
    let mut window = Window::open_after(&commands);
    window.click("Activity");
    window.advance(31);
    window.click("Run pass");
    window.until_named("removed 1 of test.leaves by at_1");
    let top = |words| window.harness.get_by_label_contains(words).rect().top();
    let mut tops = ["of test.drops by", "of test.leaves by", "a line of its own by"].map(top);
    tops.sort_by(f32::total_cmp);
    assert!(tops[0] < tops[1] && tops[1] < tops[2], "{tops:?}");
    assert!(window.has_part("pass 1"));
}

#[test]
fn what_was_done_is_listed_as_mongosh_commands() {
    let mut window = Window::open_after(&drops());
    window.click("Activity");
    window.click("Commands");
    assert!(window.has("Commands you run appear here in mongosh syntax"));
    window.choose("TTL monitor schedule", "Every 10 s");
    window.until_named("ttlMonitorSleepSecs");
    let records = window.state().commands.records();
    let found = records.iter().find(|record| record.text.contains("ttlMonitorSleepSecs"));
    let number = found.map_or(0, |record| record.number);
    let text = window.copied(&format!("Copy command {number}"));
    assert!(text.starts_with("db.") && text.contains("setParameter"), "{text}");
    assert!(window.sent().contains(&text));
    // The worker decides which of the window's own requests came last, and so is on the screen.
    assert!(!window.has_part("({ mayfly"), "what the window asks by itself is not listed");
    window.click("Background");
    window.until_named("({ mayfly");
    window.click("Clear");
    assert!(window.sent().is_empty());
}

#[test]
fn an_index_build_is_an_operation() {
    let mut window = Window::open_after(&drops());
    window.click("Activity");
    window.click("Operations");
    assert!(window.has("No imports, exports, index builds or rollouts yet"));
    let index = doc! {"key": {"x": 1}, "name": "x_1"};
    window.run("test", &doc! {"createIndexes": "drops", "indexes": [index]});
    window.until_named("x_1");
    window.until_named("Done");
    window.click("Clear");
    assert!(window.has("No imports, exports, index builds or rollouts yet"));
}

#[test]
fn a_drawer_is_closed_and_opened() {
    let mut window = Window::open();
    window.click("Activity");
    assert_eq!(window.state().settings.drawer, Some(Drawer::Activity));
    window.click("Close the drawer");
    assert_eq!(window.state().settings.drawer, None);
    window.keys(Modifiers::COMMAND, Key::J);
    assert_eq!(window.state().settings.drawer, Some(Drawer::Activity));
    window.keys(Modifiers::COMMAND, Key::J);
    assert_eq!(window.state().settings.drawer, None);
}

#[test]
fn the_palette_finds_commands_and_collections() {
    let mut window = Window::open_after(&drops());
    window.until_named("Collection test.drops");
    window.click("Commands (Ctrl+P)");
    window.type_into("Find a command", "xyzzy");
    window.until_named("No matching commands");
    window.type_into("Find a command", "open test.dr");
    window.until_named("Open test.drops");
    window.key(Key::Enter);
    assert_eq!(window.tab().namespace.to_string(), "test.drops");
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "run pass");
    window.key(Key::Enter);
    window.until_named("Pass 1 ");
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "change ttl");
    window.key(Key::Enter);
    window.until_named("Change TTL of ");
    window.click("Cancel");
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "create a ttl");
    window.key(Key::Enter);
    window.until_named("Enter a number; 0 expires documents at the stored time");
    window.click("Cancel");
    window.keys(Modifiers::COMMAND, Key::P);
    assert!(window.has("Find a command"));
    window.key(Key::Escape);
    assert!(!window.has("Find a command"));
}

#[test]
fn the_palette_is_as_high_as_what_it_lists() {
    let mut window = Window::open_after(&drops());
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "xyzzy");
    window.until_named("No matching commands");
    window.key(Key::Escape);
    window.keys(Modifiers::COMMAND, Key::P);
    // The fourth line can be pressed without scrolling.
    window.point("Create database…");
    window.until_named("Database name");
}

#[test]
fn the_palette_shows_what_cannot_be_seen_in_a_name() {
    let mut window = Window::open_after(&[doc! {"create": "new\u{202e}lot"}]);
    window.until("it is known", |state| state.tree.databases.iter().any(|db| db.name == "test"));
    window.click("Commands (Ctrl+P)");
    window.type_into("Find a command", "open test.new");
    window.until_named("Open test.new\\u{202e}lot");
}

#[test]
fn settings_work_at_once() {
    let mut window = Window::open();
    window.choose("Menu", "Settings…");
    window.click("Theme: Light");
    assert_eq!(window.state().settings.theme, ThemeChoice::Light);
    window.click("Theme: Dark");
    assert_eq!(window.harness.ctx.theme(), egui::Theme::Dark);
    window.click("Larger");
    assert!((window.state().settings.zoom - 1.1).abs() < 1e-3);
    window.click("Reset");
    assert!((window.state().settings.zoom - 1.0).abs() < 1e-3);
    window.click("Inspector panel");
    assert!(!window.state().settings.inspector);
    let folder = window.folder.path().join("store").display().to_string();
    assert!(window.has(&folder));
    window.click("Done");
    assert!(!window.has("Theme: Light"));
}

#[test]
fn every_shortcut_is_listed() {
    let mut window = Window::open();
    window.keys(Modifiers::SHIFT, Key::F1);
    assert!(window.has("Keyboard shortcuts"));
    let mut listed = 0;
    for entry in mayfly::action::entries().filter(|entry| entry.keys.is_some()) {
        assert!(window.has(entry.label), "{}", entry.label);
        assert!(window.has(&entry.keys_text()), "{}", entry.keys_text());
        listed += 1;
    }
    assert!(listed > 10, "{listed}");
    window.key(Key::Escape);
    assert!(!window.has("Keyboard shortcuts"));
}

/// Enter must not meet a command that does nothing, or one that only has the typed letters somewhere.
#[test]
fn the_palette_lists_what_can_be_used_first() {
    let mut window = Window::open_view(&drops(), "Documents");
    for (typed, first, later) in [
        ("sandbox", "Open a sandbox on a simulated clock…", "Sandbox from here"),
        ("sandbox", "Copy this collection into a sandbox", "Sandbox from here"),
        ("delete", "Drop collection…", "Delete selected documents…"),
        ("delete", "Empty collection…", "Delete selected documents…"),
        ("delete", "Recently removed…", "Delete selected documents…"),
        ("ct", "Close tab", "Reopen closed tab"),
    ] {
        window.keys(Modifiers::COMMAND, Key::P);
        window.type_into("Find a command", typed);
        window.until_named(later);
        let (first_at, later_at) = (window.place(first), window.place(later));
        assert!(first_at.top() < later_at.top(), "{typed}: {first} {first_at}, {later_at}");
        window.key(Key::Escape);
    }
    window.keys(Modifiers::COMMAND, Key::P);
    window.type_into("Find a command", "sandbox");
    window.key(Key::Enter);
    window.until_named("Start time");
}
