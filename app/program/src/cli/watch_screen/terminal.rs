//! The terminal while the screen is shown, and how it gets back to what it was.

use std::{
    env,
    io::{self, IsTerminal as _, stdout},
    panic,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};

use crossbeam_channel::bounded;
use ratatui::crossterm::{
    cursor, execute,
    terminal::{
        DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
        disable_raw_mode, enable_raw_mode,
    },
};

use crate::{
    cli::limits::RESTORE_MAX,
    shutdown::ShutdownSignal,
    theme::terminal::{Depth, TerminalColors},
};

/// Whether the terminal has to be restored.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Reports of other threads that could not be printed then.
static REPORTS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Why the terminal can't show a screen, if it can't.
pub(in crate::cli) fn refusal() -> Option<String> {
    let term = env::var("TERM").unwrap_or_default();
    let is_dumb = term == "dumb" || cfg!(unix) && term.is_empty();
    is_dumb.then(|| {
        "This terminal can't show a screen (TERM is dumb or not set); printing lines instead."
            .to_owned()
    })
}

pub(super) fn colors() -> TerminalColors {
    let [term, colorterm, no_color] =
        ["TERM", "COLORTERM", "NO_COLOR"].map(|name| env::var(name).unwrap_or_default());
    TerminalColors::new(Depth::of(&term, &colorterm, &no_color))
}

/// The terminal in raw mode on its alternate screen. Dropping it restores the terminal.
pub(super) struct Screen {
    shutdown: ShutdownSignal,
}

impl Screen {
    /// Opens the screen. A panic and a second signal restore the terminal too.
    pub(super) fn open(shutdown: &ShutdownSignal) -> io::Result<Self> {
        enable_raw_mode()?;
        IS_OPEN.store(true, SeqCst);
        let screen = Self { shutdown: shutdown.clone() };
        screen.shutdown.before_exit(restore_within_bounds);
        hook_panics();
        // A character that is wider than expected must not begin another line.
        execute!(stdout(), EnterAlternateScreen, DisableLineWrap, cursor::Hide)?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.shutdown.before_exit(|| {});
        restore();
        if !thread::panicking() {
            // Leaves the standard hook: the program has no other one.
            let _ = panic::take_hook();
        }
        let reports = std::mem::take(&mut *REPORTS.lock().unwrap_or_else(PoisonError::into_inner));
        for report in reports {
            eprintln!("{report}");
        }
    }
}

/// Restores the terminal, once.
fn restore() {
    if !IS_OPEN.swap(false, SeqCst) {
        return;
    }
    // A closed terminal can't be restored.
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), EnableLineWrap, cursor::Show, LeaveAlternateScreen);
}

/// As [`restore`], also if the terminal takes no output: then without the rest.
fn restore_within_bounds() {
    let (done, wait) = bounded::<()>(1);
    let work = move || {
        restore();
        drop(done);
    };
    if thread::Builder::new().spawn(work).is_ok() {
        let _ = wait.recv_timeout(RESTORE_MAX);
    }
}

/// A panic of this thread restores the terminal before it is reported.
fn hook_panics() {
    let (previous, screen_thread) = (panic::take_hook(), thread::current().id());
    panic::set_hook(Box::new(move |info| {
        // The screen stays, so the panic of another thread is reported once the terminal is
        // restored.
        if IS_OPEN.load(SeqCst) && thread::current().id() != screen_thread {
            // Standard error may be a file, which has room for it.
            if !io::stderr().is_terminal() {
                previous(info);
                return;
            }
            let name = thread::current().name().unwrap_or("unnamed").to_owned();
            let mut reports = REPORTS.lock().unwrap_or_else(PoisonError::into_inner);
            reports.push(format!("Thread {name}: {info}"));
            return;
        }
        restore();
        previous(info);
    }));
}
