//! The words and marks of a lane of the Expiry view.

use bson::doc;
use egui::{Shape, pos2};

use super::support::{Window, at};

/// A cart in Azure's dialect that is past its own `ttl` 20 s after the start.
fn cart() -> Window {
    let commands = [
        doc! {"mayflyDialect": "cosmos"},
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"_ts": 1}, "name": "_ts_1", "expireAfterSeconds": 600},
        ]},
        doc! {"insert": "carts", "documents": [{"_id": "cart", "ttl": 20}]},
    ];
    Window::open_view(&commands, "Expiry")
}

#[test]
fn a_document_of_cosmos_db_is_not_said_to_wait_for_the_pass() {
    let mut window = cart();
    window.until_named("cart expires at 12:00:20");
    window.click("cart expires at 12:00:20");
    assert!(window.has_part("Will be removed between"));
    window.advance(21);
    window.until_named("cart expired at 12:00:20, hidden from reads");
    window.until_named("Hidden from reads; removed 1 to 5 minutes after it expired");
    assert!(window.has_part("Mayfly chose 1 to 5 minutes after a document expires."));
}

#[test]
fn the_inspector_tells_a_hidden_document_from_a_removed_one() {
    let mut window = cart();
    window.until_named("cart expires at 12:00:20");
    window.click("Documents");
    window.until_named("Document 'cart'");
    window.click("Document 'cart'");
    window.until_named("Will be removed between");
    window.advance(21);
    window.keys(egui::Modifiers::COMMAND, egui::Key::R);
    window.until_named("Hidden from reads; removed 1 to 5 minutes after it expired");
    assert!(!window.has_part("This document was removed"));
    window.run("admin", &doc! {"mayflyReap": 1});
    window.until_named("This document was removed");
    window.until_gone("Hidden from reads");
}

#[test]
fn each_date_of_an_array_is_on_the_lane_and_the_earliest_is_named() {
    let commands = [
        doc! {"createIndexes": "logins", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 120},
        ]},
        doc! {"insert": "logins", "documents": [
            {"_id": "three", "at": [at(-20), at(-36), at(-28)]},
            {"_id": "one", "at": at(-30)},
        ]},
    ];
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("three expires at 12:01:24");
    let row = window.place("three expires at 12:01:24");
    let shapes = window.harness.output().shapes.iter();
    let mut dots: Vec<(f32, f32)> = shapes
        .filter_map(|clipped| match &clipped.shape {
            Shape::Circle(dot) if dot.stroke.is_empty() && row.contains(dot.center) => {
                Some((dot.center.x, dot.radius))
            }
            _ => None,
        })
        .collect();
    dots.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(_, first), (_, second), (_, third)] = dots[..] else { panic!("{dots:?}") };
    assert!(first > second && (second - third).abs() < 0.1, "{dots:?}");
    assert!(row.contains(pos2(dots[0].0, row.center().y)));
    window.click("three expires at 12:01:24");
    window.until_named("Index at_1 sets expiry to 120 s after the earliest date in at (11:59:24).");
    window.click("one expires at 12:01:30");
    window.until_named("Index at_1 sets expiry to 120 s after at (11:59:30).");
}

#[test]
fn what_can_be_pressed_has_a_hand_and_a_bar_of_the_density_scrolls_to_its_time() {
    let documents: Vec<_> =
        (0..60).map(|id| doc! {"_id": format!("user {id}"), "at": at(id * 2)}).collect();
    let commands = [
        doc! {"createIndexes": "logins", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 5},
        ]},
        doc! {"insert": "logins", "documents": documents},
    ];
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("user 0 expires at 12:00:05");
    window.until_named("Density: ");
    let cursor = |window: &mut Window, at: egui::Pos2| {
        window.harness.input_mut().events.push(egui::Event::PointerMoved(at));
        window.harness.run_steps(3);
        window.harness.output().platform_output.cursor_icon
    };
    let lane = window.place("user 0 expires at 12:00:05").center();
    assert_eq!(cursor(&mut window, lane), egui::CursorIcon::PointingHand);
    let shapes = window.harness.output().shapes.iter();
    let strip = shapes.filter_map(|clipped| match &clipped.shape {
        Shape::Rect(bar) if bar.rect.bottom() < lane.y && bar.rect.width() < 20.0 => Some(bar.rect),
        _ => None,
    });
    let bars: Vec<_> = strip.filter(|bar| bar.center().x > lane.x && bar.height() > 3.0).collect();
    assert!(window.tab().expiry.axis.follows());
    let hands = bars
        .iter()
        .map(egui::Rect::center)
        .find(|bar| cursor(&mut window, *bar) == egui::CursorIcon::PointingHand);
    let bar = hands.unwrap_or_else(|| panic!("no bar has a hand: {bars:?}"));
    for pressed in [true, false] {
        let (pos, button) = (bar, egui::PointerButton::Primary);
        let modifiers = egui::Modifiers::NONE;
        let event = egui::Event::PointerButton { pos, button, pressed, modifiers };
        window.harness.input_mut().events.push(event);
        window.harness.run_steps(2);
    }
    assert!(!window.tab().expiry.axis.follows(), "it has scrolled");
}
