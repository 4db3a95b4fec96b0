//! The thread of the console: one JavaScript runtime, which stays on it.
//!
//! The runtime begins with the first input and ends with the store. What it prints waits in an
//! [`Outbox`] that keeps the latest outputs, so that no loop of `print` fills the memory or makes
//! the window wait.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bson::Document;
use crossbeam_channel::{Receiver, Sender, bounded};
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::value::shell::write_command;

use super::guarded::guarded;
use super::job::Reply;
use super::pool::Wake;
use crate::job::{
    Cancel, Capabilities, ConsoleCompletion, ConsoleOutput, ConsoleQuestion, ConsoleReport,
    ConsoleRun, SentCommand,
};
use crate::limits::{
    CONSOLE_BYTES_MAX, CONSOLE_LINES_MAX, CONSOLE_SENT_MAX, CONSOLE_TEXT_BYTES_MAX,
    CONSOLE_THREAD_STACK, CONSOLE_TIME_MAX, EVENT_WAKE,
};
use crate::shell::{Output, Shell, ShellLimits};
use crate::source::{Events, Source};

/// Requests that may wait for the thread. The window sends an input only when the last one ended.
const REQUESTS_MAX: usize = 8;

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

const NO_STORE: &str = "No store is open yet";
const STOPPED: &str = "Stopped";
const RESTARTED: &str = "Internal error: the console starts over, and its variables are gone. \
                         See the console log for details";

enum Request {
    /// Another store is open.
    Attach(Arc<dyn Source>),
    /// The store is about to be closed.
    Detach,
    Run(ConsoleRun),
    Complete(ConsoleQuestion),
}

/// The thread of the console, as the other threads see it.
pub(super) struct Console {
    /// `None` once the window closes.
    requests: Mutex<Option<Sender<Request>>>,
    running: Mutex<Cancel>,
    outbox: Arc<Outbox>,
}

impl Console {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system refused it.
    pub(super) fn start(wake: Wake) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (sender, requests) = bounded(REQUESTS_MAX);
        let outbox = Arc::new(Outbox { waiting: Mutex::default(), wake });
        let thread = thread::Builder::new()
            .name("mayfly-console".to_owned())
            .stack_size(CONSOLE_THREAD_STACK)
            .spawn({
                let outbox = Arc::clone(&outbox);
                move || serve(&requests, &outbox)
            })?;
        let console =
            Self { requests: Mutex::new(Some(sender)), running: Mutex::default(), outbox };
        Ok((console, thread))
    }

    /// Runs an input. Never waits.
    pub(super) fn run(&self, run: ConsoleRun) {
        *lock(&self.running) = run.cancel.clone();
        let (number, database) = (run.number, run.database.clone());
        let sender = lock(&self.requests).clone();
        let is_taken = sender.is_some_and(|sender| sender.try_send(Request::Run(run)).is_ok());
        if !is_taken {
            self.outbox.push(number, ConsoleOutput::Failed("The console is busy".to_owned()));
            self.outbox.end(number, database);
        }
    }

    /// Asks what a word may become. Never waits; there is no answer while it is busy.
    pub(super) fn complete(&self, question: ConsoleQuestion) {
        let sender = lock(&self.requests).clone();
        // A full channel: the user asks again.
        let _ = sender.map(|sender| sender.try_send(Request::Complete(question)));
    }

    /// Stops what runs.
    pub(super) fn cancel(&self) {
        lock(&self.running).cancel();
    }

    /// Ends the runtime before its store is closed.
    pub(super) fn detach(&self) {
        self.cancel();
        self.send(Request::Detach);
    }

    /// The next input runs on this store.
    pub(super) fn attach(&self, source: Arc<dyn Source>) {
        self.send(Request::Attach(source));
    }

    /// Stops what runs and ends the thread.
    pub(super) fn close(&self) {
        self.cancel();
        lock(&self.requests).take();
    }

    fn send(&self, request: Request) {
        let sender = lock(&self.requests).clone();
        if let Some(sender) = sender {
            // It waits only while the thread ends a canceled input.
            let _ = sender.send(request);
        }
    }

    /// What waits for the window.
    pub(super) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// What happened since the last call.
    pub(super) fn take(&self) -> Option<ConsoleReport> {
        self.outbox.take()
    }

    /// Whether something happened since then.
    pub(super) fn has_report(&self) -> bool {
        self.outbox.lock().is_worth_a_look()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what is asked until the window closes.
fn serve(requests: &Receiver<Request>, outbox: &Arc<Outbox>) {
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
    outbox.change(Duration::ZERO, |waiting| {
        waiting.completion = Some(ConsoleCompletion { before, start, words });
    });
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

fn cut(text: String) -> String {
    let bytes = text.len();
    if bytes <= CONSOLE_TEXT_BYTES_MAX {
        return text;
    }
    let end = (0..=CONSOLE_TEXT_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at));
    format!("{} … ({bytes} bytes in total)", &text[..end.unwrap_or(0)])
}

/// What waits for the window: no more than the window would keep of it.
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    wake: Wake,
}

#[derive(Default)]
struct Waiting {
    run: u64,
    left_out: u64,
    outputs: VecDeque<ConsoleOutput>,
    bytes: usize,
    sent: Vec<SentCommand>,
    is_more_than_data: bool,
    ended: Option<String>,
    completion: Option<ConsoleCompletion>,
}

impl Waiting {
    fn is_worth_a_look(&self) -> bool {
        let is_ended = self.ended.is_some() || self.completion.is_some();
        is_ended || !self.outputs.is_empty() || !self.sent.is_empty()
    }
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.waiting)
    }

    /// Changes what waits, and wakes the window if nothing waited.
    fn change(&self, wait: Duration, change: impl FnOnce(&mut Waiting)) {
        let mut waiting = self.lock();
        let woken = waiting.is_worth_a_look();
        change(&mut waiting);
        drop(waiting);
        if !woken || wait.is_zero() {
            (self.wake)(wait);
        }
    }

    pub(super) fn push(&self, run: u64, output: ConsoleOutput) {
        self.change(EVENT_WAKE, |waiting| {
            waiting.run = run;
            waiting.bytes += output.bytes();
            waiting.outputs.push_back(output);
            while waiting.outputs.len() > CONSOLE_LINES_MAX || waiting.bytes > CONSOLE_BYTES_MAX {
                let Some(oldest) = waiting.outputs.pop_front() else { break };
                waiting.bytes -= oldest.bytes();
                waiting.left_out += 1;
            }
        });
    }

    pub(super) fn end(&self, run: u64, database: String) {
        self.change(Duration::ZERO, |waiting| {
            waiting.run = run;
            waiting.ended = Some(database);
        });
    }

    /// Notes a command, unless many wait: writing the text of each would slow a loop of inserts.
    fn sent(&self, reply: impl FnOnce() -> SentCommand) {
        if self.lock().sent.len() >= CONSOLE_SENT_MAX {
            return;
        }
        let sent = reply();
        self.change(EVENT_WAKE, |waiting| waiting.sent.push(sent));
    }

    fn take(&self) -> Option<ConsoleReport> {
        let mut waiting = self.lock();
        if !waiting.is_worth_a_look() {
            return None;
        }
        let waiting = std::mem::take(&mut *waiting);
        Some(ConsoleReport {
            run: waiting.run,
            left_out: waiting.left_out,
            outputs: waiting.outputs.into(),
            sent: waiting.sent,
            is_more_than_data: waiting.is_more_than_data,
            ended: waiting.ended,
            completion: waiting.completion,
        })
    }
}

/// A store whose commands are listed in the Commands drawer.
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
            self.outbox.lock().is_more_than_data = true;
        }
        self.outbox.sent(|| SentCommand {
            text: write_command(db, command),
            micros: u64::try_from(took.as_micros()).unwrap_or(u64::MAX),
            error: Reply::refusal(&reply),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{OpenRequest, Sandbox};
    use crate::source::embedded;

    /// How long a test waits for what must come.
    const DEADLINE: Duration = Duration::from_secs(30);

    struct Running {
        console: Console,
        thread: Option<JoinHandle<()>>,
    }

    /// A store with a bug in every command but `ping`.
    struct Buggy;

    impl Source for Buggy {
        fn run(&self, _: &str, command: &Document) -> Document {
            assert!(command.contains_key("ping"), "a bug");
            bson::doc! {"ok": 1.0}
        }

        fn subscribe(&self) -> Events {
            Box::new(std::iter::empty())
        }

        fn capabilities(&self) -> Capabilities {
            Capabilities::default()
        }
    }

    impl Running {
        fn start() -> Self {
            let request = OpenRequest { sandbox: Some(Sandbox::Empty), ..OpenRequest::default() };
            Self::start_on(embedded::opener()(&request).expect("a sandbox opens").source)
        }

        fn start_on(source: Arc<dyn Source>) -> Self {
            let (console, thread) = Console::start(Arc::new(|_| ())).expect("a thread");
            console.attach(source);
            Self { console, thread: Some(thread) }
        }

        /// Begins an input. Returns what stops it.
        fn begin(&self, number: u64, text: &str) -> Cancel {
            let cancel = Cancel::default();
            let (text, database) = (text.to_owned(), "demo".to_owned());
            self.console.run(ConsoleRun { number, text, database, cancel: cancel.clone() });
            cancel
        }

        /// Everything until the input ends.
        fn end(&self) -> ConsoleReport {
            let mut all = ConsoleReport::default();
            let end = SystemClock.monotonic() + DEADLINE;
            while all.ended.is_none() {
                assert!(SystemClock.monotonic() < end, "it never ended: {all:?}");
                let Some(report) = self.console.take() else {
                    thread::park_timeout(Duration::from_millis(2));
                    continue;
                };
                all.left_out += report.left_out;
                all.outputs.extend(report.outputs);
                all.sent.extend(report.sent);
                (all.run, all.ended) = (report.run, report.ended);
            }
            all
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            self.console.close();
            self.thread.take().map(JoinHandle::join);
        }
    }

    #[test]
    fn an_input_prints_and_its_commands_are_noted() {
        let running = Running::start();
        running.begin(7, "print(db.runCommand({ping: 1}).ok)");
        let report = running.end();
        assert_eq!(report.run, 7);
        assert_eq!(report.outputs, [ConsoleOutput::Printed("1".to_owned())]);
        assert_eq!(report.ended.as_deref(), Some("demo"));
        let sent: Vec<_> = report.sent.iter().map(|sent| sent.text.as_str()).collect();
        assert!(sent.iter().any(|text| text.contains("ping: 1")), "{sent:?}");
        assert_eq!(report.sent[0].error, None);
    }

    #[test]
    fn variables_stay_until_another_store_is_open() {
        let running = Running::start();
        running.begin(1, "var x = 42");
        running.end();
        running.begin(2, "print(x)");
        assert_eq!(running.end().outputs, [ConsoleOutput::Printed("42".to_owned())]);
        running.console.detach();
        running.begin(3, "print(x)");
        let report = running.end();
        assert_eq!(report.outputs, [ConsoleOutput::Failed(NO_STORE.to_owned())]);
    }

    #[test]
    fn a_loop_without_end_is_stopped_at_once() {
        let running = Running::start();
        running.begin(1, "1");
        running.end();
        let cancel = running.begin(2, "while (true) {}");
        thread::park_timeout(Duration::from_millis(50));
        let asked = SystemClock.monotonic();
        cancel.cancel();
        let report = running.end();
        let took = SystemClock.monotonic().saturating_sub(asked);
        assert!(took < Duration::from_millis(100), "{took:?}");
        assert_eq!(report.outputs, [ConsoleOutput::Note(STOPPED.to_owned())]);
    }

    #[test]
    fn a_panic_is_an_error_and_the_console_starts_over() {
        let running = Running::start_on(Arc::new(Buggy));
        running.begin(1, "var x = 1; db.runCommand({find: 'c'})");
        let report = running.end();
        assert_eq!(report.outputs, [ConsoleOutput::Failed(RESTARTED.to_owned())]);
        running.begin(2, "print(typeof x, db.runCommand({ping: 1}).ok)");
        let report = running.end();
        assert_eq!(report.outputs, [ConsoleOutput::Printed("undefined 1".to_owned())]);
    }

    #[test]
    fn closing_stops_what_runs() {
        let running = Running::start();
        running.begin(1, "while (true) {}");
        drop(running);
    }

    #[test]
    fn the_latest_outputs_are_kept() {
        let running = Running::start();
        running.begin(1, "for (let i = 0; i < 30000; i++) print(i)");
        // Nothing is taken meanwhile, as if the window stood still.
        let end = SystemClock.monotonic() + DEADLINE;
        while running.console.outbox.lock().ended.is_none() {
            assert!(SystemClock.monotonic() < end, "it never ended");
            thread::park_timeout(Duration::from_millis(2));
        }
        let report = running.end();
        assert_eq!(report.outputs.len(), CONSOLE_LINES_MAX);
        assert_eq!(report.left_out, 20_000);
        assert_eq!(report.outputs.last(), Some(&ConsoleOutput::Printed("29999".to_owned())));
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let cut_text = cut("ä".repeat(CONSOLE_TEXT_BYTES_MAX));
        assert!(cut_text.ends_with(" bytes in total)"));
        assert!(cut_text.len() < CONSOLE_TEXT_BYTES_MAX + 64);
        assert_eq!(cut("ä".to_owned()), "ä");
    }
}
