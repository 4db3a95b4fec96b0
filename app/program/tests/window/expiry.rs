//! The Expiry view: documents in time, from their date to their removal.

use bson::{Document, doc};
use egui::{Key, Modifiers, Rect, Shape};
use egui_kittest::kittest::Queryable;
use mayfly::action::{Action, ClockAction, ViewAction};
use mayfly::state::State;
use mayfly::state::expiry::Mode;
use mayfly::state::tabs::ViewKind;

use mayfly::theme::sizes;

use super::support::{Window, at};

/// Sessions that expire 30 s, 60 s and 11 min after the start, and two that never expire.
fn sessions() -> Vec<Document> {
    vec![
        doc! {"createIndexes": "sessions", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
            {"key": {"end": 1}, "name": "end_1", "expireAfterSeconds": 0},
        ]},
        doc! {"insert": "sessions", "documents": [
            {"_id": "first", "at": at(-30)},
            {"_id": "second", "at": at(0)},
            {"_id": "late", "at": at(600)},
            {"_id": "missing", "note": "has no date"},
            {"_id": "text", "at": "2026-01-01"},
            {"_id": "other", "end": at(120)},
        ]},
    ]
}

fn window() -> Window {
    let mut window = Window::open_view(&sessions(), "Expiry");
    window.until_named("first expires at");
    window
}

#[test]
fn a_document_is_listed_from_its_threshold_to_its_removal() {
    let mut window = window();
    assert!(window.has("first expires at 12:00:30"));
    assert!(window.has("second expires at 12:01:00"));
    assert!(window.has("other expires at 12:02:00"));
    window.advance(31);
    window.until_named("first expired at 12:00:30, not yet removed");
    assert!(window.has("second expires at 12:01:00"));
    window.click("Run pass");
    window.until_named("first removed, 1 s lag");
    assert!(window.has("second expires at 12:01:00"));
}

#[test]
fn a_pass_shows_what_it_removed_and_then_leaves_a_summary() {
    let mut window = window();
    let old: Vec<_> = (0..12).map(|id| doc! {"_id": format!("old {id}"), "at": at(-90)}).collect();
    window.run("test", &doc! {"insert": "sessions", "documents": old});
    window.until_named("old 11 expired at");
    window.click("Run pass");
    window.until_frame("all are tombstones", |window| {
        (0..12).all(|id| window.has_part(&format!("old {id} removed")))
    });
    window.until_named("7 more removed by pass 1");
    assert!(!window.has_part("old 0 removed") && window.has_part("old 11 removed"));
    assert!(window.has("first expires at 12:00:30"));
    // A third of 19 minutes is left of now.
    window.advance(420);
    window.until_gone("more removed by pass 1");
    window.until_gone("old 11 removed");
}

#[test]
fn a_pointer_that_rests_does_not_freeze_the_lanes() {
    let mut window = window();
    let lane = window.place("second expires at 12:01:00").center();
    window.harness.input_mut().events.push(egui::Event::PointerMoved(lane));
    window.harness.run_steps(2);
    assert!(window.tab().expiry.held, "rows keep their places under a moving pointer");
    window.run("test", &doc! {"insert": "sessions", "documents": [{"_id": "new", "at": at(-40)}]});
    window.until_named("new expires at 12:00:20");
    assert!(!window.tab().expiry.held);
}

#[test]
fn a_pointer_that_was_left_on_a_lane_covers_no_others() {
    let mut window = window();
    let lane = window.place("second expires at 12:01:00").center();
    window.harness.input_mut().events.push(egui::Event::PointerMoved(lane));
    window.until_window("a sentence", |window| window.has_part("Will be removed between"));
    window.until_gone("Will be removed between");
}

#[test]
fn a_fast_clock_widens_the_axis_and_a_slow_one_narrows_it_again() {
    let mut window = window();
    let before = window.tab().expiry.axis.span_ms();
    window.ask(Action::Clock(ClockAction::SetRate(3_600.0)));
    assert_eq!(window.tab().expiry.axis.span_ms(), 12 * 3_600_000);
    window.ask(Action::Clock(ClockAction::SetPaused(true)));
    window.ask(Action::Clock(ClockAction::SetRate(0.001)));
    assert!(window.tab().expiry.axis.span_ms() <= before);
}

#[test]
fn totals_follow_the_clock_in_every_mode() {
    for mode in ["View: Timeline", "View: Table", "View: Removed"] {
        let mut window = window();
        window.click(mode);
        let overdue = |state: &State| {
            let view = &state.tabs.active().expect("a tab").expiry;
            view.totals.as_ref().map(|totals| (totals.waiting.likely(), totals.overdue.likely()))
        };
        window.until("all wait", |state| overdue(state) == Some((4, 0)));
        window.advance(31);
        window.until("one is overdue", |state| overdue(state) == Some((3, 1)));
    }
}

#[test]
fn the_counts_of_waiting_and_overdue_documents_lead_to_them() {
    for (name, ids) in [("Overdue: 1", "first"), ("Will expire: 2", "second late")] {
        let mut window = window();
        window.click("TTL index");
        window.click("at_1 · 1 min");
        window.advance(31);
        window.until_named("Overdue: 1");
        window.click(name);
        window.until("the documents", |state| {
            state.tabs.active().is_some_and(|tab| tab.view == ViewKind::Documents)
        });
        for id in ids.split(' ') {
            window.until_window(id, |window| window.has_part(id));
        }
        assert!(!window.has_part("missing"), "only those");
    }
}

#[test]
fn a_document_is_added_by_a_key_in_every_view() {
    for view in ["Documents", "Expiry", "Indexes"] {
        let mut window = window();
        window.click(view);
        window.keys(Modifiers::COMMAND, Key::N);
        window.until_named("Add to test.sessions");
    }
}

#[test]
fn no_tooltip_of_a_lane_lies_over_the_palette() {
    let mut window = window();
    let lane = window.place("second expires at 12:01:00").center();
    window.harness.input_mut().events.push(egui::Event::PointerMoved(lane));
    window.until_named("Will be removed between 12:01:00");
    window.keys(Modifiers::COMMAND, Key::P);
    assert!(window.has("Find a command"));
    window.until_gone("Will be removed between 12:01:00");
    window.key(Key::Escape);
    let moved = egui::Event::PointerMoved(lane + egui::vec2(1.0, 0.0));
    window.harness.input_mut().events.push(moved);
    window.until_named("Will be removed between 12:01:00");
}

/// Whether a horizontal line goes through a text that is painted.
fn is_struck_through(window: &Window, text: &str) -> bool {
    let shapes = || window.harness.output().shapes.iter().map(|clipped| &clipped.shape);
    let places = shapes().filter_map(|shape| match shape {
        Shape::Text(drawn) if drawn.galley.text() == text => Some(shape.visual_bounding_rect()),
        _ => None,
    });
    let places: Vec<_> = places.collect();
    assert!(!places.is_empty(), "{text} is painted");
    shapes().any(|shape| match shape {
        Shape::LineSegment { points: [from, to], .. } => {
            let line = Rect::from_two_pos(*from, *to);
            line.height() < 1.0 && places.iter().any(|place| place.intersects(line))
        }
        _ => false,
    })
}

#[test]
fn the_digits_of_a_lane_are_not_covered_by_its_name() {
    let mut window = window();
    let id = "a name so long that there is room for it on no side of now";
    window.run("test", &doc! {"insert": "sessions", "documents": [{"_id": id, "at": at(-90)}]});
    window.until_named("a name so long");
    for width in [1_280.0, 900.0] {
        window.harness.set_size(egui::vec2(width, 620.0));
        window.harness.run_steps(4);
        let texts = window.harness.output().shapes.iter().filter_map(|clipped| {
            let Shape::Text(drawn) = &clipped.shape else { return None };
            Some((drawn.galley.text().to_owned(), clipped.shape.visual_bounding_rect()))
        });
        let texts: Vec<_> = texts.collect();
        let place = |part: &str| {
            let found = texts.iter().find(|(text, _)| text.starts_with(part));
            found.unwrap_or_else(|| panic!("no {part} at {width}: {texts:?}")).1
        };
        let (digits, name) = (place("+00:30"), place("a name so long"));
        assert!(!digits.intersects(name), "{width}: {digits} {name}");
    }
}

#[test]
fn names_are_in_one_column_and_digits_right_of_every_knob() {
    let window = window();
    let texts = window.harness.output().shapes.iter().filter_map(|clipped| {
        let Shape::Text(drawn) = &clipped.shape else { return None };
        Some((drawn.galley.text().to_owned(), clipped.shape.visual_bounding_rect()))
    });
    // The bar at the top has a countdown too.
    let texts: Vec<_> = texts.filter(|(_, place)| place.top() > 48.0).collect();
    let place = |words: &str| {
        let found = texts.iter().find(|(text, _)| text == words);
        found.unwrap_or_else(|| panic!("no {words}: {texts:?}")).1
    };
    let names = ["first", "second", "other", "late"].map(place);
    assert!(names.iter().all(|name| (name.left() - names[0].left()).abs() < 1.0), "{names:?}");
    let digits = ["00:30", "01:00", "02:00", "11:00"].map(place);
    let middles = digits.map(|place| place.center().y);
    for (name, digits) in names.iter().zip(&digits) {
        assert!(name.right() < digits.left(), "{name} {digits}");
        assert!((name.center().y - digits.center().y).abs() < 3.0, "{middles:?}");
    }
    assert!(digits.windows(2).all(|pair| pair[0].left() < pair[1].left()), "{digits:?}");
}

#[test]
fn the_lanes_have_half_of_a_window_of_1440_points_and_a_bounded_share_of_smaller_ones() {
    for (width, height, least) in
        [(1_440.0, 900.0, 0.5), (1_280.0, 800.0, 0.4), (1_024.0, 640.0, 0.29)]
    {
        let mut window = window();
        window.harness.set_size(egui::vec2(width, height));
        window.harness.run_steps(8);
        let (row, axis) = (window.place("first expires at 12:00:30"), window.place("Time axis"));
        let share = row.width() * (axis.top() - row.top()) / (width * height);
        assert!(share >= least, "{share} at {width}×{height}");
    }
}

#[test]
fn only_what_was_removed_is_struck_through() {
    let mut window = window();
    window
        .run("test", &doc! {"insert": "sessions", "documents": [{"_id": "far", "end": at(3_000)}]});
    window.until_named("far expires at");
    assert!(!is_struck_through(&window, "50:00 →"), "the threshold is off the axis");
    assert!(!is_struck_through(&window, "far"));
    assert!(!is_struck_through(&window, "02:00"), "the threshold is on the axis");
    window.advance(31);
    window.click("Run pass");
    window.until_named("first removed, 1 s lag");
    window
        .until_window("the line of the pass is there", |window| is_struck_through(window, "first"));
}

#[test]
fn the_buttons_of_a_document_stand_in_one_line() {
    let mut window = window();
    window.click("second expires at 12:01:00");
    window.until_named("Refresh date");
    let names = ["Refresh date", "Show document", "Copy explanation"];
    let tops = names.map(|name| window.place(name).top());
    assert!(tops.iter().all(|top| (top - tops[0]).abs() < 1.0), "{tops:?}");
}

#[test]
fn the_table_lists_what_waits_and_the_ledger_what_went() {
    let mut window = window();
    window.click("View: Table");
    for words in ["Remaining", "Expires at (UTC)", "first", "2026-06-01 12:00:30.000"] {
        window.until_named(words);
    }
    window.click("View: Removed");
    assert!(!window.is_enabled("Save ledger…"));
    assert!(window.has("No removals since you opened this tab"));
    assert!(!window.has("Removed (UTC)"), "no columns of nothing");
    window.advance(31);
    window.click("Run pass");
    window.until_named("expiring, the latest after");
    assert!(window.has("12:00:31"));
    window.point("More for the ledger");
    let copied = window.copied("Copy as NDJSON");
    assert!(copied.contains("\"_id\":\"first\"") && copied.contains("1000"), "{copied}");
    assert_eq!(window.tab().expiry.mode, Mode::Removed);
}

#[test]
fn an_index_is_chosen() {
    let mut window = window();
    window.choose("TTL index", "end_1 · at the date");
    window.until_gone("first expires at");
    window.until_named("other expires at 12:02:00");
    window.choose("TTL index", "All TTL indexes");
    window.until_named("first expires at 12:00:30");
}

#[test]
fn the_axis_zooms_and_follows() {
    let mut window = window();
    let span = |window: &Window| window.tab().expiry.axis.sentence();
    let before = span(&window);
    window.click("Zoom out");
    let out = span(&window);
    assert_ne!(out, before);
    window.click("Zoom in");
    assert_eq!(span(&window), before);
    let tab = window.tab().id;
    let pan = mayfly::action::ExpiryAction::Pan(0.5);
    window.ask(Action::Expiry(tab, pan));
    assert!(!window.tab().expiry.axis.follows());
    window.click("Follow now");
    assert!(window.tab().expiry.axis.follows());
}

#[test]
fn a_chosen_document_has_a_verdict() {
    let mut window = window();
    window.click("first expires at 12:00:30");
    window.until_named("Index at_1 sets expiry to 60 s after at (11:59:30).");
    assert!(window.has_part("Will be removed between 12:00:30 and 12:01:3"));
    assert!(window.has("Remaining"));
    assert!(
        window.copied("Copy explanation").starts_with("first: Will be removed between 12:00:30")
    );
    window.advance(31);
    window.until_named("Will be removed by the pass at");
    assert!(window.has("Overdue"));
    window.click("Refresh date");
    window.until_named("first expires at 12:01:31");
    let now = doc! {"_id": "first", "at": at(31)};
    let shown = |state: &State| state.tabs.active().map(|tab| tab.expiry.document.clone());
    window.until("the document of now", |state| shown(state) == Some(Some(now.clone())));
}

#[test]
fn a_document_that_came_again_is_chosen_and_not_its_tombstone() {
    let mut window = window();
    window.advance(31);
    window.click("Run pass");
    window.until_named("first removed, 1 s lag");
    window.run("test", &doc! {"insert": "sessions", "documents": [{"_id": "first", "at": at(31)}]});
    window.until_named("first expires at 12:01:31");
    window.click("first expires at 12:01:31");
    window.until_named("Refresh date");
    assert!(window.has_part("Will be removed between 12:01:31"), "the one that waits");
    window.click("first removed, 1 s lag");
    window.until_gone("Refresh date");
    window.until_named("Removed at 12:00:31");
}

#[test]
fn choosing_a_document_leaves_the_axis_where_it_is() {
    let mut window = window();
    let row = "second expires at 12:01:00";
    let before = window.place(row);
    window.click(row);
    window.until_named("Copy explanation");
    window.until_named("Copy document");
    assert_eq!(window.place(row).left_top(), before.left_top());
    window.click("Clear the selection");
    window.until_gone("Copy document");
    assert_eq!(window.place(row), before);
}

#[test]
fn controls_do_not_cover_one_another_in_a_narrow_view() {
    let mut window = window();
    window.harness.set_size(egui::vec2(900.0, 700.0));
    let tab = window.tab().id;
    let pan = mayfly::action::ExpiryAction::Pan(3.0);
    window.ask(Action::Expiry(tab, pan));
    window.until_named("Follow now");
    let names = ["View: Removed", "Zoom in", "Zoom out", "Follow now"];
    let places = names.map(|name| window.place(name));
    for (at, place) in places.iter().enumerate() {
        for (other, name) in places.iter().zip(names).skip(at + 1) {
            assert!(!place.intersects(*other), "{} and {name}: {place} {other}", names[at]);
        }
    }
}

#[test]
fn how_late_removals_were_is_not_covered_by_the_buttons() {
    let mut window = window();
    window.click("View: Removed");
    window.advance(121);
    window.click("Run pass");
    window.until_named("Late: ");
    window.click("Lag details");
    window.until_named("p99");
    let lag = window.harness.query_all_by_label_contains("p99").next().expect("the lag").rect();
    for name in ["Save ledger…", "More for the ledger"] {
        let button = window.place(name);
        assert!(!lag.intersects(button), "{name}: {lag} {button}");
    }
}

#[test]
fn the_document_in_the_inspector_is_copied() {
    let mut window = window();
    window.click("first expires at 12:00:30");
    window.until_named("Copy document");
    assert!(window.copied("Copy document").contains("_id: 'first'"));
}

#[test]
fn reasons_lead_to_the_documents_that_never_expire() {
    let mut window = window();
    window.choose("TTL index", "at_1 · 1 min");
    window.until_named("Never expires: 3");
    window.click("Never expires: 3");
    window.until_named("string: 1");
    window.until_named("missing: 2");
    window.click("string: 1");
    window.until_named("Document 'text'");
    window.until_gone("Document 'first'");
    assert_eq!(window.tab().view, ViewKind::Documents);
}

#[test]
fn reasons_are_counted_without_asking() {
    let carts = [
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 60},
        ]},
        doc! {"insert": "carts", "documents": [{"_id": 1, "at": at(0)}, {"_id": 2, "at": 5}]},
    ];
    let mut window = Window::open_view(&carts, "Expiry");
    window.until_named("Never expires: 1");
    window.click("Never expires: 1");
    window.until_named("number: 1");
}

#[test]
fn several_indexes_have_several_reasons() {
    let mut window = window();
    window.until_named("Never expires: 2");
    window.click("Never expires: 2");
    window.until_named("Choose a single TTL index to see reasons");
}

#[test]
fn a_document_is_shown_in_its_collection() {
    let mut window = window();
    window.click("second expires at 12:01:00");
    window.until_named("Show document");
    window.click("Show document");
    window.until_named("Document 'second'");
    assert_eq!(window.value("Filter"), "{ _id: 'second' }");
}

#[test]
fn without_a_ttl_index_one_is_offered() {
    let plain = [doc! {"insert": "plain", "documents": [{"_id": 1, "at": at(0)}]}];
    let mut window = Window::open_view(&plain, "Expiry");
    window.until_named("No TTL index, so documents in this collection never expire");
    window.click("Create a TTL index…");
    assert!(window.has("Create index on plain"));
    window.until_named("Enter a number; 0 expires documents at the stored time");
}

#[test]
fn what_if_tries_a_ttl_on_the_timeline_and_leads_to_its_dialog() {
    let mut window = window();
    window
        .run("test", &doc! {"insert": "sessions", "documents": [{"_id": "far", "at": at(7_200)}]});
    window.click("What if…");
    window.choose("TTL to try: unit", "seconds");
    window.type_into("TTL to try", "10");
    assert!(window.state().dialogs.open().is_none(), "nothing covers the lanes");
    // The counts add up to the seven documents.
    for part in ["1 overdue now", "2 within an hour", "1 later", "3 never"] {
        window.until_named(part);
    }
    window.click("Apply…");
    window.until_named("Change TTL of at_1");
    assert_eq!(window.value("TTL"), "10");
    window.until_named("Change and expire 1");
    window.click("Cancel");
    window.until_gone("Change TTL of");
    assert_eq!(window.value("TTL to try"), "10", "it is still tried");
    window.click("What if…");
    window.until_gone("TTL to try");
}

#[test]
fn an_applied_ttl_is_tried_no_more() {
    let mut window = window();
    window.click("What if…");
    window.choose("TTL to try: unit", "seconds");
    window.type_into("TTL to try", "10");
    window.click("Apply…");
    window.until_named("Change and expire 1");
    window.click("Change and expire 1");
    window.until_gone("TTL to try");
}

#[test]
fn dragging_the_slider_of_what_if_counts_at_once() {
    let mut window = window();
    window.click("What if…");
    window.until("the ages are known", |state| {
        let strip = state.tabs.active().and_then(|tab| tab.expiry.what_if.as_ref());
        strip.is_some_and(|strip| strip.change.ages.is_some())
    });
    let slider = window.place("TTL from a second to a year");
    let left = slider.left() + sizes::GAP_SMALL;
    window.point_at(left, slider.top() + 6.0);
    // A second: the one with a date in the past goes.
    window.until_named("1 overdue now");
    let tried = window.tab().expiry.what_if.as_ref().map(|strip| strip.change.secs());
    assert_eq!(tried, Some(Ok(1)));
}

#[test]
fn compact_rows_show_more_of_the_table() {
    let mut window = window();
    window.click("View: Table");
    window.until_named("second: ");
    let top = |window: &Window, part| window.place_of_part(part).expect("a cell").top();
    let pitch = |window: &Window| top(window, "second: ") - top(window, "first: ");
    let usual = pitch(&window);
    let compact = ViewAction::choose(window.state(), |settings| settings.compact = true);
    window.ask(compact);
    window.harness.run_steps(4);
    assert!((usual - pitch(&window) - 8.0).abs() < 1.0, "{usual} {}", pitch(&window));
}

#[test]
fn arrow_keys_move_the_slider_of_what_if() {
    let mut window = window();
    window.click("What if…");
    let secs = |window: &Window| {
        let strip = window.tab().expiry.what_if.as_ref();
        strip.and_then(|strip| strip.change.secs().ok()).expect("a TTL")
    };
    let before = secs(&window);
    window.harness.get_by_label("TTL from a second to a year").focus();
    window.key(Key::ArrowRight);
    let longer = secs(&window);
    assert!(longer > before, "{longer} s");
    for _ in 0..4 {
        window.key(Key::ArrowLeft);
    }
    assert!(secs(&window) < before);
    assert!(window.is_focused("TTL from a second to a year"));
}

#[test]
fn a_rule_on_the_last_modification_says_why_it_can_not_be_tried() {
    let commands = [
        doc! {"insert": "carts", "documents": [{"_id": 1}, {"_id": 2, "ttl": 90}]},
        doc! {"createIndexes": "carts", "indexes": [
            {"key": {"_ts": 1}, "name": "ts", "expireAfterSeconds": 60},
        ]},
    ];
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("What if…");
    window.click("What if…");
    window.until_named("Documents expire by their last modification or their own ttl");
    window.click("Change TTL…");
    window.until_named("Change TTL of ts");
}

#[test]
fn one_date_is_refreshed_and_several_are_not_replaced_by_one() {
    let several = doc! {"_id": "several", "at": [at(10), at(500)]};
    let mut commands = sessions();
    commands.push(doc! {"insert": "sessions", "documents": [several.clone()]});
    let mut window = Window::open_view(&commands, "Expiry");
    let stored = |window: &Window, id: &str| {
        let found = window.run("test", &doc! {"find": "sessions", "filter": {"_id": id}});
        let batch = found.get_document("cursor").and_then(|cursor| cursor.get_array("firstBatch"));
        batch.expect("a batch")[0].as_document().expect("a document").clone()
    };
    window.until_named("several expires at 12:01:10");
    window.click("several expires at 12:01:10");
    window.click("Refresh date");
    window.until_named("Date not refreshed");
    assert_eq!(stored(&window, "several"), several);
    window.click("second expires at 12:01:00");
    window.advance(5);
    window.click("Refresh date");
    window.until_named("second expires at 12:01:05");
    assert_eq!(stored(&window, "second").get_datetime("at").ok(), Some(&at(5)));
}

#[test]
fn a_low_window_shows_the_button_rather_than_the_picture() {
    let mut window =
        Window::open_view(&[doc! {"insert": "notes", "documents": [{"_id": 1}]}], "Expiry");
    window.until_named("Create a TTL index…");
    window.harness.set_size(egui::vec2(640.0, 540.0));
    window.harness.run_steps(4);
    let (button, below) = (window.place("Create a TTL index…"), window.place("Activity"));
    assert!(button.bottom() <= below.top(), "{button} {below}");
}

#[test]
fn no_bar_goes_through_the_name_of_its_document() {
    let document = |at_hour: i64| doc! {"_id": format!("a document of hour {at_hour}"), "at": at(3_600 * at_hour)};
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 3_600};
    let commands = [
        doc! {"createIndexes": "visits", "indexes": [index]},
        doc! {"insert": "visits", "documents": (0..5).map(document).collect::<Vec<_>>()},
    ];
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("a document of hour 4");
    let (mut names, mut bars) = (Vec::new(), Vec::new());
    for clipped in &window.harness.output().shapes {
        match &clipped.shape {
            Shape::Text(text) if text.galley.text().starts_with("a document of hour") => {
                names.push(text.visual_bounding_rect());
            }
            Shape::Rect(shape) if (shape.rect.height() - sizes::LANE_BAR).abs() < 0.1 => {
                bars.push(shape.rect);
            }
            _ => {}
        }
    }
    assert_eq!((names.len(), bars.len() >= 5), (5, true), "{bars:?}");
    for name in names {
        assert!(!bars.iter().any(|bar| bar.intersects(name)), "{name}: {bars:?}");
    }
}

#[test]
fn of_a_collection_that_another_program_drops_nothing_is_counted_or_waits() {
    let mut window = window();
    let counts = |state: &State| {
        let view = &state.tabs.active().expect("a tab is shown").expiry;
        let totals = view.totals.as_ref();
        (view.lanes.len(), totals.map_or(0, |totals| totals.waiting.plus(totals.never).likely()))
    };
    window.until("all are counted", |state| counts(state) == (4, 6));
    window.run("test", &doc! {"drop": "sessions"});
    window.until("none is there", |state| counts(state) == (0, 0));
}
