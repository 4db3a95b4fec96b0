//! Draws the view. Pure: the same view makes the same cells.

mod lanes;
mod ledger;
mod lists;
mod passes;
mod pen;
#[cfg(test)]
pub(super) mod samples;
#[cfg(test)]
mod tests;

use ratatui::{
    Frame,
    buffer::Buffer,
    layout::Rect,
    widgets::{Paragraph, Widget as _, Wrap},
};

use self::pen::Pen;
use super::{
    label::safe,
    layout::{NARROW, SIZE_MIN},
    view::{Page, WatchView},
};
use crate::{
    state::{Zone, clock::Mode, duration, number::counted},
    theme::terminal::TerminalColors,
};

/// From this width on, the head shows the date too.
const DATE_WIDTH: u16 = 64;

/// The keys that the last line offers, the most useful first.
const HINTS: [(&str, &str); 9] = [
    ("?", "keys"),
    ("q", "quit"),
    ("c", "collection"),
    ("r", "run pass"),
    ("Space", "pause"),
    ("n", "next event"),
    ("+-", "bars"),
    ("↑↓", "ledger"),
    ("f", "follow"),
];

/// Draws everything.
pub(super) fn ui(frame: &mut Frame<'_>, view: &WatchView, ink: &TerminalColors) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    let (width, height) = (SIZE_MIN.width, SIZE_MIN.height);
    if area.width < width || area.height < height {
        let words = format!("Too small: enlarge to {width}×{height}");
        Pen::new(buffer, area, 0).write(&words, ink.text);
        return;
    }
    let places = view.places();
    head(buffer, places.head, view, ink);
    monitor(buffer, places.monitor, view, ink);
    hold(buffer, places.hold, view, ink);
    match &view.page {
        Page::Watch => {
            lanes::ui(buffer, places.lanes, view, ink);
            passes::ui(buffer, places.passes, view, ink);
            ledger::ui(buffer, places.ledger, view, ink);
        }
        Page::Choose(chooser) => lists::collections(buffer, places.body, view, chooser, ink),
        Page::Keys(top) => lists::keys(buffer, places.body, *top, ink),
    }
    foot(buffer, places.foot, view, ink);
}

/// The clock and the store's name, which may hold any character and comes last.
fn head(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    let shown_ms = view.clock.shown_ms();
    let time = if area.width < DATE_WIDTH {
        Zone::Utc.time_of_day(shown_ms)
    } else {
        format!("{} UTC", Zone::Utc.date_time(shown_ms))
    };
    let is_server = view.watched.connection.is_some();
    let (clock, style) = match view.clock.mode() {
        Mode::Real if is_server => ("server, read-only".to_owned(), ink.dim),
        Mode::Real => ("real clock".to_owned(), ink.dim),
        Mode::Simulated { paused: true, .. } => ("SIMULATED, paused".to_owned(), ink.overdue),
        Mode::Simulated { rate, .. } => (format!("SIMULATED ×{rate}"), ink.overdue),
    };
    let mut pen = Pen::new(buffer, area, 0);
    pen.write("Mayfly", ink.strong).skip(2).write(&time, ink.text).skip(2);
    pen.write(&clock, style).skip(2).write(&view.name, ink.strong);
}

/// The TTL monitor: how often it runs, when it runs next, and whether it runs now.
fn monitor(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    let mut pen = Pen::new(buffer, area, 0);
    if let Some(connection) = &view.watched.connection {
        if let Some(silence) = view.watched.silence() {
            pen.write(&silence, ink.overdue);
            return;
        }
        let now_ms = view.clock.now_ms();
        let next = connection.monitor.next_pass(now_ms).sentence(now_ms, Zone::Utc);
        // The instant is last.
        let short = next.rsplit("; ").next().filter(|_| pen::cells(&next) > area.width);
        pen.write(short.unwrap_or(&next), ink.text);
        return;
    }
    let reaper = &view.reaper;
    if let Some(died) = &reaper.died {
        pen.write(died, ink.error);
        return;
    }
    if !reaper.enabled {
        pen.write("TTL monitor is off; expired documents are kept", ink.overdue);
        return;
    }
    let schedule = reaper.schedule().label().replace("Every", "every").replace("On", "on");
    if area.width >= NARROW {
        pen.write("TTL monitor: ", ink.dim);
    }
    pen.write(&schedule, ink.text);
    if let Some(running) = view.running {
        pen.write(&format!(" · pass {} is running", running.number), ink.busy);
    } else if let Some(next_ms) = reaper.next_pass_ms {
        let rest_ms = next_ms.saturating_sub(view.clock.now_ms());
        pen.write(" · next pass in ", ink.dim).write(&duration::countdown(rest_ms), ink.text);
    } else {
        pen.write(" · no pass is planned", ink.dim);
    }
    if view.traffic == Some(true) {
        pen.write(" · traffic", ink.dim);
    }
}

/// Why removals are on hold.
fn hold(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    let Some(held) = &view.reaper.held else { return };
    let due = match held.due() {
        0 => String::new(),
        due => format!(" ({})", counted(due, "document", "documents")),
    };
    let words = format!("! Removals are on hold{due}: {}", held.sentence);
    if area.height < 2 {
        Pen::new(buffer, area, 0).write(&words, ink.overdue);
        return;
    }
    Paragraph::new(safe(&words)).style(ink.overdue).wrap(Wrap { trim: true }).render(area, buffer);
}

/// A question, a message or the most useful keys.
fn foot(buffer: &mut Buffer, area: Rect, view: &WatchView, ink: &TerminalColors) {
    let mut pen = Pen::new(buffer, area, 0);
    if view.asks_pass {
        let overdue = counted(view.overdue() as u64, "overdue document", "overdue documents");
        let words = format!("Remove {overdue} now? y: run a pass, other keys: don't");
        pen.write(&words, ink.overdue);
        return;
    }
    if let Some(note) = &view.note {
        pen.write(&note.sentence, if note.is_error { ink.error } else { ink.strong });
        return;
    }
    match &view.page {
        Page::Watch => hints(&mut pen, view, ink),
        Page::Choose(_) => {
            pen.write("Enter: choose  Esc: back  Type to narrow the list", ink.dim);
        }
        Page::Keys(_) => {
            pen.write("Esc: back  ↑ ↓: scroll", ink.dim);
        }
    }
}

fn hints(pen: &mut Pen<'_>, view: &WatchView, ink: &TerminalColors) {
    for (key, words) in HINTS {
        let words = match (key, view.clock.mode()) {
            ("r", _) if view.watched.connection.is_some() => continue,
            ("Space" | "n", Mode::Real) => continue,
            ("Space", Mode::Simulated { paused: true, .. }) => "start",
            _ => words,
        };
        if pen.room() < pen::cells(key) + pen::cells(words) + 1 {
            return;
        }
        pen.write(key, ink.strong).write(" ", ink.dim).write(words, ink.dim).skip(2);
    }
}
