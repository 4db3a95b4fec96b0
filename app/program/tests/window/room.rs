//! Every control is large enough to be hit, and none is cut off, in a small window and on screens of
//! every density.

use std::collections::BTreeMap;

use egui::Key;
use egui::accesskit::Role;
use egui_kittest::kittest::{AccessKitNode, NodeT, Queryable};
use mayfly::action::{Action, DialogAction, Entry, ViewAction, entries};
use mayfly::state::view::Drawer;

use super::indexes::visits;
use super::pictures::SIZES;
use super::support::Window;

/// The least width and height of a control, in points: WCAG 2.2, 2.5.8.
const TARGET_MIN: f32 = 24.0;

/// The controls that can be pressed or typed into, with their places.
pub(super) fn controls(window: &Window) -> Vec<(String, egui::Rect)> {
    let is_control = |node: &AccessKitNode<'_>| {
        matches!(
            node.role(),
            Role::Button
                | Role::CheckBox
                | Role::RadioButton
                | Role::TextInput
                | Role::MultilineTextInput
                | Role::ListItem
        )
    };
    let found = window.harness.query_all_by(is_control);
    found
        .map(|node| (node.accesskit_node().label().unwrap_or_default(), node.rect()))
        .filter(|(_, place)| place.is_positive())
        .collect()
}

fn too_small(window: &Window, at: &str, found: &mut BTreeMap<String, String>) {
    // The lines of the console are as high as its text, in a field that fills the drawer.
    let is_measured = |(name, _): &(String, egui::Rect)| name != "Console input";
    for (name, place) in controls(window).into_iter().filter(is_measured) {
        if place.width() < TARGET_MIN - 0.1 || place.height() < TARGET_MIN - 0.1 {
            let size = format!("{:.0}×{:.0} at {at}", place.width(), place.height());
            found.insert(name, size);
        }
    }
}

/// Controls that the left or the right edge of the window cuts, and buttons of a dialog that are
/// below its lower edge. What is out of the window as a whole is reached by scrolling.
pub(super) fn cut(window: &Window, at: &str, found: &mut Vec<String>) {
    let room = window.harness.ctx.content_rect().expand(0.5);
    for (name, place) in controls(window) {
        let crosses = |x: f32| place.left() < x && x < place.right();
        let is_seen = place.bottom() > room.top() && place.top() < room.bottom();
        if is_seen && (crosses(room.left()) || crosses(room.right())) {
            found.push(format!("{at}: {name} {place}"));
        }
    }
    if window.state().dialogs.open().is_none() {
        return;
    }
    let ends = ["Cancel", "Close", "Close the dialog", "Done"];
    let buttons: Vec<_> =
        controls(window).into_iter().filter(|(name, _)| ends.contains(&name.as_str())).collect();
    for (name, place) in &buttons {
        if !room.contains_rect(*place) {
            found.push(format!("{at}: {name} {place} is out of the window"));
        }
    }
}

/// Shows every view, drawer and dialog in turn.
fn visit(window: &mut Window, mut look: impl FnMut(&Window, &str)) {
    for (key, name) in [(Key::F4, "table"), (Key::F3, "JSON"), (Key::F2, "cards")] {
        window.key(key);
        look(window, name);
    }
    for drawer in Drawer::ALL {
        window.ask(Action::View(ViewAction::SetDrawer(Some(drawer))));
        look(window, drawer.label());
    }
    window.ask(Action::View(ViewAction::SetDrawer(None)));
    for view in ["Expiry", "Indexes", "Documents"] {
        window.click(view);
        look(window, view);
    }
    window.ask(Action::View(ViewAction::ShowStart(true)));
    look(window, "start page");
    window.ask(Action::View(ViewAction::ShowStart(false)));
    let opens = |entry: &&Entry| {
        let action = (entry.action)(window.state());
        matches!(action, Some(Action::Dialog(DialogAction::Show(_)))) || entry.label.ends_with('…')
    };
    let dialogs: Vec<&Entry> = entries().filter(opens).collect();
    for entry in dialogs {
        let Some(action) = (entry.action)(window.state()) else { continue };
        window.ask(action);
        window.until(entry.label, |state| state.dialogs.open().is_some());
        look(window, entry.label);
        window.key(Key::Escape);
        window.until(entry.label, |state| state.dialogs.open().is_none());
    }
}

fn window() -> Window {
    let mut window = Window::open_view(&visits(), "Documents");
    window.until_named("Document 1");
    window.point("Document 1");
    window
}

#[test]
fn every_control_is_large_enough() {
    let mut window = window();
    let mut found = BTreeMap::new();
    visit(&mut window, |window, at| too_small(window, at, &mut found));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn nothing_is_cut_in_a_small_window_at_any_density() {
    let mut window = window();
    let mut found = Vec::new();
    for density in [1.0, 1.25, 1.5, 2.0] {
        let viewports = &mut window.harness.input_mut().viewports;
        viewports.entry(egui::ViewportId::ROOT).or_default().native_pixels_per_point =
            Some(density);
        window.harness.set_size(egui::vec2(1_024.0, 640.0));
        window.harness.run_steps(4);
        let shown = window.harness.ctx.pixels_per_point();
        assert!((shown - density).abs() < 0.01, "{shown} and not {density}");
        visit(&mut window, |window, at| cut(window, &format!("{density} {at}"), &mut found));
    }
    assert!(found.is_empty(), "{}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_counts_of_another_ttl_can_be_read_in_a_small_window() {
    let mut window = Window::open_demo();
    window.until_named("Will expire");
    window.click("What if…");
    window.until_named("TTL to try");
    for (width, height) in SIZES {
        window.harness.set_size(egui::vec2(width, height));
        window.harness.run_steps(4);
        let mut texts = Vec::new();
        for clipped in &window.harness.output().shapes {
            let egui::Shape::Text(text) = &clipped.shape else { continue };
            let place = text.visual_bounding_rect().intersect(clipped.clip_rect);
            if place.is_positive() && !text.galley.text().is_empty() {
                texts.push((text.galley.text().to_owned(), place));
            }
        }
        let counts = ["overdue now", "within an hour", "later", "never"];
        for (words, place) in
            texts.iter().filter(|(text, _)| counts.iter().any(|end| text.ends_with(end)))
        {
            let other =
                texts.iter().find(|(text, other)| text != words && other.intersects(*place));
            assert!(other.is_none(), "{width}×{height}: {words} {place} and {other:?}");
        }
    }
}
