//! The expiry calendar.

use std::collections::BTreeMap;

use bson::{Document, doc};
use egui::Key;
use mayfly::action::{Action, CalendarAction};
use mayfly::state::expiry::Mode;
use mayfly::state::tabs::ViewKind;

use super::pictures::SIZES;
use super::support::{START_MS, Window, at};

/// Two collections with documents that expire today, tomorrow and in a hundred days, and one without
/// a TTL index.
fn commands() -> Vec<Document> {
    let ttl = |name: &str| {
        let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0};
        doc! {"createIndexes": name, "indexes": [index]}
    };
    let day = 86_400;
    vec![
        ttl("carts"),
        ttl("visits"),
        doc! {"insert": "carts", "documents": [
            {"_id": 1, "at": at(3_600)}, {"_id": 2, "at": at(day)}, {"_id": 3, "at": at(100 * day)},
        ]},
        doc! {"insert": "visits", "documents": [{"_id": 1, "at": at(day)}, {"_id": 2, "at": "no"}]},
        doc! {"insert": "plain", "documents": [{"_id": 1, "at": at(day)}]},
    ]
}

#[test]
fn the_calendar_adds_up_all_collections_and_opens_one_at_that_time() {
    let mut window = Window::open_after(&commands());
    window.ask(Action::Calendar(CalendarAction::Open));
    window.until_named("4 documents in 2 collections will expire");
    for field in ["test.carts, Mon 1: 1 document", "test.visits, Tue 2: 1 document"] {
        assert!(window.has_part(field), "{field}");
    }
    assert!(!window.has_part("test.plain, "));
    window.click("Columns: Months");
    window.until_named("test.carts, 2026 Sep: 1 document");
    window.click("Columns: Days");
    window.until_named("test.visits, Tue 2: 1 document");
    let field = window.place_of_part("test.visits, Tue 2: 1 document").expect("a field");
    window.point_at(field.center().x, field.center().y);
    window.until_gone("Expiry calendar");
    let tab = window.tab();
    assert_eq!((tab.namespace.collection.as_str(), tab.view), ("visits", ViewKind::Expiry));
    let axis = tab.expiry.axis;
    let position = |secs: i64| axis.position(START_MS + secs * 1_000, window.state().now_ms());
    assert!(position(43_200) > 0.0 && position(43_200 + 86_400) < 1.0, "Tuesday is on the axis");
}

#[test]
fn the_headings_of_the_columns_stay_apart_in_every_window() {
    let mut window = Window::open_view(&commands(), "Expiry");
    window.click("View: Calendar");
    window.until_named("4 documents in 2 collections will expire");
    for unit in ["Hours", "Days", "Weeks", "Months"] {
        window.click(&format!("Columns: {unit}"));
        for (width, height) in SIZES {
            window.harness.set_size(egui::vec2(width, height));
            window.harness.run_steps(3);
            let grid = window.place_of_part("Columns: Hours").expect("the units");
            let mut lines: BTreeMap<i64, Vec<egui::Rect>> = BTreeMap::new();
            for clipped in &window.harness.output().shapes {
                let egui::Shape::Text(text) = &clipped.shape else { continue };
                let place = text.visual_bounding_rect();
                let is_heading = place.left() >= grid.left()
                    && (grid.bottom()..grid.bottom() + 100.0).contains(&place.center().y);
                if is_heading {
                    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
                    lines.entry(text.pos.y.round() as i64).or_default().push(place);
                }
            }
            assert!(lines.values().any(|line| line.len() > 4), "{unit} {width}: {lines:?}");
            for line in lines.values_mut() {
                line.sort_by(|one, other| one.left().total_cmp(&other.left()));
                for pair in line.windows(2) {
                    assert!(pair[0].right() <= pair[1].left(), "{unit} {width}: {pair:?}");
                }
            }
        }
    }
}

#[test]
fn a_calendar_without_expirations_says_so_and_closes() {
    let mut window = Window::open_after(&[doc! {"insert": "plain", "documents": [{"_id": 1}]}]);
    window.ask(Action::Calendar(CalendarAction::Open));
    window.until_named("No collection has documents that expire");
    window.key(Key::Escape);
    window.until_gone("Expiry calendar");
}

#[test]
fn the_calendar_is_a_mode_of_the_expiry_view() {
    let mut window = Window::open_view(&commands(), "Expiry");
    window.click("View: Calendar");
    window.until_named("4 documents in 2 collections will expire");
    assert!(window.state().dialogs.open().is_none());
    window.click("Columns: Months");
    window.until_named("test.carts, 2026 Sep: 1 document");
    window.click("Columns: Days");
    window.until_named("test.visits, Tue 2: 1 document");
    let field = window.place_of_part("test.visits, Tue 2: 1 document").expect("a field");
    window.point_at(field.center().x, field.center().y);
    window.until("the other collection", |state| {
        state.tabs.active().is_some_and(|tab| tab.namespace.collection == "visits")
    });
    assert_eq!(window.tab().expiry.mode, Mode::Timeline);
    window.until_named("1 expires");
}
