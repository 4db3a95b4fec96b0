//! What can be asked of the worker, and what comes back.

use std::fmt;

use bson::{Bson, Document};

use super::code;
use super::connect_job::{ConnectReport, ConnectWork};
use super::lesson_job::{LessonOutcome, LessonWork};
use super::maintenance::{MaintenanceDone, MaintenanceWork};
use super::sandbox::{SandboxDone, SandboxWork};
use super::schema::{SchemaReport, SchemaWork};
use super::secret_job::SecretReport;
use super::transfer::{TransferDone, TransferWork};
use crate::job::bulk::{BulkReport, BulkWork};
use crate::job::purpose::{DocumentsPurpose, IndexesPurpose};
use crate::job::rollout::{RolloutEnd, RolloutWork};
use crate::job::{
    ConsoleReport, Event, OpenError, OpenRequest, OperationId, Purpose, TabId, WatchReport,
    WatchWork,
};
use crate::source::Opened;

/// Which queue a job waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Threads that read. The queries of one tab take only one of them, one more is kept than tabs
    /// have queries, and more are started while all are busy for long: what the user opens next is
    /// read at once.
    Read,
    /// One thread that writes, in the order of asking.
    Write,
    /// [`TRANSFERS_MAX`](crate::limits::TRANSFERS_MAX) threads for files in and out. Two imports
    /// into one collection take turns, and care of the whole store is alone.
    Transfer,
    /// One thread for changes of many documents. They go in steps, so that other writes come
    /// between them.
    Bulk,
    /// One thread that reads whole collections for their schemas.
    Schema,
}

impl Lane {
    /// Whether the window is idle only when every job of this lane has ended. The user watches
    /// the others.
    #[must_use]
    pub fn is_awaited(self) -> bool {
        matches!(self, Self::Read | Self::Write)
    }
}

/// One thing to do.
#[derive(Debug)]
pub struct Job {
    /// What the answer is for. A newer job with an equal purpose replaces a waiting one,
    /// except in the write lane, where every job is done.
    pub purpose: Purpose,
    /// Which queue it waits in.
    pub lane: Lane,
    /// A counter of the sender; the answer carries it.
    pub generation: u64,
    /// Which of the open stores it is for; the worker sets it.
    pub store: u32,
    /// What to do.
    pub work: Work,
}

/// Queries whose answers are of no use any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abandoned {
    /// Every read for a tab that may be slow: the tab was closed.
    Tab(TabId),
    /// Every query of its Documents view: it has another filter, or the user stops it.
    Documents(TabId),
    /// The questions of a tab's pipeline.
    Pipeline(TabId),
    /// The explanation of a tab's query or pipeline.
    Explain(TabId),
    /// What a TTL would remove: the dialog asks about another one.
    WhatIf(TabId),
    /// Everything that the dialog of an index asks about the documents: it was closed.
    IndexDialog(TabId),
    /// The documents and the count of earlier runs of a tab's query.
    Runs(TabId),
    /// The analysis of a tab.
    Schema(TabId),
}

impl Abandoned {
    /// Whether a query for this purpose is one of them.
    #[must_use]
    pub fn covers(self, purpose: &Purpose) -> bool {
        match self {
            Self::Tab(tab) => purpose.may_be_slow_for() == Some(tab),
            Self::Schema(tab) => purpose.analysis_of() == Some(tab),
            Self::Documents(tab) => {
                matches!(purpose, Purpose::Documents(..)) && purpose.query_of() == Some(tab)
            }
            Self::Explain(tab) => *purpose == Purpose::Explain(tab),
            Self::Pipeline(tab) => {
                matches!(purpose, Purpose::Aggregate(..)) && purpose.query_of() == Some(tab)
            }
            Self::WhatIf(tab) => *purpose == Purpose::Indexes(tab, IndexesPurpose::WhatIf),
            Self::IndexDialog(tab) => matches!(
                purpose,
                Purpose::Indexes(of, IndexesPurpose::WhatIf | IndexesPurpose::Ages) if *of == tab
            ),
            Self::Runs(tab) => matches!(
                purpose,
                Purpose::Documents(
                    of,
                    DocumentsPurpose::Page { .. } | DocumentsPurpose::Count { .. },
                ) if *of == tab
            ),
        }
    }
}

/// What to do.
pub enum Work {
    /// Run one command.
    Command {
        /// The database.
        db: String,
        /// The command.
        command: Document,
    },
    /// Answer that a command was not run, because another store is opened before its turn.
    Refuse {
        /// The database.
        db: String,
        /// The command.
        command: Document,
    },
    /// Change many documents.
    Bulk(BulkWork),
    /// Read or write files.
    Transfer(TransferWork),
    /// Care for the store as a whole.
    Maintenance(MaintenanceWork),
    /// Turn the traffic of the demo store on or off.
    SetTraffic(bool),
    /// Send what is due in the traffic of the demo store.
    Traffic,
    /// Work on a sandbox.
    Sandbox(SandboxWork),
    /// Open another store in place of the present one.
    Open(OpenRequest),
    /// Bring an open store to the front, or make room for one that is opened next.
    Show(u32),
    /// Close the open store of this number.
    Close(u32),
    /// Try to attach to a server, beside the present store.
    Connect(Box<ConnectWork>),
    /// Roll out a TTL in steps, beside everything else.
    Rollout(RolloutWork, OperationId),
    /// Follow the deletions of a collection of a server, beside everything else.
    Watch(WatchWork),
    /// Put an attached server in place of the present store.
    Adopt(Box<Opened>),
    /// Lock the connection to a server, or unlock it.
    SetLocked(bool),
    /// Work on lessons that no lesson has to be played for.
    Lesson(LessonWork),
    /// Read documents for a schema.
    Schema(SchemaWork),
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { db, command } => write!(f, "Command({db}, {command})"),
            Self::Refuse { db, command } => write!(f, "Refuse({db}, {command})"),
            Self::Bulk(work) => write!(f, "Bulk({})", work.namespace),
            Self::Transfer(work) => write!(f, "Transfer({work:?})"),
            Self::Maintenance(work) => write!(f, "Maintenance({work:?})"),
            Self::SetTraffic(on) => write!(f, "SetTraffic({on})"),
            Self::Traffic => write!(f, "Traffic"),
            Self::Sandbox(work) => write!(f, "Sandbox({work:?})"),
            Self::Open(request) => write!(f, "Open({request:?})"),
            Self::Show(number) => write!(f, "Show({number})"),
            Self::Close(number) => write!(f, "Close({number})"),
            Self::Connect(work) => write!(f, "Connect({})", work.server.string.name()),
            Self::Rollout(work, _) => write!(f, "Rollout({})", work.plan.namespace),
            Self::Watch(work) => write!(f, "Watch({})", work.namespace),
            Self::Adopt(opened) => write!(f, "Adopt({})", opened.name),
            Self::SetLocked(is_locked) => write!(f, "SetLocked({is_locked})"),
            Self::Lesson(work) => write!(f, "Lesson({work:?})"),
            Self::Schema(work) => write!(f, "Schema({work:?})"),
        }
    }
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The database the command ran on; empty for work with files.
    pub db: String,
    /// The command that was run; empty for work with files.
    pub command: Document,
    /// The reply, or why there is none, in one sentence.
    pub result: Result<Document, String>,
    /// MongoDB's code of the error, if the store gave one.
    pub code: Option<ErrorCode>,
    /// How long the store took, in microseconds.
    pub micros: u64,
}

/// Why a command failed, for programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCode {
    /// MongoDB's number.
    pub number: i32,
    /// MongoDB's name for it; empty where there is none.
    pub name: String,
}

impl ErrorCode {
    fn of(reply: &Document) -> Option<Self> {
        let number = match reply.get("code")? {
            Bson::Int32(number) => *number,
            Bson::Int64(number) => i32::try_from(*number).ok()?,
            _ => return None,
        };
        let name = reply.get_str("codeName").unwrap_or_default().to_owned();
        Some(Self { number, name })
    }
}

impl Reply {
    /// The result of a command: the store's reply, or why it was not sent.
    #[must_use]
    pub fn new(
        db: String,
        command: Document,
        answer: Result<Document, String>,
        micros: u64,
    ) -> Self {
        let code = answer.as_ref().ok().filter(|reply| !is_ok(reply)).and_then(ErrorCode::of);
        let result =
            answer.and_then(|reply| if is_ok(&reply) { Ok(reply) } else { Err(sentence(&reply)) });
        Self { db, command, result, code, micros }
    }

    /// The reply of a command that went well.
    #[must_use]
    pub fn ok(&self) -> Option<&Document> {
        self.result.as_ref().ok()
    }

    /// Whether the command failed with this code.
    #[must_use]
    pub fn failed_with(&self, code: i32) -> bool {
        self.code.as_ref().is_some_and(|found| found.number == code)
    }

    /// Whether the command took too long, by the server's measure or by this program's.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.failed_with(code::MAX_TIME_MS_EXPIRED) || self.failed_with(code::NETWORK_TIMEOUT)
    }

    /// Whether no answer came from the server.
    #[must_use]
    pub fn is_without_answer(&self) -> bool {
        self.failed_with(code::HOST_UNREACHABLE) || self.failed_with(code::NETWORK_TIMEOUT)
    }

    /// Why a store refused a command, in one sentence; `None` for a reply that went well.
    pub(super) fn refusal(reply: &Document) -> Option<String> {
        (!is_ok(reply)).then(|| sentence(reply))
    }

    /// Whether the window canceled it before it was answered.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.code.is_none() && self.error() == Some(STOPPED)
    }

    /// Why the command failed, in one sentence.
    pub fn error(&self) -> Option<&str> {
        self.result.as_ref().err().map(String::as_str)
    }
}

/// The answer to a query that was canceled.
pub(super) const STOPPED: &str = "The query was stopped";

/// Whether the command succeeded.
pub(super) fn is_ok(reply: &Document) -> bool {
    match reply.get("ok") {
        Some(Bson::Double(ok)) => *ok != 0.0,
        Some(Bson::Int32(ok)) => *ok != 0,
        Some(Bson::Int64(ok)) => *ok != 0,
        Some(Bson::Boolean(ok)) => *ok,
        _ => false,
    }
}

/// The message of a reply with `ok: 0`, with the name of its code.
fn sentence(reply: &Document) -> String {
    let message = reply.get_str("errmsg").unwrap_or("The store gave no reason");
    match reply.get_str("codeName") {
        Ok(name) if !name.is_empty() => format!("{message} ({name})"),
        _ => message.to_owned(),
    }
}

/// A message of the worker.
#[derive(Clone)]
pub enum Outcome {
    /// A command ended.
    Answer {
        /// What it was for.
        purpose: Purpose,
        /// The job's generation.
        generation: u64,
        /// The reply.
        reply: Reply,
    },
    /// A job was dropped before it ran: its queue was full, or a newer one took its place.
    Dropped {
        /// What it was for.
        purpose: Purpose,
        /// The job's generation.
        generation: u64,
        /// Whether its queue was full (else: a newer job replaced it).
        full: bool,
    },
    /// A change of many documents ended.
    Bulk {
        /// What it was for.
        purpose: Purpose,
        /// The job's generation.
        generation: u64,
        /// What it did.
        report: BulkReport,
    },
    /// Work with files ended.
    Transfer {
        /// What it was for.
        purpose: Purpose,
        /// The job's generation.
        generation: u64,
        /// The result.
        done: TransferDone,
    },
    /// Care for the store ended.
    Maintenance {
        /// What it was for.
        purpose: Purpose,
        /// The job's generation.
        generation: u64,
        /// The result.
        done: MaintenanceDone,
    },
    /// Work on a sandbox ended.
    Sandbox {
        /// The job's generation.
        generation: u64,
        /// The result.
        done: SandboxDone,
    },
    /// More is known of a schema.
    Schema {
        /// The tab.
        tab: TabId,
        /// The job's generation.
        generation: u64,
        /// What is known.
        report: SchemaReport,
    },
    /// Something happened in the console.
    Console(ConsoleReport),
    /// A rollout ended.
    Rollout {
        /// Its line in Operations.
        operation: OperationId,
        /// How it ended.
        end: RolloutEnd,
    },
    /// How far an attempt to attach to a server is.
    Connect {
        /// The job's generation.
        generation: u64,
        /// How far it is.
        report: ConnectReport,
    },
    /// What a change stream of a server reports.
    Watch {
        /// The job's generation.
        generation: u64,
        /// What it reports.
        report: WatchReport,
    },
    /// The system's keyring answers.
    Secret(SecretReport),
    /// A store was opened or could not be.
    Opened(Result<Opened, OpenError>),
    /// Something happened in the store of this number.
    Event(u32, Event),
    /// The thread of the lesson answers.
    Lesson(LessonOutcome),
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn reply(answer: Document) -> Reply {
        Reply::new("d".to_owned(), doc! { "find": "c" }, Ok(answer), 1)
    }

    #[test]
    fn a_code_is_what_the_store_says_and_no_word_of_the_sentence() {
        let error = |more: Document| {
            let mut error = doc! { "ok": 0.0, "errmsg": "it failed (DataCorruptionDetected)" };
            error.extend(more);
            reply(error)
        };
        let damaged = error(doc! { "code": 301, "codeName": "DataCorruptionDetected" });
        assert!(damaged.failed_with(301) && !damaged.failed_with(2));
        let name = "DataCorruptionDetected".to_owned();
        assert_eq!(damaged.code, Some(ErrorCode { number: 301, name }));
        let other = error(doc! { "code": 2, "codeName": "BadValue" });
        assert!(other.failed_with(2) && !other.failed_with(301));
        assert_eq!(other.error(), Some("it failed (DataCorruptionDetected) (BadValue)"));
        assert!(error(doc! { "code": 301_i64 }).failed_with(301));
        assert_eq!(error(doc! {}).code, None);
        let fine = reply(doc! { "ok": 1.0, "code": 301 });
        assert_eq!((fine.ok().is_some(), fine.code), (true, None));
    }
}
