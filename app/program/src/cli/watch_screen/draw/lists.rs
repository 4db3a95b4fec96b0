//! The list of collections and the list of keys.

use ratatui::{buffer::Buffer, layout::Rect};

use super::pen::{Pen, title};
use crate::{
    cli::watch_screen::{
        chooser::{ALL, Chooser},
        keys::KEYS,
        view::WatchView,
    },
    job::Namespace,
    state::number::count,
    theme::terminal::TerminalColors,
};

/// The width of a number of documents.
const COUNT: u16 = 16;

/// The width of the names of keys.
const KEY: u16 = 12;

/// The legend of marks and colors.
const LEGEND: [(&str, &str); 4] = [
    ("█", "waiting"),
    ("* █", "expires within 10 s"),
    ("! ▒", "overdue, not yet removed"),
    ("x ─", "just removed, with its lag"),
];

pub(super) fn collections(
    buffer: &mut Buffer,
    area: Rect,
    view: &WatchView,
    chooser: &Chooser,
    ink: &TerminalColors,
) {
    let typed = format!(": {}▏", chooser.typed);
    let parts = [("Choose a collection", ink.strong), (typed.as_str(), ink.text)];
    title(buffer, area, &parts, ink.dim);
    let lines = chooser.lines(view);
    if lines.is_empty() {
        Pen::new(buffer, area, 1).skip(2).write("No collection has this in its name", ink.dim);
    }
    let rows = usize::from(area.height.saturating_sub(1));
    let first = chooser.at.saturating_sub(rows.saturating_sub(1));
    for (line, (at, namespace)) in (1..).zip(lines.into_iter().enumerate().skip(first).take(rows)) {
        let is_marked = at == chooser.at;
        let style = if is_marked { ink.chosen } else { ink.text };
        // The number of a server is of its statistics.
        let about = if view.watched.connection.is_some() { "about " } else { "" };
        let documents = documents(view, namespace).map(|of| format!("{about}{}", count(of)));
        let documents = documents.unwrap_or_default();
        let name = namespace.map_or_else(|| ALL.to_owned(), ToString::to_string);
        let mut pen = Pen::new(buffer, area, line);
        pen.column(if is_marked { ">" } else { " " }, 2, ink.strong);
        pen.right(&documents, COUNT, ink.dim).write(&name, style);
    }
}

/// How many documents a line of the list is about.
fn documents(view: &WatchView, namespace: Option<&Namespace>) -> Option<u64> {
    let known = |of: &Namespace| view.counts.iter().find(|(it, _)| it == of)?.1;
    match namespace {
        Some(namespace) => known(namespace),
        None if view.counts.is_empty() => None,
        None => Some(view.counts.iter().filter_map(|(_, count)| *count).sum()),
    }
}

/// Draws the keys and the legend, from a line on.
pub(super) fn keys(buffer: &mut Buffer, area: Rect, top: usize, ink: &TerminalColors) {
    title(buffer, area, &[("Keys", ink.strong)], ink.dim);
    let styles = [ink.waiting, ink.soon, ink.overdue, ink.removed];
    let keys = KEYS.iter().map(|(key, words)| (*key, *words, ink.strong));
    let legend = LEGEND.iter().zip(styles).map(|((mark, words), style)| (*mark, *words, style));
    for (line, (key, words, style)) in (1..).zip(keys.chain(legend).skip(top)) {
        if line >= area.height {
            return;
        }
        let mut pen = Pen::new(buffer, area, line);
        pen.skip(2).column(key, KEY, style).write(words, ink.text);
    }
}
