//! The frame around everything, over a store made of nothing.

use egui::accesskit::Role;
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use mayfly::source::OpenRequest;
use mayfly::state::Zone;
use mayfly::state::clock::Mode;
use mayfly::state::settings::ThemeChoice;
use mayfly::worker::Secrets;
use mayfly::{MayflyApp, WindowOptions};

use super::fake;
use super::support::{click, settle, until};

fn window() -> Harness<'static, MayflyApp> {
    let opener = fake::opener();
    let request = OpenRequest::default();
    let options = WindowOptions {
        open_last: false,
        request,
        opener,
        lessons: mayfly::worker::lesson_shelf::shelf(None),
        lesson: None,
        beginning: None,
        secrets: Secrets::none(),
        settings: super::support::cards(),
        journals: None,
        local_zone: Zone::Utc,
        present: false,
        shutdown: None,
    };
    let mut harness = Harness::builder()
        .with_size([1280.0, 800.0])
        .with_max_steps(64)
        .build_eframe(move |context| MayflyApp::new(context, options));
    until(&mut harness, "Collection demo.sessions", true);
    harness
}

#[test]
fn the_frame_stands() {
    let harness = window();
    for name in [
        "Simulated time",
        "TTL monitor",
        "Run pass",
        "TTL monitor schedule",
        "Menu",
        "Search collections",
        "Database demo",
        "Collection demo.sessions",
        "Collection shop.carts",
        "Documents",
        "Expiry",
        "Indexes",
        "Activity",
    ] {
        assert!(harness.query_all_by_label(name).next().is_some(), "no {name}");
    }
    let state = harness.state().state();
    assert_eq!(state.clock.mode(), Mode::Simulated { rate: 60.0, paused: true });
    assert_eq!(state.now_ms(), fake::NOW_MS);
}

#[test]
fn accessible_names_hold_no_glyphs() {
    let harness = window();
    let mut names = 0;
    for node in harness.query_all_by(|_| true) {
        let Some(name) = node.accesskit_node().label() else { continue };
        names += 1;
        assert!(!name.contains(|c| ('\u{e000}'..='\u{f8ff}').contains(&c)), "{name:?}");
    }
    assert!(names > 20, "only {names} names");
}

#[test]
fn a_press_opens_a_collection_and_the_cross_closes_it() {
    let mut harness = window();
    click(&mut harness, "Collection shop.carts");
    let shown = |harness: &Harness<'static, MayflyApp>| {
        let tabs = &harness.state().state().tabs;
        tabs.active().map(|tab| tab.namespace.to_string()).unwrap_or_default()
    };
    assert_eq!(shown(&harness), "shop.carts");
    click(&mut harness, "Close shop.carts");
    assert_eq!(shown(&harness), "demo.events");
    harness.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, Key::T);
    settle(&mut harness);
    assert_eq!(shown(&harness), "shop.carts");
}

#[test]
fn the_palette_finds_and_does() {
    let mut harness = window();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    settle(&mut harness);
    harness.get_by_label("Find a command").type_text("light th");
    settle(&mut harness);
    harness.key_press(Key::Enter);
    settle(&mut harness);
    assert!(!harness.state().state().view.palette);
    assert_eq!(harness.state().state().settings.theme, ThemeChoice::Light);
}

#[test]
fn the_sidebar_searches() {
    let mut harness = window();
    harness.get_by_label("Search collections").focus();
    harness.run_steps(1);
    harness.get_by_label("Search collections").type_text("carts");
    settle(&mut harness);
    assert!(harness.query_by_label("Collection shop.carts").is_some());
    assert!(harness.query_by_label("Collection demo.sessions").is_none());
}

#[test]
fn dropping_needs_the_name() {
    let mut harness = window();
    let namespace = mayfly::state::Namespace::new("demo", "sessions");
    let target = mayfly::state::dialogs::DropTarget::Collection(namespace);
    let context = harness.ctx.clone();
    harness.state_mut().ask(&context, mayfly::action::store::drop_dialog(target));
    settle(&mut harness);
    let disabled = |harness: &Harness<'static, MayflyApp>| {
        harness.get_by_label("Drop collection").accesskit_node().is_disabled()
    };
    assert!(disabled(&harness));
    harness.get_by_label("Name to confirm").type_text("sessions");
    settle(&mut harness);
    assert!(!disabled(&harness));
    harness.key_press(Key::Escape);
    settle(&mut harness);
    assert!(harness.query_by_label("Drop collection").is_none());
}

#[test]
fn the_secondary_button_opens_a_menu() {
    let mut harness = window();
    harness.get_by_label("Collection demo.sessions").click_secondary();
    settle(&mut harness);
    click(&mut harness, "Drop collection…");
    assert!(harness.query_by_label("Name to confirm").is_some());
}

#[test]
fn what_a_person_does_is_listed_as_a_command() {
    let mut harness = window();
    click(&mut harness, "Run pass");
    until(&mut harness, "Dismiss: The pass removed 2 documents", true);
    click(&mut harness, "Activity");
    let records = harness.state().state().commands.records();
    let shown = records.iter().find(|record| !record.background);
    assert!(shown.is_some_and(|record| record.text.contains("mayflyReap")), "{shown:?}");
}

#[test]
fn space_presses_what_the_keyboard_is_on() {
    let mut harness = window();
    harness.get_by_label("Run pass").focus();
    harness.run_steps(2);
    harness.key_press(Key::Space);
    until(&mut harness, "Dismiss: The pass removed 2 documents", true);
    let sent = |harness: &Harness<'static, MayflyApp>| {
        let records = harness.state().state().commands.records().iter();
        records.filter(|record| !record.background).map(|record| record.text.clone()).collect()
    };
    let texts: Vec<String> = sent(&harness);
    assert!(texts.iter().all(|text| !text.contains("mayflyClock")), "{texts:?}");
    harness.ctx.memory_mut(|memory| {
        if let Some(focused) = memory.focused() {
            memory.surrender_focus(focused);
        }
    });
    harness.run_steps(2);
    harness.key_press(Key::Space);
    settle(&mut harness);
    let texts = sent(&harness);
    assert!(texts.iter().any(|text| text.contains("mayflyClock")), "it plays time: {texts:?}");
}

#[test]
fn the_palette_gives_way_to_a_dialog() {
    let mut harness = window();
    harness.key_press_modifiers(Modifiers::COMMAND, Key::P);
    settle(&mut harness);
    assert!(harness.query_by_label("Find a command").is_some());
    harness.key_press_modifiers(Modifiers::SHIFT, Key::F1);
    settle(&mut harness);
    assert!(harness.query_by_label("Find a command").is_none());
    harness.key_press(Key::Enter);
    settle(&mut harness);
    assert!(harness.state().state().dialogs.open().is_none(), "Enter is Done");
}

/// Whatever can be pressed and is on the screen.
fn controls(harness: &Harness<'static, MayflyApp>) -> Vec<(String, egui::Rect)> {
    let window = harness.ctx.content_rect();
    let found = harness.query_all_by(|node| matches!(node.role(), Role::Button | Role::TextInput));
    let places = found.map(|node| (node.accesskit_node().label().unwrap_or_default(), node.rect()));
    places.filter(|(_, place)| window.intersects(*place)).collect()
}

#[test]
fn controls_do_not_cover_one_another_in_a_small_window() {
    let mut harness = window();
    click(&mut harness, "Collection demo.sessions");
    for (width, height) in [(1280.0, 800.0), (1024.0, 700.0), (900.0, 640.0), (760.0, 480.0)] {
        harness.set_size(egui::vec2(width, height));
        for view in ["Documents", "Expiry", "Indexes"] {
            click(&mut harness, view);
            let window = harness.ctx.content_rect();
            let found = controls(&harness);
            for (at, (name, place)) in found.iter().enumerate() {
                if place.top() < 140.0 {
                    assert!(window.contains_rect(*place), "{width} {view}: {name} {place}");
                }
                for (other, there) in &found[at + 1..] {
                    // A cross stands on its tab or its field.
                    let belongs = [name, other]
                        .into_iter()
                        .any(|name| name.starts_with("Close ") || name.starts_with("Clear "));
                    let apart = belongs || !place.shrink(0.5).intersects(there.shrink(0.5));
                    assert!(apart, "{width} {view}: {name} {place} and {other} {there}");
                }
            }
        }
    }
}
