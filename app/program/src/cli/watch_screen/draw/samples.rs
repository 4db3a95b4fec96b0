//! A view for tests.

use std::time::Duration;

use bson::Bson;
use mayfly_engine::clock::{ClockMode, ClockStatus};
use ratatui::{Terminal, backend::TestBackend, buffer::Buffer};

use super::ui;

use crate::{
    cli::watch_screen::{
        layout::Size,
        view::{Lane, WatchView},
    },
    cli::watched_store::Watched,
    job::{Namespace, PassReport, RemovedDocument},
    theme::terminal::{Depth, TerminalColors},
};

/// 2026-01-01 12:00:00 UTC.
pub(in crate::cli::watch_screen) const NOW_MS: i64 = 1_767_268_800_000;

/// A document of `demo.events`.
pub(in crate::cli::watch_screen) fn lane(id: &str, threshold_ms: i64) -> Lane {
    let mut lane = removed(id, threshold_ms, threshold_ms);
    lane.document.removed_ms = None;
    lane
}

/// A removed document of `demo.events`.
pub(in crate::cli::watch_screen) fn removed(id: &str, threshold_ms: i64, removed_ms: i64) -> Lane {
    let document = RemovedDocument {
        namespace: Namespace::new("demo", "events"),
        index: "expireAt_1".to_owned(),
        id: Bson::String(id.to_owned()),
        threshold_ms,
        removable_ms: threshold_ms,
        base_ms: 0,
        removed_ms,
        bytes: 0,
        pass: 7,
    };
    Lane::new(document.namespace.clone(), (&document).into(), Duration::ZERO)
}

/// Two overdue documents, two that expire soon and one that waits long, on a real clock; a pass, and
/// two documents that it removed.
pub(in crate::cli::watch_screen) fn view(width: u16, height: u16) -> WatchView {
    let status = ClockStatus { now_ms: NOW_MS, mode: ClockMode::System, rate: 1.0, paused: false };
    let mut view = WatchView::new(
        "my store".to_owned(),
        &status,
        Watched::default(),
        Size { width, height },
        false,
    );
    view.tick(NOW_MS, Duration::from_secs(100));
    let names = [("demo", "events"), ("demo", "sessions"), ("shop", "carts")];
    view.namespaces = names.map(|(db, collection)| Namespace::new(db, collection)).to_vec();
    let at = [("e-1", -9_000), ("e-2", 0), ("e-3", 4_000), ("e-4", 45_000), ("e-5", 86_400_000)];
    view.waiting = at.map(|(id, left_ms)| lane(id, NOW_MS + left_ms)).to_vec();
    (view.has_read, view.has_scale) = (true, true);
    view.reaper.next_pass_ms = Some(NOW_MS + 51_000);
    view.reaper.pass_finished(PassReport {
        number: 7,
        finished_ms: NOW_MS - 9_000,
        deleted: 2,
        duration_micros: 1_400,
        ..PassReport::default()
    });
    let cart = |id: &str, lag_ms: i64| {
        let mut lane = removed(id, NOW_MS - 9_000 - lag_ms, NOW_MS - 9_000);
        lane.namespace = Namespace::new("shop", "carts");
        lane.document.index = "_ts_1".to_owned();
        lane
    };
    view.ledger.removed([cart("c-1", 28_400), cart("c-2", 950)], 0);
    view
}

pub(in crate::cli::watch_screen) fn cells(view: &WatchView, depth: Depth) -> Buffer {
    let backend = TestBackend::new(view.size.width, view.size.height);
    let mut terminal = Terminal::new(backend).unwrap();
    terminal.draw(|frame| ui(frame, view, &TerminalColors::new(depth))).unwrap();
    terminal.backend().buffer().clone()
}

/// The lines of the screen without the spaces at their ends.
pub(in crate::cli::watch_screen) fn lines(view: &WatchView) -> Vec<String> {
    let buffer = cells(view, Depth::Table);
    let width = usize::from(buffer.area.width.max(1));
    let line = |cells: &[ratatui::buffer::Cell]| {
        let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
        text.trim_end().to_owned()
    };
    buffer.content.chunks(width).map(line).collect()
}
