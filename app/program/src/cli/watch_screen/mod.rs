//! Watching on a terminal: a screen of lanes, passes and a ledger.
//!
//! [`view`] is what the screen shows, [`update`] and [`keys`] change it, [`draw`] makes cells of it.
//! This file is the loop around them.
//!
//! `mayfly watch` is the terminal's twin of the Expiry view (`cli/watch_screen/`), drawn with ratatui.
//! `view.rs` is what the screen shows; `update.rs` changes it by events and answers of the store, `keys.rs`
//! by keys, and `draw/` makes cells of it: none of them does input or output, so tests draw on ratatui's
//! `TestBackend`. `mod.rs` is the loop. It waits for an event, an answer, a key, a signal, or the next
//! instant at which something moves (`WatchView::next_change`), so an idle screen costs little. `asker.rs`
//! has the thread that asks the store: the documents are read again only after an event, and rest ten times
//! as long as the read took. Keys send the commands of `commands/`, as the window does.
//!
//! `watched_store.rs` keeps the documents in the window's own model, a `state::expiry::ExpiryView` for each
//! collection, and a server in its `state::connect::Connection`. So `mayfly watch --uri-env` decides as the
//! window does which documents are gone (`ExpiryView::take_look`), when the next pass may be
//! (`NextPass::sentence`) and whether the server is silent. A server reports nothing by itself: its documents
//! are read every `SERVER_POLL`, its collections and its clock once a minute. Change streams are not opened.
//!
//! Text from documents goes through `label::safe`, and is in the columns at the right, where a
//! character that a terminal draws wider than expected moves nothing. `terminal.rs` restores the terminal: on
//! every return, on a panic, and before a second signal ends the process. `theme/terminal.rs` has the colors.
//! Without a terminal, `cli/watch_lines.rs` prints lines.

mod asker;
mod chooser;
mod draw;
mod keys;
mod label;
mod layout;
mod ledger;
#[cfg(test)]
mod server_tests;
mod terminal;
mod update;
mod view;

use std::{
    io::{self, BufWriter, Stdout, stdout},
    sync::Arc,
    thread,
    time::Duration,
};

use crossbeam_channel::{Receiver, bounded, select};
use mayfly_engine::clock::{Clock as _, SystemClock};
use ratatui::{
    Terminal,
    backend::CrosstermBackend,
    crossterm::{event, event::Event as Input},
};

pub(super) use self::terminal::refusal;
use self::{
    asker::{Answer, Asker, Question},
    keys::Flow,
    layout::Size,
    terminal::{Screen, colors},
    view::WatchView,
};
use super::{
    Failure,
    limits::{FRAME_MIN, WATCH_INPUTS_MAX, WATCH_KEYS_MAX},
    watched_store::WatchedStore,
};
use crate::{job::Event as StoreEvent, theme::terminal::TerminalColors};

/// Where frames are drawn.
type Canvas = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// The longest wait for an input. Anything that changes by itself is sooner.
const WAIT_MAX: Duration = Duration::from_hours(1);

/// Shows the screen until a signal or a key ends it.
pub(super) fn run(store: WatchedStore) -> Result<(), Failure> {
    let wrong = |error: io::Error| Failure(format!("Can't use the terminal: {error}."));
    let WatchedStore { reader, shutdown, events, name, clock, watched, .. } = store;
    let has_traffic = reader.source.sample_data().is_some();
    let source = Arc::clone(&reader.source);
    let asker = Asker::start(reader)?;
    let (wake, signals) = bounded(1);
    shutdown.wake_with(move || {
        // A full channel already holds a request.
        let _ = wake.try_send(());
    });
    let screen = Screen::open(&shutdown).map_err(wrong)?;
    let backend = CrosstermBackend::new(BufWriter::new(stdout()));
    let mut canvas = Terminal::new(backend).map_err(wrong)?;
    let size = canvas.size().map_err(wrong)?;
    let size = Size { width: size.width, height: size.height };
    let mut watch = Loop {
        view: WatchView::new(name, &clock, watched, size, has_traffic),
        ink: colors(),
        asker,
        inputs: inputs()?,
        events,
        signals,
        started: SystemClock.monotonic(),
        drawn: None,
    };
    let mut shown = Ok(true);
    while shown.as_ref().is_ok_and(|is_open| *is_open) && !shutdown.is_requested() {
        shown = watch.turn(&mut canvas);
    }
    shutdown.wake_with(|| {});
    // Before a command under way is waited for. A server that is silent ends none.
    drop(screen);
    source.leave();
    shown.map(|_| ()).map_err(wrong)
}

/// Keys and changes of the size. The thread waits for the next one until the process ends.
fn inputs() -> Result<Receiver<Input>, Failure> {
    let (sender, receiver) = bounded(WATCH_KEYS_MAX);
    thread::Builder::new()
        .name("watch-keys".to_owned())
        .spawn(move || while event::read().is_ok_and(|input| sender.send(input).is_ok()) {})
        .map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
    Ok(receiver)
}

/// The cause that ended a wait.
enum Woken {
    Event(StoreEvent),
    Answer(Answer),
    Input(Input),
    /// Time, or a signal.
    Time,
}

/// The view, and what changes it.
struct Loop {
    view: WatchView,
    ink: TerminalColors,
    asker: Asker,
    inputs: Receiver<Input>,
    events: Receiver<StoreEvent>,
    signals: Receiver<()>,
    started: Duration,
    /// The uptime of the last frame.
    drawn: Option<Duration>,
}

impl Loop {
    /// Draws, waits for what comes next and takes it; `false`: it is over.
    fn turn(&mut self, canvas: &mut Canvas) -> io::Result<bool> {
        let wait = self.frame(canvas)?;
        let woken = select! {
            recv(self.events) -> event => event.map(Woken::Event),
            recv(self.asker.answers) -> answer => answer.map(Woken::Answer),
            recv(self.inputs) -> input => input.map(Woken::Input),
            recv(self.signals) -> _ => Ok(Woken::Time),
            default(wait) => Ok(Woken::Time),
        };
        // The event that was taken happened now, and not before the wait.
        self.tick();
        // A channel ends with the terminal or with the store.
        let Ok(woken) = woken else { return Ok(false) };
        match woken {
            Woken::Event(event) => update::event(&mut self.view, event),
            Woken::Answer(answer) => update::answer(&mut self.view, answer),
            Woken::Input(input) => return self.input(&input, canvas),
            Woken::Time => {}
        }
        for event in self.events.try_iter().take(WATCH_INPUTS_MAX) {
            update::event(&mut self.view, event);
        }
        Ok(true)
    }

    /// Sets the time of the view.
    fn tick(&mut self) {
        let uptime = SystemClock.monotonic().saturating_sub(self.started);
        self.view.tick(SystemClock.now_ms(), uptime);
    }

    /// Asks what is to be asked and draws, unless the last frame was just drawn. Returns how long to
    /// wait for an input.
    fn frame(&mut self, canvas: &mut Canvas) -> io::Result<Duration> {
        self.tick();
        for question in self.view.questions() {
            if let Err(question) = self.asker.ask(question) {
                self.refused(&question);
            }
        }
        let age = self.drawn.map(|drawn| self.view.uptime.saturating_sub(drawn));
        if let Some(age) = age.filter(|age| *age < FRAME_MIN) {
            return Ok(FRAME_MIN.saturating_sub(age));
        }
        let (view, ink) = (&mut self.view, &self.ink);
        canvas.draw(|frame| {
            // Known here before the event that says so.
            let area = frame.area();
            view.size = Size { width: area.width, height: area.height };
            draw::ui(frame, view, ink);
        })?;
        self.drawn = Some(self.view.uptime);
        Ok(self.view.next_change().unwrap_or(WAIT_MAX).max(FRAME_MIN))
    }

    /// Too much waits for the store.
    fn refused(&mut self, question: &Question) {
        if let Question::Command(..) | Question::Count(_) = question {
            self.view.complain("The store is busy; press the key again later");
        }
        self.view.refused(question);
    }

    /// Handles an input; `false` quits.
    fn input(&mut self, input: &Input, canvas: &mut Canvas) -> io::Result<bool> {
        match input {
            Input::Resize(width, height) => {
                self.view.size = Size { width: *width, height: *height };
            }
            Input::Key(key) => match keys::press(&mut self.view, *key) {
                Flow::Quit => return Ok(false),
                Flow::Repaint => canvas.clear()?,
                Flow::Continue => {}
            },
            _ => {}
        }
        Ok(true)
    }
}
