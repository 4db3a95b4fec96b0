//! Watching on a terminal: a list that is drawn anew several times a second.

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
    limits::{REDRAW, WATCH_EVENTS_MAX},
    watch::{Waiting, Watched, countdown, instant},
    watch_lines::lines,
};

/// Lines beside the documents: title, head, and a blank line before the events.
const FRAME_LINES: usize = 4;

/// Gives the terminal back whatever happens.
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
        // A terminal that is gone can't be given back.
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Draws until a signal or a key ends it.
pub(super) fn run(watched: &Watched<'_>) -> Result<(), Failure> {
    let wrong = |error: io::Error| Failure(format!("Can't use the terminal: {error}."));
    let events = watched.engine.subscribe();
    let mut recent: VecDeque<String> = VecDeque::new();
    let _screen = Screen::open().map_err(wrong)?;
    while !watched.shutdown.is_requested() {
        for event in events.try_iter() {
            recent.extend(lines(watched, &event));
        }
        while recent.len() > WATCH_EVENTS_MAX {
            recent.pop_front();
        }
        let soonest = watched.soonest()?;
        let now_ms = watched.engine.clock().now_ms();
        draw(&mut io::stdout().lock(), &soonest, &recent, now_ms).map_err(wrong)?;
        if wants_to_leave(REDRAW).map_err(wrong)? {
            break;
        }
    }
    Ok(())
}

/// Waits for a key; `q`, Escape and Ctrl+C leave.
fn wants_to_leave(wait: Duration) -> io::Result<bool> {
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
    soonest: &[Waiting],
    recent: &VecDeque<String>,
    now_ms: i64,
) -> io::Result<()> {
    let (width, height) = terminal::size()?;
    let room = usize::from(height).saturating_sub(FRAME_LINES + recent.len());
    let width = usize::from(width);
    queue!(out, cursor::MoveTo(0, 0))?;
    let title = format!("Mayfly  {}  (press q to quit)", instant(now_ms));
    put(out, &title, width, Attribute::Bold)?;
    put(out, "", width, Attribute::Reset)?;
    for waiting in soonest.iter().take(room) {
        let left_ms = waiting.threshold_ms.saturating_sub(now_ms);
        let line = format!(
            "{:>20}  {}  {}  {}  ({})",
            countdown(left_ms),
            instant(waiting.threshold_ms),
            waiting.namespace,
            waiting.id,
            waiting.index
        );
        let look = if left_ms <= 0 { Attribute::Bold } else { Attribute::Reset };
        put(out, &line, width, look)?;
    }
    if soonest.is_empty() {
        put(out, "No more documents to expire.", width, Attribute::Reset)?;
    }
    put(out, "", width, Attribute::Reset)?;
    for line in recent {
        put(out, line, width, Attribute::Dim)?;
    }
    queue!(out, terminal::Clear(terminal::ClearType::FromCursorDown))?;
    out.flush()
}

/// One line, cut at the terminal's width.
fn put(out: &mut impl Write, text: &str, width: usize, look: Attribute) -> io::Result<()> {
    let cut: String = text.chars().take(width).collect();
    queue!(
        out,
        SetAttribute(look),
        Print(cut),
        SetAttribute(Attribute::Reset),
        terminal::Clear(terminal::ClearType::UntilNewLine),
        Print("\r\n")
    )
}
