//! Removed documents with their lag, the newest last.

use ratatui::{buffer::Buffer, layout::Rect};

use super::pen::{Pen, title};
use crate::{
    cli::watch_screen::{
        ledger::Entry,
        view::{Lane, WatchView},
    },
    state::{Zone, number::count},
    theme::terminal::TerminalColors,
};

/// The width of an instant.
const TIME: u16 = 9;

/// The width of a lag with its word.
const LAG: u16 = 13;

/// With less room only the `_id` is shown.
const LABEL_ONLY: u16 = 30;

/// Draws the ledger under its title.
pub(super) fn ui(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    let rows = view.places().ledger_rows();
    let (ledger, chosen) = (&view.ledger, view.chosen.as_ref());
    // No server says why a document is gone.
    let is_server = view.watched.connection.is_some();
    let gone = if is_server { "gone" } else { "removed" };
    let total = format!(" · {} {gone}", count(ledger.total(chosen)));
    let place = if ledger.follows() {
        " · follows".to_owned()
    } else {
        let (_, below) = ledger.hidden(rows, chosen);
        format!(" · {} newer below (f follows)", count(below as u64))
    };
    let parts = [("Ledger", ink.strong), (total.as_str(), ink.text), (place.as_str(), ink.dim)];
    title(buffer, area, &parts, ink.dim);
    let lines = ledger.visible(rows, chosen);
    if lines.is_empty() && rows > 0 {
        let words = "Removed documents are listed here";
        Pen::new(buffer, area, 1).skip(2).write(words, ink.dim);
    }
    for (line, entry) in (1..).zip(lines) {
        entry_ui(&mut Pen::new(buffer, area, line), entry, ink);
    }
}

fn entry_ui(pen: &mut Pen<'_>, entry: &Entry, ink: &TerminalColors) {
    match entry {
        Entry::Removed(Lane { namespace, label, document, .. }) => {
            let removed_ms = document.removed_ms.unwrap_or(document.threshold_ms);
            pen.column(&Zone::Utc.time_of_day(removed_ms), TIME, ink.dim);
            let lag = format!("{} lag", document.lag_figure());
            pen.right(&lag, LAG, ink.text).skip(1);
            let rest = pen.room();
            if rest >= LABEL_ONLY {
                pen.column(&document.index, rest / 4, ink.dim);
                pen.column(&namespace.to_string(), rest / 3, ink.text);
            }
            pen.write(label, ink.text);
        }
        Entry::More { count: more, .. } => {
            pen.skip(TIME).write(&format!("and {} more", count(*more)), ink.dim);
        }
        Entry::Missed(events) => {
            let words = format!("{} events came too fast to be listed", count(*events));
            pen.skip(TIME).write(&words, ink.overdue);
        }
    }
}
