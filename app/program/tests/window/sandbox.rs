//! Sandboxes: temporary stores on a simulated clock.

use std::path::{Path, PathBuf};

use bson::doc;
use egui::{ViewportCommand, ViewportEvent, ViewportId};
use egui_kittest::kittest::Queryable;
use mayfly::action::{Action, ClockAction, StoreAction, ViewAction};
use mayfly::state::Phase;
use mayfly::state::clock::Mode;

use super::demo::traffic;
use super::support::{START_MS, Window};
use super::time::drops;

const OPEN: &str = "Open a sandbox on a simulated clock…";

/// 2030-01-01T00:00:00Z
const AT_MS: i64 = 1_893_456_000_000;

/// A window on a store with one collection, from which a sandbox was opened.
fn in_sandbox(contents: &str) -> Window {
    let mut window = Window::open_view(&drops(), "Documents");
    window.choose("Menu", OPEN);
    window.click(contents);
    window.type_into("Start time", "noon");
    window.until_named("noon: use a time such as 2026-01-01T00:00:00Z");
    assert!(!window.is_enabled("Open sandbox"));
    window.type_into("Start time", "2030-01-01T00:00:00Z");
    window.click("Open sandbox");
    window.until("the sandbox is open", |state| state.is_in_sandbox() && state.tree.loaded);
    let paused = Mode::Simulated { rate: 1.0, paused: true };
    assert_eq!((window.state().clock.mode(), window.state().now_ms()), (paused, AT_MS));
    window
}

fn folder(window: &Window) -> PathBuf {
    window.state().store.folder.clone().expect("a folder")
}

fn names(window: &Window) -> Vec<String> {
    window.state().tree.databases.iter().map(|found| found.name.clone()).collect()
}

/// The commands of the last frame to the window system.
pub fn commands(window: &Window) -> Vec<ViewportCommand> {
    let output = &window.harness.output().viewport_output;
    output.values().flat_map(|viewport| viewport.commands.clone()).collect()
}

pub fn close(window: &mut Window) -> Vec<ViewportCommand> {
    let viewports = &mut window.harness.input_mut().viewports;
    viewports.entry(ViewportId::ROOT).or_default().events.push(ViewportEvent::Close);
    window.harness.step();
    commands(window)
}

#[test]
fn a_sandbox_is_left_for_the_store_before_it_with_its_tabs() {
    let mut window = in_sandbox("Contents: Empty");
    assert_eq!(names(&window), [] as [&str; 0]);
    let sandbox = folder(&window);
    assert!(sandbox.exists() && !sandbox.starts_with(window.folder.path()));
    assert!(
        window.state().settings.stores.list().iter().all(|known| !sandbox.ends_with(&known.folder))
    );
    window.choose("Menu", "Back to my store");
    window.until_named("Discard the sandbox?");
    window.click("Cancel");
    assert!(window.state().is_in_sandbox());
    window.choose("Menu", "Back to my store");
    window.click("Discard");
    window.until("the store is back", |state| state.is_open() && state.tree.loaded);
    assert_eq!(folder(&window), window.folder.path().join("store"));
    assert_eq!(window.tab().namespace.to_string(), "test.drops");
    assert_eq!(window.state().now_ms(), START_MS);
    window.until_window("it is deleted", |_| !sandbox.exists());
}

/// Rehearsing on a copy is a going back and forth.
#[test]
fn a_sandbox_stays_open_next_to_other_stores() {
    let mut window = in_sandbox("Contents: Empty");
    let sandbox = folder(&window);
    let show_store = |window: &mut Window| {
        window.click("Store store");
        window.until("the store is shown", |state| state.is_open() && !state.is_in_sandbox());
        assert!(window.state().dialogs.open().is_none());
        assert_eq!(window.tab().namespace.to_string(), "test.drops");
    };
    show_store(&mut window);
    window.click("Store sandbox");
    window.until("the sandbox is shown", |state| state.is_in_sandbox() && state.tree.loaded);
    assert_eq!((folder(&window), window.state().now_ms()), (sandbox.clone(), AT_MS));
    show_store(&mut window);
    assert!(close(&mut window).contains(&ViewportCommand::CancelClose));
    window.until_named("Discard the sandbox?");
    assert!(!window.has("Keep as a store…"), "the one on the screen is another store");
    window.click("Cancel");
    let slot = window.state().beside[0].slot();
    for answer in ["Cancel", "Discard"] {
        window.ask(Action::Store(StoreAction::Close(slot)));
        window.until_named("Discard the sandbox?");
        assert!(window.state().is_in_sandbox() && sandbox.exists());
        window.click(answer);
    }
    window.until("the store is shown", |state| state.is_open() && state.beside.is_empty());
    assert_eq!(window.tab().namespace.to_string(), "test.drops");
    window.until_window("it is deleted", |_| !sandbox.exists());
}

#[test]
fn quitting_asks_what_becomes_of_a_sandbox() {
    let mut window = in_sandbox("Contents: Empty");
    window.ask(Action::View(ViewAction::Quit));
    window.harness.step();
    assert!(!commands(&window).contains(&ViewportCommand::Close));
    window.until_named("Discard the sandbox?");
}

#[test]
fn a_sandbox_with_the_demo_data_begins_with_the_rule_of_mongodb() {
    let mut window = in_sandbox("Contents: Demo data");
    window.until("a tab is open", |state| state.tabs.active().is_some());
    assert_eq!(window.tab().namespace.to_string(), "demo.sessions");
}

/// In a sandbox too documents keep arriving, by its own clock.
#[test]
fn a_sandbox_with_the_demo_data_does_not_run_dry() {
    let mut window = in_sandbox("Contents: Demo data");
    window.until_named("Sample data");
    for _ in 0..3 {
        let before = traffic(&window);
        window.ask(Action::Clock(ClockAction::Advance(3_600_000)));
        window.until_window("sessions arrive", |window| traffic(window) > before);
    }
}

#[test]
fn a_sandbox_with_the_demo_data_starts_filled() {
    let request = mayfly::source::OpenRequest {
        sandbox: Some(mayfly::job::Sandbox::Demo),
        simulated_start_ms: Some(AT_MS),
        ..Default::default()
    };
    let opened = mayfly::source::embedded::opener()(&request);
    let opened = opened.map_err(|failure| failure.message).expect("it opens");
    assert_eq!((opened.name.as_str(), opened.clock.now_ms), ("sandbox", AT_MS));
    let found = opened.source.run("demo", &doc! {"count": "sessions"});
    assert!(found.get_i32("n").is_ok_and(|n| n > 100), "{found}");
}

#[test]
fn a_kept_sandbox_stays_simulated() {
    let mut window = in_sandbox("Contents: Empty");
    let place = tempfile::tempdir().expect("a folder");
    let kept = place.path().join("kept");
    window.choose("Menu", "Back to my store");
    window.click("Keep as a store…");
    window.type_into("Folder path", &place.path().join("..").display().to_string());
    window.type_into("Folder path", &kept.display().to_string());
    window.click("Keep");
    window.until_named("The sandbox is kept in ");
    window.until("the store is back", |state| state.is_open() && !state.is_in_sandbox());
    assert_eq!(folder(&window), window.folder.path().join("store"));
    check_simulated(&kept);
}

#[test]
fn a_sandbox_is_not_kept_in_the_folder_that_is_deleted_with_it() {
    let mut window = in_sandbox("Contents: Empty");
    let inside = folder(&window).parent().expect("a temporary folder").join("kept");
    window.choose("Menu", "Back to my store");
    window.click("Keep as a store…");
    window.type_into("Folder path", &inside.display().to_string());
    window.click("Keep");
    window.until_named("This folder is deleted with the sandbox");
    assert!(!inside.exists() && window.state().is_in_sandbox());
}

/// A store that ran on a simulated clock never opens on real time silently.
fn check_simulated(folder: &Path) {
    let request =
        mayfly::source::OpenRequest { folder: Some(folder.to_owned()), ..Default::default() };
    let opened = mayfly::source::embedded::opener()(&request);
    let opened = opened.map_err(|failure| failure.message).expect("it opens");
    assert_eq!((opened.clock.mode.name(), opened.clock.now_ms), ("simulated", AT_MS));
    assert_eq!(opened.warnings, [] as [&str; 0]);
    assert!(opened.source.capabilities().simulated_clock);
}

#[test]
fn a_sandbox_that_can_not_be_kept_stays_open() {
    let mut window = in_sandbox("Contents: Empty");
    let full = tempfile::tempdir().expect("a folder");
    std::fs::write(full.path().join("file"), "mine").expect("a file");
    window.choose("Menu", "Back to my store");
    window.click("Keep as a store…");
    window.type_into("Folder path", &full.path().display().to_string());
    window.click("Keep");
    window.until_named("is not empty; enter a new folder");
    assert_eq!(window.state().store.phase, Phase::Open);
    assert!(window.state().is_in_sandbox() && folder(&window).exists());
}

#[test]
fn closing_the_window_asks() {
    let mut window = in_sandbox("Contents: Empty");
    assert!(close(&mut window).contains(&ViewportCommand::CancelClose));
    window.until_named("Discard the sandbox?");
    window.click("Cancel");
    assert!(close(&mut window).contains(&ViewportCommand::CancelClose));
    window.until_named("Discard the sandbox?");
    window.harness.get_by_label("Discard").click_accesskit();
    let mut closes = false;
    for _ in 0..4 {
        window.harness.step();
        closes |= commands(&window).contains(&ViewportCommand::Close);
    }
    assert!(closes, "it closes now");
}

#[test]
fn an_ordinary_store_closes_without_a_question() {
    let mut window = Window::open();
    assert!(!close(&mut window).contains(&ViewportCommand::CancelClose));
    assert!(window.state().dialogs.open().is_none());
}

/// The word is in the title, the chip and the bar of a sandbox, and nowhere over a real store.
#[test]
fn a_sandbox_says_that_it_is_not_real() {
    let mut window = in_sandbox("Contents: Empty");
    for name in ["SIMULATED", "Your own data is not affected", "Simulated time"] {
        assert!(window.has(name), "no {name}");
    }
    let real = tempfile::tempdir().expect("a folder");
    let folder = real.path().join("store");
    let opens = StoreAction::CreateStore(folder);
    window.ask_only(Action::Store(opens));
    let mut titles = Vec::new();
    for _ in 0..400 {
        window.harness.step();
        let is_real = window.state().is_open() && !window.state().is_in_sandbox();
        titles.extend(commands(&window).into_iter().filter_map(|command| match command {
            ViewportCommand::Title(title) => Some(title),
            _ => None,
        }));
        if is_real {
            assert!(!window.has_part("SIMULATED"), "not in the first frame either");
            break;
        }
        std::thread::park_timeout(std::time::Duration::from_millis(5));
    }
    window.until_gone("Simulated time");
    assert!(!window.has_part("SIMULATED") && !window.has("Simulated time"));
    assert_eq!(titles, ["store – Mayfly"]);
    let refused = ClockAction::Advance(1_000);
    window.ask(Action::Clock(refused));
    window.until_named("this store uses the system clock");
}

#[test]
fn a_copied_collection_is_removed_only_when_the_monitor_is_turned_on() {
    let mut window = Window::open_view(&drops(), "Expiry");
    window.advance(40);
    window.until_named("1 expired at");
    window.point_secondary("Collection test.drops");
    window.point("Copy into a sandbox");
    window.until("the copy is open", |state| state.is_in_sandbox() && state.tree.loaded);
    let paused = Mode::Simulated { rate: 1.0, paused: true };
    let now_ms = window.state().now_ms();
    assert_eq!((window.state().clock.mode(), now_ms), (paused, START_MS + 40_000));
    window.until("the monitor is off", |state| !state.reaper.enabled);
    assert_eq!(window.tab().namespace.to_string(), "test.drops");
    window.until("one is overdue", |state| state.overdue() == 1);
    window.choose("TTL monitor schedule", "Every 60 s");
    window.until_named("1 document is overdue. The first pass removes them from the sandbox only.");
    window.click("Cancel");
    assert!(!window.state().reaper.enabled);
    window.choose("TTL monitor schedule", "Every 60 s");
    window.click("Turn on");
    window.until("the monitor is on", |state| state.reaper.enabled);
    window.click("Advance to the next pass");
    window.until_named("Pass 1 · removed 1");
    window.click("Back to my store");
    window.click("Discard");
    window.until("the source has it", |state| {
        let drops = mayfly::state::Namespace::new("test", "drops");
        !state.is_in_sandbox() && state.tree.documents_of(&drops) == Some(1)
    });
}
