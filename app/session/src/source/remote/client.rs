//! The connection to a server.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use bson::{Bson, Document};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mongodb::Client;
use mongodb::options::SelectionCriteria;

use super::known::{
    Dates, KnownRules, Monitor, ReadLimits, ReplyLimits, Sessions, UnfinishedImports,
};
use super::lock::Lock;
use super::runtime::Runtime;
use super::samples::KeptSamples;
use super::throttle::Throttle;
use super::{connect, guard, plain, said, topology};
use crate::job::{Attached, Cancel, ConnectFailure, ConnectionString, ServerMark, Step, Stored};
use crate::source::Source as _;

/// A server.
pub struct Remote {
    pub(super) client: Client,
    pub(super) runtime: Runtime,
    pub(super) criteria: Option<SelectionCriteria>,
    /// Milliseconds that the server's clock is ahead of this machine's.
    pub(super) ahead_ms: AtomicI64,
    pub(super) lock: Lock,
    pub(super) throttle: Throttle,
    pub(super) stored: Stored,
    pub(super) sessions: Sessions,
    pub(super) rules: KnownRules,
    pub(super) reply_limits: ReplyLimits,
    pub(super) read_limits: ReadLimits,
    pub(super) monitor: Monitor,
    pub(super) samples: KeptSamples,
    /// Whether it compares only with dates that most languages can write.
    pub(super) has_narrow_dates: AtomicBool,
    /// Imports that can be rolled back.
    pub(super) imports: UnfinishedImports,
    /// The reply to its first `hello`.
    pub(super) hello: Document,
    /// The folder for its journals, if there is a home folder.
    pub(super) journals: Option<PathBuf>,
}

impl Remote {
    /// Keeps the journals of operations on this server in a folder.
    pub(super) fn keep_journals(&mut self, string: &ConnectionString, journals: Option<&Path>) {
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
            samples: KeptSamples::default(),
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
    pub(super) fn removed_up_to_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(i64::from(topology::pass_job(&self.hello).is_some()))
    }

    /// The dates that the server can compare with.
    pub(super) fn dates(&self) -> Dates {
        let is_narrow = self.has_narrow_dates.load(Ordering::Relaxed);
        if is_narrow { Dates::Written } else { Dates::All }
    }

    /// Notes that the server can't compare with every date.
    pub(super) fn note_dates(&self) {
        self.has_narrow_dates.store(true, Ordering::Relaxed);
    }

    /// Runs a command of the protocol, unless the connection is locked and it may change something.
    pub(super) fn pass_on(&self, db: &str, command: Document, cancel: &Cancel) -> Document {
        if let Some(pace) = cancel.pace() {
            pace.wait(&|| cancel.is_cancelled());
        }
        self.pass_on_while(db, command, cancel, &|| cancel.is_cancelled())
    }

    /// The same. `is_stopped` ends a pause of a server that asks to slow down.
    pub(super) fn pass_on_while(
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
        let reply = self.send(db, &command, cancel, is_stopped);
        let reply = self.checked(db, &command, reply, cancel);
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

    pub(super) fn attached(&self, string: &ConnectionString, mark: ServerMark) -> Attached {
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
