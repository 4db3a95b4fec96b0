use std::sync::Mutex;
use std::time::Duration;

use bson::doc;

use super::*;
use crate::source::{Capabilities, Events, OpenRequest};
use crate::state::operations::OperationId;
use crate::state::purpose::{Purpose, StorePurpose};
use crate::worker::Cancel;

struct Echo;

struct NoEvents;

impl Events for NoEvents {
    fn next(&mut self) -> Option<SourceEvent> {
        None
    }
}

impl Source for Echo {
    fn run(&self, db: &str, command: &Document) -> Document {
        assert!(!command.contains_key("panic"), "asked for");
        if command.contains_key("fail") {
            return doc! {"ok": 0.0, "errmsg": "it failed", "codeName": "BadValue"};
        }
        doc! {"ok": 1.0, "db": db}
    }

    fn subscribe(&self) -> Box<dyn Events> {
        Box::new(NoEvents)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

fn worker() -> Worker {
    let opener: Opener = Arc::new(|_| {
        let name = "echo".to_owned();
        Ok(Opened {
            source: Arc::new(Echo),
            name,
            folder: None,
            warnings: Vec::new(),
            created: false,
        })
    });
    let worker = Worker::start(opener, Arc::new(|| ())).expect("threads can be started");
    submit(&worker, Lane::Write, Work::Open(OpenRequest::default()));
    assert!(matches!(next(&worker), Outcome::Opened(Ok(_))));
    worker
}

fn submit(worker: &Worker, lane: Lane, work: Work) {
    let purpose = Purpose::Store(StorePurpose::Databases);
    worker.submit(Job { purpose, lane, generation: 7, work });
}

fn next(worker: &Worker) -> Outcome {
    worker.outcomes.recv_timeout(Duration::from_secs(20)).expect("an outcome comes")
}

fn run(worker: &Worker, command: Document) -> Result<Document, String> {
    submit(worker, Lane::Read, Work::Command { db: "demo".to_owned(), command });
    match next(worker) {
        Outcome::Answer { reply, generation: 7, .. } => reply.result,
        _ => panic!("not an answer"),
    }
}

#[test]
fn commands_are_answered() {
    let worker = worker();
    assert_eq!(run(&worker, doc! {"ping": 1}), Ok(doc! {"ok": 1.0, "db": "demo"}));
    assert_eq!(run(&worker, doc! {"fail": 1}), Err("it failed (BadValue)".to_owned()));
}

#[test]
fn a_panic_is_an_answer_and_the_thread_goes_on() {
    let worker = worker();
    for _ in 0..3 {
        assert!(run(&worker, doc! {"panic": 1}).is_err());
    }
    assert!(run(&worker, doc! {"ping": 1}).is_ok());
}

#[test]
fn a_task_tells_its_progress_and_can_be_cancelled() {
    let worker = worker();
    let cancel = Cancel::default();
    cancel.cancel();
    let seen = Arc::new(Mutex::new(false));
    let task = {
        let seen = Arc::clone(&seen);
        move |context: &TaskContext<'_>| {
            (context.progress)(Progress { done: 1, total: 2, text: String::new() });
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = context.cancel.is_cancelled();
            Ok(doc! {"ok": 1.0})
        }
    };
    let operation = OperationId(3);
    submit(&worker, Lane::Transfer, Work::Task { operation, cancel, task: Box::new(task) });
    assert!(matches!(next(&worker), Outcome::Progress(OperationId(3), found) if found.done == 1));
    assert!(matches!(next(&worker), Outcome::Answer { .. }));
    assert!(*seen.lock().unwrap_or_else(PoisonError::into_inner));
}
