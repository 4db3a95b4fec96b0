//! The thread that asks the store, so that keys and frames never wait for it.

use std::{
    thread::{self, JoinHandle},
    time::Duration,
};

use bson::{Document, doc};
use crossbeam_channel::{Receiver, Sender, bounded};
use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::job::reply::number;
use crate::{
    cli::{
        Failure,
        limits::WATCH_QUESTIONS_MAX,
        watched_store::{Page, Reader, Refusal},
    },
    demo::Traffic,
    job::Namespace,
};

/// A part of the view that is asked for, or a command's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    List,
    Next,
    Count,
    Traffic,
    Clock,
    Status,
    /// The parameters of a server's TTL monitor.
    Parameters,
    Held,
    RunPass,
}

/// A question to the store.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// The watched collections.
    List,
    /// The documents of these collections that expire first.
    Next(Vec<Namespace>),
    /// How many documents these collections have.
    Count(Vec<Namespace>),
    /// A command on `admin`.
    Command(Subject, Document),
    /// Adds the documents that arrived in the demo store by now.
    Traffic,
}

/// The answer of the store.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    Listed(Result<Vec<Namespace>, Refusal>),
    Next { found: Result<Vec<Page>, Refusal>, took: Duration },
    Counted(Vec<(Namespace, Option<u64>)>),
    Replied(Subject, Result<Document, Refusal>),
    TrafficSent,
}

impl Question {
    pub(super) fn subject(&self) -> Subject {
        match self {
            Self::List => Subject::List,
            Self::Next(_) => Subject::Next,
            Self::Count(_) => Subject::Count,
            Self::Traffic => Subject::Traffic,
            Self::Command(subject, _) => *subject,
        }
    }
}

/// The thread, and the way to it. Dropping it waits for the command under way.
pub(super) struct Asker {
    questions: Option<Sender<Question>>,
    pub answers: Receiver<Answer>,
    thread: Option<JoinHandle<()>>,
}

impl Asker {
    pub(super) fn start(reader: Reader) -> Result<Self, Failure> {
        let (questions, waiting) = bounded::<Question>(WATCH_QUESTIONS_MAX);
        // A question has one answer, so that the thread never waits here for long.
        let (sender, answers) = bounded(WATCH_QUESTIONS_MAX);
        let mut traffic = reader.source.sample_data().map(Traffic::new);
        let work = move || {
            for question in waiting {
                if sender.send(answer(&reader, &mut traffic, question)).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("watch-asker".to_owned()).spawn(work);
        let thread = thread.map_err(|error| Failure(format!("Can't start a thread: {error}.")))?;
        Ok(Self { questions: Some(questions), answers, thread: Some(thread) })
    }

    /// Asks, unless too much waits already.
    pub(super) fn ask(&self, question: Question) -> Result<(), Question> {
        let Some(questions) = &self.questions else { return Err(question) };
        questions.try_send(question).map_err(crossbeam_channel::TrySendError::into_inner)
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        self.questions = None;
        // The thread must be able to leave its last answers.
        let (_, none) = bounded(0);
        self.answers = none;
        if let Some(thread) = self.thread.take() {
            // A panic was reported by the hook.
            let _ = thread.join();
        }
    }
}

/// Asks the store, and waits for it.
pub(super) fn answer(reader: &Reader, traffic: &mut Option<Traffic>, question: Question) -> Answer {
    match question {
        Question::List => Answer::Listed(reader.namespaces()),
        Question::Next(namespaces) => {
            let started = SystemClock.monotonic();
            let found = reader.next_to_expire(&namespaces);
            Answer::Next { found, took: SystemClock.monotonic().saturating_sub(started) }
        }
        Question::Count(namespaces) => Answer::Counted(
            namespaces.into_iter().map(|it| (it.clone(), documents(reader, &it))).collect(),
        ),
        Question::Command(subject, command) => {
            Answer::Replied(subject, reply(reader, subject, &command))
        }
        Question::Traffic => {
            let now_ms = reader.source.now_ms();
            if let Some(traffic) = traffic {
                traffic.tick(now_ms, &mut |db: &str, command: &Document| {
                    reader.source.run(db, command)
                });
            }
            Answer::TrafficSent
        }
    }
}

fn reply(reader: &Reader, subject: Subject, command: &Document) -> Result<Document, Refusal> {
    if reader.is_server && subject == Subject::Clock {
        // The time of a server comes with its greeting.
        reader.command("admin", &doc! { "hello": 1 })?;
    }
    reader.command("admin", command)
}

/// How many documents a collection has; `None` if the store can't say.
fn documents(reader: &Reader, namespace: &Namespace) -> Option<u64> {
    let found = reader.command(&namespace.db, &doc! { "count": &namespace.collection }).ok()?;
    number(&found, "n")
}
