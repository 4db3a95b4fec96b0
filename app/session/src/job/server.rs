//! A server to attach to: how it is reached, how far that is, and what it is.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use mayfly_engine::value::named;
use serde::{Deserialize, Serialize};

use super::connection_string::ConnectionString;

/// The field of a reply with the standard commands that a question of Mayfly's own became.
pub const SENT: &str = "sent";

/// A server, and what the window says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    pub string: ConnectionString,
    pub mark: ServerMark,
    /// Whether its password stays in the system's keyring once the server is open.
    pub keeping: Keeping,
    /// The folder of the journals of operations on servers. Without one, an operation that stops
    /// can't be resumed.
    pub journals: Option<PathBuf>,
}

/// Whether a password stays in the system's keyring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keeping {
    /// Nothing: it is there already, or there is no keyring.
    #[default]
    AsBefore,
    Keep,
    /// It is not kept any longer.
    Forget,
}

/// How a connection is marked in lists and in the top bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ServerMark {
    /// Whether others depend on its data, so that each change is asked about.
    pub is_production: bool,
    pub color: ServerColor,
}

named! {
    /// The color of a connection.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    pub enum ServerColor {
        #[default]
        Plain => "No color",
        Blue => "Blue",
        Orange => "Orange",
        Violet => "Violet",
        Pink => "Pink",
        Green => "Green",
        Yellow => "Yellow",
    }
    /// Its name.
    pub fn label;
}

impl ServerColor {
    /// Which of the colors for marks it is.
    #[must_use]
    pub fn index(self) -> Option<usize> {
        Self::ALL.iter().position(|color| *color == self).and_then(|at| at.checked_sub(1))
    }
}

named! {
    /// A step of connecting.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Step {
        Options => "Read the options",
        Name => "Find the host",
        Port => "Reach the port",
        /// The first command, encrypted if TLS is on.
        Hello => "Greet the server",
        Login => "Log in",
    }
    pub fn label;
}

/// The step at which a connection failed, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectFailure {
    pub step: Step,
    pub sentence: String,
    /// Whether the server does not accept the login. It may also have failed to answer.
    pub is_refused: bool,
}

impl ConnectFailure {
    pub fn new(step: Step, sentence: impl Into<String>) -> Self {
        Self { step, sentence: sentence.into(), is_refused: false }
    }

    /// A login that the server does not accept.
    pub fn refused(sentence: impl Into<String>) -> Self {
        Self { is_refused: true, ..Self::new(Step::Login, sentence) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attached {
    /// How it is reached, without the password.
    pub address: String,
    pub name: String,
    pub mark: ServerMark,
    /// The kind of deployment, such as `replica set rs0`.
    pub topology: String,
    /// The version that it reports, or nothing.
    pub version: String,
    /// How far its clock is ahead of this machine's, in milliseconds.
    pub ahead_ms: i64,
    /// The job that removes expired documents there, if it isn't a TTL monitor like MongoDB's.
    pub pass_job: Option<PassJob>,
    /// Whether other members copy what it writes, and may fall back.
    pub is_replica_set: bool,
    pub slow_down: SlowDown,
    pub stored: Stored,
}

/// Whether a server asks to slow down now: the number of commands that wait because of it.
#[derive(Debug, Clone, Default)]
pub struct SlowDown(Arc<AtomicUsize>);

/// A command that waits, until this is dropped.
pub struct Waiting<'s>(&'s SlowDown);

impl SlowDown {
    /// A command begins to wait.
    pub fn begin(&self) -> Waiting<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Waiting(self)
    }

    /// Whether a command waits.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl PartialEq for SlowDown {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SlowDown {}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How documents are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Insert,
    Replace,
    /// Their fields are set in the documents that are there.
    Merge,
}

/// The documents that were read after they were written to a server: whether it stored what was sent.
#[derive(Debug, Clone, Default)]
pub struct Stored(Arc<AtomicU8>);

/// The bit of a server that stored something else.
const OTHERWISE: u8 = 1 << 7;

impl Stored {
    /// Documents written in this way were stored as they were sent, or otherwise.
    pub fn note(&self, write: Write, is_as_sent: bool) {
        let bit = if is_as_sent { 1 << write as u8 } else { OTHERWISE };
        self.0.fetch_or(bit, Ordering::Relaxed);
    }

    /// Whether it stored what was sent in this way. `None` if that was not seen yet.
    pub fn is_as_sent(&self, write: Write) -> Option<bool> {
        let seen = self.0.load(Ordering::Relaxed);
        let is_otherwise = seen & OTHERWISE != 0;
        (is_otherwise || seen & (1 << write as u8) != 0).then_some(!is_otherwise)
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stored {}

/// A job of the server that removes expired documents at each full minute of its clock, up to a number with each
/// index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassJob {
    /// Documents that a pass removes at most with one index.
    pub most: u64,
}

impl PassJob {
    /// The job of the DocumentDB extension of PostgreSQL 0.108: `* * * * *` in `pg_cron`, with a
    /// `maxTTLDeleteBatchSize` of 10,000.
    pub const DOCUMENTDB: Self = Self { most: 10_000 };

    /// Seconds between two passes.
    pub const EVERY_SECS: i64 = 60;

    /// The first pass at or after an instant, both in milliseconds since 1970.
    pub fn next_ms(at_ms: i64) -> i64 {
        const EVERY_MS: i64 = PassJob::EVERY_SECS * 1_000;
        at_ms.saturating_add((-at_ms).rem_euclid(EVERY_MS))
    }
}
