//! The thread on which the console's scripts run. The runtime begins with the first input and ends
//! with the store.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use bson::Document;
use crossbeam_channel::{Receiver, Sender, bounded};
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::value::shell::write_command;

use super::outbox::Outbox;
use crate::job::reply::refusal;
use crate::job::{
    Cancel, Capabilities, ConsoleCompletion, ConsoleOutput, ConsoleQuestion, ConsoleRun,
    SentCommand,
};
use crate::limits::{CONSOLE_TEXT_BYTES_MAX, CONSOLE_TIME_MAX};
use crate::shell::watch::{self, ScriptWatch, Waited};
use crate::shell::{Output, Shell, ShellLimits};
use crate::source::{Events, Source};
use crate::worker::guarded::guarded;

/// Commands that read, or change only documents and collections. The store reports those changes as
/// events.
const DATA_COMMANDS: [&str; 22] = [
    "aggregate",
    "collStats",
    "count",
    "create",
    "createIndexes",
    "dbStats",
    "delete",
    "distinct",
    "drop",
    "dropIndexes",
    "explain",
    "find",
    "findAndModify",
    "getMore",
    "hello",
    "insert",
    "killCursors",
    "listCollections",
    "listDatabases",
    "listIndexes",
    "ping",
    "update",
];

const STOPPED: &str = "Stopped";

/// The thread, as its supervisor sees it.
pub(super) struct ScriptThread {
    requests: Sender<Request>,
    done: Receiver<()>,
    watch: Arc<ScriptWatch>,
}

impl ScriptThread {
    /// Starts it.
    ///
    /// # Errors
    /// As [`watch::spawn`].
    pub(super) fn start(outbox: &Arc<Outbox>) -> std::io::Result<Self> {
        let (requests, asked) = bounded(1);
        let (ended, done) = bounded(1);
        let outbox = Arc::clone(outbox);
        let work = move || serve(&asked, &ended, &outbox);
        let watch = watch::spawn("mayfly-console-script", work)?;
        Ok(Self { requests, done, watch })
    }

    /// Does what is asked, and waits until that is done.
    pub(super) fn perform(&self, request: Request) -> Waited<()> {
        if self.requests.send(request).is_err() {
            return Waited::Ended;
        }
        self.watch.wait_for(&self.done, || false)
    }
}

/// Does what is asked until the supervisor lets it go, and answers each request with `done`.
fn serve(requests: &Receiver<Request>, done: &Sender<()>, outbox: &Arc<Outbox>) {
    let watch = ScriptWatch::of_thread();
    let (mut source, mut shell) = (None, None);
    for request in requests {
        match request {
            Request::Attach(opened) => {
                shell = None;
                source = Some(opened);
            }
            Request::Detach => (shell, source) = (None, None),
            Request::Run(run) => {
                let performed = guarded(|| perform(&run, source.as_ref(), &mut shell, outbox));
                // The supervisor has answered, and another input may run.
                if watch.is_abandoned() {
                    return;
                }
                let failed = if let Ok(done) = performed {
                    done.err()
                } else {
                    shell = None;
                    Some(RESTARTED.to_owned())
                };
                if let Some(sentence) = failed {
                    outbox.push(run.number, ConsoleOutput::Failed(sentence));
                }
                let database = shell.as_ref().map_or(run.database, |made| made.shell.database());
                outbox.end(run.number, database);
            }
            Request::Complete(question) => {
                let answered = guarded(|| answer(question, source.as_ref(), &mut shell, outbox));
                if answered.is_err() {
                    shell = None;
                }
            }
        }
        if done.send(()).is_err() {
            return;
        }
    }
}

/// Answers a question about a word. A runtime that can't be made says so at the next input.
fn answer(
    question: ConsoleQuestion,
    source: Option<&Arc<dyn Source>>,
    shell: &mut Option<Printing>,
    outbox: &Arc<Outbox>,
) {
    let Ok(made) = made(&question.database, source, shell, outbox) else { return };
    let before = question.before;
    let found = made.shell.complete(&before, before.len());
    let start = found.first().map_or(before.len(), |first| first.start);
    let words = found.into_iter().map(|completion| completion.text).collect();
    outbox.complete(ConsoleCompletion { before, start, words });
}

/// The runtime; begins one that uses `database` if there is none.
fn made<'a>(
    database: &str,
    source: Option<&Arc<dyn Source>>,
    shell: &'a mut Option<Printing>,
    outbox: &Arc<Outbox>,
) -> Result<&'a mut Printing, String> {
    if shell.is_none() {
        let source = Arc::clone(source.ok_or(NO_STORE)?);
        let noted = Noted { source, outbox: Arc::clone(outbox) };
        let limits = ShellLimits { time: Some(CONSOLE_TIME_MAX), ..ShellLimits::default() };
        let made = Shell::new(Arc::new(noted), limits);
        let made = shell.insert(Printing::new(made.map_err(|error| error.to_string())?, outbox));
        made.shell.run_input(&format!("use {database}"), &Cancel::default(), &mut |_| ());
    }
    shell.as_mut().ok_or_else(|| NO_STORE.to_owned())
}

/// A runtime whose printed lines reach the outbox while an input runs.
struct Printing {
    shell: Shell,
    /// The number of the input.
    run: Rc<Cell<u64>>,
}

impl Printing {
    fn new(shell: Shell, outbox: &Arc<Outbox>) -> Self {
        let run = Rc::<Cell<u64>>::default();
        let (number, outbox) = (Rc::clone(&run), Arc::clone(outbox));
        shell.print_to(move |line| {
            outbox.push(number.get(), ConsoleOutput::Printed(cut(line)));
        });
        Self { shell, run }
    }
}

/// Runs an input in the runtime, which it makes if there is none.
fn perform(
    run: &ConsoleRun,
    source: Option<&Arc<dyn Source>>,
    shell: &mut Option<Printing>,
    outbox: &Arc<Outbox>,
) -> Result<(), String> {
    let Printing { shell, run: number } = made(&run.database, source, shell, outbox)?;
    number.set(run.number);
    let mut is_told = false;
    let is_done = shell.run_input(&run.text, &run.cancel, &mut |output| {
        let output = shown(output, &run.cancel);
        is_told |= matches!(output, ConsoleOutput::Note(_));
        outbox.push(run.number, output);
    });
    if !is_done && !is_told && run.cancel.is_cancelled() {
        outbox.push(run.number, ConsoleOutput::Note(STOPPED.to_owned()));
    }
    Ok(())
}

/// An output as the window keeps it.
fn shown(output: Output, cancel: &Cancel) -> ConsoleOutput {
    match output {
        Output::Printed(line) => ConsoleOutput::Printed(cut(line)),
        Output::Value { text, json } => {
            let json = if json.len() > CONSOLE_TEXT_BYTES_MAX { String::new() } else { json };
            ConsoleOutput::Value { text: cut(text), json }
        }
        // However the runtime words the interruption.
        Output::Failed(_) if cancel.is_cancelled() => ConsoleOutput::Note(STOPPED.to_owned()),
        Output::Failed(message) => ConsoleOutput::Failed(cut(message)),
    }
}

pub(super) fn cut(text: String) -> String {
    let bytes = text.len();
    if bytes <= CONSOLE_TEXT_BYTES_MAX {
        return text;
    }
    let end = (0..=CONSOLE_TEXT_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at));
    format!("{} … ({bytes} bytes in total)", &text[..end.unwrap_or(0)])
}

/// A store whose commands are listed in the Activity drawer.
struct Noted {
    source: Arc<dyn Source>,
    outbox: Arc<Outbox>,
}

impl Noted {
    fn note(&self, db: &str, command: &Document, run: impl FnOnce() -> Document) -> Document {
        let started = SystemClock.monotonic();
        let reply = run();
        let took = SystemClock.monotonic().saturating_sub(started);
        if command.keys().next().is_some_and(|name| !DATA_COMMANDS.contains(&name.as_str())) {
            self.outbox.set_more_than_data();
        }
        self.outbox.sent(|| SentCommand {
            text: write_command(db, command),
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            error: refusal(&reply),
        });
        reply
    }
}

impl Source for Noted {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.note(db, command, || self.source.run(db, command))
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        self.note(db, command, || self.source.run_until(db, command, cancel))
    }

    fn now_ms(&self) -> i64 {
        self.source.now_ms()
    }

    fn subscribe(&self) -> Events {
        self.source.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.source.capabilities()
    }
}

pub(super) const NO_STORE: &str = "No store is open yet";

pub(super) const RESTARTED: &str = "Internal error: the console starts over, and its variables are gone. \
                         See the console log for details";

pub(super) enum Request {
    /// Another store is open.
    Attach(Arc<dyn Source>),
    /// The store is about to be closed.
    Detach,
    Run(ConsoleRun),
    Complete(ConsoleQuestion),
}
