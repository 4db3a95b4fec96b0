//! A MongoDB server, or one that speaks its protocol, through the official driver.
//!
//! It opens read-only: [`guard`] decides below the window which commands leave the program. What is
//! Mayfly's own, such as `mayflyExpiring`, is not known to a server and refused by name.

pub mod connect;
pub mod connection_string;
pub mod failure;
pub mod guard;
mod percent;
mod runtime;

use std::collections::HashMap;
use std::iter;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bson::{Bson, Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mongodb::options::SelectionCriteria;
use mongodb::{Client, ClientSession};

use super::{Capabilities, Events, Source};
use crate::job::Cancel;
use connect::ConnectFailure;
use connection_string::ConnectionString;
use runtime::Runtime;

/// How long a command may take on the server, unless it says so itself.
const TIME_MS: i64 = 30_000;

/// How much longer the window waits than the server may take.
const GRACE: Duration = Duration::from_secs(5);

/// Cursors whose sessions are kept.
const CURSORS_MAX: usize = 200;

/// `CommandNotFound`.
const NOT_FOUND: i32 = 59;

/// Commands that a server takes a time limit and a comment for.
const TIMED: [&str; 8] = [
    "aggregate",
    "collStats",
    "count",
    "dbStats",
    "distinct",
    "find",
    "listCollections",
    "listIndexes",
];

/// A server.
pub struct Remote {
    client: Client,
    runtime: Runtime,
    criteria: Option<SelectionCriteria>,
    /// Milliseconds that the server's clock is ahead of this machine's.
    ahead_ms: AtomicI64,
    is_locked: AtomicBool,
    /// A cursor is read on with the session that it was opened with.
    sessions: Mutex<HashMap<i64, ClientSession>>,
}

impl Remote {
    /// Connects to a server. It is read-only.
    ///
    /// # Errors
    /// Which step failed, and one sentence.
    pub fn connect(string: &ConnectionString, cancel: &Cancel) -> Result<Self, ConnectFailure> {
        let runtime = Runtime::start()
            .map_err(|sentence| ConnectFailure { step: connect::Step::Options, sentence })?;
        let asked = SystemClock.now_ms();
        let connected = connect::connect(string, &runtime, cancel)?;
        let criteria = connected.client.selection_criteria().cloned();
        let remote = Self {
            client: connected.client,
            runtime,
            criteria,
            ahead_ms: AtomicI64::new(0),
            is_locked: AtomicBool::new(true),
            sessions: Mutex::default(),
        };
        remote.learn_clock(&connected.hello, asked);
        Ok(remote)
    }

    /// Lets writes through until [`lock`](Self::lock).
    pub fn unlock(&self) {
        self.is_locked.store(false, Ordering::Release);
    }

    /// Sends no writes from now on.
    pub fn lock(&self) {
        self.is_locked.store(true, Ordering::Release);
    }

    /// Takes the server's time from a `hello`: it was read in the middle of the round trip.
    fn learn_clock(&self, hello: &Document, asked_ms: i64) {
        let now_ms = SystemClock.now_ms();
        let server_ms = match hello.get("localTime") {
            Some(Bson::DateTime(time)) => time.timestamp_millis(),
            // DocumentDB.
            Some(Bson::Int64(ms)) => *ms,
            _ => return,
        };
        let middle_ms = asked_ms + (now_ms - asked_ms) / 2;
        self.ahead_ms.store(server_ms.saturating_sub(middle_ms), Ordering::Relaxed);
    }

    fn clock_reply(&self) -> Document {
        let now = bson::DateTime::from_millis(self.now_ms());
        doc! { "now": now, "mode": "system", "rate": 1.0, "paused": false, "ok": 1.0 }
    }

    /// The reply to a command of Mayfly's own, which no server has; `None`: the server answers it.
    fn own_reply(&self, command: &Document) -> Option<Document> {
        let (name, value) = command.iter().next()?;
        if !name.starts_with("mayfly") {
            return None;
        }
        let is_read = command.len() == 1 && matches!(value, Bson::Int32(1));
        Some(match name.as_str() {
            "mayflyClock" if is_read => self.clock_reply(),
            "mayflyDialect" if is_read => doc! { "dialect": "mongodb", "ok": 1.0 },
            name => failure::failed(
                NOT_FOUND,
                "CommandNotFound",
                &format!("{name} is not supported on a server; it works on Mayfly's own stores"),
            ),
        })
    }

    fn send(&self, db: &str, mut command: Document, cancel: &Cancel) -> Document {
        let name = command.keys().next().cloned().unwrap_or_default();
        let is_read = guard::refusal(&command).is_none();
        let mut time = Duration::from_millis(TIME_MS.unsigned_abs());
        if TIMED.contains(&name.as_str()) {
            match command.get("maxTimeMS").and_then(whole) {
                Some(ms) => time = Duration::from_millis(ms),
                None => drop(command.insert("maxTimeMS", TIME_MS)),
            }
            if !command.contains_key("comment") {
                command.insert("comment", "mayfly");
            }
        }
        let session = if is_read { self.session_of(&command) } else { None };
        let (client, db) = (self.client.clone(), db.to_owned());
        let criteria = self.criteria.clone().filter(|_| is_read);
        let closes = name == "killCursors";
        let task = async move {
            // A server without sessions answers without one.
            let mut session = match session {
                Some(session) => Some(session),
                None if is_read && !closes => client.start_session().await.ok(),
                None => None,
            };
            let database = client.database(&db);
            let mut run = database.run_command(command);
            if let Some(criteria) = criteria {
                run = run.selection_criteria(criteria);
            }
            let reply = match &mut session {
                Some(session) => run.session(session).await,
                None => run.await,
            };
            (reply, session)
        };
        match self.runtime.run(task, time.saturating_add(GRACE), cancel, is_read) {
            Ok((Ok(reply), session)) => {
                self.keep_session(&reply, session);
                reply
            }
            Ok((Err(error), _)) => failure::reply(&error),
            Err(ended) => failure::ended(ended, !is_read),
        }
    }

    /// The session of the cursor that a command reads on or closes.
    fn session_of(&self, command: &Document) -> Option<ClientSession> {
        let cursor = match command.iter().next()? {
            (name, id) if name == "getMore" => whole_id(id),
            (name, _) if name == "killCursors" => {
                command.get_array("cursors").ok()?.first().and_then(whole_id)
            }
            _ => None,
        }?;
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&cursor)
    }

    fn keep_session(&self, reply: &Document, session: Option<ClientSession>) {
        let Ok(cursor) = reply.get_document("cursor") else { return };
        let id = cursor.get("id").and_then(whole_id).filter(|id| *id != 0);
        if let (Some(id), Some(session)) = (id, session) {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            if sessions.len() < CURSORS_MAX {
                sessions.insert(id, session);
            }
        }
    }
}

fn whole_id(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int64(id) => Some(*id),
        Bson::Int32(id) => Some(i64::from(*id)),
        _ => None,
    }
}

fn whole(value: &Bson) -> Option<u64> {
    whole_id(value).and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0)
}

impl Source for Remote {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        if let Some(reply) = self.own_reply(command) {
            return reply;
        }
        if self.is_locked.load(Ordering::Acquire)
            && let Some(refusal) = guard::refusal(command)
        {
            return refusal;
        }
        let asked = SystemClock.now_ms();
        let reply = self.send(db, command.clone(), cancel);
        if command.contains_key("hello") {
            self.learn_clock(&reply, asked);
        }
        reply
    }

    fn now_ms(&self) -> i64 {
        SystemClock.now_ms().saturating_add(self.ahead_ms.load(Ordering::Relaxed))
    }

    fn subscribe(&self) -> Events {
        Box::new(iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn close(&self) {
        self.runtime.close();
    }
}

/// Connects to the server that a string names, for the command line.
///
/// # Errors
/// One sentence.
pub fn open(text: &str) -> Result<(Arc<dyn Source>, ConnectionString), String> {
    let string = ConnectionString::read(text)?;
    let remote = Remote::connect(&string, &Cancel::default()).map_err(|failed| failed.sentence)?;
    Ok((Arc::new(remote), string))
}
