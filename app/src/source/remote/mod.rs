//! A MongoDB server, or one that speaks its protocol, through the official driver.
//!
//! It opens read-only: [`guard`] decides below the window which commands leave the program. What is
//! Mayfly's own, such as `mayflyExpiring`, no server knows: `own.rs` answers it from standard commands,
//! or refuses it by name.

mod answered;
mod asking;
pub mod connect;
mod counting;
mod dates;
mod dumps;
mod estimate;
mod events;
mod expiring;
pub mod failure;
mod forecast;
pub mod guard;
mod import_file;
mod indexes;
mod lock;
mod monitor;
mod own;
mod plain;
mod raw;
mod read;
mod relay;
mod rules;
mod runtime;
mod said;
mod send;
pub mod throttle;
mod topology;
mod transfers;
mod verdict;

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mongodb::Client;
use mongodb::options::SelectionCriteria;

use super::{Capabilities, Events, Opened, Source, TakeBatch, Transfers, read_back};
use crate::job::{
    Attached, Cancel, ConnectFailure, ConnectionString, Namespace, Server, ServerMark, Step,
    Stored, WatchEnd, WatchReport, Write,
};
use crate::limits::{SERVER_REPLY_MAX, WATCH_SILENCE_MAX};
use answered::Expected;
use dates::Dates;
use lock::Lock;
use monitor::Monitor;
use read::ReadLimits;
use rules::KnownRules;
use runtime::Runtime;
use send::Sessions;
use throttle::Throttle;
use transfers::UnfinishedImports;

/// How long the replies of cursors may take. The driver itself waits without a limit.
#[derive(Debug, Clone, Copy)]
struct ReplyLimits {
    /// One reply of an export or a copy.
    read: Duration,
    /// One reply of a change stream.
    event: Duration,
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self { read: SERVER_REPLY_MAX, event: WATCH_SILENCE_MAX }
    }
}

/// A server.
pub struct Remote {
    client: Client,
    runtime: Runtime,
    criteria: Option<SelectionCriteria>,
    /// Milliseconds that the server's clock is ahead of this machine's.
    ahead_ms: AtomicI64,
    lock: Lock,
    throttle: Throttle,
    stored: Stored,
    sessions: Sessions,
    rules: KnownRules,
    reply_limits: ReplyLimits,
    read_limits: ReadLimits,
    monitor: Monitor,
    /// Whether it compares only with dates that most languages can write.
    has_narrow_dates: AtomicBool,
    /// Imports that can be rolled back.
    imports: UnfinishedImports,
    /// The reply to its first `hello`.
    hello: Document,
    /// The folder for its journals, if there is a home folder.
    journals: Option<PathBuf>,
}

impl Remote {
    /// Keeps the journals of operations on this server in a folder.
    fn keep_journals(&mut self, string: &ConnectionString, journals: Option<&Path>) {
        self.journals = journals.map(|folder| journals_of(string, folder));
    }

    /// Connects to a server, and tells each step as it begins. It is read-only.
    ///
    /// # Errors
    /// Which step failed, and one sentence.
    pub fn connect(
        string: &ConnectionString,
        cancel: &Cancel,
        begin: &dyn Fn(Step),
    ) -> Result<Self, ConnectFailure> {
        let runtime =
            Runtime::start().map_err(|sentence| ConnectFailure::new(Step::Options, sentence))?;
        let asked = SystemClock.now_ms();
        let connected = connect::connect(string, &runtime, cancel, begin)?;
        let criteria = connected.client.selection_criteria().cloned();
        let remote = Self {
            client: connected.client,
            runtime,
            criteria,
            ahead_ms: AtomicI64::new(0),
            lock: Lock::default(),
            throttle: Throttle::default(),
            stored: Stored::default(),
            sessions: Sessions::default(),
            rules: KnownRules::default(),
            reply_limits: ReplyLimits::default(),
            read_limits: ReadLimits::default(),
            monitor: Monitor::of(topology::pass_job(&connected.hello)),
            has_narrow_dates: AtomicBool::new(false),
            // A server that compares with fewer dates shows that by an error at the first one.
            imports: UnfinishedImports::default(),
            hello: connected.hello,
            journals: None,
        };
        remote.learn_clock(&remote.hello, asked);
        Ok(remote)
    }

    /// Takes the server's time from a `hello`.
    fn learn_clock(&self, hello: &Document, asked_ms: i64) {
        let now_ms = SystemClock.now_ms();
        let server_ms = match hello.get("localTime") {
            Some(Bson::DateTime(time)) => time.timestamp_millis(),
            // DocumentDB.
            Some(Bson::Int64(ms)) => *ms,
            _ => return,
        };
        // The server read its clock in the middle of the round trip.
        let middle_ms = asked_ms + (now_ms - asked_ms) / 2;
        self.ahead_ms.store(server_ms.saturating_sub(middle_ms), Ordering::Relaxed);
    }

    /// The latest threshold that a pass at an instant removes: on DocumentDB a document at just that
    /// instant stays until the next one.
    fn removed_up_to_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(i64::from(topology::pass_job(&self.hello).is_some()))
    }

    /// The dates that the server can compare with.
    fn dates(&self) -> Dates {
        let is_narrow = self.has_narrow_dates.load(Ordering::Relaxed);
        if is_narrow { Dates::Written } else { Dates::All }
    }

    /// Notes that the server can't compare with every date.
    fn note_dates(&self) {
        self.has_narrow_dates.store(true, Ordering::Relaxed);
    }

    /// Runs a command of the protocol, unless the connection is locked and it may change something.
    fn pass_on(&self, db: &str, command: Document, cancel: &Cancel) -> Document {
        self.pass_on_while(db, command, cancel, &|| cancel.is_cancelled())
    }

    /// The same. `is_stopped` ends a pause of a server that asks to slow down.
    fn pass_on_while(
        &self,
        db: &str,
        command: Document,
        cancel: &Cancel,
        is_stopped: &dyn Fn() -> bool,
    ) -> Document {
        let refusal = guard::refusal(&command);
        let is_write = refusal.is_some();
        if let Some(refusal) = refusal {
            if self.lock.is_locked() {
                return refusal;
            }
            // Only a change puts off the time at which the connection locks itself.
            self.lock.use_now();
        }
        let asked = command.contains_key("hello").then(|| SystemClock.now_ms());
        // Other servers refuse empty parts that MongoDB ignores.
        let command = plain::without_empty_parts(command);
        let expected = Expected::of(&command);
        let reply = self.send(db, &command, cancel, is_stopped);
        let reply = expected.check(self, db, reply, cancel);
        if is_write {
            // Not before: another thread may list the rules while the change is on its way.
            self.rules.forget(self.now_ms());
        }
        // Each greeting corrects the clock, because the two clocks drift in a long session.
        if let Some(asked) = asked {
            self.learn_clock(&reply, asked);
        }
        reply
    }

    fn attached(&self, string: &ConnectionString, mark: ServerMark) -> Attached {
        let version = self.pass_on("admin", bson::doc! { "buildInfo": 1 }, &Cancel::default());
        Attached {
            address: string.shown(),
            name: string.name(),
            mark,
            topology: said::text(&topology::name(&self.hello, &version, &string.addresses())),
            version: said::text(version.get_str("version").unwrap_or_default()),
            ahead_ms: self.ahead_ms.load(Ordering::Relaxed),
            pass_job: topology::pass_job(&self.hello),
            is_replica_set: self.hello.contains_key("setName"),
            slow_down: self.throttle.slow_down.clone(),
            stored: self.stored.clone(),
        }
    }
}

impl Source for Remote {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let own = own::reply(self, db, command, cancel);
        own.unwrap_or_else(|| self.pass_on(db, command.clone(), cancel))
    }

    fn read_batches(
        &self,
        db: &str,
        command: &Document,
        cancel: &Cancel,
        take: &mut TakeBatch<'_>,
    ) -> Result<(), String> {
        raw::read_batches(self, self.criteria.as_ref(), (db, command), cancel, take)
    }

    fn read_back(&self, db: &str, find: &Document) -> Option<Result<Vec<RawDocumentBuf>, String>> {
        let cancel = Cancel::default();
        // From the primary: another member may not have it yet.
        let read =
            |take: &mut TakeBatch<'_>| raw::read_batches(self, None, (db, find), &cancel, take);
        Some(read_back::read(read))
    }

    fn note_stored(&self, write: Write, is_as_sent: bool) {
        self.stored.note(write, is_as_sent);
    }

    fn run_write(&self, db: &str, command: &Document, is_stopped: &dyn Fn() -> bool) -> Document {
        self.pass_on_while(db, command.clone(), &Cancel::default(), is_stopped)
    }

    fn run_bytes(
        &self,
        db: &str,
        command: &RawDocument,
        is_stopped: &dyn Fn() -> bool,
    ) -> Document {
        raw::run_bytes(self, db, command, is_stopped)
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        Some(self)
    }

    fn now_ms(&self) -> i64 {
        SystemClock.now_ms().saturating_add(self.ahead_ms.load(Ordering::Relaxed))
    }

    fn subscribe(&self) -> Events {
        Box::new(iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { transfer: true, ..Capabilities::default() }
    }

    fn watch(
        &self,
        namespace: &Namespace,
        cancel: &Cancel,
        report: &dyn Fn(WatchReport),
    ) -> WatchEnd {
        events::watch(self, namespace, cancel, report)
    }

    fn journals(&self) -> Option<PathBuf> {
        self.journals.clone()
    }

    fn set_locked(&self, is_locked: bool) {
        self.lock.set(is_locked);
    }

    fn leave(&self) {
        self.runtime.leave();
    }

    fn close(&self) {
        self.runtime.close();
    }
}

/// Attaches to a server, and tells each step as it begins.
///
/// # Errors
/// Which step failed, and one sentence.
pub fn attach(
    server: &Server,
    cancel: &Cancel,
    begin: &dyn Fn(Step),
) -> Result<Opened, ConnectFailure> {
    let mut remote = Remote::connect(&server.string, cancel, begin)?;
    remote.keep_journals(&server.string, server.journals.as_deref());
    let attached = remote.attached(&server.string, server.mark);
    let clock = SystemClock.status();
    Ok(Opened {
        name: attached.name.clone(),
        folder: None,
        clock: mayfly_engine::clock::ClockStatus { now_ms: remote.now_ms(), ..clock },
        // The dialog has shown what was mended in the string.
        warnings: Vec::new(),
        advice: Vec::new(),
        attached: Some(Box::new(attached)),
        source: Arc::new(remote),
    })
}

/// The folder for the journals of a server's operations. It has the same name however the server is
/// spelled, and no name of a host or user in it.
fn journals_of(string: &ConnectionString, journals: &Path) -> PathBuf {
    // A string may name the hosts of a replica set in any order.
    let mut hosts = string.hosts.clone();
    hosts.sort_unstable();
    let place = string.secret_key().unwrap_or_else(|| hosts.join(","));
    let name = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(place.as_bytes()));
    journals.join(name)
}

/// Connects to the server that a string names. An operation that stops can't be resumed.
pub fn open(text: &str) -> Result<(Arc<dyn Source>, ConnectionString), String> {
    open_by(text, |string| open_string(string, None))
}

/// The same by another function.
pub fn open_by<T>(
    text: &str,
    open: impl FnOnce(&ConnectionString) -> Result<T, String>,
) -> Result<(T, ConnectionString), String> {
    let string = ConnectionString::read(text)?;
    // An option that was left out may be the cause.
    let with_notes = |sentence| {
        let said = iter::once(&sentence).chain(&string.notes).cloned();
        said.collect::<Vec<String>>().join(". ")
    };
    let opened = open(&string).map_err(with_notes)?;
    Ok((opened, string))
}

/// Connects to a server, without telling the steps. The journals of its operations are kept in a folder.
pub fn open_string(
    string: &ConnectionString,
    journals: Option<&Path>,
) -> Result<Arc<dyn Source>, String> {
    let remote = Remote::connect(string, &Cancel::default(), &|_| ());
    let mut remote = remote.map_err(|failed| failed.sentence)?;
    remote.keep_journals(string, journals);
    Ok(Arc::new(remote))
}

#[cfg(test)]
mod differential_tests;
#[cfg(test)]
mod dump_tests;
#[cfg(test)]
mod habits_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod relay_tests;
#[cfg(test)]
mod resume_tests;
#[cfg(test)]
mod throttle_tests;
#[cfg(test)]
mod tls_tests;
