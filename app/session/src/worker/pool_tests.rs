use std::time::Duration;

use bson::{Document, doc};

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::*;
use crate::job::TabId;
use crate::source::{Capabilities, Events, OpenRequest, Opened, Source};
use crate::worker::transfer::{FileToLook, transfers};
use crate::worker::{Key, Manners, Reply, Task};

#[derive(Default)]
struct Echo {
    /// Commands that wrote something.
    writes: Arc<AtomicUsize>,
    /// Held while writes must wait.
    gate: Arc<Mutex<()>>,
}

impl Source for Echo {
    fn run(&self, db: &str, command: &Document) -> Document {
        assert!(!command.contains_key("panic"), "asked for");
        if command.contains_key("insert") {
            drop(self.gate.lock());
            self.writes.fetch_add(1, Ordering::AcqRel);
        }
        if command.contains_key("fail") {
            return doc! {"ok": 0.0, "errmsg": "it failed", "codeName": "BadValue"};
        }
        doc! {"ok": 1.0, "db": db}
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

fn worker() -> Worker<Answered> {
    worker_writing(&Arc::default(), &Arc::default())
}

fn worker_writing(writes: &Arc<AtomicUsize>, gate: &Arc<Mutex<()>>) -> Worker<Answered> {
    let (writes, gate) = (Arc::clone(writes), Arc::clone(gate));
    let opener: Opener = Arc::new(move |_| {
        let name = "echo".to_owned();
        Ok(Opened {
            source: Arc::new(Echo { writes: Arc::clone(&writes), gate: Arc::clone(&gate) }),
            name,
            folder: None,
            clock: SystemClock.status(),
            warnings: Vec::new(),
            advice: Vec::new(),
            attached: None,
        })
    });
    let worker = Worker::<Answered>::start(
        opener,
        crate::worker::lesson_shelf::shelf(None),
        Secrets::none(),
        Arc::new(|_| ()),
    )
    .expect("threads can be started");
    order(&worker, Order::Open(OpenRequest::default()));
    assert!(matches!(next(&worker), Outcome::Opened(Ok(_))));
    worker
}

fn order(worker: &Worker<Answered>, order: Order) {
    worker.submit(Job::of_order(order, 7));
}

/// The generation of a command and its reply.
type Answered = (u64, Reply);

/// A command.
#[derive(Debug)]
struct Send(&'static str, Document);

impl Task<Answered> for Send {
    fn run(self: Box<Self>, desk: &Desk<'_, Answered>) {
        let reply = desk.run(self.0.to_owned(), self.1);
        desk.sender.answer((desk.generation, reply), Duration::ZERO);
    }

    fn dropped(self: Box<Self>, _: u64, _: bool) -> Outcome<Answered> {
        Outcome::OrderRefused
    }

    fn command(&self) -> Option<(&str, &Document)> {
        Some((self.0, &self.1))
    }
}

fn submit(worker: &Worker<Answered>, lane: Lane, db: &'static str, command: Document) {
    let (key, task) = (Key::new(Arc::new(lane)), Box::new(Send(db, command)));
    worker.submit(Job::new(key, lane, 7, task));
}

fn next(worker: &Worker<Answered>) -> Outcome<Answered> {
    let outcome = worker.outcomes.recv_timeout(Duration::from_secs(20)).expect("an outcome comes");
    worker.is_taken(&outcome);
    outcome
}

fn run(worker: &Worker<Answered>, command: Document) -> Result<Document, String> {
    submit(worker, Lane::Read, "demo", command);
    match next(worker) {
        Outcome::Asked((7, reply)) => reply.result,
        _ => panic!("not an answer"),
    }
}

#[test]
fn commands_are_answered() {
    let worker = worker();
    assert_eq!(run(&worker, doc! {"ping": 1}), Ok(doc! {"ok": 1.0, "db": "demo"}));
    assert_eq!(run(&worker, doc! {"fail": 1}), Err("it failed (BadValue)".to_owned()));
}

/// A source that fails wherever it is asked.
struct Broken {
    /// Whether it has events, which fail, or fails to say so.
    has_events: bool,
}

impl Source for Broken {
    fn run(&self, _: &str, _: &Document) -> Document {
        doc! {"ok": 1.0}
    }

    fn subscribe(&self) -> Events {
        assert!(self.has_events, "asked for");
        Box::new(std::iter::from_fn(|| panic!("asked for")))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn close(&self) {
        panic!("asked for")
    }
}

#[test]
fn a_source_that_panics_beside_its_commands_is_told_and_the_threads_go_on() {
    for has_events in [true, false] {
        let opener: Opener = Arc::new(move |_| {
            Ok(Opened {
                source: Arc::new(Broken { has_events }),
                name: "broken".to_owned(),
                folder: None,
                clock: SystemClock.status(),
                warnings: Vec::new(),
                advice: Vec::new(),
                attached: None,
            })
        });
        let worker = Worker::<Answered>::start(
            opener,
            crate::worker::lesson_shelf::shelf(None),
            Secrets::none(),
            Arc::new(|_| ()),
        )
        .expect("threads can be started");
        order(&worker, Order::Open(OpenRequest::default()));
        let (mut opened, mut told) = (false, None);
        while !opened || told.is_none() {
            match next(&worker) {
                Outcome::Opened(outcome) => opened = outcome.is_ok(),
                Outcome::Event(_, Event::ThreadDied { thread, message }) => {
                    assert_eq!(thread, "mayfly-events");
                    told = Some(message);
                }
                _ => panic!("something else"),
            }
        }
        let told = told.unwrap_or_default();
        assert!(told.starts_with("The window no longer receives updates from the store"), "{told}");
        // Closing it fails, which ends no thread.
        order(&worker, Order::Open(OpenRequest::default()));
        assert!(matches!(next(&worker), Outcome::Opened(Err(_))));
        order(&worker, Order::Open(OpenRequest::default()));
        loop {
            match next(&worker) {
                Outcome::Opened(outcome) => break assert!(outcome.is_ok()),
                Outcome::Event(..) => {}
                _ => panic!("something else"),
            }
        }
    }
}

#[test]
fn a_panic_is_an_answer_and_the_thread_continues() {
    let worker = worker();
    for _ in 0..3 {
        assert!(run(&worker, doc! {"panic": 1}).is_err());
    }
    assert!(run(&worker, doc! {"ping": 1}).is_ok());
}

#[test]
fn every_write_is_done_before_the_window_is_gone() {
    let (writes, gate) = (Arc::default(), Arc::default());
    let worker = worker_writing(&writes, &gate);
    let held = gate.lock().expect("nobody panicked");
    for number in 0..5 {
        let command = doc! {"insert": "c", "documents": [{"_id": number}]};
        submit(&worker, Lane::Write, "demo", command);
    }
    let shared = Arc::clone(&worker.shared);
    thread::scope(|scope| {
        scope.spawn(|| drop(worker));
        // Its queues are closed, and nothing has been written.
        assert!(shared.read.take().is_none());
        assert_eq!(writes.load(Ordering::Acquire), 0);
        drop(held);
    });
    assert_eq!(writes.load(Ordering::Acquire), 5);
}

#[test]
fn what_was_asked_of_one_store_does_not_change_the_next() {
    let writes = Arc::default();
    let worker = worker_writing(&writes, &Arc::default());
    order(&worker, Order::Open(OpenRequest::default()));
    let insert = || doc! {"insert": "c"};
    submit(&worker, Lane::Write, "demo", insert());
    let opened = worker.outcomes.recv_timeout(Duration::from_secs(20)).expect("it opens");
    submit(&worker, Lane::Write, "demo", insert());
    worker.is_taken(&opened);
    for _ in 0..2 {
        let Outcome::Asked((_, reply)) = next(&worker) else { panic!("not an answer") };
        assert_eq!(reply.result, Err(crate::worker::desk::OPENING.to_owned()));
    }
    assert_eq!(writes.load(Ordering::Acquire), 0);
    submit(&worker, Lane::Write, "demo", insert());
    assert!(matches!(next(&worker), Outcome::Asked((_, reply)) if reply.result.is_ok()));
    assert_eq!(writes.load(Ordering::Acquire), 1);
}

#[test]
fn a_store_without_files_says_so() {
    let sentence = transfers(&Echo::default()).err().expect("it is not supported");
    assert!(sentence.contains("not supported"), "{sentence}");
}

#[test]
fn a_file_that_is_not_there_is_said() {
    let path = std::path::PathBuf::from("/nowhere/at/all.json");
    let options = mayfly_engine::transfer::ReadOptions::default();
    let (all, beside, progress) = (Vec::new(), Vec::new(), Arc::default());
    let file = FileToLook { path, options, all, beside, now_ms: 0, progress };
    let sentence = file.look(Some(&Echo::default())).expect_err("there is no such file");
    assert!(sentence.contains("/nowhere/at/all.json"), "{sentence}");
}

/// A source whose finds end only when they are canceled.
struct Stuck;

impl Source for Stuck {
    fn run(&self, _: &str, _: &Document) -> Document {
        doc! {"ok": 1.0}
    }

    fn run_until(&self, _: &str, command: &Document, cancel: &Cancel) -> Document {
        while command.contains_key("find") && !cancel.is_cancelled() {
            thread::park_timeout(Duration::from_millis(2));
        }
        doc! {"ok": f64::from(u8::from(!command.contains_key("find")))}
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

/// A worker on that source.
fn stuck() -> Worker<Answered> {
    let opener: Opener = Arc::new(|_| {
        Ok(Opened {
            source: Arc::new(Stuck),
            name: "stuck".to_owned(),
            folder: None,
            clock: SystemClock.status(),
            warnings: Vec::new(),
            advice: Vec::new(),
            attached: None,
        })
    });
    let worker = Worker::<Answered>::start(
        opener,
        crate::worker::lesson_shelf::shelf(None),
        Secrets::none(),
        Arc::new(|_| ()),
    )
    .expect("threads can be started");
    order(&worker, Order::Open(OpenRequest::default()));
    assert!(matches!(next(&worker), Outcome::Opened(Ok(_))));
    worker
}

/// A command of a tab, whose question differs from those of other tabs.
fn of_tab(tab: u64, read: SlowRead, command: Document) -> Job<Answered> {
    let (key, manners) = (Key::new(Arc::new(tab)), Manners::slow_read(TabId(tab), read));
    Job { manners, ..Job::new(key, Lane::Read, tab, Box::new(Send("d", command))) }
}

#[test]
fn slow_queries_leave_a_reader_free_until_they_are_canceled() {
    let worker = stuck();
    let query = |tab: u64, command: Document| {
        worker.submit(of_tab(tab, SlowRead::Rows, command));
    };
    for tab in 1..=5 {
        query(tab, doc! {"find": "c"});
    }
    // Another tab, and a question about the tree.
    query(6, doc! {"ping": 1});
    assert!(matches!(next(&worker), Outcome::Asked((6, _))));
    submit(&worker, Lane::Read, "demo", doc! {"ping": 1});
    assert!(matches!(next(&worker), Outcome::Asked((7, _))));
    worker.abandon(TabId(2), SlowRead::QUERIES);
    let Outcome::Asked((2, reply)) = next(&worker) else { panic!("no answer") };
    assert!(reply.is_stopped());
    drop(worker);
}

#[test]
fn reads_of_any_kind_that_are_slow_leave_a_reader_free() {
    let worker = stuck();
    let slow = |tab: u64| worker.submit(of_tab(tab, SlowRead::OfTab, doc! {"find": "c"}));
    (1..=5).for_each(slow);
    submit(&worker, Lane::Read, "demo", doc! {"ping": 1});
    let outcome = loop {
        worker.relieve_readers(Duration::ZERO);
        if let Ok(outcome) = worker.outcomes.recv_timeout(Duration::from_millis(2)) {
            break outcome;
        }
    };
    assert!(matches!(outcome, Outcome::Asked((7, _))));
    worker.abandon(TabId(3), SlowRead::QUERIES);
    worker.abandon(TabId(2), SlowRead::ALL);
    let Outcome::Asked((2, reply)) = next(&worker) else { panic!("no answer") };
    assert!(reply.is_stopped());
}

/// Runs a command in the write lane. Returns the collections that traffic wrote to before it, and the
/// reply.
fn traffic_before(worker: &Worker<Answered>, command: Document) -> (Vec<String>, Document) {
    submit(worker, Lane::Write, "admin", command);
    let mut written = Vec::new();
    loop {
        match next(worker) {
            Outcome::Traffic(reply) => {
                let command = reply.ok().map(|_| &reply.command).expect("it was written");
                assert_eq!(reply.db, "demo");
                written.extend(command.get_str("insert").ok().map(ToOwned::to_owned));
            }
            Outcome::Asked((7, reply)) => {
                return (written, reply.result.expect("a reply"));
            }
            _ => {}
        }
    }
}

#[test]
fn traffic_runs_in_the_demo_store_while_its_switch_is_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let request = |name: &str, demo| OpenRequest {
        folder: Some(folder.path().join(name)),
        demo,
        simulated_start_ms: Some(1_780_315_200_000),
        ..OpenRequest::default()
    };
    let worker = Worker::<Answered>::start(
        crate::source::embedded::opener(),
        crate::worker::lesson_shelf::shelf(None),
        Secrets::none(),
        Arc::new(|_| ()),
    )
    .expect("threads can be started");
    let advance = doc! {"mayflyClock": 1, "advanceMS": 60_000};
    let written_in_a_minute = |worker: &Worker<Answered>| {
        let (mut written, _) = traffic_before(worker, advance.clone());
        order(worker, Order::Traffic);
        written.extend(traffic_before(worker, doc! {"ping": 1}).0);
        written
    };
    let open = |demo| {
        let name = if demo { "demo" } else { "store" };
        order(&worker, Order::Open(request(name, demo)));
        while !matches!(next(&worker), Outcome::Opened(Ok(_))) {}
    };
    let none: Vec<String> = Vec::new();
    open(true);
    assert_eq!(written_in_a_minute(&worker), none, "it was not turned on");
    order(&worker, Order::SetTraffic(true));
    traffic_before(&worker, doc! {"ping": 1});
    assert_eq!(written_in_a_minute(&worker), ["sessions", "carts", "events"]);
    order(&worker, Order::SetTraffic(false));
    assert_eq!(written_in_a_minute(&worker), none, "it was turned off");
    open(false);
    order(&worker, Order::SetTraffic(true));
    assert_eq!(written_in_a_minute(&worker), none, "another store");
    let (_, databases) = traffic_before(&worker, doc! {"listDatabases": 1});
    assert_eq!(databases.get_array("databases").map(Vec::len).ok(), Some(0));
    open(true);
    order(&worker, Order::SetTraffic(true));
    drop(worker);
    let is_free = crate::source::embedded::check_free(&request("demo", true));
    assert_eq!(is_free, Ok(()), "it ends with the window");
}

/// Several calls of some seconds each, in which nothing is polled.
const STUCK: &str = "for (let i = 0; i < 5; i++) new Uint8Array({length: 2e8})";

#[test]
fn closing_does_not_wait_for_a_stuck_script_and_closes_the_store() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("store");
    let shelf = crate::worker::lesson_shelf::shelf(None);
    let opener = crate::source::embedded::opener();
    let worker = Worker::<Answered>::start(opener, shelf, Secrets::none(), Arc::new(|_| ()))
        .expect("threads");
    let request = OpenRequest { folder: Some(data.clone()), ..OpenRequest::default() };
    order(&worker, Order::Open(request.clone()));
    while !matches!(next(&worker), Outcome::Opened(Ok(_))) {}
    let cancel = Cancel::default();
    let (database, text) = ("demo".to_owned(), format!("print('on'); {STUCK}"));
    worker.run_console(ConsoleRun { number: 1, text, database, cancel });
    let end = SystemClock.monotonic() + Duration::from_secs(20);
    while !worker.shared.console.has_report() {
        assert!(SystemClock.monotonic() < end, "it never began");
        thread::park_timeout(Duration::from_millis(2));
    }
    let asked = SystemClock.monotonic();
    drop(worker);
    let took = SystemClock.monotonic().saturating_sub(asked);
    assert!(took < Duration::from_secs(6), "{took:?}");
    let again = crate::source::embedded::opener()(&request);
    assert!(again.is_ok(), "{:?}", again.map(drop));
}

#[test]
fn a_lesson_whose_script_cannot_be_stopped_is_refused_and_another_is_played() {
    let worker = worker();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("stuck.md");
    let text = crate::lessons::shipped::text("02-the-pass").expect("a lesson");
    let stuck = "for (let i = 0; i < 40; i++) new Uint8Array({ length: 3e7 })\n";
    let setup = "db.eventlog.insertOne({ _id: \"login\"";
    let text = text.replacen(setup, &format!("{stuck}{setup}"), 1);
    std::fs::write(&path, text).expect("a file");
    worker.order_lesson(LessonOrder::Open {
        number: 1,
        source: crate::job::lesson::LessonSource::File(path),
        seed: None,
    });
    let Outcome::Lesson(LessonOutcome::Opened { number: 1, result: Err(problems) }) = next(&worker)
    else {
        panic!("not a refused lesson")
    };
    assert!(problems[0].sentence.starts_with("Stopped: the script"), "{problems:?}");
    let source = crate::job::lesson::LessonSource::Shipped("02-the-pass".to_owned());
    worker.order_lesson(LessonOrder::Open { number: 2, source, seed: None });
    while !matches!(
        next(&worker),
        Outcome::Lesson(LessonOutcome::Opened { number: 2, result: Ok(_) })
    ) {}
}
