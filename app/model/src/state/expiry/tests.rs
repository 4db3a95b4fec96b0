//! The rules of the Expiry view.

use bson::{Bson, Document, doc};
use mayfly_engine::reply::DocCount;

use super::*;
use crate::limits::{DENSITY_BUCKETS, LEDGER_MAX};

const NOW: i64 = 1_704_844_800_000;

fn lane(id: i32, threshold_ms: i64) -> Lane {
    Lane {
        id: Bson::Int32(id),
        index: "at_1".into(),
        field: "at".into(),
        base_ms: threshold_ms - 60_000,
        threshold_ms,
        own_ttl: false,
        dates_ms: Vec::new(),
        removed_ms: None,
        removable_ms: None,
        seen_ms: None,
    }
}

fn batch(thresholds: &[(i32, i64)]) -> Document {
    let date = |ms| Bson::DateTime(bson::DateTime::from_millis(ms));
    let batch: Vec<Bson> = thresholds
        .iter()
        .map(|(id, at)| {
            Bson::Document(doc! {
                "_id": *id, "index": "at_1", "field": "at", "base": date(at - 60_000),
                "threshold": date(*at), "source": "index", "state": "waiting",
            })
        })
        .collect();
    doc! { "batch": batch, "next": Bson::Null, "ok": 1.0 }
}

fn ids(view: &ExpiryView) -> Vec<i32> {
    view.lanes.iter().filter_map(|lane| lane.id.as_i32()).collect()
}

fn removed(id: i32, threshold_ms: i64, at: i64) -> Lane {
    Lane { removed_ms: Some(at), ..lane(id, threshold_ms) }
}

#[test]
fn a_lane_waits_is_overdue_at_its_threshold_and_is_removed_late() {
    let mut row = lane(1, NOW);
    assert_eq!(row.phase(NOW - 1), Phase::Waiting);
    assert_eq!(row.phase(NOW), Phase::Overdue);
    row.removed_ms = Some(NOW + 900);
    assert_eq!(row.phase(NOW + 5_000), Phase::Removed { late_ms: 900 });
}

#[test]
fn a_removed_row_stays_as_a_tombstone_in_its_place() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW - 5), (2, NOW + 5), (3, NOW + 9)]), NOW);
    view.take_removed([removed(1, NOW - 5, NOW)], 0);
    assert_eq!(ids(&view), [1, 2, 3]);
    assert_eq!(view.lanes[0].phase(NOW), Phase::Removed { late_ms: 5 });
    view.take_expiring(&doc! {}, &batch(&[(2, NOW + 5), (3, NOW + 9)]), NOW);
    assert_eq!(ids(&view), [1, 2, 3], "the tombstone is above the next batch");
    let later = NOW + view.axis.span_ms() + 1;
    view.take_expiring(&doc! {}, &batch(&[(3, NOW + 9)]), later);
    assert_eq!(ids(&view), [3], "a tombstone fades");
}

#[test]
fn rows_do_not_move_under_the_pointer() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 1), (2, NOW + 2)]), NOW);
    view.hold(true, NOW);
    view.take_expiring(&doc! {}, &batch(&[(0, NOW), (1, NOW + 1), (2, NOW + 2)]), NOW);
    assert_eq!(ids(&view), [1, 2]);
    view.hold(false, NOW);
    assert_eq!(ids(&view), [0, 1, 2]);
}

#[test]
fn rows_under_the_pointer_tell_what_is_true() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 1), (2, NOW + 2)]), NOW);
    view.hold(true, NOW);
    view.take_expiring(&doc! {}, &batch(&[(2, NOW + 2), (1, NOW + 60_000)]), NOW);
    assert_eq!(ids(&view), [1, 2]);
    assert_eq!(view.lanes[0].threshold_ms, NOW + 60_000, "its date was refreshed");
}

#[test]
fn a_document_that_came_again_is_not_its_tombstone() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW - 5)]), NOW);
    view.take_removed([removed(1, NOW - 5, NOW)], 0);
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 9)]), NOW);
    assert_eq!(ids(&view), [1, 1], "the tombstone, and the document that waits");
    let chosen = |view: &ExpiryView| view.selected_lane().map(|lane| lane.removed_ms);
    view.selected = Some(Bson::Int32(1));
    assert_eq!(chosen(&view), Some(None), "the one that waits");
    view.selected_removed_ms = Some(NOW);
    assert_eq!(chosen(&view), Some(Some(NOW)));
    view.take_removed([removed(1, NOW + 9, NOW + 10)], 0);
    let at: Vec<_> = view.lanes.iter().map(|lane| lane.removed_ms).collect();
    assert_eq!(at, [Some(NOW), Some(NOW + 10)]);
}

#[test]
fn what_is_overdue_is_told_wherever_the_axis_stands() {
    let mut view = ExpiryView::default();
    view.axis.set_span_ms(365 * 86_400_000);
    for moved in [0.0, 0.1, 0.004, -0.25, 3.0, -3.0] {
        view.axis.pan(moved);
        let command = view.forecast_command("c", NOW);
        let date = |name| command.get_datetime(name).expect("a date").timestamp_millis();
        let (from, to) = (date("from"), date("to"));
        let slice = (to - from) / i64::try_from(DENSITY_BUCKETS).expect("it is small");
        assert_eq!((NOW - from) % slice, 0, "{moved}");
        assert!((from - view.axis.start_ms(NOW)).abs() < slice, "{moved}");
    }
}

#[test]
fn the_ledger_is_bounded_and_says_what_it_dropped() {
    let mut view = ExpiryView::default();
    let count = i32::try_from(LEDGER_MAX).expect("the bound is small") + 10;
    view.take_removed((0..count).map(|id| removed(id, NOW, NOW + i64::from(id))), 5);
    assert_eq!(view.ledger.len(), LEDGER_MAX);
    assert_eq!(view.ledger_dropped, 15);
    assert_eq!(view.ledger[0].id, Bson::Int32(count - 1), "newest first");
    let (median, _, max) = view.lag_ms().expect("something was removed");
    assert!(median < max);
}

#[test]
fn totals_name_their_reasons_most_first() {
    let mut view = ExpiryView::default();
    view.take_reasons(&doc! {
        "total": 13_i64, "damaged": 3_i64, "overdueNow": 2_i64, "nextHour": 1_i64, "nextDay": 1_i64,
        "never": { "text": 1_i64, "fieldMissing": 3, "null": 0 },
    }, NOW);
    let totals = view.totals.expect("totals are there");
    let found = [totals.overdue, totals.waiting, totals.never];
    assert_eq!(found, [2, 4, 4].map(DocCount::Exact));
    assert_eq!(totals.damaged, 3);
    assert_eq!(
        totals.reasons,
        [("fieldMissing".to_owned(), 3.into()), ("text".to_owned(), 1.into())]
    );
}

fn range(from_ms: i64, to_ms: i64) -> Brush {
    Brush { from_ms, to_ms }
}

fn listed(view: &ExpiryView) -> Vec<i32> {
    let rows = view.rows(NOW).into_iter();
    let lanes = rows.filter_map(|row| match row {
        Row::Lane(lane) => lane.id.as_i32(),
        _ => None,
    });
    lanes.collect()
}

#[test]
fn a_range_lists_what_the_store_has_in_it() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 5), (2, NOW + 15)]), NOW);
    view.density =
        Density { from_ms: NOW, to_ms: NOW + 40, counts: vec![1, 1, 1, 7], is_exact: true };
    view.brush = Some(view.on_slices(range(NOW + 12, NOW + 21)));
    assert_eq!(view.brush, Some(range(NOW + 10, NOW + 30)));
    assert!(view.awaits_range());
    let exactly = |documents| Some(InRange { documents, is_exact: true });
    assert_eq!((listed(&view), view.in_range()), (vec![2], exactly(2)), "as the slices say");
    let command = view.expiring_command("c");
    let before = ExpiryView::default().expiring_command("c");
    view.take_expiring(&before, &batch(&[(9, NOW + 11)]), NOW);
    assert_eq!(listed(&view), [2], "an answer about another range");
    view.hold(true, NOW);
    view.take_expiring(&command, &batch(&[(2, NOW + 15), (3, NOW + 25), (4, NOW + 26)]), NOW);
    assert_eq!((listed(&view), view.in_range()), (vec![2, 3, 4], exactly(3)));
    assert!(!view.awaits_range() && view.first_of_range().is_none());
    view.brush = None;
    view.take_expiring(&before, &batch(&[(1, NOW + 5), (2, NOW + 15)]), NOW);
    assert_eq!(listed(&view), [1, 2]);
}

#[test]
fn the_count_of_a_range_is_exact_or_says_that_it_is_not() {
    let mut view = ExpiryView { brush: Some(range(NOW, NOW + 100)), ..ExpiryView::default() };
    let (list, count) = (view.expiring_command("c"), view.range_command("c").expect("a range"));
    let mut found = batch(&[(1, NOW + 5), (2, NOW + 15)]);
    found.insert("next", doc! {"t": 1});
    view.take_expiring(&list, &found, NOW);
    assert_eq!(view.in_range(), Some(InRange { documents: 2, is_exact: false }));
    assert_eq!(view.first_of_range(), Some(2));
    view.take_range(&count, &doc! {"counts": [700_i64], "exact": false});
    assert_eq!(view.in_range(), Some(InRange { documents: 2, is_exact: false }), "too many");
    view.take_range(&count, &doc! {"counts": [500_i64], "exact": true});
    assert_eq!(view.in_range(), Some(InRange { documents: 500, is_exact: true }));
    view.brush = Some(range(NOW, NOW + 10));
    assert_eq!(view.in_range(), Some(InRange { documents: 1, is_exact: false }), "of another");
}

#[test]
fn a_document_that_becomes_overdue_is_counted_also_while_a_range_is_listed() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 2_000)]), NOW);
    view.axis.set_span_ms(365 * 86_400_000);
    view.brush = Some(range(NOW + 90_000, NOW + 99_000));
    view.take_expiring(&view.expiring_command("c"), &batch(&[]), NOW);
    view.ask_density(NOW);
    assert!(!view.is_density_stale(NOW + 1_500, 0));
    assert!(view.is_density_stale(NOW + 2_500, 0));
}

#[test]
fn a_slow_clock_narrows_the_axis_also_when_nothing_is_ahead() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 660_000)]), NOW);
    let before_ms = view.axis.span_ms();
    view.follow_rate(600.0, NOW);
    view.follow_rate(3_600.0, NOW);
    assert_eq!(view.axis.span_ms(), 12 * 3_600_000);
    view.follow_rate(0.001, NOW + 3_600_000);
    assert_eq!(view.axis.span_ms(), before_ms);
}

#[test]
fn hidden_indexes_are_left_out_of_every_question() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 1)]), NOW);
    view.take_removed([removed(9, NOW, NOW)], 0);
    view.show_only(vec!["at_1".into(), "c_1".into()]);
    assert!(view.shows("c_1") && !view.shows("b_1") && !view.loaded);
    let command = view.expiring_command("c");
    assert_eq!(command.get_array("index").map(Vec::len).ok(), Some(2));
    assert_eq!(view.forecast_command("c", NOW).get("index"), command.get("index"));
    assert!(view.is_about_shown(&command) && !view.is_about_shown(&doc! {}));
    assert_eq!(view.ledger.len(), 1);
    view.show_only(Vec::new());
    assert_eq!(view.expiring_command("c").get("index"), None);
}

#[test]
fn another_index_starts_anew_but_keeps_the_ledger() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 1)]), NOW);
    view.take_removed([removed(9, NOW, NOW)], 0);
    view.choose_index(Some("other".into()));
    assert!(view.lanes.is_empty() && !view.loaded);
    assert_eq!(view.ledger.len(), 1);
    assert_eq!(view.expiring_command("c").get_str("index").ok(), Some("other"));
}

#[test]
fn the_list_may_lack_the_chosen_document() {
    let mut view = ExpiryView::default();
    view.take_expiring(&doc! {}, &batch(&[(1, NOW + 5), (2, NOW + 15)]), NOW);
    view.take_removed([removed(9, NOW - 5, NOW)], 0);
    let check = |view: &mut ExpiryView, expected: [bool; 3]| {
        let lacks = [Mode::Timeline, Mode::Table, Mode::Removed].map(|mode| {
            view.mode = mode;
            view.lacks_selected()
        });
        assert_eq!(lacks, expected, "{:?}", view.selected);
    };
    check(&mut view, [false; 3]);
    view.selected = Some(Bson::Int32(1));
    check(&mut view, [false, false, true]);
    view.brush = Some(range(NOW + 10, NOW + 20));
    check(&mut view, [false, true, true]);
    view.selected = Some(Bson::Int32(2));
    check(&mut view, [false, false, true]);
    (view.selected, view.selected_removed_ms) = (Some(Bson::Int32(9)), Some(NOW));
    view.lanes.retain(|lane| lane.removed_ms.is_none());
    check(&mut view, [true, true, false]);
    view.selected = Some(Bson::Int32(5));
    check(&mut view, [false; 3]);
}

/// A view of a server's collection, counted at [`NOW`]: 300 documents wait, every 10 ms one more is
/// overdue, and the list has 100 that were overdue before. The count may lack some of them already.
fn counted_view(overdue: i64) -> ExpiryView {
    let mut view = ExpiryView::default();
    look(&mut view, 0, NOW);
    let totals = doc! {
        "at": bson::DateTime::from_millis(NOW), "overdue": overdue, "waiting": 300_i64, "never": 7_i64,
    };
    let reply = doc! { "counts": vec![0_i64; 2], "totals": totals };
    let command = view.forecast_command("c", NOW);
    view.ask_density(NOW);
    view.take_forecast(&command, &reply, NOW);
    view
}

/// Looks at a server that has removed the first `removed` of the overdue documents.
fn look(view: &mut ExpiryView, removed: i32, now_ms: i64) {
    let rows: Vec<(i32, i64)> =
        (removed..200).map(|id| (id, NOW + i64::from(id - 99) * 10)).collect();
    let mut page = batch(&rows);
    page.insert("next", doc! { "t": 1 });
    let command = view.expiring_command("c");
    view.take_missing(&command, &page, now_ms);
    view.take_expiring(&command, &page, now_ms);
}

fn figures(view: &ExpiryView, now_ms: i64) -> [u64; 2] {
    let totals = view.totals_now(now_ms).expect("they are counted");
    [totals.waiting, totals.overdue].map(|count| match count {
        DocCount::Exact(count) => count,
        other => panic!("{other:?}"),
    })
}

#[test]
fn what_waits_on_a_server_does_not_lack_what_was_removed() {
    for overdue in [100, 20] {
        let mut view = counted_view(overdue);
        assert_eq!(figures(&view, NOW), [300, 100]);
        assert_eq!(figures(&view, NOW + 50), [295, 105], "five thresholds have passed");
        look(&mut view, 80, NOW + 60);
        assert_eq!(figures(&view, NOW + 60), [294, 26]);
        look(&mut view, 104, NOW + 80);
        assert_eq!(figures(&view, NOW + 80), [292, 4], "four of them had passed since the count");
    }
}

#[test]
fn a_refused_count_of_a_server_changes_nothing() {
    let mut view = counted_view(100);
    look(&mut view, 80, NOW + 60);
    let before = figures(&view, NOW + 60);
    view.ask_density(NOW + 60);
    assert_eq!(figures(&view, NOW + 60), before, "while it is asked for");
}
