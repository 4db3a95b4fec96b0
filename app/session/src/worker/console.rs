//! The thread of the console. It supervises the thread on which scripts run, and replaces it if a
//! script can't be stopped, so that neither the window nor the end of the program waits for one.
//!
//! Printed lines wait in an [`Outbox`] that keeps the latest outputs, so that no loop of `print` fills
//! the memory or makes the window wait.

mod outbox;
mod script;

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};

pub(super) use self::outbox::Outbox;
use self::outbox::lock;
use self::script::{RESTARTED, Request, ScriptThread};
use super::wake::Wake;
use crate::job::{Cancel, ConsoleOutput, ConsoleQuestion, ConsoleReport, ConsoleRun};
use crate::shell::watch::Waited;
use crate::source::Source;

/// Requests that may wait for the thread. The window sends an input only when the last one ended.
const REQUESTS_MAX: usize = 8;

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
        let outbox = Arc::new(Outbox::new(wake));
        let supervised = Arc::clone(&outbox);
        let thread = thread::Builder::new()
            .name("mayfly-console".to_owned())
            .spawn(move || supervise(&requests, &supervised))?;
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

    /// Asks for completions of a word. Never waits, and there is no answer while the console is
    /// busy.
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

    /// The reports that wait for the window.
    pub(super) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// The report since the last call.
    pub(super) fn take(&self) -> Option<ConsoleReport> {
        self.outbox.take()
    }

    /// Whether something happened since then.
    pub(super) fn has_report(&self) -> bool {
        self.outbox.has_report()
    }
}

/// Hands each request to the thread of scripts until the window closes.
fn supervise(requests: &Receiver<Request>, outbox: &Arc<Outbox>) {
    let mut source: Option<Arc<dyn Source>> = None;
    let mut script: Option<ScriptThread> = None;
    for request in requests {
        match &request {
            Request::Attach(opened) => source = Some(Arc::clone(opened)),
            Request::Detach => source = None,
            Request::Run(_) | Request::Complete(_) => {}
        }
        let run = match &request {
            Request::Run(run) => Some((run.number, run.database.clone())),
            _ => None,
        };
        let sentence = match perform(request, source.as_ref(), &mut script, outbox) {
            Ok(Waited::Answer(())) => continue,
            Ok(Waited::Ended) => RESTARTED.to_owned(),
            Ok(Waited::Stuck(stuck)) => {
                format!("{stuck}. The console starts over, and its variables are gone")
            }
            Err(error) => format!("The console could not start: {error}"),
        };
        // Its place is taken by another thread at the next request.
        script = None;
        if let Some((number, database)) = run {
            outbox.push(number, ConsoleOutput::Failed(sentence));
            outbox.end(number, database);
        }
    }
}

/// Has the thread of scripts do what is asked. Starts it on the store if there is none.
fn perform(
    request: Request,
    source: Option<&Arc<dyn Source>>,
    script: &mut Option<ScriptThread>,
    outbox: &Arc<Outbox>,
) -> std::io::Result<Waited<()>> {
    let script = if let Some(script) = script {
        script
    } else {
        let started = ScriptThread::start(outbox)?;
        if let Some(source) = source {
            started.perform(Request::Attach(Arc::clone(source)));
        }
        script.insert(started)
    };
    Ok(script.perform(request))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mayfly_engine::clock::{Clock as _, SystemClock};

    use super::script::{NO_STORE, cut};
    use super::*;
    use crate::job::{Capabilities, OpenRequest, Sandbox};
    use crate::limits::{CONSOLE_LINES_MAX, CONSOLE_TEXT_BYTES_MAX};
    use crate::source::{Events, embedded};

    /// How long a test waits for what must come.
    const DEADLINE: Duration = Duration::from_secs(30);

    struct Running {
        console: Console,
        thread: Option<JoinHandle<()>>,
    }

    /// A store with a bug in every command but `ping`.
    struct Buggy;

    impl Source for Buggy {
        fn run(&self, _: &str, command: &bson::Document) -> bson::Document {
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
        assert_eq!(report.outputs, [ConsoleOutput::Note("Stopped".to_owned())]);
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

    /// Several calls of some seconds each, in which nothing is polled.
    const STUCK: &str = "for (let i = 0; i < 5; i++) new Uint8Array({length: 2e8})";

    #[test]
    fn a_stuck_script_is_abandoned_and_the_console_starts_over() {
        let running = Running::start();
        let cancel = running.begin(1, &format!("var s = 1; print('on'); {STUCK}"));
        let end = SystemClock.monotonic() + DEADLINE;
        while running.console.take().is_none() {
            assert!(SystemClock.monotonic() < end, "it never began");
            thread::park_timeout(Duration::from_millis(2));
        }
        cancel.cancel();
        let report = running.end();
        let [ConsoleOutput::Failed(sentence)] = &report.outputs[..] else { panic!("{report:?}") };
        assert!(sentence.starts_with("Stopped: the script didn't stop within 2 s"), "{sentence}");
        running.begin(2, "print(typeof s, db.c.countDocuments())");
        let report = running.end();
        assert_eq!(report.outputs, [ConsoleOutput::Printed("undefined 0".to_owned())]);
    }

    #[test]
    fn closing_does_not_wait_for_a_stuck_script() {
        let running = Running::start();
        running.begin(1, STUCK);
        let asked = SystemClock.monotonic();
        drop(running);
        let took = SystemClock.monotonic().saturating_sub(asked);
        assert!(took < Duration::from_secs(8), "{took:?}");
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
        // Nothing is taken until the end, as if the window stood still.
        let end = SystemClock.monotonic() + DEADLINE;
        while !running.console.outbox.has_end() {
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
