//! Numbers that don't fit where they are shown: they are never cut to smaller ones.

use std::fs;

use bson::{Document, doc};
use egui::{Shape, vec2};
use mayfly::action::{Action, TransferAction};

use super::support::{Window, at};

/// Longer than a cell. Both begin with the same digits, and end with others.
const IDS: [i64; 2] = [8_111_111_111_111_112_222, 8_111_111_111_111_102_222];

fn visits() -> Vec<Document> {
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0};
    let documents: Vec<Document> =
        (1..).zip(IDS).map(|(secs, id)| doc! {"_id": id, "at": at(secs)}).collect();
    vec![
        doc! {"createIndexes": "visits", "indexes": [index]},
        doc! {"insert": "visits", "documents": documents},
    ]
}

/// The texts of the last frame, and whether the edge of a view or of the window cuts each of them.
fn texts(window: &Window) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for clipped in &window.harness.output().shapes {
        let Shape::Text(shape) = &clipped.shape else { continue };
        let (place, clip) = (shape.visual_bounding_rect(), clipped.clip_rect);
        let is_cut = place.left() < clip.left() - 1.0 || place.right() > clip.right() + 1.0;
        if place.intersects(clip) {
            let rows = shape.galley.rows.iter().map(|row| row.text());
            found.push((rows.collect::<String>(), is_cut));
        }
    }
    found
}

/// Checks texts with the beginning of a number: each has its end too. Returns how many are cut at
/// their left.
fn check_numbers(window: &Window, begin: &str, end: &str) -> usize {
    let texts = texts(window);
    for (text, is_cut) in texts.iter().filter(|(text, _)| text.contains(begin)) {
        assert!(text.contains(end) && !is_cut, "{text:?}, cut by an edge: {is_cut}");
    }
    texts.iter().filter(|(text, is_cut)| text.starts_with('…') && !is_cut).count()
}

/// The same in windows of several widths, so that the edge comes to each column.
fn check_widths(window: &mut Window, begin: &str, end: &str) -> usize {
    let mut cut = 0;
    for width in (640..1_400).step_by(60) {
        #[expect(clippy::cast_precision_loss, reason = "a width in points")]
        window.harness.set_size(vec2(width as f32, 700.0));
        window.harness.run_steps(3);
        cut += check_numbers(window, begin, end);
    }
    cut
}

#[test]
fn numbers_of_the_expiry_view_are_cut_at_their_left() {
    let mut window = Window::open_view(&visits(), "Expiry");
    window.until_named("expires at");
    assert!(check_widths(&mut window, "8111", "2222") > 0);
    window.click("View: Table");
    window.until_named("Removal window");
    assert!(check_widths(&mut window, "8111", "2222") > 0);
    window.click("View: Removed");
    window.advance(4_000);
    window.click("Run pass");
    window.until_named("expiring, the latest after");
    assert!(check_widths(&mut window, "8111", "2222") > 0);
    // The lags.
    check_widths(&mut window, "1 h ", "");
}

#[test]
fn times_of_the_documents_table_are_cut_at_their_left() {
    let document = doc! {"_id": 1, "at": at(30 * 86_400 + 3_661)};
    let index = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": 0};
    let commands = [
        doc! {"createIndexes": "visits", "indexes": [index]},
        doc! {"insert": "visits", "documents": [document]},
    ];
    let mut window = Window::open_view(&commands, "Documents");
    window.until_named("Document 1");
    window.key(egui::Key::F4);
    window.until_named("Sort by at");
    assert!(
        texts(&window).iter().any(|(text, _)| text.contains("30 d 1 h")),
        "{:?}",
        texts(&window)
    );
    let mut cut = false;
    for width in 300..500 {
        #[expect(clippy::cast_precision_loss, reason = "a width in points")]
        window.harness.set_size(vec2(2.0 * width as f32, 700.0));
        window.harness.run_steps(1);
        check_numbers(&window, "30 d", "1 h");
        cut |= texts(&window).iter().any(|(text, _)| text.starts_with('…'));
    }
    assert!(cut, "the edge never came to it");
}

#[test]
fn numbers_of_an_import_are_cut_at_their_left() {
    let mut window = Window::open();
    let path = window.folder.path().join("prices.json");
    let number = "8111111111111111111111111111112222";
    fs::write(&path, format!("[{{\"n\": {{\"$numberDecimal\": \"{number}\"}}}}]")).expect("a file");
    window.ask(Action::Transfer(TransferAction::Import { files: vec![path], into: None }));
    window.until_named("Types");
    assert!(check_widths(&mut window, "8111", "2222") > 0);
}

#[test]
fn numbers_of_the_trash_are_cut_at_their_left() {
    let mut window = Window::open_view(&visits(), "Expiry");
    window.run("admin", &doc! {"setParameter": 1, "mayflyTrashSecs": 600});
    window.advance(20);
    window.run("admin", &doc! {"mayflyReap": 1});
    window.choose("Menu", "Recently removed…");
    window.until_named("In trash: 2 documents");
    assert!(check_widths(&mut window, "8111", "2222") > 0);
}
