//! The top bar: the store's time and the reaper's schedule.

use bson::{Document, doc};
use mayfly::state::clock::Mode;
use mayfly::state::reaper::Schedule;

use super::support::{START_MS, Window, at};

/// A document that expires half a minute after the start.
pub fn drops() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "drops", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 30},
        ]},
        doc! {"insert": "drops", "documents": [{"_id": 1, "at": at(0)}]},
    ]
}

fn schedule(window: &Window) -> Document {
    let status = window.run("admin", &doc! {"serverStatus": 1});
    let mayfly = status.get_document("mayfly").expect("figures of the store");
    mayfly.get_document("reaper").expect("figures of the reaper").clone()
}

#[test]
fn a_simulated_clock_says_so_and_is_played_paused_and_sped_up() {
    let mut window = Window::open();
    assert!(window.has("Simulated time"));
    assert_eq!(window.state().now_ms(), START_MS);
    window.click("×600");
    window.until("it runs at 600", |state| {
        state.clock.mode() == Mode::Simulated { rate: 600.0, paused: false }
    });
    window.until("a minute goes by", |state| state.now_ms() > START_MS + 60_000);
    window.click("Pause the clock");
    window.until_named("Start the clock");
    let stopped = window.run("admin", &doc! {"mayflyClock": 1});
    assert!(stopped.get_bool("paused").unwrap_or(false), "{stopped}");
}

#[test]
fn time_runs_to_the_next_pass() {
    let mut window = Window::open_after(&drops());
    window.until("a pass is planned", |state| state.reaper.next_pass_ms.is_some());
    window.click("Advance to the next pass");
    window.until_named("Pass 1 · removed 1");
    assert!(window.state().now_ms() > START_MS + 30_000);
}

#[test]
fn the_schedule_is_switched() {
    let mut window = Window::open();
    let check = |window: &mut Window, words: &str, expected: Schedule, secs: i64, at: bool| {
        window.choose("TTL monitor schedule", words);
        window.until(words, |state| state.reaper.schedule() == expected);
        let found = schedule(window);
        assert_eq!(found.get_bool("atThreshold").ok(), Some(at), "{words}: {found}");
        if !at {
            assert_eq!(found.get_i64("sleepSecs").ok(), Some(secs), "{words}: {found}");
        }
    };
    check(&mut window, "Every 10 s", Schedule::Every(10), 10, false);
    check(&mut window, "Every 1 s", Schedule::Every(1), 1, false);
    check(&mut window, "On expiration", Schedule::AtThreshold, 0, true);
    check(&mut window, "Every 60 s", Schedule::Every(60), 60, false);
}

#[test]
fn the_reaper_is_paused_and_resumed() {
    let mut window = Window::open();
    window.choose("TTL monitor", "Pause the TTL monitor");
    window.until("it is off", |state| !state.reaper.enabled);
    assert_eq!(schedule(&window).get_bool("enabled").ok(), Some(false));
    window.choose("TTL monitor", "Resume the TTL monitor");
    window.until("it is on", |state| state.reaper.enabled);
    assert_eq!(schedule(&window).get_bool("enabled").ok(), Some(true));
}

#[test]
fn the_button_that_pauses_stays_where_it_is() {
    let mut window = Window::open();
    let play = window.place("Start the clock");
    window.point("Start the clock");
    window.until_named("Pause the clock");
    assert_eq!(window.place("Pause the clock"), play);
}

#[test]
fn time_is_held_in_a_bar_of_its_own() {
    let mut window = Window::open_after(&drops());
    window.until("a pass is planned", |state| state.reaper.next_pass_ms.is_some());
    for name in ["SIMULATED", "Documents expire on this clock", "2026-06-01 12:00:00 UTC"] {
        assert!(window.has(name), "no {name}");
    }
    window.click("Advance by one second");
    window.until("a second is over", |state| state.now_ms() == START_MS + 1_000);
    window.key(egui::Key::ArrowRight);
    window.until("the document expires", |state| state.now_ms() == START_MS + 30_000);
    window.key(egui::Key::ArrowRight);
    window.until_named("Pass 1 · removed 1");
    let pass_ms = window.state().now_ms();
    assert!((START_MS + 60_000..START_MS + 61_000).contains(&pass_ms), "{pass_ms}");
    window.type_into("Search collections", "x");
    window.key(egui::Key::ArrowRight);
    assert_eq!(window.state().now_ms(), pass_ms, "the arrow belongs to the text");
    let sent = window.sent().join("\n");
    for command in ["advanceMS: Long('1000')", "advanceTo: 'event'"] {
        assert!(sent.contains(command), "{command} in {sent}");
    }
}

#[test]
fn the_period_is_chosen_up_to_an_hour_or_off() {
    let mut window = Window::open();
    window.choose("TTL monitor schedule", "Off");
    window.until("it is off", |state| !state.reaper.enabled);
    assert!(!window.is_enabled("Advance to the next pass"));
    window.choose("TTL monitor schedule", "Every 1 h");
    window.until("it is on", |state| state.reaper.enabled);
    assert_eq!(schedule(&window).get_i64("sleepSecs").ok(), Some(3_600));
}

#[test]
fn the_bar_folds_in_a_small_window() {
    let mut window = Window::open();
    for (width, height) in [(1280.0, 800.0), (1024.0, 640.0), (900.0, 640.0), (760.0, 480.0)] {
        window.harness.set_size(egui::vec2(width, height));
        window.harness.run_steps(4);
        let screen = window.harness.ctx.content_rect();
        for name in ["SIMULATED", "Start the clock", "Advance to the next event"] {
            assert!(screen.contains_rect(window.place(name)), "{name} at {width}");
        }
        let speed = if width > 1_250.0 { "×600" } else { "Speed" };
        let pass = if width > 1_000.0 { "Run pass" } else { "TTL monitor passes" };
        for name in [speed, pass] {
            assert!(screen.contains_rect(window.place(name)), "{name} at {width}");
        }
    }
    window.choose("Speed", "×600");
    window.until("it runs", |state| {
        state.clock.mode() == Mode::Simulated { rate: 600.0, paused: false }
    });
    window.choose("TTL monitor passes", "Run pass");
    window.until_named("Nothing to remove");
}
