//! Watching on a terminal: a list that is redrawn several times a second.

use std::{
    collections::VecDeque,
    io::{self, Write},
    time::Duration,
};

use crossterm::{
    cursor, event,
    event::{Event, KeyCode, KeyModifiers},
    execute, queue,
    style::{Attribute, Print, SetAttribute},
    terminal,
};

use super::{
    Failure,
    limits::{REDRAW_INTERVAL, WATCH_EVENTS_MAX},
    watch::{Countdown, WatchedStore, time_left},
    watch_lines::{changes_catalog, lines},
};
use crate::{state::Zone, widgets::value_text::with_marks};

/// Lines next to the documents: the title and blank lines.
const FRAME_LINES: usize = 4;

/// The terminal in raw mode. Dropping it restores the terminal.
struct Screen;

impl Screen {
    fn open() -> io::Result<Self> {
        terminal::enable_raw_mode()?;
        let screen = Self;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A closed terminal can't be restored.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Redraws until a signal or a key ends it.
pub(super) fn run(store: &mut WatchedStore<'_>) -> Result<(), Failure> {
    let wrong = |error: io::Error| Failure(format!("Can't use the terminal: {error}."));
    let mut recent: VecDeque<String> = VecDeque::new();
    let _screen = Screen::open().map_err(wrong)?;
    while !store.shutdown.is_requested() {
        let events: Vec<_> = store.events.try_iter().collect();
        if events.iter().any(changes_catalog) {
            store.list_namespaces()?;
        }
        recent.extend(events.iter().flat_map(|event| lines(store, event)));
        while recent.len() > WATCH_EVENTS_MAX {
            recent.pop_front();
        }
        let (documents, now_ms) = (store.next_to_expire()?, store.now_ms()?);
        draw(&mut io::stdout().lock(), &documents, &recent, now_ms).map_err(wrong)?;
        if is_quit_pressed(REDRAW_INTERVAL).map_err(wrong)? {
            break;
        }
    }
    Ok(())
}

/// Waits for a key: `q`, Escape or Ctrl+C quits.
fn is_quit_pressed(wait: Duration) -> io::Result<bool> {
    if !event::poll(wait)? {
        return Ok(false);
    }
    let Event::Key(key) = event::read()? else { return Ok(false) };
    let is_interrupt =
        key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    Ok(is_interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc))
}

fn draw(
    out: &mut impl Write,
    documents: &[Countdown],
    recent: &VecDeque<String>,
    now_ms: i64,
) -> io::Result<()> {
    let (width, height) = terminal::size()?;
    let rows = usize::from(height).saturating_sub(FRAME_LINES + recent.len());
    let width = usize::from(width);
    queue!(out, cursor::MoveTo(0, 0))?;
    let title = format!("Mayfly  {}  (press q to quit)", Zone::Utc.date_time(now_ms));
    put(out, &title, width, Attribute::Bold)?;
    put(out, "", width, Attribute::Reset)?;
    for document in documents.iter().take(rows) {
        let left_ms = document.threshold_ms.saturating_sub(now_ms);
        let line = format!(
            "{:>20}  {}  {}  {}  ({})",
            time_left(left_ms),
            Zone::Utc.date_time(document.threshold_ms),
            document.namespace,
            document.id,
            document.index
        );
        let look = if left_ms <= 0 { Attribute::Bold } else { Attribute::Reset };
        put(out, &line, width, look)?;
    }
    if documents.is_empty() {
        put(out, "No more documents to expire.", width, Attribute::Reset)?;
    }
    put(out, "", width, Attribute::Reset)?;
    for line in recent {
        put(out, line, width, Attribute::Dim)?;
    }
    queue!(out, terminal::Clear(terminal::ClearType::FromCursorDown))?;
    out.flush()
}

/// Writes one line, cut at the terminal's width. Characters of the data never reach the terminal as
/// commands.
fn put(out: &mut impl Write, text: &str, width: usize, look: Attribute) -> io::Result<()> {
    let cut: String = with_marks(text).chars().take(width).collect();
    queue!(
        out,
        SetAttribute(look),
        Print(cut),
        SetAttribute(Attribute::Reset),
        terminal::Clear(terminal::ClearType::UntilNewLine),
        Print("\r\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_commanded_by_data() {
        let mut out = Vec::new();
        put(&mut out, "a\u{1b}[2Jb\u{202e}c 王小明", 80, Attribute::Reset).unwrap();
        let written = String::from_utf8(out).unwrap();
        assert!(written.contains(r"a\u{1b}[2Jb\u{202e}c 王小明"), "{written:?}");
        assert!(!written.contains(['\u{202e}']) && !written.contains("\u{1b}[2J"), "{written:?}");
    }
}
