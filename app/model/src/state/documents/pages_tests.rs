use bson::doc;

use super::*;
use crate::limits::JSON_LINES_MAX;

fn rows(range: Range<i64>) -> Vec<Row> {
    range.map(|id| Row::new(doc! {"_id": id}, None)).collect()
}

fn taken(total: u64) -> Pages {
    let mut pages = Pages::default();
    pages.begin_run();
    pages.set_total(total);
    pages
}

#[test]
fn a_million_rows_need_a_page() {
    let mut pages = taken(1_000_000);
    assert_eq!(pages.len(), 1_000_000);
    pages.want(900_010..900_020);
    assert_eq!(pages.ask(), [(900_000, 50)]);
    assert_eq!(pages.ask(), []);
    pages.take(1, 900_000, rows(0..50), false);
    assert!(pages.row(900_049).is_some());
    assert!(pages.row(900_050).is_none());
    assert!(!pages.lacks(&(900_010..900_020)));
}

#[test]
fn scrolling_fast_asks_for_what_is_on_the_screen_in_the_end() {
    let mut pages = taken(1_000_000);
    for start in [0, 1_000, 2_000, 500_000] {
        pages.want(start..start + 10);
        pages.ask();
    }
    assert!(!pages.lacks(&(500_000..500_010)), "two pages are on their way");
    pages.take(1, 0, rows(0..50), false);
    assert_eq!(pages.ask(), [(500_000, 50)]);
}

#[test]
fn another_run_keeps_what_is_shown_until_it_is_replaced() {
    let mut pages = taken(60);
    pages.want(0..10);
    pages.ask();
    pages.take(1, 0, rows(0..50), false);
    let run = pages.begin_run();
    assert!(pages.row(3).is_some());
    assert_eq!(pages.ask(), [(0, 50)]);
    pages.take(1, 0, rows(100..150), false);
    assert_eq!(pages.row(0).map(|row| row.id.clone()), Some(Bson::Int64(0)), "an old answer");
    pages.take(run, 0, rows(200..250), false);
    assert_eq!(pages.row(0).map(|row| row.id.clone()), Some(Bson::Int64(200)));
}

#[test]
fn memory_is_bounded() {
    let mut pages = taken(1_000_000);
    for page in 0..(PAGES_MAX as u64 + 20) {
        let first = page * PAGE_DOCUMENTS;
        pages.want(first..first + 10);
        pages.ask();
        pages.take(1, first, rows(0..50), false);
    }
    assert_eq!(pages.kept.len(), PAGES_MAX);
    assert!(pages.row(0).is_none());
    assert!(pages.row((PAGES_MAX as u64 + 19) * PAGE_DOCUMENTS).is_some());
}

#[test]
fn a_short_page_ends_the_list() {
    let mut pages = Pages::default();
    pages.begin_run();
    pages.take(1, 0, rows(0..7), false);
    assert_eq!(pages.len(), 7);
    let mut none = Pages::default();
    none.begin_run();
    assert!(none.is_unknown());
    none.take(1, 0, Vec::new(), false);
    assert!(none.is_empty());
}

#[test]
fn a_full_reply_is_continued() {
    let mut pages = taken(100);
    pages.want(0..10);
    pages.ask();
    pages.take(1, 0, rows(0..12), true);
    assert_eq!(pages.ask(), [(12, 38)]);
    pages.take(1, 12, rows(12..50), false);
    assert_eq!(pages.row(49).map(|row| row.id.clone()), Some(Bson::Int64(49)));
    assert_eq!(pages.ask(), []);
}

#[test]
fn before_the_count_scrolling_can_go_on() {
    let mut pages = Pages::default();
    pages.begin_run();
    pages.take(1, 0, rows(0..50), false);
    assert_eq!(pages.len(), 100);
}

#[test]
fn long_documents_are_cut_in_the_list() {
    let short = Row::new(doc! {"_id": 1}, None);
    assert!(!short.json().shown(|_| false).1);
    let items: Vec<i32> = (0..100_000).collect();
    let long = Row::new(doc! {"_id": 1, "items": items}, None);
    let (lines, cut) = long.json().shown(|_| false);
    assert!(cut);
    assert!(lines.len() <= JSON_LINES_MAX);
    let (lines, cut) = long.json().shown(|_| true);
    assert!(cut && lines.len() == 4, "the items are folded, and not all are there: {lines:?}");
}

#[test]
fn a_count_of_more_than_can_be_read_leaves_no_rows_that_never_come() {
    let mut pages = taken(130);
    pages.want(90..130);
    assert_eq!(pages.ask(), [(50, 50), (100, 50)]);
    pages.take(1, 50, rows(50..100), false);
    assert_eq!(pages.len(), 130);
    pages.take(1, 100, rows(0..0), false);
    assert_eq!(pages.len(), 100, "nothing is behind an empty page");
    assert!(!pages.lacks(&(90..100)));
    // Of a run in which there is more again, nothing is known yet.
    pages.begin_run();
    assert_eq!(pages.len(), 130);
    // An empty page far after the end does not show where the end is.
    let mut pages = taken(60);
    pages.want(500..510);
    pages.take(1, 500, rows(0..0), false);
    assert_eq!(pages.len(), 60);
}
