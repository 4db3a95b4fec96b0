//! The Expiry view: a chosen range, cliffs, the lag of passes, and several TTL indexes.

use bson::{Document, doc};
use mayfly::action::{Action, ExpiryAction};
use mayfly::state::expiry::{Brush, Row};
use mayfly::state::tabs::ViewKind;

use super::support::{START_MS, Window, at};

/// A collection with a TTL index that adds nothing, and documents that expire at these seconds.
fn visits(secs: impl Iterator<Item = i64>) -> Vec<Document> {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0};
    let documents: Vec<Document> = secs
        .enumerate()
        .map(|(id, secs)| doc! {"_id": format!("visit {id}"), "at": at(secs)})
        .collect();
    let mut commands = vec![doc! {"createIndexes": "visits", "indexes": [index]}];
    commands.extend(
        documents.chunks(1_000).map(|some| doc! {"insert": "visits", "documents": some.to_vec()}),
    );
    commands
}

/// The rows that are listed.
fn listed(window: &Window) -> Vec<String> {
    let rows = window.tab().expiry.rows(window.state().now_ms()).into_iter();
    let ids = rows.filter_map(|row| match row {
        Row::Lane(lane) => lane.id.as_str().map(str::to_owned),
        Row::Summary(_) | Row::More(_) => None,
    });
    ids.collect()
}

/// Drags over the density, between two fractions of its width.
fn drag_density(window: &mut Window, from: f32, to: f32) {
    let strip = window.place_of_part("Density: ").expect("the density");
    let place = |share: f32| egui::pos2(egui::lerp(strip.x_range(), share), strip.center().y);
    let button = |pos, pressed| egui::Event::PointerButton {
        pos,
        button: egui::PointerButton::Primary,
        pressed,
        modifiers: egui::Modifiers::NONE,
    };
    let events = [
        vec![egui::Event::PointerMoved(place(from))],
        vec![button(place(from), true)],
        vec![egui::Event::PointerMoved(place(f32::midpoint(from, to)))],
        vec![egui::Event::PointerMoved(place(to))],
        vec![button(place(to), false)],
        vec![egui::Event::PointerGone],
    ];
    for some in events {
        window.harness.input_mut().events.extend(some);
        window.harness.run_steps(1);
    }
    window.harness.run_steps(2);
}

fn choose(window: &mut Window, from_secs: i64, to_secs: i64) {
    let tab = window.tab().id;
    let ms = |secs| START_MS + secs * 1_000;
    let brush = Brush { from_ms: ms(from_secs), to_ms: ms(to_secs) };
    window.ask(Action::Expiry(tab, ExpiryAction::Brush(Some(brush))));
    window.ask(Action::Expiry(tab, ExpiryAction::ListRange));
}

#[test]
fn a_range_beyond_the_soonest_documents_is_listed_and_counted() {
    let mut window = Window::open_view(&visits((0..500).map(|at| 10 + at)), "Expiry");
    window.until_named("visit 0 expires at");
    choose(&mut window, 400, 405);
    window.until_window("the store's documents", |window| {
        let listed = listed(window);
        listed.first().is_some_and(|id| id >= &"visit 380".to_owned()) && listed.len() < 40
    });
    let brush = window.tab().expiry.brush.expect("a range");
    let inside: Vec<String> = (0..500)
        .filter(|id| brush.has(START_MS + (10 + id) * 1_000))
        .map(|id| format!("visit {id}"))
        .collect();
    assert_eq!(listed(&window), inside);
    let words = format!("{} documents expire between 12:06:", inside.len());
    assert!(window.has_part(&words), "{words}");
    // So few fit the view; the density stays with the range.
    assert!(window.has_part("a range is chosen"));
    window.click("View: Table");
    window.until_named(&inside[0]);
    assert!(!window.has("visit 0"), "the table has the same");
    window.click("Show documents");
    window.until("the documents", |state| {
        state.tabs.active().is_some_and(|tab| tab.view == ViewKind::Documents)
    });
    window.until_named(&format!("of {}", inside.len()));
    window.click("Expiry");
    window.click("Clear range");
    window.until_gone("documents expire between");
    window.until_window("the soonest", |window| listed(window).len() == 200);
}

#[test]
fn a_range_is_dragged_over_the_density_and_says_when_it_is_not_all_listed() {
    let mut window = Window::open_view(&visits((0..900).map(|at| 10 + at / 16)), "Expiry");
    window.until_named("visit 0 expires at");
    drag_density(&mut window, 0.25, 0.95);
    window.until_named("; the first 200 are listed");
    let found = window.tab().expiry.in_range().expect("a count");
    let brush = window.tab().expiry.brush.expect("a range");
    let strip = window.place_of_part("Density: ").expect("the density");
    let share = window.tab().expiry.axis.position(brush.to_ms, window.state().now_ms());
    assert!(share > 0.9, "the drag went on to its end: {share} {strip}");
    let inside = (0..900).filter(|id| brush.has(START_MS + (10 + id / 16) * 1_000)).count();
    assert_eq!((found.documents, found.is_exact), (inside as u64, true));
    assert!(window.has_part("a range is chosen"));
}

#[test]
fn an_empty_range_says_so_and_another_one_can_be_chosen() {
    let mut window = Window::open_view(&visits((0..40).map(|at| 10 + at)), "Expiry");
    window.until_named("visit 0 expires at");
    choose(&mut window, 300, 310);
    window.until_named("0 documents expire between");
    assert!(window.has_part("a range is chosen") && listed(&window).is_empty());
    choose(&mut window, 10, 11);
    window.until_named("visit 0 expires at");
    assert!(window.has_part("a range is chosen"), "also where its documents fit the view");
}

#[test]
fn the_documents_of_a_range_are_those_that_the_first_of_several_indexes_expires() {
    let ttl = |field: &str| doc! {"key": {field: 1}, "name": format!("{field}_1"), "expireAfterSeconds": 0};
    let commands = [
        doc! {"createIndexes": "visits", "indexes": [ttl("at"), ttl("end")]},
        doc! {"insert": "visits", "documents": [
            {"_id": "both", "at": at(900), "end": at(100)},
            {"_id": "at", "at": at(100)},
            {"_id": "before", "at": at(100), "end": at(10)},
            {"_id": "after", "at": at(900), "end": at(901)},
        ]},
    ];
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("both expires at");
    choose(&mut window, 99, 101);
    window.until_named("2 documents expire between");
    window.click("Show documents");
    window.until_named("1–2 of 2");
    assert!(window.value("Filter").starts_with("{ $or: [ { at: "), "{}", window.value("Filter"));
}

#[test]
fn many_documents_that_share_a_date_are_a_cliff() {
    let secs = (0..300).map(|at| 600 + at * 40).chain((0..1_500).map(|_| 7_200));
    let mut window = Window::open_view(&visits(secs), "Expiry");
    window.until_named("visit 0 expires at");
    let tab = window.tab().id;
    // An axis of days, whose slices are hours.
    window.ask(Action::Expiry(tab, ExpiryAction::ShowRange(START_MS, START_MS + 4 * 86_400_000)));
    // Two of the others are in that minute.
    window.until_named("1,502 documents expire within one minute, from 14:00:00 on; one pass will");
    window.click("Show there");
    window.click("View: Removed");
    assert!(!window.has_part("expire within one minute"));
}

#[test]
fn documents_that_are_spread_over_an_hour_are_no_cliff() {
    let mut window = Window::open_view(&visits((0..2_000).map(|at| 600 + at * 2)), "Expiry");
    window.until_named("visit 0 expires at");
    let tab = window.tab().id;
    window.ask(Action::Expiry(tab, ExpiryAction::ShowRange(START_MS, START_MS + 8 * 86_400_000)));
    let is_counted =
        |window: &Window| window.tab().expiry.density.counts.iter().any(|n| *n > 1_000);
    window.until_window("slices of hours", is_counted);
    assert!(!window.has_part("one pass will remove them"));
    assert!(!window.has_part("documents expire within one minute"));
}

#[test]
fn the_lag_of_passes_is_a_chart_with_a_sentence() {
    let mut window = Window::open_view(&visits((0..40).map(|at| 10 + at)), "Expiry");
    window.until_named("visit 0 expires at");
    window.click("View: Removed");
    window.advance(31);
    window.click("Run pass");
    window.until_named("On time: all removals within ");
    window.click("Lag details");
    window.until_named("Removal lag of the last 1 pass");
    window.advance(7_200);
    window.click("Run pass");
    window.until_named("Late: 18 of 40 removals came later than ");
    window.until_named(" passes");
    assert!(window.has_part("Removal lag of the last "));
}

#[test]
fn several_ttl_indexes_have_marks_and_one_is_hidden_to_see_the_other() {
    let ttl = |field: &str| doc! {"key": {field: 1}, "name": format!("{field}_1"), "expireAfterSeconds": 0};
    let commands = [
        doc! {"createIndexes": "visits", "indexes": [ttl("at"), ttl("end")]},
        doc! {"insert": "visits", "documents": [
            {"_id": "both", "at": at(900), "end": at(100)}, {"_id": "one", "at": at(200)},
        ]},
    ];
    let mut window = Window::open_view(&commands, "Expiry");
    window.until_named("both expires at 12:01:40");
    assert!(window.has("A: at_1") && window.has("B: end_1"));
    let lane = window.place("both expires at 12:01:40").center();
    window.harness.input_mut().events.push(egui::Event::PointerMoved(lane));
    window.until_named("B: of 2 TTL indexes, end_1 expires it first");
    window.harness.input_mut().events.push(egui::Event::PointerGone);
    window.click("both expires at 12:01:40");
    window.until_named("end_1: expires at 12:01:40, wins");
    assert!(window.has_part("at_1: expires at 12:15:00"));
    window.click("one expires at 12:03:20");
    window.until_named("end_1: never: missing");
    window.click("B: end_1");
    window.until_named("both expires at 12:15:00");
    window.until_named("Will expire: 2");
    window.click("A: at_1");
    window.until_named("both expires at 12:15:00");
    window.click("View: Table");
    assert!(window.has("A: at_1") && window.has("B: end_1"));
    window.click("B: end_1");
    window.click("View: Timeline");
    window.until_named("both expires at 12:01:40");
    window.run("test", &doc! {"dropIndexes": "visits", "index": "end_1"});
    window.until_gone("B: end_1");
    assert!(!window.has("A: at_1"), "one index needs no mark");
}

/// A new TTL moves the thresholds by years, and the way back must not be twenty presses.
#[test]
fn the_axis_fits_a_new_ttl_and_the_button_fits_it() {
    let mut window = Window::open_view(&visits([30, 600].into_iter()), "Expiry");
    window.until_named("visit 0 expires at");
    let span_ms = |window: &Window| window.tab().expiry.axis.span_ms();
    let first_ms = span_ms(&window);
    for _ in 0..6 {
        window.click("Zoom out");
    }
    let tab = window.tab().id;
    window.ask(Action::Expiry(tab, ExpiryAction::Pan(0.5)));
    window.click("Fit");
    assert_eq!((span_ms(&window), window.tab().expiry.axis.follows()), (first_ms, true));
    for (secs, least_ms, most_ms) in
        [(2_000_000_000_i64, 365 * 86_400_000, i64::MAX), (0, first_ms, first_ms)]
    {
        let index = doc! {"name": "at_1", "expireAfterSeconds": secs};
        window.run("test", &doc! {"collMod": "visits", "index": index});
        window.until_window(&format!("it fits {secs} s"), |window| {
            (least_ms..=most_ms).contains(&span_ms(window))
        });
    }
}
