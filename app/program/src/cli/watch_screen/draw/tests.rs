//! The screen, cell by cell.

use std::time::Duration;

use bson::{Bson, oid::ObjectId};
use ratatui::{
    Terminal,
    backend::TestBackend,
    style::{Color, Modifier},
};

use super::{
    samples::{NOW_MS, cells, lines, removed, view},
    ui,
};
use crate::{
    cli::watch_screen::{
        chooser::Chooser,
        label::label,
        layout::{Columns, MARK},
        view::{Lane, Page, RunningPass, WatchView},
    },
    job::Namespace,
    state::{clock::Mode, reaper::Held},
    theme::terminal::{Depth, TerminalColors},
};

fn check(view: &WatchView, expected: &str) {
    let found = lines(view).join("\n");
    assert_eq!(found, expected.trim_matches('\n'), "\n{found}");
}

fn buried(id: &str, view: &WatchView) -> Lane {
    Lane { noticed: view.uptime, ..removed(id, NOW_MS - 12_200, NOW_MS - 9_000) }
}

#[test]
fn everything_has_its_place_at_80_by_24() {
    let mut view = view(80, 24);
    view.tombstones.push_back(buried("e-0", &view));
    check(
        &view,
        "
Mayfly  2026-01-01 12:00:00 UTC  real clock  my store
TTL monitor: every 60 s · next pass in 00:51
── Expiring next · full bar 60 s · all collections ─────────────────────────────
         time left               expires at index    collection   _id
x   removed +3.2 s ───────────── 11:59:47   expireA… demo.events  e-0
!   overdue +00:09 ▒▒··········· 11:59:51   expireA… demo.events  e-1
!   overdue +00:00 ▒············ 12:00:00   expireA… demo.events  e-2
*            00:04 ▉············ 12:00:04   expireA… demo.events  e-3
             00:45 █████████▊··· 12:00:45   expireA… demo.events  e-4
               1 d ████████████» 2026-01-02 expireA… demo.events  e-5


── Passes ──────────────────────────────────────────────────────────────────────
       7 11:59:51 2 removed in 1 ms


── Ledger · 2 removed · follows ────────────────────────────────────────────────
11:59:51   28.4 s lag  _ts_1         shop.carts         c-1
11:59:51   950 ms lag  _ts_1         shop.carts         c-2




? keys  q quit  c collection  r run pass  +- bars  ↑↓ ledger  f follow",
    );
}

#[test]
fn passes_are_beside_the_ledger_at_120_by_40() {
    let mut view = view(120, 40);
    view.running = Some(RunningPass { number: 8, started_ms: NOW_MS });
    let found = lines(&view);
    assert_eq!(found[2].find("Expiring next"), Some("── ".len()), "{found:#?}");
    // The ledger begins in cell 46.
    for (line, left, right) in [
        (27, "── Passes ─────", "── Ledger · 2 removed · follows ────"),
        (
            28,
            "       8 12:00:00 running…",
            "11:59:51   28.4 s lag  _ts_1       shop.carts       c-1",
        ),
        (
            29,
            "       7 11:59:51 2 removed in 1 ms",
            "11:59:51   950 ms lag  _ts_1       shop.carts       c-2",
        ),
    ] {
        let cell = found[line].char_indices().nth(46).map_or(0, |(at, _)| at);
        let (passes, ledger) = found[line].split_at(cell);
        assert!(passes.starts_with(left) && ledger.starts_with(right), "{:?}", found[line]);
    }
}

#[test]
fn what_matters_most_is_left_at_40_by_10() {
    let mut view = view(40, 10);
    view.tombstones.push_back(buried("e-0", &view));
    check(
        &view,
        "
Mayfly  12:00:00  real clock  my store
every 60 s · next pass in 00:51
── Next · full bar 60 s · all collectio…
x    +3.2 s ──────── e-0
!    +00:09 ▒▒······ e-1
!    +00:00 ▒······· e-2
*     00:04 ▋······· e-3
── Ledger · 2 removed · follows ────────
11:59:51   950 ms lag  c-2
? keys  q quit  c collection  r run pass",
    );
}

#[test]
fn a_terminal_that_is_too_small_says_so_in_one_line() {
    let found = lines(&view(35, 24));
    assert_eq!(found[0], "Too small: enlarge to 36×8");
    assert!(found[1..].iter().all(String::is_empty), "{found:#?}");
    assert!(lines(&view(80, 7))[0].starts_with("Too small"));
    assert!(lines(&view(36, 8))[0].starts_with("Mayfly"));
}

#[test]
fn every_size_and_page_is_drawn() {
    let pages = [Page::Watch, Page::Choose(Chooser::default()), Page::Keys(0), Page::Keys(21)];
    for width in [0, 1, 2, 20, 35, 36, 37, 59, 60, 79, 99, 100, 101, 119, 120, 250] {
        for height in [0, 1, 2, 7, 8, 9, 12, 15, 16, 17, 24, 60] {
            for page in &pages {
                let mut view = view(width, height);
                view.tombstones.push_back(buried("e-0", &view));
                view.reaper.held = Some(Held { sentence: "Why. ".repeat(60), ..Held::default() });
                view.page = page.clone();
                let cells = cells(&view, Depth::Table).content.len();
                assert_eq!(cells, usize::from(width) * usize::from(height));
            }
        }
    }
}

#[test]
fn a_screen_that_just_got_smaller_is_drawn() {
    let mut view = view(120, 40);
    view.reaper.held = Some(Held { sentence: "Why. ".repeat(60), ..Held::default() });
    let mut terminal = Terminal::new(TestBackend::new(60, 12)).unwrap();
    let colors = TerminalColors::new(Depth::Table);
    terminal.draw(|frame| ui(frame, &view, &colors)).unwrap();
    assert_eq!(terminal.backend().buffer()[(0, 0)].symbol(), "M");
}

#[test]
fn characters_of_any_width_move_no_column_and_command_nothing() {
    let plain = cells(&view(100, 30), Depth::Table);
    let names = [
        "王小明 佐藤さくら 王小明 佐藤さくら",
        "👨\u{200d}👩\u{200d}👧 🇹🇷 👍🏽 ❤\u{fe0f}",
        "ليلى حداد 42 שלום",
        "a\u{1b}[2Jb\u{7}\r\n\t\u{202e}c",
        "e\u{301}e\u{301}\u{301}\u{301} क्षि ﾊﾞ",
    ];
    let mut wide = view(100, 30);
    for (lane, name) in wide.waiting.iter_mut().zip(names) {
        lane.document.id = Bson::String(name.to_owned());
        lane.label = label(&lane.document.id);
        lane.namespace = Namespace::new(name, name);
        lane.document.index = name.to_owned();
    }
    name_store(&mut wide, names[3]);
    let found = cells(&wide, Depth::Table);
    let columns = Columns::new(100, false);
    let data = MARK + columns.time + columns.bar + 1 + columns.threshold;
    for y in 3..9 {
        for x in 0..data {
            assert_eq!(found[(x, y)], plain[(x, y)], "line {y}, cell {x}");
        }
        // Each column begins where it begins on other lines, and the cell before it is empty.
        for x in [data, data + columns.index, data + columns.index + columns.namespace] {
            assert_eq!(found[(x - 1, y)].symbol(), " ", "line {y}, cell {x}");
            assert_ne!(found[(x, y)].symbol(), " ", "line {y}, cell {x}");
        }
    }
    let written: String = found.content.iter().map(ratatui::buffer::Cell::symbol).collect();
    let is_command = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!written.contains(is_command) && written.contains("a\\u{1b}[2Jb"), "{written}");
    assert!(!written.contains(['\u{200d}', '\u{fe0f}', '\u{1f3fd}', '\u{1f1f9}']), "{written}");
}

fn name_store(view: &mut WatchView, name: &str) {
    name.clone_into(&mut view.name);
}

/// The color and the mark of each lane.
fn marks(view: &WatchView, depth: Depth) -> Vec<(Option<Color>, String)> {
    let buffer = cells(view, depth);
    let line = |y| {
        let time: String = (0..19).map(|x| buffer[(x, y)].symbol().to_owned()).collect();
        let words = time.split_whitespace().collect::<Vec<_>>().join(" ");
        (buffer[(16, y)].style().fg.filter(|color| *color != Color::Reset), words)
    };
    (4..9).map(line).collect()
}

#[test]
fn colors_have_meanings_and_nothing_is_said_by_them_alone() {
    let mut view = view(80, 24);
    view.tombstones.push_back(buried("e-0", &view));
    let words = ["x removed +3.2 s", "! overdue +00:09", "! overdue +00:00", "* 00:04", "00:45"];
    let colors = [243, 130, 130, 100, 30].map(|index| Some(Color::Indexed(index)));
    let expected = |colors: [Option<Color>; 5]| -> Vec<(Option<Color>, String)> {
        colors.into_iter().zip(words.map(str::to_owned)).collect()
    };
    assert_eq!(marks(&view, Depth::Table), expected(colors));
    assert_eq!(marks(&view, Depth::Plain), expected([None; 5]));
    let plain = cells(&view, Depth::Plain);
    let is_plain =
        |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
    assert!(plain.content.iter().all(is_plain));
}

#[test]
fn a_tombstone_fades() {
    let mut view = view(80, 24);
    view.tombstones.push_back(buried("e-0", &view));
    let is_dim = |view: &WatchView| {
        cells(view, Depth::Table)[(0, 4)].style().add_modifier.contains(Modifier::DIM)
    };
    assert!(!is_dim(&view));
    view.tick(NOW_MS, view.uptime + Duration::from_secs(4));
    assert!(is_dim(&view));
}

#[test]
fn tombstones_leave_room_for_documents_that_wait() {
    let mut view = view(80, 24);
    for number in 0..50 {
        let lane = buried(&format!("gone-{number}"), &view);
        view.tombstones.push_back(lane);
    }
    let labels = |rows| -> Vec<String> {
        view.lanes(rows).into_iter().map(|lane| lane.label.clone()).collect()
    };
    assert_eq!(labels(4), ["gone-48", "gone-49", "e-1", "e-2"]);
    assert_eq!(labels(8)[2..5], ["gone-48", "gone-49", "e-1"].map(str::to_owned)[..3]);
    assert_eq!(labels(1), ["e-1"]);
    assert_eq!(labels(0), [] as [&str; 0]);
}

#[test]
fn the_head_says_which_clock_and_when_the_next_pass_is() {
    let mut view = view(80, 24);
    let mut check = |change: &mut dyn FnMut(&mut WatchView), expected: [&str; 2]| {
        change(&mut view);
        assert_eq!(lines(&view)[..2], expected);
    };
    check(
        &mut |_| {},
        [
            "Mayfly  2026-01-01 12:00:00 UTC  real clock  my store",
            "TTL monitor: every 60 s · next pass in 00:51",
        ],
    );
    let simulated = |rate, paused| {
        move |view: &mut WatchView| {
            view.clock.learn(Mode::Simulated { rate, paused }, NOW_MS, view.uptime);
        }
    };
    check(
        &mut |view| {
            simulated(60.0, true)(view);
            view.running = Some(RunningPass { number: 8, started_ms: NOW_MS });
        },
        [
            "Mayfly  2026-01-01 12:00:00 UTC  SIMULATED, paused  my store",
            "TTL monitor: every 60 s · pass 8 is running",
        ],
    );
    check(
        &mut |view| {
            simulated(60.0, false)(view);
            view.running = None;
            view.reaper.at_threshold = true;
            view.reaper.next_pass_ms = None;
        },
        [
            "Mayfly  2026-01-01 12:00:00 UTC  SIMULATED ×60  my store",
            "TTL monitor: on expiration · no pass is planned",
        ],
    );
    check(
        &mut |view| view.reaper.enabled = false,
        [
            "Mayfly  2026-01-01 12:00:00 UTC  SIMULATED ×60  my store",
            "TTL monitor is off; expired documents are kept",
        ],
    );
}

#[test]
fn a_hold_is_shown_with_its_reason() {
    let sentence = "The system clock jumped ahead by 3 days, so documents might expire too early.";
    let hold = |width, height| {
        let mut view = view(width, height);
        view.reaper.held = Some(Held { sentence: sentence.to_owned(), ..Held::default() });
        let found = lines(&view);
        let color = cells(&view, Depth::Table)[(0, 2)].style().fg;
        assert_eq!(color, Some(Color::Indexed(130)));
        found[2..4].to_vec()
    };
    assert_eq!(
        hold(80, 24),
        [
            "! Removals are on hold: The system clock jumped ahead by 3 days, so documents",
            "might expire too early.",
        ]
    );
    assert_eq!(hold(40, 10)[0], "! Removals are on hold: The system cloc…");
}

#[test]
fn a_ledger_that_is_scrolled_says_what_is_newer() {
    let mut view = view(80, 24);
    let rows = view.places().ledger_rows();
    view.ledger.missed(5);
    for _ in 0..9 {
        view.ledger.missed(1);
    }
    let title = |view: &WatchView| {
        let found = lines(view).into_iter().find(|line| line.contains("Ledger"));
        found.expect("a title").trim_end_matches('─').trim_end().to_owned()
    };
    assert_eq!(title(&view), "── Ledger · 2 removed · follows");
    view.ledger.scroll(-2, rows, None);
    assert_eq!(title(&view), "── Ledger · 2 removed · 2 newer below (f follows)");
}

#[test]
fn collections_are_listed_with_their_counts() {
    let mut view = view(80, 10);
    let namespaces = view.namespaces.clone();
    view.counts = namespaces.into_iter().zip([Some(3_000), Some(42), None]).collect();
    view.page = Page::Choose(Chooser { typed: String::new(), at: 2 });
    check(
        &view,
        "
Mayfly  2026-01-01 12:00:00 UTC  real clock  my store
TTL monitor: every 60 s · next pass in 00:51
── Choose a collection: ▏ ──────────────────────────────────────────────────────
            3,042 all collections
            3,000 demo.events
>              42 demo.sessions
                  shop.carts


Enter: choose  Esc: back  Type to narrow the list",
    );
    let marked = cells(&view, Depth::Plain)[(18, 5)].style().add_modifier;
    assert!(marked.contains(Modifier::REVERSED));
    view.page = Page::Choose(Chooser { typed: "shop".to_owned(), at: 0 });
    assert_eq!(lines(&view)[3], ">                 shop.carts");
    view.page = Page::Choose(Chooser { typed: "shops".to_owned(), at: 0 });
    assert_eq!(lines(&view)[3], "  No collection has this in its name");
}

#[test]
fn a_long_list_scrolls_with_its_mark() {
    let mut view = view(80, 8);
    view.namespaces = (0..50).map(|number| Namespace::new("d", format!("c{number}"))).collect();
    view.page = Page::Choose(Chooser { typed: String::new(), at: 50 });
    let found = lines(&view);
    assert!(found[6].starts_with('>') && found[6].ends_with("d.c49"), "{found:#?}");
}

#[test]
fn the_keys_and_what_marks_mean_are_listed() {
    let mut view = view(80, 40);
    view.page = Page::Keys(0);
    let found = lines(&view).join("\n");
    for words in ["run a pass now", "Ctrl+C", "expires within 10 s", "overdue, not yet removed"] {
        assert!(found.contains(words), "{words}: {found}");
    }
    view.size.height = 10;
    view.page = Page::Keys(19);
    assert!(lines(&view)[3].contains("expires within 10 s"), "{:#?}", lines(&view));
}

#[test]
fn the_last_line_asks_says_or_offers_keys() {
    let mut view = view(80, 24);
    let last = |view: &WatchView| lines(view).pop().unwrap_or_default();
    let hints = "? keys  q quit  c collection  r run pass  +- bars  ↑↓ ledger  f follow";
    assert_eq!(last(&view), hints);
    view.clock.learn(Mode::Simulated { rate: 1.0, paused: true }, NOW_MS, view.uptime);
    let hints = "? keys  q quit  c collection  r run pass  Space start  n next event  +- bars";
    assert_eq!(last(&view), hints);
    view.asks_pass = true;
    let question = "Remove 2 overdue documents now? y: run a pass, other keys: don't";
    assert_eq!(last(&view), question);
    view.asks_pass = false;
    view.complain("It is broken.");
    assert_eq!(last(&view), "It is broken.");
    view.tick(NOW_MS, view.uptime + Duration::from_mins(1));
    assert_eq!(last(&view), hints, "a message goes by itself");
}

#[test]
fn what_there_is_none_of_says_so() {
    let mut view = view(80, 24);
    view.waiting.clear();
    assert!(lines(&view)[4].contains("No more documents to expire."));
    view.has_read = false;
    assert!(lines(&view)[4].contains("Reading…"));
}

#[test]
fn an_object_id_shows_both_of_its_ends() {
    let mut view = view(80, 24);
    let id = ObjectId::parse_str("6b05b228764665c6126f40d2").unwrap();
    view.waiting[0].document.id = Bson::ObjectId(id);
    view.waiting[0].label = label(&view.waiting[0].document.id);
    let line = &lines(&view)[4];
    assert!(line.ends_with(" 6b05…6126f40d2"), "{line}");
}
